//! Thompson's construction for the network: builds the automaton of an expression. Calls in it lead
//! to the rules made for parts of the expression.
//!
//! The layers below look up in tables which rule a part of an expression has. If a rule is missing,
//! they report that, and this layer builds its automaton. So the recursion over nested expressions
//! is in this file alone.
//!
//! Invariant: rules and labels are numbered in the order of their first use. The artifact has them
//! in this order.

use std::sync::Arc;

use super::graphs::{GraphRules, RegisterRule};
use super::inlining::Inlining;
use super::repetitions::Repetitions;
use super::rules::Rules;
use super::source::Source;
use super::texts::{TextRule, TextRules};
use crate::automata::{Dfa, Nfa};
use crate::budget::MemoryUse;
use crate::ir::facts;
use crate::ir::thompson::{
    Atoms, DelimitedRepeat, Repetition, build as thompson, build_texts, in_sequence, unroll,
};
use crate::ir::{Expr, ExprGraph, RuleId, Texts, TokenSet};
use crate::network::counting::{self, Machine};
use crate::network::error::NetworkErrorKind;
use crate::network::graph_parts::GraphParts;
use crate::network::packed_string_set::PackedStringSets;
use crate::network::repeat::automata::one_call;
use crate::network::repeat::rule::{MOST_PREFIX, RepeatCall, RepeatRule, is_small};
use crate::network::rule::Label;
use crate::network::{required_keys, token_sets};

/// The most states of a body that is copied into a rule of a chain. A larger body is called as a
/// rule. The masks of states in a chain are derived from each other, but a called body costs a walk
/// over all strings for each chain rule. A character of a text that may be escaped and must not
/// break the line has 17 states.
const BODY_STATES: usize = 32;

/// The most required keys of a graph whose sets of missing keys are unrolled into states. With so
/// few keys, a register saves no states.
const UNROLLED_KEYS: u32 = 2;

/// The most states of a nondeterministic automaton for each state that the deterministic one may
/// have. A larger automaton is refused with the error of the limit on states.
const NFA_STATES: usize = 16;

/// A result with the reason why the network cannot be built.
type Result<T> = std::result::Result<T, NetworkErrorKind>;

/// Builds the automata of expressions, and the rules that are made for their parts.
pub(super) struct Assembler<'a> {
    /// The inputs, which never change.
    pub(super) source: &'a Source<'a>,
    /// The rules, their numbers and labels (calls or token sets), and the worklist.
    pub(super) rules: Rules<'a>,
    /// The rules made for repetitions.
    pub(super) repetitions: Repetitions<'a>,
    /// The rules to inline.
    pub(super) inlining: Inlining,
    /// The rules made for graphs with counters or required keys.
    graphs: GraphRules,
    /// The rules made for sets of many texts.
    texts: TextRules<'a>,
    /// Memory of the nondeterministic automaton under construction, in bytes.
    open: MemoryUse<'a>,
}

impl<'a> Assembler<'a> {
    /// Prepares the construction. `packed` caches the packed string sets (texts as a packed
    /// automaton).
    pub(super) fn new(source: &'a Source<'a>, packed: &'a mut PackedStringSets) -> Self {
        Self {
            source,
            rules: Rules::new(source),
            repetitions: Repetitions::new(source),
            inlining: Inlining::new(source.grammar, source.survey),
            graphs: GraphRules::default(),
            texts: TextRules::new(source, packed),
            open: source.context.budget.hold(),
        }
    }

    /// Whether some graph with more than [`UNROLLED_KEYS`] required keys is unrolled into states.
    pub(super) fn unrolls_sets(&self) -> bool {
        self.graphs.unrolls_sets
    }

    /// Builds the nondeterministic automaton of an expression. `size` is the number of expected
    /// states, for which memory is reserved.
    pub(super) fn nfa_of(&mut self, expr: &Expr, size: usize) -> Result<Nfa> {
        let mut nfa = Nfa::with_capacity(size);
        let (from, to) = (nfa.start, nfa.end);
        thompson(self, &mut nfa, expr, from, to)?;
        Ok(nfa)
    }

    /// Adds a call of a rule as an edge from state `from` to state `to`.
    fn call_rule(&mut self, nfa: &mut Nfa, label: Label, from: u32, to: u32) {
        let symbol = self.rules.labels.symbol(label);
        nfa.edge(from, symbol, symbol, to);
    }

