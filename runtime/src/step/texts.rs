//! The bytes that each token adds to the output. A short token is packed into one word. Derived when a vocabulary is
//! opened.
//!
//! The vocabulary artifact has the kind, the offset and the bytes of a token in three tables. That is three cache
//! misses for a token that was not read recently, and one for a word. Longer tokens, one in ten of those that occur,
//! are read from the artifact.
//!
//! A word also holds whether its token is *plain*: printable ASCII without the quote and the backslash. Most tokens of
//! most texts are plain. Within a string they change no state (see [`moves`](crate::step::moves)).
//!
//! Cost: 8 bytes a token, a megabyte for a vocabulary of 128,256 tokens.

use grammarc_artifacts::{TokenKind, VocabularyArtifact};

/// Value of the length byte, without [`PLAIN`], if the bytes are in the artifact.
const LONG: u8 = 0x7f;
/// Bit of the length byte: the token is plain.
const PLAIN: u8 = 0x80;
/// Largest number of bytes that fit into a word beside the length byte. A longer text stays in the artifact.
const SHORT: usize = 7;

/// Whether a byte is plain: printable ASCII (0x20 to 0x7e) except the quote and the backslash.
pub fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\'
}

/// Maps each token id to its packed text.
#[derive(Debug)]
pub(crate) struct Texts(Vec<Text>);

/// The text of one token in 8 bytes: a byte with the length and the plain bit, then the bytes of a short text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Text([u8; SHORT + 1]);

impl Text {
    /// Packs the bytes of a text token. Of more than [`SHORT`] bytes, only the plain bit is kept.
    fn new(bytes: &[u8]) -> Self {
        let mut word = [0; SHORT + 1];
        match word[1..].get_mut(..bytes.len()) {
            Some(short) => {
                short.copy_from_slice(bytes);
                word[0] = bytes.len() as u8;
            }
            None => word[0] = LONG,
        }
        if !bytes.is_empty() && bytes.iter().all(|&byte| is_plain(byte)) {
            word[0] |= PLAIN;
        }
        Self(word)
    }

    /// Whether the text is not empty and all its bytes are plain.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.0[0] & PLAIN != 0
    }

    /// Returns the bytes that `token` adds to the output. `self` must be the text of `token`. Empty for a special
    /// token.
    #[inline]
    pub(crate) fn bytes<'t>(&'t self, artifact: &'t VocabularyArtifact, token: u32) -> &'t [u8] {
        match self.0[0] & !PLAIN {
            LONG => artifact.token_bytes(token),
            len => &self.0[1..][..usize::from(len).min(SHORT)],
        }
    }
}

impl Texts {
    /// Packs the texts of all tokens of a vocabulary. O(bytes of the vocabulary).
    pub(crate) fn new(artifact: &VocabularyArtifact) -> Self {
        let tokens = artifact.tokens();
        let text = |token| match tokens.kind_of(token) {
            TokenKind::Text => Text::new(tokens.bytes_of(token)),
            TokenKind::Special | TokenKind::Unused => Text::default(),
        };
        Self((0..tokens.count()).map(text).collect())
    }

    /// Returns the text of a token. Empty for an id without a token.
    #[inline]
    pub(crate) fn get(&self, token: u32) -> Text {
        self.0.get(token as usize).copied().unwrap_or_default()
    }
}
