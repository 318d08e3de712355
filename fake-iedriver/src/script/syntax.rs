//! What a document mode's parser did not know.
//!
//! Owns: refusing newer syntax with IE's error, and the older parser's reading of `[1,]`. Does not
//! own: parsing; the engine does that with what is left (`reference/emulator.md` section 6.3). The
//! scan goes over tokens and knows brackets, not grammar: it refuses what cannot mean anything else
//! in old code.

use crate::dom::Mode;

/// A token of the scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    Number(&'a str),
    Text,
    Regex,
    Sign(&'a str),
}

/// Words after which a slash begins a regular expression.
const BEFORE_REGEX: &[&str] =
    &["return", "typeof", "case", "in", "of", "do", "else", "void", "delete", "throw", "new", "instanceof"];

/// Words that cannot be property names up to mode 8.
const RESERVED: &[&str] = &[
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "import",
    "in",
    "instanceof",
    "new",
    "null",
    "return",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
];

/// Signs longest first, as far as they matter here.
const SIGNS: &[&str] = &[
    ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=", "<=",
    ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>",
    "**",
];

/// Gives the text for the engine, changed where the mode's parser read it otherwise.
///
/// # Errors
/// IE's text for syntax the mode does not have.
pub fn check(text: &str, mode: Mode) -> Result<Option<String>, &'static str> {
    let tokens = scan(text)?;
    let mut extra = Vec::new();
    // What each open bracket is: the token before it, and for braces whether it is an object.
    let mut open: Vec<(&str, bool)> = Vec::new();
    for (n, &(at, token)) in tokens.iter().enumerate() {
        let before = n.checked_sub(1).map(|n| tokens[n].1);
        let after = tokens.get(n + 1).map(|&(_, token)| token);
        match token {
            Token::Sign("=>" | "..." | "**" | "**=" | "??" | "?." | "&&=" | "||=" | "??=") => {
                return Err("Syntax error");
            }
            Token::Sign(sign @ ("(" | "[" | "{")) => open.push((sign, sign == "{" && is_object(&tokens, n))),
            Token::Sign(")" | "]" | "}") => {
                let (bracket, object) = open.pop().unwrap_or(("", false));
                let comma = before == Some(Token::Sign(","));
                if comma && bracket == "[" && mode <= Mode::Ie8 && is_array(&tokens, n) {
                    // One more element than newer parsers see.
                    extra.push(at);
                }
                if comma && object && mode <= Mode::Ie7 {
                    return Err("Expected identifier, string or number");
                }
            }
            Token::Word(word) => {
                let member = before == Some(Token::Sign("."));
                let key = after == Some(Token::Sign(":"))
                    && open.last().is_some_and(|(_, object)| *object)
                    && matches!(before, Some(Token::Sign("{" | ",")));
                if (member || key) && mode <= Mode::Ie8 && RESERVED.contains(&word) {
                    return Err(if member {
                        "Expected identifier"
                    } else {
                        "Expected identifier, string or number"
                    });
                }
                if !member && !key {
                    refuse_word(&tokens, n, word, before, after, mode, open.last())?;
                }
            }
            Token::Number(number) if number.contains('_') || number.ends_with('n') => {
                return Err("Expected ';'");
            }
            Token::Number(number) if matches!(number.get(..2), Some("0b" | "0B" | "0o" | "0O")) => {
                return Err("Expected ';'");
            }
            _ => {}
        }
    }
    if extra.is_empty() {
        return Ok(None);
    }
    let mut changed = String::with_capacity(text.len() + extra.len());
    let mut from = 0;
    for at in extra {
        changed.push_str(&text[from..at]);
        changed.push(',');
        from = at;
    }
    changed.push_str(&text[from..]);
    Ok(Some(changed))
}

