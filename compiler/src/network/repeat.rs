//! Repetition: what is written out, what is shared, and what is counted.
//!
//! Let `L` be the most repetitions of a body that one token can begin. While more than `L` remain, a mask cannot
//! depend on how many, so `body{0,n}` with a large `n` is a *bulk* rule that loops with a countdown of `n - L` and ends
//! in the *chain*: `L` rules, each the body and then the next. A bound only sets the initial countdown or the point of
//! entry into the chain, so one set of rules serves every bound, and the vocabulary artifact can hold it for the bodies
//! that many grammars repeat.
//!
//! ```text
//! upto 1     body                              exactly 1     body
//! upto i     body (upto i-1)?                  exactly i     body (exactly i-1)
//! bulk       body loop{countdown} (upto L)?    bulk          body loop{countdown} (exactly L)
//! ```
//!
//! `body{m,n}` is `exactly m` and then `upto n-m`, each direct, through the chain, or through the bulk.
//!
//! A countdown needs the end of a body to be unmistakable, so a body some string of which is a prefix of another is
//! called as a rule instead of standing in the loop: the end is then the return, and where it is ambiguous the parse
//! position holds both readings.

use indexmap::IndexSet;
use rustc_hash::FxHashMap;
use smallvec::smallvec;

use super::NetworkErrorKind;
use super::build::{Builder, Failure};
use super::expressions::{self, Digest};
use super::rule::{Arrival, Counted, Label, Lowered, NetworkRule};
use crate::automata::{Dfa, DfaState, Edge, Edges, Nfa, StateLimit, determinize, minimize};
use crate::ir::facts::{self, Facts};
use crate::ir::thompson::{Repetition, build, spell_out};
use crate::ir::{Expr, Grammar, RuleKind};

/// Copies times body nodes up to which a repetition is simply written out.
const WRITTEN_OUT: usize = 32;

/// States up to which a body stands in the chain itself; a larger one is called.
const BODY_STATES: usize = 16;

/// Whether large bounds may use countdowns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    /// They do.
    Counted,
    /// They are chains of as many rules as the bound.
    WrittenOut,
}

/// Whether a run has a fixed number of repetitions or at most that number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Mode {
    Exactly,
    UpTo,
}

/// A rule made for a repetition of a body, by the body's number in [`Bodies`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Synthetic {
    /// The body as a rule.
    Body(usize),
    /// A link of a chain: this many repetitions remain, or at most as many.
    Chain(usize, u32, bool),
    /// The loop in front of a chain of this length.
    Bulk(usize, u32, bool),
}

impl Synthetic {
    fn body(self) -> usize {
        match self {
            Self::Body(body) | Self::Chain(body, ..) | Self::Bulk(body, ..) => body,
        }
    }
}

/// The bodies of repetitions, with what is known of them.
#[derive(Default)]
pub(super) struct Bodies {
    exprs: IndexSet<Expr>,
    automata: FxHashMap<usize, Dfa>,
    digests: FxHashMap<usize, Option<Digest>>,
}

impl Bodies {
    /// Number of a body.
    fn number(&mut self, body: &Expr) -> usize {
        match self.exprs.get_index_of(body) {
            Some(number) => number,
            None => self.exprs.insert_full(body.clone()).0,
        }
    }

    /// Digest of the text of a rule made for a repetition, where its body's text has one.
    pub(super) fn digest(&mut self, part: Synthetic, grammar: &Grammar) -> Option<Digest> {
        let body = part.body();
        let of_body = || expressions::of_expr(grammar, &self.exprs[body]);
        let digest = self.digests.entry(body).or_insert_with(of_body).as_ref()?;
        Some(expressions::of_part(part, digest))
    }

    /// Forgets the automata, which depend on what is written into them.
    pub(super) fn forget(&mut self) {
        self.automata.clear();
    }
}

