//! The bytes that each token adds to the text, in one word for a short token. Derived when a vocabulary is opened.
//!
//! The vocabulary artifact has the kind, the offset and the bytes of a token in three tables. That is three cache misses for
//! a token that was not read recently. A word is one. Longer tokens, one in ten of those that occur, are read from the
//! artifact.
//!
//! A word also holds whether its token is *plain*: printable ASCII without the quote and the backslash. Most tokens of most
//! texts are plain. Within a string they change no state (see [`moves`](crate::step::moves)).
//!
//! Cost: 8 bytes a token, a megabyte for a vocabulary of 128,256 tokens.

use grammarc_artifacts::{TokenKind, VocabularyArtifact};

/// Value in place of the length if the bytes are in the artifact.
const LONG: u8 = 0x7f;
/// Bit of the length: the token is plain.
const PLAIN: u8 = 0x80;
/// Most bytes that fit into a word beside the length. Longer texts stay in the artifact.
const SHORT: usize = 7;

/// Whether a byte is plain: printable ASCII, but not the quote or the backslash.
pub fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\'
}

/// The texts of a vocabulary's tokens, by id.
#[derive(Debug)]
pub(crate) struct Texts(Vec<Text>);

/// The text of one token: its length and the plain bit, then the bytes of a short text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Text([u8; SHORT + 1]);

impl Text {
    /// Packs the bytes of a text token.
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

    /// The bytes that `token`, whose text this is, adds to the text. None for a token that is not text.
    #[inline]
    pub(crate) fn bytes<'t>(&'t self, artifact: &'t VocabularyArtifact, token: u32) -> &'t [u8] {
        match self.0[0] & !PLAIN {
            LONG => artifact.token_bytes(token),
            len => &self.0[1..][..usize::from(len).min(SHORT)],
        }
    }
}

impl Texts {
    /// Packs the texts of all tokens. O(bytes of the vocabulary).
    pub(crate) fn new(artifact: &VocabularyArtifact) -> Self {
        let tokens = artifact.tokens();
        let text = |token| match tokens.kind_of(token) {
            TokenKind::Text => Text::new(tokens.bytes_of(token)),
            TokenKind::Special | TokenKind::Unused => Text::default(),
        };
        Self((0..tokens.count()).map(text).collect())
    }

    /// The text of a token. Empty for an id that is no token.
    #[inline]
    pub(crate) fn get(&self, token: u32) -> Text {
        self.0.get(token as usize).copied().unwrap_or_default()
    }
}
