//! Immutable bytes at an address that is a multiple of 64, on the heap or mapped from a file.
//!
//! Sections begin at multiples of 64 within an artifact. So tables of records are read in place, without a copy.

use std::fmt;
use std::fs::File;
use std::ops::{Deref, DerefMut, Range};
use std::path::Path;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};

use crate::error::Error;

/// Alignment of a buffer's first byte and of every section in an artifact, in bytes. 64 is the size of a cache line and
/// of the widest vector register, so a dense row can be loaded aligned.
pub const ALIGNMENT: usize = 64;

/// Unit of heap allocations, which gives them the alignment of a buffer.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Block([u8; ALIGNMENT]);

/// Writable bytes at an address that is a multiple of [`ALIGNMENT`]. A host writes an artifact into them as it arrives, and a
/// [`Buffer`] takes them over without a copy.
pub struct AlignedBytes {
    blocks: Vec<Block>,
    len: usize,
}

impl AlignedBytes {
    /// Returns `len` bytes, all zero. `None` if the allocator has no room for them.
    pub fn zeroed(len: usize) -> Option<Self> {
        let count = len.div_ceil(ALIGNMENT);
        let mut blocks = Vec::new();
        blocks.try_reserve_exact(count).ok()?;
        blocks.resize(count, Block::zeroed());
        Some(Self { blocks, len })
    }
}

impl Deref for AlignedBytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.blocks)[..self.len]
    }
}

impl DerefMut for AlignedBytes {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.blocks)[..self.len]
    }
}

impl fmt::Debug for AlignedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AlignedBytes({} bytes)", self.len)
    }
}

enum Storage {
    Heap(AlignedBytes),
    #[cfg(feature = "mmap")]
    Map(memmap2::Mmap),
    /// A range of another buffer, which begins at a multiple of 64 bytes.
    Part {
        whole: Buffer,
        range: Range<usize>,
    },
}

/// Immutable bytes whose address is a multiple of 64. Clones share the bytes.
#[derive(Clone)]
pub struct Buffer {
    storage: Arc<Storage>,
}

impl Buffer {
    /// Maps a file into memory. Without the feature `mmap`, reads the file as [`Buffer::read`] does.
    ///
    /// The file must not be truncated or written in place while the buffer or a clone of it lives. A read of a mapped
    /// page that no longer exists ends the process, and changed bytes escape the checks. A rename over the file, as in
    /// [`write::replace`](crate::write::replace), is allowed: the map keeps the old file. If you cannot ensure this,
    /// use [`Buffer::read`].
    ///
    /// # Errors
    ///
    /// The file cannot be opened or mapped.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let file = File::open(path).map_err(|source| Error::io("open", path, source))?;
        Self::of_file(&file).map_err(|source| Error::io("map", path, source))
    }

    /// Maps an open file, as [`Buffer::open`] does and under the same conditions. Without the feature `mmap`, reads the
    /// file.
    ///
    /// # Errors
    ///
    /// The operating system could not map or read the file.
    pub fn of_file(file: &File) -> std::io::Result<Self> {
        #[cfg(feature = "mmap")]
        {
            Self::map(file)
        }
        #[cfg(not(feature = "mmap"))]
        {
            let (mut bytes, mut file) = (Vec::new(), file);
            std::io::Read::read_to_end(&mut file, &mut bytes)?;
            Ok(Self::from_bytes(&bytes))
        }
    }

    /// Returns the bytes from offset `at` to the end, shared with this buffer. `None` if `at` is no multiple of
    /// [`ALIGNMENT`] or exceeds the length.
    pub fn behind(&self, at: usize) -> Option<Self> {
        (at.is_multiple_of(ALIGNMENT) && at <= self.len()).then(|| self.part(at..self.len()))
    }

    #[cfg(feature = "mmap")]
    #[allow(unsafe_code)]
    fn map(file: &File) -> std::io::Result<Self> {
        // SAFETY: the map is private to this process and read-only. The documentation of `open` requires that nobody
        // truncates or rewrites the file, and the writer of this crate keeps to it.
        let map = unsafe { memmap2::Mmap::map(file)? };
        Ok(Self { storage: Arc::new(Storage::Map(map)) })
    }

    /// Reads a file into the heap. The file may change afterwards.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let bytes = std::fs::read(path).map_err(|source| Error::io("read", path, source))?;
        Ok(Self::from_bytes(&bytes))
    }

    /// Copies bytes into a new buffer on the heap.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self::build(bytes.len(), |target| target.copy_from_slice(bytes))
    }

    /// Returns a range of the bytes, shared with this buffer. The range must begin at a multiple of [`ALIGNMENT`].
    pub(crate) fn part(&self, range: Range<usize>) -> Self {
        debug_assert!(range.start.is_multiple_of(ALIGNMENT) && range.end <= self.len());
        Self { storage: Arc::new(Storage::Part { whole: self.clone(), range }) }
    }

    /// Returns a heap buffer of `len` bytes. `fill` gets the bytes, all zero, and writes them.
    pub(crate) fn build(len: usize, fill: impl FnOnce(&mut [u8])) -> Self {
        let blocks = vec![Block::zeroed(); len.div_ceil(ALIGNMENT)];
        let mut bytes = AlignedBytes { blocks, len };
        fill(&mut bytes);
        Self::from(bytes)
    }
}

