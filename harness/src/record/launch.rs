//! What a recorded server was told, and what a flow file leaves out.
//!
//! Owns: the configuration for the manifest, filling `{{secret:<slot>}}` of a flow with values. Does not own:
//! starting (`session`).

use crate::flow::{Launch, Step};
use ie_mode_mcp::{Config, config::VARIABLES};
use serde_json::{Map, Value};
use std::{collections::BTreeMap, fmt};

/// Takes a flag of the server from its command line, for the recorder stands where it points: the flag would beat the
/// variable. Its value, the last one if it is repeated.
pub fn take_flag(launch: &mut Launch, variable: &str) -> Option<String> {
    let flag = VARIABLES.iter().find(|known| known.name == variable)?.flag;
    let mut kept = Vec::new();
    let mut found = None;
    let mut words = std::mem::take(&mut launch.arguments).into_iter();
    while let Some(word) = words.next() {
        match word.strip_prefix("--").map(|word| word.split_once('=').unwrap_or((word, ""))) {
            Some((name, value)) if name == flag && word.contains('=') => found = Some(value.to_owned()),
            Some((name, _)) if name == flag => found = words.next(),
            _ => kept.push(word),
        }
    }
    launch.arguments = kept;
    found
}

/// The server's configuration as its command line and variables say it, without paths and addresses of this
/// machine. Empty if they are wrong: then the server says what is.
pub(super) fn config_of(launch: &Launch) -> Map<String, Value> {
    let flag = |name: &str| take_flag(&mut launch.clone(), name);
    let read = Config::read(|name| flag(name).or_else(|| launch.variables.get(name).cloned()));
    let Ok(Ok(Value::Object(mut config))) = read.map(serde_json::to_value) else { return Map::new() };
    for machine in ["edge_path", "driver_path", "driver_url"] {
        config.shift_remove(machine);
    }
    config
}

/// Values for the slots of a flow.
#[derive(Clone, Debug, Default)]
pub struct FlowSecrets(pub BTreeMap<String, String>);

/// A flow names a slot without a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoValue(String);

impl fmt::Display for NoValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the flow types {{{{secret:{0}}}}}: give its value in a file, --secrets FILE with a line {0} = \"…\"",
            self.0
        )
    }
}

impl std::error::Error for NoValue {}

impl FlowSecrets {
    /// The steps with values for their slots. A slot that a recorder gave to a text which reached no field
    /// (`call7`) needs none: any text will do.
    ///
    /// # Errors
    /// Names the slot that has no value.
    pub fn fill(&self, steps: Vec<Step>) -> Result<Vec<Step>, NoValue> {
        steps
            .into_iter()
            .map(|step| match step {
                Step::Call { tool, arguments } => {
                    let Value::Object(arguments) = self.filled(Value::Object(arguments))? else {
                        return Ok(Step::Call { tool, arguments: Map::new() });
                    };
                    Ok(Step::Call { tool, arguments })
                }
                control => Ok(control),
            })
            .collect()
    }

    fn filled(&self, value: Value) -> Result<Value, NoValue> {
        Ok(match value {
            Value::String(text) => self.filled_text(&text)?.into(),
            Value::Array(items) => {
                items.into_iter().map(|item| self.filled(item)).collect::<Result<Vec<_>, _>>()?.into()
            }
            Value::Object(members) => members
                .into_iter()
                .map(|(name, value)| Ok((name, self.filled(value)?)))
                .collect::<Result<Map<_, _>, _>>()?
                .into(),
            other => other,
        })
    }

    fn filled_text(&self, text: &str) -> Result<String, NoValue> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{secret:") {
            let Some((slot, behind)) = after.split_once("}}") else { break };
            out.push_str(before);
            let any = slot.strip_prefix("call").is_some_and(|n| n.chars().all(|c| c.is_ascii_digit()));
            match self.0.get(slot) {
                Some(value) => out.push_str(value),
                None if any => out.push_str("any text"),
                None => return Err(NoValue(slot.to_owned())),
            }
            rest = behind;
        }
        out.push_str(rest);
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_configuration_is_that_of_flags_and_variables_without_paths() {
        let launch = Launch {
            program: "server".into(),
            arguments: ["--timeout-ms", "500", "--page-load-ms=900", "--driver-path", "/x"]
                .map(str::to_owned)
                .into(),
            variables: BTreeMap::from([
                ("IE_MCP_TIMEOUT_MS".into(), "1".into()),
                ("IE_MCP_READ_ONLY".into(), "1".into()),
            ]),
        };
        let config = config_of(&launch);
        assert_eq!((&config["timeout_ms"], &config["page_load_ms"]), (&json!(500), &json!(900)));
        assert_eq!(config["read_only"], true);
        assert!(!config.contains_key("driver_path"));
    }

    #[test]
    fn a_flag_that_names_the_driver_is_taken_from_the_command_line() {
        let words = ["--read-only=1", "--driver-path", "C:\\a.exe", "--timeout-ms", "5", "--driver-path=b"];
        let mut launch = Launch { arguments: words.map(str::to_owned).into(), ..Launch::default() };
        assert_eq!(take_flag(&mut launch, "IE_MCP_DRIVER_PATH").as_deref(), Some("b"));
        assert_eq!(launch.arguments, ["--read-only=1", "--timeout-ms", "5"]);
        assert_eq!(take_flag(&mut launch, "IE_MCP_DRIVER_URL"), None);
    }

    #[test]
    fn slots_are_filled_and_a_missing_value_is_named_with_its_remedy() {
        let step = |text: &str| Step::Call {
            tool: "type".into(),
            arguments: json!({ "text": text }).as_object().unwrap().clone(),
        };
        let secrets = FlowSecrets(BTreeMap::from([("password".to_owned(), "hunter2".to_owned())]));
        let filled = secrets.fill(vec![step("a {{secret:password}} b"), step("{{secret:call7}}")]).unwrap();
        assert_eq!(filled, [step("a hunter2 b"), step("any text")]);
        let error = secrets.fill(vec![step("{{secret:pin}}")]).unwrap_err().to_string();
        assert!(error.contains("secret:pin") && error.contains("--secrets"), "{error}");
    }
}
