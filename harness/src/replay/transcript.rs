//! What a flow did, as text that a person reads and a snapshot keeps.
//!
//! Owns: the layout: call, its commands with symbols, its result. Polls are shown once, whatever their
//! number. Does not own: masking of volatile members (`flow::compare`).

use super::Played;
use crate::flow::compare;
use std::fmt::Write;

/// Longest run of commands that is recognised as one round of a poll.
const ROUND: usize = 8;

/// The transcript of a flow.
pub fn transcript(played: &Played) -> String {
    let mut text = String::new();
    let commands = |call: Option<u64>| {
        let asked = played.asked.iter().filter(|asked| asked.call == call);
        once(asked.map(|asked| format!("    {} -> {}\n", asked.request, asked.answer)).collect()).concat()
    };
    for call in &played.calls {
        let _ = writeln!(
            text,
            "{} {} {}",
            call.call,
            call.tool,
            serde_json::Value::Object(call.arguments.clone())
        );
        text += &commands(Some(call.call));
        let result = compare::masked(&call.tool, &call.got);
        let result = serde_json::to_string_pretty(&result).unwrap_or_default();
        for line in result.lines() {
            let _ = writeln!(text, "  {line}");
        }
        text.push('\n');
    }
    let end = commands(None);
    if !end.is_empty() {
        let _ = write!(text, "end of the server\n{end}");
    }
    text
}

/// Rounds that repeat the one before are left out.
fn once(commands: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for command in commands {
        kept.push(command);
        for length in 1..=ROUND.min(kept.len() / 2) {
            let (before, last) = kept[kept.len() - 2 * length..].split_at(length);
            if before == last {
                kept.truncate(kept.len() - length);
                break;
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::once;

    fn shown(text: &str) -> String {
        once(text.split(' ').map(str::to_owned).collect()).join(" ")
    }

    #[test]
    fn rounds_of_a_poll_are_shown_once() {
        assert_eq!(shown("a b b b c"), "a b c");
        assert_eq!(shown("top find top find top find ok"), "top find ok");
        assert_eq!(shown("a b a c a"), "a b a c a");
    }
}
