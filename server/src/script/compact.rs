//! Makes a script shorter for the wire: without comments and blanks, without functions nobody calls, with short names.
//!
//! Owns: the tokens of the ES3 our scripts are written in. Does not own: what a script does. Understands our own scripts
//! only: every statement ends with a semicolon or a brace, nothing is labelled, names are declared by `var`, `function`,
//! a parameter or `catch`. A name gets the same short one everywhere, so scopes stay as they are.

use std::collections::{HashMap, HashSet};

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// A name or a keyword.
    Word(String),
    /// A number, string or regular expression, as it stands.
    Literal(String),
    /// One or more signs that belong together.
    Sign(String),
}

impl Token {
    fn text(&self) -> &str {
        match self {
            Self::Word(text) | Self::Literal(text) | Self::Sign(text) => text,
        }
    }

    fn is(&self, text: &str) -> bool {
        self.text() == text
    }
}

/// The short form of a script, its marker kept.
pub(super) fn compact(source: &str) -> String {
    let (marker, rest) = source.split_once("*/").unwrap_or(("/* ", source));
    let tokens = shaken(tokens(rest));
    let names = short_names(&tokens);
    let mut out = format!("{marker}*/\n");
    for (at, token) in tokens.iter().enumerate() {
        let text = match token {
            Token::Word(word) if !is_member(&tokens, at) => names.get(word).unwrap_or(word),
            other => other.text(),
        };
        if clash(out.chars().last(), text.chars().next()) {
            out.push(' ');
        }
        out.push_str(text);
    }
    out
}

/// Whether two signs that stand together would be read as one.
fn clash(last: Option<char>, first: Option<char>) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    match (last, first) {
        (Some(last), Some(first)) => {
            (word(last) && word(first)) || (last == first && matches!(first, '+' | '-' | '/'))
        }
        _ => false,
    }
}

fn tokens(source: &str) -> Vec<Token> {
    let chars: Vec<char> = source.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        let start = at;
        if c.is_whitespace() {
            at += 1;
        } else if c == '/' && chars.get(at + 1) == Some(&'*') {
            at += 2;
            while at < chars.len() && !(chars[at] == '*' && chars.get(at + 1) == Some(&'/')) {
                at += 1;
            }
            at += 2;
        } else if c.is_alphabetic() || c == '_' || c == '$' {
            while at < chars.len() && (chars[at].is_alphanumeric() || matches!(chars[at], '_' | '$')) {
                at += 1;
            }
            tokens.push(Token::Word(chars[start..at].iter().collect()));
        } else if c.is_ascii_digit() {
            while at < chars.len() && (chars[at].is_alphanumeric() || chars[at] == '.') {
                at += 1;
            }
            tokens.push(Token::Literal(chars[start..at].iter().collect()));
        } else if c == '\'' || c == '"' || (c == '/' && begins_regex(tokens.last())) {
            at = end_of_literal(&chars, at);
            tokens.push(Token::Literal(chars[start..at].iter().collect()));
        } else {
            at += 1;
            // Only those that must not be torn apart.
            while at < chars.len() && "=+-&|<>".contains(chars[at]) && joins(&chars[start..at], chars[at]) {
                at += 1;
            }
            tokens.push(Token::Sign(chars[start..at].iter().collect()));
        }
    }
    tokens
}

fn joins(sign: &[char], next: char) -> bool {
    match next {
        '=' => matches!(sign[0], '=' | '!' | '<' | '>' | '+' | '-' | '*' | '/'),
        _ => sign == [next],
    }
}

fn begins_regex(before: Option<&Token>) -> bool {
    match before {
        Some(Token::Word(word)) => word == "return",
        Some(Token::Literal(_)) => false,
        Some(Token::Sign(sign)) => !matches!(sign.as_str(), ")" | "]"),
        None => true,
    }
}

/// The place behind a string, or behind a regular expression with its flags.
fn end_of_literal(chars: &[char], start: usize) -> usize {
    let quote = chars[start];
    let (mut at, mut class) = (start + 1, false);
    while at < chars.len() && (class || chars[at] != quote) {
        match chars[at] {
            '\\' => at += 1,
            '[' if quote == '/' => class = true,
            ']' => class = false,
            _ => {}
        }
        at += 1;
    }
    at += 1;
    while quote == '/' && at < chars.len() && chars[at].is_alphabetic() {
        at += 1;
    }
    at
}

/// A name behind a dot or before the colon of an object's member.
fn is_member(tokens: &[Token], at: usize) -> bool {
    let before = at.checked_sub(1).map(|at| &tokens[at]);
    let key = tokens.get(at + 1).is_some_and(|next| next.is(":"))
        && before.is_some_and(|before| before.is("{") || before.is(","));
    key || before.is_some_and(|before| before.is("."))
}

