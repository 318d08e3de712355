//! Finding: display scale and zoom. The driver counts a scaled display as zoom (`reference/iedriver-wire.md` section 4.7).

use super::registry::{Root, number};
use super::{Finding, WINDOWS_ONLY};

const NAME: &str = "scale";

/// Scale and zoom in percent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Facts {
    windows: bool,
    display: Option<u32>,
    zoom: Option<u32>,
}

pub(super) fn probe() -> Facts {
    let dpi = number(Root::User, r"Control Panel\Desktop\WindowMetrics", "AppliedDPI");
    let zoom = number(Root::User, r"SOFTWARE\Microsoft\Internet Explorer\Zoom", "ZoomFactor");
    Facts {
        windows: cfg!(windows),
        display: dpi.map(|dpi| dpi * 100 / 96),
        zoom: zoom.map(|thousandths| thousandths / 1000),
    }
}

pub(super) fn check(facts: &Facts) -> Finding {
    if !facts.windows {
        return Finding::unknown(NAME, WINDOWS_ONLY);
    }
    let (display, zoom) = (facts.display.unwrap_or(100), facts.zoom.unwrap_or(100));
    let text = format!("display {display} %, zoom {zoom} %");
    if display == 100 && zoom == 100 {
        Finding::fine(NAME, text)
    } else {
        Finding::warning(NAME, text, "Set display scale and zoom to 100 %: otherwise clicks may miss.")
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn anything_but_100_percent_is_a_warning() {
        let of = |display, zoom| check(&Facts { windows: true, display, zoom }).level;
        assert_eq!(
            [of(None, None), of(Some(100), Some(100)), of(Some(125), None), of(None, Some(90))],
            [Level::Fine, Level::Fine, Level::Warning, Level::Warning]
        );
    }
}
