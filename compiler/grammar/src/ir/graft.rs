//! Grafts the rules of one grammar onto another grammar.
//!
//! A source within a source is translated separately, to a grammar of its own. Its rules are then
//! numbered after those of the outer grammar, and shared graphs stay shared. Cost: O(size of the
//! expressions). The recursion is as deep as the expressions, which front ends limit.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Expr, ExprGraph, Grammar, GrammarBuilder, Origin, RuleId, RuleKind, TokenSet};

impl GrammarBuilder {
    /// Adds the rules of another grammar, the inner one, to this grammar. Returns the id that the
    /// inner start rule gets here. `place` maps a position in the inner source to a position in the
    /// outer source.
    pub fn graft(&mut self, grammar: Grammar, place: &dyn Fn(Origin) -> Origin) -> RuleId {
        let first = self.len();
        let regions: Vec<u32> =
            grammar.regions.into_iter().map(|region| self.region(region)).collect();
        let mut renumbered = Renumbered { first, place, graphs: FxHashMap::default() };
        for rule in &grammar.rules {
            self.declare(rule.name.as_str());
        }
        for (at, rule) in grammar.rules.into_iter().enumerate() {
            let expr = renumbered.expr(&rule.expr);
            let kind = match rule.kind {
                RuleKind::Region(number) => RuleKind::Region(regions[number as usize]),
                other => other,
            };
            self.define_as(RuleId::new(first + at), expr, place(rule.origin), kind);
        }
        RuleId::new(first + grammar.start.index())
    }
}

/// Translates expressions of an inner grammar, whose rules are added to an outer grammar, to the
/// rule numbers of the outer grammar.
struct Renumbered<'p> {
    /// The number that the inner grammar's first rule has in the outer grammar.
    first: usize,
    /// Maps a position in the inner source to a position in the outer source.
    place: &'p dyn Fn(Origin) -> Origin,
    /// Maps the address of a graph of the inner grammar to the graph and its translation. The inner
    /// graph is kept alive, so that no other graph gets its address.
    graphs: FxHashMap<*const ExprGraph, (Arc<ExprGraph>, Arc<ExprGraph>)>,
}

impl Renumbered<'_> {
    /// Returns an inner expression with the rule numbers of the outer grammar.
    fn expr(&mut self, expr: &Expr) -> Expr {
        match expr {
            Expr::Call(rule) => Expr::Call(RuleId::new(self.first + rule.index())),
            Expr::Token(set) => Expr::Token(self.token_set(set)),
            Expr::Seq(parts) => Expr::Seq(self.exprs(parts)),
            Expr::Alt(parts) => Expr::Alt(self.exprs(parts)),
            Expr::And(parts) => Expr::And(self.exprs(parts)),
            Expr::Not(body) => Expr::Not(Box::new(self.expr(body))),
            Expr::Repeat { body, min, max } => {
                Expr::Repeat { body: Box::new(self.expr(body)), min: *min, max: *max }
            }
            Expr::Graph(graph) => Expr::Graph(self.graph(graph)),
            Expr::Never
            | Expr::Empty
            | Expr::Bytes(_)
            | Expr::Literal(_)
            | Expr::Regular(_)
            | Expr::Texts(_) => expr.clone(),
        }
    }

    /// Returns inner expressions with the rule numbers of the outer grammar.
    fn exprs(&mut self, exprs: &[Expr]) -> Vec<Expr> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    /// Returns an inner graph with the rule numbers of the outer grammar. A graph that several
    /// expressions share is translated once.
    fn graph(&mut self, graph: &Arc<ExprGraph>) -> Arc<ExprGraph> {
        if let Some((_, known)) = self.graphs.get(&Arc::as_ptr(graph)) {
            return Arc::clone(known);
        }
        let mut new = ExprGraph::clone(graph);
        for part in new.parts_mut() {
            *part = self.expr(part);
        }
        let new = Arc::new(new);
        self.graphs.insert(Arc::as_ptr(graph), (Arc::clone(graph), Arc::clone(&new)));
        new
    }

    /// Returns a token set of the inner grammar, with the positions of its tokens in the outer
    /// source.
    fn token_set(&self, set: &TokenSet) -> TokenSet {
        let tokens = set.tokens.iter().map(|(token, span)| {
            let origin = Origin { span: span.clone(), pointer: None };
            (token.clone(), (self.place)(origin).span)
        });
        TokenSet { tokens: tokens.collect(), negated: set.negated }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::recognize::recognizes;

    #[test]
    fn calls_lead_to_the_rules_behind_those_there_are() {
        let mut inner = GrammarBuilder::new();
        let [list, item] = ["list", "item"].map(|name| inner.declare(name));
        let mut graph = ExprGraph::new();
        let end = graph.end();
        graph.edge(ExprGraph::START, Expr::Call(item), end);
        graph.edge(end, Expr::seq([Expr::byte(b','), Expr::Call(item)]), end);
        inner.define(
            list,
            Expr::Graph(Arc::new(graph)),
            Origin { span: Some(2..3), pointer: None },
        );
        inner.define(
            item,
            Expr::alt([
                Expr::byte(b'a'),
                Expr::seq([Expr::byte(b'('), Expr::Call(list), Expr::byte(b')')]),
            ]),
            Origin::default(),
        );
        let inner = inner.finish(list);

        let mut outer = GrammarBuilder::new();
        let root = outer.declare("root");
        let place = |origin: Origin| Origin {
            span: origin.span.map(|span| span.start + 10..span.end + 10),
            ..origin
        };
        let first = outer.graft(inner.clone(), &place);
        let second = outer.graft(inner, &place);
        let expr = Expr::seq([Expr::Call(first), Expr::byte(b'|'), Expr::Call(second)]);
        outer.define(root, expr, Origin::default());
        let grammar = outer.finish(root);
        assert_eq!(grammar.rule(first).origin.span, Some(12..13));
        assert_eq!(grammar.rules.len(), 5);
        for (text, is_one) in
            [("a,(a,a)|a", true), ("a|(a|a)", false), ("a|", false), ("(a)|((a),a)", true)]
        {
            assert_eq!(recognizes(&grammar, text.as_bytes()), is_one, "{text}");
        }
    }
}
