//! Builds one automaton for each rule of the grammar.
//!
//! Rules are built in the order in which calls to them are first found, from the roots on. So the
//! result does not depend on how the source numbers its rules, and rules that nothing calls are
//! left out.
//!
//! | file | what it owns | uses |
//! | --- | --- | --- |
//! | `source` | the inputs, which never change | |
//! | `rules` | the rules, their numbers and labels, the worklist | `source` |
//! | `inlining` | the rules that are inlined | |
//! | `repetitions`, `texts`, `graphs` | the rules made for parts of expressions | `rules`, `source` |
//! | `assembler` | the automaton under construction | all of these |
//! | `choices` | the rules of an automaton that stays nondeterministic | `rules`, `source` |
//! | this file | the loop over the worklist | `assembler` |
//!
//! An automaton whose deterministic form would have too many states becomes several rules, with
//! choices between them. A position in a text then has several parses.
//!
//! Cost: O(size of the expressions) for the nondeterministic automata. Determinization is bounded
//! by the limits.
//!
//! Tests: `tests/tests/suite/{masks,recursion,ambiguity}.rs`.

mod assembler;
mod choices;
mod graphs;
mod inlining;
mod repetitions;
mod rules;
pub(super) mod source;
mod texts;

use super::built::Built;
use super::content_hash::Digest;
use super::error::{NetworkError, NetworkErrorKind};
use super::known_rules;
use super::minimal::minimal_without_empty;
use super::packed_string_set::PackedStringSets;
use super::request::Roots;
use crate::automata::{Nfa, StateLimit, Table, minimal_table};
use crate::ir::{Expr, RuleId};

use assembler::Assembler;
use source::Source;

/// Deterministic states that a rule's automaton may have beyond the number of its nondeterministic
/// states. Beyond that, the large rules that are inlined into the rule are called instead, and the
/// rule is built again.
const ROOM: usize = 1_024;

/// Nondeterministic states of the rules that are collected before they are determinized together.
/// Limits the memory for automata that wait.
const AT_ONCE: usize = 1 << 16;

/// Nondeterministic states of the collected rules from which on they are determinized by several
/// threads.
const WORTH_A_THREAD: usize = 1 << 10;

/// A rule whose nondeterministic automaton is built and still has to be determinized.
struct Unfinished {
    /// The rule of the grammar.
    rule: RuleId,
    /// The nondeterministic automaton of the rule.
    nfa: Nfa,
    /// The most states that the deterministic automaton may have.
    limit: usize,
    /// The large rules that are inlined into the rule by its own calls. They may be the cause of
    /// too many states.
    large: Vec<RuleId>,
}

/// Builds the automata of all rules that are reachable from the roots.
///
/// # Errors
///
/// The reason why some rule cannot be built, with that rule.
pub(super) fn build(
    source: &Source<'_>,
    packed: &mut PackedStringSets,
) -> Result<Built, NetworkError> {
    let mut builder = Builder { assembler: Assembler::new(source, packed) };
    let roots = builder.build_all().map_err(|kind| builder.error(kind))?;
    let sources = match source.wanted.roots {
        Roots::Start => Vec::new(),
        Roots::Kept => builder.sources(),
    };
    let (rules, labels) = builder.assembler.rules.finish();
    Ok(Built { rules, labels, roots, sources })
}

/// Builds all rules on the worklist, until the worklist is empty.
struct Builder<'a> {
    /// Builds the automata of expressions, and holds the rules and the worklist.
    assembler: Assembler<'a>,
}

