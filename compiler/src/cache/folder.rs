//! The folder that processes share: one file for each key, and a bound on the bytes of all.
//!
//! # Entries
//!
//! A file is a head of 64 bytes with the key, followed by the artifact. So a file that was moved or copied to another
//! key's name counts as absent. On Unix, so does a file whose owner is neither this process's user nor root. Otherwise
//! anybody who may write into the folder could have any grammar served.
//!
//! # Use
//!
//! A file's modification time is the time of its last use, to the hour: a hit updates it if it is older. Otherwise
//! files never change. They appear by a rename and disappear by deletion.
//!
//! # Room
//!
//! No request lists the folder. A process counts the bytes that it writes, and *sweeps* after each sixteenth of the
//! bound. A sweep lists the folder once, and deletes the least recently used files until an eighth of the bound is
//! free.
//!
//! The first file of a process causes a sweep too, so that short-lived processes observe the bound. It does not if
//! another process has swept within five minutes, which the time of an empty file records. The folder may exceed the
//! bound by the bytes written between two sweeps.
//!
//! A sweep deletes only files of the cache, recognized by their names, and unfinished files older than a day. A file
//! that cannot be deleted is skipped: another process may have been first.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use grammarc_artifacts::{Buffer, Error, GrammarArtifact, VocabularyArtifact, write};

use super::digest::Digest;
use super::key::Key;
use super::memory::TOUCH_AFTER;

/// The name of an empty file, whose modification time is the time of the last sweep of the folder.
const SWEPT: &str = ".grammarc-swept";

/// The prefix of the names of unfinished files, which were not renamed yet.
const UNFINISHED: &str = ".grammarc-";

/// The age of another process's sweep up to which this process does not sweep at its first file.
const FRESH: Duration = Duration::from_secs(300);

/// The age at which a sweep deletes an unfinished file. No process writes one file for a day.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);

/// The length of an entry's head, in bytes. It keeps the artifact after it aligned.
const HEAD: usize = 64;

/// The first 16 bytes of an entry; the key follows them.
const MAGIC: [u8; 16] = *b"\x89grammarc kept\n\0";

/// Why an artifact was not kept in the folder.
#[derive(Debug, thiserror::Error)]
pub enum KeepError {
    /// The file could not be written.
    #[error(transparent)]
    Write(#[from] Error),
    /// The file would exceed the bound on all files of the folder.
    #[error("the artifact has {bytes} bytes, and the cache may have {limit}")]
    TooLarge {
        /// The length of the file, in bytes.
        bytes: u64,
        /// The bound on the bytes of all files in the folder.
        limit: u64,
    },
}

/// A folder of artifacts, one file for each key.
#[derive(Debug)]
pub(super) struct Folder {
    /// The path of the folder.
    path: PathBuf,
    /// The most bytes of all files together.
    limit: u64,
    /// The bytes that this process has written since its last sweep.
    unswept: AtomicU64,
    /// Whether this process has written a file.
    has_written: AtomicBool,
    /// The id of the process that is sweeping through this value; 0 if none is.
    sweeper: AtomicU32,
}

/// A file of the cache as a sweep sees it. Files are deleted in ascending order: the least recently used first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    /// The time of last use.
    used: SystemTime,
    /// The path of the file.
    path: PathBuf,
    /// The length of the file.
    bytes: u64,
}

impl Folder {
    /// Opens the folder at a path, and creates it if it does not exist. `limit` bounds the bytes of all its files.
    ///
    /// # Errors
    ///
    /// If the folder can be neither found nor created.
    pub(super) fn open(path: PathBuf, limit: u64) -> Result<Self, Error> {
        match fs::create_dir_all(&path) {
            Ok(()) => Ok(Self {
                path,
                limit,
                unswept: AtomicU64::new(0),
                has_written: AtomicBool::new(false),
                sweeper: AtomicU32::new(0),
            }),
            Err(source) => Err(Error::Io { action: "create", path, source }),
        }
    }

    /// Returns the path of the folder.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of a key's file, whether it exists or not.
    pub(super) fn file(&self, key: &Key) -> PathBuf {
        self.path.join(format!("{key}.gmask"))
    }

    /// Opens the artifact of a key. `None` unless the folder has an undamaged file of the key, from this user or root.
    pub(super) fn get(
        &self,
        key: &Key,
        vocabulary: &VocabularyArtifact,
    ) -> Option<GrammarArtifact> {
        let path = self.file(key);
        let file = File::open(&path).ok()?;
        if !is_trusted(&file) {
            return None;
        }
        let buffer = Buffer::of_file(&file).ok()?;
        if !buffer.starts_with(&head(key)) {
            return None;
        }
        let artifact = GrammarArtifact::from_buffer(buffer.behind(HEAD)?, vocabulary).ok()?;
        touch(&path);
        Some(artifact)
    }

