//! One automaton a rule.
//!
//! Rules are built in the order in which calls of them are met, from the roots on, so that the result does not depend
//! on how the source numbers its rules, and rules that nothing calls are left out.

use std::sync::Arc;

use grammarc_artifacts::tables::Tables;
use rustc_hash::FxHashMap;

use super::catalogue::{self, Catalogues, Refused};
use super::expressions::{self, Digest, Expressions};
use super::merge::RuleHash;
use super::repeat::{Bodies, Spelling, Synthetic, finished};
use super::rule::{Label, Labels, NetworkRule};
use super::{
    Lexicon, NetworkError, NetworkErrorKind, NetworkLimits, Roots, error_at, inline, token_sets,
};
use crate::automata::{Allowance, Nfa, StateLimit, Symbol, Table, minimal_table};
use crate::budget::Held;
use crate::ir::facts::{self, Alphabet, Facts, Lettered};
use crate::ir::thompson::{Atoms, Closed, Repetition, build as thompson, spell_texts};
use crate::ir::{
    ByteSet, Expr, ExprGraph, Grammar, Origin, Rule, RuleId, RuleKind, Survey, Texts, TokenSet,
};
use crate::threads::Means;

/// Rules and labels, before normal form.
#[derive(Clone, Debug)]
pub struct Built {
    /// The rules.
    pub rules: Vec<NetworkRule>,
    /// The labels on their edges.
    pub labels: Labels,
    /// The rules to start from.
    pub roots: Vec<usize>,
    /// Texts of rules for the vocabulary to name, and the rules' numbers; none where rules are built for a grammar.
    pub(super) sources: Vec<(Digest, usize)>,
}

impl Built {
    /// Whether one of these rules of the vocabulary was taken without building it.
    pub(super) fn takes(&self, shared: &[u32]) -> bool {
        let stored = self.rules.iter().filter_map(|rule| rule.stored);
        stored.into_iter().any(|(_, rule)| shared.contains(&rule))
    }
}

/// States of a rule's automaton, besides as many as the nondeterministic one has, up to which what is written into it is
/// not said to multiply.
const ROOM: usize = 1_024;

/// States of nondeterministic automata that are made deterministic at once, which is all that they take of memory; and as
/// many as are worth a second thread.
const AT_ONCE: usize = 1 << 16;
const WORTH_A_THREAD: usize = 1 << 10;

/// An IR rule whose automaton is not deterministic yet.
struct Unfinished {
    rule: RuleId,
    nfa: Nfa,
    /// States that the automaton may have.
    limit: usize,
    /// Rules that are written into it and might multiply in it.
    large: Vec<RuleId>,
}

/// Rules that may be taken without building them.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    /// The vocabulary's rules.
    pub(super) shared: Tables<'a>,
    /// Their expressions.
    pub(super) expressions: &'a Expressions,
    /// Shared rules that cannot stand for this grammar's.
    pub(super) refused: &'a [u32],
}

impl Known<'_> {
    /// Content hash and number of one of them, unless it is refused.
    fn stored(&self, rule: u32) -> Option<(RuleHash, u32)> {
        let is_taken = !self.refused.contains(&rule);
        is_taken.then(|| (self.shared.rules[rule as usize].hash, rule))
    }
}

/// The parts of a grammar to build, and how.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) roots: Roots,
    pub(super) spelling: Spelling,
    /// The vocabulary's rules, where rules are to be taken from there without building them.
    pub(super) known: Option<Known<'a>>,
    pub(super) limits: NetworkLimits,
}

/// An error raised deep in the construction.
pub(super) type Failure = Box<NetworkError>;

