//! The one pace of all polling. Owns: how long a look waits for the next, and when it is over. Does not own: what is
//! looked for.

use crate::driver::session::Failure;
use crate::error::ToolError;
use crate::tools::Call;
use std::time::Duration;
use tokio::time::Instant;

const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_millis(300);

/// A wait: look, then `next`, until it says no.
#[derive(Debug)]
pub struct Pace {
    begun: Instant,
    end: Instant,
    pause: Duration,
}

impl Pace {
    /// The wait of an action for its element: begins now, ends with the element wait of the call. What is there soon
    /// is acted on soon.
    pub fn new(call: &Call<'_>) -> Self {
        Self { begun: Instant::now(), end: call.wait_until(), pause: FIRST }
    }

    /// The same for a wait that is all a call does: what it waits for takes its time, and each look costs the driver.
    pub fn steady(call: &Call<'_>) -> Self {
        Self { pause: LONGEST, ..Self::new(call) }
    }

    /// Waits for the time of the next look; false if there shall be none. The last look is at the very end.
    ///
    /// # Errors
    /// If the call is cancelled.
    pub async fn next(&mut self, call: &mut Call<'_>) -> Result<bool, ToolError> {
        let now = Instant::now();
        if now >= self.end {
            return Ok(false);
        }
        let until = self.end.min(now + self.pause);
        self.pause = LONGEST.min(self.pause + Duration::from_millis(100));
        tokio::select! {
            biased;
            () = call.budget.cancel.cancelled() => Err(Failure::Cancelled.into()),
            () = tokio::time::sleep_until(until) => Ok(true),
        }
    }

    /// Milliseconds waited so far.
    pub fn waited_ms(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
