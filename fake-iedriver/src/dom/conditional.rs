//! Conditional comments, which document modes 5 to 9 read.
//!
//! Owns: `<!--[if IE]>…<![endif]-->` and `<![if !IE]>…<![endif]>` in a page's text. Does not own: parsing.

use super::mode::Mode;

/// Resolves the conditional comments of a page; none if the mode does not read them or there are none.
pub fn resolve(html: &str, mode: Mode) -> Option<String> {
    if mode >= Mode::Ie10 || !html.contains("[if ") && !html.contains("[if(") {
        return None;
    }
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find("<!") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let hidden = rest.starts_with("<!--[if");
        let condition = if hidden || rest.starts_with("<![if") { rest.find("]>") } else { None };
        let Some(close) = condition else {
            // An ordinary comment is skipped whole: what it holds is no condition.
            let end =
                if rest.starts_with("<!--") { rest.find("-->").map_or(rest.len(), |end| end + 3) } else { 2 };
            out.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        };
        let front = if hidden { "<!--[if" } else { "<![if" };
        let holds = evaluate(&rest[front.len()..close], mode);
        let body = &rest[close + 2..];
        let (end, after) = match body.find("<![endif]") {
            Some(end) => {
                let tail = &body[end + "<![endif]".len()..];
                let length = tail.find('>').map_or(tail.len(), |close| close + 1);
                (end, &tail[length..])
            }
            None => (body.len(), ""),
        };
        // `<!--[if IE]><!-->…<!--<![endif]-->` is also shown by other browsers.
        let shown =
            body[..end].trim_start_matches("<!-->").trim_start_matches("-->").trim_end_matches("<!--");
        if holds {
            out.push_str(shown);
        }
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

/// `IE`, `!IE`, `lt IE 9`, `(gte IE 7)&(lt IE 9)`; what is not understood does not hold.
fn evaluate(text: &str, mode: Mode) -> bool {
    let text = text.trim();
    if let Some((left, right)) = outside(text, '|') {
        return evaluate(left, mode) || evaluate(right, mode);
    }
    if let Some((left, right)) = outside(text, '&') {
        return evaluate(left, mode) && evaluate(right, mode);
    }
    if let Some(inner) = text.strip_prefix('!') {
        return !evaluate(inner, mode);
    }
    if let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        return evaluate(inner, mode);
    }
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let own = f64::from(mode.number());
    let version = |text: &&str| text.parse::<f64>().ok();
    match words.as_slice() {
        ["IE"] | ["true"] => true,
        ["IE", number] => version(number).is_some_and(|number| own == number.trunc()),
        ["lt", "IE", number] => version(number).is_some_and(|number| own < number),
        ["lte", "IE", number] => version(number).is_some_and(|number| own <= number),
        ["gt", "IE", number] => version(number).is_some_and(|number| own > number),
        ["gte", "IE", number] => version(number).is_some_and(|number| own >= number),
        _ => false,
    }
}

fn outside(text: &str, sign: char) -> Option<(&str, &str)> {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            letter if letter == sign && depth == 0 => return Some((&text[..at], &text[at + 1..])),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_hold_by_document_mode() {
        let page = "a<!--[if lt IE 9]>old<![endif]-->b<![if !IE]>other<![endif]>c<!--[if (gte IE 8)&(!IE 9)]>eight<![endif]-->\
                    <!--[if IE]><!-->any<!--<![endif]-->d<!-- [if IE] -->";
        assert_eq!(resolve(page, Mode::Ie7).unwrap(), "aoldbcanyd<!-- [if IE] -->");
        assert_eq!(resolve(page, Mode::Ie8).unwrap(), "aoldbceightanyd<!-- [if IE] -->");
        assert_eq!(resolve(page, Mode::Ie9).unwrap(), "abcanyd<!-- [if IE] -->");
        assert_eq!(resolve(page, Mode::Ie10), None);
        assert_eq!(resolve("<!--[if IE]>open", Mode::Ie8).unwrap(), "open");
    }
}
