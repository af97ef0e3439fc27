//! The work of a cache, as numbers.
//!
//! Every request is counted once by how it ended, so that the counts of the ends add up to the requests. Counting is an
//! addition to an atomic; a snapshot taken while requests end may have counted some of them and not others.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::Serialize;

use super::histogram::{Histogram, Times};
use crate::budget::BudgetError;

/// The events that are counted.
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

const COUNTS: usize = Count::BytesWritten as usize + 1;

/// The counts of a cache.
#[derive(Debug, Default)]
pub(super) struct Counters {
    counts: [AtomicU64; COUNTS],
    compilations: Times,
    requests: Times,
}

impl Counters {
    pub(super) fn one(&self, count: Count) {
        self.add(count, 1);
    }

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

    pub(super) fn spent(&self, error: &BudgetError) {
        self.one(match error {
            BudgetError::Time { .. } => Count::Timeouts,
            BudgetError::Cancelled { .. } => Count::Cancelled,
            BudgetError::Memory { .. } => Count::OutOfMemory,
        });
    }

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

/// The work of a cache since it was made, in this process. The first ten are the ends of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct CacheStats {
    /// Compiled by the request.
    pub compiled: u64,
    /// Found in memory, opened.
    pub memory_hits: u64,
    /// Found in a layer.
    pub layer_hits: u64,
    /// Found in the folder.
    pub folder_hits: u64,
    /// Answered with the result of another request, after waiting for it.
    pub shared: u64,
    /// Refused after the source was read.
    pub refused: u64,
    /// Refused because an equal request was refused before.
    pub refused_from_memory: u64,
    /// Ended by its limit of time, compiling or waiting.
    pub timeouts: u64,
    /// Ended by its flag, compiling or waiting.
    pub cancelled: u64,
    /// Ended by its limit of memory.
    pub out_of_memory: u64,
    /// Artifacts that could not be written to the folder.
    pub not_kept: u64,
    /// Artifacts that left memory to make room.
    pub evicted_from_memory: u64,
    /// Files that were deleted to make room in the folder.
    pub evicted_from_folder: u64,
    /// Bytes written to the folder.
    pub bytes_written: u64,
    /// Wall times of compilations, including failed ones.
    pub compile_times: Histogram,
    /// Times of requests from call to end, including waits and file look-ups.
    pub request_times: Histogram,
}

impl CacheStats {
    /// Requests that have ended.
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
