//! The automaton over the members of an object.

use smallvec::SmallVec;

use crate::algebra::logic::formula::FormulaId;
use crate::read::schema::Bounds;
use crate::values::strings::StringSet;

/// The key or keys of a member.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MemberName {
    /// The key with this number.
    Key(u32),
    /// Any key of a set.
    Names(StringSet),
}

impl MemberName {
    /// Whether the name is a set of keys.
    pub(crate) fn is_set(&self) -> bool {
        matches!(self, Self::Names(_))
    }
}

/// An edge: a member.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Member {
    /// Its key.
    pub(crate) name: MemberName,
    /// A formula over its value.
    pub(crate) value: FormulaId,
    /// The state after it.
    pub(crate) to: u32,
    /// The mark that this member passes, if it has one. An object passes every mark before it ends.
    pub(crate) mark: Option<u8>,
}

/// A state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct MemberState {
    /// Members that may come next, of which there is mostly one.
    pub(crate) members: SmallVec<[Member; 1]>,
    /// The state where the next key is left out.
    pub(crate) skip: Option<u32>,
    /// Whether the object may end.
    pub(crate) end: bool,
    /// The bounds on the number of members that lead back to this state, if there are any.
    pub(crate) repeat: Option<Bounds>,
}

/// An automaton over members. It starts in state 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MemberAutomaton {
    /// The states.
    pub(crate) states: Vec<MemberState>,
    /// The marks that an object must pass, as bits. If no member has one of them, there is no object.
    pub(crate) marks: u32,
    /// Whether the keys of [`MemberName::Names`] differ from each other in an object.
    pub(crate) distinct: bool,
}

impl MemberAutomaton {
    /// States and members.
    pub(crate) fn size(&self) -> usize {
        self.states.len() + self.member_count()
    }

    /// Returns the number of members of all states.
    pub(crate) fn member_count(&self) -> usize {
        self.states.iter().map(|state| state.members.len()).sum()
    }
}
