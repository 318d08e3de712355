//! The one table of driver commands.
//!
//! Owns: method, path, names and class of every command IEDriverServer routes
//! (`reference/iedriver-wire.md` section 3, which lists what the driver has, not what the W3C text
//! lists). Router, recorder, replayer and documentation derive from it. Does not own: what a command
//! does.

/// What a command does to the world, seen from a recording (`replay.md` section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Changes the page, the browser or the session: matched strictly, written at most once.
    Effect,
    /// Changes only which window, frame or limit later commands mean.
    Cursor,
    /// Reads. May be asked again.
    Question,
}

/// One row of the table.
#[derive(Debug, PartialEq, Eq)]
pub struct Command {
    /// Name used in recordings and logs: the W3C WebDriver command name in camel case.
    pub name: &'static str,
    /// Literal of the driver's own `command_types.h`, as its DEBUG log shows it.
    pub driver_name: &'static str,
    /// HTTP method.
    pub method: &'static str,
    /// Path template; a piece in braces is a parameter. `{s}` is the session, `{e}` the element.
    pub path: &'static str,
    /// What it does to the world. Scripts are effects unless their marker says they are pure.
    pub class: Class,
    /// False for the rows the driver routes without having a handler (section 3.3).
    pub implemented: bool,
    /// True if the driver runs it while a dialog is open (section 5.1.5).
    pub passes_dialog: bool,
}

const fn row(
    method: &'static str,
    path: &'static str,
    name: &'static str,
    driver_name: &'static str,
    class: Class,
) -> Command {
    Command { name, driver_name, method, path, class, implemented: true, passes_dialog: false }
}

const fn unhandled(method: &'static str, path: &'static str, name: &'static str) -> Command {
    Command {
        name,
        driver_name: name,
        method,
        path,
        class: Class::Question,
        implemented: false,
        passes_dialog: false,
    }
}

impl Command {
    const fn despite_dialog(mut self) -> Self {
        self.passes_dialog = true;
        self
    }

    /// The path template cut at `/`, without the leading empty piece.
    pub fn pieces(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').skip(1)
    }

    /// Fills the template with parameter values, percent-encoding each.
    ///
    /// # Errors
    /// Names the parameter that `value_of` does not know.
    pub fn fill(&self, mut value_of: impl FnMut(&str) -> Option<String>) -> Result<String, &'static str> {
        let mut path = String::new();
        for piece in self.pieces() {
            path.push('/');
            match parameter(piece) {
                Some(name) => {
                    let value = value_of(name).ok_or(name)?;
                    path.extend(percent_encoding::utf8_percent_encode(&value, PATH_PIECE));
                }
                None => path.push_str(piece),
            }
        }
        Ok(path)
    }
}

/// Everything but unreserved characters is escaped in a path piece.
const PATH_PIECE: &percent_encoding::AsciiSet =
    &percent_encoding::NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The parameter name if the template piece is one.
