//! Scopes: activations of regions, each with the enclosing one.
//!
//! A call of a region enters a scope, and the return from the call's frame leaves it. Calls at one place of the output are one
//! scope if they have the same enclosing scope, region and frame. So two parses of an output agree on it.
//!
//! Invariant: the number of a scope is larger than that of the enclosing one. The collection relies on it, as that of
//! [frames](crate::position::stack) does.

use crate::position::stack::BOTTOM;

/// The scope that encloses all others. It has no region.
pub(super) const OUTSIDE: u32 = 0;

/// Least number of scopes at which a collection is due. A smaller table is not worth a pass.
const COLLECT_FROM: usize = 1024;

/// The value of an index that is not assigned.
const UNSET: u32 = u32::MAX;

/// An activation of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scope {
    /// The region's number. `None` outside all regions.
    pub(super) region: Option<u32>,
    /// The enclosing scope.
    pub(super) parent: u32,
    /// The frame whose return leaves the scope.
    pub(super) frame: u32,
    /// The innermost scope that is a call of a tool: this one or an enclosing one. [`OUTSIDE`] if there is none.
    call: u32,
    /// The index of a call among the calls of the output, or [`UNSET`].
    index: u32,
}

/// The scopes of one output.
#[derive(Clone, Debug)]
pub(super) struct Scopes {
    all: Vec<Scope>,
    /// Number of the first scope that was entered at this place of the output.
    fresh: usize,
    /// Number of scopes at which the next collection is due.
    due: usize,
    /// The region of each call that has an index.
    calls: Vec<u32>,
}

impl Scopes {
    /// Returns scopes of which there is only the one outside.
    pub(super) fn new() -> Self {
        let outside =
            Scope { region: None, parent: OUTSIDE, frame: BOTTOM, call: OUTSIDE, index: UNSET };
        Self { all: vec![outside], fresh: 1, due: COLLECT_FROM, calls: Vec::new() }
    }

    /// The scope with this number.
    pub(super) fn get(&self, scope: u32) -> Scope {
        self.all[scope as usize]
    }

    /// Begins the next place of the output.
    pub(super) fn next_place(&mut self) {
        self.fresh = self.all.len();
    }

    /// Enters a region that is called at this place, and returns its scope.
    pub(super) fn enter(&mut self, region: u32, is_call: bool, parent: u32, frame: u32) -> u32 {
        let same = |scope: &Scope| {
            scope.region == Some(region) && scope.parent == parent && scope.frame == frame
        };
        if let Some(at) = self.all[self.fresh..].iter().position(same) {
            return (self.fresh + at) as u32;
        }
        let scope = self.all.len() as u32;
        let call = if is_call { scope } else { self.get(parent).call };
        self.all.push(Scope { region: Some(region), parent, frame, call, index: UNSET });
        scope
    }

    /// Returns the scope after a return from a frame.
    pub(super) fn leave(&self, scope: u32, frame: u32) -> u32 {
        let top = self.get(scope);
        if scope != OUTSIDE && top.frame == frame { top.parent } else { scope }
    }

    /// Returns the scope directly within `outer` that is or encloses `inner`. `None` if `inner` is not within `outer`.
    pub(super) fn within(&self, outer: u32, mut inner: u32) -> Option<u32> {
        while inner > outer {
            let parent = self.get(inner).parent;
            if parent == outer {
                return Some(inner);
            }
            inner = parent;
        }
        None
    }

    /// Returns the index of the call that is or encloses a scope. Assigns the next index to a call that has none.
    pub(super) fn call_index(&mut self, scope: u32) -> Option<u32> {
        let call = self.get(scope).call;
        let Scope { region: Some(region), index, .. } = &mut self.all[call as usize] else {
            return None;
        };
        if *index == UNSET {
            *index = self.calls.len() as u32;
            self.calls.push(*region);
        }
        Some(*index)
    }

    /// Whether a scope is a call or within one.
    pub(super) fn is_in_call(&self, scope: u32) -> bool {
        self.get(scope).call != OUTSIDE
    }

    /// Returns the index of the call that is or encloses a scope. `None` if the call has no index yet.
    pub(super) fn known_call(&self, scope: u32) -> Option<u32> {
        let call = self.get(scope).call;
        let index = self.get(call).index;
        (call != OUTSIDE && index != UNSET).then_some(index)
    }

    /// The region of each call so far.
    pub(super) fn calls(&self) -> &[u32] {
        &self.calls
    }

    /// Whether the number of scopes has doubled since the last collection.
    pub(super) fn collection_is_due(&self) -> bool {
        self.all.len() >= self.due
    }

    /// Removes the scopes that neither are nor enclose a root, and renumbers the roots.
    pub(super) fn collect<'r>(&mut self, roots: impl Iterator<Item = &'r mut u32>) {
        let mut roots: Vec<&mut u32> = roots.collect();
        let mut moved = vec![UNSET; self.all.len()];
        moved[OUTSIDE as usize] = OUTSIDE;
        roots.iter().for_each(|root| moved[**root as usize] = OUTSIDE);
        for scope in (1..self.all.len()).rev() {
            if moved[scope] != UNSET {
                let Scope { parent, call, .. } = self.all[scope];
                (moved[parent as usize], moved[call as usize]) = (OUTSIDE, OUTSIDE);
            }
        }
        let mut kept = 1;
        for scope in 1..self.all.len() {
            if moved[scope] != UNSET {
                moved[scope] = kept as u32;
                let Scope { parent, call, .. } = self.all[scope];
                let (parent, call) = (moved[parent as usize], moved[call as usize]);
                self.all[kept] = Scope { parent, call, ..self.all[scope] };
                kept += 1;
            }
        }
        self.all.truncate(kept);
        (self.fresh, self.due) = (kept, (kept * 2).max(COLLECT_FROM));
        roots.iter_mut().for_each(|root| **root = moved[**root as usize]);
    }

    /// The frames of all scopes, for a collection to renumber.
    pub(super) fn frames(&mut self) -> impl Iterator<Item = &mut u32> {
        self.all.iter_mut().map(|scope| &mut scope.frame)
    }
}
