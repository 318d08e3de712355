//! The model's rules on recordings written by hand, and its laws on recordings made at random.

use super::*;
use crate::recording::{Answer, Blobs, Exchange, Format, Forms, Manifest, Recording};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn recording(wire: Vec<Value>) -> Recording {
    let numbered = wire.into_iter().enumerate().map(|(n, mut line)| {
        line["n"] = (n as u64 + 1).into();
        line["t"] = (n as u64 * 100).into();
        line["cost"] = 10.into();
        serde_json::from_value::<Exchange>(line).unwrap()
    });
    Recording {
        manifest: Manifest {
            format: Format::CURRENT,
            id: "a".into(),
            when: String::new(),
            server: None,
            driver: None,
            browser: None,
            os: None,
            config: Map::new(),
            ids: Forms::default(),
            counts: None,
            redaction: None,
            ended: None,
            other: Map::new(),
        },
        flow: Vec::new(),
        wire: numbered.collect(),
        processes: Vec::new(),
        blobs: Blobs::new(),
    }
}

fn title(call: u64, text: &str) -> Value {
    json!({ "call": call, "cmd": "getTitle", "req": {}, "res": { "ok": text } })
}

fn find(call: u64, css: &str, found: &str) -> Value {
    let res = match found {
        "" => json!({ "err": { "code": "no such element", "msg": "none", "http": 404 } }),
        symbol => json!({ "ok": { "el": symbol } }),
    };
    json!({ "call": call, "cmd": "findElement", "req": { "using": "css selector", "value": css }, "res": res })
}

fn on(call: u64, command: &str, element: &str, req: Value, res: Value) -> Value {
    json!({ "call": call, "cmd": command, "el": element, "req": req, "res": { "ok": res } })
}

fn click(call: u64, element: &str) -> Value {
    on(call, "elementClick", element, json!({}), Value::Null)
}

fn keys(call: u64, element: &str, text: &str) -> Value {
    on(call, "elementSendKeys", element, json!({ "text": text }), Value::Null)
}

fn run(wire: Vec<Value>, schedule: Schedule) -> Run {
    Run::new(Model::compile(&recording(wire)).unwrap(), schedule)
}

/// Asks what the line asks; the value, the error's code, or the code of the miss.
fn ask(run: &mut Run, line: &Value) -> Value {
    let mut line = line.clone();
    (line["n"], line["t"], line["cost"]) = (1.into(), 0.into(), 0.into());
    let exchange: Exchange = serde_json::from_value(line).unwrap();
    match run.ask(&Request::recorded(&exchange).unwrap(), 0) {
        Ok(given) => match given.answer {
            Answer::Ok(value) => value,
            Answer::Err(error) => error.code.into(),
            Answer::Transport(_) => "broken".into(),
        },
        Err(no_answer) => format!("{:?}", no_answer.code).into(),
    }
}

fn asks(run: &mut Run, lines: &[Value]) -> Vec<Value> {
    lines.iter().map(|line| ask(run, line)).collect()
}

/// A form that appears late, is filled in, and is saved.
fn booking() -> Vec<Value> {
    vec![
        title(1, "loading"),
        title(1, "loading"),
        title(1, "form"),
        find(2, "#amount", "e1"),
        find(2, "#name", "e2"),
        keys(2, "e1", "12.50"),
        keys(3, "e2", "Smith"),
        find(4, "#save", "e3"),
        click(4, "e3"),
        title(5, "form"),
        title(5, "saved"),
    ]
}

#[test]
fn polling_moves_the_world_and_the_number_of_polls_does_not_matter() {
    let mut fast = run(booking(), Schedule::Demand);
    assert_eq!(asks(&mut fast, &[title(1, ""), title(1, ""), title(1, "")]), ["loading", "form", "form"]);
    let mut settled = run(booking(), Schedule::Eager);
    assert_eq!(ask(&mut settled, &title(1, "")), "form");
    let mut stalled = run(booking(), Schedule::Stall(0));
    assert_eq!(asks(&mut stalled, &[title(1, ""), title(1, ""), title(1, "")]), ["loading"; 3]);
    let mut waits = run(vec![title(1, "loading")], Schedule::Demand);
    let answers = asks(&mut waits, &vec![title(1, ""); 300]);
    assert_eq!((&answers[200], &answers[299]), (&"loading".into(), &"R009".into()));
}

#[test]
fn a_change_that_was_seen_in_a_later_call_does_not_come_earlier() {
    let wire = vec![title(1, "a"), title(2, "a"), title(2, "b")];
    let mut run = run(wire, Schedule::Demand);
    run.begin_call(1);
    assert_eq!(asks(&mut run, &[title(1, ""), title(1, "")]), ["a", "a"]);
    run.begin_call(2);
    assert_eq!(asks(&mut run, &[title(2, ""), title(2, "")]), ["b", "b"]);
}