    /// Adds a call of a rule made for a repetition, as an edge from state `from` to state `to`.
    /// Builds the missing rules from the last of the chain on, so that long chains do not recurse.
    /// `longest` is the most repetitions that one token can begin.
    fn call_repetition(
        &mut self,
        nfa: &mut Nfa,
        call: RepeatCall,
        longest: u32,
        from: u32,
        to: u32,
    ) -> Result<()> {
        let missing = self.repetitions.missing(&mut self.rules, call, longest)?;
        let mut label = missing.rest;
        for RepeatCall { rule, count } in missing.new.into_iter().rev() {
            let rule = self.repeat_rule(rule, label)?;
            label = Some(Label::Call { rule, count });
        }
        let label = label.expect("a run has a rule, found or made");
        self.call_rule(nfa, label, from, to);
        Ok(())
    }

    /// Builds a rule for a repetition. `rest` is the label of the call that ends the rule, in tail
    /// position. Returns the number of the rule.
    fn repeat_rule(&mut self, rule: RepeatRule, rest: Option<Label>) -> Result<usize> {
        let rest = rest.map(|rest| self.rules.labels.symbol(rest));
        let body = match rule {
            RepeatRule::Body(body) => Some(self.body(body)?),
            RepeatRule::Chain(body, _) | RepeatRule::Loop { body, .. } => Some(self.unit(body)?),
            RepeatRule::TailChain(..) | RepeatRule::TailLoop(_) => None,
        };
        self.repetitions.add(&mut self.rules, rule, body, rest)
    }

    /// Returns a prefix-free automaton for a body, without the empty string. The result is a call
    /// of the body as a rule if the body is not prefix-free or has more than [`BODY_STATES`]
    /// states.
    fn unit(&mut self, body: usize) -> Result<Dfa> {
        let dfa = self.body(body)?;
        if dfa.is_prefix_free() && dfa.states.len() <= BODY_STATES {
            return Ok(dfa);
        }
        self.call_of_body(body)
    }

    /// Returns an automaton that is one call of the body's rule. Builds that rule if it is missing.
    fn call_of_body(&mut self, body: usize) -> Result<Dfa> {
        let rule = match self.repetitions.find(&mut self.rules, RepeatRule::Body(body))? {
            Some(rule) => rule,
            None => self.repeat_rule(RepeatRule::Body(body), None)?,
        };
        Ok(one_call(self.rules.labels.symbol(Label::Call { rule, count: 0 })))
    }

    /// Returns the automaton of a body, without the empty string. Builds the automaton at the first
    /// request.
    fn body(&mut self, body: usize) -> Result<Dfa> {
        if let Some(dfa) = self.repetitions.bodies.automaton(body) {
            return Ok(dfa.clone());
        }
        let expr = self.repetitions.bodies.expr(body).clone();
        let mut nfa = Nfa::new();
        let (from, to) = (nfa.start, nfa.end);
        thompson(self, &mut nfa, &expr, from, to)?;
        let dfa = self.source.finish(&nfa)?;
        self.repetitions.bodies.keep(body, dfa.clone());
        Ok(dfa)
    }

    /// Returns the rule for a graph with counters. Returns `None` if the graph has no counters, or
    /// has to be unrolled.
    fn counters_rule(&mut self, graph: &Arc<ExprGraph>) -> Result<Option<RegisterRule>> {
        if graph.counters().is_empty() || !self.source.has_registers() {
            return Ok(None);
        }
        if let Some(&known) = self.graphs.counters.get(graph) {
            return Ok(known);
        }
        // Counters may be merged into shared ones. If the counts of a shared counter diverge,
        // separate counters may still work, so both are tried.
        let shared = graph.with_shared_counters();
        let mut rule = None;
        for graph in shared.iter().chain([&**graph]) {
            if rule.is_none() {
                rule = self.build_counters(graph)?;
            }
        }
        self.graphs.counters.insert(Arc::clone(graph), rule);
        Ok(rule)
    }

