//! Which searches find the same node whatever the page.
//!
//! Owns: simple locators by one attribute, in the ways clients write them. Does not own: searching.

/// Attribute and value of a locator that is nothing but one; none of anything else.
pub(super) fn simple(using: &str, value: &str) -> Option<(&'static str, String)> {
    match using {
        "css selector" => css(value.trim()),
        "xpath" => xpath(value.trim()),
        _ => None,
    }
}

fn css(text: &str) -> Option<(&'static str, String)> {
    let text = text.strip_prefix('*').unwrap_or(text);
    if let Some(id) = text.strip_prefix('#') {
        return is_word(id).then(|| ("id", id.to_owned()));
    }
    attribute(text.strip_prefix('[')?.strip_suffix(']')?)
}

fn xpath(text: &str) -> Option<(&'static str, String)> {
    attribute(text.strip_prefix("//*[@")?.strip_suffix(']')?)
}

/// `id="x"` or `name='x'`.
fn attribute(text: &str) -> Option<(&'static str, String)> {
    let (name, quoted) = text.split_once('=')?;
    let name = ["id", "name"].into_iter().find(|known| *known == name.trim())?;
    let quoted = quoted.trim();
    let mut inner = quoted.chars();
    let (first, last) = (inner.next()?, inner.next_back()?);
    let inner = inner.as_str();
    (matches!(first, '"' | '\'') && first == last && !inner.contains([first, '\\']))
        .then(|| (name, inner.to_owned()))
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
}

#[cfg(test)]
mod tests {
    use super::simple;

    #[test]
    fn one_attribute_is_the_same_in_css_and_xpath_and_more_than_that_is_not() {
        let id = Some(("id", "amount".to_owned()));
        for (using, value) in [
            ("css selector", "#amount"),
            ("css selector", "*[id='amount']"),
            ("css selector", "[id=\"amount\"]"),
            ("xpath", "//*[@id='amount']"),
        ] {
            assert_eq!(simple(using, value), id, "{value}");
        }
        assert_eq!(simple("css selector", "[name=\"q\"]"), Some(("name", "q".to_owned())));
        for (using, value) in [
            ("css selector", "#a b"),
            ("css selector", "input[id='amount']"),
            ("xpath", "//*[@id='a' or @id='b']"),
            ("link text", "amount"),
            ("css selector", "['"),
        ] {
            assert_eq!(simple(using, value), None, "{value}");
        }
    }
}
