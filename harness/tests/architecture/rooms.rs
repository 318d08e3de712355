//! What a room may name: crates, other tools, clocks, output, unsafe code.

use super::sources::{below, lines_naming, none};

#[test]
fn fantoccini_stays_in_the_driver_room() {
    none(
        "fantoccini outside server/src/driver",
        lines_naming("server/src", &["fantoccini"], &["server/src/driver/"]),
    );
}

#[test]
fn rmcp_stays_at_the_mcp_edge() {
    let edge = ["server/src/mcp/", "server/src/main.rs", "server/src/lib.rs"];
    none("rmcp outside server/src/mcp", lines_naming("server/src", &["rmcp"], &edge));
}

#[test]
fn no_tool_names_another_tool() {
    let tools: Vec<String> = below("server/src/tools", ".rs")
        .into_iter()
        .filter_map(|file| Some(file.path.rsplit_once('/')?.1.strip_suffix(".rs")?.to_owned()))
        .filter(|name| name != "mod")
        .collect();
    let mut findings = Vec::new();
    for tool in &tools {
        let own = format!("server/src/tools/{tool}.rs");
        let module = format!("(super|tools)::{tool}");
        findings.extend(lines_naming("server/src/tools", &[&module], &["server/src/tools/mod.rs", &own]));
    }
    none("a tool names another tool", findings);
}

#[test]
fn the_model_does_no_input_or_output() {
    let io = ["tokio", "hyper", "axum", "std::fs", "std::net", "std::process", "std::io"];
    none("harness/src/model names something that does I/O", lines_naming("harness/src/model", &io, &[]));
}

#[test]
fn time_passes_in_few_places() {
    // A deadline is no waiting, but it is tokio's clock all the same.
    let server = [
        "server/src/page/wait.rs",      // the one polling loop
        "server/src/driver/process.rs", // waits for processes
        "server/src/driver/session.rs", // deadline of a command
        "server/src/mcp/wrapper.rs",    // deadline of a call
    ];
    none(
        "server: a sleep outside the wait loop and the process module",
        lines_naming("server/src", &[r"sleep(_until)?\("], &server),
    );
    let others = ["fake-iedriver/src/clock.rs", "harness/src/clock.rs"];
    for folder in ["fake-iedriver/src", "harness/src"] {
        let words = [r"tokio::time::sleep(_until)?", r"tokio::time::interval"];
        none("a sleep outside the clock module", lines_naming(folder, &words, &others));
    }
}

#[test]
fn stdout_is_written_by_the_command_line_only() {
    let mut findings =
        lines_naming("server/src", &[r"print_stdout"], &["server/src/main.rs", "server/src/doctor/"]);
    findings.extend(lines_naming("harness/src", &["print_stdout"], &["harness/src/cli/"]));
    findings.extend(lines_naming("fake-iedriver/src", &["print_stdout"], &["fake-iedriver/src/main.rs"]));
    none("a lint against printing is switched off elsewhere", findings);
}

#[test]
fn unsafe_code_is_allowed_by_name_only() {
    let places = [
        "fake-iedriver/src/script/engine.rs", // the engine's realm function
        "fake-iedriver/src/script/node.rs",   // the marker trait of values that hold nothing of the engine
        "server/src/driver/process.rs",       // parent-death signal between fork and exec; job object
    ];
    let mut findings = Vec::new();
    for folder in ["server/src", "fake-iedriver/src", "harness/src"] {
        findings.extend(lines_naming(folder, &[r"unsafe_code", r"unsafe"], &places));
    }
    none("unsafe code", findings);
}
