//! The options of an import: facts about a vocabulary that its files do not state, or state otherwise.
//!
//! An option that is not set leaves the decision to the files beside the tokenizer, and then to the safe default. A
//! kind that an option gives an id is final, whatever the rules of `resolve_tokens`.

use grammarc_artifacts::sections::vocabulary::TokenKind;

/// An end token in the options or files: by id or by text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndToken {
    /// The end token with this id.
    Id(u32),
    /// The end token with exactly this text. Among several, a special token is preferred to a text token.
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

/// A selection of tokens in the options: by id, range of ids or pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tokens {
    /// The token with this id.
    Id(u32),
    /// The tokens from the first to the last id, both inclusive.
    Range(u32, u32),
    /// The added and control tokens whose text matches the pattern, in which `*` matches any text.
    Like(String),
}

impl From<u32> for Tokens {
    fn from(id: u32) -> Self {
        Self::Id(id)
    }
}

impl From<&str> for Tokens {
    /// Reads a selection: `7` is an id, `7-9` a range of ids, and anything else a pattern.
    fn from(text: &str) -> Self {
        if let Ok(id) = text.parse() {
            return Self::Id(id);
        }
        let ends = text.split_once('-').map(|(first, last)| (first.parse(), last.parse()));
        match ends {
            Some((Ok(first), Ok(last))) if first <= last => Self::Range(first, last),
            _ => Self::Like(text.to_owned()),
        }
    }
}

/// Whether a text matches a pattern, in which `*` matches any text. Cost: linear in the text for each `*`.
pub(super) fn like(text: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

/// A companion: a file beside a tokenizer in a model folder that has more facts about its tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Companion {
    /// `tokenizer_config.json`: control tokens by name, the end token, and added tokens.
    TokenizerConfig,
    /// `added_tokens.json`: maps texts of added tokens to ids. Written by transformers before version 4.34.
    AddedTokens,
    /// `generation_config.json`: end tokens by id.
    GenerationConfig,
    /// `config.json`: end tokens by id, and the logit width.
    Config,
}

impl Companion {
    /// All companion files, in the order in which they are read.
    pub(super) const ALL: [Self; 4] =
        [Self::AddedTokens, Self::TokenizerConfig, Self::GenerationConfig, Self::Config];

    /// Returns the companion whose file has this name. `None` if there is none.
    pub fn named(file_name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|companion| companion.file_name() == file_name)
    }

    /// Returns the name of the companion's file.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::TokenizerConfig => "tokenizer_config.json",
            Self::AddedTokens => "added_tokens.json",
            Self::GenerationConfig => "generation_config.json",
            Self::Config => "config.json",
        }
    }
}

/// The options of [`import`](super::import), [`import_bytes`](super::import_bytes) and
/// [`from_tokens`](super::from_tokens).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VocabularyOptions {
    pub(super) name: Option<String>,
    pub(super) end_tokens: Option<Vec<EndToken>>,
    pub(super) logit_width: Option<u32>,
    pub(super) kinds: Vec<(Tokens, TokenKind)>,
    pub(super) special_tokens: Vec<(String, u32)>,
    pub(super) companions: Vec<(Companion, Vec<u8>)>,
}

impl VocabularyOptions {
    /// Returns import options of which none is set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the name of the vocabulary. By default it is the name of the file or folder.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the end tokens. They replace all end tokens that the files name.
    #[must_use]
    pub fn end_tokens<T: Into<EndToken>>(mut self, tokens: impl IntoIterator<Item = T>) -> Self {
        self.end_tokens = Some(tokens.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the number of logits in a row of the model. By default it is that of `config.json`.
    #[must_use]
    pub fn logit_width(mut self, width: u32) -> Self {
        self.logit_width = Some(width);
        self
    }

    /// Makes tokens text, even if they look special.
    #[must_use]
    pub fn text_ids<T: Into<Tokens>>(self, ids: impl IntoIterator<Item = T>) -> Self {
        self.with_kind(ids, TokenKind::Text)
    }

    /// Makes tokens special, even if they look like text.
    #[must_use]
    pub fn special_ids<T: Into<Tokens>>(self, ids: impl IntoIterator<Item = T>) -> Self {
        self.with_kind(ids, TokenKind::Special)
    }

    /// Makes tokens unused, so that no mask ever allows them.
    #[must_use]
    pub fn unused_ids<T: Into<Tokens>>(self, ids: impl IntoIterator<Item = T>) -> Self {
        self.with_kind(ids, TokenKind::Unused)
    }

    /// Adds a special token. Rank files of tiktoken list no special tokens, so they are given here.
    #[must_use]
    pub fn special_token(mut self, text: impl Into<String>, id: u32) -> Self {
        self.special_tokens.push((text.into(), id));
        self
    }

    /// Sets the content of a companion file, as JSON text. It replaces a file beside the tokenizer. A later call for
    /// the same companion replaces an earlier one.
    #[must_use]
    pub fn companion(mut self, companion: Companion, json: impl Into<Vec<u8>>) -> Self {
        self.companions.retain(|&(given, _)| given != companion);
        self.companions.push((companion, json.into()));
        self
    }

    fn with_kind<T: Into<Tokens>>(
        mut self,
        ids: impl IntoIterator<Item = T>,
        kind: TokenKind,
    ) -> Self {
        self.kinds.extend(ids.into_iter().map(|tokens| (tokens.into(), kind)));
        self
    }

    /// Whether the options state by id or range that a token is text.
    pub(super) fn says_text(&self, id: u32) -> bool {
        self.kinds.iter().any(|(tokens, kind)| {
            *kind == TokenKind::Text
                && match tokens {
                    Tokens::Id(given) => *given == id,
                    Tokens::Range(first, last) => (*first..=*last).contains(&id),
                    Tokens::Like(_) => false,
                }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_named_by_id_range_or_text() {
        assert_eq!(Tokens::from("7"), Tokens::Id(7));
        assert_eq!(Tokens::from("7-9"), Tokens::Range(7, 9));
        for text in ["<h*>", "9-7", "-", "a-b"] {
            assert_eq!(Tokens::from(text), Tokens::Like(text.to_owned()));
        }
    }

    #[test]
    fn stars_match_any_text() {
        for (text, pattern, expected) in [
            ("<h1>", "<h*>", true),
            ("<h>", "<h*>", true),
            ("</h1>", "<h*>", false),
            ("<a b c>", "<*b*>", true),
            ("<a>", "<*b*>", false),
            ("abab", "ab*ab", true),
            ("aba", "ab*ba", false),
            ("<b>", "<b>", true),
            ("<b>", "<b", false),
            ("", "*", true),
        ] {
            assert_eq!(like(text, pattern), expected, "{text} {pattern}");
        }
    }
}