    /// Builds the rule of a graph with counters in a register. Returns `None` if the graph has to
    /// be unrolled.
    fn build_counters(&mut self, graph: &ExprGraph) -> Result<Option<RegisterRule>> {
        if !counting::has_few_counters(graph) {
            return Ok(None);
        }
        let mut machine = match Machine::new(self, graph) {
            Ok(machine) => machine,
            // The unrolled graph may stay nondeterministic, and so be small enough.
            Err(NetworkErrorKind::Limit { .. }) => {
                self.source.spend()?;
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let bytes = self.repetitions.alphabet(&Expr::Graph(graph.clone().into())).all;
        machine.bound_increments(self.source.lexicon, bytes);
        let increments = &mut self.graphs.increments;
        let Some(built) = counting::build_rule(machine, self.source, increments) else {
            return Ok(None);
        };
        let rule = self.rules.add_part("{n}", &built.dfa, Some(built.counted))?;
        Ok(Some(RegisterRule { rule, register: built.register }))
    }

    /// Returns the rule for a graph whose missing required keys are bits of a register. Returns
    /// `None` if the sets of missing keys have to be unrolled into states.
    fn required_keys_rule(&mut self, graph: &Arc<ExprGraph>) -> Result<Option<usize>> {
        let is_single = |bytes: crate::ir::ByteSet, alone| bytes.minus(alone).is_empty();
        let expr = Expr::Graph(Arc::clone(graph));
        let may_have = graph.required_keys().count_ones() > UNROLLED_KEYS
            && self.source.has_registers()
            && is_single(self.repetitions.alphabet(&expr).all, self.source.lexicon.single_bytes())
            && required_keys::may_wait(graph, &self.source.facts);
        if !may_have {
            return Ok(None);
        }
        if let Some(&rule) = self.graphs.required_keys.get(graph) {
            return Ok(Some(rule));
        }
        let Some((dfa, counted)) = required_keys::automaton(self, graph)? else { return Ok(None) };
        let rule = self.rules.add_part("", &dfa, Some(counted))?;
        self.graphs.required_keys.insert(graph.clone(), rule);
        Ok(Some(rule))
    }

    /// Adds the paths of a graph from state `from` to state `to`. Counts and sets of missing
    /// required keys are unrolled into states.
    fn unrolled_graph(
        &mut self,
        nfa: &mut Nfa,
        graph: &ExprGraph,
        from: u32,
        to: u32,
    ) -> Result<()> {
        self.graphs.unrolls_sets |= graph.required_keys().count_ones() > UNROLLED_KEYS;
        let limit = self.source.wanted.limits.rule_states;
        let what = match graph.counters() {
            [] => "sets of what is still to come",
            _ => "counts below bounds",
        };
        let unrolled = graph.unrolled(self.source.bounds());
        let unrolled = unrolled.map_err(|_| NetworkErrorKind::Limit { what, limit })?;
        let expr = Expr::Graph(Arc::new(unrolled.into_owned()));
        if facts::of_expr(&expr, &self.source.facts).productive {
            return thompson(self, nfa, &expr, from, to);
        }
        match graph.counters() {
            [] => Err(NetworkErrorKind::Empty),
            // The bounds of counters may exclude every string of a part of the rule. Another part
            // may still accept some.
            _ => Ok(()),
        }
    }
}

impl GraphParts for Assembler<'_> {
    fn prefix_free(&mut self, expr: &Expr) -> Result<Dfa> {
        let body = self.repetitions.bodies.number(expr);
        let dfa = self.body(body)?;
        if dfa.is_prefix_free() { Ok(dfa) } else { self.call_of_body(body) }
    }

    fn finish(&self, nfa: &Nfa) -> Result<Dfa> {
        self.source.finish(nfa)
    }

    fn finish_counted(&self, nfa: &Nfa) -> Result<Dfa> {
        self.source.finish_within(nfa, self.source.bounds_of(self.rules.current(), nfa))
    }
}

impl Atoms for Assembler<'_> {
    type Error = NetworkErrorKind;

    fn call(&mut self, nfa: &mut Nfa, rule: RuleId, from: u32, to: u32) -> Result<()> {
        let facts = self.source.facts[rule.index()];
        if !facts.productive {
            return Ok(());
        }
        if self.inlining.is_inlined(rule) {
            self.inlining.enter(rule);
            let done = thompson(self, nfa, &self.source.grammar.rule(rule).expr, from, to);
            self.inlining.leave();
            return done;
        }
        if facts.nullable {
            nfa.empty(from, to);
        }
        if facts.shortest < u32::MAX {
            let symbol = self.rules.call_symbol(rule);
            nfa.edge(from, symbol, symbol, to);
        }
        Ok(())
    }

