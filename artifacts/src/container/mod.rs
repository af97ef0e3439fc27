//! The frame that both artifacts share: header, section table, aligned sections.
//!
//! [`header`] describes the first 192 bytes, and [`directory`] the section table after them. [`encode`] writes an artifact,
//! and [`Container`] reads it.
//!
//! # Order of the checks
//!
//! 1. Magic, endianness and version: whether this reader understands the file.
//! 2. Kind, length and checksum. They distinguish a foreign, a truncated and a damaged file.
//! 3. The section table.
//!
//! The checksum covers every byte after its own field. So the checks after it fail only on a file that was written wrongly.
//!
//! Tests: `tests/suite/header.rs` and `tests/suite/corruption.rs`.

pub mod directory;
pub mod encode;
pub mod header;

use std::marker::PhantomData;

use bytemuck::Pod;

use crate::buffer::Buffer;
use crate::error::Error;
use crate::sections::kinds::{ArtifactKind, SectionKind};
use directory::Directory;
use header::Header;

/// The bytes of an artifact with a checked header, checksum and section table.
#[derive(Clone, Debug)]
pub struct Container {
    buffer: Buffer,
    header: Header,
    directory: Directory,
}

impl Container {
    /// Checks the frame of an artifact of either kind. O(length) for the checksum.
    pub fn parse(buffer: Buffer) -> Result<Self, Error> {
        let header = Header::parse(&buffer)?;
        Self::with_header(buffer, header)
    }

    /// Returns the frame of an artifact that this process has just written, with or without a checksum. O(sections).
    pub(crate) fn of_written(buffer: Buffer) -> Result<Self, Error> {
        let header = Header::of_written(&buffer)?;
        Self::with_header(buffer, header)
    }

    /// Returns a copy of an artifact with its checksum written into it. O(length).
    pub(crate) fn sealed(&self, checksum: [u8; 32]) -> Self {
        let buffer = Buffer::build(self.buffer.len(), |file| {
            file.copy_from_slice(&self.buffer);
            encode::write_checksum(file, checksum);
        });
        let header = Header { checksum, ..self.header.clone() };
        Self { buffer, header, directory: self.directory.clone() }
    }

    fn with_header(buffer: Buffer, header: Header) -> Result<Self, Error> {
        let directory = Directory::parse(&buffer, &header)?;
        Ok(Self { buffer, header, directory })
    }

    /// Checks the frame of an artifact that must be of this kind.
    pub fn parse_kind(buffer: Buffer, expected: ArtifactKind) -> Result<Self, Error> {
        let container = Self::parse(buffer)?;
        let found = container.header.artifact;
        if found != expected {
            return Err(Error::ArtifactKind { expected, found });
        }
        Ok(container)
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The section table.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// All bytes of the artifact.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Finds a required section. The section table was checked to have all of them.
    pub(crate) fn flat<T: Pod>(&self, kind: SectionKind) -> Result<Flat<T>, Error> {
        self.optional(kind).ok_or(Error::MissingSection { section: kind.name() })
    }

    /// Finds the section of a table. A missing optional section is empty.
    pub(crate) fn table<T: Pod>(&self, kind: SectionKind) -> Result<Flat<T>, Error> {
        match self.optional(kind) {
            None if kind.presence().is_optional() => {
                Ok(Flat { start: 0, len: 0, record: PhantomData })
            }
            section => section.ok_or(Error::MissingSection { section: kind.name() }),
        }
    }

    /// Finds an optional section. `None` if it is missing.
    pub(crate) fn optional<T: Pod>(&self, kind: SectionKind) -> Option<Flat<T>> {
        debug_assert_eq!(kind.record_size() as usize, size_of::<T>(), "{}", kind.name());
        let entry = self.directory.get(kind)?;
        Some(Flat { start: entry.range.start, len: entry.range.len(), record: PhantomData })
    }

    /// Returns the record of a section that has exactly one.
    pub(crate) fn single<T: Pod>(&self, kind: SectionKind) -> Result<T, Error> {
        match self.flat::<T>(kind)?.get(&self.buffer) {
            [record] => Ok(*record),
            records => Err(Error::SectionLength {
                section: kind.name(),
                expected: 1,
                found: records.len() as u64,
            }),
        }
    }
}

/// A section of records of type `T`, as a checked place in a buffer.
#[derive(Debug)]
pub(crate) struct Flat<T> {
    start: usize,
    len: usize,
    record: PhantomData<fn() -> T>,
}

impl<T> Clone for Flat<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Flat<T> {}

impl<T: Pod> Flat<T> {
    /// The records, read in place.
    #[inline]
    pub(crate) fn get<'a>(&self, buffer: &'a Buffer) -> &'a [T] {
        bytemuck::cast_slice(&buffer[self.start..][..self.len])
    }
}
