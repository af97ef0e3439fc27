//! Finds unproductive rules: rules that no finite text matches.
//!
//! A rule is productive if some alternative calls only productive rules. The productive rules are a least fixpoint,
//! found with a worklist of callers. Calls of unproductive rules lead from each unproductive rule into a cycle, which
//! the message names.
//!
//! Cost: O(source · longest chain of rules that depend on each other), which is short in grammars written by people.

use std::collections::VecDeque;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::ast::{Ast, Macro, Node, NodeKind};
use super::codes;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::RuleId;

/// Most calls of a cycle that a message points at. The others are not shown.
const MOST_SHOWN: usize = 4;

/// Returns, for each rule, whether it is productive: some finite text matches it.
pub(super) fn productive(ast: &Ast, rules: &FxHashMap<&str, RuleId>) -> Vec<bool> {
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); ast.rules.len()];
    for (at, rule) in ast.rules.iter().enumerate() {
        for_each_call(&rule.body, &mut |name, _| {
            if let Some(callee) = rules.get(name) {
                callers[callee.index()].push(at);
            }
        });
    }
    let mut productive = vec![false; ast.rules.len()];
    // A queue without duplicates: a rule is checked again once for all callees that became productive in the meantime.
    let mut queue: VecDeque<usize> = (0..ast.rules.len()).collect();
    let mut is_queued = vec![true; ast.rules.len()];
    while let Some(at) = queue.pop_front() {
        is_queued[at] = false;
        let ends = |name: &str| rules.get(name).is_some_and(|callee| productive[callee.index()]);
        if productive[at] || !ends_with(&ast.rules[at].body, &ends) {
            continue;
        }
        productive[at] = true;
        for &caller in &callers[at] {
            if !productive[caller] && !std::mem::replace(&mut is_queued[caller], true) {
                queue.push_back(caller);
            }
        }
    }
    productive
}

/// Whether some finite text matches a node. `ends` says of each rule, by name, whether one is known to match it.
fn ends_with(node: &Node, ends: &impl Fn(&str) -> bool) -> bool {
    match &node.kind {
        NodeKind::Alternation(choices) => choices.iter().any(|choice| ends_with(choice, ends)),
        NodeKind::Sequence(parts) => parts.iter().all(|part| ends_with(part, ends)),
        NodeKind::Call(name) => ends(name),
        NodeKind::Repeat { body, min, .. } => *min == 0 || ends_with(body, ends),
        NodeKind::Literal(_)
        | NodeKind::Class(_)
        | NodeKind::Any
        | NodeKind::Inner(_)
        | NodeKind::Token { .. }
        | NodeKind::Macro(_) => true,
    }
}

fn for_each_call<'a>(node: &'a Node, visit: &mut impl FnMut(&'a str, &'a Range<usize>)) {
    match &node.kind {
        NodeKind::Alternation(nodes) | NodeKind::Sequence(nodes) => {
            nodes.iter().for_each(|node| for_each_call(node, visit));
        }
        NodeKind::Repeat { body, .. } => for_each_call(body, visit),
        NodeKind::Call(name) => visit(name, &node.span),
        NodeKind::Macro(Macro::Dispatch(dispatch)) => {
            dispatch.tags.iter().for_each(|(_, name, span)| visit(name, span));
        }
        NodeKind::Literal(_)
        | NodeKind::Class(_)
        | NodeKind::Any
        | NodeKind::Inner(_)
        | NodeKind::Token { .. }
        | NodeKind::Macro(_) => {}
    }
}

/// Returns the error for the unproductive rule `from`, which names a cycle of calls that it leads to.
pub(super) fn finding(
    ast: &Ast,
    rules: &FxHashMap<&str, RuleId>,
    productive: &[bool],
    from: usize,
) -> Diagnostic {
    // Each unproductive rule has a call of an unproductive rule. Following such calls leads into a cycle.
    let mut path: Vec<usize> = Vec::new();
    let mut place: FxHashMap<usize, usize> = FxHashMap::default();
    let mut calls: Vec<Range<usize>> = Vec::new();
    let mut at = from;
    while !place.contains_key(&at) {
        place.insert(at, path.len());
        path.push(at);
        let mut unproductive = None;
        for_each_call(&ast.rules[at].body, &mut |name, span| {
            let callee = rules.get(name).filter(|callee| !productive[callee.index()]);
            if let (None, Some(callee)) = (&unproductive, callee) {
                unproductive = Some((callee.index(), span.clone()));
            }
        });
        let Some((callee, span)) = unproductive else { break };
        calls.push(span);
        at = callee;
    }
    let first = place.get(&at).copied().unwrap_or(0);
    let name = &ast.rules[path[first]].name;
    let text = match path.len() - first {
        1 => format!("no text of the rule `{name}` ends: every way through it calls it again"),
        _ => format!("no text of the rule `{name}` ends: every way through it leads back to it"),
    };
    let help = "give it an alternative that does not call it, such as `| \"\"`";
    let finding = Diagnostic::error(codes::ENDLESS_RULE, text).with_help(help);
    let finding = finding.with_label(ast.rules[path[first]].span.clone(), "this rule");
    calls
        .into_iter()
        .skip(first)
        .take(MOST_SHOWN)
        .fold(finding, |finding, call| finding.with_label(call, "never returns"))
}
