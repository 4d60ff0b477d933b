//! Keeps the last lines of a log for readers who come and go.

mod reader;
mod ring;

pub use reader::{Batch, Reader};

use ring::Ring;
use std::sync::{Arc, Mutex, MutexGuard};

/// A log of which the last lines are kept. Clones are of the same log.
#[derive(Clone)]
pub struct TailLog {
    ring: Arc<Mutex<Ring>>,
}

impl TailLog {
    /// A log that keeps so many lines, one at least.
    pub fn new(room: usize) -> Self {
        TailLog { ring: Arc::new(Mutex::new(Ring::new(room.max(1)))) }
    }

    /// Writes a text, a line for each of its own.
    pub fn write(&self, text: &str) {
        let mut ring = self.lock();
        for line in text.lines() {
            ring.push(line.to_string());
        }
    }

    /// How many lines were ever written.
    pub fn written(&self) -> u64 {
        self.lock().end()
    }

    /// A reader that begins with the oldest line that is kept.
    pub fn reader(&self) -> Reader {
        let begin = self.lock().begin();
        Reader::new(self.clone(), begin)
    }

    /// A reader that begins with what is written next.
    pub fn follow(&self) -> Reader {
        let end = self.lock().end();
        Reader::new(self.clone(), end)
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
