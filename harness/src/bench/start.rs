//! From the start of the built server to its answer to `initialize`, and what it then holds.
//!
//! Owns: starting it, the first messages, what `/proc` says of it. Does not own: which build is
//! measured; a debug build is refused by [`is_debug`].

use crate::{clock::Stopwatch, flow::Launch};
use serde_json::{Value, json};
use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWriteExt, BufReader},
    process::ChildStdin,
};

/// Start to `initialize` that this project promises, ms.
pub const WANTED_MS: u64 = 50;
/// Memory (RSS) that this project promises, kB.
pub const WANTED_KB: u64 = 15_000;
/// CPU time of the original program's start, ms.
pub const ORIGINAL_CPU_MS: u64 = 650;
/// Memory of the original program, kB.
pub const ORIGINAL_KB: u64 = 87_000;

/// One start.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// From before the process was created to the whole answer.
    pub initialize: Duration,
    /// CPU time of its threads until then; none where `/proc` does not tell.
    pub cpu: Option<Duration>,
    /// Resident memory after `tools/list`, kB.
    pub rss_kb: Option<u64>,
    /// The same with shared pages divided among those who share them, kB.
    pub pss_kb: Option<u64>,
}

/// Starts it this many times, one after the other.
///
/// # Errors
/// If it cannot be started or does not answer.
pub async fn measure(program: &Path, times: u32) -> io::Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for _ in 0..times {
        samples.push(once(program).await?);
    }
    Ok(samples)
}

async fn once(program: &Path) -> io::Result<Sample> {
    let launch = Launch { program: PathBuf::from(program), ..Launch::default() };
    let watch = Stopwatch::start();
    let mut child = launch.command().spawn()?;
    let (Some(mut stdin), Some(stdout), Some(id)) = (child.stdin.take(), child.stdout.take(), child.id())
    else {
        return Err(io::Error::other("no pipes to the server"));
    };
    let mut lines = BufReader::new(stdout);
    let initialize = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "harness-bench", "version": env!("CARGO_PKG_VERSION") } });
    ask(&mut stdin, &mut lines, 0, "initialize", initialize).await?;
    let (initialize, cpu) = (watch.elapsed(), cpu(id));
    send(&mut stdin, &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await?;
    ask(&mut stdin, &mut lines, 1, "tools/list", json!({})).await?;
    let (rss_kb, pss_kb) = memory(id);
    drop(stdin);
    child.wait().await?;
    Ok(Sample { initialize, cpu, rss_kb, pss_kb })
}

async fn send(stdin: &mut ChildStdin, message: &Value) -> io::Result<()> {
    stdin.write_all(format!("{message}\n").as_bytes()).await?;
    stdin.flush().await
}

async fn ask(
    stdin: &mut ChildStdin,
    lines: &mut BufReader<impl AsyncRead + Unpin>,
    id: u32,
    method: &str,
    params: Value,
) -> io::Result<()> {
    send(stdin, &json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await?;
    let mut line = String::new();
    lines.read_line(&mut line).await?;
    let answer: Value = serde_json::from_str(&line).unwrap_or_default();
    if answer["result"].is_object() {
        Ok(())
    } else {
        Err(io::Error::other(format!("the server answered {method} with: {}", line.trim())))
    }
}

/// Time on a processor of all threads that still run.
fn cpu(id: u32) -> Option<Duration> {
    let threads = fs::read_dir(format!("/proc/{id}/task")).ok()?;
    let nanoseconds = threads.filter_map(|thread| {
        let text = fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    });
    Some(Duration::from_nanos(nanoseconds.sum()))
}

fn memory(id: u32) -> (Option<u64>, Option<u64>) {
    let text = fs::read_to_string(format!("/proc/{id}/smaps_rollup")).unwrap_or_default();
    let figure = |name: &str| {
        text.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next()?.parse().ok())
    };
    (figure("Rss:"), figure("Pss:"))
}

/// True if this executable is a debug build: it lies in Cargo's `debug` folder or has a section of line
/// tables, which the release profile strips.
///
/// # Errors
/// If it cannot be read.
pub fn is_debug(program: &Path) -> io::Result<bool> {
    let by_folder = program.parent().and_then(Path::file_name).is_some_and(|folder| folder == "debug");
    // As it stands in a table of section names; the standard library holds the bare word.
    let section = b"\0.debug_line\0";
    Ok(by_folder || fs::read(program)?.windows(section.len()).any(|bytes| bytes == section))
}

#[cfg(test)]
mod tests {
    use super::is_debug;

    #[test]
    fn a_debug_build_is_told_by_its_line_tables_or_its_folder() {
        // This very executable is one.
        assert!(is_debug(&std::env::current_exe().unwrap()).unwrap());
        let folder = tempfile::tempdir().unwrap();
        let (plain, debug) = (folder.path().join("server"), folder.path().join("debug"));
        std::fs::write(&plain, "stripped, with the word .debug_line in its texts").unwrap();
        assert!(!is_debug(&plain).unwrap());
        std::fs::create_dir(&debug).unwrap();
        assert!(is_debug(&debug.join("server")).unwrap());
        assert!(is_debug(&folder.path().join("missing")).is_err());
    }
}
