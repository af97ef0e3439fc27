//! The kinds of artifacts and of sections: their numbers, names and record sizes, and which artifact has which
//! sections.

use std::fmt;

use crate::sections::masks::{
    ClassRecord, FollowEntry, HighFanoutRecord, MaskRecord, NearBoundMask, NearBoundRecord,
};
use crate::sections::network::{ByteEdge, CallEdge, RuleRecord, StateRecord, TokenEdge};
use crate::sections::numbers::{GrammarRecord, TablesRecord, VocabularyRecord};
use crate::sections::vocabulary::ExpressionRecord;

/// A kind of artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum ArtifactKind {
    /// `.gvocab`: a vocabulary and the tables of its shared rules.
    Vocabulary = 1,
    /// `.gmask`: a compiled grammar with its masks.
    Grammar = 2,
}

impl ArtifactKind {
    /// Returns the kind of artifact with this number. `None` for an unknown number.
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

/// Which kinds of artifacts have a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Every artifact has the section.
    Both,
    /// Every vocabulary artifact has the section, and no grammar artifact does.
    Vocabulary,
    /// Every grammar artifact has the section, and no vocabulary artifact does.
    Grammar,
    /// Some grammar artifacts have the section, and no vocabulary artifact does.
    GrammarOptional,
}

impl Presence {
    /// Whether an artifact of this kind may have the section.
    pub fn allows(self, artifact: ArtifactKind) -> bool {
        match self {
            Self::Both => true,
            Self::Vocabulary => artifact == ArtifactKind::Vocabulary,
            Self::Grammar | Self::GrammarOptional => artifact == ArtifactKind::Grammar,
        }
    }

    /// Whether an artifact of this kind must have the section.
    pub fn requires(self, artifact: ArtifactKind) -> bool {
        self != Self::GrammarOptional && self.allows(artifact)
    }

    /// Whether the section is optional, so that an artifact may leave it out.
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
            /// All kinds of sections, in ascending order of their numbers.
            pub const ALL: &[Self] = &[$(Self::$kind,)*];

            /// Returns the kind of section with this number. `None` for an unknown number.
            pub fn from_u32(value: u32) -> Option<Self> {
                match value {
                    $($number => Some(Self::$kind),)*
                    _ => None,
                }
            }

            /// Returns the name of the section, as in messages and in the specification.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }

            /// Returns the size of a record of the section, in bytes.
            pub fn record_size(self) -> u32 {
                match self {
                    $(Self::$kind => size_of::<$record>() as u32,)*
                }
            }

            /// Returns which kinds of artifacts have the section.
            pub fn presence(self) -> Presence {
                match self {
                    $(Self::$kind => Presence::$presence,)*
                }
            }
        }
    };
}

section_kinds! {
    /// Metadata as an rkyv archive: names, options, exactness report and statistics.
    Meta = 1, "META", u8, Both;
    /// Numbers of the vocabulary: one [`VocabularyRecord`].
    Vocabulary = 16, "VOCABULARY", VocabularyRecord, Vocabulary;
    /// For each token id, the offset of its bytes in [`TokenBytes`](Self::TokenBytes). One more entry is the end of the
    /// last.
    TokenOffsets = 17, "TOKEN_OFFSETS", u32, Vocabulary;
    /// Bytes of all tokens, token by token.
    TokenBytes = 18, "TOKEN_BYTES", u8, Vocabulary;
    /// For each token id, the number of its [`TokenKind`](crate::TokenKind).
    TokenKinds = 19, "TOKEN_KINDS", u8, Vocabulary;
    /// Ids of the tokens that end a sequence, ascending.
    EndTokens = 20, "END_TOKENS", u32, Vocabulary;
    /// Ids of the special tokens, ordered by name and then by id.
    SpecialTokens = 21, "SPECIAL_TOKENS", u32, Vocabulary;
    /// For each node of the token trie, the byte on the edge from its parent.
    TrieByte = 22, "TRIE_BYTE", u8, Vocabulary;
    /// For each node of the token trie, the exclusive end of its subtree.
    TrieEnd = 23, "TRIE_END", u32, Vocabulary;
    /// For each node of the token trie, the number of tokens at nodes before it. One more entry is the number of all
    /// tokens.
    TrieRank = 24, "TRIE_RANK", u32, Vocabulary;
    /// Maps the rank of a text token (its index in byte order) to its id.
    TokenOfRank = 25, "TOKEN_OF_RANK", u32, Vocabulary;
    /// Expressions from which the shared rules were compiled, with the rules. Ascending by digest.
    Expressions = 26, "EXPRESSIONS", ExpressionRecord, Vocabulary;
    /// Numbers of the grammar: one [`GrammarRecord`].
    Grammar = 32, "GRAMMAR", GrammarRecord, Grammar;
    /// One byte for each group of tokens, to locate the first token in which another vocabulary differs.
    TokenDigests = 33, "TOKEN_DIGESTS", u8, Both;
    /// The whole vocabulary artifact for which the grammar was compiled.
    Embedded = 34, "EMBEDDED", u8, GrammarOptional;
    /// Regions of the grammar (parts of an output that a host distinguishes), as an rkyv archive.
    Regions = 35, "REGIONS", u8, GrammarOptional;
    /// First ids of the artifact's tables and the width of a dense row: one [`TablesRecord`].
    Tables = 64, "TABLES", TablesRecord, Both;
    /// Rules of the network.
    Rules = 65, "RULES", RuleRecord, Both;
    /// States of all rules, and one sentinel record at the end.
    States = 66, "STATES", StateRecord, Both;
    /// Byte edges (transitions on a byte of a range) of all states.
    ByteEdges = 67, "BYTE_EDGES", ByteEdge, Both;
    /// Call edges (calls of other rules) of all states.
    CallEdges = 68, "CALL_EDGES", CallEdge, Both;
    /// Token edges (transitions on a whole token of a set) of all states.
    TokenEdges = 69, "TOKEN_EDGES", TokenEdge, Both;
    /// Masks (sets of tokens) to which states and edges refer.
    Masks = 70, "MASKS", MaskRecord, Both;
    /// Dense rows of masks: one bit for each token, in words of 32.
    Rows = 71, "ROWS", u32, Both;
    /// Token ids in the lists of the masks.
    Lists = 72, "LISTS", u32, Both;
    /// Follow entries of all states: masks of tokens that return to a state through an exit class.
    Follows = 73, "FOLLOWS", FollowEntry, Both;
    /// Exit classes: sets of trie nodes at which tokens leave a rule.
    Classes = 74, "CLASSES", ClassRecord, Both;
    /// Trie nodes of all exit classes.
    ClassNodes = 75, "CLASS_NODES", u32, Both;
    /// Bytes of the nodes of packed string sets (finite sets of many strings).
    PackedStrings = 76, "PACKED_STRINGS", u8, GrammarOptional;
    /// Nodes of packed string sets that have a stored mask, ascending by address.
    HighFanout = 77, "HIGH_FANOUT", HighFanoutRecord, GrammarOptional;
    /// For each count-dependent state and each field of its register, the range of its near-bound masks. Ascending by
    /// state and field.
    NearBound = 78, "NEAR_BOUND", NearBoundRecord, GrammarOptional;
    /// Masks of the records of [`NearBound`](Self::NearBound), for small values of a counter. Ascending by the value
    /// within each record.
    NearBoundMasks = 79, "NEAR_BOUND_MASKS", NearBoundMask, GrammarOptional;
    /// For each state, the places in the source that say what may come next, as an rkyv archive.
    Places = 128, "PLACES", u8, GrammarOptional;
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