    /// Updates the time of last use of a key's file.
    pub(super) fn touch(&self, key: &Key) {
        touch(&self.file(key));
    }

    /// Writes an artifact under a key. Returns the number of files that were deleted to make room.
    ///
    /// # Errors
    ///
    /// If the file cannot be written, or exceeds the bound on the folder.
    pub(super) fn put(&self, key: &Key, artifact: &Buffer) -> Result<u64, KeepError> {
        let (bytes, limit) = (entry_bytes(artifact), self.limit);
        if bytes > limit {
            return Err(KeepError::TooLarge { bytes, limit });
        }
        write::replace_parts(&self.file(key), &[&head(key), artifact])?;
        let unswept = self.unswept.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        let first = !self.has_written.swap(true, Ordering::Relaxed) && !self.was_swept_lately();
        Ok(if first || unswept >= limit / 16 { self.sweep() } else { 0 })
    }

    /// Whether some process has swept the folder within [`FRESH`].
    fn was_swept_lately(&self) -> bool {
        let swept = fs::metadata(self.path.join(SWEPT)).and_then(|marker| marker.modified());
        let age = swept.ok().and_then(|swept| swept.elapsed().ok());
        age.is_some_and(|age| age < FRESH)
    }

    /// Deletes the least recently used files, if the folder exceeds its bound and no other thread sweeps. Returns the
    /// number of deleted files of the cache. O(files of the folder).
    fn sweep(&self) -> u64 {
        // A forked process inherits this value, but not the thread that was sweeping.
        let (process, before) = (std::process::id(), self.sweeper.load(Ordering::Relaxed));
        let taken = before != process
            && self
                .sweeper
                .compare_exchange(before, process, Ordering::Acquire, Ordering::Relaxed)
                .is_ok();
        if !taken {
            return 0;
        }
        self.unswept.store(0, Ordering::Relaxed);
        let deleted = self.delete_the_oldest();
        // If the file of the last sweep cannot be written, processes sweep more often.
        _ = write::replace(&self.path.join(SWEPT), &[]);
        self.sweeper.store(0, Ordering::Release);
        deleted
    }

    /// Deletes files of the cache, the least recently used first, until an eighth of the bound is free. Deletes none
    /// within the bound. Also deletes abandoned unfinished files. Returns the number of deleted files of the cache.
    fn delete_the_oldest(&self) -> u64 {
        let mut seen = Vec::new();
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            let (name, path) = (entry.file_name(), entry.path());
            let Ok(metadata) = entry.metadata() else { continue };
            let Ok(used) = metadata.modified() else { continue };
            if is_entry(&name) {
                seen.push(Seen { used, path, bytes: metadata.len() });
            } else if is_unfinished(&name) && used.elapsed().is_ok_and(|age| age > ABANDONED) {
                _ = fs::remove_file(path);
            }
        }
        let mut bytes: u64 = seen.iter().map(|file| file.bytes).sum();
        if bytes <= self.limit {
            return 0;
        }
        seen.sort_unstable();
        let mut deleted = 0;
        for file in &seen {
            if bytes <= self.limit - self.limit / 8 {
                break;
            }
            if fs::remove_file(&file.path).is_ok() {
                bytes -= file.bytes;
                deleted += 1;
            }
        }
        deleted
    }
}

/// Returns the length of an artifact's file in the folder, in bytes.
pub(super) fn entry_bytes(artifact: &Buffer) -> u64 {
    (HEAD + artifact.len()) as u64
}

/// Returns the head of a key's entry.
fn head(key: &Key) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..MAGIC.len()].copy_from_slice(&MAGIC);
    head[MAGIC.len()..][..key.0.0.len()].copy_from_slice(&key.0.0);
    head
}

/// Whether a file belongs to this process's user or to root. Always true outside Unix.
fn is_trusted(file: &File) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;

        let own = rustix::process::geteuid().as_raw();
        file.metadata().is_ok_and(|file| [own, 0].contains(&file.uid()))
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        true
    }
}

/// Whether a file name is that of an entry, as [`Folder::file`] makes it.
fn is_entry(name: &OsStr) -> bool {
    let stem = name.to_str().and_then(|name| name.strip_suffix(".gmask"));
    stem.is_some_and(|stem| stem.parse::<Digest>().is_ok())
}

/// Whether a file name is that of an unfinished file.
fn is_unfinished(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with(UNFINISHED) && name != SWEPT)
}

