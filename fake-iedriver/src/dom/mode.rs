//! Document modes of the IE 11 engine and how a page gets one.
//!
//! Owns: the modes, the decision from header, meta and doctype (`reference/emulator.md` section 6.1).
//! Does not own: what a mode hides (`script`) or how it parses and serialises (`parse`, `serialize`).

/// A document mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Mode {
    /// IE 5 quirks.
    Ie5,
    /// IE 7 standards.
    Ie7,
    /// IE 8 standards.
    Ie8,
    /// IE 9 standards.
    Ie9,
    /// IE 10 standards.
    Ie10,
    /// IE 11, called edge mode.
    #[default]
    Ie11,
}

impl Mode {
    /// All modes, oldest first.
    pub const ALL: [Self; 6] = [Self::Ie5, Self::Ie7, Self::Ie8, Self::Ie9, Self::Ie10, Self::Ie11];

    /// `document.documentMode`.
    pub fn number(self) -> u32 {
        match self {
            Self::Ie5 => 5,
            Self::Ie7 => 7,
            Self::Ie8 => 8,
            Self::Ie9 => 9,
            Self::Ie10 => 10,
            Self::Ie11 => 11,
        }
    }

    /// The mode of a number; 6 is the same as 7, unknown ones have none.
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.number() == if number == 6 { 7 } else { number })
    }

    /// Decides the mode. `header` and `meta` are contents of `X-UA-Compatible`; the header wins, a
    /// value that says nothing is skipped. `fallback` is what the site list or setting asks for pages
    /// that say nothing; without it they get 11.
    pub fn decide(
        header: Option<&str>,
        meta: Option<&str>,
        has_doctype: bool,
        fallback: Option<Self>,
    ) -> Self {
        [header, meta]
            .into_iter()
            .flatten()
            .find_map(|content| Self::from_compatible(content, has_doctype))
            .or(fallback)
            .unwrap_or(Self::Ie11)
    }

    /// The best mode an `X-UA-Compatible` content asks for, for example `IE=7; IE=EmulateIE8`.
    pub fn from_compatible(content: &str, has_doctype: bool) -> Option<Self> {
        let lower = content.to_ascii_lowercase();
        lower
            .split([';', ','])
            .filter_map(|part| part.split_once('='))
            .filter(|(key, _)| key.trim() == "ie")
            .filter_map(|(_, value)| {
                let value = value.trim();
                if value == "edge" {
                    return Some(Self::Ie11);
                }
                let (emulate, digits) = match value.strip_prefix("emulateie") {
                    Some(digits) => (true, digits),
                    None => (false, value),
                };
                let number: u32 = digits.split('.').next()?.trim().parse().ok()?;
                let mode = if number > 11 { Self::Ie11 } else { Self::from_number(number)? };
                Some(if emulate && !has_doctype && mode <= Self::Ie9 { Self::Ie5 } else { mode })
            })
            .max()
    }
}

/// What the HTML parser says about the doctype.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Quirks {
    /// Standards.
    #[default]
    No,
    /// Almost standards: `compatMode` is `CSS1Compat`.
    Limited,
    /// No or an old doctype.
    Full,
}

impl super::Document {
    /// True if the page is laid out and matched in quirks: mode 5 always, 10 and 11 by doctype.
    pub fn is_quirky(&self) -> bool {
        match self.mode {
            Mode::Ie5 => true,
            Mode::Ie10 | Mode::Ie11 => self.quirks == Quirks::Full,
            _ => false,
        }
    }

    /// `document.compatMode`.
    pub fn compat_mode(&self) -> &'static str {
        if self.is_quirky() { "BackCompat" } else { "CSS1Compat" }
    }

    /// Content of the first `X-UA-Compatible` meta element.
    pub fn compatible_meta(&self) -> Option<&str> {
        let head = self.head()?;
        self.child_elements(head)
            .filter(|&id| self.is(id, "meta"))
            .find(|&id| {
                let name = self.attribute(id, "http-equiv").unwrap_or_default();
                name.trim().eq_ignore_ascii_case("x-ua-compatible")
            })
            .and_then(|id| self.attribute(id, "content"))
    }

    /// Sets the mode from the response header and the parsed page.
    pub fn decide_mode(&mut self, header: Option<&str>, fallback: Option<Mode>) {
        self.mode = Mode::decide(header, self.compatible_meta(), self.doctype().is_some(), fallback);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mode_follows_header_then_meta_then_setting() {
        for (header, meta, doctype, fallback, expected) in [
            (None, None, true, None, Mode::Ie11),
            (None, None, false, None, Mode::Ie11),
            (None, None, false, Some(Mode::Ie5), Mode::Ie5),
            (None, Some("IE=EmulateIE8"), true, None, Mode::Ie8),
            (None, Some("IE=EmulateIE7"), false, None, Mode::Ie5),
            (Some("IE=edge"), Some("IE=7"), true, None, Mode::Ie11),
            (Some("chrome=1"), Some("ie=9"), true, None, Mode::Ie9),
            (None, Some("IE=7; IE=8,chrome=1"), true, None, Mode::Ie8),
            (None, Some("IE=5"), true, None, Mode::Ie5),
            (None, Some("IE=banana"), true, Some(Mode::Ie7), Mode::Ie7),
            (None, Some("IE=99"), true, None, Mode::Ie11),
        ] {
            assert_eq!(Mode::decide(header, meta, doctype, fallback), expected, "{header:?} {meta:?}");
        }
    }
}
