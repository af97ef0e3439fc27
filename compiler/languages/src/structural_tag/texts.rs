//! Converts the strings of a structural tag to symbols: special tokens, and the bytes between them.

use std::collections::BTreeSet;

use crate::free_text::{Pattern, Symbol};
use grammarc_grammar::controls::ControlTokens;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::{Expr, TokenRef};
use grammarc_json_schema::document::Document;

use super::format::{Mark, Text, Token};
use super::options::Tokens;

/// Converts strings to symbols, and collects notes about the special tokens in them.
pub(super) struct Texts<'a> {
    pub(super) controls: &'a ControlTokens,
    tokens: Tokens,
    /// Ids of the special tokens found in strings so far.
    met: BTreeSet<u32>,
    /// One note for each special token found in the strings.
    pub(super) notes: Vec<Diagnostic>,
}

/// A string of a structural tag as symbols: special tokens, and the bytes between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Symbols {
    /// The symbols of the string. Each special token is one symbol.
    pub(super) symbols: Vec<Symbol>,
    /// The string as bytes alone. `None` if it has no special tokens or is a token given as such.
    spelled: Option<Vec<Symbol>>,
    /// Whether the string may also be written as bytes alone.
    may_be_spelled: bool,
}

impl Symbols {
    /// Whether the string has no symbols (special tokens and bytes).
    pub(super) fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    /// Returns the expression of all allowed forms of the string.
    pub(super) fn expr(&self) -> Expr {
        let spelled = self.spelled.as_ref().filter(|_| self.may_be_spelled);
        Expr::alt(
            [Symbol::expr(&self.symbols)]
                .into_iter()
                .chain(spelled.map(|spelled| Symbol::expr(spelled))),
        )
    }

    /// Returns the allowed forms of the string: with special tokens, and if allowed as bytes alone.
    pub(super) fn written(&self) -> impl Iterator<Item = &[Symbol]> {
        let spelled = self.spelled.as_deref().filter(|_| self.may_be_spelled);
        [&*self.symbols].into_iter().chain(spelled)
    }

    /// Returns patterns for free text that make both forms of the string lead to a state. If the string may not be
    /// written as bytes alone, that form is forbidden. With `None` both forms are forbidden.
    pub(super) fn leading_to(&self, state: Option<u32>) -> impl Iterator<Item = Pattern> {
        let spelled_to = state.filter(|_| self.may_be_spelled);
        let spelled = self.spelled.clone().map(|symbols| Pattern { symbols, leads_to: spelled_to });
        [Pattern { symbols: self.symbols.clone(), leads_to: state }].into_iter().chain(spelled)
    }

    /// Returns the pattern that forbids the string in free text. Free text has no special tokens, so the pattern is the
    /// string as bytes. `None` if the string is a token given as such.
    pub(super) fn unwritable(&self) -> Option<Pattern> {
        let is_token = self.as_token().is_some() && self.spelled.is_none();
        let symbols = self.spelled.as_ref().unwrap_or(&self.symbols);
        (!is_token).then(|| Pattern { symbols: symbols.clone(), leads_to: None })
    }

    /// Returns the token if the string is a single token. `None` otherwise.
    pub(super) fn as_token(&self) -> Option<TokenRef> {
        match &*self.symbols {
            [Symbol::Token(token)] => Some(token.clone()),
            _ => None,
        }
    }

    /// Splits the string after its first symbol.
    pub(super) fn split_at_symbol(&self) -> (Self, Self) {
        self.split_at(1, &[1; 1])
    }