impl Builder<'_> {
    /// Connects `from` to `to` by a repetition.
    pub(super) fn build_repetition(
        &mut self,
        nfa: &mut Nfa,
        repetition: Repetition<'_>,
        from: u32,
        to: u32,
    ) -> Result<(), Failure> {
        let Repetition { body, min, max } = repetition;
        if min == 0 && matches!(max, None | Some(1)) {
            return spell_out(self, nfa, repetition, from, to);
        }
        let facts = facts::of_expr(body, self.facts);
        if !facts.productive || facts.shortest == u32::MAX {
            // Nothing, or nothing but the empty string, however often.
            if facts.nullable || min == 0 {
                nfa.empty(from, to);
            }
            return Ok(());
        }
        // Empty repetitions may make up the minimum.
        let min = if facts.nullable { 0 } else { min };
        let size = self.inlined_size(body);
        let optional = max.map(|max| max - min.min(max));
        let middle = nfa.state();
        if is_small(min, size) {
            let exactly = Repetition { body, min, max: Some(min) };
            spell_out(self, nfa, exactly, from, middle)?;
        } else {
            self.run(nfa, body, facts, Mode::Exactly, min, from, middle)?;
        }
        match optional {
            Some(count) if !is_small(count, size) => {
                nfa.empty(middle, to);
                self.run(nfa, body, facts, Mode::UpTo, count, middle, to)
            }
            _ => spell_out(self, nfa, Repetition { body, min: 0, max: optional }, middle, to),
        }
    }

    /// Calls the chain or the bulk for `count` repetitions, at least one.
    #[expect(clippy::too_many_arguments, reason = "one call site, and each is needed")]
    fn run(
        &mut self,
        nfa: &mut Nfa,
        body: &Expr,
        facts: Facts,
        mode: Mode,
        count: u32,
        from: u32,
        to: u32,
    ) -> Result<(), Failure> {
        let upto = mode == Mode::UpTo;
        let longest =
            self.lexicon.most_repetitions(facts.first, facts.alphabet, facts.shortest).max(1);
        let is_chain = count <= longest || self.spelling == Spelling::WrittenOut;
        if is_chain && count as usize > self.limits.rules {
            return Err(self.limit("rules of a repetition", self.limits.rules));
        }
        let body = self.bodies.number(body);
        let (what, links, count) = match is_chain {
            true => (Synthetic::Chain(body, count, upto), count, 0),
            false => (Synthetic::Bulk(body, longest, upto), longest, count - longest),
        };
        let rule = match self.find_part(what)? {
            Some(rule) => rule,
            None => {
                // Chains are declared from the far end, so that long ones do not recurse.
                for remaining in 1..=links {
                    self.synthesize(Synthetic::Chain(body, remaining, upto))?;
                }
                self.synthesize(what)?
            }
        };
        let label = Label::Call { rule, count };
        let symbol = self.labels.symbol(label);
        nfa.edge(from, symbol, symbol, to);
        Ok(())
    }

    /// The rule of this description, built on first use.
    fn synthesize(&mut self, what: Synthetic) -> Result<usize, Failure> {
        if let Some(rule) = self.find_part(what)? {
            return Ok(rule);
        }
        let (dfa, counted, suffix) = match what {
            Synthetic::Body(body) => (self.dfa_of_body(body)?, None, "body".to_owned()),
            Synthetic::Chain(body, remaining, upto) => {
                let dfa = self.chain(body, remaining, upto)?;
                let least = if upto { 0 } else { remaining };
                (dfa, None, format!("{{{least},{remaining}}}"))
            }
            Synthetic::Bulk(body, length, upto) => {
                let (dfa, counted) = self.bulk(body, length, upto)?;
                (dfa, Some(counted), if upto { "{0,n}" } else { "{n}" }.to_owned())
            }
        };
        let rule = self.add_part(&suffix, dfa, counted)?;
        self.synthetic.insert(what, rule);
        Ok(rule)
    }

    /// Adds a finished rule that is a part of the rule under construction.
    pub(super) fn add_part(
        &mut self,
        suffix: &str,
        dfa: Dfa,
        counted: Option<Counted>,
    ) -> Result<usize, Failure> {
        let (name, origin) = self.place();
        self.add(NetworkRule {
            name: format!("{name}{suffix}"),
            origin,
            dfa,
            counted,
            kind: RuleKind::Plain,
            stored: None,
        })
    }

    fn chain(&mut self, body: usize, remaining: u32, upto: bool) -> Result<Dfa, Failure> {
        let unit = self.unit(body)?;
        let mut nfa = Nfa::new();
        if remaining == 1 {
            nfa.embed(&unit, nfa.start, nfa.end);
        } else {
            let next = self.synthesize(Synthetic::Chain(body, remaining - 1, upto))?;
            let symbol = self.labels.symbol(Label::Call { rule: next, count: 0 });
            let middle = nfa.state();
            nfa.embed(&unit, nfa.start, middle);
            nfa.edge(middle, symbol, symbol, nfa.end);
            if upto {
                nfa.empty(middle, nfa.end);
            }
        }
        self.finish(&nfa)
    }

    fn bulk(&mut self, body: usize, length: u32, upto: bool) -> Result<(Dfa, Counted), Failure> {
        let unit = self.unit(body)?;
        let chain = self.synthesize(Synthetic::Chain(body, length, upto))?;
        let symbol = self.labels.symbol(Label::Call { rule: chain, count: 0 });
        // The body's states, its accepting ones replaced by the head, which begins the body anew; then the exit, which
        // calls the chain, and the end of that call.
        let head = unit.states.len() as u32;
        let (exit, end) = (head + 1, head + 2);
        let mut states = unit.states.clone();
        for edge in states.iter_mut().flat_map(|state| &mut state.edges) {
            if unit.states[edge.target as usize].accepting {
                edge.target = head;
            }
        }
        for state in &mut states {
            state.accepting = false;
        }
        states.push(DfaState { edges: states[0].edges.clone(), accepting: upto });
        let call = Edge { lo: symbol, hi: symbol, target: end };
        states.push(DfaState { edges: smallvec![call], accepting: upto });
        states.push(DfaState { edges: Edges::new(), accepting: true });
        let (states, numbers) = without_unreached(states, &[exit]);
        let at = |state: u32| numbers[state as usize];
        let arrival = Arrival { state: at(head), exit: at(exit), lowered: Lowered::ByOne };
        Ok((Dfa { states }, Counted::new(vec![arrival], upto)))
    }

    /// The body as a prefix-free automaton without the empty string: itself, or one call of it.
    fn unit(&mut self, body: usize) -> Result<Dfa, Failure> {
        let dfa = self.dfa_of_body(body)?;
        if dfa.is_prefix_free() && dfa.states.len() <= BODY_STATES {
            return Ok(dfa);
        }
        self.call_of_body(body)
    }

    /// A call of the expression as a rule.
    pub(super) fn body_call(&mut self, body: &Expr) -> Result<Dfa, Failure> {
        let body = self.bodies.number(body);
        self.call_of_body(body)
    }

    fn call_of_body(&mut self, body: usize) -> Result<Dfa, Failure> {
        let rule = self.synthesize(Synthetic::Body(body))?;
        let symbol = self.labels.symbol(Label::Call { rule, count: 0 });
        let call = Edge { lo: symbol, hi: symbol, target: 1 };
        Ok(Dfa {
            states: vec![
                DfaState { edges: smallvec![call], accepting: false },
                DfaState { edges: Edges::new(), accepting: true },
            ],
        })
    }

    pub(super) fn dfa_of(&mut self, body: &Expr) -> Result<Dfa, Failure> {
        let body = self.bodies.number(body);
        self.dfa_of_body(body)
    }

    fn dfa_of_body(&mut self, body: usize) -> Result<Dfa, Failure> {
        if let Some(dfa) = self.bodies.automata.get(&body) {
            return Ok(dfa.clone());
        }
        let expr = self.bodies.exprs[body].clone();
        let mut nfa = Nfa::new();
        let (from, to) = (nfa.start, nfa.end);
        build(self, &mut nfa, &expr, from, to)?;
        let dfa = self.finish(&nfa)?;
        self.bodies.automata.insert(body, dfa.clone());
        Ok(dfa)
    }

    /// Deterministic, minimal, without the empty string.
    pub(super) fn finish(&self, nfa: &Nfa) -> Result<Dfa, Failure> {
        let limit = self.limits.rule_states;
        finished(nfa, limit).map_err(|_| self.limit("states of a rule", limit))
    }

    pub(super) fn limit(&self, what: &'static str, limit: usize) -> Failure {
        self.fail(NetworkErrorKind::Limit { what, limit })
    }
}

