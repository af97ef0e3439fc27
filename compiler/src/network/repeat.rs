//! Repetition: what is written out, what is shared, and what is counted.
//!
//! Let `L` be the most repetitions of a body that one token can begin. While more than `L` remain, a mask cannot
//! depend on how many, so a large bound is a *bulk* rule that loops with a countdown and ends in a *chain*: rules of
//! which each is the body and then the next. A bound only sets the initial countdown or the point of entry into the
//! chain, so one set of rules serves every bound, and the vocabulary artifact can hold it for the bodies that many
//! grammars repeat.
//!
//! The rest of a repetition is a [`Run`]: so many repetitions that must come, at least one, and those that may come after
//! them. Each rule is a whole run and calls the rest in tail position, so that none returns between two repetitions,
//! where the tokens that go on are many:
//!
//! ```text
//! chain 1, no more       body
//! chain 1, upto k        body (1, upto k-1)?
//! chain 1, any           body+
//! chain m, more          body (m-1, more)
//! bulk of the optional   body{m-1} body loop{countdown} (1, upto L-1)?
//! bulk of the required   body loop{countdown} (L, more)
//! ```
//!
//! A countdown needs the end of a body to be unmistakable, so a body some string of which is a prefix of another is
//! called as a rule instead of standing in the loop: the end is then the return, and where it is ambiguous the parse
//! position holds both readings.

use std::fmt;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use smallvec::smallvec;

use super::NetworkErrorKind;
use super::build::{Builder, Failure};
use super::closed::{self, Letters};
use super::expressions::{self, Digest};
use super::rule::{Arrival, Counted, Label, Lowered, NetworkRule};
use crate::automata::{
    Allowance, Dfa, DfaState, Edge, Edges, Nfa, StateLimit, Symbol, Table, minimal_table,
    minimize_within,
};
use crate::ir::facts::{self, Alphabet};
use crate::ir::thompson::{Repetition, build, spell_out};
use crate::ir::{Expr, Grammar};

/// Copies times body nodes up to which a repetition is simply written out.
const WRITTEN_OUT: usize = 32;

/// Letters in a row, as of `[0-9a-f]{8}`, from which on the vocabulary's rule for that many is called where it has one.
const WORTH_A_CALL: u32 = 8;

/// The same, of letters of which [`WORTH_A_CALL`] in a row were met elsewhere in the grammar: the parts of a UUID are 8 and 4.
const ENOUGH: u32 = 4;

/// Most bodies in front of a loop whose repetitions are optional. More are a chain before it, of the bound alone.
pub(super) const MOST_LEAD: u32 = 7;

/// States up to which a body stands in the chain itself; a larger one is called. The masks of places in a chain are found
/// from each other, and those of calls each by a walk over all strings. A character of a text that may be escaped and must not
/// break the line has 17 states.
const BODY_STATES: usize = 32;

/// Whether large bounds may use countdowns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    /// They do.
    Counted,
    /// They are chains of as many rules as the bound.
    WrittenOut,
}

/// The rest of a repetition: at least one body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Run {
    /// Repetitions that must come, at least one.
    pub(super) least: u32,
    /// Repetitions that may come after them.
    pub(super) more: More,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { least, more } = *self;
        match more {
            More::UpTo(more) => write!(f, "{{{least},{}}}", u64::from(least) + u64::from(more)),
            More::Counted(_) => write!(f, "{{{least},n}}"),
            More::Any => write!(f, "{{{least},}}"),
        }
    }
}

/// Repetitions that may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum More {
    /// At most so many.
    UpTo(u32),
    /// As many as a countdown from this says, and a chain's.
    Counted(u32),
    /// Any number.
    Any,
}

/// A rule made for a repetition of a body, by the body's number in [`Bodies`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Synthetic {
    /// The body as a rule.
    Body(usize),
    /// The body, and then the rest of a run.
    Chain(usize, Run),
    /// The loop in front of a run, which is optional where the loop may be left before the countdown ends; before it, so
    /// many bodies.
    Bulk { body: usize, lead: u32, end: Run, is_optional: bool },
    /// At most so many letters that end in one of some.
    Chained(Letters, u32),
    /// The loop in front of these.
    Looped(Letters),
}