    /// Splits the string after the first symbols that cover `bytes` bytes. `lengths` has the length in bytes of each
    /// symbol.
    pub(super) fn split_at(&self, bytes: usize, lengths: &[usize]) -> (Self, Self) {
        let mut covered = 0;
        let covering = lengths.iter().take_while(|&&length| {
            let is_needed = covered < bytes;
            covered += length;
            is_needed
        });
        let at = covering.count();
        let covered: usize = lengths[..at].iter().sum();
        let part = |symbols: &[Symbol], spelled: Option<&[Symbol]>| {
            let has_tokens = symbols.iter().any(|symbol| matches!(symbol, Symbol::Token(_)));
            Self {
                symbols: symbols.to_vec(),
                spelled: spelled.filter(|_| has_tokens).map(<[Symbol]>::to_vec),
                may_be_spelled: self.may_be_spelled,
            }
        };
        let spelled = self.spelled.as_deref().map(|spelled| spelled.split_at(covered));
        let first = part(&self.symbols[..at], spelled.map(|spelled| spelled.0));
        (first, part(&self.symbols[at..], spelled.map(|spelled| spelled.1)))
    }
}

/// Returns the expression of one of several strings.
pub(super) fn any_of(texts: &[Symbols]) -> Expr {
    Expr::alt(texts.iter().map(Symbols::expr).collect::<Vec<_>>())
}

impl<'a> Texts<'a> {
    pub(super) fn new(controls: &'a ControlTokens, tokens: Tokens) -> Self {
        Self { controls, tokens, met: BTreeSet::new(), notes: Vec::new() }
    }

    /// Converts a string to symbols. Also returns the length in bytes of each symbol.
    pub(super) fn symbols(
        &mut self,
        text: &Text,
        document: &Document<'_>,
    ) -> (Symbols, Vec<usize>) {
        let (mut symbols, mut lengths) = (Vec::new(), Vec::new());
        let mut rest = text.text.as_str();
        let bytes = |text: &str| text.bytes().map(Symbol::Byte).collect::<Vec<_>>();
        while let Some((place, id)) =
            self.controls.first_in(rest).filter(|_| self.tokens != Tokens::Never)
        {
            symbols.extend(rest[..place.start].bytes().map(Symbol::Byte));
            lengths.resize(symbols.len(), 1);
            symbols.push(Symbol::Token(TokenRef::Id(id)));
            lengths.push(place.len());
            if self.met.insert(id) {
                let message = format!("{:?} is the special token {id}", &rest[place.clone()]);
                let note = Diagnostic::note("structural-tag::special-token", message);
                self.notes.push(document.place(note, text.at));
            }
            rest = &rest[place.end..];
        }
        symbols.extend(bytes(rest));
        lengths.resize(symbols.len(), 1);
        let has_tokens = symbols.iter().any(|symbol| matches!(symbol, Symbol::Token(_)));
        let spelled = has_tokens.then(|| bytes(&text.text));
        let may_be_spelled = self.tokens == Tokens::Both;
        (Symbols { symbols, spelled, may_be_spelled }, lengths)
    }

    /// Converts the beginning or end of a tag to symbols. Also returns the length in bytes of each symbol, 0 for a
    /// token given as such.
    pub(super) fn of_mark(
        &mut self,
        mark: &Mark,
        document: &Document<'_>,
    ) -> (Symbols, Vec<usize>) {
        match mark {
            Mark::Text(text) => self.symbols(text, document),
            Mark::Token(token) => {
                let symbols = vec![Symbol::Token(token.token.clone())];
                (Symbols { symbols, spelled: None, may_be_spelled: false }, vec![0])
            }
        }
    }

    /// Returns an error if the vocabulary lacks the token, and `None` otherwise.
    pub(super) fn check(&self, token: &Token, document: &Document<'_>) -> Option<Diagnostic> {
        if self.controls.knows(&token.token) {
            return None;
        }
        let name = match &token.token {
            TokenRef::Id(id) => format!("the id {id}"),
            TokenRef::Text(text) => format!("the text {text:?}"),
        };
        let message = format!("the vocabulary has no token with {name}");
        let error = document.error("structural-tag::unknown-token", token.at, message);
        Some(error.with_help("name a token of this vocabulary"))
    }
}