fn refuse_word(
    tokens: &[(usize, Token<'_>)],
    n: usize,
    word: &str,
    before: Option<Token<'_>>,
    after: Option<Token<'_>>,
    mode: Mode,
    open: Option<&(&str, bool)>,
) -> Result<(), &'static str> {
    let named = matches!(after, Some(Token::Word(_)));
    match word {
        "class" | "import" | "export" | "super" => Err("Syntax error"),
        // `async function`, `async x =>`; a variable of that name is followed by no word.
        "async" if after == Some(Token::Word("function")) => Err("Expected ';'"),
        "let" if mode < Mode::Ie11 && named => Err("Expected ';'"),
        "const" if mode < Mode::Ie11 => Err("Syntax error"),
        "let" | "const" | "var" if matches!(after, Some(Token::Sign("[" | "{"))) && word != "let" => {
            Err("Expected identifier")
        }
        "function" if after == Some(Token::Sign("*")) => Err("Expected '('"),
        "function" => parameters(tokens, n),
        "of" if matches!(before, Some(Token::Word(_)))
            && open.is_some_and(|(bracket, _)| *bracket == "(") =>
        {
            Err("Expected ';'")
        }
        // `catch {`
        "catch" if after == Some(Token::Sign("{")) => Err("Expected '('"),
        "get" | "set" if mode <= Mode::Ie8 && named && open.is_some_and(|(_, object)| *object) => {
            Err("Expected ':'")
        }
        _ => shorthand(before, after, open),
    }
}

/// `{a}`, `{a, b}` and `{a() {}}` as objects.
fn shorthand(
    before: Option<Token<'_>>,
    after: Option<Token<'_>>,
    open: Option<&(&str, bool)>,
) -> Result<(), &'static str> {
    let first = matches!(before, Some(Token::Sign("{" | ",")));
    let short = matches!(after, Some(Token::Sign("," | "}" | "(")));
    if first && short && open.is_some_and(|(bracket, object)| *bracket == "{" && *object) {
        return Err("Expected ':'");
    }
    Ok(())
}

