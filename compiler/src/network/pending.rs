//! Graphs with marks: the marks still to come are a set in a register of the frame.
//!
//! An object with 30 required members in any order has 2^30 sets of members that may be missing. Written out they would
//! be states. But while two marks are missing, what may come next does not depend on which: the object goes on. So the
//! rule of such a graph has two copies of it, one that *waits* and never ends, one that is *done*. The register of an
//! activation begins with all marks; arriving at a marked state clears its bit, and when none is left the activation
//! goes on in the other copy. The rule is linear in the graph whatever the number of marks.
//!
//! ```text
//! waiting:   "a" [clear a] :1 , "b" [clear b] :2 , ...        at the last bit, on to the copy that is done
//! done:      "a"           :1 , "b"           :2 , ... }
//! ```
//!
//! Masks are computed without the register: a token that passes a mark is taken to leave other marks behind. That is
//! right unless a token passes the last mark and goes on to where the copies differ, such as `b":2}`. No vocabulary we
//! know has one; [`differ`] looks, and where there is one the sets are written out as states.
//!
//! A mark must be unmistakable when it is passed, so an expression that leads to a marked state is called as a rule
//! where some string of it is a prefix of another. The sets are written out too where a mark is still one of several
//! ways to read the same bytes, or some state leads to some marks and not to all, or bytes of the rule are no tokens by
//! themselves (so that a state cannot be known to rest whatever is missing).

use std::sync::Arc;

use grammarc_artifacts::sections::network::{CallEdge, NONE, state_flags};
use grammarc_artifacts::tables::Joined;
use rustc_hash::FxHashSet;

use super::build::{Builder, Failure};
use super::lazy_dfa::{BOTTOM, LazyDfa};
use super::repeat::{Spelling, without_unreached};
use super::rule::{Arrival, Counted, Label, Lowered};
use super::{Lexicon, NetworkErrorKind, bytes_on};
use crate::automata::{Dfa, DfaState, Nfa, Symbol};
use crate::ir::facts;
use crate::ir::thompson::build;
use crate::ir::{ByteSet, Expr, ExprGraph};

/// Marks up to which their sets are written out: a register has no fewer states then.
const WRITTEN_OUT: u32 = 2;

/// Symbols of the passing of a mark, two each, far above those of labels: others are left, and none is.
const PASSED: Symbol = 1 << 30;

