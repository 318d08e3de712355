//! Finding: the policy about IE mode.

use super::registry::{Root, number};
use super::{Finding, WINDOWS_ONLY};

const NAME: &str = "ieMode";

/// The policy of machine or user.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Facts {
    windows: bool,
    /// `InternetExplorerIntegrationLevel`: 0 none, 1 IE mode, 2 Internet Explorer itself.
    level: Option<u32>,
}

pub(super) fn probe() -> Facts {
    let key = r"SOFTWARE\Policies\Microsoft\Edge";
    let read = |root| number(root, key, "InternetExplorerIntegrationLevel");
    Facts { windows: cfg!(windows), level: read(Root::Machine).or_else(|| read(Root::User)) }
}

pub(super) fn check(facts: &Facts) -> Finding {
    match (facts.windows, facts.level) {
        (false, _) => Finding::unknown(NAME, WINDOWS_ONLY),
        (_, Some(0)) => Finding::blocks(
            NAME,
            "the policy InternetExplorerIntegrationLevel forbids IE mode",
            "Have the policy set to 1 (Internet Explorer mode), or removed.",
        ),
        (_, Some(1)) => Finding::fine(NAME, "the policy InternetExplorerIntegrationLevel allows IE mode"),
        (_, Some(level)) => Finding::warning(
            NAME,
            format!("the policy InternetExplorerIntegrationLevel is {level}"),
            "Have the policy set to 1 (Internet Explorer mode).",
        ),
        (_, None) => Finding::fine(NAME, "no policy forbids it; the driver turns it on by a switch"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn only_a_policy_of_none_blocks() {
        let of = |level| check(&Facts { windows: true, level }).level;
        assert_eq!(
            [of(Some(0)), of(Some(1)), of(Some(2)), of(None)],
            [Level::Blocks, Level::Fine, Level::Warning, Level::Fine]
        );
        assert_eq!(check(&Facts::default()).level, Level::Unknown);
    }
}
