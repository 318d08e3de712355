//! Where things are: the Wine loader and its prefix, our Windows programs, the real driver; folders and the registry.
//!
//! Does not own: running programs (`program`).

use crate::program::Program;
use futures::FutureExt;
use libtest_mimic::Trial;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// What `.ci/windows` has prepared.
#[derive(Debug)]
pub(crate) struct Place {
    /// The Wine loader: runs a Windows program given as its first argument.
    pub(crate) loader: PathBuf,
    /// Wine's prefix: registry and drive C of the Windows under test.
    pub(crate) prefix: PathBuf,
    /// The folder that holds our Windows programs.
    binaries: PathBuf,
    /// The real IEDriverServer.exe.
    driver: PathBuf,
    /// A Windows program that does nothing and stays.
    idle: PathBuf,
    /// A Windows program that runs another on a console, and sends that an event.
    console: PathBuf,
}

/// A folder of one test's own, with blanks and Japanese letters in its name. Its programs are known by its path.
#[derive(Debug)]
pub(crate) struct Folder(TempDir);

impl Place {
    /// Reads the variables.
    ///
    /// # Errors
    /// The name of the first variable that is not set.
    pub(crate) fn from_environment() -> Result<Self, &'static str> {
        let read = |name: &'static str| std::env::var_os(name).map(PathBuf::from).ok_or(name);
        Ok(Self {
            loader: read("IE_MCP_WINE_LOADER")?,
            prefix: read("IE_MCP_WINE_PREFIX")?,
            binaries: read("IE_MCP_WINDOWS_BINARIES")?,
            driver: read("IE_MCP_REAL_DRIVER")?,
            idle: read("IE_MCP_IDLE_PROGRAM")?,
            console: read("IE_MCP_CONSOLE_PROGRAM")?,
        })
    }

    /// A new folder; deleted with the value.
    pub(crate) fn folder(&self) -> Folder {
        let folder = tempfile::Builder::new().prefix("IE モード 試験 ").tempdir();
        Folder(folder.expect("a folder for temporary files"))
    }

    /// A copy of the real driver in `folder`.
    pub(crate) fn real_driver(&self, folder: &Folder) -> PathBuf {
        folder.copy(&self.driver)
    }

    /// A copy of one of our programs (`ie-mode-mcp.exe`) in `folder`.
    pub(crate) fn ours(&self, name: &str, folder: &Folder) -> PathBuf {
        folder.copy(&self.binaries.join(name))
    }

    /// A copy in `folder` of a program that does nothing and stays.
    pub(crate) fn idle(&self, folder: &Folder) -> PathBuf {
        folder.copy(&self.idle)
    }

    /// A copy in `folder` of the program that runs another on a console (`.ci/windows.d/console.c`).
    pub(crate) fn console(&self, folder: &Folder) -> PathBuf {
        folder.copy(&self.console)
    }

    /// Runs a test while these registry values (key, name, number) are set as an operator would, with `reg add`;
    /// removes them afterwards, also if the test fails.
    pub(crate) async fn with_numbers(&self, values: &[(&str, &str, &str)], test: impl Future<Output = ()>) {
        for (key, name, data) in values {
            let set = ["add", key, "/v", name, "/t", "REG_DWORD", "/d", data, "/f"];
            assert_eq!(self.system("reg.exe", &set).await, 0, "reg add {key} {name}");
        }
        let outcome = AssertUnwindSafe(test).catch_unwind().await;
        for (key, name, _) in values {
            self.system("reg.exe", &["delete", key, "/v", name, "/f"]).await;
        }
        outcome.unwrap_or_else(|failure| std::panic::resume_unwind(failure));
    }

    /// The libraries that drivers have unpacked into the temporary folder and not removed.
    pub(crate) fn unpacked_libraries(&self) -> BTreeSet<OsString> {
        let users = std::fs::read_dir(self.prefix.join("drive_c/users")).expect("the users of the prefix");
        users
            .flatten()
            .filter_map(|user| std::fs::read_dir(user.path().join("Temp")).ok())
            .flat_map(|files| files.flatten().map(|file| file.file_name()))
            .filter(|name| {
                let name = name.to_string_lossy();
                name.starts_with("IED") && name.ends_with(".tmp")
            })
            .collect()
    }

    /// Ends every process of this executable's name by TerminateProcess.
    pub(crate) async fn terminate(&self, exe: &Path) {
        let image = exe.file_name().expect("a file name").to_string_lossy();
        assert_eq!(self.system("taskkill.exe", &["/F", "/IM", &image]).await, 0, "taskkill {image}");
    }

    /// Runs one of Wine's own programs to its end; its exit code.
    async fn system(&self, program: &str, arguments: &[&str]) -> i32 {
        let exe = self.prefix.join("drive_c/windows/system32").join(program);
        Program::start(self, &exe, arguments, &[]).finish().await.code
    }
}

impl Folder {
    /// Its path as this side sees it.
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    fn copy(&self, from: &Path) -> PathBuf {
        let to = self.path().join(copy_name(from));
        std::fs::copy(from, &to).unwrap_or_else(|error| panic!("failed to copy {}: {error}", from.display()));
        to
    }

    /// The Windows programs that run from this folder now, by their command lines.
    pub(crate) fn running(&self) -> Vec<String> {
        let mark = self.path().file_name().expect("a folder's name").to_string_lossy().into_owned();
        let processes = std::fs::read_dir("/proc").expect("the list of processes");
        processes
            .flatten()
            .filter_map(|process| std::fs::read(process.path().join("cmdline")).ok())
            .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
            .filter(|line| line.contains(&mark))
            .collect()
    }

    /// Waits until no program of this folder runs.
    pub(crate) async fn empties(&self) {
        until("the programs of the folder have ended", || self.running().is_empty()).await;
    }
}

/// A name of this run's own: `taskkill` knows programs by their image name alone.
fn copy_name(exe: &Path) -> String {
    let stem = exe.file_stem().expect("a file name").to_string_lossy();
    format!("{stem} {}.exe", std::process::id())
}

/// Waits until `holds`, however slow the machine is; fails after half a minute.
pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..1_500 {
        if holds() {
            return;
        }
        harness::clock::pause(std::time::Duration::from_millis(20)).await;
    }
    panic!("30 s passed and it does not hold that {what}");
}

/// The path under which Windows knows a file of this side.
pub(crate) fn windows_path(path: &Path) -> String {
    format!("Z:{}", path.display()).replace('/', "\\")
}

/// A test on real time and real sockets.
pub(crate) fn trial<F: Future<Output = ()>>(
    name: &str,
    place: &'static Place,
    test: impl Fn(&'static Place) -> F + Send + 'static,
) -> Trial {
    Trial::test(name, move || {
        harness::cli::live_runtime().map_err(|failure| failure.text)?.block_on(test(place));
        Ok(())
    })
}