/// The bodies of repetitions, with what is known of them.
#[derive(Default)]
pub(super) struct Bodies {
    exprs: IndexSet<Expr, FxBuildHasher>,
    automata: FxHashMap<usize, Dfa>,
    digests: FxHashMap<usize, Option<Digest>>,
    /// Bodies of which the vocabulary's rule for a fixed number is called.
    fixed: FxHashSet<usize>,
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
        let body = match part {
            Synthetic::Body(body) | Synthetic::Chain(body, _) | Synthetic::Bulk { body, .. } => {
                body
            }
            Synthetic::Chained(letters, _) | Synthetic::Looped(letters) => {
                return Some(expressions::of_part(part, &letters.to_words()));
            }
        };
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
        let is_small = is_small(max.unwrap_or(min), self.inlined_size(body));
        if is_small && !self.is_stored(&repetition, facts.shortest)? {
            return spell_out(self, nfa, Repetition { body, min, max }, from, to);
        }
        if min == 0 {
            nfa.empty(from, to);
        }
        let longest = self.most_repetitions(body, facts.shortest);
        let least = min.max(1);
        let more = match max.map(|max| max - least.min(max)) {
            None => More::Any,
            Some(more) if more < longest => More::UpTo(more),
            Some(more) => More::Counted(more - longest + 1),
        };
        let body = self.bodies.number(body);
        self.call_part(nfa, (rule_of(body, Run { least, more }, longest), longest), from, to)
    }

    /// Connects `from` to `to` by a call of a rule made for a repetition, with the countdown it starts with.
    pub(super) fn call_part(
        &mut self,
        nfa: &mut Nfa,
        (start, longest): ((Synthetic, u32), u32),
        from: u32,
        to: u32,
    ) -> Result<(), Failure> {
        let label = self.label(start, longest)?;
        let symbol = self.labels.symbol(label);
        nfa.edge(from, symbol, symbol, to);
        Ok(())
    }

    /// Whether the vocabulary holds the rule of a fixed number of letters.
    fn is_stored(&mut self, repetition: &Repetition<'_>, shortest: u32) -> Result<bool, Failure> {
        let &Repetition { body, min, max } = repetition;
        if min < ENOUGH || max != Some(min) || !matches!(body, Expr::Bytes(_)) {
            return Ok(false);
        }
        let longest = self.most_repetitions(body, shortest);
        let run = Run { least: min, more: More::UpTo(0) };
        let body = self.bodies.number(body);
        if min < WORTH_A_CALL && !self.bodies.fixed.contains(&body) {
            return Ok(false);
        }
        let found = self.find_part(rule_of(body, run, longest).0)?;
        let is_stored = found.is_some_and(|rule| self.is_stored_rule(rule));
        if is_stored {
            self.bodies.fixed.insert(body);
        }
        Ok(is_stored)
    }

    /// The most repetitions of a body that one token can begin, at least one; where nothing is counted, more than any.
    pub(super) fn most_repetitions(&mut self, body: &Expr, shortest: u32) -> u32 {
        match self.spelling {
            Spelling::Counted => {
                let Alphabet { first, all } = self.letters(body);
                self.lexicon.most_repetitions(first, all, shortest).max(1)
            }
            Spelling::WrittenOut => u32::MAX,
        }
    }

    /// The call of a rule made for a repetition, with the countdown it starts with. This rule and those that follow
    /// it are built where they are new: from the far end, so that long chains do not recurse.
    fn label(
        &mut self,
        (mut part, mut count): (Synthetic, u32),
        longest: u32,
    ) -> Result<Label, Failure> {
        let mut new = Vec::new();
        let mut call = loop {
            if let Some(rule) = self.find_part(part)? {
                break Some(Label::Call { rule, count });
            }
            new.push((part, count));
            if new.len() > self.limits.rules {
                return Err(self.limit("rules of a repetition", self.limits.rules));
            }
            match rest_of(part, longest) {
                Some(rest) => (part, count) = rest,
                None => break None,
            }
        };
        for (part, count) in new.into_iter().rev() {
            let rule = self.synthesize(part, call)?;
            call = Some(Label::Call { rule, count });
        }
        Ok(call.expect("a run has a rule, found or made"))
    }

    /// Builds the rule of this description, which goes on with the call `rest`.
    fn synthesize(&mut self, what: Synthetic, rest: Option<Label>) -> Result<usize, Failure> {
        let rest = rest.map(|rest| self.labels.symbol(rest));
        let (dfa, counted, suffix) = match what {
            Synthetic::Body(body) => (self.dfa_of_body(body)?, None, "body".to_owned()),
            Synthetic::Chain(body, run) => (self.chain(body, run, rest)?, None, run.to_string()),
            Synthetic::Bulk { body, lead, end, is_optional } => {
                let rest = rest.expect("a loop ends in a chain");
                let (dfa, counted) = self.bulk(body, lead, rest, is_optional)?;
                let least = if is_optional { lead + 1 } else { end.least };
                (dfa, Some(counted), format!("{{{least},n}}"))
            }
            Synthetic::Chained(letters, most) => {
                (closed::chained(letters, rest), None, format!("{{1,{most}}}"))
            }
            Synthetic::Looped(letters) => {
                let rest = rest.expect("a loop ends in a chain");
                let (dfa, counted) = closed::looped(letters, rest);
                (dfa, Some(counted), "{1,n}".to_owned())
            }
        };
        let rule = self.add_part(&suffix, &dfa, counted)?;
        self.synthetic.insert(what, rule);
        Ok(rule)
    }

    /// Adds a finished rule that is a part of the rule under construction.
    pub(super) fn add_part(
        &mut self,
        suffix: &str,
        dfa: &Dfa,
        counted: Option<Counted>,
    ) -> Result<usize, Failure> {
        let (name, origin) = self.place();
        let part = NetworkRule::plain(format!("{name}{suffix}"), origin, dfa.into());
        self.add(NetworkRule { counted, ..part })
    }

    fn chain(&mut self, body: usize, run: Run, rest: Option<Symbol>) -> Result<Dfa, Failure> {
        let unit = self.unit(body)?;
        let Some(rest) = rest else {
            return if run.more == More::Any { self.loop_of(&unit) } else { Ok(unit) };
        };
        // No accepting state has edges, so with the call behind it each state still does what no other does.
        let end = unit.states.len() as u32;
        let mut states = unit.states;
        for state in states.iter_mut().filter(|state| state.accepting) {
            state.accepting = run.least == 1;
            state.edges.push(Edge { lo: rest, hi: rest, target: end });
        }
        states.push(DfaState { edges: Edges::new(), accepting: true });
        Ok(Dfa { states: without_unreached(states, &[]).0 })
    }

    /// One body or more.
    fn loop_of(&self, unit: &Dfa) -> Result<Dfa, Failure> {
        let mut nfa = Nfa::new();
        let begin = nfa.state();
        let middle = nfa.state();
        nfa.empty(nfa.start, begin);
        nfa.embed(unit, begin, middle);
        nfa.empty(middle, nfa.end);
        nfa.empty(middle, begin);
        self.finish(&nfa)
    }

    fn bulk(
        &mut self,
        body: usize,
        lead: u32,
        rest: Symbol,
        is_optional: bool,
    ) -> Result<(Dfa, Counted), Failure> {
        let unit = self.unit(body)?;
        // The body's states once for each in front and once for the loop, the accepting ones of each copy replaced by the
        // initial one of the next, or by the head, which begins the body anew; then the exit, which calls the rest, and
        // the end of that call.
        let size = unit.states.len() as u32;
        let head = (lead + 1) * size;
        let (exit, end) = (head + 1, head + 2);
        let mut states = Vec::with_capacity(end as usize + 1);
        for copy in 0..=lead {
            let next = (copy + 1) * size;
            let to = |target: u32| match unit.states[target as usize].accepting {
                true => next,
                false => copy * size + target,
            };
            states.extend(unit.states.iter().map(|state| {
                let edges = state.edges.iter().map(|e| Edge { target: to(e.target), ..*e });
                DfaState { edges: edges.collect(), accepting: false }
            }));
        }
        let again = states[(lead * size) as usize].edges.clone();
        states.push(DfaState { edges: again, accepting: is_optional });
        let call = Edge { lo: rest, hi: rest, target: end };
        states.push(DfaState { edges: smallvec![call], accepting: is_optional });
        states.push(DfaState { edges: Edges::new(), accepting: true });
        let (states, numbers) = without_unreached(states, &[exit]);
        let at = |state: u32| numbers[state as usize];
        let arrival = Arrival { state: at(head), exit: at(exit), lowered: Lowered::ByOne };
        Ok((Dfa { states }, Counted::new(vec![arrival], is_optional)))
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
        let what = Synthetic::Body(body);
        let rule = match self.find_part(what)? {
            Some(rule) => rule,
            None => self.synthesize(what, None)?,
        };
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
        let finished =
            finished(nfa, self.bounds()).map_err(|_| self.limit("states of a rule", limit))?;
        Ok(finished.to_dfa())
    }

    pub(super) fn limit(&self, what: &'static str, limit: usize) -> Failure {
        self.fail(match self.writes_sets {
            true => NetworkErrorKind::Sets { what, limit },
            false => NetworkErrorKind::Limit { what, limit },
        })
    }
}

