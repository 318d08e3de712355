//! The driver's process: found, started, watched, ended with everything it started.
//!
//! Owns: group or job of the driver, its output, its port. Does not own: sessions.
//! On Linux the parent-death signal is bound to the thread that spawns; the server's only runtime
//! thread is the process's main thread and lives as long as it.

use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};

/// How long a driver may take to end after it was asked to.
const GRACE: Duration = Duration::from_millis(1200);

/// A running driver.
pub(super) struct Process {
    child: Box<dyn ChildWrapper>,
    output: Arc<Mutex<Vec<u8>>>,
    pub(super) port: u16,
}

impl Process {
    /// Starts the driver on a free port of 127.0.0.1.
    pub(super) fn spawn(path: &Path) -> io::Result<Self> {
        // Released before the driver binds it: another program may take it, then the driver exits
        // with code 4 and the start is tried on another port.
        let port = std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let mut command = CommandWrap::with_new(path, |command| {
            command
                .arg(format!("--port={port}"))
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            #[cfg(target_os = "linux")]
            parent_death(command);
        });
        #[cfg(unix)]
        command.wrap(process_wrap::tokio::ProcessGroup::leader());
        // Together with `KillOnDrop` the job ends its members when its last handle is closed, which
        // Windows does when the server dies, however it dies. The job allows no breakaway. Without
        // a window: a console of the driver's own would pop up before the user.
        #[cfg(windows)]
        command
            .wrap(process_wrap::tokio::CreationFlags(windows::Win32::System::Threading::CREATE_NO_WINDOW))
            .wrap(process_wrap::tokio::JobObject);
        command.wrap(KillOnDrop);
        let mut child = command.spawn()?;
        let output = Arc::default();
        if let Some(stream) = child.stdout().take() {
            drain(stream, &output);
        }
        if let Some(stream) = child.stderr().take() {
            drain(stream, &output);
        }
        Ok(Self { child, output, port })
    }

    /// The status if it ended.
    pub(super) fn exited(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// What it printed last, at most 300 characters.
    pub(super) fn last_words(&self) -> String {
        let output = self.output.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let text = String::from_utf8_lossy(&output);
        let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let skip = folded.chars().count().saturating_sub(300);
        folded.chars().skip(skip).collect()
    }

    /// Ends it and all it started: asks, waits shortly, kills.
    pub(super) async fn end(mut self) {
        #[cfg(unix)]
        if self.exited().is_none() && self.child.signal(nix::sys::signal::Signal::SIGTERM as i32).is_ok() {
            let _ = tokio::time::timeout(GRACE, self.child.wait()).await;
        }
        #[cfg(windows)]
        if self.exited().is_none() {
            let _ = tokio::time::timeout(GRACE, shut_down(self.port, &mut *self.child)).await;
        }
        // Also after its own exit: members of its group or job may live on.
        let _ = self.child.start_kill();
        let _ = tokio::time::timeout(GRACE, self.child.wait()).await;
    }
}

/// Ends the driver when the server dies by SIGKILL.
#[cfg(target_os = "linux")]
#[allow(
    unsafe_code,
    reason = "std offers no other way to set the parent-death signal; the call is async-signal-safe"
)]
fn parent_death(command: &mut tokio::process::Command) {
    // SAFETY: prctl is the only call between fork and exec; it neither allocates nor locks.
    unsafe {
        command.pre_exec(|| {
            nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGTERM).map_err(io::Error::from)
        });
    }
}

/// Asks the driver to end by itself, and waits until it has: a killed one leaves its unpacked library in the
/// temporary folder (`reference/iedriver-wire.md` section 1.7).
#[cfg(windows)]
async fn shut_down(port: u16, child: &mut dyn ChildWrapper) -> io::Result<()> {
    use tokio::io::AsyncWriteExt;
    let mut connection = tokio::net::TcpStream::connect(("127.0.0.1", port)).await?;
    let request = format!("GET /shutdown HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    connection.write_all(request.as_bytes()).await?;
    // Of the driver alone: the job is waited for after its kill.
    child.inner_mut().wait().await.map(drop)
}

/// Reads a stream to its end, else the driver blocks on a full pipe. Keeps the last 4 kB.
fn drain(mut stream: impl AsyncRead + Send + Unpin + 'static, output: &Arc<Mutex<Vec<u8>>>) {
    let output = output.clone();
    tokio::spawn(async move {
        let mut chunk = [0; 1024];
        while let Ok(n @ 1..) = stream.read(&mut chunk).await {
            let mut kept = output.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            kept.extend_from_slice(&chunk[..n]);
            let surplus = kept.len().saturating_sub(4096);
            kept.drain(..surplus);
        }
    });
}

/// The driver's path: as configured, else the first on `PATH`.
pub(crate) fn find(configured: Option<&PathBuf>) -> Option<PathBuf> {
    if let Some(path) = configured {
        return path.is_file().then(|| path.clone());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .flat_map(|folder| ["IEDriverServer.exe", "IEDriverServer"].map(|name| folder.join(name)))
        .find(|file| file.is_file())
}

/// Time between two looks whether the driver listens.
pub(super) async fn breathe() {
    tokio::time::sleep(Duration::from_millis(25)).await;
}
