//! One automaton a rule.
//!
//! Rules are built in the order in which calls of them are met, from the roots on. So the result does not depend on how
//! the source numbers its rules, and rules that nothing calls are left out.
//!
//! | file | what it owns | uses |
//! | --- | --- | --- |
//! | `source` | the inputs, which never change | |
//! | `rules` | the rules, their numbers and labels, the worklist | `source` |
//! | `inlining` | the rules that are inlined | |
//! | `repetitions`, `texts`, `graphs` | the rules made for parts of expressions | `rules`, `source` |
//! | `assembler` | the automaton under construction | all of these |
//! | this file | the loop over the worklist | `assembler` |
//!
//! Cost: O(size of the expressions) for the nondeterministic automata; determinization is bounded by the limits.
//!
//! Tests: `tests/tests/suite/{masks,recursion,ambiguity}.rs`.

mod assembler;
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

/// States of a rule's automaton beyond those of the nondeterministic one, above which the rules inlined into it
/// multiply.
const ROOM: usize = 1_024;

/// States of nondeterministic automata that are determinized at once, which bounds their memory.
const AT_ONCE: usize = 1 << 16;

/// States of nondeterministic automata that are worth a second thread.
const WORTH_A_THREAD: usize = 1 << 10;

/// A rule whose automaton is not deterministic yet.
struct Unfinished {
    rule: RuleId,
    nfa: Nfa,
    /// States that the automaton may have.
    limit: usize,
    /// Rules that are inlined into it and might multiply in it.
    large: Vec<RuleId>,
}

/// Builds the automata of all rules that are reachable from the roots.
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

/// The loop over the worklist of rules.
struct Builder<'a> {
    assembler: Assembler<'a>,
}

impl Builder<'_> {
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
            // The choice of rules to inline depends on the order of the rules; their automata do not.
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

    /// Builds the rule at the bottom of the stack: the start rule, with the empty string if it derives that. Nothing
    /// calls this rule, so a start rule that is called is one more rule.
    fn start(&mut self) -> Result<usize, NetworkErrorKind> {
        let source = self.assembler.source;
        let start = source.grammar.start;
        if !source.facts[start.index()].productive {
            return Err(NetworkErrorKind::Empty);
        }
        let nfa = self.assembler.nfa_of(&Expr::Call(start), 0)?;
        let dfa = minimal_table(&nfa, source.bounds()).map_err(|_| source.too_large())?;
        check_inhabited(&dfa)?;
        self.assembler.rules.add_plain(dfa)
    }

    /// Numbers the kept rules, but for those without a string that is not empty, which are never called.
    fn kept(&mut self) -> Vec<usize> {
        let Assembler { source, rules, .. } = &mut self.assembler;
        let kept = source.grammar.rules.iter().enumerate().filter(|(_, rule)| rule.is_kept());
        let kept = kept.map(|(index, _)| RuleId::new(index));
        let kept = kept.filter(|rule| source.facts[rule.index()].shortest < u32::MAX);
        kept.map(|rule| rules.number(rule)).collect()
    }

    /// Builds the nondeterministic automaton of a rule.
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
        let limit = if large.is_empty() { most } else { room };
        Ok(Unfinished { rule, nfa, limit, large })
    }

    /// Adds a rule with its automaton. If the automaton outgrows the rules that are inlined into it, because they
    /// multiply in it, they are called instead, and the rule is built again.
    fn finish(
        &mut self,
        Unfinished { rule, large, limit, .. }: Unfinished,
        dfa: Result<Table, StateLimit>,
    ) -> Result<(), NetworkErrorKind> {
        let Assembler { source, rules, inlining, repetitions, .. } = &mut self.assembler;
        rules.begin(rule);
        source.spend()?;
        let dfa = match dfa {
            Ok(dfa) => dfa,
            Err(_) if large.is_empty() => {
                return Err(NetworkErrorKind::Limit { what: "states of a rule", limit });
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

    /// Returns the digests of the expressions of all kept rules and rules for repetitions that have one.
    fn sources(&mut self) -> Vec<(Digest, usize)> {
        let Assembler { source, rules, repetitions, .. } = &mut self.assembler;
        let kept = source.grammar.rules.iter().zip(rules.numbers()).enumerate();
        let kept = kept.filter(|(_, (rule, _))| rule.is_kept());
        let kept = kept.filter_map(|(index, (_, &number))| {
            Some((known_rules::of_rule(source.grammar, RuleId::new(index))?, number?))
        });
        kept.chain(repetitions.sources()).collect()
    }

    /// Returns the error of the rule under construction: that of the budget if it is spent.
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

/// Refuses a rule that derives nothing. The bounds of counters may exclude all strings of a graph.
fn check_inhabited(dfa: &Table) -> Result<(), NetworkErrorKind> {
    let derives = dfa.len() > 1 || dfa.edge_count() > 0 || dfa.accepts(0);
    if derives { Ok(()) } else { Err(NetworkErrorKind::Empty) }
}
