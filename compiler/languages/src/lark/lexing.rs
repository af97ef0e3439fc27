//! Builds the lexer of a unit as an automaton over bytes. A unit is a rule with its callees inlined.
//!
//! llguidance's lexer runs all allowed terminals at once and continues as long as one of them can. It then takes all
//! terminals that match the whole text. A lazy terminal is taken as soon as it matches. So a terminal ends only if no
//! neighbour continues: `/a+/ "ab"` accepts nothing, and a keyword that is also a name matches both.
//!
//! The lexer is deterministic. A state is a [subset](super::subsets) of the unit, with the automaton states of the
//! terminals allowed there. If a text ends although some bytes would continue it, the next lexeme must not begin with
//! these bytes. Ignored text takes precedence over a terminal with the same match. Most terminals share no first byte
//! with a neighbour, and no continuing byte with a successor. Such a terminal stays a single edge, counted repetitions
//! included.
//!
//! Nested units are called and not inlined, so terminals on both sides of their border are independent. If one can end
//! where the other continues, the grammar allows both readings, which is more than llguidance allows. A warning names
//! the place.

use std::collections::BTreeSet;
use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::codes;
use super::follow::Facts;
use super::lexicon::{Lexicon, Terminal, TerminalId};
use super::rules::Rules;
use super::subsets::{SubsetId, Subsets};
use super::units::{Letter, Unit};
use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::{ByteSet, Expr, ExprGraph, GrammarBuilder, Origin, RuleId};

/// Size, in nodes of its expression, of the largest terminal that is copied into its uses. A larger terminal becomes a
/// rule that is called.
const MAX_COPIED: usize = 8;

/// Most characters of a terminal's source text in the name of its rule. Longer texts are cut off.
const MAX_NAME: usize = 24;

/// Most warnings about lexing for one source. Further ones are dropped.
const MAX_WARNINGS: usize = 8;

/// The terminals that are being matched, each with the current state of its automaton.
type Running = Vec<(TerminalId, u32)>;

/// A state of the lexer, the automaton over bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum LexerState {
    /// The lexer is between two lexemes. The next lexeme may not begin with one of the bytes.
    Between(SubsetId, ByteSet),
    /// The lexer is within a lexeme: one of the given terminals, each with the state of its automaton.
    Within(SubsetId, Running),
}

/// A rule of the IR that is declared for a unit (a rule with its callees inlined) and not yet defined.
pub(super) struct Pending {
    pub(super) unit: u32,
    /// Whether the text ends with the unit (a rule with its callees inlined). Then no ignored text may follow its last
    /// lexeme.
    pub(super) is_last: bool,
    pub(super) rule: RuleId,
}

/// State shared by the lexers of all units (rules with their callees inlined): the terminals, the rules made so far,
/// and the warnings.
pub(super) struct Lexing<'r> {
    lexicon: &'r Lexicon,
    facts: &'r Facts,
    ignored: &'r [TerminalId],
    budget: &'r Budget,
    pub(super) warnings: Vec<Diagnostic>,
    /// For each unit (a rule with its callees inlined), the name of its rule.
    names: Vec<&'r str>,
    pub(super) builder: GrammarBuilder,
    /// Maps a unit (a rule with its callees inlined), and whether the text ends with it, to the unit's rule.
    rules: FxHashMap<(u32, bool), RuleId>,
    /// Maps a pair of terminals, the smaller index first, to whether one can end where the other continues.
    clashes: FxHashMap<(TerminalId, TerminalId), bool>,
    /// Maps each large terminal to its rule.
    terminals: FxHashMap<TerminalId, RuleId>,
    /// The text of the Lark source.
    text: &'r str,
    pub(super) open: Vec<Pending>,
}

impl<'r> Lexing<'r> {
    /// Returns the shared state of all units' lexers, without any rules yet. `names` has the name of each unit (a rule
    /// with its callees inlined).
    pub(super) fn new(
        rules: &'r Rules<'_>,
        facts: &'r Facts,
        names: Vec<&'r str>,
        builder: GrammarBuilder,
        text: &'r str,
        budget: &'r Budget,
    ) -> Self {
        Self {
            lexicon: &rules.lexicon,
            facts,
            ignored: &rules.ignored,
            budget,
            warnings: Vec::new(),
            names,
            builder,
            rules: FxHashMap::default(),
            clashes: FxHashMap::default(),
            terminals: FxHashMap::default(),
            text,
            open: Vec::new(),
        }
    }

