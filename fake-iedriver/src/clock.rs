//! The one place where this crate learns the time.
//!
//! Owns: the wall clock (for the `Date` header and log lines) as tokio's clock plus the instant the
//! process first asked, so that a paused runtime sees consistent dates; waiting. Does not own: deadlines.

use std::{
    sync::OnceLock,
    time::{Duration, SystemTime},
};
use tokio::time::Instant;

/// A calendar instant in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Utc {
    /// Year of the Gregorian calendar.
    pub year: i64,
    /// Month, 1 to 12.
    pub month: u32,
    /// Day of the month, from 1.
    pub day: u32,
    /// Day of the week, 0 is Sunday.
    pub weekday: u32,
    /// Hour, minute, second, millisecond.
    pub time: [u32; 4],
}

/// Now, moving with tokio's clock.
pub fn now() -> Utc {
    static START: OnceLock<(Instant, u64)> = OnceLock::new();
    let (instant, millis) = START.get_or_init(|| {
        let unix = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        (Instant::now(), unix.as_millis() as u64)
    });
    let passed = Instant::now().saturating_duration_since(*instant).as_millis() as u64;
    from_unix_millis(millis + passed)
}

/// Lets time pass.
pub async fn wait(duration: Duration) {
    tokio::time::sleep(duration).await;
}

/// Lets time pass up to an instant; one in the past does not wait.
pub async fn wait_until(instant: Instant) {
    tokio::time::sleep_until(instant).await;
}

/// The calendar instant of milliseconds since 1970.
pub fn from_unix_millis(millis: u64) -> Utc {
    let (days, rest) = ((millis / 86_400_000) as i64, (millis % 86_400_000) as u32);
    // Days are counted from 1 March of year 0, so that the leap day is the last of its year.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    Utc {
        year: year_of_era + era * 400 + i64::from(month <= 2),
        month: month as u32,
        day: (day_of_year - (153 * march_month + 2) / 5 + 1) as u32,
        weekday: (days + 4).rem_euclid(7) as u32,
        time: [rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60, rest % 1000],
    }
}

impl Utc {
    /// The form of HTTP's `Date` header.
    pub fn http_date(&self) -> String {
        const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
        const MONTHS: [&str; 12] =
            ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let [hour, minute, second, _] = self.time;
        format!(
            "{}, {:02} {} {} {hour:02}:{minute:02}:{second:02} GMT",
            DAYS[self.weekday as usize],
            self.day,
            MONTHS[self.month as usize - 1],
            self.year
        )
    }

    /// The form of the driver's log lines; milliseconds follow a colon
    /// (`reference/field-logs.md` section 2.1).
    pub fn log_stamp(&self) -> String {
        let [hour, minute, second, millis] = self.time;
        format!(
            "{:04}-{:02}-{:02} {hour:02}:{minute:02}:{second:02}:{millis:03}",
            self.year, self.month, self.day
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_instants_are_named_rightly() {
        assert_eq!(from_unix_millis(784_111_777_000).http_date(), "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(from_unix_millis(951_782_400_123).log_stamp(), "2000-02-29 00:00:00:123");
    }
}
