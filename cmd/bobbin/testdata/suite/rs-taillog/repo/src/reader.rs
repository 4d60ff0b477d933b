use crate::TailLog;

/// What a reader got.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Batch {
    pub lines: Vec<String>,
    /// How many lines were dropped before the reader got to them.
    pub missed: u64,
}

/// Reads a log, each line once.
pub struct Reader {
    log: TailLog,
    next: u64,
    word: Option<String>,
}

impl Reader {
    pub(crate) fn new(log: TailLog, next: u64) -> Self {
        Reader { log, next, word: None }
    }

    /// Reads only lines with the word from now on.
    pub fn filter(mut self, word: &str) -> Self {
        self.word = Some(word.to_string());
        self
    }

    /// At most so many lines, the oldest first.
    pub fn read(&mut self, most: usize) -> Batch {
        let ring = self.log.lock();
        let mut batch = Batch::default();
        if self.next < ring.begin() {
            self.next = ring.begin();
        }
        let mut number = self.next;
        while batch.lines.len() < most {
            let Some(line) = ring.get(number) else { break };
            if self.word.as_ref().is_none_or(|w| line.contains(w.as_str())) {
                batch.lines.push(line.to_string());
            }
            number += 1;
        }
        self.next += batch.lines.len() as u64;
        batch
    }

    /// How many lines wait, those that are filtered out included.
    pub fn waiting(&self) -> u64 {
        let ring = self.log.lock();
        ring.end() - self.next.max(ring.begin())
    }
}
