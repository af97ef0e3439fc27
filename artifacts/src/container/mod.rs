//! The frame that both kinds of artifacts share: header, section table, aligned sections.
//!
//! [`header`] describes the first 192 bytes, and [`directory`] the section table after them. [`encode`] writes an
//! artifact, and [`Container`] reads it.
//!
//! # Order of the checks
//!
//! 1. Magic, endianness and version: whether this reader understands the file.
//! 2. Kind, length and checksum. They distinguish a foreign, a truncated and a damaged file.
//! 3. The section table.
//!
//! The checksum covers every byte after its own field. So the checks after it fail only on a file that was written
//! wrongly.
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

/// The bytes of an artifact whose header, checksum and section table were checked.
#[derive(Clone, Debug)]
pub struct Container {
    buffer: Buffer,
    header: Header,
    directory: Directory,
}

impl Container {
    /// Checks the header, the checksum and the section table of an artifact of either kind. O(length) for the checksum.
    ///
    /// # Errors
    ///
    /// The first fault of the header, the checksum or the section table.
    pub fn parse(buffer: Buffer) -> Result<Self, Error> {
        let header = Header::parse(&buffer)?;
        Self::with_header(buffer, header)
    }

    /// Wraps an artifact that this process has just written, with or without a checksum. O(sections).
    pub(crate) fn of_written(buffer: Buffer) -> Result<Self, Error> {
        let header = Header::of_written(&buffer)?;
        Self::with_header(buffer, header)
    }

    /// Returns a copy of the artifact with its checksum written into the header. O(length).
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

    /// Checks the header, the checksum and the section table of an artifact of the kind `expected`. O(length).
    ///
    /// # Errors
    ///
    /// The first fault of the header, the checksum or the section table, or the artifact is of the other kind.
    pub fn parse_kind(buffer: Buffer, expected: ArtifactKind) -> Result<Self, Error> {
        let container = Self::parse(buffer)?;
        let found = container.header.artifact;
        if found != expected {
            return Err(Error::ArtifactKind { expected, found });
        }
        Ok(container)
    }

    /// Returns the header of the artifact.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the section table of the artifact.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// Returns all bytes of the artifact.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Returns the section of a kind. Returns an error if it is missing, which the check of the section table excludes
    /// for required sections.
    pub(crate) fn flat<T: Pod>(&self, kind: SectionKind) -> Result<Flat<T>, Error> {
        self.optional(kind).ok_or(Error::MissingSection { section: kind.name() })
    }

    /// Returns the section of a table. An optional section that is missing is empty. Returns an error if a required
    /// section is missing.
    pub(crate) fn table<T: Pod>(&self, kind: SectionKind) -> Result<Flat<T>, Error> {
        match self.optional(kind) {
            None if kind.presence().is_optional() => {
                Ok(Flat { start: 0, len: 0, record: PhantomData })
            }
            section => section.ok_or(Error::MissingSection { section: kind.name() }),
        }
    }

    /// Returns the section of a kind. `None` if the artifact does not have it.
    pub(crate) fn optional<T: Pod>(&self, kind: SectionKind) -> Option<Flat<T>> {
        debug_assert_eq!(kind.record_size() as usize, size_of::<T>(), "{}", kind.name());
        let entry = self.directory.get(kind)?;
        Some(Flat { start: entry.range.start, len: entry.range.len(), record: PhantomData })
    }

    /// Returns the only record of a section. Returns an error if the section is missing or has another number of
    /// records.
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

/// The checked range of a section within an artifact's buffer. The section has records of type `T`.
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
    /// Returns the records of the section, read in place.
    #[inline]
    pub(crate) fn get<'a>(&self, buffer: &'a Buffer) -> &'a [T] {
        bytemuck::cast_slice(&buffer[self.start..][..self.len])
    }
}