/// Sets the time of a file's last use to now, if the recorded time is older than [`TOUCH_AFTER`]. Does nothing if the
/// file cannot be written, as when it belongs to another user.
fn touch(path: &Path) {
    let used = fs::metadata(path).and_then(|file| file.modified());
    if used.is_ok_and(|used| used.elapsed().is_ok_and(|age| age >= TOUCH_AFTER)) {
        let file = File::options().write(true).open(path);
        _ = file.and_then(|file| file.set_modified(SystemTime::now()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KB: u64 = 1024;

    fn key(number: u8) -> Key {
        Key(Digest([number; 32]))
    }

    fn folder(limit: u64) -> (tempfile::TempDir, Folder) {
        let place = tempfile::tempdir().expect("a folder");
        let folder = Folder::open(place.path().join("kept"), limit).expect("it can be made");
        (place, folder)
    }

    /// An artifact whose file has this many bytes.
    fn buffer(bytes: u64) -> Buffer {
        Buffer::from_bytes(&vec![7; bytes as usize - HEAD])
    }

    fn set_age(path: &Path, age: Duration) {
        let file = File::options().write(true).open(path).expect("it is there");
        file.set_modified(SystemTime::now() - age).expect("it is ours");
    }

    fn age(path: &Path) -> Duration {
        let used = fs::metadata(path).and_then(|file| file.modified()).expect("it is there");
        used.elapsed().unwrap_or_default()
    }

    fn left(folder: &Folder) -> Vec<u8> {
        (0..=255).filter(|&number| folder.file(&key(number)).exists()).collect()
    }

    #[test]
    fn what_was_not_used_the_longest_goes_first() {
        let (_place, folder) = folder(80 * KB);
        let ages = [5, 3, 9, 1, 7, 2, 8, 4];
        for (number, hours) in (0..).zip(ages) {
            folder.put(&key(number), &buffer(10 * KB)).expect("written");
            set_age(&folder.file(&key(number)), Duration::from_secs(hours * 3600));
        }
        assert_eq!(left(&folder), [0, 1, 2, 3, 4, 5, 6, 7]);
        // 90 KiB are brought down to 70: the files of nine and of eight hours go.
        let deleted = folder.put(&key(8), &buffer(10 * KB)).expect("written");
        assert_eq!((deleted, left(&folder)), (2, vec![0, 1, 3, 4, 5, 7, 8]));
    }

    #[test]
    fn the_folder_is_not_listed_for_each_file() {
        let (_place, folder) = folder(1600 * KB);
        let swept = || fs::metadata(folder.path.join(SWEPT)).and_then(|marker| marker.modified());
        folder.put(&key(0), &buffer(KB)).expect("written");
        let first = swept().expect("the first file has the folder swept");
        // A sixteenth is written before the next.
        for number in 1..100 {
            folder.put(&key(number), &buffer(KB)).expect("written");
            assert_eq!(swept().expect("it is there"), first, "{number}");
        }
        folder.put(&key(100), &buffer(KB)).expect("written");
        assert!(swept().expect("it is there") > first);
        // Another process's first file: the folder was swept lately.
        let second = swept().expect("it is there");
        let other = Folder::open(folder.path.clone(), 1600 * KB).expect("it is there");
        other.put(&key(101), &buffer(KB)).expect("written");
        assert_eq!(swept().expect("it is there"), second);
        set_age(&folder.path.join(SWEPT), FRESH);
        let third = Folder::open(folder.path.clone(), 1600 * KB).expect("it is there");
        third.put(&key(102), &buffer(KB)).expect("written");
        assert!(age(&folder.path.join(SWEPT)) < FRESH);
    }

    #[test]
    fn only_what_is_the_caches_goes() {
        let (_place, folder) = folder(16 * KB);
        let stays = ["notes.txt", "a.gmask", ".grammarc-new"];
        let goes = [".grammarc-old", &format!("{}.gmask", key(9))];
        for name in stays.iter().chain(&goes) {
            write::replace(&folder.path.join(name), &[7; 9 << 10]).expect("written");
            if *name != ".grammarc-new" {
                set_age(&folder.path.join(name), 2 * ABANDONED);
            }
        }
        folder.put(&key(1), &buffer(8 * KB)).expect("written");
        stays.iter().for_each(|name| assert!(folder.path.join(name).exists(), "{name}"));
        goes.iter().for_each(|name| assert!(!folder.path.join(name).exists(), "{name}"));
        assert_eq!(left(&folder), [1]);
    }

    #[test]
    fn a_use_is_noted_once_an_hour() {
        let (_place, folder) = folder(u64::MAX);
        folder.put(&key(1), &buffer(KB)).expect("written");
        let path = folder.file(&key(1));
        for (before, noted) in [(TOUCH_AFTER / 2, false), (2 * TOUCH_AFTER, true)] {
            set_age(&path, before);
            folder.touch(&key(1));
            assert_eq!(age(&path) < before / 2, noted);
        }
    }

    #[test]
    fn what_is_larger_than_the_folder_is_not_written() {
        let (_place, folder) = folder(KB);
        let refused = folder.put(&key(1), &buffer(2 * KB));
        assert!(matches!(refused, Err(KeepError::TooLarge { bytes: 2048, limit: 1024 })));
        assert_eq!(left(&folder), Vec::<u8>::new());
    }
}
