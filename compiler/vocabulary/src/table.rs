//! The table of tokens that an import returns.

use grammarc_artifacts::sections::vocabulary::TokenKind;

use grammarc_grammar::diagnostics::Diagnostic;

/// One token of a [`TokenTable`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenEntry {
    /// The bytes that the token adds to the text. For a special token, its name, which is never matched as text.
    pub bytes: Vec<u8>,
    /// Whether the token is text, special or unused.
    pub kind: TokenKind,
}

/// An imported vocabulary. The head of [`vocabulary`](super) lists the promises that each table keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenTable {
    /// The name of the vocabulary, for people.
    pub name: String,
    /// The tokens of the vocabulary, indexed by id.
    pub tokens: Vec<TokenEntry>,
    /// The ids of the tokens that end a sequence, ascending. A host may choose others.
    pub end_tokens: Vec<u32>,
    /// The number of logits in a row of the model, at least the number of tokens.
    pub logit_width: u32,
    /// The notes and warnings of the import, to be shown to the user.
    pub findings: Vec<Diagnostic>,
}

impl TokenEntry {
    /// Returns a text token with these bytes.
    pub fn text(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), kind: TokenKind::Text }
    }
}

impl TokenTable {
    /// Returns a table made in code. Its logit width is the number of tokens, and it has no findings.
    pub fn new(name: impl Into<String>, tokens: Vec<TokenEntry>, end_tokens: Vec<u32>) -> Self {
        let (name, logit_width) = (name.into(), tokens.len() as u32);
        Self { name, tokens, end_tokens, logit_width, findings: Vec::new() }
    }

    /// Returns the tokens of one kind with their ids, in ascending order.
    pub fn of_kind(&self, kind: TokenKind) -> impl Iterator<Item = (u32, &TokenEntry)> {
        (0..).zip(&self.tokens).filter(move |(_, token)| token.kind == kind)
    }
}
