//! Parses an ECMA-262 pattern to a syntax tree.
//!
//! The text is read like `new RegExp(text, "u")`: by code points, and with every escape defined. Some patterns of real
//! schemas are valid only without the flag `u`: they escape needlessly (`\-`, `\_`), or contain a literal `{`. Such a
//! pattern is read without the flag, unless this changes the meaning of an escape: `\p{L}` would be six characters, and
//! `\Z` a letter.
//!
//! Nesting is bounded before the parser runs, because the parser and all later passes recurse.

use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_regular_expression::ast::{
    Alternative, BoundaryAssertionKind, CharacterClass, CharacterClassContents,
    CharacterClassContentsKind, CharacterClassEscape, CharacterClassEscapeKind, Disjunction,
    LookAroundAssertionKind, Modifier, Modifiers, Pattern, Quantifier, Term, UnicodePropertyEscape,
};
use oxc_regular_expression::{LiteralParser, Options};
use regex_syntax::hir::ClassUnicode;

use super::class::{self, Meaning};
use super::node::Node;
use super::property::{self, Misnamed};
use super::{EcmaError, EcmaErrorKind};
use crate::dialects;
use crate::dialects::{Dialect, Foreign};

/// Greatest length of a pattern in bytes. A longer pattern is an error.
const MAX_LENGTH: usize = 256 << 10;

/// Greatest depth of groups and assertions. Deeper nesting is an error, which bounds the recursion of the parser and of
/// later passes.
const MAX_NESTING: usize = 100;

/// Parses a pattern to a syntax tree. `meaning` selects the definitions of `.`, `\d`, `\s` and `\w`. Fails on wrong
/// syntax, unsupported constructs, and text or nesting beyond the limits.
pub(super) fn parse(text: &str, meaning: Meaning) -> Result<Node, EcmaError> {
    let whole = 0..text.len();
    if text.len() > MAX_LENGTH {
        let kind = EcmaErrorKind::TooLong { length: text.len(), limit: MAX_LENGTH };
        return Err(EcmaError { kind, span: whole });
    }
    if let Some(at) = too_deep(text) {
        let kind = EcmaErrorKind::TooDeep { limit: MAX_NESTING };
        return Err(EcmaError { kind, span: at..at + 1 });
    }
    let allocator = Allocator::default();
    let syntax =
        |flags| LiteralParser::new(&allocator, text, Some(flags), Options::default()).parse();
    let error = match syntax("u") {
        Ok(pattern) => return translate(&pattern, true, meaning),
        Err(error) => error,
    };
    if let Some(Foreign { span, what, help }) = dialects::foreign(text, Dialect::Ecma) {
        return Err(EcmaError { kind: EcmaErrorKind::Foreign { what, help: help.into() }, span });
    }
    if let Some(Misnamed { span, help }) = property::misnamed(text) {
        let kind = EcmaErrorKind::Foreign { what: "this property", help: help.into() };
        return Err(EcmaError { kind, span });
    }
    if !needs_unicode_mode(text)
        && let Ok(pattern) = syntax("")
    {
        return translate(&pattern, false, meaning);
    }
    let message =
        error.message.strip_prefix("Invalid regular expression: ").unwrap_or(&error.message);
    let label = error.labels.as_ref().and_then(|labels| labels.first());
    let span = label.map_or(whole, |label| {
        let from = label.offset().min(text.len());
        from..(from + label.len()).min(text.len())
    });
    Err(EcmaError { kind: EcmaErrorKind::Syntax { message: message.to_owned() }, span })
}

fn translate(pattern: &Pattern<'_>, unicode: bool, meaning: Meaning) -> Result<Node, EcmaError> {
    Translator { meaning, unicode }.disjunction(&pattern.body, Modes::default())
}

/// Returns the byte offset of the first group that is nested more than 100 levels deep. `None` if there is none.
fn too_deep(text: &str) -> Option<usize> {
    let (mut depth, mut in_class) = (0usize, false);
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => _ = bytes.next(),
            b'[' => in_class = true,
            b']' => in_class = false,
            b'(' if !in_class => {
                depth += 1;
                if depth > MAX_NESTING {
                    return Some(at);
                }
            }
            b')' if !in_class => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// Whether the text has an escape whose meaning differs without the flag `u`.
fn needs_unicode_mode(text: &str) -> bool {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            continue;
        }
        match chars.next() {
            Some('u') if chars.peek() == Some(&'{') => return true,
            Some(c) if c.is_ascii_alphabetic() && !"bBdDfnrsStuvwWx".contains(c) => return true,
            _ => {}
        }
    }
    false
}

/// The flags in force at a place in the pattern.
#[derive(Clone, Copy, Default)]
struct Modes {
    ignore_case: bool,
    multiline: bool,
    dot_all: bool,
}

