//! Artifacts in folders, found by their digests.
//!
//! The digest of an artifact, and the vocabulary that it belongs to, are in the header of its file, so no artifact is opened
//! to find another.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use bytemuck::Zeroable;
use grammarc_artifacts::container::header::{MAGIC, RawHeader};
use grammarc_artifacts::sections::kinds::ArtifactKind;

/// The digest of an artifact: the checksum in its header.
pub type Digest = [u8; 32];

/// The identity of a vocabulary artifact: its fingerprint, and the digest of its tables.
pub type VocabularyId = [Digest; 2];

/// Folders with artifacts. Any number of threads may use them at once.
///
/// The folders of `grammarc build`, folders of a cache, or any others, with their subfolders. They are searched when a digest is
/// not known, but not sooner than the interval after the last search.
#[derive(Debug)]
pub struct ArtifactFolders {
    folders: Vec<PathBuf>,
    interval: Duration,
    known: RwLock<Known>,
    /// The time of the last search, held during a search. Known digests do not wait for it.
    searched: Mutex<Option<Instant>>,
}

#[derive(Debug, Default)]
struct Known {
    grammars: HashMap<Digest, PathBuf>,
    vocabularies: HashMap<VocabularyId, PathBuf>,
}

/// A grammar artifact that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its file.
    pub path: PathBuf,
    /// The vocabulary that it was compiled for.
    pub of: VocabularyId,
    /// The file of a vocabulary artifact that it can be opened with. `None` if the folders have none.
    pub vocabulary: Option<PathBuf>,
}

impl ArtifactFolders {
    /// Returns folders that are not searched yet. They are searched at most once in each `interval`.
    pub fn new(folders: impl IntoIterator<Item = PathBuf>, interval: Duration) -> Self {
        let folders = folders.into_iter().collect();
        Self { folders, interval, known: RwLock::default(), searched: Mutex::default() }
    }

    /// Returns the folders.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Returns the grammar artifact with a digest. `None` if the folders have none. O(1) for a known digest, otherwise
    /// one read for each file in the folders.
    pub fn find(&self, digest: Digest) -> Option<Found> {
        if let Some(found) = self.known(digest) {
            return Some(found);
        }
        let mut searched = self.searched.lock().unwrap_or_else(PoisonError::into_inner);
        if searched.is_none_or(|searched| searched.elapsed() >= self.interval) {
            let known = Known::search(&self.folders);
            *self.known.write().unwrap_or_else(PoisonError::into_inner) = known;
            *searched = Some(Instant::now());
        }
        self.known(digest)
    }

    fn known(&self, digest: Digest) -> Option<Found> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).get(digest)
    }
}

impl Known {
    /// Returns an artifact if its file still has the digest.
    fn get(&self, digest: Digest) -> Option<Found> {
        let path = self.grammars.get(&digest)?;
        let header = header_of(path).filter(|header| header.checksum == digest)?;
        let of = [header.fingerprint, header.shared_digest];
        Some(Found { path: path.clone(), of, vocabulary: self.vocabularies.get(&of).cloned() })
    }

    /// Reads the headers of all artifacts in folders and their subfolders, in the order of the folders and of names. Of
    /// equal artifacts, the first counts.
    fn search(folders: &[PathBuf]) -> Self {
        let mut known = Self::default();
        let mut left: Vec<PathBuf> = folders.iter().rev().cloned().collect();
        while let Some(folder) = left.pop() {
            let Ok(entries) = fs::read_dir(folder) else { continue };
            let mut entries: Vec<_> = entries.flatten().collect();
            entries.sort_by_key(fs::DirEntry::file_name);
            for entry in &entries {
                known.add(entry.path());
            }
            let is_folder =
                |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
            let below = entries.iter().rev().filter(|entry| is_folder(entry));
            left.extend(below.map(fs::DirEntry::path));
        }
        known
    }

    /// Adds a file if it is an artifact.
    fn add(&mut self, path: PathBuf) {
        let is_named = path.extension().is_some_and(|name| name == "gmask" || name == "gvocab");
        let Some(header) = is_named.then(|| header_of(&path)).flatten() else { return };
        if header.kind == ArtifactKind::Grammar as u32 {
            self.grammars.entry(header.checksum).or_insert(path);
        } else {
            let id = [header.fingerprint, header.shared_digest];
            self.vocabularies.entry(id).or_insert(path);
        }
    }
}

/// Reads the header of an artifact. `None` for any other file. Only regular files are opened: others may block.
fn header_of(path: &Path) -> Option<RawHeader> {
    fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let mut header = RawHeader::zeroed();
    File::open(path).ok()?.read_exact(bytemuck::bytes_of_mut(&mut header)).ok()?;
    (header.magic == MAGIC).then_some(header)
}
