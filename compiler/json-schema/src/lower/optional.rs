//! The keys of many optional members in a fixed order, as one [prefix tree](super::keys).
//!
//! The keys that may come next at a state are the keys of all states that it reaches by leaving keys out. From a state,
//! the graph continues with the tree of these keys. It also continues as the first of these states with another
//! continuation: an end, members with other keys, or a loop.

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

/// Fewest automaton states with an optional key for which the keys become one prefix tree.
const MANY: usize = 48;

/// Estimated bytes of memory for one unit (byte or character) of a key, in a prefix tree and in the expression graph.
const BYTES_A_UNIT: usize = 160;

/// Estimated budget steps for an edge of the expression graph.
const STEPS_AN_EDGE: usize = 1 << 4;

/// Returns whether at least [`MANY`] states of an automaton have an optional key. Otherwise, with marks, or if leaving
/// a key out leads to an earlier state, returns `false`.
pub(super) fn is_long(automaton: &MemberAutomaton) -> bool {
    let skips = || (0..).zip(&automaton.states).filter_map(|(at, state)| Some((at, state.skip?)));
    automaton.marks == 0 && skips().count() >= MANY && skips().all(|(at, skip)| at < skip)
}

/// The optional keys of an automaton over members, as prefix trees.
pub(super) struct OptionalKeys {
    /// The prefix trees of keys, which share their nodes.
    trees: KeyTrees,
    /// For each state of the automaton, the prefix tree of the keys that may come next; `None` without such keys.
    tree_of: Vec<Option<u32>>,
    /// For each state of the automaton, the first state reached by leaving keys out that allows more than single keys;
    /// `None` if there is none.
    beyond: Vec<Option<u32>>,
}

impl OptionalKeys {
    /// Builds the prefix trees of keys for all automaton states. The order is from the last state to the first, since
    /// leaving a key out leads to a later state.
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

    /// Returns whether the key of a member is in the prefix tree of its state. This holds for a single key (not a set)
    /// if the state has no loop.
    pub(super) fn has(state: &MemberState, member: &Member) -> bool {
        state.repeat.is_none() && !member.name.is_set()
    }

    /// Adds the edges from graph state `from` to the prefix tree of an automaton state, and to the first later state
    /// that allows more than keys.
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

    /// Adds all prefix trees of keys to the expression graph.
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

/// Returns a key with its quotes as the units of a prefix tree: bytes if each key has one text, otherwise characters.
fn units(emitter: &Emitter<'_>, key: u32) -> Vec<u32> {
    let text = emitter.texts.types.objects.key(key);
    match emitter.texts.rules.text.escapes {
        Escapes::Shortest => quoted(text).bytes().map(u32::from).collect(),
        Escapes::Any => {
            [QUOTE].into_iter().chain(text.chars().map(u32::from)).chain([QUOTE]).collect()
        }
    }
}

/// The unit that denotes the quote around a key, if the units of a prefix tree are characters. No character has this
/// number.
const QUOTE: u32 = u32::MAX;

/// Returns whether an automaton state allows anything but single keys: an end, a loop, or members with a set of keys.
fn has_more_than_keys(state: &MemberState) -> bool {
    state.end || state.repeat.is_some() || state.members.iter().any(|member| member.name.is_set())
}
