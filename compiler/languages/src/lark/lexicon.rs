//! The letters of a unit's alphabet: terminals with their automata, and opaque expressions.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use grammarc_grammar::automata::{Dfa, DfaState, StateBudget};
use grammarc_grammar::budget::Budget;
use grammarc_grammar::ir::facts;
use grammarc_grammar::ir::facts::{Alphabet, Facts};
use grammarc_grammar::ir::pass::automaton;
use grammarc_grammar::ir::{ByteSet, Expr};

/// Most states of a terminal's automaton. A larger terminal has no automaton, and is distinguished from its neighbours
/// by its first bytes alone.
const MAX_STATES: usize = 50_000;

/// Most pairs of states visited to find out whether two terminals clash. Beyond that they are assumed to clash, which
/// costs at most an unnecessary warning.
const MAX_PAIRS: usize = 1 << 12;

/// Index of a terminal in the lexicon.
pub(super) type TerminalId = u32;

/// A terminal of the lexer. The empty string is removed from its language and noted in `nullable`.
#[derive(Debug)]
pub(super) struct Terminal {
    /// The expression that the terminal matches, without the empty string.
    pub(super) expr: Expr,
    /// The automaton of the terminal. `None` if it would exceed 50,000 states.
    pub(super) dfa: Option<Arc<Dfa>>,
    /// Whether the empty string also matched the terminal before it was removed.
    pub(super) nullable: bool,
    /// Whether the terminal ends at its shortest match, and not at the longest.
    pub(super) lazy: bool,
    /// The first bytes of the terminal's strings.
    pub(super) first: ByteSet,
    /// Bytes that can follow a complete match within a longer match of the terminal. Without an automaton, all bytes of
    /// the terminal.
    pub(super) after: ByteSet,
    /// The place of the terminal's first use in the source, in bytes.
    pub(super) span: Range<usize>,
}

/// An expression that the lexer does not split into lexemes: a token, a JSON Schema or a nested grammar.
#[derive(Debug)]
pub(super) struct Opaque {
    /// The expression of the language: a token, or a call of the inner source's start rule.
    pub(super) expr: Expr,
    /// The first bytes of the expression's strings. Empty for a token, which is no text.
    pub(super) first: ByteSet,
    /// Whether the expression accepts the empty string.
    pub(super) nullable: bool,
}

/// How a terminal is used. An expression with two uses becomes two terminals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Use {
    /// The terminal takes the longest allowed match.
    Greedy,
    /// The terminal ends at its shortest match, because its rule is lazy.
    Lazy,
    /// The terminal matches ignored text, between lexemes.
    Ignored,
}

/// The letters of a grammar: all terminals and opaque expressions (tokens, schemas, nested grammars). Each terminal
/// occurs once.
#[derive(Debug, Default)]
pub(super) struct Lexicon {
    pub(super) terminals: Vec<Terminal>,
    pub(super) opaque: Vec<Opaque>,
    known: FxHashMap<(Expr, Use), (Option<TerminalId>, bool)>,
}

impl Lexicon {
    /// Adds a terminal unless the lexicon has it. Returns its index, and whether the empty string matches it. There is
    /// no index if it matches no other string.
    pub(super) fn terminal(
        &mut self,
        expr: Expr,
        how: Use,
        span: &Range<usize>,
        budget: &Budget,
    ) -> (Option<TerminalId>, bool) {
        let (key, lazy) = ((expr, how), how == Use::Lazy);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let next = self.terminals.len() as TerminalId;
        let (terminal, nullable) = terminal(key.0.clone(), lazy, span.clone(), budget);
        // A lazy terminal that matches the empty string matches nothing longer.
        let is_empty = matches!(terminal.expr, Expr::Never) || lazy && nullable;
        let id = (!is_empty).then_some(next);
        if !is_empty {
            self.terminals.push(terminal);
        }
        self.known.insert(key, (id, nullable));
        (id, nullable)
    }

