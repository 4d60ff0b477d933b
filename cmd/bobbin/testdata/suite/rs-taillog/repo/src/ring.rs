/// The last lines, each with its number: the first that was ever written is 0.
pub struct Ring {
    lines: Vec<String>,
    room: usize,
    written: u64,
}

impl Ring {
    pub fn new(room: usize) -> Self {
        Ring { lines: Vec::with_capacity(room), room, written: 0 }
    }

    pub fn push(&mut self, line: String) {
        let at = self.place(self.written);
        if at == self.lines.len() {
            self.lines.push(line);
        } else {
            self.lines[at] = line;
        }
        self.written += 1;
    }

    /// The number of the oldest line that is kept.
    pub fn begin(&self) -> u64 {
        if self.lines.len() < self.room {
            0
        } else {
            self.written - self.place(self.written) as u64
        }
    }

    /// The number that the next line gets.
    pub fn end(&self) -> u64 {
        self.written
    }

    /// The line of that number, if it is kept.
    pub fn get(&self, number: u64) -> Option<&str> {
        if number < self.begin() || number >= self.written {
            return None;
        }
        self.lines.get(self.place(number)).map(String::as_str)
    }

    fn place(&self, number: u64) -> usize {
        (number % self.room as u64) as usize
    }
}
