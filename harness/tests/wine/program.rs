//! One running Windows program: its pipes and its end.
//!
//! Does not own: what is said over the pipes.

use crate::place::{Place, windows_path};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

/// A Windows program under Wine. Killed when dropped.
#[derive(Debug)]
pub(crate) struct Program {
    /// Its file.
    pub(crate) exe: PathBuf,
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    stderr: BufReader<ChildStderr>,
}

/// How a program ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Its exit code; -1 if a signal ended it.
    pub(crate) code: i32,
    /// What it wrote to stdout and nobody read before, bytes as they came.
    pub(crate) stdout: Vec<u8>,
    /// The same of stderr.
    pub(crate) stderr: String,
}

impl Program {
    /// Starts `exe` with arguments and additional variables.
    pub(crate) fn start(place: &Place, exe: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new(&place.loader);
        command
            .arg(windows_path(exe))
            .args(arguments)
            .env("WINEPREFIX", &place.prefix)
            .env("WINEARCH", "win64")
            .env("WINEDEBUG", "-all")
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let mut child = command
            .spawn()
            .unwrap_or_else(|error| panic!("failed to start Wine for {}: {error}", exe.display()));
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("a piped stdout"));
        let stderr = BufReader::new(child.stderr.take().expect("a piped stderr"));
        Self { exe: exe.to_owned(), child, stdin, stdout, stderr }
    }

    /// Writes bytes to its stdin.
    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("an open stdin");
        stdin.write_all(bytes).await.expect("the program reads its stdin");
        stdin.flush().await.expect("the program reads its stdin");
    }

    /// The next line of its stdout with its line end, bytes as they came; empty at the end.
    pub(crate) async fn line(&mut self) -> Vec<u8> {
        let mut line = Vec::new();
        self.stdout.read_until(b'\n', &mut line).await.expect("a readable stdout");
        line
    }

    /// What it wrote to stderr, to the end.
    pub(crate) async fn complaint(&mut self) -> String {
        let mut text = Vec::new();
        self.stderr.read_to_end(&mut text).await.expect("a readable stderr");
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Closes its stdin and waits for its end.
    pub(crate) async fn finish(mut self) -> Ended {
        self.stdin = None;
        self.ended().await
    }

    /// Waits for its end.
    pub(crate) async fn ended(mut self) -> Ended {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let (ended, ..) = tokio::join!(
            self.child.wait(),
            self.stdout.read_to_end(&mut stdout),
            self.stderr.read_to_end(&mut stderr)
        );
        let code = ended.expect("the program's exit code").code().unwrap_or(-1);
        Ended { code, stdout, stderr: String::from_utf8_lossy(&stderr).into_owned() }
    }
}
