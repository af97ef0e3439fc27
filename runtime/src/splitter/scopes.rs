//! Scopes: activations of regions, each with the one around it.
//!
//! A scope is made where a region is called and left where the frame of that call is returned from. Calls that begin at one
//! place of the output, in the same scope and to the same region and frame, are one scope, so that two ways to read an
//! output agree in it.
//!
//! A scope is made before those within it, so its number is smaller; a collection relies on that, as that of
//! [frames](crate::position::stack) does.

use crate::position::stack::BOTTOM;

/// The scope around all others: of no region.
pub(super) const OUTSIDE: u32 = 0;

/// Least number of scopes at which a collection is due. A smaller table is not worth a pass.
const COLLECT_FROM: usize = 1024;

/// A number that is not given yet.
const UNSET: u32 = u32::MAX;

/// An activation of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scope {
    /// The region's number; none outside.
    pub(super) region: Option<u32>,
    /// The scope around it.
    pub(super) parent: u32,
    /// The frame that leaves it when it is returned from.
    pub(super) frame: u32,
    /// The call of a tool that it is or is in, [`OUTSIDE`] for none.
    call: u32,
    /// Of a call, its index among the calls of the output.
    index: u32,
}

/// The scopes of one output.
#[derive(Clone, Debug)]
pub(super) struct Scopes {
    all: Vec<Scope>,
    /// The first that was made at this place of the output.
    fresh: usize,
    due: usize,
    /// The regions of the calls that have an index.
    calls: Vec<u32>,
}

impl Scopes {
    /// The outside alone.
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

    /// The scope of a region that is called at this place.
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

    /// The scope after a return from a frame.
    pub(super) fn leave(&self, scope: u32, frame: u32) -> u32 {
        let top = self.get(scope);
        if scope != OUTSIDE && top.frame == frame { top.parent } else { scope }
    }

    /// The scope within `outer` that `inner` is or is in; none where it is not in `outer`.
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

    /// The index of the call that a scope is or is in. Assigns the next index to a call that has none.
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

    /// Whether a scope is a call or in one.
    pub(super) fn is_in_call(&self, scope: u32) -> bool {
        self.get(scope).call != OUTSIDE
    }

    /// As [`call_index`](Self::call_index), without assigning an index. `None` if the call has none yet.
    pub(super) fn known_call(&self, scope: u32) -> Option<u32> {
        let call = self.get(scope).call;
        let index = self.get(call).index;
        (call != OUTSIDE && index != UNSET).then_some(index)
    }

    /// The regions of the calls so far.
    pub(super) fn calls(&self) -> &[u32] {
        &self.calls
    }

    /// Whether there are twice as many as after the last collection.
    pub(super) fn collection_is_due(&self) -> bool {
        self.all.len() >= self.due
    }

    /// Drops the scopes that no root is or is in, and renumbers the roots.
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

    /// The frames of all scopes.
    pub(super) fn frames(&mut self) -> impl Iterator<Item = &mut u32> {
        self.all.iter_mut().map(|scope| &mut scope.frame)
    }
}
