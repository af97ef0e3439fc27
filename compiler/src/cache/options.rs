//! The options of a cache: the places of artifacts, and bounds.

use std::path::PathBuf;

use super::layer::Layer;
use super::memory::Bounds;

/// The default for the most opened artifacts in memory. Beyond it, the least recently used ones are dropped.
pub const MEMORY_ENTRIES: usize = 256;

/// The default for the most bytes of all opened artifacts in memory together. Beyond it, the least recently used ones
/// are dropped. The bytes of mapped files count, although they are in the page cache of the system.
pub const MEMORY_BYTES: usize = 1 << 30;

/// The default for the most refusals in memory: the errors of sources that do not compile. Beyond it, the least
/// recently used ones are dropped.
pub const REFUSALS: usize = 1024;

/// The default for the most bytes of all files in the folder. Beyond it, the least recently used files are deleted.
pub const FOLDER_BYTES: u64 = 4 << 30;

/// The options of a cache. Without a folder, it keeps artifacts only in memory.
#[derive(Clone, Debug)]
pub struct CacheOptions {
    /// Folders of prebuilt artifacts, in the order in which they are searched.
    pub(super) layers: Vec<Layer>,
    /// The folder in which artifacts are kept. `None` if they are kept only in memory.
    pub(super) folder: Option<PathBuf>,
    /// The most bytes of all files in the folder.
    pub(super) folder_bytes: u64,
    /// The bounds on the artifacts and refusals in memory.
    pub(super) memory: Bounds,
}

impl Default for CacheOptions {
    fn default() -> Self {
        let memory = Bounds { entries: MEMORY_ENTRIES, bytes: MEMORY_BYTES, refusals: REFUSALS };
        Self { layers: Vec::new(), folder: None, folder_bytes: FOLDER_BYTES, memory }
    }
}

impl CacheOptions {
    /// Returns the default options: artifacts are kept only in memory, within [`MEMORY_ENTRIES`] and [`MEMORY_BYTES`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the folder in which artifacts are kept. Any number of processes may share it.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Bounds the bytes of all files in the folder, instead of [`FOLDER_BYTES`]. `u64::MAX` means no bound.
    #[must_use]
    pub fn folder_bytes(mut self, bytes: u64) -> Self {
        self.folder_bytes = bytes;
        self
    }

    /// Adds a layer, a folder of prebuilt artifacts. It is searched after earlier layers and before the cache's folder.
    #[must_use]
    pub fn layer(mut self, layer: Layer) -> Self {
        self.layers.push(layer);
        self
    }

    /// Bounds the number of opened artifacts in memory, instead of [`MEMORY_ENTRIES`]. With 0, no artifact is kept in
    /// memory.
    #[must_use]
    pub fn memory_entries(mut self, entries: usize) -> Self {
        self.memory.entries = entries;
        self
    }

    /// Bounds the bytes of all opened artifacts in memory together, instead of [`MEMORY_BYTES`].
    #[must_use]
    pub fn memory_bytes(mut self, bytes: usize) -> Self {
        self.memory.bytes = bytes;
        self
    }

    /// Bounds the number of refusals in memory, instead of [`REFUSALS`]. With 0, no refusal is kept.
    #[must_use]
    pub fn refusals(mut self, refusals: usize) -> Self {
        self.memory.refusals = refusals;
        self
    }
}
