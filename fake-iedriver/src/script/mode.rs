//! What a document mode hides of the language's built-in objects.
//!
//! Owns: the document modes and the surface of a fresh realm before bindings and page see it. Does
//! not own: DOM members (each binding table names its first and last mode). The lists name what
//! stays, so that a newer engine hides its additions by default (`reference/emulator.md` section 6).

use super::engine;
use rquickjs::{Ctx, Function, Result};

/// A document mode of the IE 11 engine: 5 (quirks), 7, 8, 9, 10 or 11.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentMode(pub u8);

impl DocumentMode {
    /// The newest mode.
    pub const EDGE: Self = Self(11);
    /// All modes, oldest first.
    pub const ALL: [Self; 6] = [Self(5), Self(7), Self(8), Self(9), Self(10), Self(11)];

    /// The mode a content value of `X-UA-Compatible` asks for; `has_doctype` decides for the
    /// emulating values. The first value that is known wins, unknown ones are skipped.
    pub fn from_compatible(content: &str, has_doctype: bool) -> Option<Self> {
        content.split([';', ',']).find_map(|part| {
            let part = part.trim();
            let wanted =
                part.split_once('=').filter(|(key, _)| key.trim().eq_ignore_ascii_case("ie"))?.1.trim();
            let lower = wanted.to_ascii_lowercase();
            if lower == "edge" {
                return Some(Self::EDGE);
            }
            let (digits, emulate) = match lower.strip_prefix("emulateie") {
                Some(rest) => (rest, true),
                None => (lower.as_str(), false),
            };
            let n: u8 = digits.split('.').next()?.parse().ok()?;
            if emulate && !has_doctype {
                return Some(Self(5));
            }
            Some(match n {
                0..=6 => Self(5),
                7 => Self(7),
                8 => Self(8),
                9 => Self(9),
                10 => Self(10),
                _ => Self::EDGE,
            })
        })
    }
}

/// Hides in a fresh realm what the mode's script engine did not have, and adds what only JScript had.
///
/// # Errors
/// The realm is out of memory.
pub fn apply<'js>(ctx: &Ctx<'js>, mode: DocumentMode) -> Result<()> {
    let hide: Function = engine::eval(ctx, include_str!("mode_surface.js"), "document mode")?;
    hide.call((i32::from(mode.0),))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::budget::Budget;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    fn in_mode(mode: DocumentMode, source: &str) -> String {
        let budget = Budget::new(Arc::new(AtomicBool::new(false)));
        engine::run(&budget, |ctx| {
            let realm = engine::new_realm(&ctx).unwrap();
            apply(&realm, mode).unwrap();
            let value: rquickjs::Result<rquickjs::Value> = engine::eval(&realm, source, "t");
            match crate::script::errors::caught(&realm, &budget, value) {
                Ok(value) => crate::script::value::text_of(&realm, &value),
                Err(failure) => format!("{failure:?}"),
            }
        })
        .unwrap()
    }

    #[test]
    fn built_ins_appear_with_their_mode() {
        for (source, first) in [
            ("typeof JSON", 8),
            ("typeof [].forEach", 9),
            ("typeof ''.trim", 9),
            ("typeof Object.keys", 9),
            ("typeof Date.now", 9),
            ("typeof Array.isArray", 9),
            ("typeof Function.prototype.bind", 9),
            ("typeof Uint8Array", 10),
            ("typeof Map", 11),
            ("typeof WeakMap", 11),
        ] {
            for mode in DocumentMode::ALL {
                let there = in_mode(mode, source) != "undefined";
                assert_eq!(there, mode.0 >= first, "{source} in mode {}", mode.0);
            }
        }
    }

    #[test]
    fn no_mode_has_what_came_after_ie() {
        for name in [
            "Symbol",
            "Proxy",
            "Reflect",
            "Promise",
            "BigInt",
            "globalThis",
            "WeakRef",
            "queueMicrotask",
            "Object.assign",
            "Object.entries",
            "Array.from",
            "[].find",
            "[].includes",
            "''.includes",
            "''.padStart",
            "Number.isInteger",
            "Math.trunc",
            "Iterator",
        ] {
            for mode in DocumentMode::ALL {
                assert_eq!(
                    in_mode(mode, &format!("typeof {name}")),
                    "undefined",
                    "{name} in mode {}",
                    mode.0
                );
            }
        }
    }

    #[test]
    fn the_language_still_works_in_every_mode() {
        let source = "var s = ''; for (var k in {a: 1, b: 2}) s += k; \
            s += [3, 1, 2].sort().concat([4]).join('') + 'xyx'.replace(/x/g, '-'); \
            s += (function () { return arguments.length }).apply(null, [1, 2]); \
            s + eval('1+1') + new Function('a', 'return a')(5) + escape('ä')";
        for mode in DocumentMode::ALL {
            assert_eq!(in_mode(mode, source), "ab1234-y-225%E4", "mode {}", mode.0);
        }
    }

    #[test]
    fn jscript_oddities_are_there() {
        assert_eq!(in_mode(DocumentMode(5), "new Date(2024, 1, 1).getYear()"), "2024");
        assert_eq!(in_mode(DocumentMode(11), "new Date(2024, 1, 1).getYear()"), "124");
        assert_eq!(in_mode(DocumentMode(8), "'abc'.substr(-1)"), "abc");
        assert_eq!(in_mode(DocumentMode(9), "'abc'.substr(-1)"), "c");
        assert_eq!(in_mode(DocumentMode(7), "parseInt('010')"), "8");
        assert_eq!(in_mode(DocumentMode(7), "try { null.x } catch (e) { typeof e.description }"), "string");
        assert_eq!(in_mode(DocumentMode(11), "/b(.)/.exec('abcd'); RegExp.$1"), "c");
        assert_eq!(in_mode(DocumentMode(11), "ScriptEngineMajorVersion()"), "11");
    }

    #[test]
    fn compatible_values_choose_the_mode() {
        for (content, doctype, mode) in [
            ("IE=edge", true, Some(11)),
            ("IE=8", false, Some(8)),
            ("IE=EmulateIE7", true, Some(7)),
            ("IE=EmulateIE7", false, Some(5)),
            ("ie=9; ie=8", true, Some(9)),
            ("IE=5", true, Some(5)),
            ("chrome=1", true, None),
            ("chrome=1,IE=10", true, Some(10)),
            ("IE=banana", true, None),
        ] {
            assert_eq!(DocumentMode::from_compatible(content, doctype).map(|mode| mode.0), mode, "{content}");
        }
    }
}
