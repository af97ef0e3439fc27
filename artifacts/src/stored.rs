//! The tables of a network as sections: written, located, read and digested.
//!
//! Both kinds of artifact have these sections. One list of the tables with their section kinds generates the four
//! operations, so that they agree.

use crate::buffer::Buffer;
use crate::container::encode::Encoder;
use crate::container::{Container, Flat};
use crate::error::Error;
use crate::pool::MaskTables;
use crate::sections::kinds::SectionKind;
use crate::sections::masks::{
    ClassRecord, FollowEntry, HighFanoutRecord, MaskRecord, NearBoundMask, NearBoundRecord,
};
use crate::sections::network::{ByteEdge, CallEdge, RuleRecord, StateRecord, TokenEdge};
use crate::sections::numbers::TablesRecord;
use crate::tables::{Bases, Tables};

impl TablesRecord {
    /// Returns the record with the bases and the row width of these tables.
    pub(crate) fn of(tables: &Tables<'_>) -> Self {
        let Bases { rules, states, masks, rows, classes } = tables.bases;
        Self { rules, states, masks, rows, classes, row_words: tables.row_words }
    }

    /// Returns the first ids that the record holds.
    pub(crate) fn bases(&self) -> Bases {
        let Self { rules, states, masks, rows, classes, .. } = *self;
        Bases { rules, states, masks, rows, classes }
    }
}

/// Whether a table is written as a section. An optional section is written only if the table has records.
fn has<T>(kind: SectionKind, records: &[T]) -> bool {
    !kind.presence().is_optional() || !records.is_empty()
}

macro_rules! stored {
    ($($field:ident: $record:ty = $kind:ident,)*) => {
        /// The ranges of the tables within an artifact's buffer.
        #[derive(Clone, Debug)]
        pub(crate) struct StoredTables {
            numbers: TablesRecord,
            $($field: Flat<$record>,)*
        }

        impl StoredTables {
            /// Finds the tables of an artifact. Returns an error if a required section is missing.
            pub(crate) fn locate(container: &Container) -> Result<Self, Error> {
                Ok(Self {
                    numbers: container.single(SectionKind::Tables)?,
                    $($field: container.table(SectionKind::$kind)?,)*
                })
            }

            /// Returns the tables, read in place.
            #[inline]
            pub(crate) fn get<'a>(&self, buffer: &'a Buffer) -> Tables<'a> {
                Tables {
                    bases: self.numbers.bases(),
                    row_words: self.numbers.row_words,
                    $($field: self.$field.get(buffer),)*
                }
            }

            /// Returns the tables that hold masks, read in place.
            #[inline]
            pub(crate) fn masks<'a>(&self, buffer: &'a Buffer) -> MaskTables<'a> {
                MaskTables {
                    first_mask: self.numbers.masks,
                    first_row: self.numbers.rows,
                    row_words: self.numbers.row_words,
                    masks: self.masks.get(buffer),
                    rows: self.rows.get(buffer),
                    lists: self.lists.get(buffer),
                }
            }
        }

        /// Appends the sections of these tables to an encoder.
        pub(crate) fn encode<'a>(
            encoder: &mut Encoder<'a>,
            numbers: &'a TablesRecord,
            tables: &Tables<'a>,
        ) {
            encoder.section(SectionKind::Tables, std::slice::from_ref(numbers));
            $(if has(SectionKind::$kind, tables.$field) {
                encoder.section(SectionKind::$kind, tables.$field);
            })*
        }

        /// Returns the digest of the tables: a hash of each section's kind, its length in bytes and its bytes, in
        /// order.
        pub(crate) fn digest(tables: &Tables<'_>) -> [u8; 32] {
            let mut hasher = blake3::Hasher::new();
            let mut section = |kind: SectionKind, bytes: &[u8]| {
                hasher.update(&(kind as u32).to_le_bytes());
                hasher.update(&(bytes.len() as u64).to_le_bytes());
                hasher.update(bytes);
            };
            section(SectionKind::Tables, bytemuck::bytes_of(&TablesRecord::of(tables)));
            $(if has(SectionKind::$kind, tables.$field) {
                section(SectionKind::$kind, bytemuck::cast_slice(tables.$field));
            })*
            *hasher.finalize().as_bytes()
        }
    };
}

stored! {
    rules: RuleRecord = Rules,
    states: StateRecord = States,
    byte_edges: ByteEdge = ByteEdges,
    call_edges: CallEdge = CallEdges,
    token_edges: TokenEdge = TokenEdges,
    masks: MaskRecord = Masks,
    rows: u32 = Rows,
    lists: u32 = Lists,
    follows: FollowEntry = Follows,
    classes: ClassRecord = Classes,
    class_nodes: u32 = ClassNodes,
    packed_strings: u8 = PackedStrings,
    high_fanout: HighFanoutRecord = HighFanout,
    near_bound: NearBoundRecord = NearBound,
    near_bound_masks: NearBoundMask = NearBoundMasks,
}
