//! The options of a cache: the location of artifacts, and bounds.

use std::path::PathBuf;

use super::layer::Layer;
use super::memory::Bounds;

/// Default number of opened artifacts in memory.
pub const MEMORY_ENTRIES: usize = 256;

/// Default bound on the bytes of these together. Mapped files count, although their pages are the system's.
pub const MEMORY_BYTES: usize = 1 << 30;

/// Default number of refusals in memory.
pub const REFUSALS: usize = 1024;

/// Default bound on the bytes of all files in the folder.
pub const FOLDER_BYTES: u64 = 4 << 30;

/// The options of a cache. Without a folder it keeps artifacts only in memory.
#[derive(Clone, Debug)]
pub struct CacheOptions {
    pub(super) layers: Vec<Layer>,
    pub(super) folder: Option<PathBuf>,
    pub(super) folder_bytes: u64,
    pub(super) memory: Bounds,
}

impl Default for CacheOptions {
    fn default() -> Self {
        let memory = Bounds { entries: MEMORY_ENTRIES, bytes: MEMORY_BYTES, refusals: REFUSALS };
        Self { layers: Vec::new(), folder: None, folder_bytes: FOLDER_BYTES, memory }
    }
}

impl CacheOptions {
    /// Memory alone, with the documented bounds.
    pub fn new() -> Self {
        Self::default()
    }

    /// The folder to keep artifacts in, which any number of processes may share.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Bounds the bytes of all files in the folder, instead of [`FOLDER_BYTES`]; `u64::MAX` for no bound.
    #[must_use]
    pub fn folder_bytes(mut self, bytes: u64) -> Self {
        self.folder_bytes = bytes;
        self
    }

    /// Adds a layer, which is searched after earlier layers and before the folder.
    #[must_use]
    pub fn layer(mut self, layer: Layer) -> Self {
        self.layers.push(layer);
        self
    }

    /// Bounds the number of opened artifacts in memory, instead of [`MEMORY_ENTRIES`]; with 0, none are kept.
    #[must_use]
    pub fn memory_entries(mut self, entries: usize) -> Self {
        self.memory.entries = entries;
        self
    }

    /// Bounds the bytes of these together, instead of [`MEMORY_BYTES`].
    #[must_use]
    pub fn memory_bytes(mut self, bytes: usize) -> Self {
        self.memory.bytes = bytes;
        self
    }

    /// Bounds the number of refusals in memory, instead of [`REFUSALS`]; with 0, none are kept.
    #[must_use]
    pub fn refusals(mut self, refusals: usize) -> Self {
        self.memory.refusals = refusals;
        self
    }
}
