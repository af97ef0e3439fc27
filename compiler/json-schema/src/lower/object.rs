//! Objects: an automaton over members as an expression.
//!
//! The comma between members is the only thing that depends on what was written before, so every state stands for two:
//! nothing written yet, and something written.
//!
//! A member with a mark passes it between its key and its value.
//!
//! A context-free grammar cannot keep other keys from repeating. If a repetition matters, the object is a rule whose keys the
//! runtime compares ([`RuleKind::Distinct`]). The comparison takes the register, so members are counted by states.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::{Expr, RuleKind};

use super::Emitter;
use super::places::{BYTES_A_MEMBER, Places, is_long};
use crate::algebra::MemberAutomaton;
use crate::text_form::layout::Layout;
use crate::values::strings::escaped::push_quoted;
use crate::values::strings::{Escapes, Place, StringSet};

/// Automata of a union that share a rule. Automata that overlap can multiply in one, by two for each. A union of more has
/// several such rules, which are still written into one where that does not multiply them; otherwise the parse position
/// follows several.
const TOGETHER: usize = 4;

impl Emitter<'_> {
    /// The objects of a union.
    pub(super) fn objects(&mut self, union: &[MemberAutomaton]) -> Result<Vec<Expr>, Diagnostic> {
        let mut choices = Vec::with_capacity(union.len());
        for together in union.chunks(TOGETHER) {
            let parts: Vec<Expr> = together
                .iter()
                .map(|automaton| self.object(automaton))
                .collect::<Result<_, _>>()?;
            if union.len() > TOGETHER {
                choices.push(self.helper("branches", Expr::alt(parts)));
            } else {
                choices.extend(parts);
            }
        }
        Ok(choices)
    }

    /// The objects of an automaton.
    fn object(&mut self, automaton: &MemberAutomaton) -> Result<Expr, Diagnostic> {
        if self.layout.is_last() {
            return Ok(self.empty_object(automaton));
        }
        let object = match is_long(automaton) && self.layout != Layout::Tagged {
            true => self.long_object(automaton)?,
            false => self.members(automaton)?,
        };
        Ok(match automaton.distinct {
            true => self.helper_of("distinct", object, RuleKind::Distinct),
            false => object,
        })
    }

    fn members(&mut self, automaton: &MemberAutomaton) -> Result<Expr, Diagnostic> {
        let gaps = self.gaps();
        let colon = &gaps.colon;
        let mut places = Places::new(&gaps, self.layout.bracket(b'}'), automaton.room());
        // The states between key and value of members with marks, by mark, value and what follows.
        let mut marked = FxHashMap::default();
        let mut members = Vec::new();
        let mut next = 0;
        while let Some(&(state, written)) = places.order.get(next) {
            let from = places.of(state, written);
            next += 1;
            let state = &automaton.states[state as usize];
            if let Some(skip) = state.skip {
                let to = places.of(skip, written);
                places.graph.edge(from, Expr::Empty, to);
            }
            members.clear();
            for member in &state.members {
                self.grow(BYTES_A_MEMBER)?;
                let key = self.member_key(&member.name, automaton.distinct)?;
                let value = self.member_value(&member.name, member.value)?;
                members.push((key, value, member));
            }
            if let Some(bounds) = state.repeat {
                let members = members.drain(..);
                let any = members.map(|(key, value, _)| Expr::seq([key, colon.clone(), value]));
                let any = Expr::alt(any);
                match automaton.distinct {
                    _ if !state.end => {}
                    true => places.repeat_within(from, written, &any, &gaps, bounds),
                    false => places.repeat(from, written, any, &gaps, bounds),
                }
                continue;
            }
            for (key, value, member) in members.drain(..) {
                let to = places.of(member.to, true);
                let before = gaps.before(written);
                match member.mark {
                    None => {
                        let member = Expr::seq([before, key, colon.clone(), value]);
                        places.graph.edge(from, member, to);
                    }
                    Some(mark) => {
                        let key = Expr::seq([before, key]);
                        let middle = (mark, member.value, to);
                        let middle = *marked.entry(middle).or_insert_with(|| {
                            let middle = places.graph.state();
                            places.graph.require_key(middle, mark);
                            let value = Expr::seq([colon.clone(), value]);
                            places.graph.edge(middle, value, to);
                            middle
                        });
                        places.graph.edge(from, key, middle);
                    }
                }
            }
            if state.end {
                places.close(from, written);
            }
        }
        let members = Expr::Graph(Arc::new(places.graph));
        Ok(Expr::seq([self.layout.bracket(b'{'), gaps.lead, members]))
    }

    /// The object without members, where it is one of the automaton.
    fn empty_object(&mut self, automaton: &MemberAutomaton) -> Expr {
        let mut at = Some(0);
        let mut may_end = false;
        while let Some(state) = at {
            let state = &automaton.states[state as usize];
            may_end |= state.end && state.repeat.is_none_or(|bounds| bounds.min == 0);
            if !state.members.is_empty() {
                self.cut();
            }
            at = state.skip;
        }
        match may_end && automaton.marks == 0 {
            true => Expr::literal("{}"),
            false => Expr::Never,
        }
    }
}

impl Emitter<'_> {
    pub(super) fn key(&mut self, key: u32) -> Result<Expr, Diagnostic> {
        let index = key as usize;
        if let Some(Some(known)) = self.keys.get(index) {
            return Ok(known.clone());
        }
        let text = self.algebra.key(key);
        let expr = match self.options.text.escapes {
            Escapes::Shortest => {
                self.room.clear();
                push_quoted(&mut self.room, text);
                Expr::literal(&self.room)
            }
            Escapes::Any => self.string(&StringSet::literal(text), Place::Key)?,
        };
        if self.keys.len() <= index {
            self.keys.resize(index + 1, None);
        }
        self.keys[index] = Some(expr.clone());
        Ok(expr)
    }
}
