//! How wide text is on a screen.

/// The columns that a text takes.
pub fn of(text: &str) -> usize {
    text.len()
}
