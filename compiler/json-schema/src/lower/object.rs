//! Objects: turns an automaton over members into an expression of the grammar.
//!
//! Whether a comma comes before a member depends on whether a member is written before. So each state of the automaton
//! becomes two states of the expression graph.
//!
//! A mark (the bit of a required key) is set between the key and the value of its member. If repeated keys matter, the
//! object is a rule of kind [`RuleKind::Distinct`], whose keys the runtime compares. The comparison needs the register
//! of that rule, so members are then counted by states.

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

/// Number of automata of a union of objects that share one grammar rule. Overlapping automata may multiply states when
/// a rule is determinized, so a larger union gets one rule for each `TOGETHER` automata.
const TOGETHER: usize = 4;

/// Returns grammar expressions that together accept the objects of a union of automata.
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

/// Returns the grammar expression of the objects that an automaton accepts, as one rule call if keys must differ.
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

/// Returns the grammar expression of the objects that an automaton accepts: the members with commas, between brackets.
/// Many optional keys become one prefix tree.
fn members(
    emitter: &mut Emitter<'_>,
    writer: &impl MemberWriter,
    automaton: &MemberAutomaton,
) -> Result<Expr, Diagnostic> {
    let gaps = emitter.gaps();
    let (states, edges) = (automaton.states.len(), automaton.member_count());
    let [open, close] = emitter.braces();
    let places = Places::new(&gaps, close, states, edges);
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
    Ok(Expr::seq([open, gaps.lead, members]))
}

/// A member (edge of an automaton over members) with the grammar expressions of its key and value.
struct Written<'m> {
    /// The grammar expression of the member's key, with quotes or tags.
    key: Expr,
    /// The grammar expression of the member's value.
    value: Expr,
    /// The member, which is an edge of the automaton.
    member: &'m Member,
}

/// The part of a member after its key. Keys with equal mark (register bit), value and target state share this part.
#[derive(PartialEq, Eq, Hash)]
struct Marked {
    /// The mark that is set: index of the register bit that records that the required key is written.
    mark: u8,
    /// The formula that the value of the member satisfies.
    value: FormulaId,
    /// Number of the automaton state after the member.
    to: u32,
}

/// The expression graph of an object under construction.
struct Object {
    /// The whitespace between the tokens of the object.
    gaps: Gaps,
    /// The expression graph so far, with its states for states of the automaton.
    places: Places,
    /// Whether the runtime compares the keys of the object.
    distinct: bool,
    /// Maps each part of a member after a key with a mark to the graph state between the key and that part.
    marked: FxHashMap<Marked, u32>,
}

impl Object {
    /// Returns the members after an automaton state, each with the grammar expressions of its key and value.
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
            // A key from a set of keys becomes an item that the runtime compares.
            let key = match self.distinct && member.name.is_set() {
                true => emitter.texts.rules.helper_of("key", key, RuleKind::Item),
                false => key,
            };
            let value = writer.value(emitter, &member.name, member.value)?;
            written.push(Written { key, value, member });
        }
        Ok(written)
    }

    /// Adds to the graph the edge on which the next key of the automaton is left out, if that key is optional.
    fn skip(&mut self, state: &MemberState, from: At) {
        if let Some(skip) = state.skip {
            let to = self.places.of(skip, from.written);
            self.places.graph.edge(from.place, Expr::Empty, to);
        }
    }

    /// Adds to the graph the edges after an automaton state: its loop with bounds, or its members and the end of the
    /// object.
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

    /// Adds to the graph the edge of a member. If the key has a mark (register bit), the mark is set between key and
    /// value.
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

/// Returns the expression `{}` if the automaton accepts the empty object, and otherwise [`Expr::Never`]. If the
/// automaton accepts larger objects, records that the grammar leaves them out.
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