    /// Whether one of two terminals can end at a place where the other continues. Then the two together match otherwise
    /// than each alone. Terminals without automata clash if they share a first byte.
    pub(super) fn clash(&self, one: TerminalId, other: TerminalId) -> bool {
        let (one, other) = (&self.terminals[one as usize], &self.terminals[other as usize]);
        let (Some(a), Some(b)) = (&one.dfa, &other.dfa) else {
            return !one.first.intersect(other.first).is_empty();
        };
        let mut known = FxHashSet::from_iter([(0, 0)]);
        let mut open = vec![(0, 0)];
        while let Some((p, q)) = open.pop() {
            for edge in &a.states[p as usize].edges {
                let beside = b.states[q as usize].edges.iter();
                let beside = beside.filter(|other| other.lo <= edge.hi && edge.lo <= other.hi);
                for (to, beside) in beside.map(|beside| (edge.target, beside.target)) {
                    let (x, y) = (&a.states[to as usize], &b.states[beside as usize]);
                    if x.accepting && !y.edges.is_empty() || y.accepting && !x.edges.is_empty() {
                        return true;
                    }
                    if known.insert((to, beside)) {
                        open.push((to, beside));
                    }
                }
            }
            if known.len() > MAX_PAIRS {
                return true;
            }
        }
        false
    }

    /// Adds an opaque expression (a token, a schema or a nested grammar), and returns its index.
    pub(super) fn opaque(&mut self, opaque: Opaque) -> u32 {
        self.opaque.push(opaque);
        (self.opaque.len() - 1) as u32
    }
}

fn terminal(expr: Expr, lazy: bool, span: Range<usize>, budget: &Budget) -> (Terminal, bool) {
    let allowed = StateBudget::new(MAX_STATES, budget);
    let dfa = if unrolled_size(&expr) > 16 * MAX_STATES as u64 {
        None
    } else {
        automaton(&expr, allowed).ok()
    };
    let Some(dfa) = dfa else {
        let known: Facts<Alphabet> = facts::of_expr(&expr, &[]);
        let Alphabet { first, all } = known.bytes;
        let nullable = known.nullable;
        return (Terminal { expr, dfa: None, nullable, lazy, first, after: all, span }, nullable);
    };
    let nullable = dfa.states[0].accepting;
    let dfa = if lazy { dfa.shortest() } else { dfa };
    let dfa = if nullable { not_empty(&dfa) } else { dfa };
    // A terminal that was not changed keeps its expression. A changed one is rebuilt from its automaton.
    let expr = match lazy || nullable {
        _ if dfa.is_never() => Expr::Never,
        true => Expr::Regular(Arc::new(dfa.clone())),
        false => expr,
    };
    let bytes = |state: &DfaState| {
        let sets = state.edges.iter().map(|edge| ByteSet::range(edge.lo as u8, edge.hi as u8));
        sets.fold(ByteSet::EMPTY, ByteSet::union)
    };
    let first = bytes(&dfa.states[0]);
    let ends = dfa.states.iter().filter(|state| state.accepting);
    let after = ends.map(bytes).fold(ByteSet::EMPTY, ByteSet::union);
    let dfa = Some(Arc::new(dfa));
    (Terminal { expr, dfa, nullable, lazy, first, after, span }, nullable)
}

/// Estimates the states of an expression's automaton in which repetitions are unrolled.
fn unrolled_size(expr: &Expr) -> u64 {
    let parts = expr.children().iter().map(unrolled_size).fold(0, u64::saturating_add);
    match expr {
        Expr::Repeat { min, max, .. } => {
            parts.saturating_mul(u64::from(max.unwrap_or(*min).max(1)))
        }
        Expr::Literal(bytes) => bytes.len() as u64,
        Expr::Regular(dfa) => dfa.states.len() as u64,
        _ => parts.saturating_add(1),
    }
}

/// Removes the empty string from the language of an automaton.
fn not_empty(dfa: &Dfa) -> Dfa {
    let mut states = Vec::with_capacity(dfa.states.len() + 1);
    states.push(DfaState { accepting: false, ..dfa.states[0].clone() });
    states.extend_from_slice(&dfa.states);
    for edge in states.iter_mut().flat_map(|state| &mut state.edges) {
        edge.target += 1;
    }
    Dfa { states }.trimmed()
}