pub(super) struct Builder<'a> {
    pub(super) grammar: &'a Grammar,
    survey: &'a Survey,
    pub(super) facts: &'a [Facts],
    lettered: Lettered,
    pub(super) lexicon: &'a dyn Lexicon,
    pub(super) spelling: Spelling,
    /// The vocabulary's rules, where rules are to be taken from there without building them.
    known: Option<Known<'a>>,
    pub(super) limits: NetworkLimits,
    means: Means<'a>,
    /// The automaton under construction.
    open: Held<'a>,
    /// Automata that are finished, and those that wait for it.
    built: Held<'a>,
    pub(super) labels: Labels,
    pub(super) synthetic: FxHashMap<Synthetic, usize>,
    pub(super) bodies: Bodies,
    /// Rules of graphs with marks.
    pub(super) pending: FxHashMap<Arc<ExprGraph>, usize>,
    /// Rules of graphs with counters, and the registers that their activations begin with; none where the graph is written
    /// out.
    pub(super) counted: FxHashMap<Arc<ExprGraph>, Option<(usize, u32)>>,
    /// By the structure of graphs with counters, the most ticks of each counter that a token makes; nothing where a walk did not tell.
    pub(super) token_ticks: FxHashMap<[u8; 32], Vec<u32>>,
    /// Rules of sets of many texts: catalogues, or where there can be none, the texts spelled out.
    of_texts: FxHashMap<Arc<Texts>, usize>,
    packed: &'a mut Catalogues,
    /// Whether sets of texts may be catalogues.
    may_pack: bool,
    /// Whether the rules are a grammar's. A vocabulary's have no graded masks, and none of a set of texts.
    pub(super) of_grammar: bool,
    /// Sets of marks are written out as states somewhere, although they are many.
    pub(super) writes_sets: bool,
    inlined: Vec<bool>,
    /// Rules that the rule under construction had written into it by calls of its own.
    written: Vec<RuleId>,
    /// How many rules that are written into each other the construction is in.
    depth: usize,
    rules: Vec<Option<NetworkRule>>,
    numbers: Vec<Option<usize>>,
    /// The symbols of their calls, once they are called.
    called: Vec<Option<Symbol>>,
    /// Rules that are numbered and not built.
    ahead: Vec<RuleId>,
    states: usize,
    /// The rule in whose automaton the construction is.
    current: RuleId,
}

/// Builds the automata of all rules that the roots lead to.
pub(super) fn build(
    grammar: &Grammar,
    survey: &Survey,
    lexicon: &dyn Lexicon,
    Wanted { roots, spelling, known, limits }: Wanted<'_>,
    packed: &mut Catalogues,
    means: Means<'_>,
) -> Result<Built, NetworkError> {
    // The runtime keeps texts of items in the registers in which it keeps nodes.
    let are_apart = |rule: &Rule| matches!(rule.kind, RuleKind::Distinct | RuleKind::Item);
    let of_grammar = matches!(roots, Roots::Start);
    let may_pack = !grammar.rules.iter().any(are_apart);
    let facts = facts::of_rules(grammar, survey, means.budget);
    let mut builder = Builder {
        grammar,
        survey,
        facts: &facts,
        lettered: Lettered::default(),
        lexicon,
        spelling,
        known,
        limits,
        means,
        open: means.budget.hold(),
        built: means.budget.hold(),
        labels: Labels::default(),
        synthetic: FxHashMap::default(),
        bodies: Bodies::default(),
        pending: FxHashMap::default(),
        counted: FxHashMap::default(),
        token_ticks: FxHashMap::default(),
        of_texts: FxHashMap::default(),
        packed,
        may_pack,
        of_grammar,
        writes_sets: false,
        inlined: inline::plan(grammar, survey),
        written: Vec::new(),
        depth: 0,
        rules: Vec::with_capacity(grammar.rules.len()),
        numbers: vec![None; grammar.rules.len()],
        called: vec![None; grammar.rules.len()],
        ahead: Vec::new(),
        states: 0,
        current: grammar.start,
    };
    let called = builder.build_all(roots).map_err(|error| *error)?;
    let sources = match roots {
        Roots::Start => Vec::new(),
        Roots::Kept => builder.sources(),
    };
    let rules = builder.rules.into_iter().map(|rule| rule.expect("every numbered rule is built"));
    let rules: Vec<NetworkRule> = rules.collect();
    Ok(Built { rules, labels: builder.labels, roots: called, sources })
}

