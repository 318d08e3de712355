//! The asynchronous side of a session.
//!
//! Owns: one command at a time, sleeping and loading on behalf of the engine thread, page timers
//! while no command runs. Does not own: what commands mean. Waiting for the engine goes through
//! `spawn_blocking`, which holds a paused clock still while scripts run.

use super::port::{Down, Millis, Up};
use crate::browser::net::Network;
use crate::clock;
use crate::wire::{Call, Reply, SessionReply};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, SystemTime};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

/// A command with the place for its answer.
pub struct Job {
    /// The command.
    pub call: Call,
    /// Gets exactly one answer unless the session ends.
    pub reply: oneshot::Sender<SessionReply>,
}

/// The session's clock: wall time at its start, moved by tokio's clock.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    started: Instant,
    epoch: Millis,
}

impl Clock {
    /// A clock that shows the wall time now.
    pub fn start() -> Self {
        let epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self { started: Instant::now(), epoch: epoch.as_millis() as u64 }
    }

    /// What it shows.
    pub fn now(&self) -> Millis {
        self.epoch + self.started.elapsed().as_millis() as u64
    }

    async fn sleep_until(&self, time: Millis) {
        clock::wait_until(self.started + Duration::from_millis(time.saturating_sub(self.epoch))).await;
    }
}

/// Serves jobs until the channel closes or the engine thread is gone.
pub async fn drive(
    mut jobs: mpsc::Receiver<Job>,
    down: Sender<Down>,
    up: Receiver<Up>,
    network: Arc<Network>,
    clock: Clock,
) {
    // The thread is idle once its browser stands.
    let (mut up, mut next_timer) = match until_idle(up, &down, &network, &clock, None).await {
        Some(idle) => idle,
        None => return,
    };
    let mut answered = false;
    loop {
        // What a command left to do is done before the next one, but only once: a page that is never
        // done must not keep commands out.
        let due = std::mem::take(&mut answered) && next_timer.is_some_and(|time| time <= clock.now());
        let job = tokio::select! {
            biased;
            () = std::future::ready(()), if due => None,
            job = jobs.recv() => match job {
                Some(job) => Some(job),
                None => break,
            },
            () = clock.sleep_until(next_timer.unwrap_or_default()), if next_timer.is_some() => None,
        };
        answered = job.is_some();
        let (message, reply) = match job {
            Some(job) => (Down::Call(Box::new(job.call), clock.now()), Some(job.reply)),
            None => (Down::Tick(clock.now()), None),
        };
        if down.send(message).is_err() {
            break;
        }
        match until_idle(up, &down, &network, &clock, reply).await {
            Some((receiver, timer)) => (up, next_timer) = (receiver, timer),
            None => return,
        }
    }
    let _ = down.send(Down::Quit);
}

/// Does what the engine asks for until it is idle; none if its thread is gone.
async fn until_idle(
    mut up: Receiver<Up>,
    down: &Sender<Down>,
    network: &Network,
    clock: &Clock,
    mut reply: Option<oneshot::Sender<SessionReply>>,
) -> Option<(Receiver<Up>, Option<Millis>)> {
    loop {
        let received = tokio::task::spawn_blocking(move || {
            let message = up.recv();
            (up, message)
        });
        let (receiver, message) = received.await.ok()?;
        up = receiver;
        let answer = match message.ok()? {
            Up::Answer(answer) => {
                if let Some(reply) = reply.take() {
                    let _ = reply.send(*answer);
                }
                continue;
            }
            Up::Idle(next_timer) => {
                if let Some(reply) = reply.take() {
                    // Every path answers; a gap is told instead of leaving the client without one.
                    let error = crate::wire::DriverError::new("unknown error", "The command gave no answer");
                    let _ = reply.send(Reply::Error(error).into());
                }
                return Some((up, next_timer));
            }
            Up::WaitUntil(time) => {
                clock.sleep_until(time).await;
                Down::Tick(clock.now())
            }
            Up::Fetch(request) => {
                let result = network.fetch(*request).await;
                Down::Fetched(result, clock.now())
            }
        };
        down.send(answer).ok()?;
    }
}