/// Without the functions that cannot be reached from what stands outside of functions.
fn shaken(tokens: Vec<Token>) -> Vec<Token> {
    let functions = functions(&tokens);
    let mut reached: HashSet<&str> = HashSet::new();
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut from = 0;
    for &(_, start, end) in &functions {
        open.push((from, start));
        from = end;
    }
    open.push((from, tokens.len()));
    while let Some((from, to)) = open.pop() {
        for token in &tokens[from..to] {
            if let Some(&(name, start, end)) = functions.iter().find(|(name, ..)| token.is(name))
                && reached.insert(name)
            {
                open.push((start + 2, end));
            }
        }
    }
    let dead: Vec<(usize, usize)> = functions
        .iter()
        .filter(|(name, ..)| !reached.contains(name))
        .map(|&(_, start, end)| (start, end))
        .collect();
    let alive = |at: &usize| !dead.iter().any(|&(start, end)| (start..end).contains(at));
    (0..tokens.len()).filter(alive).map(|at| tokens[at].clone()).collect()
}

/// Name, start and end of each function that stands in no other.
fn functions(tokens: &[Token]) -> Vec<(&str, usize, usize)> {
    let mut found = Vec::new();
    let (mut at, mut depth) = (0, 0_usize);
    while at < tokens.len() {
        if depth == 0 && tokens[at].is("function") && matches!(tokens.get(at + 1), Some(Token::Word(_))) {
            let start = at;
            while !tokens[at].is("{") {
                at += 1;
            }
            let mut braces = 0_usize;
            loop {
                braces = if tokens[at].is("{") {
                    braces + 1
                } else if tokens[at].is("}") {
                    braces - 1
                } else {
                    braces
                };
                at += 1;
                if braces == 0 {
                    break;
                }
            }
            found.push((tokens[start + 1].text(), start, at));
            continue;
        }
        match tokens[at].text() {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    found
}

/// A short name for each declared one, the shortest for the most frequent.
fn short_names(tokens: &[Token]) -> HashMap<String, String> {
    let declared = declared(tokens);
    let mut uses: HashMap<&str, usize> = HashMap::new();
    let mut taken: HashSet<&str> = RESERVED.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        if let Token::Word(word) = token
            && !is_member(tokens, at)
        {
            if declared.contains(word.as_str()) {
                *uses.entry(word).or_default() += 1;
            } else {
                taken.insert(word);
            }
        }
    }
    let mut order: Vec<(&str, usize)> = uses.into_iter().collect();
    order.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let mut fresh = (0..).map(short_name).filter(|name| !taken.contains(name.as_str()));
    order.into_iter().filter_map(|(name, _)| Some((name.to_owned(), fresh.next()?))).collect()
}

/// Short words of the language, in case a script does not use one.
const RESERVED: [&str; 4] = ["do", "if", "in", "is"];

fn short_name(mut number: usize) -> String {
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let mut name = String::new();
    loop {
        name.push(char::from(LETTERS[number % LETTERS.len()]));
        number /= LETTERS.len();
        if number == 0 {
            return name;
        }
        number -= 1;
    }
}

fn declared(tokens: &[Token]) -> HashSet<&str> {
    let mut names = HashSet::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.text() {
            "function" | "catch" => {
                let mut next = at + 1;
                while let Some(token) = tokens.get(next).filter(|token| !token.is(")")) {
                    if let Token::Word(name) = token {
                        names.insert(name.as_str());
                    }
                    next += 1;
                }
            }
            "var" => variables(&tokens[at + 1..], &mut names),
            _ => {}
        }
    }
    names
}

/// The names behind one `var`.
fn variables<'a>(tokens: &'a [Token], names: &mut HashSet<&'a str>) {
    let (mut depth, mut expected) = (0_i32, true);
    for token in tokens {
        match token {
            Token::Word(name) if expected => {
                names.insert(name);
                expected = false;
            }
            Token::Word(word) if word == "in" && depth == 0 => return,
            Token::Sign(sign) => match sign.as_str() {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                "," if depth == 0 => expected = true,
                ";" if depth == 0 => return,
                _ => {}
            },
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_blanks_and_dead_functions_go_and_names_become_short() {
        let source = "/* ie-mode-mcp:x:1:pure */\n/* About. */\nvar first = arguments[0], other = {first: 1, two: [first, 2]};\n\
            return used(first) + + other.first;\n\n/* Adds. */\nfunction used(value) {\n  return value ? inner(value) : 'a  /* b */';\n}\n\
            function inner(v) { return /[/'\"]+/g.test(v) ? - -v : typeof v; }\nfunction dead(x) { return used(x); }\n";
        assert_eq!(
            compact(source),
            "/* ie-mode-mcp:x:1:pure */\nvar b=arguments[0],e={first:1,two:[b,2]};return f(b)+ +e.first;\
             function f(c){return c?d(c):'a  /* b */';}function d(a){return/[/'\"]+/g.test(a)?- -a:typeof a;}"
        );
    }

    #[test]
    fn each_script_is_at_most_two_thirds_of_what_is_written() {
        for script in super::super::SCRIPTS {
            let (long, short) = (script.source.len(), compact(script.source).len());
            assert!(short * 3 <= long * 2, "{}: {short} of {long}", script.name);
        }
    }
}
