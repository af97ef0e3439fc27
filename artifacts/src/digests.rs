//! Token digests: at most 1,024 bytes by which a grammar artifact locates the first token that differs in a foreign
//! vocabulary.
//!
//! Tokens are divided by id into groups of equal size, of one token each in a small vocabulary. The byte of a group is
//! taken from a running digest of all tokens up to the last token of the group. Once two vocabularies differ in a
//! token, their bytes from that group on agree only by chance, one time in 256. So the first byte that differs belongs
//! to that group, or with that chance to a later group. The digest need not resist an adversary: fingerprints prove
//! that the vocabularies differ.
//!
//! A vocabulary artifact stores its digests and its grammars copy them, so a compilation computes none. The digest
//! takes 17 ns for each token. It is computed when a vocabulary is written, and when a fingerprint differs.

use crate::error::{Difference, Error};
use crate::sections::kinds::SectionKind;
use crate::tokens::Tokens;

/// Factor of the running digest: 2^64 divided by the golden ratio, rounded to an odd number.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Largest number of groups, of one byte each: 1 KiB of each grammar artifact. More tokens make larger groups, such as
/// 126 tokens each for the 128,256 tokens of Llama 3.
const MOST_GROUPS: u32 = 1024;

/// Returns the running digest after one more word.
fn mix(digest: u64, word: u64) -> u64 {
    let product = (digest ^ word).wrapping_mul(FACTOR);
    product ^ product >> 29
}

/// Returns the number of tokens in a group, for a vocabulary of `token_count` tokens. The last group may have fewer.
fn group_size(token_count: u32) -> u32 {
    token_count.div_ceil(MOST_GROUPS).max(1)
}

/// Checks that `digests` has one byte for each group of `token_count` tokens. Returns [`Error::SectionLength`] if not.
pub(crate) fn check_length(digests: &[u8], token_count: u32) -> Result<(), Error> {
    let expected = token_count.div_ceil(group_size(token_count)).into();
    let (section, found) = (SectionKind::TokenDigests.name(), digests.len() as u64);
    match found == expected {
        true => Ok(()),
        false => Err(Error::SectionLength { section, expected, found }),
    }
}

/// Returns one byte for each group of the first `token_count` tokens of a vocabulary, or of all if there are fewer.
pub(crate) fn token_digests(tokens: Tokens<'_>, token_count: u32) -> impl Iterator<Item = u8> {
    let (size, count) = (group_size(token_count), token_count.min(tokens.count()));
    let mut digest = 0;
    (0..count).step_by(size as usize).map(move |first| {
        for id in first..count.min(first + size) {
            let bytes = tokens.bytes_of(id);
            let kind = tokens.kind_of(id) as u64;
            digest = mix(digest, kind << 32 | bytes.len() as u64);
            for chunk in bytes.chunks(8) {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                digest = mix(digest, u64::from_le_bytes(word));
            }
        }
        (mix(digest, 0) >> 56) as u8
    })
}

/// Returns the first difference between the vocabulary of `tokens` and another. The other has `token_count` tokens and
/// these digests.
pub(crate) fn first_difference(digests: &[u8], token_count: u32, tokens: Tokens<'_>) -> Difference {
    let size = group_size(token_count);
    let given = token_digests(tokens, token_count);
    let differs = digests.iter().zip(given).position(|(&a, b)| a != b);
    let bytes = |id: u32| (id < tokens.count()).then(|| tokens.bytes_of(id).to_vec());
    match differs {
        Some(group) if size == 1 => {
            Difference::Token { id: group as u32, bytes: bytes(group as u32) }
        }
        Some(group) => {
            let first = group as u32 * size;
            Difference::Group { first, last: (first + size).min(token_count) - 1 }
        }
        None if tokens.count() == token_count => Difference::EndOrWidth,
        None => {
            let id = tokens.count().min(token_count);
            Difference::Token { id, bytes: bytes(id) }
        }
    }
}
