//! A replay as plain lines, as a table for a terminal, and as JSON.

use crate::replay::{Played, Verdict};
use console::{Alignment, Style, measure_text_width, pad_str};
use serde_json::{Value, json};

/// The verdict in one word.
fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Same => "ok",
        Verdict::Differs => "differs",
        Verdict::Missed => "miss",
        Verdict::Stopped => "stopped",
    }
}

fn figures(played: &Played) -> [String; 3] {
    let calls = match played.calls.len() {
        n if n == played.recorded_calls => format!("{n} calls"),
        n => format!("{n} of {} calls", played.recorded_calls),
    };
    [played.name.clone(), calls, format!("{} exchanges", played.asked.len())]
}

/// One flow as a plain line.
pub fn line(played: &Played, mode: &str) -> String {
    let [name, calls, exchanges] = figures(played);
    format!("{:7} {name}: {calls}, {exchanges}, {mode}", word(played.verdict()))
}

/// All flows as a table in colours.
pub fn table(all: &[Played]) -> String {
    let rows: Vec<[String; 3]> = all.iter().map(figures).collect();
    let width = |n: usize| rows.iter().map(|row| measure_text_width(&row[n])).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2)];
    let mut text = String::new();
    for (played, row) in all.iter().zip(&rows) {
        let style = match played.verdict() {
            Verdict::Same => Style::new().green(),
            _ => Style::new().red(),
        };
        text += &style.apply_to(format!("{:7}", word(played.verdict()))).to_string();
        for (cell, width) in row.iter().zip(widths) {
            text += "  ";
            text += &pad_str(cell, width, Alignment::Left, None);
        }
        text = text.trim_end().to_owned() + "\n";
    }
    text
}

/// The last line.
pub fn summary(all: &[Played], damaged: usize) -> String {
    let same = all.iter().filter(|played| played.verdict() == Verdict::Same).count();
    let mut text = format!("replay: {} flows, {same} as recorded", all.len() + damaged);
    for verdict in [Verdict::Differs, Verdict::Missed, Verdict::Stopped] {
        let count = all.iter().filter(|played| played.verdict() == verdict).count();
        if count > 0 {
            text += &format!(", {count} {}", word(verdict));
        }
    }
    if damaged > 0 {
        text += &format!(", {damaged} damaged");
    }
    text
}

/// One flow for a program.
pub fn json(played: &Played) -> Value {
    let calls: Vec<Value> = played
        .calls
        .iter()
        .map(|call| json!({ "call": call.call, "tool": call.tool, "differences": call.differences }))
        .collect();
    json!({
        "name": played.name,
        "verdict": word(played.verdict()),
        "calls": calls,
        "recordedCalls": played.recorded_calls,
        "exchanges": played.asked.len(),
        "tiers": played.tiers,
        "misses": played.misses,
        "stopped": played.stopped,
    })
}