#[test]
fn effects_are_strict() {
    let code = |lines: &[Value]| ask(&mut run_after(lines), &lines[lines.len() - 1]);
    let (amount, name, save) = (keys(2, "e1", "12.50"), keys(3, "e2", "Smith"), click(4, "e3"));
    assert_eq!(code(&[amount.clone(), amount.clone()]), "R004", "twice");
    assert_eq!(code(&[amount.clone(), save.clone()]), "R005", "saved before all was typed");
    assert_eq!(code(&[keys(2, "e1", "99")]), "R004", "another text");
    let mut forgets = run_after(&[amount.clone(), Value::Null]);
    forgets.close();
    assert_eq!(forgets.left_over().len(), 2);
    let mut all = run_after(&[amount, name, save, Value::Null]);
    all.close();
    assert!(all.left_over().is_empty());
}

/// A run in which all but the last line was asked.
fn run_after(lines: &[Value]) -> Run {
    let mut run = run(booking(), Schedule::Demand);
    asks(&mut run, &lines[..lines.len() - 1]);
    run
}

#[test]
fn filling_in_two_fields_commutes_and_a_text_may_come_in_pieces_or_at_once() {
    let mut swapped = run(booking(), Schedule::Demand);
    let lines = [keys(3, "e2", "Smith"), keys(2, "e1", "12.50"), click(4, "e3"), title(5, "")];
    assert_eq!(asks(&mut swapped, &lines), [Value::Null, Value::Null, Value::Null, "form".into()]);
    let mut pieces = run(booking(), Schedule::Demand);
    let lines = [keys(2, "e1", "12"), keys(2, "e1", ".50"), keys(3, "e2", "Smith")];
    assert_eq!(asks(&mut pieces, &lines), [Value::Null, Value::Null, Value::Null]);
    let mut once = run(vec![keys(1, "e1", "ab"), keys(1, "e1", "c"), click(2, "e2")], Schedule::Demand);
    assert_eq!(asks(&mut once, &[keys(1, "e1", "abc"), click(2, "e2")]), [Value::Null, Value::Null]);
}

#[test]
fn the_state_forbids_what_it_would_live() {
    let shown = |call, yes: bool| on(call, "isElementDisplayed", "e1", json!({}), yes.into());
    let wire = vec![find(1, "#go", "e1"), shown(1, false), shown(1, true), click(1, "e1")];
    let mut lost_wait = run(wire.clone(), Schedule::Demand);
    let lines = [find(1, "#go", ""), shown(1, true), click(1, "e1"), shown(1, true), click(1, "e1")];
    let answers = asks(&mut lost_wait, &lines);
    assert_eq!(answers[1..], [false.into(), "element not interactable".into(), true.into(), Value::Null]);
    let alert = json!({ "call": 1, "cmd": "getTitle", "req": {}, "res": { "err": {
        "code": "unexpected alert open", "msg": "Modal", "http": 500, "data": { "text": "Sure?" } } } });
    let accept = json!({ "call": 2, "cmd": "acceptAlert", "req": {}, "res": { "ok": null } });
    let mut open = run(
        vec![find(1, "#go", "e1"), click(1, "e1"), alert, accept.clone(), click(3, "e1")],
        Schedule::Demand,
    );
    let lines = [click(1, "e1"), title(1, ""), find(1, "#other", ""), click(3, "e1"), accept, click(3, "e1")];
    let open_code = Value::from("unexpected alert open");
    let expected =
        [Value::Null, open_code.clone(), open_code, "unexpected alert open".into(), Value::Null, Value::Null];
    assert_eq!(asks(&mut open, &lines), expected);
}

#[test]
fn a_node_of_a_document_that_is_gone_is_stale() {
    let wire = vec![find(1, "#a", "e1"), click(1, "e1"), find(2, "#a", "e2"), click(2, "e2")];
    let mut run = run(wire, Schedule::Demand);
    let text = on(2, "getElementText", "e1", json!({}), Value::Null);
    assert_eq!(asks(&mut run, &[click(1, "e1"), text]), [Value::Null, "stale element reference".into()]);
}

