//! The harness's only source of time.
//!
//! Owns: the wall-clock stamp of a recording, the stopwatch its lines count from, and pauses. Does not own:
//! virtual time, which is tokio's paused clock (the stopwatch follows it).

use std::time::{SystemTime, UNIX_EPOCH};
use tokio::time::Instant;

/// Milliseconds since a recording started, on tokio's clock.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts now.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Time since the start.
    pub fn elapsed(&self) -> std::time::Duration {
        self.0.elapsed()
    }

    /// Whole milliseconds since the start.
    pub fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// Lets this much time pass on tokio's clock.
pub async fn pause(duration: std::time::Duration) {
    tokio::time::sleep(duration).await;
}

/// Now, as `2026-11-30T17:05:09Z`. Recordings carry UTC only: the zone of a customer's machine is
/// nobody's business.
pub fn now_utc() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    utc_text(seconds)
}

/// Seconds since 1970 as an ISO 8601 text in UTC (civil calendar by Hinnant's algorithm).
fn utc_text(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::utc_text;

    #[test]
    fn stamps_are_civil_dates() {
        assert_eq!(utc_text(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc_text(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(utc_text(1_796_058_309), "2026-11-30T17:05:09Z");
    }
}
