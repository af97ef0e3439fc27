//! Registers that begin in a step, and their sources.

use grammarc_artifacts::sections::network::{CallEdge, NONE, rule_flags, state_flags};
use rustc_hash::FxHashMap;

use super::register::Register;
use super::view::View;

/// The kinds of registers that activations of a rule have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    None,
    Count,
    RequiredKeys,
    Items,
}

/// Registers that began or changed in one step. Two that come from the same source are equal.
#[derive(Debug, Default)]
pub(super) struct Begun {
    /// Of calls, by callee and initial value.
    calls: Vec<((u32, u32), Register)>,
    /// Of distinct rules, by the register before the step.
    items: Vec<(Register, Register)>,
}

impl Begun {
    pub(super) fn clear(&mut self) {
        let Self { calls, items } = self;
        calls.clear();
        items.clear();
    }
}

/// An allocator of sources.
#[derive(Default)]
pub(super) struct Registers {
    /// By rule, its kind of register, once asked for.
    kinds: FxHashMap<u32, Kind>,
    /// Sources that were given out.
    sources: u32,
}

impl Registers {
    /// Returns a new source.
    pub(super) fn source(&mut self) -> u32 {
        self.sources += 1;
        self.sources
    }

    /// Returns the kind of register of a state's rule.
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

    /// Returns a register of a state's rule with an unknown value.
    pub(super) fn unknown(&mut self, view: &View<'_>, state: u32) -> Register {
        match self.kind(view, state) {
            Kind::None => Register::None,
            Kind::Count => Register::Count { source: self.source(), decremented: 0 },
            Kind::RequiredKeys => Register::RequiredKeys { source: self.source(), written: 0 },
            Kind::Items => Register::Items { source: self.source() },
        }
    }

    /// Returns the register of an activation that begins with a call.
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

    /// Returns the register of a configuration that reads on: the items of a distinct rule change.
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
