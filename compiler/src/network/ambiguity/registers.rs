//! Registers that begin or change in a step, and the allocation of their sources.

use grammarc_artifacts::sections::network::{CallEdge, NONE, rule_flags, state_flags};
use rustc_hash::FxHashMap;

use super::register::Register;
use super::view::View;

/// The kinds of registers that the activations of a rule have. An activation is a call of the rule
/// in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    None,
    Count,
    RequiredKeys,
    Items,
}

/// The registers that began or changed in one step. Equal calls get equal registers, and so do
/// equal changes.
#[derive(Debug, Default)]
pub(super) struct Begun {
    /// Pairs of a call, as callee and initial register, and the register that its activation (call
    /// in progress) got.
    calls: Vec<((u32, u32), Register)>,
    /// Pairs of the register of a distinct rule (array whose items must differ) before the step,
    /// and the register after it.
    items: Vec<(Register, Register)>,
}

impl Begun {
    /// Forgets all registers, for the next step.
    pub(super) fn clear(&mut self) {
        let Self { calls, items } = self;
        calls.clear();
        items.clear();
    }
}

/// An allocator of sources, which are numbers for the unknown values of registers.
#[derive(Default)]
pub(super) struct Registers {
    /// Maps each rule that was asked for to the kind of its register.
    kinds: FxHashMap<u32, Kind>,
    /// Number of sources that were allocated.
    sources: u32,
}

impl Registers {
    /// Allocates a new source.
    pub(super) fn source(&mut self) -> u32 {
        self.sources += 1;
        self.sources
    }

    /// Returns the kind of register that the rule of a state has.
    fn kind(&mut self, view: &View<'_>, state: u32) -> Kind {
        let network = view.follow.network();
        let rule = view.follow.rule_of(state);
        *self.kinds.entry(rule).or_insert_with(|| {
            let record = network.rule(rule);
            let states = record.first_state..record.first_state + record.state_count;
            let mut states = states.map(|state| network.state(state));
            match states.find(|state| state.count_exit != NONE) {
                _ if record.flags & rule_flags::DISTINCT != 0 => Kind::Items,
                None => Kind::None,
                Some(state) if state.flags & state_flags::CLEARS != 0 => Kind::RequiredKeys,
                Some(_) => Kind::Count,
            }
        })
    }

    /// Returns a register for the rule of a state, with an unknown value: a new source, without
    /// updates.
    pub(super) fn unknown(&mut self, view: &View<'_>, state: u32) -> Register {
        match self.kind(view, state) {
            Kind::None => Register::None,
            Kind::Count => Register::Count { source: self.source(), decremented: 0 },
            Kind::RequiredKeys => Register::RequiredKeys { source: self.source(), written: 0 },
            Kind::Items => Register::Items { source: self.source() },
        }
    }

    /// Returns the register of the activation (call in progress) that a call begins. Within one
    /// step, equal calls get the same register.
    pub(super) fn begin(
        &mut self,
        view: &View<'_>,
        call: &CallEdge,
        begun: &mut Begun,
    ) -> Register {
        let key = (call.callee, call.count);
        if let Some((_, known)) = begun.calls.iter().find(|(of, _)| *of == key) {
            return *known;
        }
        let first = view.follow.network().rule(call.callee).first_state;
        let new = match view.packed.of(first) {
            Some(set) => Register::Node(set.root),
            None => self.unknown(view, first),
        };
        begun.calls.push((key, new));
        new
    }

    /// Returns the register after its configuration (one parse) has read a symbol. The register
    /// changes only in a distinct rule, whose current item becomes longer.
    pub(super) fn after_reading(&mut self, register: Register, begun: &mut Begun) -> Register {
        if !matches!(register, Register::Items { .. }) {
            return register;
        }
        if let Some((_, known)) = begun.items.iter().find(|(of, _)| *of == register) {
            return *known;
        }
        let new = Register::Items { source: self.source() };
        begun.items.push((register, new));
        new
    }
}