impl From<AlignedBytes> for Buffer {
    /// Takes over the bytes, without a copy.
    fn from(bytes: AlignedBytes) -> Self {
        Self { storage: Arc::new(Storage::Heap(bytes)) }
    }
}

impl Deref for Buffer {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match &*self.storage {
            Storage::Heap(bytes) => bytes,
            #[cfg(feature = "mmap")]
            Storage::Map(map) => map,
            Storage::Part { whole, range } => &whole[range.clone()],
        }
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match &*self.storage {
            Storage::Heap(_) => "heap",
            #[cfg(feature = "mmap")]
            Storage::Map(_) => "map",
            Storage::Part { .. } => "part",
        };
        write!(f, "Buffer({} bytes, {place})", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "bytes to read back, and not an artifact")]
    fn heap_and_map_hold_the_same_aligned_bytes() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for len in [0, 1, 63, 64, 65, 1000] {
            let bytes: Vec<u8> = (0..len).map(|i| (i * 7) as u8).collect();
            let path = folder.path().join(len.to_string());
            std::fs::write(&path, &bytes).expect("a written file");
            for buffer in [
                Buffer::from_bytes(&bytes),
                Buffer::read(&path).expect("a read file"),
                Buffer::open(&path).expect("a mapped file"),
            ] {
                assert_eq!(&*buffer, &bytes[..], "{buffer:?}");
                assert_eq!(buffer.as_ptr() as usize % ALIGNMENT, 0, "{buffer:?}");
            }
        }
    }

    #[test]
    fn bytes_that_a_host_writes_are_adopted_in_place() {
        for len in [0, 1, 64, 1000] {
            let mut bytes = AlignedBytes::zeroed(len).expect("memory");
            assert!(bytes.iter().all(|&byte| byte == 0) && bytes.len() == len, "{bytes:?}");
            bytes.fill(7);
            let place = bytes.as_ptr();
            let buffer = Buffer::from(bytes);
            assert_eq!((buffer.as_ptr(), &*buffer), (place, &vec![7; len][..]), "{buffer:?}");
            assert_eq!(place as usize % ALIGNMENT, 0);
        }
        assert!(AlignedBytes::zeroed(isize::MAX as usize).is_none());
    }

    #[test]
    fn a_missing_file_is_an_error_that_names_it() {
        let missing = Path::new("/nonexistent/x.gmask");
        for result in [Buffer::open(missing), Buffer::read(missing)] {
            let error = result.expect_err("there is no such file");
            assert!(matches!(error, Error::Io { .. }), "{error}");
            assert!(error.to_string().contains("/nonexistent/x.gmask"), "{error}");
        }
    }
}
