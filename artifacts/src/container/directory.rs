//! The section table: kind, offset and length of each section of an artifact.
//!
//! Kinds ascend. Each section begins at the first multiple of 64 after the section before it, and the file ends at the
//! first multiple of 64 after the last section. So all offsets follow from the kinds and the lengths. The reader checks
//! them, so that equal contents are equal files.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use super::header::{HEADER_LEN, Header};
use crate::buffer::ALIGNMENT;
use crate::error::Error;
use crate::sections::kinds::SectionKind;

/// Flag bits in [`RawEntry::flags`].
pub mod entry_flags {
    /// Bit of a section's flags: a reader that does not know the section may skip it.
    pub const OPTIONAL: u32 = 1;
}

/// One entry of the section table, in the layout of the file.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct RawEntry {
    /// Number of the section's [`SectionKind`].
    pub kind: u32,
    /// Flags of the section, from [`entry_flags`].
    pub flags: u32,
    /// Offset of the section's first byte from the start of the file.
    pub offset: u64,
    /// Length of the section in bytes, without padding.
    pub length: u64,
    /// Size in bytes of one record of the section.
    pub record_size: u32,
    /// Reserved for later versions of the format: zero.
    pub reserved: u32,
}

/// One section of an artifact, as the checked section table has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Kind of the section. `None` for an optional section of a later minor version.
    pub kind: Option<SectionKind>,
    /// Number of the section's kind, also for an unknown kind.
    pub number: u32,
    /// Size in bytes of one record of the section.
    pub record_size: u32,
    /// Range of the section's bytes in the file.
    pub range: Range<usize>,
}

/// The checked section table of an artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directory {
    entries: Vec<Entry>,
}

/// Returns the first multiple of [`ALIGNMENT`] that is at least `at`. `None` on overflow.
pub(super) fn align(at: u64) -> Option<u64> {
    at.checked_next_multiple_of(ALIGNMENT as u64)
}

impl Directory {
    /// Returns all sections, in the order of the file.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the section of a kind. `None` if the artifact does not have it.
    pub fn get(&self, kind: SectionKind) -> Option<&Entry> {
        let at = self.entries.binary_search_by_key(&(kind as u32), |entry| entry.number).ok()?;
        Some(&self.entries[at])
    }

    /// Reads and checks the section table of a file whose header was checked. Returns an error for the first fault: a
    /// wrong order, a wrong entry, a non-zero padding byte or a missing section.
    pub(super) fn parse(bytes: &[u8], header: &Header) -> Result<Self, Error> {
        let table_end =
            u64::from(header.section_count) * size_of::<RawEntry>() as u64 + HEADER_LEN as u64;
        if table_end > header.total_length {
            return Err(Error::Truncated { expected: table_end, found: header.total_length });
        }
        let table = &bytes[HEADER_LEN..table_end as usize];
        let mut entries: Vec<Entry> = Vec::with_capacity(header.section_count as usize);
        let mut end = table_end;
        for raw in table.chunks_exact(size_of::<RawEntry>()) {
            let raw: RawEntry = bytemuck::pod_read_unaligned(raw);
            if let Some(before) = entries.last()
                && before.number >= raw.kind
            {
                return Err(Error::SectionOrder { before: before.number, found: raw.kind });
            }
            let entry = Self::entry(&raw, header, end)?;
            check_padding(bytes, end, raw.offset)?;
            end = entry.range.end as u64;
            entries.push(entry);
        }
        let expected = align(end).unwrap_or(u64::MAX);
        if expected != header.total_length {
            return Err(Error::TooLong { expected, found: header.total_length });
        }
        check_padding(bytes, end, expected)?;
        let directory = Self { entries };
        match SectionKind::ALL.iter().find(|&&kind| {
            kind.presence().requires(header.artifact) && directory.get(kind).is_none()
        }) {
            Some(kind) => Err(Error::MissingSection { section: kind.name() }),
            None => Ok(directory),
        }
    }

    /// Checks one entry of the section table. Its section must begin at the first multiple of [`ALIGNMENT`] from `end`
    /// on.
    fn entry(raw: &RawEntry, header: &Header, end: u64) -> Result<Entry, Error> {
        let fault = |field, expected, found| Error::SectionEntry {
            section: name(raw.kind),
            field,
            expected,
            found,
        };
        let kind = SectionKind::from_u32(raw.kind);
        let optional = match kind {
            Some(kind) if !kind.presence().allows(header.artifact) => {
                return Err(Error::UnknownSection { kind: raw.kind, artifact: header.artifact });
            }
            Some(kind) => u32::from(kind.presence().is_optional()),
            None if raw.flags == entry_flags::OPTIONAL => entry_flags::OPTIONAL,
            None => {
                return Err(Error::UnknownSection { kind: raw.kind, artifact: header.artifact });
            }
        };
        if raw.flags != optional {
            return Err(fault("flags", optional.into(), raw.flags.into()));
        }
        if raw.reserved != 0 {
            return Err(fault("reserved field", 0, raw.reserved.into()));
        }
        let record_size = kind.map_or(raw.record_size.max(1), SectionKind::record_size);
        if raw.record_size != record_size {
            return Err(fault("record size", record_size.into(), raw.record_size.into()));
        }
        let offset = align(end).unwrap_or(u64::MAX);
        if raw.offset != offset {
            return Err(fault("offset", offset, raw.offset));
        }
        let Some(room) = header.total_length.checked_sub(offset) else {
            return Err(Error::Truncated { expected: offset, found: header.total_length });
        };
        if raw.length > room {
            return Err(fault("length", room, raw.length));
        }
        if !raw.length.is_multiple_of(record_size.into()) {
            let whole = raw.length - raw.length % u64::from(record_size);
            return Err(fault("length", whole, raw.length));
        }
        let range = offset as usize..(offset + raw.length) as usize;
        Ok(Entry { kind, number: raw.kind, record_size, range })
    }
}

/// Returns the name of a section kind for messages. `kind` may be an unknown number.
fn name(kind: u32) -> String {
    SectionKind::from_u32(kind).map_or_else(|| format!("of kind {kind}"), |k| k.name().to_owned())
}

/// Checks that the bytes from `from` to `to` (exclusive) are zero. `to` must be at most the length of the file.
fn check_padding(bytes: &[u8], from: u64, to: u64) -> Result<(), Error> {
    match bytes[from as usize..to as usize].iter().position(|&byte| byte != 0) {
        Some(at) => Err(Error::Padding { offset: from + at as u64 }),
        None => Ok(()),
    }
}
