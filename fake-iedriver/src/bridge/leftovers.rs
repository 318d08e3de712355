//! What a browser leaves behind.
//!
//! Owns: the folder whose name marks every process of the bridge, and the end of those processes:
//! a browser survives its driver, and its crash handler has a session of its own, so the last step is
//! a kill by the mark. A keeper process does that even if this one is killed. Does not own: an
//! orderly end (`end_session`).

use std::{
    io::Read,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// Variable that turns an executable into the keeper of the folder it names.
pub const KEEPER: &str = "FAKE_IEDRIVER_KEEPER";

/// The marked folder. Dropping it ends every process that names it and removes it.
pub struct Profile {
    folder: PathBuf,
    keeper: Option<Child>,
}

impl Profile {
    /// Makes the folder `fake-iedriver-<pid>-<random>` and starts its keeper.
    pub(super) fn new(keeper: Option<&Path>) -> Result<Self, String> {
        let name = format!("fake-iedriver-{}-{:08x}", std::process::id(), fastrand::u32(..));
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
        let mut profile = Self { folder, keeper: None };
        if let Some(program) = keeper {
            let mut command = Command::new(program);
            command.env(KEEPER, &profile.folder).env_remove("FAKE_IEDRIVER_ARGS");
            command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
            #[cfg(unix)]
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
            let child =
                command.spawn().map_err(|error| format!("cannot start {}: {error}", program.display()))?;
            profile.keeper = Some(child);
        }
        Ok(profile)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Profile {
    fn drop(&mut self) {
        remove(&self.folder);
        if let Some(mut keeper) = self.keeper.take() {
            // The end of its input ends it.
            drop(keeper.stdin.take());
            let _ = keeper.wait();
        }
    }
}

/// What the keeper does: waits for the end of its input, which is the end of the process that
/// started it, and removes what is left.
pub fn keep(folder: &Path) {
    let mut byte = [0];
    while matches!(std::io::stdin().read(&mut byte), Ok(1..)) {}
    remove(folder);
}

fn remove(folder: &Path) {
    // A browser that is ending still writes: end its processes and try until the folder is gone.
    for _ in 0..200 {
        let ended = end_marked(folder);
        match std::fs::remove_dir_all(folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => std::thread::yield_now(),
            _ if ended == 0 => return,
            _ => std::thread::yield_now(),
        }
    }
}

/// Kills every other process whose command line names the folder; how many there were.
#[cfg(target_os = "linux")]
fn end_marked(folder: &Path) -> usize {
    use nix::{sys::signal, unistd::Pid};
    let mark = folder.as_os_str().as_encoded_bytes();
    let own = std::process::id();
    let mut ended = 0;
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let Ok(line) = std::fs::read(entry.path().join("cmdline")) else { continue };
        if pid != own && line.windows(mark.len()).any(|window| window == mark) {
            ended += 1;
            let _ = signal::kill(Pid::from_raw(pid as i32), signal::Signal::SIGKILL);
        }
    }
    ended
}

#[cfg(not(target_os = "linux"))]
fn end_marked(_folder: &Path) -> usize {
    0
}