    fn tokens(&mut self, nfa: &mut Nfa, set: &TokenSet, from: u32, to: u32) -> Result<()> {
        let named = token_sets::ids(self.source.lexicon, set)?;
        if !named.is_empty() {
            self.call_rule(nfa, Label::Tokens(named), from, to);
        }
        Ok(())
    }

    fn texts(&mut self, nfa: &mut Nfa, texts: &Arc<Texts>, from: u32, to: u32) -> Result<()> {
        let rule = match self.texts.rule(&mut self.rules, texts)? {
            TextRule::Inline => return build_texts(self, nfa, texts.iter(), from, to),
            TextRule::Of(rule) => rule,
        };
        self.call_rule(nfa, Label::Call { rule, count: 0 }, from, to);
        let others = self.texts.others(texts);
        build_texts(self, nfa, others, from, to)
    }

    fn repeat(
        &mut self,
        nfa: &mut Nfa,
        repetition: Repetition<'_>,
        from: u32,
        to: u32,
    ) -> Result<()> {
        let Repetition { body, min, max } = repetition;
        if min == 0 && matches!(max, None | Some(1)) {
            return unroll(self, nfa, repetition, from, to);
        }
        let facts = facts::of_expr(body, &self.source.facts);
        if !facts.productive || facts.shortest == u32::MAX {
            // The repetition derives nothing, or only the empty string, whatever the count.
            if facts.nullable || min == 0 {
                nfa.empty(from, to);
            }
            return Ok(());
        }
        // A nullable body may derive the empty string to reach the minimum.
        let min = if facts.nullable { 0 } else { min };
        let inlined = self.inlining.size(self.source.grammar, body);
        let is_small = is_small(max.unwrap_or(min), inlined);
        let (rules, shortest) = (&mut self.rules, facts.shortest);
        if is_small && !self.repetitions.is_stored(rules, &repetition, shortest)? {
            return unroll(self, nfa, Repetition { body, min, max }, from, to);
        }
        if min == 0 {
            nfa.empty(from, to);
        }
        let (call, longest) = self.repetitions.plan(Repetition { body, min, max }, shortest);
        self.call_repetition(nfa, call, longest, from, to)
    }

    fn delimited(&mut self, nfa: &mut Nfa, run: DelimitedRepeat, from: u32, to: u32) -> Result<()> {
        let DelimitedRepeat { any, min, max, .. } = run;
        if min > MOST_PREFIX.min(max) || is_small(max, 1) {
            return in_sequence(self, nfa, run, from, to);
        }
        let mut at = from;
        for _ in 0..min {
            let next = nfa.state();
            any.ranges().for_each(|(lo, hi)| nfa.edge(at, lo.into(), hi.into(), next));
            at = next;
        }
        let (call, longest) = self.repetitions.plan_tail(run);
        self.call_repetition(nfa, call, longest, at, to)
    }

    fn registers(
        &mut self,
        nfa: &mut Nfa,
        graph: &Arc<ExprGraph>,
        from: u32,
        to: u32,
    ) -> Result<()> {
        let facts =
            |this: &Self| facts::of_expr(&Expr::Graph(Arc::clone(graph)), &this.source.facts);
        if let Some(RegisterRule { rule, register }) = self.counters_rule(graph)? {
            if facts(self).nullable {
                nfa.empty(from, to);
            }
            self.call_rule(nfa, Label::Call { rule, count: register }, from, to);
            return Ok(());
        }
        if !facts(self).productive {
            return Ok(());
        }
        if let Some(rule) = self.required_keys_rule(graph)? {
            self.call_rule(nfa, Label::Call { rule, count: graph.required_keys() }, from, to);
            return Ok(());
        }
        self.unrolled_graph(nfa, graph, from, to)
    }

    fn boolean(&mut self, _: &mut Nfa, _: &Expr, _: u32, _: u32) -> Result<()> {
        unreachable!("intersections and complements are resolved before rules are built")
    }

    fn check(&mut self, nfa: &Nfa) -> Result<()> {
        let limit = self.source.wanted.limits.rule_states.saturating_mul(NFA_STATES);
        if nfa.len() > limit {
            return Err(NetworkErrorKind::Limit { what: "states of a rule", limit });
        }
        self.source.spend()?;
        self.open.set(nfa.bytes()).map_err(|_| self.source.too_large())
    }
}
