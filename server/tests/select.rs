//! `select` against scripted pages in memory, in virtual time.
#![allow(clippy::unwrap_used, reason = "a test fails by panic")]

mod agent;
mod far_end;

use agent::{Agent, dialog_open, element, error, found, quiet, said};
use far_end::{FarEnd, Reply, value};
use serde_json::{Value, json};
use tokio::time::Instant;

const PROBE: &str = "POST /execute/sync list";
const CHOOSE: &str = "POST /execute/sync choose";

fn choice(index: u32, text: &str) -> Value {
    json!({ "index": index, "text": text, "value": format!("v{index}") })
}

fn list_with(options: Value, different: Value) -> Reply {
    let mut seen = json!({ "tag": "select", "kind": "", "editable": false, "options": options, "texts": ["本店", "大阪"] });
    for (name, value) in different.as_object().unwrap() {
        seen[name] = value.clone();
    }
    found("l1", seen)
}

fn list(options: Value) -> Reply {
    list_with(options, json!({}))
}

fn args(by: &str, value: Value) -> Value {
    json!({ "selector": { "by": "id", "value": "branch" }, "by": by, "value": value })
}

fn done() -> Reply {
    said(&json!({ "done": true, "stays": true, "dependents": [] }), &[])
}

#[tokio::test(start_paused = true)]
async fn one_question_finds_the_option_and_one_effect_chooses_it() {
    let far = FarEnd::new(|asked, _| match asked {
        PROBE => list(json!([[choice(7, "大阪支店")]])),
        CHOOSE => done(),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let result = agent.call("select", args("text", json!("大阪支店"))).await.unwrap();
    assert_eq!(result, json!({ "text": "大阪支店", "value": "v7", "index": 7 }));
    assert_eq!(far.asked(), [PROBE, CHOOSE]);
    assert_eq!(far.script_args("list"), [json!(["id", "branch", null, ["text", ["大阪支店"]]])]);
    assert_eq!(far.script_args("choose"), [json!([element("l1"), [7], ["大阪支店"]])]);
    agent.call("select", args("index", json!(7))).await.unwrap();
    assert_eq!(far.script_args("list")[1][3], json!(["index", ["7"]]), "a number means its digits");
}

#[tokio::test(start_paused = true)]
async fn what_is_no_list_is_an_invalid_argument() {
    let far = FarEnd::new(|asked, _| if asked == PROBE { found("f1", json!({})) } else { quiet(asked) });
    let mut agent = Agent::start(&far).await;
    let error = agent.call("select", args("text", json!("x"))).await.unwrap_err();
    assert_eq!((&error["error"], &error["outcome"]), (&json!("INVALID_ARGUMENT"), &json!("not_done")));
    for (by, value) in
        [("index", json!("first")), ("index", json!(-1)), ("text", json!(null)), ("text", json!(true))]
    {
        let error = agent.call("select", args(by, value)).await.unwrap_err();
        assert_eq!(error["error"], "INVALID_ARGUMENT");
    }
    assert_eq!(far.asked(), [PROBE]);
}

#[tokio::test(start_paused = true)]
async fn a_missing_option_is_waited_for_and_then_not_found() {
    let far = FarEnd::new(|asked, before| match (asked, before) {
        (PROBE, 0..3) => list(json!([[]])),
        (PROBE, _) => list(json!([[choice(1, "大阪")]])),
        (CHOOSE, _) => done(),
        (other, _) => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let mut short = args("text", json!("大阪"));
    short["timeoutMs"] = json!(200);
    let error = agent.call("select", short).await.unwrap_err();
    assert_eq!((&error["error"], &error["reason"]), (&json!("ELEMENT_NOT_FOUND"), &json!("option")));
    assert_eq!(error["message"], "Option was not found: text=大阪");
    assert_eq!(error["options"], json!(["本店", "大阪"]));
    assert_eq!(agent.call("select", args("text", json!("大阪"))).await.unwrap()["index"], 1);
}

#[tokio::test(start_paused = true)]
async fn c48_what_a_person_could_not_choose_is_refused_and_nothing_changes() {
    let closed = json!({ "index": 3, "text": "Old", "value": "ol", "disabled": true, "group": "Closed" });
    let far = FarEnd::new(move |asked, _| match asked {
        PROBE => list(json!([[closed]])),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let error = agent.call("select", args("text", json!("Old"))).await.unwrap_err();
    assert_eq!((&error["error"], &error["reason"]), (&json!("NOT_INTERACTABLE"), &json!("disabled")));
    assert_eq!(far.asked(), [PROBE]);

    let far = FarEnd::new(|asked, _| match asked {
        PROBE => list_with(json!([[choice(1, "b")]]), json!({ "enabled": false })),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let begun = Instant::now();
    let error = agent.call("select", args("text", json!("b"))).await.unwrap_err();
    assert_eq!((&error["error"], &error["reason"]), (&json!("NOT_INTERACTABLE"), &json!("disabled")));
    assert_eq!(begun.elapsed().as_secs(), 10, "a list may be filled and enabled late");
    assert_eq!(far.count(CHOOSE), 0);
}

#[tokio::test(start_paused = true)]
async fn an_ambiguous_text_is_told_with_the_candidates() {
    let north = json!({ "index": 0, "text": "A", "value": "na", "group": "North" });
    let far = FarEnd::new(move |asked, _| match asked {
        PROBE => list(json!([[north, choice(2, "A")]])),
        CHOOSE => done(),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let error = agent.call("select", args("text", json!("A"))).await.unwrap_err();
    assert_eq!(error["error"], "INVALID_ARGUMENT");
    assert_eq!(error["candidates"][0], json!({ "text": "A", "value": "na", "index": 0, "group": "North" }));
    assert_eq!(
        agent.call("select", args("value", json!("na"))).await.unwrap()["index"],
        0,
        "values take the first"
    );
}

#[tokio::test(start_paused = true)]
async fn a_multiple_list_gets_exactly_the_values() {
    let far = FarEnd::new(|asked, _| match asked {
        PROBE => list_with(json!([[choice(0, "赤")], [choice(2, "青")]]), json!({ "multiple": true })),
        CHOOSE => done(),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let several = json!({ "selector": { "by": "id", "value": "c" }, "by": "text", "values": ["赤", "青"] });
    let result = agent.call("select", several.clone()).await.unwrap();
    assert_eq!(result["chosen"][1], json!({ "text": "青", "value": "v2", "index": 2 }));
    assert_eq!(far.script_args("choose"), [json!([element("l1"), [0, 2], ["赤", "青"]])]);

    let far = FarEnd::new(|asked, _| if asked == PROBE { list(json!([[], []])) } else { quiet(asked) });
    let mut agent = Agent::start(&far).await;
    assert_eq!(agent.call("select", several).await.unwrap_err()["error"], "INVALID_ARGUMENT");
}

#[tokio::test(start_paused = true)]
async fn c16_a_dialog_opened_by_the_choice_is_told_or_answered() {
    for answer in [|| value("null"), || dialog_open("Tax class is now T2")] {
        let far = FarEnd::new(move |asked, _| match asked {
            PROBE => list(json!([[choice(1, "T2")]])),
            CHOOSE => answer(),
            "GET /alert/text" => value("\"Tax class is now T2\""),
            "POST /alert/accept" => value("null"),
            other => quiet(other),
        });
        let mut agent = Agent::start(&far).await;
        let result = agent.call("select", args("text", json!("T2"))).await.unwrap();
        assert_eq!((&result["index"], &result["dialog"]["text"]), (&json!(1), &json!("Tax class is now T2")));
        assert_eq!(far.count(CHOOSE), 1);
    }
    let far = FarEnd::new(|asked, _| match asked {
        PROBE => list(json!([[choice(1, "T2")]])),
        CHOOSE => dialog_open("Sure?"),
        "POST /alert/accept" => value("null"),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let mut with = args("text", json!("T2"));
    with["dialog"] = json!({ "action": "accept" });
    let result = agent.call("select", with).await.unwrap();
    assert_eq!(result["answered"], json!({ "text": "Sure?", "action": "accept" }));
    assert_eq!(result.get("dialog"), None);
}

#[tokio::test(start_paused = true)]
async fn options_that_moved_since_the_look_are_not_chosen() {
    let far = FarEnd::new(|asked, _| match asked {
        PROBE => list(json!([[choice(1, "b")]])),
        CHOOSE => said(&json!({ "done": false }), &[]),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let error = agent.call("select", args("text", json!("b"))).await.unwrap_err();
    assert_eq!((&error["error"], &error["outcome"]), (&json!("ELEMENT_NOT_FOUND"), &json!("not_done")));
    assert_eq!(far.count(CHOOSE), 1);
}

#[tokio::test(start_paused = true)]
async fn a_choice_without_an_answer_has_an_unknown_outcome() {
    let far = FarEnd::new(|asked, _| match asked {
        PROBE => list(json!([[choice(1, "b")]])),
        CHOOSE => error(500, "script timeout", "Timed out waiting for script to complete."),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let error = agent.call("select", args("text", json!("b"))).await.unwrap_err();
    assert_eq!((&error["error"], &error["outcome"]), (&json!("TIMEOUT"), &json!("unknown")));
    assert_eq!(far.count(CHOOSE), 1);
}

#[tokio::test(start_paused = true)]
async fn a_choice_the_page_takes_back_and_lists_that_changed_are_told() {
    let far = FarEnd::new(|asked, _| match asked {
        PROBE => list(json!([[choice(1, "b")]])),
        CHOOSE => said(
            &json!({ "done": true, "stays": false, "dependents": [{ "id": "city", "optionCount": 4 }] }),
            &[],
        ),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let result = agent.call("select", args("text", json!("b"))).await.unwrap();
    assert_eq!(result["verified"], false);
    assert_eq!(result["dependents"], json!([{ "id": "city", "optionCount": 4 }]));
}
