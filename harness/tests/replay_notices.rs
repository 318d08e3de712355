//! Every change of a recording is noticed: on each recording of the repository one answer, one result, one
//! effect left out and one doubled, and the failure names flow and tool call.
#![allow(clippy::unwrap_used, reason = "a test fails by panic")]

use harness::{
    model::Model,
    recording::{self, Answer, Recording},
    replay::{Options, Verdict, play},
    testing,
};
use serde_json::Value;

fn each(mut of: impl FnMut(&str, &Recording)) {
    for folder in testing::recordings() {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        of(&name, &recording::read(&folder).unwrap());
    }
}

/// Plays a changed recording; the trouble must name flow and call.
fn noticed(name: &str, changed: &Recording, what: &str) -> Verdict {
    let played = play(name, changed, &Options::default());
    let trouble = played.trouble();
    assert_ne!(played.verdict(), Verdict::Same, "{name}: not noticed: {what}");
    assert!(trouble.contains(&format!("flow {name}")), "{what}: {trouble}");
    assert!(trouble.contains("call "), "{what}: {trouble}");
    played.verdict()
}

/// Indices of effects inside tool calls that must happen.
fn effects(recording: &Recording) -> Vec<usize> {
    let model = Model::compile(recording).unwrap();
    let exits = model.epochs.iter().filter_map(|epoch| epoch.exit.as_ref());
    let lines: Vec<u64> =
        exits.filter(|exit| exit.call.is_some() && !exit.optional).map(|exit| exit.line).collect();
    (0..recording.wire.len()).filter(|n| lines.contains(&recording.wire[*n].n)).collect()
}

#[test]
fn every_dropped_effect_is_noticed() {
    each(|name, recording| {
        for n in effects(recording) {
            let mut changed = recording.clone();
            let dropped = changed.wire.remove(n);
            let verdict = noticed(name, &changed, &format!("effect {} dropped", dropped.n));
            assert_eq!(verdict, Verdict::Missed, "{name}: effect {}", dropped.n);
        }
    });
}

#[test]
fn every_doubled_effect_is_noticed() {
    each(|name, recording| {
        // The end of a session that has ended is nothing: the driver's HTTP layer answers it.
        let ends = |n: &usize| recording.wire[*n].cmd == "deleteSession";
        for n in effects(recording).into_iter().filter(|n| !ends(n)) {
            let mut changed = recording.clone();
            let again = changed.wire[n].clone();
            let verdict = {
                changed.wire.insert(n + 1, again);
                noticed(name, &changed, &format!("effect {} doubled", recording.wire[n].n))
            };
            assert_eq!(verdict, Verdict::Missed, "{name}: effect {}", recording.wire[n].n);
        }
    });
}

#[test]
fn every_changed_result_is_noticed() {
    each(|name, recording| {
        let mut changed = recording.clone();
        for line in changed.flow.iter_mut().filter(|line| line.call.is_some()) {
            let old = recording.expand(&line.members["result"]);
            let new = altered_result(&old);
            assert_ne!(old, new);
            line.members["result"] = new;
        }
        let played = play(name, &changed, &Options::default());
        assert_eq!(played.verdict(), Verdict::Differs);
        for call in &played.calls {
            assert!(!call.differences.is_empty(), "{name}: call {} {}", call.call, call.tool);
            let named = format!("flow {name}, call {} {}: ", call.call, call.tool);
            assert!(played.trouble().contains(&named), "{}", played.trouble());
        }
    });
}

/// The result with another text in the first member of its text block, or another type of picture.
fn altered_result(result: &Value) -> Value {
    let mut result = result.clone();
    for block in result["content"].as_array_mut().unwrap() {
        if let Some(Ok(Value::Object(mut members))) =
            block["text"].as_str().map(serde_json::from_str::<Value>)
            && let Some(first) = members.values_mut().next()
        {
            *first = "altered".into();
            block["text"] = Value::Object(members).to_string().into();
        }
    }
    result.as_object_mut().unwrap().shift_remove("structuredContent");
    result
}

#[test]
fn a_changed_title_in_an_answer_changes_a_result() {
    each(|name, recording| {
        let mut changed = recording.clone();
        let mut titles = 0;
        for exchange in &mut changed.wire {
            if let (true, Answer::Ok(value)) = (exchange.call.is_some(), &mut exchange.res) {
                let whole = recording.expand(value);
                let other = altered_title(&whole);
                titles += usize::from(other != whole);
                *value = other;
            }
        }
        if titles > 0 {
            noticed(name, &changed, "titles changed");
        }
    });
}

/// The answer with another title, where it is the page's state as a script of the server tells it.
fn altered_title(answer: &Value) -> Value {
    let mut answer = answer.clone();
    if let Some(text) = answer[1].as_str()
        && let Ok(Value::Object(mut said)) = serde_json::from_str::<Value>(text)
        && said.contains_key("title")
    {
        said.insert("title".into(), "altered".into());
        answer[1] = Value::Object(said).to_string().into();
    }
    answer
}
