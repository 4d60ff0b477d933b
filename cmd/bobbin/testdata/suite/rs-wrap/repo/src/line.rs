use crate::width;

/// Lines as they are filled with words.
pub struct Lines {
    columns: usize,
    done: Vec<String>,
    current: String,
}

impl Lines {
    pub fn new(columns: usize) -> Self {
        Lines { columns, done: Vec::new(), current: String::new() }
    }

    /// Adds a word to the line, or to a new one where it has no room.
    pub fn push(&mut self, word: &str) {
        let space = usize::from(!self.current.is_empty());
        if width::of(&self.current) + space + width::of(word) <= self.columns {
            if space == 1 {
                self.current.push(' ');
            }
            self.current.push_str(word);
            return;
        }
        self.end_line();
        let mut rest = word;
        while width::of(rest) > self.columns {
            let (head, tail) = rest.split_at(self.columns);
            self.done.push(head.to_string());
            rest = tail;
        }
        self.current.push_str(rest);
    }

    fn end_line(&mut self) {
        if !self.current.is_empty() {
            self.done.push(std::mem::take(&mut self.current));
        }
    }

    pub fn finish(mut self) -> Vec<String> {
        self.end_line();
        self.done
    }
}
