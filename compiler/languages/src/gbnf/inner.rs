//! Sources of other languages within a grammar: their syntax, and their rules in the grammar.
//!
//! ```text
//! call  ::= name "(" @json-schema{"type": "object"} ")"      # a text in braces, or in brackets
//! name  ::= @regex/[a-z_]\w*/                                # a text between slashes
//! reply ::= @"reply.json"                                    # a source that was handed over by name
//! ```
//!
//! An inner source begins with `@`, which begins nothing else. So `json-schema{2}` and `regex "a"` remain calls of
//! rules. The text of an inner source has no escapes but its own. A text in brackets ends at the partner of its first
//! bracket, and brackets in JSON strings are skipped. A text between slashes must end on its line. A slash in it is
//! written `\/`, which denotes a slash in patterns too.
//!
//! A source by name is lowered once. Inner sources are lowered before the rules, so the depths of the two recursions do
//! not add up on the stack.
//!
//! Tests: `tests.rs` of this folder.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::ast::{Ast, InnerKind, InnerSource};
use super::codes;
use super::findings::Findings;
use crate::inner::{Outer, Place, Reader};
use crate::sources::Sources;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::{Lowered, RuleId};
use grammarc_grammar::suggest::nearest;

/// Lowers the inner sources of a grammar (those of other languages) into `outer`. Returns the start rule of each, or
/// `None` for a source with errors.
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

/// Lowers one inner source (of another language). The places in its errors are converted to places in the outer source
/// if its text is part of that source.
fn read(
    inner: &InnerSource,
    source: &Source,
    sources: &Sources,
    reader: &dyn Reader,
) -> Result<Lowered, Vec<Diagnostic>> {
    match &inner.kind {
        InnerKind::Inline { language, text } => {
            let part = Source::new(source.name.clone(), &source.text[text.clone()]);
            let span = |within: &Range<usize>| within.start + text.start..within.end + text.start;
            let place = Place { span: &span, pointer: None };
            reader.inline(language, part, sources).map_err(|errors| place.diagnostics(errors))
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

/// Adds the rules of a lowered inner source (of another language) to the grammar, and returns its start rule. Pointers
/// of its report begin with the name of the source, or for an inline source the name of the rule around it.
fn add(ast: &Ast, inner: &InnerSource, lowered: Lowered, outer: &mut Outer) -> RuleId {
    let whole = |_: &Range<usize>| inner.span.clone();
    match &inner.kind {
        InnerKind::Named(name) => {
            let pointer = Some(format!("{name}#"));
            outer.add(lowered, &Place { span: &whole, pointer })
        }
        InnerKind::Inline { text, .. } => {
            let span = |within: &Range<usize>| within.start + text.start..within.end + text.start;
            let rule = ast.rules.partition_point(|rule| rule.span.start < inner.span.start);
            let rule = rule.checked_sub(1).map_or("", |at| ast.rules[at].name.as_str());
            outer.add(lowered, &Place { span: &span, pointer: Some(format!("{rule}#")) })
        }
    }
}

#[cfg(test)]
mod tests;
