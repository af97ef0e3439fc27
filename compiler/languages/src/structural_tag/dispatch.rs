//! Builds the graph of a dispatch: free text with triggers, each of which leads to formats.
//!
//! The graph has one level for each number of formats so far, or for each set of them if none may come twice. A level
//! has free text, whose triggers lead to states; from these, the formats lead to the next level. If several tags share
//! a trigger, determinization of the rule distinguishes them after it. If no text may stand between formats, only the
//! first level has free text.

use crate::free_text::{Pattern, Symbol, free_text};
use grammarc_grammar::ir::{Expr, ExprGraph};

use super::builder::TagBuilder;
use super::counts::Counts;
use super::format::{Dispatch, Mark, Rule, Text, Token};
use super::texts::{Symbols, any_of};

/// A trigger of a dispatch (free text with triggers), with the formats that may follow it.
pub(super) struct Branch {
    pub(super) trigger: Symbols,
    /// The possible continuations, of which one follows the trigger.
    pub(super) then: Vec<Continuation>,
}

/// A continuation after a trigger: a format, or the rest of a tag.
pub(super) struct Continuation {
    pub(super) expr: Expr,
    /// The index by which the format is counted. `None` if it does not count.
    pub(super) group: Option<u32>,
}

/// The lowered parts of a dispatch, which is free text with triggers.
pub(super) struct Parts<'p> {
    pub(super) branches: Vec<Branch>,
    pub(super) counts: Counts,
    /// The patterns that free text may not contain.
    pub(super) unwritable: Vec<Pattern>,
    /// All tokens that are no trigger, exclusion or end, if free text consists of whole tokens. `None` if it consists
    /// of bytes.
    pub(super) others: Option<Expr>,
    /// The ends of the dispatch (free text with triggers), of which one follows. `None` if nothing of its own ends the
    /// text.
    pub(super) ends: Option<&'p [Symbols]>,
}

/// Returns the number of groups in a dispatch (free text with triggers). A group is an index by which formats are
/// counted.
pub(super) fn groups(dispatch: &Dispatch) -> u32 {
    dispatch.rules.iter().filter_map(|rule| Some(rule.group? + 1)).max().unwrap_or_default()
}

/// Returns the tokens that free text of a dispatch may not contain: its trigger tokens and excluded tokens.
pub(super) fn named_tokens(dispatch: &Dispatch) -> Vec<Token> {
    let triggers = dispatch.rules.iter().map(|rule| &rule.trigger);
    let tokens = triggers.chain(&dispatch.excludes).filter_map(|mark| match mark {
        Mark::Token(token) => Some(token.clone()),
        Mark::Text(_) => None,
    });
    tokens.collect()
}

/// Builds the graph of a dispatch (free text with triggers) from its lowered parts.
pub(super) fn graph(dispatch: &Dispatch, parts: Parts<'_>) -> Expr {
    let Parts { branches, counts, unwritable, others, ends } = parts;
    let groups = groups(dispatch);
    let mut graph = ExprGraph::new();
    let end = graph.end();
    let mut level_starts = vec![ExprGraph::START];
    level_starts.extend((1..counts.levels()).map(|_| graph.state()));
    for (level, &start) in (0..).zip(&level_starts) {
        let next = |group| counts.next(level, group).map(|next| level_starts[next as usize]);
        let may_end = counts.may_end(level);
        let is_full = level > 0 && (0..groups).all(|group| next(group).is_none());
        if dispatch.ends_with_tag && is_full {
            graph.edge(start, ends.map_or(Expr::Empty, any_of), end);
            continue;
        }
        let is_bare = if level == 0 { dispatch.begins_with_tag } else { dispatch.in_a_row };
        let mut patterns: Vec<Pattern> = Vec::new();
        for Branch { trigger, then } in &branches {
            let then = then.iter().filter_map(|Continuation { expr, group }| {
                Some((group.map_or(Some(start), next)?, expr))
            });
            let then: Vec<(u32, &Expr)> = then.collect();
            let behind = (!then.is_empty()).then(|| {
                let behind = graph.state();
                then.iter().for_each(|&(next, expr)| graph.edge(behind, expr.clone(), next));
                behind
            });
            if let Some(behind) = behind.filter(|_| is_bare) {
                graph.edge(start, trigger.expr(), behind);
            }
            patterns.extend(trigger.leading_to(behind));
        }
        if !is_bare && let Some(others) = &others {
            graph.edge(start, others.clone(), start);
            for pattern in &patterns {
                if let Some(behind) = pattern.leads_to {
                    graph.edge(start, Symbol::expr(&pattern.symbols), behind);
                }
            }
        }
        if is_bare || others.is_some() {
            if may_end {
                graph.edge(start, ends.map_or(Expr::Empty, any_of), end);
            }
            continue;
        }
        let nonempty = ends.unwrap_or_default().iter().filter(|symbols| !symbols.is_empty());
        nonempty.for_each(|symbols| patterns.extend(symbols.leading_to(may_end.then_some(end))));
        patterns.extend(unwritable.iter().cloned());
        let is_open = ends.is_none_or(|ends| ends.iter().any(Symbols::is_empty));
        free_text(&mut graph, start, &patterns, (is_open && may_end).then_some(end));
    }
    Expr::Graph(graph.into())
}

/// Reports an error for each trigger that contains one of the texts in `excludes`. Free text could never reach the end
/// of such a trigger.
pub(super) fn check_reachable(
    dispatch: &Dispatch,
    excludes: &[Text],
    builder: &mut TagBuilder<'_>,
) {
    for Rule { trigger, .. } in &dispatch.rules {
        let Mark::Text(trigger) = trigger else { continue };
        let within =
            excludes.iter().find(|text| !text.text.is_empty() && trigger.text.contains(&text.text));
        if let Some(text) = within {
            let message = format!(
                "{:?} is excluded, so that the trigger {:?} is never reached",
                text.text, trigger.text
            );
            let document = builder.document;
            let error = document.error("structural-tag::excluded-trigger", text.at, message);
            let error = error.with_label(document.span(trigger.at), "the trigger");
            builder.errors.push(error.with_help("leave one of the two out"));
        }
    }
}
