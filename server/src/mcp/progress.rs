//! Progress notifications of one call. Owns: their rising count. Does not own: when to report.

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};

/// Reports progress of one call to the client that asked for it.
pub struct Progress {
    peer: Peer<RoleServer>,
    token: ProgressToken,
    count: u32,
}

impl Progress {
    pub(super) fn new(peer: Peer<RoleServer>, token: ProgressToken) -> Self {
        Self { peer, token, count: 0 }
    }

    /// Sends one notification; a client that is gone is no error of the tool.
    pub async fn report(&mut self, message: &str) {
        self.count += 1;
        let param =
            ProgressNotificationParam::new(self.token.clone(), f64::from(self.count)).with_message(message);
        let _ = self.peer.notify_progress(param).await;
    }
}
