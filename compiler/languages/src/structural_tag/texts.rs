//! Converts the strings of a tag to symbols: special tokens, and the bytes between them.

use std::collections::BTreeSet;

use crate::free_text::{Pattern, Symbol};
use grammarc_grammar::controls::ControlTokens;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::{Expr, TokenRef};
use grammarc_json_schema::document::Document;

use super::format::{Mark, Text, Token};
use super::options::Tokens;

/// The conversion of strings to symbols, with notes about special tokens.
pub(super) struct Texts<'a> {
    controls: &'a ControlTokens,
    tokens: Tokens,
    /// Ids of special tokens found in strings.
    met: BTreeSet<u32>,
    /// A note for each of these tokens.
    pub(super) notes: Vec<Diagnostic>,
}

/// A string as symbols.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Symbols {
    /// The string, with special tokens as such.
    pub(super) symbols: Vec<Symbol>,
    /// The bytes of the whole string, if it has special tokens and is a text.
    spelled: Option<Vec<Symbol>>,
    /// Whether the spelled form is a form of the string, too.
    may_be_spelled: bool,
}

impl Symbols {
    /// Whether the string is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    /// Returns the expression of all forms.
    pub(super) fn expr(&self) -> Expr {
        let spelled = self.spelled.as_ref().filter(|_| self.may_be_spelled);
        Expr::alt(
            [Symbol::expr(&self.symbols)]
                .into_iter()
                .chain(spelled.map(|spelled| Symbol::expr(spelled))),
        )
    }

    /// Returns the forms of the string.
    pub(super) fn written(&self) -> impl Iterator<Item = &[Symbol]> {
        let spelled = self.spelled.as_deref().filter(|_| self.may_be_spelled);
        [&*self.symbols].into_iter().chain(spelled)
    }

    /// Returns patterns of free text that lead to a state. If the string may not be spelled, the spelled form leads
    /// nowhere.
    pub(super) fn leading_to(&self, state: Option<u32>) -> impl Iterator<Item = Pattern> {
        let spelled_to = state.filter(|_| self.may_be_spelled);
        let spelled = self.spelled.clone().map(|symbols| Pattern { symbols, leads_to: spelled_to });
        [Pattern { symbols: self.symbols.clone(), leads_to: state }].into_iter().chain(spelled)
    }

    /// Returns the pattern that forbids the string in free text. Free text has no special tokens, so the pattern is the
    /// spelled form. `None` for a token named by its id.
    pub(super) fn unwritable(&self) -> Option<Pattern> {
        let is_token = self.as_token().is_some() && self.spelled.is_none();
        let symbols = self.spelled.as_ref().unwrap_or(&self.symbols);
        (!is_token).then(|| Pattern { symbols: symbols.clone(), leads_to: None })
    }

    /// Returns the token, if the string is a single token.
    pub(super) fn as_token(&self) -> Option<TokenRef> {
        match &*self.symbols {
            [Symbol::Token(token)] => Some(token.clone()),
            _ => None,
        }
    }

    /// Splits behind the first symbol.
    pub(super) fn split_at_symbol(&self) -> (Self, Self) {
        self.split_at(1, &[1; 1])
    }

    /// Splits behind the first symbols that cover `bytes` bytes of the text.
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

/// Returns the expression of any of some strings.
pub(super) fn any_of(texts: &[Symbols]) -> Expr {
    Expr::alt(texts.iter().map(Symbols::expr).collect::<Vec<_>>())
}

impl<'a> Texts<'a> {
    pub(super) fn new(controls: &'a ControlTokens, tokens: Tokens) -> Self {
        Self { controls, tokens, met: BTreeSet::new(), notes: Vec::new() }
    }

    /// Converts a string to symbols, with the length in bytes of each.
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

    /// Converts a beginning or an end to symbols.
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

    /// Returns an error if the vocabulary lacks the token.
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
