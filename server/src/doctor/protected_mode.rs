//! Finding: protected mode alike in all zones (`reference/iedriver-wire.md` section 4.6).

use super::registry::{Root, number};
use super::{Finding, WINDOWS_ONLY};

const NAME: &str = "protectedMode";
const ZONES: [&str; 4] = ["Local intranet", "Trusted sites", "Internet", "Restricted sites"];
/// Value 2500 of a zone when it is not set: 0 on, 3 off.
const DEFAULTS: [u32; 4] = [3, 3, 0, 0];

/// Value 2500 of zones 1 to 4.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Facts {
    windows: bool,
    zones: [Option<u32>; 4],
}

pub(super) fn probe() -> Facts {
    let places = [
        (Root::Machine, r"SOFTWARE\Policies\Microsoft\Windows\CurrentVersion\Internet Settings\Zones"),
        (Root::User, r"SOFTWARE\Policies\Microsoft\Windows\CurrentVersion\Internet Settings\Zones"),
        (Root::User, r"SOFTWARE\Microsoft\Windows\CurrentVersion\Internet Settings\Zones"),
    ];
    let zone = |n: usize| places.iter().find_map(|(root, key)| number(*root, &format!(r"{key}\{n}"), "2500"));
    Facts { windows: cfg!(windows), zones: [zone(1), zone(2), zone(3), zone(4)] }
}

pub(super) fn check(facts: &Facts) -> Finding {
    if !facts.windows {
        return Finding::unknown(NAME, WINDOWS_ONLY);
    }
    let on: Vec<bool> =
        facts.zones.iter().zip(DEFAULTS).map(|(value, default)| value.unwrap_or(default) == 0).collect();
    let word = |on: bool| if on { "on" } else { "off" };
    if on.iter().all(|zone| *zone == on[0]) {
        return Finding::fine(NAME, format!("{} in all zones", word(on[0])));
    }
    let list: Vec<String> = ZONES.iter().zip(&on).map(|(zone, on)| format!("{zone} {}", word(*on))).collect();
    Finding::blocks(
        NAME,
        format!("it differs between zones: {}", list.join(", ")),
        "In Internet Options, Security, set Enable Protected Mode to the same value for all four zones.",
    )
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn zones_that_differ_block_case_c23() {
        let of = |zones| check(&Facts { windows: true, zones });
        assert_eq!(of([Some(0); 4]).level, Level::Fine);
        assert_eq!(of([None, None, Some(3), Some(3)]).level, Level::Fine);
        let differing = of([None; 4]);
        assert_eq!(differing.level, Level::Blocks);
        assert!(
            differing.text.contains("Local intranet off, Trusted sites off, Internet on"),
            "{}",
            differing.text
        );
        assert_eq!(check(&Facts::default()).level, Level::Unknown);
    }
}
