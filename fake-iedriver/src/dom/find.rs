//! Element location as the driver does it.
//!
//! Owns: the five strategies and the texts of their errors (`reference/iedriver-wire.md` section 6). Does not
//! own: waiting, references.

use super::css::Selector;
use super::document::Document;
use super::mode::Mode;
use super::node::NodeId;
use super::xpath::{XPathValue, evaluate};

/// Strategies the driver accepts; `id`, `name` and `class name` are not among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// `css selector`
    Css,
    /// `tag name`
    TagName,
    /// `link text`
    LinkText,
    /// `partial link text`
    PartialLinkText,
    /// `xpath`
    XPath,
}

impl Strategy {
    /// The strategy of a `using` value.
    pub fn from_wire(using: &str) -> Option<Self> {
        Some(match using {
            "css selector" => Self::Css,
            "tag name" => Self::TagName,
            "link text" => Self::LinkText,
            "partial link text" => Self::PartialLinkText,
            "xpath" => Self::XPath,
            _ => return None,
        })
    }
}

/// `invalid selector` with the driver's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidSelector(pub String);

impl std::fmt::Display for InvalidSelector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidSelector {}

impl Document {
    /// All elements a strategy finds below `within`, in document order.
    ///
    /// # Errors
    /// [`InvalidSelector`]. In modes 5 and 7, where the driver brings a selector library of its own, an
    /// invalid CSS selector finds nothing instead (section 6.4).
    pub fn find(
        &self,
        within: NodeId,
        strategy: Strategy,
        value: &str,
    ) -> Result<Vec<NodeId>, InvalidSelector> {
        match strategy {
            Strategy::Css => {
                if value.trim().is_empty() {
                    return Err(InvalidSelector("No selector specified".into()));
                }
                let library = self.mode <= Mode::Ie7;
                let mode = if library { Mode::Ie11 } else { self.mode };
                match Selector::parse(value, mode) {
                    Some(selector) => Ok(selector.select(self, within)),
                    None if library => Ok(Vec::new()),
                    None => Err(InvalidSelector("An invalid or illegal selector was specified".into())),
                }
            }
            Strategy::TagName => {
                if value.is_empty() {
                    let text = "Unable to locate an element with the tagName \"\"";
                    return Err(InvalidSelector(text.into()));
                }
                let any = value == "*";
                Ok(self
                    .descendant_elements(within)
                    .filter(|&id| any || self.name(id).eq_ignore_ascii_case(value))
                    .collect())
            }
            Strategy::LinkText | Strategy::PartialLinkText => {
                let wanted = value.trim();
                Ok(self
                    .descendant_elements(within)
                    .filter(|&id| self.is(id, "a"))
                    .filter(|&id| {
                        let text = self.rendered_text(id);
                        match strategy {
                            Strategy::LinkText => text == wanted,
                            _ => text.contains(wanted),
                        }
                    })
                    .collect())
            }
            Strategy::XPath => self.find_xpath(within, value),
        }
    }

    fn find_xpath(&self, within: NodeId, value: &str) -> Result<Vec<NodeId>, InvalidSelector> {
        let wrong = |what: &str| {
            let text = format!(
                "The result of the xpath expression \"{value}\" is: {what}. It should be an element."
            );
            InvalidSelector(text)
        };
        let result = evaluate(self, value, within).map_err(|error| {
            InvalidSelector(format!(
                "Unable to locate an element with the xpath expression {value} because of the following error:\n{error}"
            ))
        })?;
        match result {
            XPathValue::Nodes(nodes) => nodes
                .into_iter()
                .map(|(id, attribute)| match attribute {
                    Some(_) => Err(wrong("[object Attr]")),
                    None if self.element(id).is_some() => Ok(id),
                    None if id == self.root() => Err(wrong("[object Document]")),
                    None => Err(wrong("[object Text]")),
                })
                .collect(),
            XPathValue::Boolean(_) | XPathValue::Number(_) | XPathValue::Text(_) => {
                Err(InvalidSelector(format!(
                    "Unable to locate an element with the xpath expression {value} because of the following error:\nTypeError: the expression does not give nodes"
                )))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(mode: Mode, strategy: &str, value: &str, expected: &str) {
        let mut document = Document::parse(
            "http://h.test/",
            "<!doctype html><body><p id=p>x<a id=a href=1> 検索  する </a><a id=b href=2>Menu <b>1</b></a>\
             <a id=h href=3 style='display:none'>Menu 2</a>",
        );
        document.mode = mode;
        let strategy = Strategy::from_wire(strategy).expect("strategy");
        let found = match document.find(document.root(), strategy, value) {
            Ok(ids) => {
                ids.iter().filter_map(|&id| document.attribute(id, "id")).collect::<Vec<_>>().join(" ")
            }
            Err(error) => error.0,
        };
        assert!(found == expected || !expected.is_empty() && found.starts_with(expected), "{value}: {found}");
    }

    #[test]
    fn strategies_find_and_fail_as_the_driver() {
        for (using, value, expected) in [
            ("css selector", "p > a", "a b h"),
            ("css selector", "a[[", "An invalid or illegal selector was specified"),
            ("css selector", "", "No selector specified"),
            ("tag name", "P", "p"),
            ("tag name", "", "Unable to locate an element with the tagName \"\""),
            ("link text", "検索 する", "a"),
            ("link text", "Menu 1", "b"),
            ("partial link text", "Menu", "b"),
            ("xpath", "//a[1]", "a"),
            ("xpath", "//a/@href", "The result of the xpath expression \"//a/@href\" is: [object Attr]."),
            ("xpath", "//a[", "Unable to locate an element with the xpath expression //a[ because"),
            ("xpath", "count(//a)", "Unable to locate an element with the xpath expression"),
        ] {
            check(Mode::Ie11, using, value, expected);
        }
        assert_eq!(Strategy::from_wire("id"), None);
    }

    #[test]
    fn c50_invalid_css_in_mode_7_finds_nothing() {
        check(Mode::Ie7, "css selector", "a[[", "");
        check(Mode::Ie7, "css selector", "a:nth-child(1)", "a");
        check(Mode::Ie8, "css selector", "a:nth-child(1)", "An invalid");
    }
}