impl Builder<'_> {
    /// Builds all rules that are reachable from the roots. Returns the numbers of the roots.
    fn build_all(&mut self) -> Result<Vec<usize>, NetworkErrorKind> {
        let source = self.assembler.source;
        let roots = match source.wanted.roots {
            Roots::Start => vec![self.start()?],
            Roots::Kept => self.kept(),
        };
        loop {
            let mut waiting = source.context.budget.hold();
            let mut open: Vec<Unfinished> = Vec::new();
            let mut size = 0;
            while size < AT_ONCE
                && let Some(rule) = self.assembler.rules.next_open()
            {
                let unfinished = self.begin(rule)?;
                size += unfinished.nfa.len();
                waiting.add(unfinished.nfa.bytes()).map_err(|_| source.too_large())?;
                open.push(unfinished);
            }
            if open.is_empty() {
                return Ok(roots);
            }
            // The decision which rules to inline depends on the order of the rules. Their automata
            // do not.
            let bounds = source.bounds();
            let determinize = |(): &mut (), one: &Unfinished| {
                minimal_without_empty(&one.nfa, bounds.states(one.limit))
            };
            let is_worth = size >= WORTH_A_THREAD;
            let automata = source.context.threads.map(is_worth, &open, || (), determinize);
            for (unfinished, dfa) in open.into_iter().zip(automata) {
                self.finish(unfinished, dfa)?;
            }
        }
    }

    /// Builds the rule at the bottom of the stack, which calls the start rule. It accepts the empty
    /// string if the start rule derives it. Nothing calls this rule. A start rule that is called is
    /// a rule of its own. Returns the number of the rule at the bottom.
    ///
    /// # Errors
    ///
    /// [`NetworkErrorKind::Empty`] if the start rule derives no string, or the error of a limit.
    fn start(&mut self) -> Result<usize, NetworkErrorKind> {
        let source = self.assembler.source;
        let start = source.grammar.start;
        if !source.facts[start.index()].productive {
            return Err(NetworkErrorKind::Empty);
        }
        let nfa = self.assembler.nfa_of(&Expr::Call(start), 0)?;
        match minimal_table(&nfa, source.bounds_of(start, &nfa)) {
            Ok(dfa) => {
                check_inhabited(&dfa)?;
                self.assembler.rules.add_plain(dfa)
            }
            Err(_) => {
                source.spend()?;
                let number = self.assembler.rules.reserve();
                choices::build(&nfa, number, true, &mut self.assembler.rules, source)?;
                Ok(number)
            }
        }
    }

    /// Numbers the kept rules (rules that a vocabulary compiles for all grammars). A rule that
    /// derives no string but the empty one is never called and left out.
    fn kept(&mut self) -> Vec<usize> {
        let Assembler { source, rules, .. } = &mut self.assembler;
        let kept = source.grammar.rules.iter().enumerate().filter(|(_, rule)| rule.is_kept());
        let kept = kept.map(|(index, _)| RuleId::new(index));
        let kept = kept.filter(|rule| source.facts[rule.index()].shortest < u32::MAX);
        kept.map(|rule| rules.number(rule)).collect()
    }

    /// Builds the nondeterministic automaton of a rule, and decides how many states its
    /// deterministic form may have.
    fn begin(&mut self, rule: RuleId) -> Result<Unfinished, NetworkErrorKind> {
        let Assembler { source, rules, inlining, .. } = &mut self.assembler;
        let (source, expr) = (*source, &source.grammar.rule(rule).expr);
        rules.begin(rule);
        inlining.begin();
        let nfa = self.assembler.nfa_of(expr, source.survey.sizes[rule.index()])?;
        let direct = self.assembler.inlining.take_direct().into_iter();
        let mut large: Vec<RuleId> =
            direct.filter(|&rule| !inlining::is_small(source.survey, rule)).collect();
        let room = nfa.len() + ROOM;
        let most = source.wanted.limits.rule_states;
        if room >= most {
            large.clear();
        }
        let limit = if large.is_empty() { source.bounds_of(rule, &nfa).states } else { room };
        Ok(Unfinished { rule, nfa, limit, large })
    }

    /// Adds a rule with its deterministic automaton, or the error of the determinization. If the
    /// automaton has too many states, the large rules inlined into it are called from now on, and
    /// the rule goes back to the worklist. If there are none, the automaton stays nondeterministic
    /// where that is allowed.
    fn finish(
        &mut self,
        Unfinished { rule, nfa, large, .. }: Unfinished,
        dfa: Result<Table, StateLimit>,
    ) -> Result<(), NetworkErrorKind> {
        let Assembler { source, rules, inlining, repetitions, .. } = &mut self.assembler;
        rules.begin(rule);
        source.spend()?;
        let dfa = match dfa {
            Ok(dfa) => dfa,
            Err(_) if large.is_empty() => {
                let number = rules.number(rule);
                return choices::build(&nfa, number, false, rules, source);
            }
            Err(_) => {
                large.into_iter().for_each(|rule| inlining.stop(rule));
                repetitions.bodies.forget_automata();
                rules.reopen(rule);
                return Ok(());
            }
        };
        check_inhabited(&dfa)?;
        rules.add_current(dfa)
    }

    /// Returns the digest of the expression of each kept rule (shared by many grammars) and each
    /// rule for a repetition, with the rule's number. Rules without a digest are left out.
    fn sources(&mut self) -> Vec<(Digest, usize)> {
        let Assembler { source, rules, repetitions, .. } = &mut self.assembler;
        let kept = source.grammar.rules.iter().zip(rules.numbers()).enumerate();
        let kept = kept.filter(|(_, (rule, _))| rule.is_kept());
        let kept = kept.filter_map(|(index, (_, &number))| {
            Some((known_rules::of_rule(source.grammar, RuleId::new(index))?, number?))
        });
        kept.chain(repetitions.sources()).collect()
    }

    /// Returns the error of the rule under construction. If the budget is spent, that is the error
    /// whatever `kind` says.
    fn error(&self, kind: NetworkErrorKind) -> NetworkError {
        let Assembler { source, rules, .. } = &self.assembler;
        let kind = match (source.context.budget.error(), kind) {
            (Some(spent), _) => spent.clone().into(),
            (None, NetworkErrorKind::Limit { what, limit }) if self.assembler.unrolls_sets() => {
                NetworkErrorKind::Sets { what, limit }
            }
            (None, kind) => kind,
        };
        NetworkError::at(source.grammar, rules.current(), kind)
    }
}

/// Checks that a rule accepts some string. The bounds of counters may exclude all strings of a
/// graph.
///
/// # Errors
///
/// [`NetworkErrorKind::Empty`] if the automaton accepts nothing.
fn check_inhabited(dfa: &Table) -> Result<(), NetworkErrorKind> {
    let derives = dfa.len() > 1 || dfa.edge_count() > 0 || dfa.accepts(0);
    if derives { Ok(()) } else { Err(NetworkErrorKind::Empty) }
}