impl Builder<'_> {
    /// Connects `from` to `to` by the strings of a graph with marks.
    pub(super) fn build_marked(
        &mut self,
        nfa: &mut Nfa,
        graph: &Arc<ExprGraph>,
        from: u32,
        to: u32,
    ) -> Result<(), Failure> {
        let whole = Expr::Graph(Arc::clone(graph));
        if !facts::of_expr(&whole, self.facts).productive {
            return Ok(());
        }
        let marks = graph.marks();
        if marks.count_ones() > WRITTEN_OUT
            && self.spelling == Spelling::Counted
            && self.letters(&whole).all.minus(self.lexicon.single_bytes()).is_empty()
            && self.may_wait(graph)
            && let Some(rule) = self.pending_rule(graph)?
        {
            let symbol = self.labels.symbol(Label::Call { rule, count: marks });
            nfa.edge(from, symbol, symbol, to);
            return Ok(());
        }
        self.writes_sets |= marks.count_ones() > WRITTEN_OUT;
        let limit = self.limits.rule_states;
        let spelled = graph.spelled_out(self.bounds());
        let what = match graph.counters() {
            [] => "sets of what is still to come",
            _ => "counts below bounds",
        };
        let spelled = spelled.map_err(|_| self.limit(what, limit))?;
        let expr = Expr::Graph(Arc::new(spelled.into_owned()));
        if facts::of_expr(&expr, self.facts).productive {
            return build(self, nfa, &expr, from, to);
        }
        match graph.counters() {
            [] => Err(self.fail(NetworkErrorKind::Empty)),
            // Bounds may leave nothing of one of several ways: of a rule there is another, or it is empty.
            _ => Ok(()),
        }
    }

    /// An expression as an automaton without the empty string whose strings end unmistakably.
    pub(super) fn unmistakable(&mut self, expr: &Expr) -> Result<Dfa, Failure> {
        let dfa = self.dfa_of(expr)?;
        if dfa.is_prefix_free() { Ok(dfa) } else { self.body_call(expr) }
    }

    /// Whether every state that leads to some mark leads to all marks, so that the strings of a waiting copy do not
    /// depend on which are missing.
    fn may_wait(&self, graph: &ExprGraph) -> bool {
        let edges: Vec<(usize, usize)> = graph
            .edges()
            .filter(|(_, part, _)| facts::of_expr(part, self.facts).productive)
            .map(|(from, _, to)| (from as usize, to as usize))
            .collect();
        let states = graph.states() as usize;
        let mut own = vec![0; states];
        graph.marked().iter().for_each(|&(state, mark)| own[state as usize] = 1 << mark);
        let (mut begins, mut ends, mut ahead) =
            (vec![false; states], vec![false; states], vec![0u32; states]);
        begins[ExprGraph::START as usize] = true;
        ends[graph.end() as usize] = true;
        while edges.iter().fold(false, |changed, &(from, to)| {
            let before = (begins[to], ends[from], ahead[from]);
            begins[to] |= begins[from];
            ends[from] |= ends[to];
            if ends[to] {
                ahead[from] |= ahead[to] | own[to];
            }
            changed | (before != (begins[to], ends[from], ahead[from]))
        }) {}
        let all = graph.marks();
        (0..states)
            .filter(|&state| begins[state] && ends[state])
            .all(|state| ahead[state] == 0 || ahead[state] == all)
    }

    /// The rule of a graph; none where a mark is not unmistakable.
    fn pending_rule(&mut self, graph: &Arc<ExprGraph>) -> Result<Option<usize>, Failure> {
        if let Some(&rule) = self.pending.get(graph) {
            return Ok(Some(rule));
        }
        let Some((dfa, counted)) = self.pending_automaton(graph)? else { return Ok(None) };
        let rule = self.add_part("", &dfa, Some(counted))?;
        self.pending.insert(graph.clone(), rule);
        Ok(Some(rule))
    }

    fn pending_automaton(&mut self, graph: &ExprGraph) -> Result<Option<(Dfa, Counted)>, Failure> {
        let mut nfa = Nfa::new();
        let (waiting, done) = (nfa.len() as u32, nfa.len() as u32 + graph.states());
        (0..2 * graph.states()).for_each(|_| _ = nfa.state());
        nfa.empty(nfa.start, waiting + ExprGraph::START);
        nfa.empty(done + graph.end(), nfa.end);
        // The state that the edges into each marked state lead to while others are missing.
        let mut passing = vec![None; graph.states() as usize];
        for &(state, mark) in graph.marked() {
            let before = nfa.state();
            let symbol = PASSED + 2 * Symbol::from(mark);
            nfa.edge(before, symbol, symbol, waiting + state);
            nfa.edge(before, symbol + 1, symbol + 1, done + state);
            passing[state as usize] = Some(before);
        }
        for (from, part, to) in graph.edges() {
            build(self, &mut nfa, part, done + from, done + to)?;
            match passing[to as usize] {
                None => build(self, &mut nfa, part, waiting + from, waiting + to)?,
                Some(before) => {
                    let unit = self.unmistakable(part)?;
                    nfa.embed(&unit, waiting + from, before);
                }
            }
        }
        Ok(settle(self.finish(&nfa)?))
    }
}

/// Makes the states in which a mark is passed arrivals: each goes on as the waiting copy does, and in place of that as
/// the copy that is done. `None` where such a state has other ways on.
fn settle(mut dfa: Dfa) -> Option<(Dfa, Counted)> {
    let mut arrivals = Vec::new();
    for state in 0..dfa.states.len() {
        let DfaState { edges, accepting } = &dfa.states[state];
        if edges.last().is_none_or(|edge| edge.hi < PASSED) {
            continue;
        }
        let pair = match edges[..] {
            [both] if both.hi == both.lo + 1 => Some((both.lo, both.target, both.target)),
            [left, none] if (left.lo, none.lo) == (left.hi, none.hi) => {
                (none.lo == left.lo + 1).then_some((left.lo, left.target, none.target))
            }
            _ => None,
        };
        let (symbol, waiting, done) = pair.filter(|_| !accepting)?;
        let bit = symbol.checked_sub(PASSED).filter(|at| at % 2 == 0)? / 2;
        arrivals.push((state as u32, waiting, done, u8::try_from(bit).ok()?));
    }
    for &(state, waiting, ..) in &arrivals {
        dfa.states[state as usize] = dfa.states[waiting as usize].clone();
    }
    let roots: Vec<u32> = arrivals.iter().map(|arrival| arrival.2).collect();
    let (states, numbers) = without_unreached(dfa.states, &roots);
    let at = |state: u32| numbers[state as usize];
    let arrivals = arrivals.into_iter().map(|(state, _, done, bit)| Arrival {
        state: at(state),
        exit: at(done),
        lowered: Lowered::Without(bit),
    });
    Some((Dfa { states }, Counted::new(arrivals.collect(), false)))
}

