//! Breaks text into lines.

mod line;
pub mod width;

use line::Lines;

/// The text in lines of at most so many columns.
pub fn wrap(text: &str, columns: usize) -> String {
    let columns = columns.max(1);
    paragraphs(text)
        .map(|words| {
            let mut lines = Lines::new(columns);
            for word in words {
                lines.push(word);
            }
            lines.finish().join("\n")
        })
        .collect::<Vec<_>>()
        .join("\n\n")
}

/// The words of each paragraph.
fn paragraphs(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let mut all: Vec<Vec<&str>> = vec![Vec::new()];
    for line in text.lines() {
        if line.trim().is_empty() {
            all.push(Vec::new());
        } else if let Some(last) = all.last_mut() {
            last.extend(line.split_whitespace());
        }
    }
    all.into_iter().filter(|words| !words.is_empty())
}

/// Puts the text into a box of lines, as wide as its longest line.
pub fn boxed(text: &str, columns: usize) -> String {
    let wrapped = wrap(text, columns.saturating_sub(4));
    let widest = wrapped.lines().map(width::of).max().unwrap_or(0);
    let edge = format!("+{}+", "-".repeat(widest + 2));
    let mut out = vec![edge.clone()];
    for line in wrapped.lines() {
        out.push(format!("| {}{} |", line, " ".repeat(widest - width::of(line))));
    }
    out.push(edge);
    out.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_whole() {
        assert_eq!(wrap("the quick brown fox", 10), "the quick\nbrown fox");
        assert_eq!(wrap("  one \n two  ", 80), "one two");
        assert_eq!(wrap("", 10), "");
    }

    #[test]
    fn paragraphs_stay_apart() {
        assert_eq!(wrap("a b\n\n \nc", 10), "a b\n\nc");
    }

    #[test]
    fn long_words_are_broken() {
        assert_eq!(wrap("see abcdefghijkl now", 5), "see\nabcde\nfghij\nkl\nnow");
        assert_eq!(wrap("abc", 1), "a\nb\nc");
    }

    #[test]
    fn a_box() {
        assert_eq!(boxed("one three", 9), "+-------+\n| one   |\n| three |\n+-------+");
    }
}