impl Builder<'_> {
    fn build_all(&mut self, roots: Roots) -> Result<Vec<usize>, Failure> {
        let roots = match roots {
            Roots::Start => vec![self.root()?],
            Roots::Kept => {
                let kept = self.grammar.rules.iter().enumerate().filter(|(_, rule)| rule.is_kept());
                let kept = kept.map(|(index, _)| RuleId::new(index));
                // A rule without a string that is not empty is never called.
                let kept: Vec<RuleId> =
                    kept.filter(|rule| self.facts[rule.index()].shortest < u32::MAX).collect();
                kept.into_iter().map(|rule| self.number(rule)).collect()
            }
        };
        let mut open: Vec<Unfinished> = Vec::new();
        loop {
            let mut size = 0;
            let mut waiting = self.means.budget.hold();
            while size < AT_ONCE
                && let Some(rule) = self.ahead.pop()
            {
                let unfinished = self.unfinished(rule)?;
                size += unfinished.nfa.len();
                waiting.add(unfinished.nfa.bytes()).map_err(|_| self.spent())?;
                open.push(unfinished);
            }
            if open.is_empty() {
                return Ok(roots);
            }
            // The choice of rules that are written into others depends on the order of the rules; the automata made of
            // them do not.
            let bounds = self.bounds();
            let finish =
                |(): &mut (), one: &Unfinished| finished(&one.nfa, bounds.states(one.limit));
            let is_worth = size >= WORTH_A_THREAD;
            let automata = self.means.threads.map(is_worth, &open, || (), finish);
            for (unfinished, dfa) in open.drain(..).zip(automata) {
                self.finish_rule(unfinished, dfa)?;
            }
        }
    }

    /// The expressions that an IR rule's automaton is to be made of.
    fn unfinished(&mut self, rule: RuleId) -> Result<Unfinished, Failure> {
        self.current = rule;
        let expr = &self.grammar.rule(rule).expr;
        self.written.clear();
        let mut nfa = Nfa::with_capacity(self.survey.sizes[rule.index()]);
        let (from, to) = (nfa.start, nfa.end);
        thompson(self, &mut nfa, expr, from, to)?;
        let written = std::mem::take(&mut self.written);
        let large = written.into_iter().filter(|&rule| !inline::is_small(self.survey, rule));
        let mut large: Vec<RuleId> = large.collect();
        let room = nfa.len() + ROOM;
        if room >= self.limits.rule_states {
            large.clear();
        }
        let limit = if large.is_empty() { self.limits.rule_states } else { room };
        Ok(Unfinished { rule, nfa, limit, large })
    }

    /// Adds an IR rule with its automaton. If the automaton outgrows the rules that are written into it, because these
    /// multiply in it, they are called instead, and the rule is built again.
    fn finish_rule(
        &mut self,
        Unfinished { rule, large, limit, .. }: Unfinished,
        dfa: Result<Table, StateLimit>,
    ) -> Result<(), Failure> {
        self.current = rule;
        self.check_budget()?;
        let dfa = match dfa {
            Ok(dfa) => dfa,
            Err(_) if large.is_empty() => return Err(self.limit("states of a rule", limit)),
            Err(_) => {
                large.iter().for_each(|rule| self.inlined[rule.index()] = false);
                self.bodies.forget();
                self.ahead.push(rule);
                return Ok(());
            }
        };
        self.check_inhabited(&dfa)?;
        let (name, origin) = self.place();
        let kind = self.grammar.rule(rule).kind;
        let number = self.number(rule);
        self.count_states(dfa.len())?;
        self.built.add(dfa.bytes()).map_err(|_| self.spent())?;
        self.rules[number] = Some(NetworkRule { kind, ..NetworkRule::plain(name, origin, dfa) });
        Ok(())
    }

    /// The rule at the bottom of the stack: the start rule, with the empty string where it derives it. Nothing calls
    /// it, so a start rule that is called besides is one more rule.
    fn root(&mut self) -> Result<usize, Failure> {
        let start = self.grammar.start;
        if !self.facts[start.index()].productive {
            return Err(self.fail(NetworkErrorKind::Empty));
        }
        let mut nfa = Nfa::new();
        let (from, to) = (nfa.start, nfa.end);
        thompson(self, &mut nfa, &Expr::Call(start), from, to)?;
        let limit = self.limits.rule_states;
        let dfa = minimal_table(&nfa, self.bounds());
        let dfa = dfa.map_err(|_| self.limit("states of a rule", limit))?;
        self.check_inhabited(&dfa)?;
        let (name, origin) = self.place();
        self.add(NetworkRule::plain(name, origin, dfa))
    }

    /// Refuses a rule that derives nothing: the bounds of counters may leave nothing of what their graphs derive.
    fn check_inhabited(&self, dfa: &Table) -> Result<(), Failure> {
        let derives = dfa.len() > 1 || dfa.edge_count() > 0 || dfa.accepts(0);
        if derives { Ok(()) } else { Err(self.fail(NetworkErrorKind::Empty)) }
    }

    /// The number of an IR rule, which is built later where it is new.
    fn number(&mut self, rule: RuleId) -> usize {
        if let Some(number) = self.numbers[rule.index()] {
            return number;
        }
        let number = self.rules.len();
        self.numbers[rule.index()] = Some(number);
        let known = self.known.filter(|_| self.grammar.rule(rule).is_kept());
        let stored =
            known.and_then(|known| known.stored(known.expressions.like(self.grammar, rule)?));
        if stored.is_none() {
            self.ahead.push(rule);
        }
        self.rules.push(stored.map(|stored| {
            let Rule { name, origin, kind, .. } = self.grammar.rule(rule);
            NetworkRule::stored(name.clone(), origin.clone(), *kind, stored)
        }));
        number
    }

    /// The vocabulary's rule with this text.
    fn stored(&self, digest: &Digest) -> Option<(RuleHash, u32)> {
        let known = self.known?;
        known.stored(known.expressions.get(digest)?)
    }

    /// The rule made for a repetition, where it was made before or the vocabulary holds it.
    pub(super) fn find_part(&mut self, part: Synthetic) -> Result<Option<usize>, Failure> {
        if let Some(&rule) = self.synthetic.get(&part) {
            return Ok(Some(rule));
        }
        let digest = self.known.and_then(|_| self.bodies.digest(part, self.grammar));
        let Some(stored) = digest.and_then(|digest| self.stored(&digest)) else {
            return Ok(None);
        };
        let (name, origin) = self.place();
        let rule = NetworkRule::stored(name, origin, RuleKind::Plain, stored);
        let rule = self.add(rule)?;
        self.synthetic.insert(part, rule);
        Ok(Some(rule))
    }

    /// Whether a rule that is built is the vocabulary's.
    pub(super) fn is_stored_rule(&self, rule: usize) -> bool {
        self.rules[rule].as_ref().is_some_and(|rule| rule.stored.is_some())
    }

    /// The rule of those texts of a set that are of bytes that are tokens, for all places that have it; none where it is not worth
    /// it.
    fn rule_of_texts(&mut self, texts: &Arc<Texts>) -> Result<Option<usize>, Failure> {
        if let Some(&rule) = self.of_texts.get(texts) {
            return Ok(Some(rule));
        }
        let letters = self.lexicon.single_bytes();
        let within = || texts.iter().filter(|text| catalogue::is_of(text, letters));
        if !self.of_grammar || within().count() < self.limits.catalogue_texts.max(1) {
            return Ok(None);
        }
        let rule = if self.may_pack {
            self.catalogue(texts, letters)?
        } else {
            let mut nfa = Nfa::new();
            let (start, end) = (nfa.start, nfa.end);
            spell_texts(self, &mut nfa, within(), start, end)?;
            let dfa = self.finish(&nfa)?;
            self.add_part("{texts}", &dfa, None)?
        };
        self.of_texts.insert(texts.clone(), rule);
        Ok(Some(rule))
    }

    /// A new rule that is a catalogue.
    fn catalogue(&mut self, texts: &Texts, letters: ByteSet) -> Result<usize, Failure> {
        let budget = self.means.budget;
        let packed = self.packed.of(texts, letters, self.lexicon.trie(), budget);
        let packed = packed.map_err(|refused| match refused {
            Refused::Spent => self.spent(),
            Refused::TooLong => self.limit("bytes of a catalogue", i32::MAX as usize),
        })?;
        self.built.add(packed.bytes()).map_err(|_| self.spent())?;
        let (name, origin) = self.place();
        let reached = NetworkRule::plain(name, origin, packed.reached.clone());
        self.rules.push(Some(NetworkRule { catalogue: Some(packed), ..reached }));
        Ok(self.rules.len() - 1)
    }

    /// The texts of all kept rules and rules of repetitions that have one.
    fn sources(&mut self) -> Vec<(Digest, usize)> {
        let grammar = self.grammar;
        let kept = grammar.rules.iter().zip(&self.numbers).enumerate();
        let kept = kept.filter(|(_, (rule, _))| rule.is_kept());
        let kept = kept.filter_map(|(index, (_, &number))| {
            Some((expressions::of_rule(grammar, RuleId::new(index))?, number?))
        });
        let parts = self.synthetic.iter();
        let parts =
            parts.filter_map(|(&part, &rule)| Some((self.bodies.digest(part, grammar)?, rule)));
        kept.chain(parts).collect()
    }

    /// Adds a finished rule.
    pub(super) fn add(&mut self, rule: NetworkRule) -> Result<usize, Failure> {
        self.count_states(rule.dfa.len())?;
        self.built.add(rule.dfa.bytes()).map_err(|_| self.spent())?;
        self.rules.push(Some(rule));
        if self.rules.len() > self.limits.rules {
            return Err(self.limit("rules", self.limits.rules));
        }
        Ok(self.rules.len() - 1)
    }

    fn count_states(&mut self, count: usize) -> Result<(), Failure> {
        self.states += count;
        let limit = self.limits.states;
        if self.states > limit { Err(self.limit("states", limit)) } else { Ok(()) }
    }

    /// Name and origin of the rule under construction.
    pub(super) fn place(&self) -> (String, Origin) {
        let rule = self.grammar.rule(self.current);
        (rule.name.clone(), rule.origin.clone())
    }

    /// An error about the rule under construction: the budget's where that is spent.
    pub(super) fn fail(&self, kind: NetworkErrorKind) -> Failure {
        let kind = match self.means.budget.error() {
            Some(spent) => spent.clone().into(),
            None => kind,
        };
        Box::new(error_at(self.grammar, self.current, kind))
    }

    /// The bounds on a rule's automaton.
    pub(super) fn bounds(&self) -> Allowance<'_> {
        Allowance::new(self.limits.rule_states, self.means.budget)
    }

    /// The error of a budget that is spent.
    fn spent(&self) -> Failure {
        self.limit("states of a rule", self.limits.rule_states)
    }

    fn check_budget(&self) -> Result<(), Failure> {
        self.means.budget.spend(1).map_err(|_| self.spent())
    }

    /// The bytes of an expression's strings.
    pub(super) fn letters(&mut self, expr: &Expr) -> Alphabet {
        let asked_of = (self.grammar, self.survey);
        self.lettered.of_expr(expr, asked_of, self.means.budget).letters
    }

    /// Nodes of an expression with what is written into it.
    pub(super) fn inlined_size(&self, expr: &Expr) -> usize {
        let mut size = expr.size();
        expr.for_each_call(&mut |rule| {
            if self.inlined[rule.index()] {
                size = size.saturating_add(self.inlined_size(&self.grammar.rule(rule).expr));
            }
        });
        size
    }
}

