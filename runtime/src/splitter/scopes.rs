//! Scopes: calls of regions in progress, each with the enclosing scope.
//!
//! A call of a region enters a scope, and the return from the call's frame leaves it. Two calls at one place of the
//! output are one scope if they have the same enclosing scope, region and frame. So two parses of an output share it.
//!
//! Invariant: the number of a scope is larger than that of the enclosing one. The collection of unreachable scopes
//! relies on it, as the collection of [frames](crate::position::stack) does.

use crate::position::stack::BOTTOM;

/// Number of the scope that encloses all others. It has no region.
pub(super) const OUTSIDE: u32 = 0;

/// Least number of scopes at which a collection is due. A smaller table is not worth a pass.
const COLLECT_FROM: usize = 1024;

/// Value in place of a call's index or a scope's new number, if none is assigned.
const UNSET: u32 = u32::MAX;

/// A scope: one call of a region in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scope {
    /// Number of the region. `None` for the scope outside all regions.
    pub(super) region: Option<u32>,
    /// Number of the enclosing scope.
    pub(super) parent: u32,
    /// Number of the stack frame whose return leaves the scope.
    pub(super) frame: u32,
    /// Number of the innermost scope that is a call of a tool: this scope or an enclosing one. [`OUTSIDE`] if there is
    /// none.
    call: u32,
    /// Index of the call among all calls of the output, from 0. [`UNSET`] before a piece of the call is cut, and for a
    /// scope that is no call of a tool.
    index: u32,
}

/// All scopes of one output.
#[derive(Clone, Debug)]
pub(super) struct Scopes {
    all: Vec<Scope>,
    /// Number of the first scope that was entered at the current place of the output. Only such scopes are shared by
    /// parses.
    fresh: usize,
    /// Number of scopes at which the next collection is due.
    due: usize,
    /// For each call of a tool that has an index, the number of its region.
    calls: Vec<u32>,
}

impl Scopes {
    /// Returns scopes with only [`OUTSIDE`].
    pub(super) fn new() -> Self {
        let outside =
            Scope { region: None, parent: OUTSIDE, frame: BOTTOM, call: OUTSIDE, index: UNSET };
        Self { all: vec![outside], fresh: 1, due: COLLECT_FROM, calls: Vec::new() }
    }

    /// Returns the scope with this number.
    pub(super) fn get(&self, scope: u32) -> Scope {
        self.all[scope as usize]
    }

    /// Marks the beginning of the next place of the output: the next byte or special token.
    pub(super) fn next_place(&mut self) {
        self.fresh = self.all.len();
    }

    /// Returns the number of the scope of a region that is called at the current place. Adds the scope if no parse has
    /// entered it.
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

    /// Returns the number of the scope after a return from `frame`: the enclosing scope if `scope` ends with the frame,
    /// otherwise `scope`.
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

    /// Returns the index of the innermost call of a tool around a scope, which may be the scope itself. Assigns the
    /// next index if the call has none. `None` outside calls.
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

    /// Whether a scope is a call of a tool, or lies within one.
    pub(super) fn is_in_call(&self, scope: u32) -> bool {
        self.get(scope).call != OUTSIDE
    }

    /// Returns the index of the innermost call of a tool around a scope, which may be the scope itself. `None` outside
    /// calls, and if no piece of the call was cut yet.
    pub(super) fn known_call(&self, scope: u32) -> Option<u32> {
        let call = self.get(scope).call;
        let index = self.get(call).index;
        (call != OUTSIDE && index != UNSET).then_some(index)
    }

    /// For each call of a tool so far, returns the number of its region.
    pub(super) fn calls(&self) -> &[u32] {
        &self.calls
    }

    /// Whether the number of scopes has doubled since the last collection.
    pub(super) fn collection_is_due(&self) -> bool {
        self.all.len() >= self.due
    }

    /// Removes the scopes that neither are nor enclose a root, and renumbers the others. `roots` are the scope numbers
    /// to keep. Each is replaced by the new number.
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

    /// Returns the frames of all scopes, so that a collection of frames can renumber them.
    pub(super) fn frames(&mut self) -> impl Iterator<Item = &mut u32> {
        self.all.iter_mut().map(|scope| &mut scope.frame)
    }
}