/// Default values and patterns among the parameters of a function.
fn parameters(tokens: &[(usize, Token<'_>)], n: usize) -> Result<(), &'static str> {
    let mut at = n + 1;
    if matches!(tokens.get(at), Some((_, Token::Word(_)))) {
        at += 1;
    }
    if !matches!(tokens.get(at), Some((_, Token::Sign("(")))) {
        return Ok(());
    }
    for (_, token) in &tokens[at + 1..] {
        match token {
            Token::Sign(")") => break,
            Token::Sign("=" | "{" | "[") => return Err("Expected ')'"),
            _ => {}
        }
    }
    Ok(())
}

/// True if the brace begins an object and not a block.
fn is_object(tokens: &[(usize, Token<'_>)], n: usize) -> bool {
    let Some(before) = n.checked_sub(1).map(|n| tokens[n].1) else { return false };
    match before {
        Token::Sign(sign) => {
            !matches!(sign, ")" | "}" | "{" | ";" | ":" | "]" | "=>" | "++" | "--") || {
                // `a ? {…} : {…}` and `{k: {…}}` are objects, `label: {` and `case 1: {` are blocks; a first
                // `name :` or `'text' :` inside tells them apart.
                sign == ":"
                    && matches!(tokens.get(n + 1), Some((_, Token::Word(_) | Token::Text | Token::Number(_))))
                    && matches!(tokens.get(n + 2), Some((_, Token::Sign(":"))))
            }
        }
        Token::Word(word) => {
            matches!(word, "return" | "typeof" | "in" | "case" | "throw" | "new" | "void" | "delete")
        }
        _ => false,
    }
}

/// True if the closed bracket was a list and not an index.
fn is_array(tokens: &[(usize, Token<'_>)], close: usize) -> bool {
    let mut depth = 0;
    for n in (0..=close).rev() {
        match tokens[n].1 {
            Token::Sign("]") => depth += 1,
            Token::Sign("[") => {
                depth -= 1;
                if depth == 0 {
                    let before = n.checked_sub(1).map(|n| tokens[n].1);
                    return !ends_value(before);
                }
            }
            _ => {}
        }
    }
    false
}

fn ends_value(token: Option<Token<'_>>) -> bool {
    match token {
        Some(Token::Word(word)) => !BEFORE_REGEX.contains(&word),
        Some(Token::Number(_) | Token::Text | Token::Regex) => true,
        Some(Token::Sign(sign)) => matches!(sign, ")" | "]" | "}" | "++" | "--"),
        None => false,
    }
}

fn scan(text: &str) -> Result<Vec<(usize, Token<'_>)>, &'static str> {
    let bytes = text.as_bytes();
    let mut tokens: Vec<(usize, Token<'_>)> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let Some(first) = rest.chars().next() else { break };
        let length = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if rest.starts_with("//") || rest.starts_with("<!--") {
            at += rest.find(['\n', '\r', '\u{2028}', '\u{2029}']).unwrap_or(rest.len());
            continue;
        } else if let Some(inner) = rest.strip_prefix("/*") {
            at += inner.find("*/").map_or(rest.len(), |end| end + 4);
            continue;
        } else if first == '"' || first == '\'' {
            let length = quoted(rest, first);
            tokens.push((at, Token::Text));
            length
        } else if first == '`' {
            return Err("Invalid character");
        } else if first.is_ascii_digit()
            || first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())
        {
            let length = number(rest);
            tokens.push((at, Token::Number(&rest[..length])));
            length
        } else if is_word(first) || first == '\\' {
            let length =
                rest.find(|c: char| !is_word(c) && c != '\\' && !c.is_ascii_digit()).unwrap_or(rest.len());
            tokens.push((at, Token::Word(&rest[..length])));
            length
        } else if first == '/' && !ends_value_for_slash(&tokens) {
            let length = regex(rest);
            tokens.push((at, Token::Regex));
            length
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign)).copied();
            // `a?.5:1` is a question, not an optional member.
            let sign =
                sign.filter(|sign| *sign != "?." || !rest[2..].starts_with(|c: char| c.is_ascii_digit()));
            let sign = sign.unwrap_or(&rest[..first.len_utf8()]);
            tokens.push((at, Token::Sign(sign)));
            sign.len()
        };
        at += length.max(1);
    }
    Ok(tokens)
}

/// After `)` a slash may begin a regular expression (`if (a) /b/.test(c)`); that is rare and a
/// division is not.
fn ends_value_for_slash(tokens: &[(usize, Token<'_>)]) -> bool {
    ends_value(tokens.last().map(|&(_, token)| token)) && tokens.last().map(|t| t.1) != Some(Token::Sign("}"))
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$' || letter == '\u{200c}' || letter == '\u{200d}'
}

fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, letter) in rest.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => return at,
            letter if letter == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

fn number(rest: &str) -> usize {
    let mut before = ' ';
    for (at, letter) in rest.char_indices() {
        let hex = rest.starts_with("0x") || rest.starts_with("0X");
        let sign = matches!(letter, '+' | '-') && matches!(before, 'e' | 'E') && !hex;
        if !(letter.is_ascii_alphanumeric() || letter == '.' || letter == '_' || sign) {
            return at;
        }
        before = letter;
    }
    rest.len()
}

fn regex(rest: &str) -> usize {
    let (mut escaped, mut class) = (false, false);
    for (at, letter) in rest.char_indices().skip(1) {
        match letter {
            '\n' => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => class = true,
            ']' => class = false,
            '/' if !class => {
                let flags =
                    rest[at + 1..].find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len() - at - 1);
                return at + 1 + flags;
            }
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_mode_knows_what_came_after_es5() {
        for source in [
            "var f = x => x",
            "`t`",
            "class A {}",
            "f(...a)",
            "a?.b",
            "a ?? b",
            "async function f() {}",
            "a ** 2",
            "var {a} = o",
            "var [a] = o",
            "function f(a = 1) {}",
            "function* g() {}",
            "for (var a of b) {}",
            "try {} catch {}",
            "x = {a}",
            "x = {a, b: 1}",
            "x = {f() { return 1 }}",
            "1_000",
            "1n",
            "0b11",
        ] {
            for mode in Mode::ALL {
                assert!(check(source, mode).is_err(), "{source} in mode {}", mode.number());
            }
        }
    }

    #[test]
    fn modes_refuse_what_came_with_later_ones() {
        for (source, first) in [
            ("let a = 1", 11),
            ("const a = 1", 11),
            ("x = {get a() { return 1 }}", 9),
            ("o.class = 1", 9),
            ("x = {default: 1}", 9),
            ("x = {a: 1,}", 8),
        ] {
            for mode in Mode::ALL {
                assert_eq!(
                    check(source, mode).is_ok(),
                    mode.number() >= first,
                    "{source} in mode {}",
                    mode.number()
                );
            }
        }
    }

    #[test]
    fn old_code_is_left_alone() {
        for source in [
            "",
            "// `a` => b\n/* class */ var a = 'class => `x`', b = /[/`]=>/g.test(a) ? .5 : 1",
            "if (a) { b } else { c(); }",
            "switch (a) { case 1: { b(); break } default: c }",
            "outer: { break outer }",
            "x = {a: 1, 'b': {c: [1, 2]}, 3: f(function (a, b) { return {d: a} })}",
            "return a / b / c",
            "x = a ? {b: 1} : {c: 2}",
            "function f(a, b) { return a[b] }",
            "for (var k in o) { if (o[k]) { k, o } }",
            "var of = 1, get = 2, async = 3; of + get; f(get, of)",
            "<!-- hidden\nvar a = 1",
            "a = b\n/c/d",
            "var 名前 = '東京'; 名前.length",
            "a = c?.5:1",
            "function f() { { a, b } }",
            "x = { /* empty */ }",
            "do { a } while (b)",
            "x = function () { return a } , y",
        ] {
            for mode in Mode::ALL {
                assert_eq!(check(source, mode), Ok(None), "{source} in mode {}", mode.number());
            }
        }
    }

    #[test]
    fn a_last_comma_is_an_element_up_to_mode_8() {
        assert_eq!(
            check("a = [1,2,]; b = [[,],]; c[d]", Mode::Ie8),
            Ok(Some("a = [1,2,,]; b = [[,,],,]; c[d]".into()))
        );
        assert_eq!(check("a = [1,2,]", Mode::Ie9), Ok(None));
    }
}
