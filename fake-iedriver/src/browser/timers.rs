//! `setTimeout`, `setInterval` and what else waits for the clock.
//!
//! Owns: running what is due. Does not own: the clock (`session::port`).

use super::host::{Host, Navigation, Task};
use crate::script::{interfaces, run};
use rquickjs::{Ctx, Value};
use std::rc::Rc;

/// Timers run at one tick; a page that sets timers without end must not hold up the session.
const MOST_AT_ONCE: usize = 1_000;

/// Runs every timer that is due, oldest first. True if one ran.
pub fn run_due(host: &Rc<Host>, ctx: &Ctx<'_>) -> bool {
    let now = host.port.now();
    let mut ran = false;
    for _ in 0..MOST_AT_ONCE {
        let next = {
            let timers = host.timers.borrow();
            timers
                .iter()
                .filter(|timer| timer.due <= now)
                .min_by_key(|timer| (timer.due, timer.id))
                .map(|t| t.id)
        };
        let Some(id) = next else { break };
        ran = true;
        let task = {
            let mut timers = host.timers.borrow_mut();
            let Some(place) = timers.iter().position(|timer| timer.id == id) else { break };
            match timers[place].every {
                Some(every) => {
                    timers[place].due = now + every.max(1);
                    Some((timers[place].page, timers[place].task.clone()))
                }
                None => {
                    let timer = timers.remove(place);
                    Some((timer.page, timer.task))
                }
            }
        };
        let Some((page, task)) = task.and_then(|(page, task)| Some((host.page(page)?, task))) else {
            continue;
        };
        let result = match task {
            Task::Call(function) => {
                let this = page.global.clone().restore(ctx).map(rquickjs::Object::into_value);
                let this = this.unwrap_or_else(|_| Value::new_undefined(ctx.clone()));
                run::call(host, ctx, &page, &function, this, &[]).map(drop)
            }
            Task::Source(text) => run::source(host, ctx, &page, &text, "timer").map(drop),
            Task::Request(id) => {
                interfaces::finish_request(host, ctx, &page, id);
                Ok(())
            }
            Task::Navigate(url) => {
                let navigation =
                    Navigation { frame: page.frame, url, post: None, entry: true, from: Some(page.id) };
                host.navigations.borrow_mut().push_back(navigation);
                Ok(())
            }
        };
        if let Err(failure) = result {
            run::report(host, ctx, &page, failure);
        }
        // A navigation ends the page's turn: its other timers may die with it.
        if !host.navigations.borrow().is_empty() {
            break;
        }
    }
    ran
}