/// Deterministic, minimal, without the empty string, where that takes no more states on the way than `limit`.
pub(super) fn finished(nfa: &Nfa, limit: usize) -> Result<Dfa, StateLimit> {
    Ok(minimize(&without_empty(determinize(nfa, limit)?)))
}

fn is_small(copies: u32, size: usize) -> bool {
    copies <= 1 || (copies as usize).saturating_mul(size) <= WRITTEN_OUT
}

/// Removes the empty string from the language: the initial state becomes a copy of itself that does not accept.
pub(super) fn without_empty(mut dfa: Dfa) -> Dfa {
    if !dfa.states[0].accepting {
        return dfa;
    }
    let again = dfa.states.iter().any(|state| state.edges.iter().any(|edge| edge.target == 0));
    if again {
        let copy = dfa.states.len() as u32;
        let state = dfa.states[0].clone();
        dfa.states.push(state);
        for edge in dfa.states.iter_mut().flat_map(|state| &mut state.edges) {
            if edge.target == 0 {
                edge.target = copy;
            }
        }
    }
    dfa.states[0].accepting = false;
    dfa.trimmed()
}

/// Drops states that neither state 0 nor one of `roots` leads to, and says where the others went.
pub(super) fn without_unreached(states: Vec<DfaState>, roots: &[u32]) -> (Vec<DfaState>, Vec<u32>) {
    let mut numbers = vec![u32::MAX; states.len()];
    let mut order = Vec::new();
    for &root in [0].iter().chain(roots) {
        if numbers[root as usize] == u32::MAX {
            numbers[root as usize] = order.len() as u32;
            order.push(root);
        }
    }
    let mut at = 0;
    while at < order.len() {
        for edge in &states[order[at] as usize].edges {
            if numbers[edge.target as usize] == u32::MAX {
                numbers[edge.target as usize] = order.len() as u32;
                order.push(edge.target);
            }
        }
        at += 1;
    }
    let kept = order.iter().map(|&old| {
        let state = &states[old as usize];
        let edges = state.edges.iter().map(|e| Edge { target: numbers[e.target as usize], ..*e });
        DfaState { edges: edges.collect(), accepting: state.accepting }
    });
    (kept.collect(), numbers)
}
