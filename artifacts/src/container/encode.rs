//! Writes an artifact: header, section table and sections in one aligned buffer, which can be opened without a copy.

use bytemuck::{Pod, Zeroable};

use super::directory::{RawEntry, entry_flags};
use super::header::{
    CHECKSUM, ENDIAN_MARKER, HEADER_LEN, MAGIC, MAX_LENGTH, RawHeader, VERSION, checksum,
};
use crate::buffer::Buffer;
use crate::error::Error;
use crate::sections::kinds::{ArtifactKind, SectionKind};

/// The time at which an artifact gets its checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seal {
    /// The checksum is computed when the bytes are written.
    Now,
    /// The checksum is computed on first use. Until then the artifact stays in this process, with zeros in place of the
    /// checksum.
    Later,
}

/// The sections of an artifact that is being written, in ascending order of their kinds.
#[derive(Default)]
pub(crate) struct Encoder<'a> {
    sections: Vec<(SectionKind, &'a [u8])>,
}

impl<'a> Encoder<'a> {
    /// Appends a section of records. Kinds must ascend from call to call.
    pub(crate) fn section<T: Pod>(&mut self, kind: SectionKind, records: &'a [T]) {
        debug_assert_eq!(kind.record_size() as usize, size_of::<T>(), "{}", kind.name());
        self.bytes(kind, bytemuck::cast_slice(records));
    }

    /// Appends a section as bytes. Kinds must ascend from call to call.
    pub(crate) fn bytes(&mut self, kind: SectionKind, bytes: &'a [u8]) {
        debug_assert!(self.sections.last().is_none_or(|(before, _)| *before < kind));
        self.sections.push((kind, bytes));
    }

    /// Writes the header, the section table and all sections. O(length).
    ///
    /// # Errors
    ///
    /// The artifact would be longer than [`MAX_LENGTH`] bytes.
    pub(crate) fn finish(
        self,
        artifact: ArtifactKind,
        fingerprint: [u8; 32],
        shared_digest: [u8; 32],
        seal: Seal,
    ) -> Result<Buffer, Error> {
        let next = |at: usize| at.next_multiple_of(crate::buffer::ALIGNMENT);
        let table_end = HEADER_LEN + self.sections.len() * size_of::<RawEntry>();
        let total = self.sections.iter().fold(table_end, |end, (_, bytes)| next(end) + bytes.len());
        let total = next(total);
        if total as u64 > MAX_LENGTH {
            let (what, limit) = ("length of the file", MAX_LENGTH);
            return Err(Error::TooLarge { what, limit, found: total as u64 });
        }
        Ok(Buffer::build(total, |file| {
            let mut end = table_end;
            for (index, (kind, bytes)) in self.sections.iter().enumerate() {
                let offset = next(end);
                end = offset + bytes.len();
                file[offset..end].copy_from_slice(bytes);
                let entry = RawEntry {
                    kind: *kind as u32,
                    flags: if kind.presence().is_optional() { entry_flags::OPTIONAL } else { 0 },
                    offset: offset as u64,
                    length: bytes.len() as u64,
                    record_size: kind.record_size(),
                    reserved: 0,
                };
                let at = HEADER_LEN + index * size_of::<RawEntry>();
                file[at..][..size_of::<RawEntry>()].copy_from_slice(bytemuck::bytes_of(&entry));
            }
            let header = RawHeader {
                magic: MAGIC,
                endian: ENDIAN_MARKER,
                major: VERSION.0,
                minor: VERSION.1,
                kind: artifact as u32,
                section_count: self.sections.len() as u32,
                total_length: total as u64,
                fingerprint,
                shared_digest,
                ..RawHeader::zeroed()
            };
            file[..HEADER_LEN].copy_from_slice(bytemuck::bytes_of(&header));
            if seal == Seal::Now {
                write_checksum(file, checksum(file));
            }
        }))
    }
}

/// Writes a checksum into the header of an artifact.
pub(super) fn write_checksum(file: &mut [u8], checksum: [u8; 32]) {
    file[CHECKSUM].copy_from_slice(&checksum);
}
