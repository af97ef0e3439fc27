//! Checks of the vocabulary's tokens.

use super::violation::{Check, Invariant, at};
use crate::container::kinds::SectionKind;
use crate::sections::network::NONE;
use crate::sections::vocabulary::TokenKind;
use crate::vocabulary::VocabularyArtifact;

pub(super) fn check(artifact: &VocabularyArtifact) -> Check {
    counts(artifact)?;
    offsets(artifact)?;
    kinds(artifact)?;
    end_tokens(artifact)?;
    special_tokens(artifact)
}

/// The numbers of the vocabulary.
fn counts(artifact: &VocabularyArtifact) -> Check {
    let place = at(SectionKind::Vocabulary, 0);
    place.below(Invariant::TokenCount, artifact.token_count(), NONE)?;
    place.at_least(Invariant::TokenCount, artifact.logit_width(), artifact.token_count())
}

/// Token offsets are monotone and within the bytes.
fn offsets(artifact: &VocabularyArtifact) -> Check {
    let offsets = artifact.token_offsets();
    let place = |record| at(SectionKind::TokenOffsets, record);
    let count = artifact.token_count() as usize;
    place(0).equal(Invariant::TokenOffsets, offsets.len(), count + 1)?;
    place(0).equal(Invariant::TokenOffsets, offsets[0] as usize, 0)?;
    for (id, pair) in offsets.windows(2).enumerate() {
        place(id + 1).at_least(Invariant::TokenOffsets, pair[1], pair[0])?;
    }
    let end = offsets[count] as usize;
    place(count).equal(Invariant::TokenOffsets, end, artifact.all_token_bytes().len())
}

/// One known kind per token, and no text token without bytes.
fn kinds(artifact: &VocabularyArtifact) -> Check {
    let kinds = artifact.token_kinds();
    let place = |record| at(SectionKind::TokenKinds, record);
    place(0).equal(Invariant::TokenKinds, kinds.len(), artifact.token_count() as usize)?;
    let offsets = artifact.token_offsets();
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

/// End tokens exist and ascend.
fn end_tokens(artifact: &VocabularyArtifact) -> Check {
    let mut least = 0;
    for (record, &id) in artifact.end_tokens().iter().enumerate() {
        let place = at(SectionKind::EndTokens, record);
        place.below(Invariant::EndTokens, id, artifact.token_count())?;
        place.at_least(Invariant::EndTokens, id, least)?;
        least = id + 1;
    }
    Ok(())
}

/// The list of special tokens is sorted and complete.
fn special_tokens(artifact: &VocabularyArtifact) -> Check {
    let special = artifact.special_tokens();
    let place = |record| at(SectionKind::SpecialTokens, record);
    let kind = TokenKind::Special as u8;
    let count = artifact.token_kinds().iter().filter(|&&found| found == kind).count();
    place(0).equal(Invariant::SpecialTokens, special.len(), count)?;
    let mut before = None;
    for (record, &id) in special.iter().enumerate() {
        let key = (artifact.token_bytes(id), id);
        let holds = artifact.token_kind(id) == TokenKind::Special && before.is_none_or(|b| b < key);
        place(record).require(Invariant::SpecialTokens, holds, id)?;
        before = Some(key);
    }
    Ok(())
}
