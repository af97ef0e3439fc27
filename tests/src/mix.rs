//! Features of a random case, so that a run can say that it met every kind of grammar it was meant to meet.
//!
//! Read from the grammar IR alone, over the rules that texts of the start rule use: those that derive something and
//! that it reaches. Ambiguity is not here, because no look at a grammar decides it; [`compare`](mod@crate::compare)
//! counts the grammars in which it met a text with two parses.

use std::collections::BTreeMap;

use grammarc_compiler::ir::{Expr, ExprGraph, Grammar, TokenSet};

/// The kinds of expressions and rules that are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A rule derives a text around itself, with something on both sides.
    Nested,
    /// A rule ends with a call of itself.
    RightRecursive,
    /// A rule begins with a call of itself.
    LeftRecursive,
    /// A rule begins with a call of another that begins with a call of it.
    IndirectlyLeftRecursive,
    /// A rule begins with a call of itself only where something before the call derives the empty string.
    HiddenLeftRecursive,
    /// A rule derives the empty string.
    Nullable,
    /// A repetition with a bound below 10.
    CountedSmall,
    /// A repetition with a bound of at least 10.
    CountedLarge,
    /// Letters with a bound of at least 10, and behind them one that may be one of them.
    CountedClosed,
    /// A repetition of something that derives the empty string.
    RepeatedNullable,
    /// A repetition of something that calls a recursive rule.
    RepeatedRecursive,
    /// A set of whole tokens.
    Tokens,
    /// All tokens but some.
    NegatedTokens,
    /// An automaton.
    Regular,
    /// A rule that the vocabulary holds.
    Shared,
}

/// How many cases are of each kind.
pub type Mix = BTreeMap<Kind, usize>;

/// Adds the kinds of one grammar.
pub fn count(mix: &mut Mix, grammar: &Grammar, shared: bool) {
    let rules = Rules::new(grammar);
    let mut kinds = Vec::new();
    for (index, rule) in grammar.rules.iter().enumerate().filter(|(index, _)| rules.used[*index]) {
        if rules.nullable[index] {
            kinds.push(Kind::Nullable);
        }
        if shared && rule.is_kept() {
            kinds.push(Kind::Shared);
        }
        rules.recursion(index, &mut kinds);
        rules.parts(&rule.expr, &mut kinds);
    }
    kinds.sort_unstable();
    kinds.dedup();
    for kind in kinds {
        *mix.entry(kind).or_default() += 1;
    }
}

/// A call, with its place in its rule.
#[derive(Clone, Copy, Debug)]
struct Call {
    callee: usize,
    /// Whether something other than the empty string can stand before it, and after it.
    around: (bool, bool),
    /// Whether nothing at all need stand before it, and whether nothing is written before it.
    first: Option<First>,
    /// Whether nothing need stand after it.
    last: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum First {
    Plainly,
    BehindNullable,
}

/// A grammar's rules with what follows from them.
struct Rules<'a> {
    grammar: &'a Grammar,
    productive: Vec<bool>,
    nullable: Vec<bool>,
    /// Productive, and reached from the start rule.
    used: Vec<bool>,
    calls: Vec<Vec<Call>>,
}

impl<'a> Rules<'a> {
    fn new(grammar: &'a Grammar) -> Self {
        let none = || vec![false; grammar.rules.len()];
        let mut rules =
            Self { grammar, productive: none(), nullable: none(), used: none(), calls: Vec::new() };
        while rules.sweep() {}
        rules.calls = grammar.rules.iter().map(|rule| rules.calls_of(&rule.expr)).collect();
        let mut open = vec![grammar.start.index()];
        while let Some(rule) = open.pop() {
            if rules.productive[rule] && !std::mem::replace(&mut rules.used[rule], true) {
                open.extend(rules.calls[rule].iter().map(|call| call.callee));
            }
        }
        rules
    }

    /// One round towards the least fixpoint; whether anything changed.
    fn sweep(&mut self) -> bool {
        let mut changed = false;
        for (index, rule) in self.grammar.rules.iter().enumerate() {
            let (productive, nullable) = (self.derives(&rule.expr), self.empty(&rule.expr));
            changed |= (productive, nullable) != (self.productive[index], self.nullable[index]);
            (self.productive[index], self.nullable[index]) = (productive, nullable);
        }
        changed
    }

