//! The automaton over the members of an object, as data.

use smallvec::SmallVec;

use crate::algebra::logic::formula::FormulaId;
use crate::read::schema::Bounds;
use crate::values::strings::StringSet;

/// The key or the set of keys that an edge of a member automaton accepts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MemberName {
    /// The edge accepts the single key with this number.
    Key(u32),
    /// The edge accepts any key in this set of strings.
    Names(StringSet),
}

impl MemberName {
    /// Returns whether the edge accepts a set of keys and not a single one.
    pub(crate) fn is_set(&self) -> bool {
        matches!(self, Self::Names(_))
    }
}

/// An edge of an automaton over the members of an object: the members that the edge accepts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Member {
    /// The key or the set of keys that the edge accepts.
    pub(crate) name: MemberName,
    /// A formula that the value of the member satisfies.
    pub(crate) value: FormulaId,
    /// Number of the state after the member.
    pub(crate) to: u32,
    /// The mark of the key: the index of the register bit that records that this required key is written. `None` for a
    /// key without a mark. An object sets every mark before it ends.
    pub(crate) mark: Option<u8>,
}

/// A state of an automaton over the members of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct MemberState {
    /// The edges: members that may come next. Most states have one edge.
    pub(crate) members: SmallVec<[Member; 1]>,
    /// Number of the state that is reached if the next key is left out. `None` if that key is required.
    pub(crate) skip: Option<u32>,
    /// Whether the object may end in this state.
    pub(crate) end: bool,
    /// The bounds on the number of members that the loop at this state reads. `None` if members of the loop are not
    /// counted.
    pub(crate) repeat: Option<Bounds>,
}

/// A finite automaton over the members of an object. It starts in state 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MemberAutomaton {
    /// The states; edges name them by index.
    pub(crate) states: Vec<MemberState>,
    /// The marks (register bits of required keys) that an object must set, as a bit set. An object without some of
    /// these keys is not accepted.
    pub(crate) marks: u32,
    /// Whether no two members of an object may have the same key, for keys of [`MemberName::Names`].
    pub(crate) distinct: bool,
}

impl MemberAutomaton {
    /// Returns the number of states and edges of the automaton, added up.
    pub(crate) fn size(&self) -> usize {
        self.states.len() + self.member_count()
    }

    /// Returns the number of edges of the automaton that read a member.
    pub(crate) fn member_count(&self) -> usize {
        self.states.iter().map(|state| state.members.len()).sum()
    }
}
