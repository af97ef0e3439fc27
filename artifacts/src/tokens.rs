//! The tokens of a vocabulary as borrowed arrays: bytes and kinds by id, end tokens and special tokens.

use crate::sections::vocabulary::TokenKind;

/// The tokens of a vocabulary, read in place or about to be written.
#[derive(Clone, Copy, Debug)]
pub struct Tokens<'a> {
    /// Length of the model's logit row.
    pub logit_width: u32,
    /// Start of each token's bytes, and the end of the last.
    pub offsets: &'a [u32],
    /// Bytes of all tokens, one after the other.
    pub bytes: &'a [u8],
    /// Number of each token's [`TokenKind`].
    pub kinds: &'a [u8],
    /// End-of-sequence token ids, ascending.
    pub end_tokens: &'a [u32],
    /// Special token ids, by bytes and then by id.
    pub special_tokens: &'a [u32],
}

impl<'a> Tokens<'a> {
    /// Number of token ids.
    pub fn count(&self) -> u32 {
        self.kinds.len() as u32
    }

    /// The bytes of a token, or the name of a special token. Empty for an id out of range.
    #[inline]
    pub fn bytes_of(&self, id: u32) -> &'a [u8] {
        let id = id as usize;
        match (self.offsets.get(id), self.offsets.get(id + 1)) {
            (Some(&from), Some(&to)) => &self.bytes[from as usize..to as usize],
            _ => &[],
        }
    }

    /// The kind of a token. [`TokenKind::Unused`] for an id out of range.
    #[inline]
    pub fn kind_of(&self, id: u32) -> TokenKind {
        let kind = self.kinds.get(id as usize).copied();
        kind.and_then(TokenKind::from_u8).unwrap_or(TokenKind::Unused)
    }

    /// Number of tokens of this kind. O(n).
    pub fn count_of(&self, kind: TokenKind) -> usize {
        self.kinds.iter().filter(|&&found| found == kind as u8).count()
    }

    /// Returns the ids of `sorted` with these bytes. `sorted` are token ids in the order of their bytes. O(log n) comparisons.
    pub fn find<'s>(&self, sorted: &'s [u32], bytes: &[u8]) -> &'s [u32] {
        let from = sorted.partition_point(|&id| self.bytes_of(id) < bytes);
        let rest = &sorted[from..];
        &rest[..rest.partition_point(|&id| self.bytes_of(id) == bytes)]
    }

    /// Returns the tokens that a mask may have, text and special: bit `t % 32` of word `t / 32`.
    pub fn usable(&self) -> Vec<u32> {
        let word = |kinds: &[u8]| {
            let usable = kinds.iter().map(|&kind| u32::from(kind != TokenKind::Unused as u8));
            usable.enumerate().fold(0, |word, (bit, usable)| word | usable << bit)
        };
        self.kinds.chunks(32).map(word).collect()
    }

    /// Returns the identity of the vocabulary: blake3 of a name, three numbers and four arrays. The list of special tokens
    /// follows from these.
    pub fn fingerprint(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"grammarc vocabulary");
        for number in [self.count(), self.logit_width, self.end_tokens.len() as u32] {
            hasher.update(&number.to_le_bytes());
        }
        hasher.update(bytemuck::cast_slice(self.end_tokens));
        hasher.update(bytemuck::cast_slice(self.offsets));
        hasher.update(self.kinds);
        hasher.update(self.bytes);
        *hasher.finalize().as_bytes()
    }
}
