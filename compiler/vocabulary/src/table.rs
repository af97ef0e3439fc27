//! Vocabularies as imported.

use grammarc_artifacts::sections::vocabulary::TokenKind;

use grammarc_grammar::diagnostics::Diagnostic;

/// One token of a [`TokenTable`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenEntry {
    /// The bytes that the token adds to the text. For a special token, its name; it is never matched as text.
    pub bytes: Vec<u8>,
    /// The kind of the id.
    pub kind: TokenKind,
}

/// A vocabulary as imported. [`vocabulary`](super) says what holds for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenTable {
    /// The name by which people know the vocabulary.
    pub name: String,
    /// The tokens by id.
    pub tokens: Vec<TokenEntry>,
    /// Ids that end a sequence, unless the host names others.
    pub end_tokens: Vec<u32>,
    /// Number of logits in a row of the model.
    pub logit_width: u32,
    /// The decisions and warnings on the way, worth showing to the user.
    pub findings: Vec<Diagnostic>,
}

impl TokenEntry {
    /// A text token.
    pub fn text(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), kind: TokenKind::Text }
    }
}

impl TokenTable {
    /// A table made in code: a row of logits is as long as the tokens are many, and there is nothing to report.
    pub fn new(name: impl Into<String>, tokens: Vec<TokenEntry>, end_tokens: Vec<u32>) -> Self {
        let (name, logit_width) = (name.into(), tokens.len() as u32);
        Self { name, tokens, end_tokens, logit_width, findings: Vec::new() }
    }

    /// The tokens of one kind, by ascending id.
    pub fn of_kind(&self, kind: TokenKind) -> impl Iterator<Item = (u32, &TokenEntry)> {
        (0..).zip(&self.tokens).filter(move |(_, token)| token.kind == kind)
    }
}
