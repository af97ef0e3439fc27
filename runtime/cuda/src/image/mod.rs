//! Tables of an artifact as words of the pool.
//!
//! An image is built on the host with offsets from its own beginning, before space is allocated for it. Its
//! references are then relocated to its address. Two passes over the words, and one copy to the device.
//!
//! | file | what |
//! | --- | --- |
//! | [`writer`] | words that are written one table after the other |
//! | [`masks`] | mask records, rows and lists |
//! | [`half`] | states, moves, heads and links of one half |
//! | [`texts`] | the bytes of tokens |
//!
//! Tests: `src/tests/{advance,apply}.rs` of this crate.

pub(crate) mod half;
pub(crate) mod masks;
pub(crate) mod texts;
pub(crate) mod writer;

use grammarc_artifacts::tables::Joined;
use grammarc_runtime::{Grammar, flat::FlatGrammar};

use self::half::write_half;
use self::masks::{MaskOffsets, write_masks};
use self::texts::write_texts;
use self::writer::{Image, Writer};
use crate::layout::{GRAMMAR_WORDS, Half, NONE};

/// The parts that grammars of a vocabulary share, by offset in the vocabulary's image.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VocabularyParts {
    pub(crate) half: Half,
    pub(crate) texts: u32,
    pub(crate) text_count: u32,
    pub(crate) long_texts: u32,
    /// The offsets of the records of its masks and of its rows.
    pub(crate) masks: MaskOffsets,
}

impl VocabularyParts {
    /// Relocates the offsets of the parts to the address of the image.
    pub(crate) fn moved(mut self, base: u32) -> Self {
        self.half = half::moved(self.half, base);
        self.texts += base;
        self.long_texts += base;
        self.masks = self.masks.moved(base);
        self
    }
}

/// The image of a vocabulary: its texts, and the tables of its rules.
pub(crate) fn vocabulary(
    grammar: &Grammar,
    flat: &FlatGrammar<'_>,
    joined: &Joined<'_>,
) -> (Image, VocabularyParts) {
    let mut writer = Writer::default();
    let artifact = grammar.vocabulary().artifact();
    let (texts, text_count, long_texts) = write_texts(&mut writer, &artifact.tokens());
    let masks = write_masks(&mut writer, &joined.shared, None);
    let half = write_half(&mut writer, &flat.shared, &masks, None);
    (writer.finish(), VocabularyParts { half, texts, text_count, long_texts, masks })
}

/// Builds the image of a grammar, with its record first. `shared` is the position of its vocabulary's parts in the
/// pool, and `ends` are the end tokens, ascending.
pub(crate) fn grammar(
    flat: &FlatGrammar<'_>,
    joined: &Joined<'_>,
    shared: &VocabularyParts,
    ends: &[u32],
) -> (Image, MaskOffsets) {
    let mut writer = Writer::default();
    let record = writer.reserve(GRAMMAR_WORDS);
    let masks = write_masks(&mut writer, &joined.own, Some(&shared.masks));
    let half = write_half(&mut writer, &flat.own, &masks, Some(&shared.masks));
    let ends_at = writer.table(ends);
    let edge_tokens =
        if flat.edge_tokens.is_empty() { NONE } else { writer.table(flat.edge_tokens) };
    let head = [flat.first_own, flat.start, ends_at, ends.len() as u32, edge_tokens];
    let texts = [shared.texts, shared.text_count, shared.long_texts];
    for (word, value) in head.into_iter().chain(texts).chain(shared.half).chain(half).enumerate() {
        writer.set(record + word as u32, value);
    }
    // These fields refer to the record's own image: the ends, the edge tokens and its half. The others refer to the
    // vocabulary's.
    writer.names_own(record + 2);
    if edge_tokens != NONE {
        writer.names_own(record + 4);
    }
    half::OFFSETS.iter().for_each(|&word| writer.names_own(record + 16 + word as u32));
    (writer.finish(), masks)
}
