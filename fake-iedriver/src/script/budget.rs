//! Limits on how long a script may run.
//!
//! Owns: counting the engine's interrupt polls and the abort flag. Does not own: what a command
//! answers when the limit was hit. Polls are counted instead of reading a clock, so that an endless
//! loop stops at the same round on every machine and under a paused clock
//! (`reference/crates.md` section 10).

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Polls granted for each second of a time limit: about three million loop rounds, well below a
/// second of real time on today's machines.
const POLLS_PER_SECOND: u64 = 300;

/// The least any script gets, so that a limit of zero seconds still runs short scripts.
const LEAST_POLLS: u64 = 300;

/// Counts down interrupt polls; shared by the runtime's interrupt handler and the session.
#[derive(Clone)]
pub struct Budget {
    left: Rc<Cell<u64>>,
    spent: Rc<Cell<bool>>,
    abort: Arc<AtomicBool>,
}

impl Budget {
    /// A budget that is unlimited until [`Budget::grant`]; `abort` kills scripts from another thread.
    pub fn new(abort: Arc<AtomicBool>) -> Self {
        Self { left: Rc::new(Cell::new(u64::MAX)), spent: Rc::new(Cell::new(false)), abort }
    }

    /// Grants the polls of `limit_ms` milliseconds to the next outermost script.
    pub fn grant(&self, limit_ms: Option<u64>) {
        self.spent.set(false);
        self.left.set(limit_ms.map_or(u64::MAX, |ms| (ms * POLLS_PER_SECOND / 1000).max(LEAST_POLLS)));
    }

    /// True once the current grant ran out.
    pub fn is_spent(&self) -> bool {
        self.spent.get()
    }

    /// True once the session was told to end.
    pub fn is_aborted(&self) -> bool {
        self.abort.load(Ordering::Relaxed)
    }

    /// Ends every script of the session at its next poll.
    pub fn abort(&self) {
        self.abort.store(true, Ordering::Relaxed);
    }

    /// The interrupt handler: true stops the running script, which cannot catch it.
    pub fn poll(&self) -> bool {
        if self.is_aborted() {
            return true;
        }
        match self.left.get() {
            0 => {
                self.spent.set(true);
                true
            }
            left => {
                self.left.set(left - 1);
                false
            }
        }
    }
}