impl Atoms for Builder<'_> {
    type Error = Failure;

    fn call(&mut self, nfa: &mut Nfa, rule: RuleId, from: u32, to: u32) -> Result<(), Failure> {
        let facts = self.facts[rule.index()];
        if !facts.productive {
            return Ok(());
        }
        if self.inlined[rule.index()] {
            if self.depth == 0 {
                self.written.push(rule);
            }
            self.depth += 1;
            let done = thompson(self, nfa, &self.grammar.rule(rule).expr, from, to);
            self.depth -= 1;
            return done;
        }
        if facts.nullable {
            nfa.empty(from, to);
        }
        if facts.shortest < u32::MAX {
            let symbol = self.called[rule.index()].unwrap_or_else(|| {
                let callee = self.number(rule);
                self.labels.symbol(Label::Call { rule: callee, count: 0 })
            });
            self.called[rule.index()] = Some(symbol);
            nfa.edge(from, symbol, symbol, to);
        }
        Ok(())
    }

    fn tokens(&mut self, nfa: &mut Nfa, set: &TokenSet, from: u32, to: u32) -> Result<(), Failure> {
        let named = token_sets::ids(self.lexicon, set).map_err(|unknown| self.fail(unknown))?;
        if !named.is_empty() {
            let symbol = self.labels.symbol(Label::Tokens(named));
            nfa.edge(from, symbol, symbol, to);
        }
        Ok(())
    }

    fn texts(
        &mut self,
        nfa: &mut Nfa,
        texts: &Arc<Texts>,
        from: u32,
        to: u32,
    ) -> Result<(), Failure> {
        let Some(rule) = self.rule_of_texts(texts)? else {
            return spell_texts(self, nfa, texts.iter(), from, to);
        };
        let symbol = self.labels.symbol(Label::Call { rule, count: 0 });
        nfa.edge(from, symbol, symbol, to);
        let letters = self.lexicon.single_bytes();
        let others = texts.iter().filter(|text| !catalogue::is_of(text, letters));
        spell_texts(self, nfa, others, from, to)
    }

    fn repeat(
        &mut self,
        nfa: &mut Nfa,
        repetition: Repetition<'_>,
        from: u32,
        to: u32,
    ) -> Result<(), Failure> {
        self.build_repetition(nfa, repetition, from, to)
    }

    fn closed(&mut self, nfa: &mut Nfa, run: Closed, from: u32, to: u32) -> Result<(), Failure> {
        self.build_closed(nfa, run, from, to)
    }

    fn marked(
        &mut self,
        nfa: &mut Nfa,
        graph: &Arc<ExprGraph>,
        from: u32,
        to: u32,
    ) -> Result<(), Failure> {
        if self.build_counted(nfa, graph, from, to)? {
            return Ok(());
        }
        self.build_marked(nfa, graph, from, to)
    }

    fn boolean(&mut self, _: &mut Nfa, _: &Expr, _: u32, _: u32) -> Result<(), Failure> {
        unreachable!("intersections and complements are resolved before rules are built")
    }

    fn check(&mut self, nfa: &Nfa) -> Result<(), Failure> {
        let limit = self.limits.rule_states.saturating_mul(16);
        if nfa.len() > limit {
            return Err(self.limit("states of a rule", limit));
        }
        self.check_budget()?;
        self.open.set(nfa.bytes()).map_err(|_| self.spent())
    }
}
