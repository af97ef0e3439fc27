//! Warnings about end tokens in the middle of a grammar.
//!
//! Hosts stop at an end token of the vocabulary in any state of the grammar, so `"a" <|im_end|> "b"` gives outputs
//! without their end. A complement of a token set contains no end tokens, so this concerns only end tokens that a
//! source names.
//!
//! Cost: O(calls) if some set of the grammar contains an end token, otherwise nothing.

use grammarc_artifacts::VocabularyArtifact;
use grammarc_artifacts::tables::Tables;

use crate::diagnostics::Diagnostic;
use crate::network::follow::Follow;
use crate::network::{Network, SharedRules};

/// Returns one warning for each rule of a grammar in which an end token of the vocabulary is not the end of an output.
/// Empty if no set of the grammar contains an end token.
pub(crate) fn warnings(
    network: &Network,
    shared: Tables<'_>,
    facts: &SharedRules,
    vocabulary: &VocabularyArtifact,
) -> Vec<Diagnostic> {
    let end_in = |set: &Vec<u32>| {
        let ends = vocabulary.end_tokens().iter();
        ends.copied().find(|end| set.binary_search(end).is_ok())
    };
    let ends: Vec<Option<u32>> = network.token_sets.iter().map(end_in).collect();
    if ends.iter().all(Option::is_none) {
        return Vec::new();
    }
    let tables = network.tables.as_tables();
    let follow = network.follow(shared, facts);
    let may_end = rules_at_the_end(network, &follow);
    let mut found: Vec<(usize, u32)> = Vec::new();
    for index in 0..tables.states.len() - 1 {
        for edge in tables.token_edges_of(index) {
            let Some(end) = ends[edge.tokens as usize] else { continue };
            let rule = network.rule_of(edge.target);
            if !(follow.is_final(edge.target) && may_end[rule]) {
                found.push((rule, end));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found.into_iter().map(|(rule, end)| warning(network, rule, end, vocabulary)).collect()
}

/// Returns for each rule of the grammar whether an output may end with it. The result is a fixpoint over calls after
/// which the caller may end.
fn rules_at_the_end(network: &Network, follow: &Follow<'_>) -> Vec<bool> {
    let first_own = network.tables.bases.rules;
    let mut may_end = vec![false; network.rules.len()];
    let mut open: Vec<u32> = network.roots.clone();
    while let Some(rule) = open.pop() {
        let Some(own) = rule.checked_sub(first_own) else { continue };
        if !std::mem::replace(&mut may_end[own as usize], true) {
            open.extend(follow.passes(rule));
        }
    }
    may_end
}

/// Returns the warning that the end token `end` is not the end of an output in a rule, given by its index in the
/// network.
fn warning(
    network: &Network,
    rule: usize,
    end: u32,
    vocabulary: &VocabularyArtifact,
) -> Diagnostic {
    let (name, origin) = &network.rules[rule];
    let token = String::from_utf8_lossy(vocabulary.token_bytes(end));
    let message = format!(
        "{token} ends the output for hosts, and the grammar asks for more behind it in rule {name}"
    );
    let help = "leave the token out, or make what follows it optional: end tokens are allowed wherever the grammar may end";
    let mut warning = Diagnostic::warning("compile::early-end", message).with_help(help);
    if let Some(span) = origin.span.clone() {
        warning = warning.with_label(span, format!("in rule {name}"));
    }
    warning.pointer.clone_from(&origin.pointer);
    warning
}
