//! What a document mode hides of the language's built-in objects.
//!
//! Owns: the surface of a fresh realm before bindings and page see it. Does
//! not own: DOM members (each binding table names its first and last mode). The lists name what
//! stays, so that a newer engine hides its additions by default (`reference/emulator.md` section 6).

use super::engine;
use crate::dom::Mode;
use rquickjs::function::This;
use rquickjs::{Ctx, Function, Result};

/// Hides in a fresh realm what the mode's script engine did not have, and adds what only JScript had.
///
/// # Errors
/// The realm is out of memory.
pub fn apply<'js>(ctx: &Ctx<'js>, mode: Mode) -> Result<()> {
    let hide: Function = engine::eval(ctx, include_str!("mode_surface.js"), "document mode")?;
    hide.call((mode.number(),))
}

/// Puts the session's clock behind `Date`, and gives dates and numbers IE's texts
/// (`reference/emulator.md` section 6.3).
///
/// # Errors
/// The realm is out of memory.
pub fn set_clock<'js>(ctx: &Ctx<'js>, mode: Mode, now: impl Fn() -> f64 + 'js) -> Result<()> {
    let set: Function = engine::eval(ctx, include_str!("jscript.js"), "JScript")?;
    let now = Function::new(ctx.clone(), now)?;
    set.call((This(ctx.globals()), mode.number(), now))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::budget::Budget;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    fn in_mode(mode: Mode, source: &str) -> String {
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
            for mode in Mode::ALL {
                let there = in_mode(mode, source) != "undefined";
                assert_eq!(there, mode.number() >= first, "{source} in mode {}", mode.number());
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
            for mode in Mode::ALL {
                assert_eq!(
                    in_mode(mode, &format!("typeof {name}")),
                    "undefined",
                    "{name} in mode {}",
                    mode.number()
                );
            }
        }
    }

    #[test]
    fn dates_follow_the_clock_and_are_written_as_ie_does() {
        let budget = Budget::new(Arc::new(AtomicBool::new(false)));
        engine::run(&budget, |ctx| {
            for (mode, cases) in [
                (
                    Mode::Ie5,
                    [
                        ("new Date().getTime() + typeof Date.now", "1700000000000undefined"),
                        ("(1234567.5).toLocaleString()", "1,234,567.50"),
                        ("new Date(2024, 0, 5, 7, 8, 9).toString().substring(0, 22)", "Fri Jan 5 07:08:09 UTC"),
                        ("new Date('x') + ''", "NaN"),
                    ],
                ),
                (
                    Mode::Ie11,
                    [
                        ("Date.now() - new Date()", "0"),
                        ("(1234567.5).toLocaleString() + (-1000).toLocaleString()", "1,234,567.5-1,000"),
                        ("new Date(2024, 0, 5, 7, 8, 9).toLocaleString()", "2024年1月5日 7:08:09"),
                        ("(new Date() instanceof Date) + typeof Date() + new Date(0).constructor.UTC(1970, 0)", "truestring0"),
                    ],
                ),
            ] {
                let realm = engine::new_realm(&ctx).unwrap();
                apply(&realm, mode).unwrap();
                set_clock(&realm, mode, || 1_700_000_000_000.0).unwrap();
                for (source, expected) in cases {
                    let value: rquickjs::Result<rquickjs::Value> = engine::eval(&realm, source, "t");
                    let value = crate::script::errors::caught(&realm, &budget, value).unwrap();
                    assert_eq!(crate::script::value::text_of(&realm, &value).trim_end(), expected, "{source}");
                }
            }
        })
        .unwrap();
    }

    #[test]
    fn the_language_still_works_in_every_mode() {
        let source = "var s = ''; for (var k in {a: 1, b: 2}) s += k; \
            s += [3, 1, 2].sort().concat([4]).join('') + 'xyx'.replace(/x/g, '-'); \
            s += (function () { return arguments.length }).apply(null, [1, 2]); \
            s + eval('1+1') + new Function('a', 'return a')(5) + escape('ä')";
        for mode in Mode::ALL {
            assert_eq!(in_mode(mode, source), "ab1234-y-225%E4", "mode {}", mode.number());
        }
    }

    #[test]
    fn jscript_oddities_are_there() {
        assert_eq!(in_mode(Mode::Ie5, "new Date(2024, 1, 1).getYear()"), "2024");
        assert_eq!(in_mode(Mode::Ie11, "new Date(2024, 1, 1).getYear()"), "124");
        assert_eq!(in_mode(Mode::Ie8, "'abc'.substr(-1)"), "abc");
        assert_eq!(in_mode(Mode::Ie9, "'abc'.substr(-1)"), "c");
        assert_eq!(in_mode(Mode::Ie7, "parseInt('010')"), "8");
        assert_eq!(in_mode(Mode::Ie7, "try { null.x } catch (e) { typeof e.description }"), "string");
        assert_eq!(in_mode(Mode::Ie11, "/b(.)/.exec('abcd'); RegExp.$1"), "c");
        assert_eq!(in_mode(Mode::Ie11, "ScriptEngineMajorVersion()"), "11");
    }
}
