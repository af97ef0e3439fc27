//! The bytes that each token adds to the text, worked out when a vocabulary is opened.
//!
//! The vocabulary artifact has a kind, an offset and the bytes of a token in three tables: three cache misses for a
//! token that was not seen lately. Here the bytes of a short token are in one word. Longer ones, one in ten of those
//! that occur, are read from the artifact. The words of a vocabulary of 128,256 tokens take a megabyte.
//!
//! A word says besides whether its token is *plain*: of printable ASCII but for the quote and the backslash. Most tokens
//! of most texts are, and a string goes on unchanged over all of them (see [`moves`](crate::moves)).

use grammarc_artifacts::{TokenKind, VocabularyArtifact};

/// Length that says that the bytes are in the artifact.
const LONG: u8 = 0x7f;
/// Mark of a plain token, in the length.
const PLAIN: u8 = 0x80;
/// Bytes that fit in a word beside their number.
const SHORT: usize = 7;

/// Whether a byte may be in a plain token: printable ASCII but for the quote and the backslash.
pub fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\'
}

/// The texts of a vocabulary's tokens, by id.
#[derive(Debug)]
pub(crate) struct Texts(Vec<Text>);

/// The text of one token: its length and mark, then its bytes where they are few.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Text([u8; SHORT + 1]);

impl Text {
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

    /// Whether all bytes are plain and there is one.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.0[0] & PLAIN != 0
    }

    /// The bytes that the token, whose text this is, adds: none unless it is a text token.
    #[inline]
    pub(crate) fn bytes<'t>(&'t self, artifact: &'t VocabularyArtifact, token: u32) -> &'t [u8] {
        match self.0[0] & !PLAIN {
            LONG => artifact.token_bytes(token),
            len => &self.0[1..][..usize::from(len).min(SHORT)],
        }
    }
}

impl Texts {
    pub(crate) fn new(artifact: &VocabularyArtifact) -> Self {
        let tokens = artifact.tokens();
        let text = |token| match tokens.kind_of(token) {
            TokenKind::Text => Text::new(tokens.bytes_of(token)),
            TokenKind::Special | TokenKind::Unused => Text::default(),
        };
        Self((0..tokens.count()).map(text).collect())
    }

    /// The text of a token, empty for an id that is no token.
    #[inline]
    pub(crate) fn get(&self, token: u32) -> Text {
        self.0.get(token as usize).copied().unwrap_or_default()
    }
}
