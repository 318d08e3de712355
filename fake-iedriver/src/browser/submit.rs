//! Submitting and resetting forms.
//!
//! Owns: the `submit` and `reset` events and where the request goes. Does not own: what is sent
//! (`dom::Submission`), the load.

use super::host::{Host, Navigation, Page, Spot};
use super::windows;
use crate::dom::NodeId;
use crate::script::event::{self, Event};
use rquickjs::Ctx;
use std::rc::Rc;

/// Submits as a person does: with the `submit` event.
pub fn request(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, form: NodeId, submitter: Option<NodeId>) {
    let submit = Event { bubbles: page.mode.number() >= 9, ..Event::bubbling("submit") };
    if !event::dispatch(host, ctx, page, Spot::Node(form), &submit).prevented {
        send(host, page, form, submitter);
    }
}

/// Submits without event, as `form.submit()` does.
pub fn send(host: &Rc<Host>, page: &Rc<Page>, form: NodeId, submitter: Option<NodeId>) {
    let submission =
        page.document.borrow().submission(form, submitter, (1, 1), |path| std::fs::read(path).ok());
    let post = submission.post.then_some((submission.body, submission.content_type));
    let frame = windows::target(host, page.frame, &submission.target);
    host.navigations.borrow_mut().push_back(Navigation {
        frame,
        url: submission.url,
        post,
        entry: true,
        from: Some(page.id),
    });
}

/// Resets with the `reset` event.
pub fn reset(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, form: NodeId) {
    let reset = Event { bubbles: page.mode.number() >= 9, ..Event::bubbling("reset") };
    if !event::dispatch(host, ctx, page, Spot::Node(form), &reset).prevented {
        page.document.borrow_mut().reset_form(form);
    }
}

/// Enter in a field: the form's first submit button is pressed; without one a form with a single
/// field is submitted.
pub fn implicit(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, field: NodeId) {
    let (form, button, fields) = {
        let document = page.document.borrow();
        let Some(form) = document.form_owner(field) else { return };
        let controls = document.form_controls(form);
        let all: Vec<NodeId> =
            document.descendant_elements(form).filter(|&id| document.is_control(id)).collect();
        let button = all
            .iter()
            .copied()
            .find(|&id| matches!(document.control_type(id), "submit" | "image") && !document.is(id, "form"));
        let fields =
            controls.iter().filter(|&&id| document.is_text_control(id) && document.is(id, "input")).count();
        (form, button, fields)
    };
    match button {
        Some(button) => super::act::click(host, ctx, page, button),
        None if fields <= 1 => request(host, ctx, page, form, None),
        None => {}
    }
}
