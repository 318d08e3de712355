//! `harness bench start` and `harness bench wire`: figures beside those of the original program.

use super::{Exit, Failure, live_runtime};
use crate::{
    bench::{
        median,
        start::{self, Sample},
        wire::{self, Cost},
    },
    flow::{self, executables, live},
};
use clap::{Args, Subcommand};
use std::path::{Path, PathBuf};

/// Measures the server.
#[derive(Debug, Args)]
pub(super) struct BenchArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Time from start to initialize and memory of the built release server, as medians.
    Start {
        /// How often it is started.
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
        times: u32,
        /// The server; by default the one beside this program or in the `release` folder beside its own.
        #[arg(long, value_name = "PATH")]
        binary: Option<PathBuf>,
    },
    /// WebDriver requests and bytes sent for each call of a flow, on a real browser.
    Wire {
        /// The flow; by default the customer search.
        #[arg(long, value_name = "FILE")]
        flow: Option<PathBuf>,
        /// Name the requests of each call.
        #[arg(long)]
        names: bool,
    },
}

/// The flow that the original's figures are of.
const SEARCH: &str = include_str!("../../flows/customer-search.jsonl");

impl BenchArgs {
    /// Prints a table.
    ///
    /// # Errors
    /// If the server is not built, is a debug build or does not answer; if there is no browser.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        match self.what {
            What::Start { times, binary } => bench_start(times, binary),
            What::Wire { flow, names } => bench_wire(flow.as_deref(), names),
        }
    }
}

fn bench_start(times: u32, binary: Option<PathBuf>) -> Result<Exit, Failure> {
    let program = match binary {
        Some(path) => path,
        None => release_server()?,
    };
    let debug = start::is_debug(&program)
        .map_err(|error| Failure::usage(format!("cannot read {}: {error}", program.display())))?;
    if debug {
        return Err(Failure::usage(format!(
            "{} is a debug build, and its figures say nothing; build it with `cargo build --release -p ie-mode-mcp`",
            program.display()
        )));
    }
    let samples = live_runtime()?
        .block_on(start::measure(&program, times))
        .map_err(|error| Failure::usage(format!("cannot measure {}: {error}", program.display())))?;
    print_start(&samples);
    Ok(Exit::Fine)
}

/// Beside this program if that is a release build, else in the release folder next to its own.
fn release_server() -> Result<PathBuf, Failure> {
    let beside = executables::find(executables::SERVER);
    if let Ok(path) = &beside
        && !start::is_debug(path).unwrap_or(true)
    {
        return Ok(path.clone());
    }
    let file = format!("{}{}", executables::SERVER, std::env::consts::EXE_SUFFIX);
    let here = std::env::current_exe().unwrap_or_default();
    let release =
        here.ancestors().map(|folder| folder.join("release").join(&file)).find(|path| path.is_file());
    release.or(beside.ok()).ok_or_else(|| {
        Failure::usage(
            "cannot find a release build of the server; build it with `cargo build --release -p ie-mode-mcp`",
        )
    })
}

#[allow(clippy::print_stdout, reason = "the command line owns stdout")]
fn print_start(samples: &[Sample]) {
    let us = |pick: fn(&Sample) -> u128| {
        let all = || samples.iter().map(pick);
        let (low, high) = (all().min().unwrap_or_default(), all().max().unwrap_or_default());
        (median(all()).unwrap_or_default(), low, high)
    };
    let ms = |value: u128| format!("{}.{}", value / 1_000, value / 100 % 10);
    let row = |name: &str, ours: String, range: String, wanted: String, original: String| {
        println!("{name:<28} {ours:>10} {range:>18} {wanted:>10} {original:>10}");
    };
    println!("{} starts of the release build, medians", samples.len());
    row("", "ours".into(), "least to most".into(), "wanted".into(), "original".into());
    let (middle, low, high) = us(|sample| sample.initialize.as_micros());
    let range = format!("{} to {}", ms(low), ms(high));
    row("start to initialize, ms", ms(middle), range, format!("< {}", start::WANTED_MS), "-".into());
    if samples.iter().all(|sample| sample.cpu.is_some()) {
        let (middle, low, high) = us(|sample| sample.cpu.unwrap_or_default().as_micros());
        let range = format!("{} to {}", ms(low), ms(high));
        row("CPU time of that, ms", ms(middle), range, "-".into(), start::ORIGINAL_CPU_MS.to_string());
    }
    let rss: Vec<u64> = samples.iter().filter_map(|sample| sample.rss_kb).collect();
    let pss: Vec<u64> = samples.iter().filter_map(|sample| sample.pss_kb).collect();
    for (name, all) in [("memory (RSS), kB", rss), ("memory (PSS), kB", pss)] {
        let (Some(middle), Some(low), Some(high)) = (median(all.clone()), all.iter().min(), all.iter().max())
        else {
            continue;
        };
        let range = format!("{low} to {high}");
        row(
            name,
            middle.to_string(),
            range,
            format!("< {}", start::WANTED_KB),
            start::ORIGINAL_KB.to_string(),
        );
    }
}

fn bench_wire(file: Option<&Path>, names: bool) -> Result<Exit, Failure> {
    if let Some(reason) = live::missing_browser() {
        return Err(Failure::usage(format!("cannot count without a browser: {reason}")));
    }
    let steps = match file {
        Some(file) => flow::read(file),
        None => flow::parse(SEARCH, Path::new("customer-search")),
    }
    .map_err(|error| Failure::usage(error.to_string()))?;
    let costs =
        live_runtime()?.block_on(wire::count(&steps)).map_err(|error| Failure::usage(error.to_string()))?;
    print_wire(&costs, names, file.is_none());
    Ok(Exit::Fine)
}

#[allow(clippy::print_stdout, reason = "the command line owns stdout")]
fn print_wire(costs: &[Cost], names: bool, is_search: bool) {
    let row = |call: &str, tool: &str, requests: &str, bytes: &str, original: &str, rest: &str| {
        let line = format!("{call:>4} {tool:<20} {requests:>9} {bytes:>8} {original:>9}  {rest}");
        println!("{}", line.trim_end());
    };
    row("call", "tool", "requests", "bytes", "original", "");
    for (index, cost) in costs.iter().enumerate() {
        let tool = match &cost.kind {
            Some(kind) => format!("{} {kind}", cost.tool),
            None => cost.tool.clone(),
        };
        let mut rest = cost.error.clone().unwrap_or_default();
        if names {
            rest = format!("{rest} {}", cost.commands.join(" ")).trim().to_owned();
        }
        let original = wire::original(&cost.tool, cost.kind.as_deref()).unwrap_or("-");
        let (requests, bytes) = (cost.commands.len().to_string(), cost.bytes.to_string());
        row(&(index + 1).to_string(), &tool, &requests, &bytes, original, &rest);
    }
    let requests: usize = costs.iter().map(|cost| cost.commands.len()).sum();
    let bytes: u64 = costs.iter().map(|cost| cost.bytes).sum();
    let (name, original, rest) = if is_search {
        let rest = format!(
            "the original sends {} bytes; wanted: <= {} requests",
            wire::ORIGINAL_BYTES,
            wire::WANTED_REQUESTS
        );
        ("search flow", wire::ORIGINAL_REQUESTS.to_string(), rest)
    } else {
        ("flow", "-".to_owned(), String::new())
    };
    row("all", name, &requests.to_string(), &bytes.to_string(), &original, &rest);
}
