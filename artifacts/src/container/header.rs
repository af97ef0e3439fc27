//! The header: what the file is, whether it is whole, and which vocabulary it belongs to.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use crate::error::Error;
use crate::sections::kinds::ArtifactKind;

/// The first bytes of every artifact. The first is outside ASCII, and line ends and the DOS end-of-file mark follow the
/// name, so that a transfer that rewrites text is noticed here and not as a wrong checksum.
pub const MAGIC: [u8; 16] = *b"\x89grammarc\r\n\x1a\n\0\0\0";

/// Value of [`RawHeader::endian`] as a little-endian reader sees it.
pub const ENDIAN_MARKER: u32 = 0x0a0b_0c0d;

/// Format versions: a reader of one major version reads all its minor versions, because a minor version only adds
/// optional sections.
pub const VERSION: (u16, u16) = (2, 0);

/// Length of the header.
pub const HEADER_LEN: usize = size_of::<RawHeader>();

/// Longest artifact. Every offset, length and count within one fits in 32 bits.
pub const MAX_LENGTH: u64 = u32::MAX as u64;

/// The bytes of the checksum.
pub(super) const CHECKSUM: Range<usize> = 16..CHECKED_FROM;

/// The bytes behind the checksum's own field: what it covers.
pub const CHECKED_FROM: usize = 48;

/// The header as it stands in the file.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct RawHeader {
    /// [`MAGIC`].
    pub magic: [u8; 16],
    /// blake3 of every byte from [`CHECKED_FROM`] on.
    pub checksum: [u8; 32],
    /// [`ENDIAN_MARKER`].
    pub endian: u32,
    /// Format version, major.
    pub major: u16,
    /// Format version, minor.
    pub minor: u16,
    /// [`ArtifactKind`].
    pub kind: u32,
    /// Number of entries in the section table.
    pub section_count: u32,
    /// Length of the file.
    pub total_length: u64,
    /// Fingerprint of the vocabulary: this file's own, or the one that the grammar was compiled for.
    pub fingerprint: [u8; 32],
    /// Digest of the vocabulary artifact's tables, which a grammar's numbering continues.
    pub shared_digest: [u8; 32],
    /// Zero.
    pub reserved: [u8; 56],
}

/// The header of an artifact, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Kind of artifact.
    pub artifact: ArtifactKind,
    /// Format version, major and minor.
    pub version: (u16, u16),
    /// Number of entries in the section table.
    pub section_count: u32,
    /// Length of the file.
    pub total_length: u64,
    /// Checksum of the file's content.
    pub checksum: [u8; 32],
    /// Fingerprint of the vocabulary.
    pub fingerprint: [u8; 32],
    /// Digest of the vocabulary artifact's tables.
    pub shared_digest: [u8; 32],
}

/// The checksum that an artifact with these bytes should carry. `bytes` is at least as long as the header.
pub fn checksum(bytes: &[u8]) -> [u8; 32] {
    *blake3::hash(&bytes[CHECKED_FROM..]).as_bytes()
}

impl Header {
    /// Reads and checks the header of an artifact, with the length and the checksum of the whole. O(length).
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

    /// The same of an artifact that this process has just written, whose bytes are not summed again. O(1).
    pub(crate) fn of_written(bytes: &[u8]) -> Result<Self, Error> {
        Self::read(bytes).map(|(header, _)| header)
    }

    /// Reads the header with the checks that look at it alone and at the length of the whole.
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
