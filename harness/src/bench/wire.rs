//! How much the server asks of the driver: requests and bytes sent, for each call of a flow.
//!
//! Owns: a server in this process in front of a far end in this process with a real browser behind, and
//! counting between the two. Does not own: which flow.

use crate::{
    demo_app::DemoApp,
    flow::{
        Step, ToolServer,
        executables::{self, FAKE_IEDRIVER},
        live::{DEMO_ORIGIN, OTHER_ORIGIN},
    },
};
use fake_iedriver::{
    bridge::{Bridge, BridgeOptions},
    handle,
    wire::{
        Wire, WireOptions,
        capabilities::{self, Machine},
    },
};
use ie_mode_mcp::{Config, DriverAccess, driver::cable::Io};
use std::{
    error::Error,
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What one call cost.
#[derive(Clone, Debug)]
pub struct Cost {
    /// The tool.
    pub tool: String,
    /// What is waited for, if it is `wait_for`.
    pub kind: Option<String>,
    /// Names of the WebDriver commands sent, in order.
    pub commands: Vec<&'static str>,
    /// Bytes sent, heads included.
    pub bytes: u64,
    /// Code of the tool's error, if it was one.
    pub error: Option<String>,
}

/// Requests of the original program: for one call of a tool in the search flow, as it was observed.
pub fn original(tool: &str, kind: Option<&str>) -> Option<&'static str> {
    match (tool, kind) {
        ("navigate" | "inspect_page", _) => Some("4"),
        ("type", _) => Some("7"),
        ("select", _) => Some("11-20"),
        ("click", _) => Some("8"),
        ("wait_for", Some("visible")) => Some("3"),
        _ => None,
    }
}

/// Requests of the original program for the search flow.
pub const ORIGINAL_REQUESTS: usize = 57;
/// Bytes the original program sends for the search flow.
pub const ORIGINAL_BYTES: u64 = 100_000;
/// Requests this project allows itself for the search flow.
pub const WANTED_REQUESTS: usize = 40;

/// Runs a flow on the demonstration application and counts.
///
/// # Errors
/// If browser, far end or server do not start, or a call brings no result. Control lines are refused:
/// there is no driver process here.
pub async fn count(steps: &[Step]) -> Result<Vec<Cost>, Box<dyn Error + Send + Sync>> {
    let app = DemoApp::start().await?;
    let real = url::Url::parse(&app.url())?;
    let map = vec![(url::Url::parse(DEMO_ORIGIN)?, real.clone()), (url::Url::parse(OTHER_ORIGIN)?, real)];
    let bridge = Bridge::start(BridgeOptions {
        chromedriver: std::env::var_os("FAKE_IEDRIVER_CHROMEDRIVER").map(Into::into),
        url: None,
        browser: std::env::var_os("FAKE_IEDRIVER_BROWSER").map(Into::into),
        map,
        keeper: Some(executables::find(FAKE_IEDRIVER)?),
        machine: Machine { start_url: format!("{DEMO_ORIGIN}/"), edge_path: capabilities::EDGE_PATH.into() },
    })
    .await?;
    let wire = Wire::new(Arc::new(bridge), WireOptions::default());
    let sent = Arc::new(AtomicU64::new(0));
    let dial = {
        let (wire, sent) = (Arc::clone(&wire), Arc::clone(&sent));
        Arc::new(move || {
            let (wire, sent) = (Arc::clone(&wire), Arc::clone(&sent));
            let connection: futures::future::BoxFuture<'static, io::Result<Box<dyn Io>>> =
                Box::pin(async move {
                    let io = handle::dial(&wire)?;
                    Ok(Box::new(Counted { io, sent }) as Box<dyn Io>)
                });
            connection
        })
    };
    let server = ToolServer::in_process(Config::default(), DriverAccess::Dial(dial)).await?;
    let mut costs = Vec::new();
    for step in steps {
        let Step::Call { tool, arguments } = step else {
            return Err("a flow with control lines cannot be counted: there is no driver process".into());
        };
        let (commands, bytes) = (wire.log().names().len(), sent.load(Ordering::Relaxed));
        let result = server.call(tool, arguments.clone()).await?;
        costs.push(Cost {
            tool: tool.clone(),
            kind: (tool == "wait_for").then(|| arguments["type"].as_str().unwrap_or_default().to_owned()),
            commands: wire.log().names().split_off(commands),
            bytes: sent.load(Ordering::Relaxed) - bytes,
            error: result.error_code(),
        });
    }
    server.close().await;
    wire.end_session().await;
    Ok(costs)
}

/// A connection that counts what is written to it.
struct Counted<T> {
    io: T,
    sent: Arc<AtomicU64>,
}

impl<T: AsyncRead + Unpin> AsyncRead for Counted<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buf)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Counted<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.io).poll_write(cx, buf);
        if let Poll::Ready(Ok(count)) = &result {
            self.sent.fetch_add(*count as u64, Ordering::Relaxed);
        }
        result
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}
