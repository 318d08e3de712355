//! The rules by which a line of a recording is judged.
//!
//! Owns: one row per kind of leak. Does not own: which files are looked at.

use regex::Regex;

/// What a rule looks at.
enum Form {
    /// The line matches, and the match is not one of these texts.
    Pattern(Regex),
    /// A word of a line has the randomness of a key; what matches the second is a picture or font in a page.
    Entropy(Regex, Regex),
    /// A tool call types plain text into a field that is named like a password's.
    PasswordField,
}

/// One kind of leak.
pub(super) struct Rule {
    /// Its name in a finding.
    pub(super) name: &'static str,
    /// What is wrong and what helps.
    pub(super) what: String,
    form: Form,
}

impl Rule {
    /// Whether this line holds what the rule looks for.
    pub(super) fn hits(&self, line: &str) -> bool {
        match &self.form {
            Form::Pattern(pattern) => pattern.is_match(line),
            Form::Entropy(words, embedded) => {
                words.find_iter(&embedded.replace_all(line, "")).any(|word| is_random(word.as_str()))
            }
            Form::PasswordField => types_into_a_password_field(line),
        }
    }
}

/// All rules, the user's denied terms among them.
pub(super) fn all(deny: &[String]) -> Vec<Rule> {
    let mut rules = vec![Rule {
        name: "password field",
        what: "plain text goes into a field named like a password's: record again, the field must have type=password, or name it in the recorder's list of secrets".into(),
        form: Form::PasswordField,
    }];
    rules.extend(PATTERNS.iter().filter_map(|(name, pattern, what)| {
        Some(Rule { name, what: (*what).into(), form: Form::Pattern(Regex::new(pattern).ok()?) })
    }));
    let words = Regex::new(r"[A-Za-z0-9+_\-]{24,}={0,2}").ok();
    let embedded = Regex::new(r"data:(image|font|audio|video)/[a-z0-9.+\-]+;base64,[A-Za-z0-9+/=]+").ok();
    rules.extend(words.zip(embedded).map(|(words, embedded)| Rule {
        name: "entropy",
        what: "a word as random as a key or token: if it is one, record again with it in the recorder's list of secrets".into(),
        form: Form::Entropy(words, embedded),
    }));
    rules.extend(deny.iter().filter(|term| !term.trim().is_empty()).filter_map(|term| {
        let pattern = Regex::new(&format!("(?i){}", regex::escape(term.trim()))).ok()?;
        let what = "a term of the deny list occurs: map it in the recorder and record again".into();
        Some(Rule { name: "denied term", what, form: Form::Pattern(pattern) })
    }));
    rules
}

const PATTERNS: &[(&str, &str, &str)] = &[
    (
        "user info",
        r"(?i)[a-z][a-z0-9+.\-]*://[^\s/:@\x22{}]+:[^\s/@\x22{}]+@",
        "an address carries user and password: record again with a recorder that masks them",
    ),
    (
        "authorization",
        r"(?i)\b(basic|bearer|ntlm|negotiate)\s+[a-z0-9+/_\-]{8,}={0,2}",
        "credentials of an HTTP header: record again with a recorder that masks them",
    ),
    (
        "raw id",
        r"(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
        "an id of the driver that did not become a symbol: this is a fault of the recorder",
    ),
    (
        "unknown id",
        r#"[\x22](el|ctx|handle|win)[\x22]:[\x22]x[0-9]+[\x22]"#,
        "an id was used that no answer defined (symbol x…): the recording began too late, or the client made it up",
    ),
    (
        "machine path",
        r"(?i)(/home/|/Users/|[a-z]:\\+Users\\+)[^\x22\\/\s]",
        "a path of the recording machine names its user: record again from a neutral folder",
    ),
    (
        "port",
        r"(127\.0\.0\.1|localhost|\[::1\]):[0-9]{2,5}",
        "a loopback port is another one next time: record with the application mapped to a name",
    ),
    ("private key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----", "a private key"),
];

/// Shannon entropy of at least 4.2 bits a character, with digits and both cases: words of a language and
/// identifiers stay below.
fn is_random(word: &str) -> bool {
    let kinds = [char::is_ascii_digit, char::is_ascii_lowercase, char::is_ascii_uppercase];
    if !kinds.iter().all(|kind: &fn(&char) -> bool| word.chars().any(|c| kind(&c))) {
        return false;
    }
    // A name in camel case changes kind at its words only, a key at every second character.
    let kind = |byte: u8| (byte.is_ascii_digit(), byte.is_ascii_lowercase(), byte.is_ascii_uppercase());
    let changes = word.as_bytes().windows(2).filter(|pair| kind(pair[0]) != kind(pair[1])).count();
    if changes * 9 < word.len() * 4 {
        return false;
    }
    let mut counts = [0_u32; 128];
    word.bytes().for_each(|byte| counts[usize::from(byte & 0x7f)] += 1);
    let length = word.len() as f64;
    let bits: f64 = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / length;
            -share * share.log2()
        })
        .sum();
    bits >= 4.2
}

fn types_into_a_password_field(line: &str) -> bool {
    let Ok(line) = serde_json::from_str::<serde_json::Value>(line) else { return false };
    if line["tool"] != "type" {
        return false;
    }
    let arguments = &line["arguments"];
    let field = arguments["selector"]["value"].as_str().unwrap_or_default().to_lowercase();
    let named = ["passw", "pwd", "passphrase", "secret", "kennwort", "パスワード", "暗証"]
        .iter()
        .any(|name| field.contains(name))
        || field == "pin";
    let plain =
        arguments["text"].as_str().is_some_and(|text| !text.is_empty() && !text.starts_with("{{secret:"));
    named && plain
}
