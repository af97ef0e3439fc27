//! Looks up token sets of a grammar in the vocabulary.

use std::borrow::Cow;
use std::sync::Arc;

use super::error::NetworkErrorKind;
use crate::ir::{Expr, Grammar, TokenRef, TokenSet};
use grammarc_grammar::lexicon::Lexicon;

/// Returns the ids of the tokens of a set, in ascending order.
///
/// # Errors
///
/// [`NetworkErrorKind::UnknownToken`] if the set names a token that the vocabulary does not have.
pub(super) fn ids(lexicon: &dyn Lexicon, set: &TokenSet) -> Result<Vec<u32>, NetworkErrorKind> {
    let mut named = Vec::new();
    for (token, span) in &set.tokens {
        let ids = lexicon.resolve(token);
        if ids.is_empty() {
            let token = match token {
                TokenRef::Id(id) => format!("with the id {id}"),
                TokenRef::Text(text) => format!("{text:?}"),
            };
            return Err(NetworkErrorKind::UnknownToken { token, span: span.clone() });
        }
        named.extend(ids);
    }
    named.sort_unstable();
    named.dedup();
    if set.negated {
        let mut all = lexicon.all();
        all.retain(|id| named.binary_search(id).is_err());
        named = all;
    }
    Ok(named)
}

/// Replaces token sets without any token of the vocabulary by [`Expr::Never`]. So the facts about
/// rules hold for this vocabulary. Sets that name unknown tokens stay. They are reported when their
/// rules are built.
pub(super) fn drop_empty(grammar: &mut Cow<'_, Grammar>, lexicon: &dyn Lexicon) {
    if grammar.rules.iter().any(|rule| has_negated(&rule.expr)) {
        grammar.to_mut().rules.iter_mut().for_each(|rule| drop_in(&mut rule.expr, lexicon));
    }
}

/// Whether an expression contains a negated token set. Only a negated set can be empty.
fn has_negated(expr: &Expr) -> bool {
    match expr {
        Expr::Token(set) => set.negated,
        Expr::Seq(parts) | Expr::Alt(parts) => parts.iter().any(has_negated),
        Expr::Repeat { body, .. } => has_negated(body),
        Expr::Graph(graph) => graph.edges().any(|(_, part, _)| has_negated(part)),
        _ => false,
    }
}

/// Replaces the empty token sets in an expression by [`Expr::Never`].
fn drop_in(expr: &mut Expr, lexicon: &dyn Lexicon) {
    match expr {
        Expr::Token(set) if set.negated && ids(lexicon, set).is_ok_and(|ids| ids.is_empty()) => {
            *expr = Expr::Never;
        }
        Expr::Seq(parts) | Expr::Alt(parts) => {
            parts.iter_mut().for_each(|part| drop_in(part, lexicon));
        }
        Expr::Repeat { body, .. } => drop_in(body, lexicon),
        Expr::Graph(graph) => {
            Arc::make_mut(graph).parts_mut().iter_mut().for_each(|part| drop_in(part, lexicon))
        }
        _ => {}
    }
}
