//! Objects: an automaton over members as an expression.
//!
//! The comma depends on whether a member is written before. So each state of the automaton becomes two places of the graph.
//!
//! A member with a mark passes it between key and value. If repeated keys matter, the object is a rule whose keys the
//! runtime compares ([`RuleKind::Distinct`]). The comparison takes the register, so members are then counted by states.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::{Expr, RuleKind};

use super::emitter::Emitter;
use super::member_writer::MemberWriter;
use super::optional::{OptionalKeys, is_long};
use super::places::{At, BYTES_A_MEMBER, Places};
use crate::algebra::{FormulaId, Member, MemberAutomaton, MemberState};
use crate::text_form::layout::{Gaps, Layout};

/// Automata of a union that share a rule. Overlapping automata may multiply when the rule is determinized, so a larger union
/// has several rules.
const TOGETHER: usize = 4;

/// Writes the objects of a union.
pub(super) fn objects(
    emitter: &mut Emitter<'_>,
    writer: &impl MemberWriter,
    union: &[MemberAutomaton],
) -> Result<Vec<Expr>, Diagnostic> {
    let mut choices = Vec::with_capacity(union.len());
    for together in union.chunks(TOGETHER) {
        let parts = together.iter().map(|automaton| object(emitter, writer, automaton));
        let parts = parts.collect::<Result<Vec<Expr>, _>>()?;
        if union.len() > TOGETHER {
            choices.push(emitter.texts.rules.helper("branches", Expr::alt(parts)));
        } else {
            choices.extend(parts);
        }
    }
    Ok(choices)
}

/// Writes the objects of an automaton.
fn object(
    emitter: &mut Emitter<'_>,
    writer: &impl MemberWriter,
    automaton: &MemberAutomaton,
) -> Result<Expr, Diagnostic> {
    if emitter.layout.is_last() {
        return Ok(empty_object(emitter, automaton));
    }
    let object = members(emitter, writer, automaton)?;
    Ok(match automaton.distinct {
        true => emitter.texts.rules.helper_of("distinct", object, RuleKind::Distinct),
        false => object,
    })
}

/// Writes the members of an automaton between brackets. Many optional keys become one tree.
fn members(
    emitter: &mut Emitter<'_>,
    writer: &impl MemberWriter,
    automaton: &MemberAutomaton,
) -> Result<Expr, Diagnostic> {
    let gaps = emitter.gaps();
    let (states, edges) = (automaton.states.len(), automaton.member_count());
    let places = Places::new(&gaps, emitter.layout.bracket(b'}'), states, edges);
    let mut object =
        Object { gaps, places, distinct: automaton.distinct, marked: FxHashMap::default() };
    let mut optional = match is_long(automaton) && emitter.layout != Layout::Tagged {
        true => Some(OptionalKeys::new(emitter, automaton, &object.gaps, &mut object.places)?),
        false => None,
    };
    let mut next = 0;
    while let Some(&(index, written)) = object.places.order.get(next) {
        let from = At { place: object.places.of(index, written), written };
        next += 1;
        let state = &automaton.states[index as usize];
        match &mut optional {
            Some(optional) => optional.edges(index, from, &object.gaps, &mut object.places),
            None => object.skip(state, from),
        }
        let is_left = |member: &&Member| optional.is_none() || !OptionalKeys::has(state, member);
        let members = state.members.iter().filter(is_left);
        let members = object.members(emitter, writer, members)?;
        object.state(state, from, members);
    }
    if let Some(optional) = optional {
        optional.write(emitter, &mut object.places)?;
    }
    let Object { gaps, places, .. } = object;
    let members = Expr::Graph(Arc::new(places.graph));
    Ok(Expr::seq([emitter.layout.bracket(b'{'), gaps.lead, members]))
}

/// A member with its texts.
struct Written<'m> {
    key: Expr,
    value: Expr,
    member: &'m Member,
}

/// A member behind its key. Keys with equal mark, value and target share it.
#[derive(PartialEq, Eq, Hash)]
struct Marked {
    mark: u8,
    value: FormulaId,
    to: u32,
}

/// An object under construction.
struct Object {
    gaps: Gaps,
    places: Places,
    /// Whether the runtime compares keys.
    distinct: bool,
    /// The places between key and value of members with marks.
    marked: FxHashMap<Marked, u32>,
}

impl Object {
    /// The texts of members.
    fn members<'m>(
        &self,
        emitter: &mut Emitter<'_>,
        writer: &impl MemberWriter,
        members: impl Iterator<Item = &'m Member>,
    ) -> Result<Vec<Written<'m>>, Diagnostic> {
        let mut written = Vec::new();
        for member in members {
            emitter.texts.grow(BYTES_A_MEMBER)?;
            let key = writer.key(emitter, &member.name)?;
            // A key of a set becomes an item that the runtime compares.
            let key = match self.distinct && member.name.is_set() {
                true => emitter.texts.rules.helper_of("key", key, RuleKind::Item),
                false => key,
            };
            let value = writer.value(emitter, &member.name, member.value)?;
            written.push(Written { key, value, member });
        }
        Ok(written)
    }

    /// Adds the way on if the next key is left out.
    fn skip(&mut self, state: &MemberState, from: At) {
        if let Some(skip) = state.skip {
            let to = self.places.of(skip, from.written);
            self.places.graph.edge(from.place, Expr::Empty, to);
        }
    }

    /// Adds what follows a state: a repetition, or members and an end.
    fn state(&mut self, state: &MemberState, from: At, members: Vec<Written<'_>>) {
        let Self { gaps, places, distinct, .. } = self;
        let At { place, written } = from;
        if let Some(bounds) = state.repeat {
            let colon = &gaps.colon;
            let members = members.into_iter();
            let any = members.map(|member| Expr::seq([member.key, colon.clone(), member.value]));
            let any = Expr::alt(any);
            match *distinct {
                _ if !state.end => {}
                true => places.repeat_within(place, written, &any, gaps, bounds),
                false => places.repeat(place, written, any, gaps, bounds),
            }
            return;
        }
        for member in members {
            self.edge(from, member);
        }
        if state.end {
            self.places.close(place, written);
        }
    }

    /// Adds the edge of a member. A mark is passed between key and value.
    fn edge(&mut self, from: At, Written { key, value, member }: Written<'_>) {
        let Self { gaps, places, marked, .. } = self;
        let to = places.of(member.to, true);
        let before = gaps.before(from.written);
        let Some(mark) = member.mark else {
            let member = Expr::seq([before, key, gaps.colon.clone(), value]);
            places.graph.edge(from.place, member, to);
            return;
        };
        let key = Expr::seq([before, key]);
        let middle = Marked { mark, value: member.value, to };
        let middle = *marked.entry(middle).or_insert_with(|| {
            let middle = places.graph.state();
            places.graph.require_key(middle, mark);
            places.graph.edge(middle, Expr::seq([gaps.colon.clone(), value]), to);
            middle
        });
        places.graph.edge(from.place, key, middle);
    }
}

/// Writes the empty object, if the automaton accepts it.
fn empty_object(emitter: &mut Emitter<'_>, automaton: &MemberAutomaton) -> Expr {
    let mut at = Some(0);
    let mut may_end = false;
    while let Some(state) = at {
        let state = &automaton.states[state as usize];
        may_end |= state.end && state.repeat.is_none_or(|bounds| bounds.min == 0);
        if !state.members.is_empty() {
            emitter.note_cut();
        }
        at = state.skip;
    }
    match may_end && automaton.marks == 0 {
        true => Expr::literal("{}"),
        false => Expr::Never,
    }
}