struct Translator {
    /// The definitions of `.`, `\d`, `\s` and `\w`.
    meaning: Meaning,
    /// Whether the pattern was read in unicode mode, with the flag `u`.
    unicode: bool,
}

impl Translator {
    fn disjunction(&self, choices: &Disjunction<'_>, modes: Modes) -> Result<Node, EcmaError> {
        let mut nodes = Vec::with_capacity(choices.body.len());
        for choice in &choices.body {
            nodes.push(self.alternative(choice, modes)?);
        }
        Ok(if nodes.len() == 1 { nodes.remove(0) } else { Node::Alt(nodes) })
    }

    fn alternative(&self, parts: &Alternative<'_>, modes: Modes) -> Result<Node, EcmaError> {
        let mut nodes = Vec::with_capacity(parts.body.len());
        let mut rest = parts.body.iter().peekable();
        while let Some(term) = rest.next() {
            // Without the flag `u`, a character beyond U+FFFF is parsed as two surrogates, and a quantifier applies to
            // the second.
            let lead = match term {
                Term::Character(lead) => lead.value,
                _ => 0,
            };
            let joined = match rest.peek() {
                Some(Term::Character(trail)) => joined(lead, trail.value).map(character),
                Some(Term::Quantifier(quantifier)) => match &quantifier.body {
                    Term::Character(trail) => joined(lead, trail.value)
                        .map(|value| repeat(quantifier, self.class(character_class(value), modes))),
                    _ => None,
                },
                _ => None,
            };
            match joined {
                Some(node) => {
                    rest.next();
                    nodes.push(node);
                }
                None => nodes.push(self.term(term, modes)?),
            }
        }
        Ok(if nodes.len() == 1 { nodes.remove(0) } else { Node::Seq(nodes) })
    }

    fn term(&self, term: &Term<'_>, modes: Modes) -> Result<Node, EcmaError> {
        Ok(match term {
            Term::BoundaryAssertion(assertion) => match assertion.kind {
                BoundaryAssertionKind::Start if modes.multiline => {
                    look(true, true, self.meaning.dot())
                }
                BoundaryAssertionKind::End if modes.multiline => {
                    look(false, true, self.meaning.dot())
                }
                BoundaryAssertionKind::Start => Node::Start,
                BoundaryAssertionKind::End => Node::End,
                _ if self.meaning == Meaning::Regex => {
                    return Err(unsupported(
                        "a word boundary beside lookaround",
                        span(assertion.span.start, assertion.span.end),
                    ));
                }
                _ if modes.ignore_case => {
                    return Err(unsupported(
                        "a word boundary that ignores case",
                        span(assertion.span.start, assertion.span.end),
                    ));
                }
                kind => {
                    let negative = kind == BoundaryAssertionKind::NegativeBoundary;
                    Node::WordBoundary { negative }
                }
            },
            Term::LookAroundAssertion(assertion) => {
                let (behind, negative) = match assertion.kind {
                    LookAroundAssertionKind::Lookahead => (false, false),
                    LookAroundAssertionKind::NegativeLookahead => (false, true),
                    LookAroundAssertionKind::Lookbehind => (true, false),
                    LookAroundAssertionKind::NegativeLookbehind => (true, true),
                };
                let body = Box::new(self.disjunction(&assertion.body, modes)?);
                Node::Look { behind, negative, body }
            }
            Term::Quantifier(quantifier) => repeat(quantifier, self.term(&quantifier.body, modes)?),
            Term::Character(character) => self.class(character_class(character.value), modes),
            Term::Dot(_) if modes.dot_all => Node::Class(class::any()),
            Term::Dot(_) => Node::Class(self.meaning.dot()),
            Term::CharacterClassEscape(escape) => {
                self.class(self.escape_class(escape, modes), modes)
            }
            Term::UnicodePropertyEscape(escape) => self.class(property_class(escape)?, modes),
            Term::CharacterClass(body) => self.bracketed(body, modes)?,
            Term::CapturingGroup(group) => self.disjunction(&group.body, modes)?,
            Term::IgnoreGroup(group) => {
                let modes = match &group.modifiers {
                    Some(modifiers) => self.changed(modes, modifiers)?,
                    None => modes,
                };
                self.disjunction(&group.body, modes)?
            }
            Term::IndexedReference(reference) => {
                return Err(backreference(span(reference.span.start, reference.span.end)));
            }
            Term::NamedReference(reference) => {
                return Err(backreference(span(reference.span.start, reference.span.end)));
            }
        })
    }