/// Whether some token tells the copies of a rule apart after it has passed a mark, so that its masks would need to know
/// the register.
///
/// Cost: O(states and edges), and a walk of the ends of those tokens that could.
pub(super) fn differ(network: Joined<'_>, lexicon: &dyn Lexicon) -> bool {
    let own = network.own;
    let states = (own.bases.states..).zip(own.states);
    let heads: Vec<(u32, u32)> = states
        .filter(|(_, record)| record.flags & state_flags::CLEARS != 0)
        .map(|(state, record)| (state, record.count_exit))
        .collect();
    if heads.is_empty() {
        return false;
    }
    let Some((first, telling)) = telling_bytes(network, &heads) else { return true };
    let mut sets = LazyDfa::new(network);
    lexicon.tails(first, telling).iter().any(|tail| {
        heads.iter().any(|&(waiting, done)| tells_apart(&mut sets, waiting, done, tail))
    })
}

/// The bytes with which done copies go on behind marks, and those that they take somewhere where the waiting copies do
/// not. `None` where a copy may end right behind a mark.
fn telling_bytes(network: Joined<'_>, heads: &[(u32, u32)]) -> Option<(ByteSet, ByteSet)> {
    let ways = |state: u32| {
        let (tables, index) = network.locate(state);
        (tables.byte_edges_of(index), tables.call_edges_of(index))
    };
    let firsts = |call: &CallEdge| ByteSet::from_words(network.rule(call.callee).first_bytes);
    let is_final = |state: u32| network.state(state).flags & state_flags::FINAL != 0;
    let (mut first, mut telling) = (ByteSet::EMPTY, ByteSet::EMPTY);
    for &(_, done) in heads {
        if is_final(done) {
            return None;
        }
        let (edges, calls) = ways(done);
        first = first.union(bytes_on(edges));
        first = calls.iter().fold(first, |set, call| set.union(firsts(call)));
    }
    let mut seen: FxHashSet<(u32, u32)> = heads.iter().copied().collect();
    let mut open = heads.to_vec();
    while let Some((waiting, done)) = open.pop() {
        if is_final(done) && !is_final(waiting) {
            return Some((first, ByteSet::FULL));
        }
        let (waits, waiting_calls) = ways(waiting);
        let (goes, done_calls) = ways(done);
        for edge in goes {
            let mut missing = ByteSet::range(edge.lo(), edge.hi());
            for other in waits {
                let (lo, hi) = (edge.lo().max(other.lo()), edge.hi().min(other.hi()));
                if lo <= hi {
                    missing = missing.minus(ByteSet::range(lo, hi));
                    open.extend(
                        Some((other.target, edge.target)).filter(|&pair| seen.insert(pair)),
                    );
                }
            }
            telling = telling.union(missing);
        }
        for call in done_calls {
            let same = |other: &&CallEdge| (other.callee, other.count) == (call.callee, call.count);
            match waiting_calls.iter().find(same) {
                Some(other) if other.ret != NONE && call.ret != NONE => {
                    let pair = (other.ret, call.ret);
                    open.extend(Some(pair).filter(|&pair| seen.insert(pair)));
                }
                Some(_) => return Some((first, ByteSet::FULL)),
                None => telling = telling.union(firsts(call)),
            }
        }
    }
    Some((first, telling))
}

/// Whether a string is allowed behind a mark in the copy that is done and not in the one that waits.
fn tells_apart(sets: &mut LazyDfa<'_>, waiting: u32, done: u32, string: &[u8]) -> bool {
    let mut at = [waiting, done].map(|state| sets.settled(state, BOTTOM).at);
    for &byte in string {
        let [waits, goes] = at.map(|at| sets.step(at, byte));
        if goes.is_dead() {
            return false;
        }
        if waits.is_dead() || waits.exits != goes.exits {
            return true;
        }
        at = [waits.at, goes.at];
    }
    false
}
