//! Replaces intersections and complements by automata. Later passes see only concatenation,
//! alternation, repetition and calls.
//!
//! The operands of intersections and complements must be regular. A call in an operand is replaced
//! by the called rule's expression, which must not lead back to the rule. Cost: the automata may be
//! exponential in the size of the expressions. The limit on states bounds them.

use std::borrow::Cow;
use std::sync::Arc;

use crate::automata::{Dfa, Nfa, StateBudget, StateLimit, complement, intersect, minimal};
use crate::budget::MemoryUse;
use crate::ir::thompson::{Atoms, Repetition, build, build_graph, unroll};
use crate::ir::{Expr, ExprGraph, Grammar, Rule, RuleId, TokenSet};

/// The error of an intersection or complement that has no automaton.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rule {rule_name}: {kind}")]
pub struct RegularError {
    /// The rule whose expression contains the intersection or complement.
    pub rule: RuleId,
    /// The name of that rule, for the message.
    pub rule_name: String,
    /// The reason why there is no automaton.
    pub kind: RegularErrorKind,
}

/// The reason why an operand of an intersection or complement has no automaton.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegularErrorKind {
    /// The operand calls the rule with this name, which leads back to itself.
    #[error(
        "an intersection or complement reaches the recursive rule {0}, which no finite automaton describes"
    )]
    Recursive(String),
    /// The operand matches whole tokens by id.
    #[error(
        "an intersection or complement contains a token reference; only bytes can be intersected"
    )]
    Tokens,
    /// The automaton would have too many states, or the budget is spent.
    #[error("an intersection or complement is too large: {0}")]
    TooLarge(#[from] StateLimit),
}

/// Replaces every intersection and complement by its automaton. Returns the grammar unchanged if it
/// has none.
///
/// # Errors
///
/// [`RegularError`] if an operand is not regular or its automaton is too large.
pub fn resolve<'g>(
    grammar: &'g Grammar,
    allowed: StateBudget<'_>,
) -> Result<Cow<'g, Grammar>, RegularError> {
    if !grammar.rules.iter().any(|rule| has_operands(&rule.expr)) {
        return Ok(Cow::Borrowed(grammar));
    }
    let rules = grammar.rules.iter().enumerate().map(|(index, rule)| {
        let mut operand = Operand { grammar, allowed, held: allowed.held(), open: Vec::new() };
        let expr = rewrite(&mut operand, &rule.expr).map_err(|kind| RegularError {
            rule: RuleId::new(index),
            rule_name: rule.name.clone(),
            kind,
        })?;
        Ok(Rule { expr, ..rule.clone() })
    });
    let rules = rules.collect::<Result<_, _>>()?;
    let (start, regions, places) = (grammar.start, grammar.regions.clone(), grammar.places.clone());
    Ok(Cow::Owned(Grammar { rules, start, regions, places }))
}

/// Whether an expression contains an intersection or a complement.
fn has_operands(expr: &Expr) -> bool {
    match expr {
        Expr::And(_) | Expr::Not(_) => true,
        Expr::Seq(parts) | Expr::Alt(parts) => parts.iter().any(has_operands),
        Expr::Graph(graph) => graph.edges().any(|(_, part, _)| has_operands(part)),
        Expr::Repeat { body, .. } => has_operands(body),
        _ => false,
    }
}

/// Returns the minimal automaton of an expression over bytes. The expression may contain
/// intersections and complements.
///
/// # Errors
///
/// [`RegularErrorKind`] if the automaton is too large or the expression matches whole tokens.
///
/// # Panics
///
/// If the expression calls a rule.
pub fn automaton(expr: &Expr, allowed: StateBudget<'_>) -> Result<Dfa, RegularErrorKind> {
    let grammar =
        Grammar { rules: Vec::new(), start: RuleId::new(0), regions: Vec::new(), places: None };
    Operand { grammar: &grammar, allowed, held: allowed.held(), open: Vec::new() }.dfa(expr)
}

