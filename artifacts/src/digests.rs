//! One byte per token, by which a grammar artifact names the first token in which another vocabulary differs.
//!
//! Byte `i` is drawn from a running digest of tokens `0..=i`. Once two vocabularies differ in a token, every byte from
//! there on agrees by chance only, one time in 256: so the first byte that differs is that token's, or, with that
//! chance, one of the next. The digest has no other use and need not resist an adversary: that the vocabularies differ
//! at all is known from their fingerprints. It is a 64-bit multiplicative mix, computed when it is written or when a
//! fingerprint differs, in about a millisecond for 128,000 tokens.

use crate::error::Difference;
use crate::tokens::Tokens;

/// Odd constant of the mix: 2^64 divided by the golden ratio.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Takes one word into the running digest.
fn mix(digest: u64, word: u64) -> u64 {
    let product = (digest ^ word).wrapping_mul(FACTOR);
    product ^ product >> 29
}

/// The token digests of a vocabulary, by id.
pub(crate) fn token_digests(tokens: Tokens<'_>) -> impl Iterator<Item = u8> {
    let mut digest = 0;
    (0..tokens.count()).map(move |id| {
        let bytes = tokens.bytes_of(id);
        let kind = tokens.kind_of(id) as u64;
        digest = mix(digest, kind << 32 | bytes.len() as u64);
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            digest = mix(digest, u64::from_le_bytes(word));
        }
        (mix(digest, 0) >> 56) as u8
    })
}

/// The first difference between a vocabulary and the one with these token digests.
pub(crate) fn first_difference(digests: &[u8], tokens: Tokens<'_>) -> Difference {
    let bytes = |id: u32| tokens.bytes_of(id).to_vec();
    let differs = digests.iter().zip(token_digests(tokens)).position(|(&a, b)| a != b);
    let common = digests.len().min(tokens.count() as usize) as u32;
    match differs {
        Some(at) => Difference::Token { id: at as u32, bytes: Some(bytes(at as u32)) },
        None if common < tokens.count() => Difference::Extra { id: common, bytes: bytes(common) },
        None if (common as usize) < digests.len() => Difference::Token { id: common, bytes: None },
        None => Difference::EndOrWidth,
    }
}