    /// Whether some string is derived.
    fn derives(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Never => false,
            Expr::Bytes(set) => !set.is_empty(),
            Expr::Call(rule) => self.productive[rule.index()],
            Expr::Seq(parts) => parts.iter().all(|part| self.derives(part)),
            Expr::Alt(choices) => choices.iter().any(|choice| self.derives(choice)),
            Expr::Repeat { body, min, .. } => *min == 0 || self.derives(body),
            Expr::Graph(graph) => ends(graph, |part| self.derives(part)),
            _ => true,
        }
    }

    /// Whether the empty string is derived.
    fn empty(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Empty => true,
            Expr::Call(rule) => self.nullable[rule.index()],
            Expr::Seq(parts) => parts.iter().all(|part| self.empty(part)),
            Expr::Alt(choices) => choices.iter().any(|choice| self.empty(choice)),
            Expr::Repeat { body, min, .. } => *min == 0 || self.empty(body),
            Expr::Regular(dfa) => dfa.states[0].accepting,
            Expr::Graph(graph) => {
                graph.required_keys() == 0 && ends(graph, |part| self.empty(part))
            }
            _ => false,
        }
    }

    /// The calls of an expression that derives something.
    fn calls_of(&self, expr: &Expr) -> Vec<Call> {
        if !self.derives(expr) {
            return Vec::new();
        }
        match expr {
            Expr::Call(rule) => {
                let first = Some(First::Plainly);
                vec![Call { callee: rule.index(), around: (false, false), first, last: true }]
            }
            Expr::Alt(choices) => choices.iter().flat_map(|part| self.calls_of(part)).collect(),
            Expr::Seq(parts) => {
                let mut calls = Vec::new();
                for (at, part) in parts.iter().enumerate() {
                    let empty = |parts: &[Expr]| parts.iter().all(|part| self.empty(part));
                    let (before, after) = (&parts[..at], &parts[at + 1..]);
                    calls.extend(self.calls_of(part).into_iter().map(|call| {
                        Call {
                            around: (
                                call.around.0 || !before.is_empty(),
                                call.around.1 || !after.is_empty(),
                            ),
                            first: call
                                .first
                                .filter(|_| empty(before))
                                .map(|first| if at == 0 { first } else { First::BehindNullable }),
                            last: call.last && empty(after),
                            ..call
                        }
                    }));
                }
                calls
            }
            Expr::Repeat { body, max, .. } => {
                let again = *max != Some(1);
                let in_body = self.calls_of(body).into_iter();
                in_body.map(|call| Call { around: (again, again), ..call }).collect()
            }
            // The order of the parts of a path is not looked into.
            Expr::Graph(graph) => graph
                .edges()
                .flat_map(|(_, part, _)| self.calls_of(part))
                .map(|call| Call { around: (false, false), first: None, last: false, ..call })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Whether calls of these rules lead to `to`, by calls of which `goes` holds.
    fn leads(&self, from: usize, to: usize, goes: &impl Fn(&Call) -> bool) -> bool {
        let mut seen = vec![false; self.calls.len()];
        let mut open = vec![from];
        while let Some(rule) = open.pop() {
            if rule == to {
                return true;
            }
            if self.productive[rule] && !std::mem::replace(&mut seen[rule], true) {
                open.extend(self.calls[rule].iter().filter(|c| goes(c)).map(|c| c.callee));
            }
        }
        false
    }

    fn recursion(&self, rule: usize, kinds: &mut Vec<Kind>) {
        let plainly = |call: &Call| call.first == Some(First::Plainly);
        for call in &self.calls[rule] {
            if !self.productive[call.callee] {
                continue;
            }
            if call.around == (true, true) && self.leads(call.callee, rule, &|_| true) {
                kinds.push(Kind::Nested);
            }
            if call.last && self.leads(call.callee, rule, &|call| call.last) {
                kinds.push(Kind::RightRecursive);
            }
            if plainly(call) && call.callee == rule {
                kinds.push(Kind::LeftRecursive);
            }
            if plainly(call) && call.callee != rule && self.leads(call.callee, rule, &plainly) {
                kinds.push(Kind::IndirectlyLeftRecursive);
            }
            if call.first == Some(First::BehindNullable)
                && self.leads(call.callee, rule, &|call| call.first.is_some())
            {
                kinds.push(Kind::HiddenLeftRecursive);
            }
        }
    }

    /// The kinds of an expression's parts.
    fn parts(&self, expr: &Expr, kinds: &mut Vec<Kind>) {
        if !self.derives(expr) {
            return;
        }
        match expr {
            Expr::Token(TokenSet { negated: false, .. }) => kinds.push(Kind::Tokens),
            Expr::Token(_) => kinds.push(Kind::NegatedTokens),
            Expr::Regular(_) => kinds.push(Kind::Regular),
            Expr::Seq(parts) if parts.windows(2).any(is_closed) => kinds.push(Kind::CountedClosed),
            Expr::Repeat { body, min, max } => {
                kinds.push(match max.unwrap_or(*min).max(*min) {
                    0..10 => Kind::CountedSmall,
                    _ => Kind::CountedLarge,
                });
                if self.empty(body) {
                    kinds.push(Kind::RepeatedNullable);
                }
                let recursive = |callee: usize| {
                    let mut calls = self.calls[callee].iter();
                    calls.any(|call| self.leads(call.callee, callee, &|_| true))
                };
                if self.calls_of(body).iter().any(|call| recursive(call.callee)) {
                    kinds.push(Kind::RepeatedRecursive);
                }
            }
            _ => {}
        }
        expr.children().iter().for_each(|child| self.parts(child, kinds));
    }
}

/// Whether the first of two parts is a repetition of letters with a large bound, and the second may be one of them.
fn is_closed(parts: &[Expr]) -> bool {
    let [Expr::Repeat { body, max: Some(10..), .. }, Expr::Bytes(last)] = parts else {
        return false;
    };
    matches!(**body, Expr::Bytes(any) if !any.intersect(*last).is_empty())
}

/// Whether a path of parts that pass leads from the start of a graph to its end.
fn ends(graph: &ExprGraph, passes: impl Fn(&Expr) -> bool) -> bool {
    let mut reached = vec![false; graph.states() as usize];
    let mut open = vec![ExprGraph::START];
    while let Some(state) = open.pop() {
        if !std::mem::replace(&mut reached[state as usize], true) {
            let edges = graph.edges().filter(|(from, part, _)| *from == state && passes(part));
            open.extend(edges.map(|(_, _, to)| to));
        }
    }
    reached[graph.end() as usize]
}

#[cfg(test)]
mod tests {
    use grammarc_compiler::diagnostics::Source;
    use grammarc_compiler::frontend::gbnf::{self, GbnfOptions};

    use super::*;
    use grammarc_compiler::budget::Budget;

    fn kinds(source: &str) -> Vec<Kind> {
        let lowered =
            gbnf::lower(Source::new("test", source), &GbnfOptions::default(), &Budget::new());
        let mut mix = Mix::new();
        count(&mut mix, &lowered.expect("a grammar").grammar, false);
        mix.into_keys().collect()
    }

    #[test]
    fn kinds_of_recursion_are_distinguished() {
        use Kind::*;
        let nullable = [Nullable, CountedSmall];
        for (source, expected) in [
            ("root ::= \"a\" x\nx ::= \"b\"", &[][..]),
            ("root ::= root \"a\" | \"b\"", &[LeftRecursive]),
            ("root ::= \"a\" root | \"b\"", &[RightRecursive]),
            ("root ::= \"(\" root \")\" | \"b\"", &[Nested]),
            ("root ::= x \"a\" | \"b\"\nx ::= root \"c\"", &[IndirectlyLeftRecursive]),
            ("root ::= \"a\" x | \"b\"\nx ::= x \"c\"", &[]),
            ("root ::= \"a\"\nx ::= x \"c\" | \"d\"", &[]),
            ("root ::= (\"a\" | \"bb\"){3,40}", &[CountedLarge]),
            ("root ::= [a-c]{3,40} [b-d]", &[CountedLarge, CountedClosed]),
            ("root ::= [a-c]{3,40} [d-e]", &[CountedLarge]),
        ] {
            assert_eq!(kinds(source), expected, "{source}");
        }
        assert_eq!(
            kinds("root ::= x root \"a\" | \"b\"\nx ::= \"c\"?")[1..],
            [HiddenLeftRecursive, nullable[0], nullable[1]]
        );
        assert_eq!(kinds("root ::= (\"a\"?)*")[0..], [Nullable, CountedSmall, RepeatedNullable]);
        assert_eq!(kinds("root ::= <[1]> | !<[2]>"), [Tokens, NegatedTokens]);
    }
}