    fn changed(&self, modes: Modes, modifiers: &Modifiers) -> Result<Modes, EcmaError> {
        let change = |old: bool, flag| {
            (old || modifiers.enabling.contains(flag)) && !modifiers.disabling.contains(flag)
        };
        let changed = Modes {
            ignore_case: change(modes.ignore_case, Modifier::I),
            multiline: change(modes.multiline, Modifier::M),
            dot_all: change(modes.dot_all, Modifier::S),
        };
        if changed.ignore_case && !self.unicode {
            // Without the flag `u`, another table of case folding would apply.
            let what = "ignoring case in a pattern that unicode mode does not take";
            return Err(unsupported(what, span(modifiers.span.start, modifiers.span.end)));
        }
        Ok(changed)
    }

    fn escape_class(&self, escape: &CharacterClassEscape, modes: Modes) -> ClassUnicode {
        let meaning = self.meaning;
        match escape.kind {
            CharacterClassEscapeKind::D => meaning.digits(),
            CharacterClassEscapeKind::NegativeD => class::not(meaning.digits()),
            CharacterClassEscapeKind::S => meaning.spaces(),
            CharacterClassEscapeKind::NegativeS => class::not(meaning.spaces()),
            CharacterClassEscapeKind::W => meaning.word(modes.ignore_case),
            CharacterClassEscapeKind::NegativeW => class::not(meaning.word(modes.ignore_case)),
        }
    }

    fn class(&self, class: ClassUnicode, modes: Modes) -> Node {
        Node::Class(if modes.ignore_case { class::folded(class) } else { class })
    }

    fn bracketed(&self, body: &CharacterClass<'_>, modes: Modes) -> Result<Node, EcmaError> {
        if body.kind != CharacterClassContentsKind::Union {
            return Err(unsupported(
                "set notation in a class",
                span(body.span.start, body.span.end),
            ));
        }
        let mut class = ClassUnicode::empty();
        let mut rest = body.body.iter().peekable();
        while let Some(item) = rest.next() {
            class.union(&match item {
                CharacterClassContents::Character(item) => {
                    let trail = match rest.peek() {
                        Some(CharacterClassContents::Character(trail)) => trail.value,
                        _ => 0,
                    };
                    match joined(item.value, trail) {
                        Some(value) => {
                            rest.next();
                            character_class(value)
                        }
                        None => character_class(item.value),
                    }
                }
                CharacterClassContents::CharacterClassRange(range) => {
                    class::range(range.min.value, range.max.value)
                }
                CharacterClassContents::CharacterClassEscape(escape) => {
                    self.escape_class(escape, modes)
                }
                CharacterClassContents::UnicodePropertyEscape(escape) => property_class(escape)?,
                CharacterClassContents::NestedCharacterClass(_)
                | CharacterClassContents::ClassStringDisjunction(_) => {
                    return Err(unsupported(
                        "set notation in a class",
                        span(body.span.start, body.span.end),
                    ));
                }
            });
        }
        if modes.ignore_case {
            class = class::folded(class);
        }
        Ok(Node::Class(if body.negative { class::not(class) } else { class }))
    }
}

fn span(start: u32, end: u32) -> Range<usize> {
    start as usize..end as usize
}

fn backreference(span: Range<usize>) -> EcmaError {
    EcmaError { kind: EcmaErrorKind::Backreference, span }
}

fn unsupported(what: &'static str, span: Range<usize>) -> EcmaError {
    EcmaError { kind: EcmaErrorKind::Unsupported { what }, span }
}

fn look(behind: bool, negative: bool, class: ClassUnicode) -> Node {
    Node::Look { behind, negative, body: Box::new(Node::Class(class)) }
}

/// Builds a repetition. Bounds beyond 32 bits are clamped: no automaton counts that far, so the pattern is rejected in
/// any case.
fn repeat(quantifier: &Quantifier<'_>, body: Node) -> Node {
    let cut = |bound: u64| u32::try_from(bound).unwrap_or(u32::MAX);
    Node::Repeat { body: Box::new(body), min: cut(quantifier.min), max: quantifier.max.map(cut) }
}

fn character(value: u32) -> Node {
    Node::Class(character_class(value))
}

fn character_class(value: u32) -> ClassUnicode {
    class::range(value, value)
}

/// Returns the code point of a surrogate pair. `None` if the two values are no pair.
fn joined(lead: u32, trail: u32) -> Option<u32> {
    let halves = (0xd800..0xdc00).contains(&lead) && (0xdc00..0xe000).contains(&trail);
    halves.then(|| 0x1_0000 + ((lead - 0xd800) << 10) + (trail - 0xdc00))
}

fn property_class(escape: &UnicodePropertyEscape<'_>) -> Result<ClassUnicode, EcmaError> {
    let class = class::property(&escape.name, escape.value.as_deref())
        .filter(|_| !escape.strings)
        .ok_or_else(|| {
            unsupported("this Unicode property", span(escape.span.start, escape.span.end))
        })?;
    Ok(if escape.negative { class::not(class) } else { class })
}