#[test]
fn another_locator_of_the_same_node_is_answered_and_what_is_equal_before_and_after_holds_in_between() {
    let mut run = run(
        vec![
            title(1, "t"),
            find(1, "#a", "e1"),
            click(1, "e1"),
            find(2, "#b", "e2"),
            click(2, "e2"),
            title(3, "t"),
        ],
        Schedule::Demand,
    );
    let other = json!({ "call": 1, "cmd": "findElement", "req": { "using": "xpath", "value": "//*[@id='a']" }, "res": { "ok": null } });
    assert_eq!(ask(&mut run, &other), json!({ "el": "e1" }));
    assert_eq!(asks(&mut run, &[click(1, "e1"), title(2, "")]), [Value::Null, "t".into()]);
    assert_eq!((run.tiers().equivalent, run.tiers().carried), (1, 1));
}

#[test]
fn after_an_effect_the_old_state_shows_once_more_when_cold() {
    let mut run = run(vec![title(1, "old"), click(1, "e1"), title(2, "new")], Schedule::Cold);
    asks(&mut run, &[title(1, ""), click(1, "e1")]);
    assert_eq!(asks(&mut run, &[title(2, ""), title(2, "")]), ["old", "new"]);
}

#[test]
fn a_miss_names_state_divergence_and_candidates() {
    let mut run = run(booking(), Schedule::Demand);
    asks(&mut run, &[title(1, ""), find(2, "#name", "e2"), keys(2, "e1", "12.50")]);
    let exchange = serde_json::from_value::<Exchange>({
        let mut line = click(4, "e3");
        (line["n"], line["t"], line["cost"]) = (1.into(), 0.into(), 0.into());
        line
    });
    let no_answer = run.ask(&Request::recorded(&exchange.unwrap()).unwrap(), 0).unwrap_err();
    insta::assert_debug_snapshot!(no_answer);
}

/// Steps of a client at random: questions whose answers change now and then, and effects.
fn steps() -> impl Strategy<Value = Vec<Value>> {
    let question = (0..4_u8, 0..3_u8).prop_map(|(name, value)| (name, Some(value)));
    let effect = (0..6_u8).prop_map(|name| (name, None));
    proptest::collection::vec(prop_oneof![4 => question, 1 => effect], 1..40).prop_map(|steps| {
        let mut call = 1;
        steps
            .into_iter()
            .map(|(name, value)| match value {
                Some(value) => find(call, &format!("#q{name}"), &format!("e{}", 10 + value)),
                None => {
                    call += 1;
                    click(call - 1, &format!("e{name}"))
                }
            })
            .collect()
    })
}

fn is_click(line: &Value) -> bool {
    line["cmd"] == "elementClick"
}

/// Plays lines as a client in the same calls; the answers, and whether all was as recorded at the end.
fn play(recorded: &[Value], asked: &[Value]) -> (Vec<Value>, bool) {
    let mut run = run(recorded.to_vec(), Schedule::Demand);
    let mut answers = Vec::new();
    for line in asked {
        run.begin_call(line["call"].as_u64().unwrap());
        answers.push(ask(&mut run, line));
    }
    run.close();
    let missed = answers.iter().any(|answer| answer.as_str().is_some_and(|text| text.starts_with('R')));
    (answers, !missed && run.left_over().is_empty())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_recording_answers_its_own_client_and_the_last_answer_of_each_stretch_is_the_recorded_one(lines in steps()) {
        let (answers, fine) = play(&lines, &lines);
        prop_assert!(fine);
        let ends = (0..lines.len()).filter(|n| {
            let rest = lines[n + 1..].iter().take_while(|line| !is_click(line));
            !is_click(&lines[*n]) && !rest.into_iter().any(|line| line["req"] == lines[*n]["req"])
        });
        for n in ends {
            prop_assert_eq!(&answers[n], &lines[n]["res"]["ok"]);
        }
    }

    #[test]
    fn repeated_and_left_out_questions_are_no_miss(lines in steps(), seed in any::<u64>()) {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut asked = Vec::new();
        for line in &lines {
            let times = if is_click(line) { 1 } else { [0, 1, 1, 2, 5][random.usize(0..5)] };
            asked.extend(std::iter::repeat_n(line.clone(), times));
        }
        prop_assert!(play(&lines, &asked).1);
    }

    #[test]
    fn a_dropped_doubled_or_altered_effect_is_caught(lines in steps(), seed in any::<u64>()) {
        let effects: Vec<usize> = (0..lines.len()).filter(|n| is_click(&lines[*n])).collect();
        prop_assume!(!effects.is_empty());
        let mut random = fastrand::Rng::with_seed(seed);
        let n = effects[random.usize(0..effects.len())];
        let mut asked = lines.clone();
        match random.u8(0..3) {
            0 => drop(asked.remove(n)),
            1 => asked.insert(n, lines[n].clone()),
            _ => asked[n]["el"] = "e99".into(),
        }
        prop_assert!(!play(&lines, &asked).1);
    }
}
