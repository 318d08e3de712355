//! When phases change, and where answers may come from.

use serde::Serialize;

/// When the world moves on without an effect (`replay.md` section 3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// When a question is asked again.
    #[default]
    Demand,
    /// Each epoch starts settled.
    Eager,
    /// After each effect the old state shows once more: exposes lost waits.
    Cold,
    /// At the recorded time.
    Recorded,
    /// This epoch never settles: the timeout path of its wait.
    Stall(usize),
}

impl std::str::FromStr for Schedule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "demand" => Ok(Self::Demand),
            "eager" => Ok(Self::Eager),
            "cold" => Ok(Self::Cold),
            "recorded" => Ok(Self::Recorded),
            _ => {
                text.strip_prefix("stall:").and_then(|epoch| epoch.parse().ok()).map(Self::Stall).ok_or_else(
                    || format!("\"{text}\" is none of demand, eager, cold, recorded, stall:<epoch>"),
                )
            }
        }
    }
}

/// Where an answer is from, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// The same question in this phase.
    Recorded,
    /// The same node by another locator.
    Equivalent,
    /// What the state forbids or makes certain.
    State,
    /// From another phase or epoch.
    Carried,
}

/// Answers by tier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs)] // each is the tier of its name
pub struct Tiers {
    pub recorded: u64,
    pub equivalent: u64,
    pub state: u64,
    pub carried: u64,
}

impl Tiers {
    pub(super) fn count(&mut self, tier: Tier) {
        let count = match tier {
            Tier::Recorded => &mut self.recorded,
            Tier::Equivalent => &mut self.equivalent,
            Tier::State => &mut self.state,
            Tier::Carried => &mut self.carried,
        };
        *count += 1;
    }

    /// All answers.
    pub fn total(&self) -> u64 {
        self.recorded + self.equivalent + self.state + self.carried
    }
}

#[cfg(test)]
mod tests {
    use super::Schedule;

    #[test]
    fn schedules_are_read_by_name_and_a_wrong_one_names_them_all() {
        assert_eq!("stall:3".parse(), Ok(Schedule::Stall(3)));
        assert_eq!("cold".parse(), Ok(Schedule::Cold));
        assert!("stall".parse::<Schedule>().unwrap_err().contains("stall:<epoch>"));
    }
}
