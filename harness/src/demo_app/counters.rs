//! What the application counts, so that a test can tell once from twice.
//!
//! Owns: the numbers. Does not own: when one rises (`routes`).

use serde::Serialize;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Side effects that reached the application since it started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counters {
    /// Orders posted by `/order`.
    pub orders: u64,
    /// Stock movements posted in the frame of `/iframe`.
    pub registrations: u64,
    /// Sign-ins that were right.
    pub logins: u64,
    /// Sign-ins that were refused.
    pub refused_logins: u64,
    /// Deletions confirmed on `/dialogs`.
    pub deletions: u64,
    /// Files received by `/file`.
    pub uploads: u64,
    /// Beacons of `/typing` by name: `key`, `change`, `click`, `plain`.
    pub hits: BTreeMap<String, u64>,
    /// GET requests of pages by path, redirects included, beacons not.
    pub pages: BTreeMap<String, u64>,
}

impl Counters {
    /// How often a beacon of this name came.
    pub fn hit(&self, name: &str) -> u64 {
        self.hits.get(name).copied().unwrap_or(0)
    }

    /// How often this path was asked for.
    pub fn page(&self, path: &str) -> u64 {
        self.pages.get(path).copied().unwrap_or(0)
    }
}

/// The counters as all requests share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Shared(Arc<Mutex<Counters>>);

impl Shared {
    pub(super) fn snapshot(&self) -> Counters {
        self.lock().clone()
    }

    /// Raises what `pick` names and gives the new number.
    pub(super) fn count(&self, pick: impl FnOnce(&mut Counters) -> &mut u64) -> u64 {
        let mut counters = self.lock();
        let number = pick(&mut counters);
        *number += 1;
        *number
    }

    // A request that panicked while counting leaves numbers that are still numbers.
    fn lock(&self) -> MutexGuard<'_, Counters> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
