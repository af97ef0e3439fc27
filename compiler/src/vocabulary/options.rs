//! What a user may say about a vocabulary beyond its files.
//!
//! An unset option differs from any value: it leaves the decision to the files beside the tokenizer and then to the
//! safe default. Ids given a kind here keep it, whatever the rules of `settle` would have said.

use grammarc_artifacts::sections::vocabulary::TokenKind;

/// An end token as a user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndToken {
    /// By id.
    Id(u32),
    /// By its exact text; a special token with this text is preferred to a text token.
    Text(String),
}

impl From<u32> for EndToken {
    fn from(id: u32) -> Self {
        Self::Id(id)
    }
}

impl From<&str> for EndToken {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// Options of [`import`](super::import).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VocabularyOptions {
    pub(super) name: Option<String>,
    pub(super) end_tokens: Option<Vec<EndToken>>,
    pub(super) logit_width: Option<u32>,
    pub(super) kinds: Vec<(u32, TokenKind)>,
    pub(super) special_tokens: Vec<(String, u32)>,
}

impl VocabularyOptions {
    /// All options unset.
    pub fn new() -> Self {
        Self::default()
    }

    /// The vocabulary's name, in place of the file's or folder's.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The end tokens, in place of all those that the files name.
    #[must_use]
    pub fn end_tokens<T: Into<EndToken>>(mut self, tokens: impl IntoIterator<Item = T>) -> Self {
        self.end_tokens = Some(tokens.into_iter().map(Into::into).collect());
        self
    }

    /// Number of logits in a row of the model, in place of the one in `config.json`.
    #[must_use]
    pub fn logit_width(mut self, width: u32) -> Self {
        self.logit_width = Some(width);
        self
    }

    /// Ids that are text although they look special.
    #[must_use]
    pub fn text_ids(self, ids: impl IntoIterator<Item = u32>) -> Self {
        self.with_kind(ids, TokenKind::Text)
    }

    /// Ids that are special although they look like text.
    #[must_use]
    pub fn special_ids(self, ids: impl IntoIterator<Item = u32>) -> Self {
        self.with_kind(ids, TokenKind::Special)
    }

    /// Ids that no mask may ever allow.
    #[must_use]
    pub fn unused_ids(self, ids: impl IntoIterator<Item = u32>) -> Self {
        self.with_kind(ids, TokenKind::Unused)
    }

    /// One more special token. Rank files list none, so theirs are given here.
    #[must_use]
    pub fn special_token(mut self, text: impl Into<String>, id: u32) -> Self {
        self.special_tokens.push((text.into(), id));
        self
    }

    fn with_kind(mut self, ids: impl IntoIterator<Item = u32>, kind: TokenKind) -> Self {
        self.kinds.extend(ids.into_iter().map(|id| (id, kind)));
        self
    }
}
