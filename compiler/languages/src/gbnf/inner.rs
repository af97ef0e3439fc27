//! Sources of other languages within a grammar: how they are written, and their rules in the grammar.
//!
//! ```text
//! call  ::= name "(" @json-schema{"type": "object"} ")"      # a text in braces, or in brackets
//! name  ::= @regex/[a-z_]\w*/                                # a text between slashes
//! reply ::= @"reply.json"                                    # a source that was handed over by name
//! ```
//!
//! All of them begin with `@`, which begins nothing else, so that no grammar that was one changes its meaning: `json-schema{2}`
//! and `regex "a"` are calls of rules. A text is taken as it stands, with no escapes but its own. One in braces or brackets ends
//! with their partner outside of JSON strings; one between slashes ends with its line at the latest, and a slash in it is
//! written `\/`, which means one in patterns too.
//!
//! A source is lowered once, however often it is referred to. All of them are lowered before the rules are, and not within
//! them, so that the stack does not get deeper with both.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::ast::{Ast, InnerKind, InnerSource};
use super::codes;
use super::findings::Findings;
use super::lexer::{LexemeKind, Lexer, is_name};
use crate::inner::{Outer, Place, Reader};
use crate::sources::Sources;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::{Lowered, RuleId};
use grammarc_grammar::suggest::nearest;

impl Lexer<'_> {
    /// The inner source that begins with the `@` at hand.
    pub(super) fn inner(&mut self) -> Option<LexemeKind> {
        let start = self.at;
        self.at += 1;
        if self.peek() == Some('"') {
            let LexemeKind::Literal(name) = self.string() else { return None };
            return Some(LexemeKind::Inner(InnerKind::Named(name)));
        }
        let name = self.at;
        self.skip_while(is_name);
        let language = self.text[name..self.at].to_owned();
        self.skip_while(|c| c.is_ascii_whitespace());
        let text = match self.peek() {
            Some('{' | '[') if !language.is_empty() => self.bracketed(),
            Some('/') if !language.is_empty() => self.slashed(),
            _ => {
                let help = "write `@json-schema{...}`, `@regex/.../`, or `@\"name\"` for a source that is handed over by \
                            its name";
                let text = "`@` begins no source of another language";
                self.findings.push(
                    Diagnostic::error(codes::BAD_INNER_SOURCE, text)
                        .with_label(start..self.at.max(start + 1), "")
                        .with_help(help),
                );
                return None;
            }
        };
        match text {
            Some(text) => Some(LexemeKind::Inner(InnerKind::Standing { language, text })),
            None => {
                let text = format!("the source of language `{language}` has no end");
                let line = self.text[start..].find(['\r', '\n']);
                let end = line.map_or(self.text.len(), |length| start + length);
                self.at = end;
                self.findings.push(
                    Diagnostic::error(codes::BAD_INNER_SOURCE, text)
                        .with_label(start..end, "it begins here")
                        .with_help("close it with the partner of the sign that it begins with"),
                );
                None
            }
        }
    }

    /// The place of a text from its bracket to the partner of it.
    fn bracketed(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
        for (at, byte) in self.text.bytes().enumerate().skip(start) {
            match (in_string, byte) {
                (true, _) if escaped => escaped = false,
                (true, b'\\') => escaped = true,
                (_, b'"') => in_string = !in_string,
                (false, b'{' | b'[') => depth += 1,
                (false, b'}' | b']') => {
                    depth -= 1;
                    if depth == 0 {
                        self.at = at + 1;
                        return Some(start..self.at);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The place of a text between slashes, without them.
    fn slashed(&mut self) -> Option<Range<usize>> {
        let start = self.at + 1;
        let mut escaped = false;
        for (length, byte) in self.text[start..].bytes().enumerate() {
            match byte {
                b'\r' | b'\n' => return None,
                b'/' if !escaped => {
                    self.at = start + length + 1;
                    return Some(start..start + length);
                }
                _ => escaped = byte == b'\\' && !escaped,
            }
        }
        None
    }
}

/// Lowers the inner sources of a grammar into `outer`, and returns the start rule of each; `None` for one with errors.
pub(super) fn lower(
    ast: &Ast,
    source: &Source,
    sources: &Sources,
    reader: &dyn Reader,
    outer: &mut Outer,
    errors: &mut Findings,
) -> Vec<Option<RuleId>> {
    let mut known: FxHashMap<&str, Option<RuleId>> = FxHashMap::default();
    let rules = ast.inner.iter().map(|inner| {
        if let InnerKind::Named(name) = &inner.kind
            && let Some(&rule) = known.get(name.as_str())
        {
            return rule;
        }
        let lowered = read(inner, source, sources, reader);
        let rule = match lowered {
            Ok(lowered) => Some(add(ast, inner, lowered, outer)),
            Err(found) => {
                found.into_iter().for_each(|error| errors.push(error));
                None
            }
        };
        if let InnerKind::Named(name) = &inner.kind {
            known.insert(name, rule);
        }
        rule
    });
    rules.collect()
}

/// The grammar of an inner source.
fn read(
    inner: &InnerSource,
    source: &Source,
    sources: &Sources,
    reader: &dyn Reader,
) -> Result<Lowered, Vec<Diagnostic>> {
    match &inner.kind {
        InnerKind::Standing { language, text } => {
            let part = Source::new(source.name.clone(), &source.text[text.clone()]);
            let span = |within: &Range<usize>| within.start + text.start..within.end + text.start;
            let place = Place { span: &span, pointer: None };
            reader.standing(language, part, sources).map_err(|errors| place.diagnostics(errors))
        }
        InnerKind::Named(name) => match sources.get(name) {
            Some(named) => reader.named(name, named, sources).map_err(|errors| {
                let at_reference = |error: Diagnostic| match error.labels.is_empty() {
                    true => error.with_label(inner.span.clone(), ""),
                    false => error,
                };
                errors.into_iter().map(at_reference).collect()
            }),
            None => {
                let text = format!("no source {name:?} was handed over with the grammar");
                let help = match nearest(name, sources.iter().map(|(known, _)| known)) {
                    Some(near) => format!("did you mean {near:?}?"),
                    None => "hand it over under this name: `--include PATH` of the command, `sources` of bindings".to_owned(),
                };
                let error = Diagnostic::error(codes::UNKNOWN_SOURCE, text).with_help(help);
                Err(vec![error.with_label(inner.span.clone(), "")])
            }
        },
    }
}

/// Adds the rules of an inner source; its places are pointed to from the rule that it stands in, or from its name.
fn add(ast: &Ast, inner: &InnerSource, lowered: Lowered, outer: &mut Outer) -> RuleId {
    let whole = |_: &Range<usize>| inner.span.clone();
    match &inner.kind {
        InnerKind::Named(name) => {
            let pointer = Some(format!("{name}#"));
            outer.add(lowered, &Place { span: &whole, pointer })
        }
        InnerKind::Standing { text, .. } => {
            let span = |within: &Range<usize>| within.start + text.start..within.end + text.start;
            let rule = ast.rules.partition_point(|rule| rule.span.start < inner.span.start);
            let rule = rule.checked_sub(1).map_or("", |at| ast.rules[at].name.as_str());
            outer.add(lowered, &Place { span: &span, pointer: Some(format!("{rule}#")) })
        }
    }
}

#[cfg(test)]
mod tests;
