//! A recording in place of the driver executable.
//!
//! Owns: the process that a server starts as its driver (it hands bytes on to the replaying process and
//! nothing else) and the listener it hands them to. One listener for each driver process: a killed
//! one is gone with its connections. Does not own: answers (`far_end`).
//!
//! The two talk over one control connection: the listener says `port <n>`, and `exit <code>` when the
//! driver is to end; the end of the connection is the end of either.

use super::{FarEnd, memory::wire_options};
use fake_iedriver::{switches::Switches, wire::Wire};
use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    process::ExitCode,
    sync::Arc,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, copy_bidirectional},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

/// Variable that makes the harness's executable a driver: where the replaying process listens.
pub const VARIABLE: &str = "HARNESS_REPLAY";

/// Exit code of the real driver when its port is taken (`reference/iedriver-wire.md` section 1.5).
const PORT_TAKEN: u8 = 4;

/// Where driver processes report.
#[derive(Debug)]
pub struct StandIns {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl StandIns {
    /// Listens on a free loopback port. Ends on drop.
    ///
    /// # Errors
    /// If no port can be bound.
    pub async fn listen(far_end: Arc<FarEnd>, version: Option<String>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let task = tokio::spawn(async move {
            // Dropped with the task, and the driver processes with it.
            let mut drivers = tokio::task::JoinSet::new();
            while let Ok((control, _)) = listener.accept().await {
                let wire = Wire::new(far_end.clone(), wire_options(version.clone()));
                drivers.spawn(attend(control, wire));
            }
        });
        Ok(Self { address, task })
    }

    /// What a server's environment must hold.
    pub fn variable(&self) -> (String, String) {
        (VARIABLE.to_owned(), self.address.to_string())
    }
}

impl Drop for StandIns {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Serves one driver process until it or its wire ends.
async fn attend(mut control: TcpStream, wire: Arc<Wire>) -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let port = listener.local_addr()?.port();
    let stop = CancellationToken::new();
    let _stopped = stop.clone().drop_guard();
    tokio::spawn(wire.clone().serve_listener(listener, stop));
    control.write_all(format!("port {port}\n").as_bytes()).await?;
    let mut byte = [0];
    tokio::select! {
        () = wire.gone() => {
            let code = wire.exit_code().unwrap_or(0);
            control.write_all(format!("exit {code}\n").as_bytes()).await?;
        }
        _ = control.read(&mut byte) => {}
    }
    Ok(())
}

/// The address if this process was started as a driver.
pub fn address() -> Option<String> {
    std::env::var(VARIABLE).ok().filter(|address| !address.is_empty())
}

/// Runs as the driver until told to end.
pub fn run(address: &str) -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(_) => return ExitCode::FAILURE,
    };
    let code = runtime.block_on(async { drive(address).await.unwrap_or(1) });
    runtime.shutdown_background();
    ExitCode::from(code)
}

async fn drive(address: &str) -> io::Result<u8> {
    let switches = Switches::parse(std::env::args().skip(1)).map_err(io::Error::other)?;
    let mut control = BufReader::new(TcpStream::connect(address).await?).lines();
    let Some(data) = control.next_line().await?.and_then(|line| line.strip_prefix("port ")?.parse().ok())
    else {
        return Err(io::Error::other("the replaying process gave no port"));
    };
    let Ok(listener) = TcpListener::bind((Ipv4Addr::LOCALHOST, switches.port)).await else {
        return Ok(PORT_TAKEN);
    };
    loop {
        tokio::select! {
            biased;
            line = control.next_line() => {
                let code = line?.and_then(|line| line.strip_prefix("exit ")?.parse::<i32>().ok());
                return Ok(code.unwrap_or(0) as u8);
            }
            accepted = listener.accept() => {
                if let Ok((client, _)) = accepted {
                    tokio::spawn(relay(client, data));
                }
            }
        }
    }
}

/// Hands bytes on both ways; a broken far side breaks the near one.
async fn relay(mut client: TcpStream, port: u16) {
    let _ = client.set_nodelay(true);
    let relayed = async {
        let mut far = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
        far.set_nodelay(true)?;
        copy_bidirectional(&mut client, &mut far).await
    }
    .await;
    if relayed.is_err() {
        let _ = client.set_zero_linger();
    }
}
