//! The bytes that each token adds to the text, worked out when a vocabulary is opened.
//!
//! The vocabulary artifact has a kind, an offset and the bytes of a token in three tables: three cache misses for a
//! token that was not seen lately. Here the bytes of a short token are in one word. Longer ones, one in ten of those
//! that occur, are read from the artifact. The words of a vocabulary of 128,256 tokens take a megabyte.

use grammarc_artifacts::{TokenKind, VocabularyArtifact};

/// Length that says that the bytes are in the artifact.
const LONG: u8 = u8::MAX;
/// Bytes that fit in a word beside their number.
const SHORT: usize = 7;

/// The texts of a vocabulary's tokens, by id: the length, then the bytes.
#[derive(Debug)]
pub(crate) struct Texts(Vec<[u8; SHORT + 1]>);

/// The bytes of a short token, copied.
#[derive(Default)]
pub(crate) struct Short([u8; SHORT + 1]);

impl Texts {
    pub(crate) fn new(artifact: &VocabularyArtifact) -> Self {
        let tokens = artifact.tokens();
        let word = |token| {
            let text = match tokens.kind_of(token) {
                TokenKind::Text => tokens.bytes_of(token),
                TokenKind::Special | TokenKind::Unused => &[],
            };
            let mut word = [0; SHORT + 1];
            match word[1..].get_mut(..text.len()) {
                Some(bytes) => {
                    bytes.copy_from_slice(text);
                    word[0] = text.len() as u8;
                }
                None => word[0] = LONG,
            }
            word
        };
        Self((0..tokens.count()).map(word).collect())
    }

    /// The bytes that a token adds to the text: none unless it is a text token. `short` is room for them.
    #[inline]
    pub(crate) fn get<'t>(
        &self,
        artifact: &'t VocabularyArtifact,
        token: u32,
        short: &'t mut Short,
    ) -> &'t [u8] {
        *short = Short(self.0.get(token as usize).copied().unwrap_or_default());
        match short.0 {
            [LONG, ..] => artifact.token_bytes(token),
            [len, ..] => &short.0[1..][..usize::from(len).min(SHORT)],
        }
    }
}
