//! Statistics of a cache.
//!
//! Every request is counted once, by how it ended, so the counts of the ends add up to the number of requests. Counting
//! is an addition to an atomic. A snapshot taken while requests end may have counted some of them and not others.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::Serialize;

use super::histogram::{Histogram, Times};
use crate::budget::BudgetError;

/// The events that are counted. They have the meaning of the fields of [`CacheStats`].
#[derive(Clone, Copy, Debug)]
pub(super) enum Count {
    Compiled,
    MemoryHits,
    LayerHits,
    FolderHits,
    Shared,
    Refused,
    RefusedFromMemory,
    Timeouts,
    Cancelled,
    OutOfMemory,
    NotKept,
    EvictedFromMemory,
    EvictedFromFolder,
    BytesWritten,
}

/// The number of kinds of events.
const COUNTS: usize = Count::BytesWritten as usize + 1;

/// The counts of a cache, which any thread can add to.
#[derive(Debug, Default)]
pub(super) struct Counters {
    /// For each [`Count`], how often the event happened.
    counts: [AtomicU64; COUNTS],
    /// The times of compilations.
    compilations: Times,
    /// The times of requests.
    requests: Times,
}

impl Counters {
    /// Counts one event.
    pub(super) fn one(&self, count: Count) {
        self.add(count, 1);
    }

    /// Adds a number to the count of an event.
    pub(super) fn add(&self, count: Count, number: u64) {
        self.counts[count as usize].fetch_add(number, Ordering::Relaxed);
    }

    /// Records the time of a compilation, successful or not.
    pub(super) fn compiled_for(&self, time: Duration) {
        self.compilations.add(time);
    }

    /// Records the time of a request from its call to its end, successful or not.
    pub(super) fn answered_in(&self, time: Duration) {
        self.requests.add(time);
    }

    /// Counts a request whose budget is spent, by the limit that was exceeded.
    pub(super) fn spent(&self, error: &BudgetError) {
        self.one(match error {
            BudgetError::Time { .. } | BudgetError::Work { .. } => Count::Timeouts,
            BudgetError::Cancelled { .. } => Count::Cancelled,
            BudgetError::Memory { .. } => Count::OutOfMemory,
        });
    }

    /// Returns the statistics so far.
    pub(super) fn snapshot(&self) -> CacheStats {
        let count = |count: Count| self.counts[count as usize].load(Ordering::Relaxed);
        CacheStats {
            compiled: count(Count::Compiled),
            memory_hits: count(Count::MemoryHits),
            layer_hits: count(Count::LayerHits),
            folder_hits: count(Count::FolderHits),
            shared: count(Count::Shared),
            refused: count(Count::Refused),
            refused_from_memory: count(Count::RefusedFromMemory),
            timeouts: count(Count::Timeouts),
            cancelled: count(Count::Cancelled),
            out_of_memory: count(Count::OutOfMemory),
            not_kept: count(Count::NotKept),
            evicted_from_memory: count(Count::EvictedFromMemory),
            evicted_from_folder: count(Count::EvictedFromFolder),
            bytes_written: count(Count::BytesWritten),
            compile_times: self.compilations.snapshot(),
            request_times: self.requests.snapshot(),
        }
    }
}

/// The statistics of a cache since it was opened, in this process. The first ten fields count the ends of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct CacheStats {
    /// Requests that compiled their artifact.
    pub compiled: u64,
    /// Requests whose artifact was in memory.
    pub memory_hits: u64,
    /// Requests whose artifact was in a layer, a folder of prebuilt artifacts.
    pub layer_hits: u64,
    /// Requests whose artifact was in the cache's folder.
    pub folder_hits: u64,
    /// Requests that waited for another request and were answered with its result.
    pub shared: u64,
    /// Requests that were refused for errors of their source or grammar.
    pub refused: u64,
    /// Requests that were refused because an equal request was refused before.
    pub refused_from_memory: u64,
    /// Requests that ended at their limit of time, compiling or waiting.
    pub timeouts: u64,
    /// Requests that ended because their cancellation flag was set, compiling or waiting.
    pub cancelled: u64,
    /// Requests that ended at their limit of memory.
    pub out_of_memory: u64,
    /// Artifacts that could not be written to the folder.
    pub not_kept: u64,
    /// Artifacts that were dropped from memory to make room.
    pub evicted_from_memory: u64,
    /// Files that were deleted from the folder to make room.
    pub evicted_from_folder: u64,
    /// Bytes written to the folder.
    pub bytes_written: u64,
    /// Wall times of compilations, including failed ones.
    pub compile_times: Histogram,
    /// Times of requests from call to end, including waits and file look-ups.
    pub request_times: Histogram,
}

impl CacheStats {
    /// Returns the number of requests that have ended.
    pub fn requests(&self) -> u64 {
        self.compiled
            + self.memory_hits
            + self.layer_hits
            + self.folder_hits
            + self.shared
            + self.refused
            + self.refused_from_memory
            + self.timeouts
            + self.cancelled
            + self.out_of_memory
    }
}