    /// Returns the rule of a unit (a rule with its callees inlined), and declares it if it is new. With `is_last` the
    /// text ends with the unit, and no ignored text follows its last lexeme.
    pub(super) fn rule(&mut self, unit: u32, is_last: bool) -> RuleId {
        let key = (unit, is_last && !self.ignored.is_empty());
        if let Some(&known) = self.rules.get(&key) {
            return known;
        }
        let rule = self.builder.declare(self.names[unit as usize]);
        self.rules.insert(key, rule);
        self.open.push(Pending { unit: key.0, is_last: key.1, rule });
        rule
    }

    /// Returns the lexer of a unit (a rule with its callees inlined) as an expression. `number` is the unit's index;
    /// with `is_last`, the text ends with the unit.
    pub(super) fn unit(&mut self, unit: &'r Unit, number: u32, is_last: bool) -> Expr {
        // If a called unit and a terminal share a first byte, the lexer does not know which of the two it is in. Then
        // ignored text is allowed at the end of the unit.
        let (expr, overlaps) = self.unit_with(unit, number, is_last);
        match overlaps && is_last {
            true => self.unit_with(unit, number, false).0,
            false => expr,
        }
    }

    /// Returns the lexer of a unit (a rule with its callees inlined) as an expression, and whether a called unit shares
    /// a first byte with a neighbouring letter (a terminal, a called unit or another expression).
    fn unit_with(&mut self, unit: &'r Unit, number: u32, is_last: bool) -> (Expr, bool) {
        let mut graph = ExprGraph::new();
        let end = graph.end();
        let mut work = UnitLexer {
            subsets: Subsets::new(unit, self.facts, self.lexicon, self.ignored, !is_last),
            is_last,
            follow: self.facts.follow[number as usize],
            known: FxHashMap::default(),
            open: Vec::new(),
            graph: &mut graph,
            lexing: self,
            overlaps: false,
        };
        let first = LexerState::Between(0, ByteSet::EMPTY);
        work.known.insert(first.clone(), ExprGraph::START);
        work.open.push((first, ExprGraph::START));
        while let Some((place, at)) = work.open.pop() {
            if work.lexing.budget.spend(1 << 5).is_err() {
                break;
            }
            match place {
                LexerState::Between(subset, but) => work.between(subset, but, at, end),
                LexerState::Within(subset, within) => work.within(subset, &within, at),
            }
        }
        let overlaps = work.overlaps;
        (Expr::Graph(Arc::new(graph)), overlaps)
    }

    fn expr(&mut self, letter: Letter, is_last: bool) -> Expr {
        match letter {
            Letter::Terminal(id) => self.terminal(id),
            Letter::Opaque(at) => self.lexicon.opaque[at as usize].expr.clone(),
            Letter::Unit { unit, min, max } => {
                Expr::Call(self.rule(unit, is_last && max == Some(1))).repeat(min, max)
            }
        }
    }

    /// Returns the expression of a terminal. A large terminal becomes a rule that its uses call, so that it exists
    /// once.
    fn terminal(&mut self, id: TerminalId) -> Expr {
        let terminal = &self.lexicon.terminals[id as usize];
        if terminal.expr.size() <= MAX_COPIED {
            return terminal.expr.clone();
        }
        let rule = *self.terminals.entry(id).or_insert_with(|| {
            let name: String = self.text[terminal.span.clone()].chars().take(MAX_NAME).collect();
            let rule = self.builder.declare(name);
            let origin = Origin { span: Some(terminal.span.clone()), pointer: None };
            self.builder.define(rule, terminal.expr.clone(), origin);
            rule
        });
        Expr::Call(rule)
    }

    /// Warns that llguidance may end a terminal at another place, before one of `bytes`.
    fn warn(&mut self, terminal: &Terminal, bytes: ByteSet) {
        let byte = bytes.iter().next().unwrap_or_default().escape_ascii();
        let text = format!(
            "llguidance may end this elsewhere, at a byte such as `{byte}`: both readings are allowed here"
        );
        self.found(
            Diagnostic::warning(codes::LEXING, text)
                .with_label(
                    terminal.span.clone(),
                    "llguidance takes the longest text that is allowed",
                )
                .with_help(
                    "let what follows begin otherwise, or let this end with a character of its own",
                ),
        );
    }
}

