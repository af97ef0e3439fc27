//! Checks of the vocabulary's tokens: counts, offsets, kinds, end tokens and special tokens.

use super::violation::{Check, Invariant, at};
use crate::sections::kinds::SectionKind;
use crate::sections::network::NONE;
use crate::sections::numbers::VocabularyRecord;
use crate::sections::vocabulary::TokenKind;
use crate::tokens::Tokens;

pub(super) fn check(numbers: &VocabularyRecord, tokens: &Tokens<'_>) -> Check {
    counts(numbers)?;
    offsets(numbers, tokens)?;
    kinds(numbers, tokens)?;
    end_tokens(tokens)?;
    special_tokens(tokens)
}

/// Checks that the ids fit into 32 bits and that the logit width is at least the number of tokens.
fn counts(numbers: &VocabularyRecord) -> Check {
    let place = at(SectionKind::Vocabulary, 0);
    place.below(Invariant::TokenCount, numbers.token_count, NONE)?;
    place.at_least(Invariant::TokenCount, numbers.logit_width, numbers.token_count)
}

/// Checks that token offsets ascend from 0 to the number of bytes.
fn offsets(numbers: &VocabularyRecord, tokens: &Tokens<'_>) -> Check {
    let offsets = tokens.offsets;
    let place = |record| at(SectionKind::TokenOffsets, record);
    let count = numbers.token_count as usize;
    place(0).equal(Invariant::TokenOffsets, offsets.len(), count + 1)?;
    place(0).equal(Invariant::TokenOffsets, offsets[0] as usize, 0)?;
    for (id, pair) in offsets.windows(2).enumerate() {
        place(id + 1).at_least(Invariant::TokenOffsets, pair[1], pair[0])?;
    }
    let end = offsets[count] as usize;
    place(count).equal(Invariant::TokenOffsets, end, tokens.bytes.len())
}

/// Checks that each token has one known kind, and that no text token is without bytes.
fn kinds(numbers: &VocabularyRecord, tokens: &Tokens<'_>) -> Check {
    let kinds = tokens.kinds;
    let place = |record| at(SectionKind::TokenKinds, record);
    place(0).equal(Invariant::TokenKinds, kinds.len(), numbers.token_count as usize)?;
    let offsets = tokens.offsets;
    for (id, (&kind, pair)) in kinds.iter().zip(offsets.windows(2)).enumerate() {
        let holds = match TokenKind::from_u8(kind) {
            Some(TokenKind::Text) => pair[0] < pair[1],
            Some(TokenKind::Special | TokenKind::Unused) => true,
            None => false,
        };
        place(id).require(Invariant::TokenKinds, holds, kind.into())?;
    }
    Ok(())
}

/// Checks that end tokens are existing token ids, ascending.
fn end_tokens(tokens: &Tokens<'_>) -> Check {
    let mut least = 0;
    for (record, &id) in tokens.end_tokens.iter().enumerate() {
        let place = at(SectionKind::EndTokens, record);
        place.below(Invariant::EndTokens, id, tokens.count())?;
        place.at_least(Invariant::EndTokens, id, least)?;
        least = id + 1;
    }
    Ok(())
}

/// Checks that the list of special tokens is complete and ordered by name and then by id.
fn special_tokens(tokens: &Tokens<'_>) -> Check {
    let special = tokens.special_tokens;
    let place = |record| at(SectionKind::SpecialTokens, record);
    let count = tokens.count_of(TokenKind::Special);
    place(0).equal(Invariant::SpecialTokens, special.len(), count)?;
    let mut before = None;
    for (record, &id) in special.iter().enumerate() {
        let key = (tokens.bytes_of(id), id);
        let holds = tokens.kind_of(id) == TokenKind::Special && before.is_none_or(|b| b < key);
        place(record).require(Invariant::SpecialTokens, holds, id)?;
        before = Some(key);
    }
    Ok(())
}
