//! The kinds of artifacts and sections: numbers, names, record sizes, and the sections of each kind of artifact.

use std::fmt;

use crate::sections::masks::{
    ClassRecord, FollowEntry, HighFanoutRecord, MaskRecord, NearBoundMask, NearBoundRecord,
};
use crate::sections::network::{ByteEdge, CallEdge, RuleRecord, StateRecord, TokenEdge};
use crate::sections::numbers::{GrammarRecord, TablesRecord, VocabularyRecord};
use crate::sections::vocabulary::ExpressionRecord;

/// The two kinds of artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum ArtifactKind {
    /// `.gvocab`: a vocabulary and the tables of the shared rules.
    Vocabulary = 1,
    /// `.gmask`: a compiled grammar.
    Grammar = 2,
}

impl ArtifactKind {
    /// The kind with this number.
    pub fn from_u32(value: u32) -> Option<Self> {
        match value {
            1 => Some(Self::Vocabulary),
            2 => Some(Self::Grammar),
            _ => None,
        }
    }
}

impl fmt::Display for ArtifactKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Vocabulary => "vocabulary artifact (.gvocab)",
            Self::Grammar => "grammar artifact (.gmask)",
        })
    }
}

/// The artifacts that have a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Every artifact.
    Both,
    /// Every vocabulary artifact and no other.
    Vocabulary,
    /// Every grammar artifact and no other.
    Grammar,
    /// Some grammar artifacts.
    GrammarOptional,
}

impl Presence {
    /// Whether an artifact of this kind may hold the section.
    pub fn allows(self, artifact: ArtifactKind) -> bool {
        match self {
            Self::Both => true,
            Self::Vocabulary => artifact == ArtifactKind::Vocabulary,
            Self::Grammar | Self::GrammarOptional => artifact == ArtifactKind::Grammar,
        }
    }

    /// Whether an artifact of this kind must hold the section.
    pub fn requires(self, artifact: ArtifactKind) -> bool {
        self != Self::GrammarOptional && self.allows(artifact)
    }

    /// Whether a reader may do without the section.
    pub fn is_optional(self) -> bool {
        self == Self::GrammarOptional
    }
}

macro_rules! section_kinds {
    ($($(#[$doc:meta])* $kind:ident = $number:literal, $name:literal, $record:ty, $presence:ident;)*) => {
        /// A kind of section. Sections stand in an artifact in ascending order of these numbers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u32)]
        pub enum SectionKind {
            $($(#[$doc])* $kind = $number,)*
        }

        impl SectionKind {
            /// All kinds, in ascending order.
            pub const ALL: &[Self] = &[$(Self::$kind,)*];

            /// The kind with this number.
            pub fn from_u32(value: u32) -> Option<Self> {
                match value {
                    $($number => Some(Self::$kind),)*
                    _ => None,
                }
            }

            /// The name of the section, in messages and in the specification.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }

            /// Bytes per record.
            pub fn record_size(self) -> u32 {
                match self {
                    $(Self::$kind => size_of::<$record>() as u32,)*
                }
            }

            /// The artifacts that have the section.
            pub fn presence(self) -> Presence {
                match self {
                    $(Self::$kind => Presence::$presence,)*
                }
            }
        }
    };
}

section_kinds! {
    /// Names, options, report and statistics, as an rkyv archive.
    Meta = 1, "META", u8, Both;
    /// One [`VocabularyRecord`].
    Vocabulary = 16, "VOCABULARY", VocabularyRecord, Vocabulary;
    /// Start of each token's bytes, and the end of the last.
    TokenOffsets = 17, "TOKEN_OFFSETS", u32, Vocabulary;
    /// Bytes of all tokens.
    TokenBytes = 18, "TOKEN_BYTES", u8, Vocabulary;
    /// Kind of each token.
    TokenKinds = 19, "TOKEN_KINDS", u8, Vocabulary;
    /// End-of-sequence token ids, ascending.
    EndTokens = 20, "END_TOKENS", u32, Vocabulary;
    /// Special token ids, by bytes and then by id.
    SpecialTokens = 21, "SPECIAL_TOKENS", u32, Vocabulary;
    /// Byte into each trie node.
    TrieByte = 22, "TRIE_BYTE", u8, Vocabulary;
    /// Subtree end of each trie node.
    TrieEnd = 23, "TRIE_END", u32, Vocabulary;
    /// Tokens before each trie node, and their total.
    TrieRank = 24, "TRIE_RANK", u32, Vocabulary;
    /// Token id of each rank.
    TokenOfRank = 25, "TOKEN_OF_RANK", u32, Vocabulary;
    /// Expressions of the shared rules, ascending by digest.
    Expressions = 26, "EXPRESSIONS", ExpressionRecord, Vocabulary;
    /// One [`GrammarRecord`].
    Grammar = 32, "GRAMMAR", GrammarRecord, Grammar;
    /// One byte per group of tokens, to locate the first token in which another vocabulary differs.
    TokenDigests = 33, "TOKEN_DIGESTS", u8, Both;
    /// The vocabulary artifact that the grammar was compiled for, whole.
    Embedded = 34, "EMBEDDED", u8, GrammarOptional;
    /// Regions of the grammar, as an rkyv archive.
    Regions = 35, "REGIONS", u8, GrammarOptional;
    /// One [`TablesRecord`].
    Tables = 64, "TABLES", TablesRecord, Both;
    /// Rules.
    Rules = 65, "RULES", RuleRecord, Both;
    /// States and their sentinel.
    States = 66, "STATES", StateRecord, Both;
    /// Byte edges.
    ByteEdges = 67, "BYTE_EDGES", ByteEdge, Both;
    /// Call edges.
    CallEdges = 68, "CALL_EDGES", CallEdge, Both;
    /// Token edges.
    TokenEdges = 69, "TOKEN_EDGES", TokenEdge, Both;
    /// Mask pool.
    Masks = 70, "MASKS", MaskRecord, Both;
    /// Dense rows.
    Rows = 71, "ROWS", u32, Both;
    /// Token id lists of the masks.
    Lists = 72, "LISTS", u32, Both;
    /// Follow entries.
    Follows = 73, "FOLLOWS", FollowEntry, Both;
    /// Exit classes.
    Classes = 74, "CLASSES", ClassRecord, Both;
    /// Trie nodes of the exit classes.
    ClassNodes = 75, "CLASS_NODES", u32, Both;
    /// Nodes of packed string sets.
    PackedStrings = 76, "PACKED_STRINGS", u8, GrammarOptional;
    /// Nodes of packed string sets with stored masks, ascending.
    HighFanout = 77, "HIGH_FANOUT", HighFanoutRecord, GrammarOptional;
    /// Count-dependent states with their near-bound masks, ascending by state and field of the register.
    NearBound = 78, "NEAR_BOUND", NearBoundRecord, GrammarOptional;
    /// The masks of [`NearBound`](Self::NearBound), ascending by the counter's value for each record.
    NearBoundMasks = 79, "NEAR_BOUND_MASKS", NearBoundMask, GrammarOptional;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_ascending_and_map_back() {
        assert!(SectionKind::ALL.windows(2).all(|pair| pair[0] < pair[1]));
        for &kind in SectionKind::ALL {
            assert_eq!(SectionKind::from_u32(kind as u32), Some(kind));
            assert!(kind.record_size() > 0);
        }
        assert_eq!(SectionKind::from_u32(0), None);
        assert_eq!(SectionKind::from_u32(u32::MAX), None);
    }
}
