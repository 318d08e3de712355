//! The server's environment variables on the built server: unset, empty, broken, each with its message.
//! Needs no browser.

#![allow(clippy::unwrap_used, reason = "a test fails by panic")]

use harness::flow::{
    Launch, ToolServer,
    executables::{self, SERVER},
};
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, process::Stdio};

fn launch(variables: &[(&str, &str)]) -> Launch {
    let program = executables::find(SERVER).unwrap_or_else(|error| panic!("{error}"));
    let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Launch { program, arguments: Vec::new(), variables: variables.collect::<BTreeMap<_, _>>() }
}

/// Exit code, stdout and the log's lines of a server that has no client.
async fn without_client(variables: &[(&str, &str)]) -> (Option<i32>, String, Vec<Value>) {
    let output = launch(variables).command().stdin(Stdio::null()).output().await.unwrap();
    let log = String::from_utf8(output.stderr).unwrap();
    let lines =
        log.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {log}")));
    (output.status.code(), String::from_utf8(output.stdout).unwrap(), lines.collect())
}

#[tokio::test]
async fn a_broken_value_ends_the_start_with_a_message_that_names_variable_and_value() {
    for (name, value) in [
        ("IE_MCP_ALLOWED_ORIGINS", "legacy01.local"),
        ("IE_MCP_ALLOWED_ORIGINS", "http://legacy01.local/menu"),
        ("IE_MCP_ALLOWED_ORIGINS", ","),
        ("IE_MCP_ALLOWED_ORIGINS_STRICT", "perhaps"),
        ("IE_MCP_TIMEOUT_MS", "ten"),
        ("IE_MCP_TIMEOUT_MS", "-1"),
        ("IE_MCP_TIMEOUT_MS", "55001"),
        ("IE_MCP_PAGE_LOAD_MS", "1.5"),
        ("IE_MCP_START_MS", "1e3"),
        ("IE_MCP_READ_ONLY", "2"),
        ("IE_MCP_DRIVER_URL", "https://grid.local"),
    ] {
        let (code, stdout, log) = without_client(&[(name, value)]).await;
        assert_eq!((code, stdout.as_str(), log.len()), (Some(2), "", 1), "{name}={value}");
        let message = log[0]["message"].as_str().unwrap();
        assert_eq!(log[0]["level"], "error");
        let shown = if value == "," { "no origin" } else { value };
        assert!(message.contains(name) && message.contains(shown), "{name}={value}: {message}");
    }
}

#[tokio::test]
async fn empty_is_unset() {
    let names: Vec<&str> = ie_mode_mcp::config::VARIABLES.iter().map(|variable| variable.name).collect();
    for value in ["", "  "] {
        let variables: Vec<_> = names.iter().map(|name| (*name, value)).collect();
        let (code, stdout, log) = without_client(&variables).await;
        assert_eq!((code, stdout.as_str()), (Some(0), ""));
        assert_eq!(log, [json!({ "level": "info", "event": "started", "transport": "stdio" })]);
    }
}

#[tokio::test]
async fn a_driver_that_is_not_there_is_told_when_the_browser_is_started_and_not_before() {
    // An unset path means a search on PATH, here an empty folder.
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("IEDriverServer.exe").display().to_string();
    let path = folder.path().display().to_string();
    for (variables, told) in [
        (vec![("IE_MCP_DRIVER_PATH", missing.as_str())], missing.as_str()),
        (vec![("IE_MCP_DRIVER_PATH", path.as_str())], path.as_str()),
        (vec![("IE_MCP_DRIVER_PATH", ""), ("PATH", path.as_str())], "PATH"),
        (vec![("PATH", path.as_str())], "PATH"),
    ] {
        let server = ToolServer::spawn(&launch(&variables)).await.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(server.tools().await.unwrap().len(), ie_mode_mcp::catalogue().tools.len());
        let failed = server.call("browser_start", Map::new()).await.unwrap();
        assert_eq!(failed.error_code().as_deref(), Some("INTERNAL_ERROR"));
        let json = failed.json();
        assert!(json["message"].as_str().unwrap().contains(told), "{json}");
        assert!(json["reason"].is_string() && json["hint"].is_string(), "{json}");
        assert_eq!(server.close().await.code, Some(0));
    }
}

#[tokio::test]
async fn a_limit_and_the_list_of_origins_hold() {
    let variables =
        [("IE_MCP_ALLOWED_ORIGINS", "HTTP://Legacy01.local:80/"), ("IE_MCP_DRIVER_PATH", "/none")];
    let server = ToolServer::spawn(&launch(&variables)).await.unwrap_or_else(|error| panic!("{error}"));
    let navigate = |url: &str| Map::from_iter([("url".to_owned(), json!(url))]);
    let allowed = server.call("navigate", navigate("http://legacy01.local/customer")).await.unwrap();
    assert_eq!(allowed.error_code().as_deref(), Some("BROWSER_NOT_STARTED"));
    for url in ["http://legacy01.local:8080/", "https://legacy01.local/", "http://legacy01.local.example/"] {
        let code = server.call("navigate", navigate(url)).await.unwrap().error_code();
        assert_eq!(code.as_deref(), Some("URL_NOT_ALLOWED"), "{url}");
    }
    server.close().await;
}
