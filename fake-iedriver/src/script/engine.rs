//! The one outermost engine entry of a session and the realms made inside it.
//!
//! Owns: runtime limits, [`Engine::run`], [`new_realm`]. Does not own: what a realm contains.
//! `Context::with` panics when nested (`reference/emulator.md` section 4.3), so it is called once
//! per session and everything inside works on `Ctx`.

use super::budget::Budget;
use rquickjs::context::EvalOptions;
use rquickjs::{Context, Ctx, Exception, FromJs, Result, Runtime, qjs};
use std::ptr::NonNull;

/// Bytes a session's scripts may hold.
pub const MEMORY_LIMIT: usize = 256 << 20;

/// Bytes of native stack a script may use; the session thread has [`THREAD_STACK`].
const SCRIPT_STACK: usize = 1 << 20;

/// Stack of the session thread: native functions calling native ones are not covered by the
/// engine's own check.
pub const THREAD_STACK: usize = 16 << 20;

/// Runs `body` inside the session's only engine entry. Everything `body` saved as `Persistent` must
/// be dropped when it returns.
///
/// # Errors
/// The engine could not be created (out of memory).
pub fn run<R>(budget: &Budget, body: impl for<'js> FnOnce(Ctx<'js>) -> R) -> Result<R> {
    let runtime = Runtime::new()?;
    runtime.set_memory_limit(MEMORY_LIMIT);
    runtime.set_max_stack_size(SCRIPT_STACK);
    let poll = budget.clone();
    runtime.set_interrupt_handler(Some(Box::new(move || poll.poll())));
    let context = Context::full(&runtime)?;
    Ok(context.with(body))
}

/// A realm in the runtime which the outermost entry has locked.
///
/// # Errors
/// Out of memory.
#[allow(unsafe_code, reason = "rquickjs makes realms only outside of Context::with, which cannot nest")]
pub fn new_realm<'js>(ctx: &Ctx<'js>) -> Result<Ctx<'js>> {
    // SAFETY: `ctx` proves that this thread holds the runtime; the raw context is fresh, `from_raw`
    // takes a reference of its own and ours is given back.
    unsafe {
        let raw = qjs::JS_NewContext(qjs::JS_GetRuntime(ctx.as_raw().as_ptr()));
        let Some(pointer) = NonNull::new(raw) else {
            return Err(Exception::throw_message(ctx, "out of memory"));
        };
        let realm = Ctx::from_raw(pointer);
        qjs::JS_FreeContext(raw);
        Ok(realm)
    }
}

/// Evaluates a classic script in the realm, sloppy mode; `name` stands in stack traces.
///
/// # Errors
/// The script's exception.
pub fn eval<'js, V: FromJs<'js>>(ctx: &Ctx<'js>, source: &str, name: &str) -> Result<V> {
    let mut options = EvalOptions::default();
    options.strict = false;
    options.filename = Some(name.to_owned());
    // A NUL byte ends the engine's input with an error of its own.
    if source.contains('\0') {
        return ctx.eval_with_options(source.replace('\0', ""), options);
    }
    ctx.eval_with_options(source, options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::errors::{self, Failure};
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    fn budget() -> Budget {
        Budget::new(Arc::new(AtomicBool::new(false)))
    }

    #[test]
    fn realms_share_values_but_not_globals() {
        run(&budget(), |ctx| {
            let (a, b) = (new_realm(&ctx).unwrap(), new_realm(&ctx).unwrap());
            let shared: rquickjs::Object = eval(&a, "var only = 1; ({n: 7})", "a").unwrap();
            b.globals().set("shared", shared).unwrap();
            assert_eq!(eval::<i32>(&b, "shared.n", "b").unwrap(), 7);
            assert_eq!(eval::<String>(&b, "typeof only", "b").unwrap(), "undefined");
            assert!(!eval::<bool>(&b, "shared instanceof Object", "b").unwrap());
        })
        .unwrap();
    }

    #[test]
    fn an_endless_loop_stops_at_the_same_round_and_the_engine_goes_on() {
        let round = |()| {
            let budget = budget();
            run(&budget, |ctx| {
                budget.grant(Some(100));
                let stopped: Result<()> =
                    eval(&ctx, "var i = 0; try { while (true) i++ } catch (e) { i = -1 }", "loop");
                assert!(matches!(errors::caught(&ctx, &budget, stopped), Err(Failure::TimedOut)));
                budget.grant(Some(100));
                eval::<f64>(&ctx, "i", "after").unwrap()
            })
            .unwrap()
        };
        let first = round(());
        assert!(first > 0.0);
        assert_eq!(first, round(()));
    }

    #[test]
    fn sloppy_scripts_of_old_pages_run() {
        run(&budget(), |ctx| {
            let n: i32 =
                eval(&ctx, "x = 1; with ({y: 2}) { z = x + y } function f(a) { return arguments.callee === f }; f() ? z : 0", "old")
                    .unwrap();
            assert_eq!(n, 3);
            assert_eq!(eval::<i32>(&ctx, "1\0+1", "nul").unwrap(), 2);
        })
        .unwrap();
    }

    #[test]
    fn runaway_recursion_is_an_exception() {
        run(&budget(), |ctx| {
            let text: String =
                eval(&ctx, "function f() { f() } try { f(); 'none' } catch (e) { 'caught' }", "deep")
                    .unwrap();
            assert_eq!(text, "caught");
        })
        .unwrap();
    }
}
