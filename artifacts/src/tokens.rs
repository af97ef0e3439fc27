//! The tokens of a vocabulary as borrowed arrays: bytes and kinds by id, end tokens and special tokens.

use crate::sections::vocabulary::TokenKind;

/// The tokens of a vocabulary as borrowed arrays, read in place or about to be written.
#[derive(Clone, Copy, Debug)]
pub struct Tokens<'a> {
    /// Length of the model's logit row, in tokens.
    pub logit_width: u32,
    /// For each token id, the offset of its bytes in `bytes`. One more entry at the end is the end of the last token's
    /// bytes.
    pub offsets: &'a [u32],
    /// Bytes of all tokens, token by token.
    pub bytes: &'a [u8],
    /// For each token id, the number of its [`TokenKind`].
    pub kinds: &'a [u8],
    /// Ids of the tokens that end a sequence, ascending.
    pub end_tokens: &'a [u32],
    /// Ids of the special tokens, ordered by name and then by id.
    pub special_tokens: &'a [u32],
}

impl<'a> Tokens<'a> {
    /// Returns the number of token ids. Ids are less than this.
    pub fn count(&self) -> u32 {
        self.kinds.len() as u32
    }

    /// Returns the bytes of a text token, or the name of a special token. Empty for an id out of range.
    #[inline]
    pub fn bytes_of(&self, id: u32) -> &'a [u8] {
        let id = id as usize;
        match (self.offsets.get(id), self.offsets.get(id + 1)) {
            (Some(&from), Some(&to)) => &self.bytes[from as usize..to as usize],
            _ => &[],
        }
    }

    /// Returns the kind of a token. [`TokenKind::Unused`] for an id out of range.
    #[inline]
    pub fn kind_of(&self, id: u32) -> TokenKind {
        let kind = self.kinds.get(id as usize).copied();
        kind.and_then(TokenKind::from_u8).unwrap_or(TokenKind::Unused)
    }

    /// Returns the number of tokens of a kind. O(n).
    pub fn count_of(&self, kind: TokenKind) -> usize {
        self.kinds.iter().filter(|&&found| found == kind as u8).count()
    }

    /// Returns the part of `sorted` whose tokens have exactly these bytes. `sorted` holds token ids, ordered by their
    /// bytes. O(log n) comparisons.
    pub fn find<'s>(&self, sorted: &'s [u32], bytes: &[u8]) -> &'s [u32] {
        let from = sorted.partition_point(|&id| self.bytes_of(id) < bytes);
        let rest = &sorted[from..];
        &rest[..rest.partition_point(|&id| self.bytes_of(id) == bytes)]
    }

    /// Returns the bitmask of the tokens that a mask may contain, text and special: token `t` is bit `t % 32` of word
    /// `t / 32`.
    pub fn usable(&self) -> Vec<u32> {
        let word = |kinds: &[u8]| {
            let usable = kinds.iter().map(|&kind| u32::from(kind != TokenKind::Unused as u8));
            usable.enumerate().fold(0, |word, (bit, usable)| word | usable << bit)
        };
        self.kinds.chunks(32).map(word).collect()
    }

    /// Returns the fingerprint, which identifies the vocabulary: blake3 of a name, three numbers and four arrays. The
    /// list of special tokens follows from these and is left out.
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