/// Deterministic, minimal, without the empty string.
pub(super) fn finished(nfa: &Nfa, bounds: Allowance<'_>) -> Result<Table, StateLimit> {
    let dfa = minimal_table(nfa, bounds)?;
    if !dfa.accepts(0) {
        return Ok(dfa);
    }
    Ok((&minimize_within(&without_empty(dfa.to_dfa()), bounds)?).into())
}

/// The rule of a run, and the countdown that its call starts with. `longest` is more than any bound where nothing is
/// counted.
fn rule_of(body: usize, run: Run, longest: u32) -> (Synthetic, u32) {
    let Run { least, more } = run;
    match more {
        _ if least > longest => {
            let end = Run { least: longest, more };
            (Synthetic::Bulk { body, lead: 0, end, is_optional: false }, least - longest)
        }
        More::Counted(count) if least <= MOST_LEAD + 1 => {
            let end = Run { least: 1, more: More::UpTo(longest - 1) };
            (Synthetic::Bulk { body, lead: least - 1, end, is_optional: true }, count)
        }
        _ => (Synthetic::Chain(body, run), 0),
    }
}

/// The rule called in tail position by a synthetic one, and the countdown that its call starts with.
fn rest_of(what: Synthetic, longest: u32) -> Option<(Synthetic, u32)> {
    let (body, rest) = match what {
        Synthetic::Body(_) | Synthetic::Chained(_, 1) => return None,
        Synthetic::Chained(letters, most) => {
            return Some((Synthetic::Chained(letters, most - 1), 0));
        }
        Synthetic::Looped(letters) => return Some((Synthetic::Chained(letters, longest), 0)),
        Synthetic::Bulk { body, end, .. } => (body, end),
        Synthetic::Chain(body, Run { least: 1, more }) => match more {
            More::Any | More::UpTo(0) => return None,
            More::UpTo(more) => (body, Run { least: 1, more: More::UpTo(more - 1) }),
            More::Counted(_) => unreachable!("the rule of such a run is a loop"),
        },
        Synthetic::Chain(body, Run { least, more }) => (body, Run { least: least - 1, more }),
    };
    Some(rule_of(body, rest, longest))
}

/// Whether so many copies of a body of this size are written out.
pub(super) fn is_small(copies: u32, size: usize) -> bool {
    copies <= 1 || (copies as usize).saturating_mul(size) <= WRITTEN_OUT
}

/// Removes the empty string from the language: the initial state becomes a copy of itself that does not accept.
fn without_empty(mut dfa: Dfa) -> Dfa {
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
