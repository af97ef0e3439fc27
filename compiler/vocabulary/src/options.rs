//! Facts that a user may state about a vocabulary beyond its files.
//!
//! An unset option differs from any value: it leaves the decision to the files beside the tokenizer and then to the
//! safe default. Ids given a kind here keep it, whatever the rules of `resolve_tokens`.

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

/// Tokens as a user names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tokens {
    /// By id.
    Id(u32),
    /// By first and last id.
    Range(u32, u32),
    /// By text, in which `*` matches any text: added and control tokens alone.
    Like(String),
}

impl From<u32> for Tokens {
    fn from(id: u32) -> Self {
        Self::Id(id)
    }
}

impl From<&str> for Tokens {
    /// A number is an id, two with `-` between them a range, anything else a text.
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

/// Whether a text is one of a pattern, in which `*` matches any text. Linear in the text for each `*`.
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

/// A file that stands beside a tokenizer in a model folder and says more about its tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Companion {
    /// `tokenizer_config.json`: named tokens, the end token, added tokens.
    TokenizerConfig,
    /// `added_tokens.json`: ids of added tokens by text, of folders that transformers wrote before version 4.34.
    AddedTokens,
    /// `generation_config.json`: end tokens.
    GenerationConfig,
    /// `config.json`: end tokens, the logit width.
    Config,
}

impl Companion {
    /// All of them, in the order in which they are read.
    pub(super) const ALL: [Self; 4] =
        [Self::AddedTokens, Self::TokenizerConfig, Self::GenerationConfig, Self::Config];

    /// The one whose file has this name.
    pub fn named(file_name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|companion| companion.file_name() == file_name)
    }

    /// The name of the file.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::TokenizerConfig => "tokenizer_config.json",
            Self::AddedTokens => "added_tokens.json",
            Self::GenerationConfig => "generation_config.json",
            Self::Config => "config.json",
        }
    }
}

/// Options of [`import`](super::import), [`import_bytes`](super::import_bytes) and
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
    pub fn text_ids<T: Into<Tokens>>(self, ids: impl IntoIterator<Item = T>) -> Self {
        self.with_kind(ids, TokenKind::Text)
    }

    /// Ids that are special although they look like text.
    #[must_use]
    pub fn special_ids<T: Into<Tokens>>(self, ids: impl IntoIterator<Item = T>) -> Self {
        self.with_kind(ids, TokenKind::Special)
    }

    /// Ids that no mask may ever allow.
    #[must_use]
    pub fn unused_ids<T: Into<Tokens>>(self, ids: impl IntoIterator<Item = T>) -> Self {
        self.with_kind(ids, TokenKind::Unused)
    }

    /// One more special token. Rank files list none, so theirs are given here.
    #[must_use]
    pub fn special_token(mut self, text: impl Into<String>, id: u32) -> Self {
        self.special_tokens.push((text.into(), id));
        self
    }

    /// The content of a companion, as JSON text: where the tokenizer is given as bytes, or in place of the file beside it.
    /// Of two of a kind the last counts.
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

    /// Whether the user insists that an id is text.
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