/// Returns an expression of the same strings, in which automata replace all intersections and
/// complements. `operand` builds the automata.
fn rewrite(operand: &mut Operand<'_>, expr: &Expr) -> Result<Expr, RegularErrorKind> {
    let mut all = |parts: &[Expr]| -> Result<Vec<Expr>, RegularErrorKind> {
        parts.iter().map(|part| rewrite(operand, part)).collect()
    };
    Ok(match expr {
        Expr::Seq(parts) => Expr::seq(all(parts)?),
        Expr::Alt(choices) => Expr::alt(all(choices)?),
        Expr::Graph(graph) => Expr::Graph(Arc::new(graph.try_map(|part| rewrite(operand, part))?)),
        Expr::Repeat { body, min, max } => rewrite(operand, body)?.repeat(*min, *max),
        Expr::And(_) | Expr::Not(_) => {
            let dfa = operand.dfa(expr)?;
            if dfa.is_never() { Expr::Never } else { Expr::Regular(Arc::new(dfa)) }
        }
        other => other.clone(),
    })
}

/// Builds automata of operands of intersections and complements. The expressions of called rules
/// are inlined.
struct Operand<'a> {
    /// The grammar whose rules may be called.
    grammar: &'a Grammar,
    /// The limits on the states, time and memory of each automaton.
    allowed: StateBudget<'a>,
    /// The memory of the automaton under construction.
    held: MemoryUse<'a>,
    /// The rules whose expressions are being inlined, the outermost first. A call of one of these
    /// is recursive and has no automaton.
    open: Vec<RuleId>,
}

impl Operand<'_> {
    /// Returns the minimal automaton over bytes of an expression. Fails if the expression matches
    /// tokens, is recursive, or needs too many states.
    fn dfa(&mut self, expr: &Expr) -> Result<Dfa, RegularErrorKind> {
        match expr {
            Expr::And(parts) => {
                let mut result: Option<Dfa> = None;
                for part in parts {
                    let next = self.dfa(part)?;
                    result = Some(match result {
                        Some(dfa) => intersect(&dfa, &next, self.allowed)?,
                        None => next,
                    });
                }
                Ok(match result {
                    Some(dfa) => dfa,
                    None => complement(&Dfa::never(), self.allowed)?,
                })
            }
            Expr::Not(body) => Ok(complement(&self.dfa(body)?, self.allowed)?),
            other => {
                let mut nfa = Nfa::new();
                let (from, to) = (nfa.start, nfa.end);
                build(self, &mut nfa, other, from, to)?;
                Ok(minimal(&nfa, self.allowed)?)
            }
        }
    }
}

impl Atoms for Operand<'_> {
    type Error = RegularErrorKind;

    fn call(&mut self, nfa: &mut Nfa, rule: RuleId, from: u32, to: u32) -> Result<(), Self::Error> {
        let called = self.grammar.rule(rule);
        if self.open.contains(&rule) {
            return Err(RegularErrorKind::Recursive(called.name.clone()));
        }
        self.open.push(rule);
        build(self, nfa, &called.expr, from, to)?;
        self.open.pop();
        Ok(())
    }

    fn tokens(&mut self, _: &mut Nfa, _: &TokenSet, _: u32, _: u32) -> Result<(), Self::Error> {
        Err(RegularErrorKind::Tokens)
    }

    fn repeat(
        &mut self,
        nfa: &mut Nfa,
        repetition: Repetition<'_>,
        from: u32,
        to: u32,
    ) -> Result<(), Self::Error> {
        unroll(self, nfa, repetition, from, to)
    }

    fn registers(
        &mut self,
        nfa: &mut Nfa,
        graph: &Arc<ExprGraph>,
        from: u32,
        to: u32,
    ) -> Result<(), Self::Error> {
        let unrolled = graph.unrolled(self.allowed)?;
        build_graph(self, nfa, &unrolled, from, to)
    }

    fn boolean(
        &mut self,
        nfa: &mut Nfa,
        expr: &Expr,
        from: u32,
        to: u32,
    ) -> Result<(), Self::Error> {
        let dfa = self.dfa(expr)?;
        nfa.embed(&dfa, from, to);
        Ok(())
    }

    fn check(&mut self, nfa: &Nfa) -> Result<(), Self::Error> {
        // The final automaton has at most about as many states as the nondeterministic one. The
        // factor leaves room for states that determinization and minimization merge.
        let allowed = self.allowed.states(self.allowed.states.saturating_mul(16));
        if nfa.len() > allowed.states {
            return Err(allowed.error().into());
        }
        allowed.spend(1)?;
        Ok(allowed.hold(&mut self.held, nfa.bytes())?)
    }
}
