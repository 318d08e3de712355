//! The committed schemas are those of the types, and every recording is valid by them.
#![allow(clippy::unwrap_used, reason = "a test fails by panic")]

use harness::{
    recording::{FLOW, MANIFEST, WIRE, schemas},
    testing,
};
use jsonschema::Validator;
use serde_json::Value;
use std::{collections::BTreeMap, fs, path::Path};

#[test]
fn the_committed_schemas_are_those_of_the_types() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema");
    for (name, schema) in schemas() {
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        let file = folder.join(name);
        if std::env::var("HARNESS_UPDATE_SCHEMA").as_deref() == Ok("1") {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&file, &text).unwrap();
        }
        let committed = fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(
            committed, text,
            "{name} is old: run this test with HARNESS_UPDATE_SCHEMA=1 and read the change"
        );
    }
}

#[test]
fn every_recording_is_valid_and_a_wrong_line_is_not() {
    let validators: BTreeMap<&str, Validator> = schemas()
        .into_iter()
        .map(|(name, schema)| (name, jsonschema::validator_for(&schema).unwrap()))
        .collect();
    let valid = |schema: &str, value: &Value, place: &str| {
        let errors: Vec<String> =
            validators[schema].iter_errors(value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{place}: {errors:?}");
    };
    for folder in testing::recordings() {
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let place = folder.display().to_string();
        valid("manifest.schema.json", &serde_json::from_str(&read(MANIFEST)).unwrap(), &place);
        read(FLOW)
            .lines()
            .for_each(|line| valid("flow.schema.json", &serde_json::from_str(line).unwrap(), &place));
        for line in read(WIRE).lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            let schema =
                if line.get("cmd").is_some() { "exchange.schema.json" } else { "process.schema.json" };
            valid(schema, &line, &place);
        }
    }
    let two_answers = serde_json::json!({
        "n": 1, "t": 0, "cost": 0, "cmd": "status", "req": {}, "res": { "ok": null, "transport": {} },
    });
    assert!(!validators["exchange.schema.json"].is_valid(&two_answers), "a result is exactly one of three");
}