pub fn parameter(piece: &'static str) -> Option<&'static str> {
    piece.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'))
}

use Class::{Cursor, Effect, Question};

/// All commands, in the order of `reference/iedriver-wire.md` section 3.
pub static COMMANDS: &[Command] = &[
    row("POST", "/session", "newSession", "newSession", Effect),
    row("DELETE", "/session/{s}", "deleteSession", "quit", Effect).despite_dialog(),
    row("GET", "/session/{s}", "getSessionCapabilities", "getSessionCapabilities", Question),
    row("GET", "/sessions", "getSessions", "getSessionList", Question),
    row("GET", "/status", "status", "status", Question),
    row("GET", "/session/{s}/timeouts", "getTimeouts", "getTimeouts", Question).despite_dialog(),
    row("POST", "/session/{s}/timeouts", "setTimeouts", "setTimeouts", Cursor).despite_dialog(),
    row("GET", "/session/{s}/url", "getCurrentUrl", "getCurrentUrl", Question),
    row("POST", "/session/{s}/url", "navigateTo", "get", Effect),
    row("POST", "/session/{s}/back", "back", "goBack", Effect),
    row("POST", "/session/{s}/forward", "forward", "goForward", Effect),
    row("POST", "/session/{s}/refresh", "refresh", "refresh", Effect),
    row("GET", "/session/{s}/title", "getTitle", "getTitle", Question),
    row("GET", "/session/{s}/source", "getPageSource", "getPageSource", Question),
    row("GET", "/session/{s}/window", "getWindowHandle", "getWindowHandle", Question).despite_dialog(),
    row("POST", "/session/{s}/window", "switchToWindow", "switchToWindow", Cursor).despite_dialog(),
    row("DELETE", "/session/{s}/window", "closeWindow", "closeWindow", Effect),
    row("GET", "/session/{s}/window/handles", "getWindowHandles", "getWindowHandles", Question)
        .despite_dialog(),
    row("POST", "/session/{s}/window/new", "newWindow", "newWindow", Effect),
    row("GET", "/session/{s}/window/rect", "getWindowRect", "getWindowRect", Question),
    row("POST", "/session/{s}/window/rect", "setWindowRect", "setWindowRect", Effect),
    row("POST", "/session/{s}/window/maximize", "maximizeWindow", "maximizeWindow", Effect),
    row("POST", "/session/{s}/window/minimize", "minimizeWindow", "minimizeWindow", Effect),
    row("POST", "/session/{s}/window/fullscreen", "fullscreenWindow", "fullscreenWindow", Effect),
    row("POST", "/session/{s}/frame", "switchToFrame", "switchToFrame", Cursor),
    row("POST", "/session/{s}/frame/parent", "switchToParentFrame", "switchToParentFrame", Cursor),
    row("GET", "/session/{s}/element/active", "getActiveElement", "getActiveElement", Question),
    row("POST", "/session/{s}/element", "findElement", "findElement", Question),
    row("POST", "/session/{s}/elements", "findElements", "findElements", Question),
    row("POST", "/session/{s}/element/{e}/element", "findElementFromElement", "findChildElement", Question),
    row(
        "POST",
        "/session/{s}/element/{e}/elements",
        "findElementsFromElement",
        "findChildElements",
        Question,
    ),
    row(
        "GET",
        "/session/{s}/element/{e}/attribute/{name}",
        "getElementAttribute",
        "getElementAttribute",
        Question,
    ),
    row(
        "GET",
        "/session/{s}/element/{e}/property/{name}",
        "getElementProperty",
        "getElementProperty",
        Question,
    ),
    row(
        "GET",
        "/session/{s}/element/{e}/css/{propertyName}",
        "getElementCssValue",
        "getValueOfCssProperty",
        Question,
    ),
    row("GET", "/session/{s}/element/{e}/text", "getElementText", "getElementText", Question),
    row("GET", "/session/{s}/element/{e}/name", "getElementTagName", "getElementTagName", Question),
    row("GET", "/session/{s}/element/{e}/rect", "getElementRect", "getElementRect", Question),
    row("GET", "/session/{s}/element/{e}/selected", "isElementSelected", "isSelected", Question),
    row("GET", "/session/{s}/element/{e}/enabled", "isElementEnabled", "isEnabled", Question),
    row("GET", "/session/{s}/element/{e}/displayed", "isElementDisplayed", "isDisplayed", Question),
    row("GET", "/session/{s}/element/{e}/equals/{other}", "elementEquals", "elementEquals", Question),
    row("POST", "/session/{s}/element/{e}/click", "elementClick", "click", Effect),
    row("POST", "/session/{s}/element/{e}/clear", "elementClear", "clear", Effect),
    row("POST", "/session/{s}/element/{e}/value", "elementSendKeys", "sendKeys", Effect),
    row("POST", "/session/{s}/execute/sync", "executeScript", "executeScript", Effect),
    row("POST", "/session/{s}/execute/async", "executeAsyncScript", "executeAsyncScript", Effect),
    row("GET", "/session/{s}/cookie", "getAllCookies", "getAllCookies", Question),
    row("POST", "/session/{s}/cookie", "addCookie", "addCookie", Effect),
    row("DELETE", "/session/{s}/cookie", "deleteAllCookies", "deleteAllCookies", Effect),
    row("GET", "/session/{s}/cookie/{name}", "getNamedCookie", "getNamedCookie", Question),
    row("DELETE", "/session/{s}/cookie/{name}", "deleteCookie", "deleteNamedCookie", Effect),
    row("POST", "/session/{s}/actions", "performActions", "performActions", Effect),
    row("DELETE", "/session/{s}/actions", "releaseActions", "releaseActions", Effect),
    row("POST", "/session/{s}/alert/dismiss", "dismissAlert", "dismiss", Effect).despite_dialog(),
    row("POST", "/session/{s}/alert/accept", "acceptAlert", "accept", Effect).despite_dialog(),
    row("GET", "/session/{s}/alert/text", "getAlertText", "getAlertText", Question).despite_dialog(),
    row("POST", "/session/{s}/alert/text", "sendAlertText", "sendKeysToAlert", Effect).despite_dialog(),
    row("POST", "/session/{s}/alert/credentials", "setAlertCredentials", "setAlertCredentials", Effect)
        .despite_dialog(),
    row("GET", "/session/{s}/screenshot", "takeScreenshot", "takeScreenshot", Question).despite_dialog(),
    row(
        "GET",
        "/session/{s}/element/{e}/screenshot",
        "takeElementScreenshot",
        "takeElementScreenshot",
        Question,
    )
    .despite_dialog(),
    unhandled("GET", "/session/{s}/ime/available_engines", "listAvailableImeEngines"),
    unhandled("GET", "/session/{s}/ime/active_engines", "getActiveImeEngine"),
    unhandled("GET", "/session/{s}/ime/activated", "isImeActivated"),
    unhandled("POST", "/session/{s}/ime/activate", "activateImeEngine"),
    unhandled("POST", "/session/{s}/ime/deactivate", "deactivateImeEngine"),
    unhandled("POST", "/session/{s}/ie/script/background", "executeBackgroundScript"),
];

/// The row with this recording name.
pub fn by_name(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

/// What a method and a decoded path mean to the driver.
#[derive(Debug, PartialEq, Eq)]
pub enum Route {
    /// A row of the table with the values of its parameters, in order.
    Command(&'static Command, Vec<(&'static str, String)>),
    /// The path is known, the method is not; the accepted methods, sorted.
    WrongMethod(Vec<&'static str>),
    /// No such path.
    Unknown,
}

/// Finds the route as `uri_info.cc` does: equal number of pieces, literal pieces equal and
/// case-sensitive, a parameter takes anything (the empty text too), but an element id is never
/// `active`.
pub fn route(method: &str, decoded_path: &str) -> Route {
    let pieces: Vec<&str> = decoded_path.split('/').skip(1).collect();
    let mut verbs = Vec::new();
    for command in COMMANDS {
        let Some(params) = matches(command, &pieces) else { continue };
        if command.method == method {
            return Route::Command(command, params);
        }
        verbs.push(command.method);
    }
    verbs.sort_unstable();
    verbs.dedup();
    if verbs.is_empty() { Route::Unknown } else { Route::WrongMethod(verbs) }
}

fn matches(command: &'static Command, pieces: &[&str]) -> Option<Vec<(&'static str, String)>> {
    if command.pieces().count() != pieces.len() {
        return None;
    }
    let mut params = Vec::new();
    for (template, piece) in command.pieces().zip(pieces) {
        match parameter(template) {
            Some("e") if *piece == "active" => return None,
            Some(name) => params.push((name, (*piece).to_owned())),
            None if template == *piece => {}
            None => return None,
        }
    }
    Some(params)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for (n, a) in COMMANDS.iter().enumerate() {
            for b in &COMMANDS[n + 1..] {
                assert_ne!(a.name, b.name);
                assert_ne!((a.method, a.path), (b.method, b.path));
            }
        }
    }

    #[test]
    fn active_element_is_not_an_element_id() {
        let Route::Command(command, _) = route("GET", "/session/1/element/active") else {
            panic!("not routed")
        };
        assert_eq!(command.name, "getActiveElement");
        assert_eq!(route("POST", "/session/1/element/active/click"), Route::Unknown);
    }

    #[test]
    fn wrong_verbs_are_listed_in_order() {
        assert_eq!(route("PUT", "/session/1/window"), Route::WrongMethod(vec!["DELETE", "GET", "POST"]));
        assert_eq!(route("GET", "/status/"), Route::Unknown);
    }

    #[test]
    fn templates_fill_with_escapes() {
        let command = by_name("getElementAttribute").expect("row");
        let path = command.fill(|name| Some(if name == "name" { "a/b".into() } else { name.into() }));
        assert_eq!(path.as_deref(), Ok("/session/s/element/e/attribute/a%2Fb"));
    }
}
