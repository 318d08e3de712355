//! Everything that talks to or lives with IEDriverServer: the session, its commands, the cable they
//! travel on and the process behind it. The only room that names fantoccini.

pub mod cable;
pub mod command;
mod http;
mod mend;
mod process;
pub mod session;
pub mod start;

use crate::DriverAccess;
use crate::config::Config;
use crate::error::ToolError;
use crate::page::Memory;
use command::Command;
use process::Process;
pub(crate) use process::find;
use session::{Budget, Failure, Session};
use start::Started;
use std::time::Duration;
use tokio::time::Instant;

/// How long a live session may take to say so, and a driver to end its session.
const PROBE: Duration = Duration::from_secs(3);
const CLOSE: Duration = Duration::from_secs(5);

/// The one driver of a server, with at most one session.
pub struct Driver {
    access: DriverAccess,
    process: Option<Process>,
    build: Option<(String, u32)>,
    /// The live session.
    pub session: Option<Session>,
    /// What is remembered of its page.
    pub memory: Memory,
}

impl Driver {
    /// No process, no session yet.
    pub fn new(access: DriverAccess) -> Self {
        Self { access, process: None, build: None, session: None, memory: Memory::default() }
    }

    /// Keeps a live session, else starts one; a failed start leaves nothing behind.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` with the `reason` of `contract.md` section 2.7.
    pub async fn start(&mut self, config: &Config, budget: &Budget) -> Result<Started, ToolError> {
        if self.is_alive(budget).await {
            return Ok(Started { reused: true, build: self.build.clone() });
        }
        self.end(PROBE).await;
        let started = self.start_new(config, budget).await;
        if started.is_err() {
            self.end(PROBE).await;
        }
        started
    }

    async fn is_alive(&mut self, budget: &Budget) -> bool {
        let Some(session) = &mut self.session else { return false };
        session.begin(Budget { deadline: budget.deadline.min(Instant::now() + PROBE), ..budget.clone() });
        match session.run(Command::window_handle()).await {
            Ok(_) => true,
            // The current window is gone, but not the session.
            Err(failure @ Failure::W3c { .. }) => !failure.is("invalid session id"),
            Err(_) => false,
        }
    }

    /// Address of the driver's own first page, which every session shows before it is navigated.
    pub fn start_page(&self) -> Option<&str> {
        self.session.as_ref()?.capabilities["se:ieOptions"]["initialBrowserUrl"].as_str()
    }

    /// Ends session, browser and driver within 5 s and the time to kill; never fails.
    pub async fn close(&mut self) {
        self.end(CLOSE).await;
    }

    /// As [`Driver::close`] with another limit for the driver's answer.
    pub async fn end(&mut self, limit: Duration) {
        if let Some(mut session) = self.session.take() {
            let limit = if session.unsettled() { limit.min(Duration::from_secs(1)) } else { limit };
            session.delete(limit).await;
        }
        self.discard().await;
    }

    /// Drops the session without asking the driver, and ends its process.
    pub async fn discard(&mut self) {
        if let Some(mut session) = self.session.take() {
            session.cut();
        }
        self.memory = Memory::default();
        self.build = None;
        if let Some(process) = self.process.take() {
            process.end().await;
        }
    }
}
