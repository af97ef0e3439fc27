//! Objects with many members that may be left out, in an order: the same automaton as in [`object`](super::object), with
//! the keys that may come next as one tree ([`keys`](super::keys)).
//!
//! A state goes on with the keys of all states that it leads to by leaving keys out, and then as the first of these does
//! that knows something else: an end, members with other keys, a repetition.

use std::sync::Arc;

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::{ByteSet, Expr};

use super::Emitter;
use super::keys::KeyTrees;
use super::places::{BYTES_A_MEMBER, Places};
use crate::algebra::{MemberAutomaton, MemberName, MemberState};
use crate::text_form::layout::Gaps;
use crate::values::strings::escaped::quoted;
use crate::values::strings::{Escapes, one_character};

/// Bytes that a unit of a key takes in a tree and in the graph, about.
const BYTES_A_UNIT: usize = 160;

/// Steps of a budget that an edge of the graph takes, about.
const STEPS_AN_EDGE: usize = 1 << 4;

impl Emitter<'_> {
    pub(super) fn long_object(&mut self, automaton: &MemberAutomaton) -> Result<Expr, Diagnostic> {
        let gaps = self.gaps();
        let mut places = Places::new(&gaps, Expr::byte(b'}'), automaton.room());
        let mut trees = KeyTrees::default();
        let (mut tree_of, mut leaves) = (vec![None; automaton.states.len()], Vec::new());
        // The first of the states reached by leaving keys out that goes on other than with keys.
        let mut beyond: Vec<Option<u32>> = vec![None; automaton.states.len()];
        // Keys are left out in their order, so that what leaving one out leads to comes later.
        for (index, state) in automaton.states.iter().enumerate().rev() {
            beyond[index] = state.skip.and_then(|skip| {
                let left = &automaton.states[skip as usize];
                if has_more_than_keys(left) { Some(skip) } else { beyond[skip as usize] }
            });
            let mut tree = state.skip.and_then(|skip| tree_of[skip as usize]);
            for member in state.members.iter().filter(|_| state.repeat.is_none()) {
                let MemberName::Key(key) = member.name else { continue };
                let key = self.units(key);
                self.grow(BYTES_A_MEMBER + BYTES_A_UNIT * key.len())?;
                let leaf = places.graph.state();
                if let Some(other) = trees.leaf(tree, &key) {
                    places.graph.edge(leaf, Expr::Empty, other);
                }
                tree = Some(trees.with(tree, &key, leaf));
                leaves.push((leaf, member));
            }
            tree_of[index] = tree;
        }
        for (leaf, member) in leaves {
            let value = Expr::seq([gaps.colon.clone(), self.refer(member.value)?]);
            let to = places.of(member.to, true);
            places.graph.edge(leaf, value, to);
        }
        let mut next = 0;
        while let Some(&(index, written)) = places.order.get(next) {
            let from = places.of(index, written);
            next += 1;
            let state = &automaton.states[index as usize];
            if let Some(tree) = tree_of[index as usize] {
                let keys = trees.state(&mut places.graph, tree);
                let before = gaps.before(written);
                places.graph.edge(from, before, keys);
            }
            if let Some(to) = beyond[index as usize] {
                let to = places.of(to, written);
                places.graph.edge(from, Expr::Empty, to);
            }
            self.beside_keys(state, automaton.distinct, (from, written), &mut places, &gaps)?;
        }
        let escapes = self.options.text.escapes;
        let unit = |unit| match escapes {
            Escapes::Shortest => Expr::bytes(u8::try_from(unit).into_iter().collect::<ByteSet>()),
            Escapes::Any if unit == QUOTE => Expr::byte(b'"'),
            Escapes::Any => char::from_u32(unit).map_or(Expr::Never, |c| one_character(c, escapes)),
        };
        let allowed = self.allowed;
        trees.write(&mut places.graph, unit, |edges| allowed.spend(STEPS_AN_EDGE * edges).is_ok());
        self.grow(0)?;
        let members = Expr::Graph(Arc::new(places.graph));
        Ok(Expr::seq([Expr::byte(b'{'), gaps.lead, members]))
    }

    /// The ways on from a state that are no keys.
    fn beside_keys(
        &mut self,
        state: &MemberState,
        distinct: bool,
        (from, written): (u32, bool),
        places: &mut Places,
        gaps: &Gaps,
    ) -> Result<(), Diagnostic> {
        let mut repeated = Vec::new();
        for member in &state.members {
            if matches!(member.name, MemberName::Key(_)) && state.repeat.is_none() {
                continue;
            }
            let key = self.member_key(&member.name, distinct)?;
            let value = Expr::seq([gaps.colon.clone(), self.refer(member.value)?]);
            if state.repeat.is_some() {
                repeated.push(Expr::seq([key, value]));
                continue;
            }
            let to = places.of(member.to, true);
            let key = Expr::seq([gaps.before(written), key]);
            places.graph.edge(from, Expr::seq([key, value]), to);
        }
        match state.repeat {
            Some(bounds) if state.end && distinct => {
                places.repeat_within(from, written, &Expr::alt(repeated), gaps, bounds);
            }
            Some(bounds) if state.end => {
                places.repeat(from, written, Expr::alt(repeated), gaps, bounds);
            }
            None if state.end => places.close(from, written),
            _ => {}
        }
        Ok(())
    }

    /// A key with its quotes as the units of a tree.
    fn units(&self, key: u32) -> Vec<u32> {
        let text = self.algebra.key(key);
        match self.options.text.escapes {
            Escapes::Shortest => quoted(text).bytes().map(u32::from).collect(),
            Escapes::Any => {
                [QUOTE].into_iter().chain(text.chars().map(u32::from)).chain([QUOTE]).collect()
            }
        }
    }
}

/// The quote around a key where units are characters: none of these.
const QUOTE: u32 = u32::MAX;

/// Whether a state knows how to go on other than with keys.
fn has_more_than_keys(state: &MemberState) -> bool {
    let is_key = |name: &MemberName| matches!(name, MemberName::Key(_));
    state.end || state.repeat.is_some() || !state.members.iter().all(|member| is_key(&member.name))
}
