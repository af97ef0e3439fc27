//! The keys of many optional members in an order, as one [tree](super::keys).
//!
//! The keys that may come next at a state are those of all states that it reaches by leaving keys out. A state continues
//! with this tree, or as the first of these states that has anything else: an end, members with other keys, or a repetition.

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::{ByteSet, Expr};

use super::emitter::Emitter;
use super::keys::KeyTrees;
use super::places::{At, BYTES_A_MEMBER, Places};
use crate::algebra::{Member, MemberAutomaton, MemberName, MemberState};
use crate::options::Escapes;
use crate::text_form::layout::Gaps;
use crate::values::strings::escaped::quoted;
use crate::values::strings::one_character;

/// Fewest states with an optional key for which keys become one tree.
const MANY: usize = 48;

/// Estimated bytes of a unit of a key, in a tree and in the graph.
const BYTES_A_UNIT: usize = 160;

/// Estimated steps of the budget for an edge of the graph.
const STEPS_AN_EDGE: usize = 1 << 4;

/// Whether many states of an automaton have an optional key. Such states have no marks, and leaving a key out leads to a
/// later state.
pub(super) fn is_long(automaton: &MemberAutomaton) -> bool {
    let skips = || (0..).zip(&automaton.states).filter_map(|(at, state)| Some((at, state.skip?)));
    automaton.marks == 0 && skips().count() >= MANY && skips().all(|(at, skip)| at < skip)
}

/// The keys of an automaton's states, as trees.
pub(super) struct OptionalKeys {
    trees: KeyTrees,
    /// By state, the tree of the keys that may come next.
    tree_of: Vec<Option<u32>>,
    /// By state, the first of the states reached by leaving keys out that continues other than with keys.
    beyond: Vec<Option<u32>>,
}

impl OptionalKeys {
    /// The trees of all states, from the last to the first: a key that is left out leads to a later state.
    pub(super) fn new(
        emitter: &mut Emitter<'_>,
        automaton: &MemberAutomaton,
        gaps: &Gaps,
        places: &mut Places,
    ) -> Result<Self, Diagnostic> {
        let states = automaton.states.len();
        let (mut trees, mut leaves) = (KeyTrees::default(), Vec::new());
        let (mut tree_of, mut beyond) = (vec![None; states], vec![None; states]);
        for (index, state) in automaton.states.iter().enumerate().rev() {
            beyond[index] = state.skip.and_then(|skip| {
                let left = &automaton.states[skip as usize];
                if has_more_than_keys(left) { Some(skip) } else { beyond[skip as usize] }
            });
            let mut tree = state.skip.and_then(|skip| tree_of[skip as usize]);
            for member in state.members.iter().filter(|member| Self::has(state, member)) {
                let MemberName::Key(key) = member.name else { continue };
                let key = units(emitter, key);
                emitter.texts.grow(BYTES_A_MEMBER + BYTES_A_UNIT * key.len())?;
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
            let value = Expr::seq([gaps.colon.clone(), emitter.refer(member.value)?]);
            let to = places.of(member.to, true);
            places.graph.edge(leaf, value, to);
        }
        Ok(Self { trees, tree_of, beyond })
    }

    /// Whether the key of a state's member is in a tree.
    pub(super) fn has(state: &MemberState, member: &Member) -> bool {
        state.repeat.is_none() && !member.name.is_set()
    }

    /// Adds the edges from a state to its tree, and to the state beyond.
    pub(super) fn edges(&mut self, state: u32, from: At, gaps: &Gaps, places: &mut Places) {
        if let Some(tree) = self.tree_of[state as usize] {
            let keys = self.trees.state(&mut places.graph, tree);
            places.graph.edge(from.place, gaps.before(from.written), keys);
        }
        if let Some(to) = self.beyond[state as usize] {
            let to = places.of(to, from.written);
            places.graph.edge(from.place, Expr::Empty, to);
        }
    }

    /// Writes the trees.
    pub(super) fn write(
        mut self,
        emitter: &mut Emitter<'_>,
        places: &mut Places,
    ) -> Result<(), Diagnostic> {
        let (escapes, allowed) = (emitter.texts.rules.text.escapes, emitter.texts.rules.allowed);
        let unit = |unit| match escapes {
            Escapes::Shortest => Expr::bytes(u8::try_from(unit).into_iter().collect::<ByteSet>()),
            Escapes::Any if unit == QUOTE => Expr::byte(b'"'),
            Escapes::Any => char::from_u32(unit).map_or(Expr::Never, |c| one_character(c, escapes)),
        };
        let spend = |edges| allowed.spend(STEPS_AN_EDGE * edges).is_ok();
        self.trees.write(&mut places.graph, unit, spend);
        emitter.texts.grow(0)
    }
}

/// A key with its quotes as the units of a tree.
fn units(emitter: &Emitter<'_>, key: u32) -> Vec<u32> {
    let text = emitter.texts.types.objects.key(key);
    match emitter.texts.rules.text.escapes {
        Escapes::Shortest => quoted(text).bytes().map(u32::from).collect(),
        Escapes::Any => {
            [QUOTE].into_iter().chain(text.chars().map(u32::from)).chain([QUOTE]).collect()
        }
    }
}

/// The quote around a key if units are characters. No character has this number.
const QUOTE: u32 = u32::MAX;

/// Whether a state continues other than with keys.
fn has_more_than_keys(state: &MemberState) -> bool {
    state.end || state.repeat.is_some() || state.members.iter().any(|member| member.name.is_set())
}
