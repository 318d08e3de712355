//! One test per recording and mode: its flow against the server, and the transcript's snapshot beside it.
//!
//! Tests are made at run time, so a new folder in `recordings/` is a new test without a line of code.

use harness::{
    recording,
    replay::{Mode, Options, Played, Verdict, play, transcript},
    testing,
};
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::Path;

fn main() {
    let mut trials = Vec::new();
    for folder in testing::recordings() {
        let Some(name) = folder.file_name().map(|name| name.to_string_lossy().into_owned()) else { continue };
        let test = |mode: &str, run: fn(&str, &Path) -> Result<(), Failed>| {
            let (name, folder) = (name.clone(), folder.clone());
            Trial::test(format!("{name}::{mode}"), move || run(&name, &folder))
        };
        trials.push(test("in_process", in_process));
        trials.push(test("binary", binary));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn in_process(name: &str, folder: &Path) -> Result<(), Failed> {
    let first = same(name, folder, Options::default())?;
    let second = same(name, folder, Options { seed: 2, ..Options::default() })?;
    let text = transcript(&first);
    if transcript(&second) != text {
        return Err(
            "another seed gives another transcript: an id leaks, or the order of windows matters".into()
        );
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(std::path::absolute(folder.join("snapshots"))?);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("transcript", text));
    Ok(())
}

fn binary(name: &str, folder: &Path) -> Result<(), Failed> {
    let mode: Mode = testing::binary_mode().map_err(|missing| missing.to_string())?;
    same(name, folder, Options { mode, ..Options::default() }).map(drop)
}

fn same(name: &str, folder: &Path, options: Options) -> Result<Played, Failed> {
    let recording = recording::read(folder).map_err(|damage| damage.to_string())?;
    let played = play(name, &recording, &options);
    if played.verdict() == Verdict::Same { Ok(played) } else { Err(played.trouble().into()) }
}
