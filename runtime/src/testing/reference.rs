//! The machine by its definition: sets of configurations whose stacks are vectors. Nothing is shared or merged, and no
//! state returns early.

use std::collections::BTreeSet;

use super::network::{Network, State};

/// A configuration: state id, register, and the stack of return states with their registers, top last.
pub(crate) type Config = (usize, u32, Vec<(usize, u32)>);

/// A naive machine over a network, as a reference for the runtime's machine.
pub(crate) struct Reference<'n> {
    network: &'n Network,
    offsets: Vec<usize>,
    first: Vec<([u32; 8], bool)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Symbol {
    Byte(u8),
    Token(u32),
}

impl<'n> Reference<'n> {
    pub(crate) fn new(network: &'n Network) -> Self {
        Self { network, offsets: network.offsets(), first: network.first() }
    }

    pub(crate) fn start(&self) -> BTreeSet<Config> {
        BTreeSet::from([(self.offsets[self.network.start()], 0, Vec::new())])
    }

    fn state(&self, id: usize) -> (usize, &'n State) {
        let rule = self.offsets.partition_point(|&offset| offset <= id) - 1;
        (self.offsets[rule], &self.network.rules[rule].states[id - self.offsets[rule]])
    }

    fn enter(&self, id: usize, count: u32) -> (usize, u32) {
        let (offset, state) = self.state(id);
        match state.count_exit {
            None => (id, count),
            Some(exit) => match state.clears {
                Some(bit) if count & !(1 << bit) == 0 => (offset + exit, 0),
                Some(bit) => (id, count & !(1 << bit)),
                None if count <= 1 => (offset + exit, 0),
                None => (id, count - 1),
            },
        }
    }

    /// Returns the configurations after one byte.
    pub(crate) fn byte(&self, from: &BTreeSet<Config>, byte: u8) -> BTreeSet<Config> {
        self.symbol(from, Symbol::Byte(byte))
    }

    /// Returns the configurations after one token. `bytes` are the bytes of a text token, and empty for a special
    /// token. `None` if a set on the way has more than `most` configurations.
    pub(crate) fn token(
        &self,
        from: &BTreeSet<Config>,
        token: u32,
        text: &[u8],
        most: usize,
    ) -> Option<BTreeSet<Config>> {
        let mut after = if text.is_empty() { BTreeSet::new() } else { from.clone() };
        for &byte in text {
            after = self.byte(&after, byte);
            if after.len() > most {
                return None;
            }
        }
        after.extend(self.symbol(from, Symbol::Token(token)));
        after.retain(|config| self.rests(config));
        Some(after)
    }

    /// Whether the input may end: some configuration and its whole stack are final.
    pub(crate) fn accepts(&self, set: &BTreeSet<Config>) -> bool {
        set.iter().any(|(state, _, stack)| {
            self.state(*state).1.is_final
                && stack.iter().all(|&(ret, _)| self.state(ret).1.is_final)
        })
    }

    /// Whether a token may end in a configuration. States that can only return are left first. Then tokens must be able
    /// to continue from the state and from every return state.
    fn rests(&self, (state, _, stack): &Config) -> bool {
        let mut stack = stack.clone();
        let mut at = *state;
        while let Some(&(ret, _)) = stack.last() {
            if !self.state(at).1.returns_only() {
                break;
            }
            at = ret;
            stack.pop();
        }
        let fine = |id: usize| !self.state(id).1.stuck || self.state(id).1.returns_only();
        fine(at) && stack.iter().all(|&(ret, _)| fine(ret))
    }

    fn symbol(&self, from: &BTreeSet<Config>, symbol: Symbol) -> BTreeSet<Config> {
        let mut after = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut todo: Vec<Config> = from.iter().cloned().collect();
        while let Some(config) = todo.pop() {
            if !seen.insert(config.clone()) {
                continue;
            }
            let (id, count, stack) = config;
            let (offset, state) = self.state(id);
            let mut arrive = |target: usize| {
                let (id, count) = self.enter(offset + target, count);
                after.insert((id, count, stack.clone()));
            };
            match symbol {
                Symbol::Byte(byte) => {
                    state
                        .bytes
                        .iter()
                        .filter(|edge| edge.0 == byte)
                        .for_each(|edge| arrive(edge.1));
                }
                Symbol::Token(token) => {
                    let edges = state.tokens.iter().filter(|edge| edge.0.contains(&token));
                    edges.for_each(|edge| arrive(edge.1));
                }
            }
            for &(callee, ret, start) in &state.calls {
                let (bytes, tokens) = self.first[callee];
                let admitted = match symbol {
                    Symbol::Byte(byte) => bytes[usize::from(byte / 32)] >> (byte % 32) & 1 != 0,
                    Symbol::Token(_) => tokens,
                };
                if admitted {
                    let mut stack = stack.clone();
                    stack.extend(ret.map(|ret| self.enter(offset + ret, count)));
                    todo.push((self.offsets[callee], start, stack));
                }
            }
            if state.is_final {
                let mut below = stack.clone();
                if let Some((ret, count)) = below.pop() {
                    todo.push((ret, count, below));
                }
            }
        }
        after
    }
}
