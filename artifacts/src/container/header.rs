//! The header of an artifact: kind, version, length and checksum of the file, and the fingerprint of its vocabulary.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use crate::error::Error;
use crate::sections::kinds::ArtifactKind;

/// The first 16 bytes of every artifact. The first byte is outside ASCII, and line ends and the DOS end-of-file mark
/// follow the name. So a transfer that rewrites text is reported as such, and not as a wrong checksum.
pub const MAGIC: [u8; 16] = *b"\x89grammarc\r\n\x1a\n\0\0\0";

/// Value of [`RawHeader::endian`] as a little-endian reader reads it. Another value is an error.
pub const ENDIAN_MARKER: u32 = 0x0a0b_0c0d;

/// Major and minor version of the format. A reader of one major version reads all its minor versions, because a minor
/// version only adds optional sections. Another major version is an error.
pub const VERSION: (u16, u16) = (2, 1);

/// Length of the header in bytes. The section table follows it.
pub const HEADER_LEN: usize = size_of::<RawHeader>();

/// Largest length of an artifact in bytes, so that every offset, length and count fits into 32 bits. A longer artifact
/// is neither written nor read.
pub const MAX_LENGTH: u64 = u32::MAX as u64;

/// Range of the checksum's bytes in the file.
pub(super) const CHECKSUM: Range<usize> = 16..CHECKED_FROM;

/// Offset of the first byte that the checksum covers. It covers all bytes from here to the end of the file.
pub const CHECKED_FROM: usize = 48;

/// The header of an artifact, in the layout of the file.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct RawHeader {
    /// First bytes of every artifact, [`MAGIC`].
    pub magic: [u8; 16],
    /// blake3 hash of all bytes from [`CHECKED_FROM`] on.
    pub checksum: [u8; 32],
    /// Marker of the byte order, [`ENDIAN_MARKER`].
    pub endian: u32,
    /// Major version of the artifact format.
    pub major: u16,
    /// Minor version of the artifact format.
    pub minor: u16,
    /// Number of the [`ArtifactKind`]: 1 for a vocabulary, 2 for a grammar.
    pub kind: u32,
    /// Number of entries in the section table.
    pub section_count: u32,
    /// Length of the whole file in bytes.
    pub total_length: u64,
    /// Fingerprint of the vocabulary: of this vocabulary artifact, or of the vocabulary for which the grammar was
    /// compiled.
    pub fingerprint: [u8; 32],
    /// Digest of the vocabulary artifact's tables, whose numbering a grammar continues.
    pub shared_digest: [u8; 32],
    /// Reserved for later versions of the format: zeros.
    pub reserved: [u8; 56],
}

/// The checked header of an artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Kind of the artifact: vocabulary or grammar.
    pub artifact: ArtifactKind,
    /// Major and minor version of the format.
    pub version: (u16, u16),
    /// Number of entries in the section table.
    pub section_count: u32,
    /// Length of the whole file in bytes.
    pub total_length: u64,
    /// blake3 hash of the file's content after the checksum.
    pub checksum: [u8; 32],
    /// Fingerprint of the vocabulary: of this vocabulary artifact, or of the vocabulary for which the grammar was
    /// compiled.
    pub fingerprint: [u8; 32],
    /// Digest of the vocabulary artifact's tables, whose numbering a grammar continues.
    pub shared_digest: [u8; 32],
}

/// Computes the checksum of an artifact. `bytes` must be at least as long as the header. O(length).
pub fn checksum(bytes: &[u8]) -> [u8; 32] {
    *blake3::hash(&bytes[CHECKED_FROM..]).as_bytes()
}

impl Header {
    /// Reads and checks the header, with the length and the checksum of the artifact. O(length). Returns an error for
    /// the first fault.
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let (header, raw) = Self::read(bytes)?;
        let found = checksum(bytes);
        if found != raw.checksum {
            return Err(Error::Checksum { expected: raw.checksum, found });
        }
        if let Some(at) = raw.reserved.iter().position(|&byte| byte != 0) {
            return Err(Error::Padding { offset: (HEADER_LEN - raw.reserved.len() + at) as u64 });
        }
        Ok(header)
    }

    /// Reads the header of an artifact that this process has just written. Does not check the checksum. O(1).
    pub(crate) fn of_written(bytes: &[u8]) -> Result<Self, Error> {
        Self::read(bytes).map(|(header, _)| header)
    }

    /// Reads the header, and checks all of it except the checksum and the reserved bytes.
    fn read(bytes: &[u8]) -> Result<(Self, RawHeader), Error> {
        let magic = bytes.get(..MAGIC.len()).unwrap_or(bytes);
        if !MAGIC.starts_with(magic) || bytes.is_empty() {
            return Err(Error::Magic { found: magic.to_vec() });
        }
        let Some(raw) = bytes.get(..HEADER_LEN) else {
            return Err(Error::Truncated {
                expected: HEADER_LEN as u64,
                found: bytes.len() as u64,
            });
        };
        let raw: RawHeader = bytemuck::pod_read_unaligned(raw);
        if raw.endian != ENDIAN_MARKER {
            return Err(Error::Endianness { found: raw.endian });
        }
        let version = (raw.major, raw.minor);
        if raw.major != VERSION.0 {
            return Err(Error::Version { found: version, supported: VERSION });
        }
        let Some(artifact) = ArtifactKind::from_u32(raw.kind) else {
            return Err(Error::UnknownArtifactKind { found: raw.kind });
        };
        match (bytes.len() as u64).cmp(&raw.total_length) {
            std::cmp::Ordering::Less => {
                let (expected, found) = (raw.total_length, bytes.len() as u64);
                return Err(Error::Truncated { expected, found });
            }
            std::cmp::Ordering::Greater => {
                let (expected, found) = (raw.total_length, bytes.len() as u64);
                return Err(Error::TooLong { expected, found });
            }
            std::cmp::Ordering::Equal => {}
        }
        if raw.total_length > MAX_LENGTH {
            return Err(Error::TooLarge {
                what: "length of the file",
                limit: MAX_LENGTH,
                found: raw.total_length,
            });
        }
        let header = Self {
            artifact,
            version,
            section_count: raw.section_count,
            total_length: raw.total_length,
            checksum: raw.checksum,
            fingerprint: raw.fingerprint,
            shared_digest: raw.shared_digest,
        };
        Ok((header, raw))
    }
}