impl Lexing<'_> {
    /// Adds a warning. Drops it if its place has one with the same code, or there are 8 warnings already.
    fn found(&mut self, warning: Diagnostic) {
        let is_known = |known: &Diagnostic| {
            known.code == warning.code && known.labels[0].span == warning.labels[0].span
        };
        if self.warnings.len() < MAX_WARNINGS && !self.warnings.iter().any(is_known) {
            self.warnings.push(warning);
        }
    }
}

struct UnitLexer<'w, 'r> {
    lexing: &'w mut Lexing<'r>,
    subsets: Subsets<'r>,
    /// Whether the text ends with the unit (a rule with its callees inlined), so that no ignored text follows its last
    /// lexeme.
    is_last: bool,
    /// The FOLLOW set of the unit (a rule with its callees inlined): bytes that may come after it in its callers.
    follow: ByteSet,
    known: FxHashMap<LexerState, u32>,
    open: Vec<(LexerState, u32)>,
    graph: &'w mut ExprGraph,
    /// Whether a called unit (a rule with its callees inlined) shares a first byte with a neighbouring letter (a
    /// terminal, a called unit or another expression).
    overlaps: bool,
}

impl<'r> UnitLexer<'_, 'r> {
    fn terminal(&self, id: TerminalId) -> &'r Terminal {
        &self.lexing.lexicon.terminals[id as usize]
    }

    fn state(&mut self, place: LexerState) -> u32 {
        if let Some(&known) = self.known.get(&place) {
            return known;
        }
        let state = self.graph.state();
        self.known.insert(place.clone(), state);
        self.open.push((place, state));
        state
    }

    /// Returns the state between two lexemes after the given terminals, which match the same text.
    fn behind(&mut self, subset: SubsetId, terminals: &[TerminalId]) -> u32 {
        let to = self.subsets.go(subset, terminals);
        self.state(LexerState::Between(to, ByteSet::EMPTY))
    }

    /// Whether a terminal can be one edge of the graph, without other terminals run beside it. Then it shares no first
    /// byte with a neighbour, and no successor begins with a byte that continues it. A terminal without an automaton
    /// always can.
    fn is_alone(&mut self, subset: SubsetId, id: TerminalId, shared: ByteSet) -> bool {
        let terminal = self.terminal(id);
        if terminal.dfa.is_none() {
            return true;
        }
        let to = self.subsets.go(subset, &[id]);
        terminal.first.intersect(shared).is_empty()
            && terminal.after.intersect(self.subsets.get(to).first).is_empty()
    }

    /// Warns if a byte of `after`, which continues the terminal, can also begin what follows the terminal. Bytes of
    /// `is_known` are exempt.
    fn check(&mut self, id: TerminalId, after: ByteSet, to: SubsetId, is_known: ByteSet) {
        let subset = self.subsets.get(to);
        let mut next = subset.first.minus(is_known);
        if subset.is_final {
            next = next.union(self.follow);
        }
        let meet = after.intersect(next);
        if !meet.is_empty() {
            self.lexing.warn(self.terminal(id), meet);
        }
    }

    fn between(&mut self, subset: SubsetId, but: ByteSet, at: u32, end: u32) {
        let here = self.subsets.get(subset);
        if here.is_final {
            self.graph.edge(at, Expr::Empty, end);
        }
        let (terminals, others, first) = (here.terminals.clone(), here.others.clone(), here.first);
        self.nothing(subset, &terminals, but.union(first), at);
        let (mut any, mut shared) = (ByteSet::EMPTY, ByteSet::EMPTY);
        for &id in &terminals {
            let first = self.terminal(id).first;
            shared = shared.union(any.intersect(first));
            any = any.union(first);
        }
        let (mut called, mut before) = (ByteSet::EMPTY, Vec::new());
        for (letter, targets) in others {
            let first = self.lexing.facts.first_of_letter(letter, self.lexing.lexicon);
            // A token has no first byte.
            if !first.is_empty() && first.minus(but).is_empty() {
                continue;
            }
            let overlaps = called.union(any).intersect(first);
            called = called.union(first);
            if !overlaps.is_empty() {
                self.overlaps = true;
                self.clashes(letter, overlaps, &terminals, &before);
            }
            before.push(letter);
            let to = self.subsets.of(targets);
            let behind = self.subsets.get(to);
            let ends = behind.terminals.is_empty() && behind.others.is_empty();
            let expr = self.lexing.expr(letter, self.is_last && ends);
            let to = self.state(LexerState::Between(to, ByteSet::EMPTY));
            self.graph.edge(at, expr, to);
        }
        let mut together = Running::new();
        for id in terminals {
            let terminal = self.terminal(id);
            let is_alone = self.is_alone(subset, id, shared);
            let free = terminal.first.minus(but);
            if !is_alone || terminal.dfa.is_some() && free != terminal.first {
                together.push((id, 0));
            } else if !free.is_empty() {
                let to = self.subsets.go(subset, &[id]);
                self.check(id, terminal.after, to, ByteSet::EMPTY);
                let to = self.state(LexerState::Between(to, ByteSet::EMPTY));
                let expr = self.lexing.terminal(id);
                self.graph.edge(at, expr, to);
            }
        }
        self.moves(subset, &together, but, at);
    }

    /// Warns of terminals that clash with a terminal that a called unit (a rule with its callees inlined) begins with:
    /// one can end where the other continues. Compared are the neighbours of the call, and the first terminals of the
    /// units in `before`.
    fn clashes(
        &mut self,
        letter: Letter,
        overlaps: ByteSet,
        terminals: &[TerminalId],
        before: &[Letter],
    ) {
        let (facts, lexicon) = (self.lexing.facts, self.lexing.lexicon);
        let (begins, bytes) = facts.begins_of_letter(letter, lexicon);
        let mut beside: BTreeSet<TerminalId> = terminals.iter().copied().collect();
        for &letter in before {
            beside.extend(facts.begins_of_letter(letter, lexicon).0);
        }
        for id in beside {
            let _ = self.lexing.budget.spend(begins.len());
            let clash = |other: &TerminalId| {
                let key = (id.min(*other), id.max(*other));
                *self.lexing.clashes.entry(key).or_insert_with(|| lexicon.clash(key.0, key.1))
            };
            let terminal = &lexicon.terminals[id as usize];
            if begins.iter().any(clash) || !terminal.first.intersect(bytes).is_empty() {
                self.lexing.warn(terminal, overlaps);
            }
        }
    }

    /// Adds an epsilon transition past terminals that match the empty string, if ignored text follows. Only first bytes
    /// of the ignored text, without those of `but`, are allowed next.
    fn nothing(&mut self, subset: SubsetId, terminals: &[TerminalId], but: ByteSet, at: u32) {
        let nullable: Vec<TerminalId> =
            terminals.iter().copied().filter(|id| self.terminal(*id).nullable).collect();
        if nullable.is_empty() || self.lexing.ignored.is_empty() {
            return;
        }
        let to = self.subsets.go(subset, &nullable);
        let first = self.subsets.get(to).first;
        if !first.minus(but).is_empty() {
            let to = self.state(LexerState::Between(to, but.intersect(first)));
            self.graph.edge(at, Expr::Empty, to);
        }
    }

    fn within(&mut self, subset: SubsetId, within: &Running, at: u32) {
        let alive = self.moves(subset, within, ByteSet::EMPTY, at);
        let ends = self.accepting(within);
        let Some(&first) = ends.first() else { return };
        let to = self.subsets.go(subset, &ends);
        // Terminals that come next cannot continue the match, because their first bytes are excluded; called units
        // still can.
        let terminals = self.subsets.get(to).terminals.iter();
        let known = terminals.fold(ByteSet::EMPTY, |all, id| all.union(self.terminal(*id).first));
        self.check(first, alive, to, known);
        let but = alive.intersect(self.subsets.get(to).first);
        self.overrun(within, first, but);
        let to = self.state(LexerState::Between(to, but));
        self.graph.edge(at, Expr::Empty, to);
    }

    /// Warns if a terminal has ended and the bytes of `refused` cannot begin the next one, because another terminal
    /// continues with them. In `"list" "ed"` beside a terminal `"listen"`, no `e` can follow `list`. With `%ignore`
    /// there is no warning: ignored text may separate the two.
    fn overrun(&mut self, within: &Running, ended: TerminalId, refused: ByteSet) {
        if refused.is_empty() || !self.lexing.ignored.is_empty() {
            return;
        }
        let edges = |&(id, state): &(TerminalId, u32)| {
            let dfa = self.terminal(id).dfa.as_ref();
            dfa.is_some_and(|dfa| !dfa.states[state as usize].edges.is_empty())
        };
        let ends_here = within.iter().any(|one| one.0 == ended && !edges(one));
        let Some(&(other, _)) = within.iter().find(|one| edges(one)).filter(|_| ends_here) else {
            return;
        };
        let byte = refused.iter().next().unwrap_or_default().escape_ascii();
        let (ended, other) = (&self.terminal(ended).span, &self.terminal(other).span);
        let text = format!(
            "behind this nothing can begin with a byte such as `{byte}`: the lexer goes on with a longer terminal there"
        );
        self.lexing.found(
            Diagnostic::warning(codes::OVERRUN, text)
                .with_label(ended.clone(), "ends here")
                .with_label(other.clone(), "goes on with that byte")
                .with_help("write what follows into the terminals, or let it begin otherwise"),
        );
    }

    /// Returns the terminals whose automata are in an accepting state after at least one byte.
    fn accepting(&self, within: &Running) -> Vec<TerminalId> {
        let accepts = |&&(id, state): &&(TerminalId, u32)| {
            let dfa = self.terminal(id).dfa.as_ref();
            state != 0 && dfa.is_some_and(|dfa| dfa.states[state as usize].accepting)
        };
        within.iter().filter(accepts).map(|&(id, _)| id).collect()
    }

    /// Adds the edges of the running terminals to state `at` of the graph, without the bytes of `but`. Returns the
    /// bytes on which edges were added.
    fn moves(&mut self, subset: SubsetId, within: &Running, but: ByteSet, at: u32) -> ByteSet {
        let mut bounds: Vec<u32> = Vec::new();
        for &(id, state) in within {
            if let Some(dfa) = &self.terminal(id).dfa {
                let edges = dfa.states[state as usize].edges.iter();
                bounds.extend(edges.flat_map(|edge| [edge.lo, edge.hi + 1]));
            }
        }
        bounds.sort_unstable();
        bounds.dedup();
        let _ = self.lexing.budget.spend(bounds.len() * within.len());
        let mut next: IndexMap<Running, ByteSet, FxBuildHasher> = IndexMap::default();
        for pair in bounds.windows(2) {
            let step = |&(id, state): &(TerminalId, u32)| {
                let dfa = self.terminal(id).dfa.as_ref()?;
                Some((id, dfa.next(state, pair[0])?))
            };
            let to: Running = within.iter().filter_map(step).collect();
            let bytes = ByteSet::range(pair[0] as u8, (pair[1] - 1) as u8).minus(but);
            if !to.is_empty() && !bytes.is_empty() {
                let all = next.entry(to).or_default();
                *all = all.union(bytes);
            }
        }
        let mut alive = ByteSet::EMPTY;
        for (to, bytes) in next {
            alive = alive.union(bytes);
            let to = self.target(subset, to);
            self.graph.edge(at, Expr::bytes(bytes), to);
        }
        alive
    }

    /// Returns the lexer state for running terminals. If a lazy terminal matches or none can continue, the lexeme has
    /// ended.
    fn target(&mut self, subset: SubsetId, within: Running) -> u32 {
        let ends = self.accepting(&within);
        let lazy: Vec<TerminalId> =
            ends.iter().copied().filter(|id| self.terminal(*id).lazy).collect();
        if !lazy.is_empty() {
            return self.behind(subset, &lazy);
        }
        let goes_on = |&(id, state): &(TerminalId, u32)| {
            let dfa = self.terminal(id).dfa.as_ref();
            dfa.is_some_and(|dfa| !dfa.states[state as usize].edges.is_empty())
        };
        match within.iter().any(goes_on) {
            true => self.state(LexerState::Within(subset, within)),
            false => self.behind(subset, &ends),
        }
    }
}
