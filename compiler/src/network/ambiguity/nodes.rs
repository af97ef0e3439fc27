//! Configurations within catalogues: the packed nodes themselves, of which the network has only a part.
//!
//! Such a configuration has the first state of its rule, and the address of its node in the register. Of most nodes nothing
//! has to be explored: what leads on from one alone is one node, and where a text may end and go on, the two ways mostly
//! begin with different bytes. The exploration begins with the nodes that are left.

use grammarc_artifacts::packed_strings::Node;

use super::deterministic::is_deterministic;
use super::exploration::{Exploration, Symbol};
use super::packed::labels;
use super::position::Configuration;
use super::register::Register;
use super::stacks::Frame;

use crate::ir::ByteSet;
use crate::network::catalogue::Catalogue;

impl<'a> Exploration<'a> {
    /// The node of a configuration within a catalogue.
    #[inline]
    pub(super) fn node(&self, at: Configuration) -> Option<Node<'a>> {
        let Register::Node(address) = at.register else { return None };
        Some(self.packed.of(at.state)?.nodes().node(address))
    }

    /// Whether one configuration leads on from this one alone.
    pub(super) fn is_alone(&self, at: Configuration) -> bool {
        match self.node(at) {
            Some(node) => !self.is_open(node, self.follow.bytes(self.follow.rule_of(at.state))),
            None => self.no_tokens && is_deterministic(self.follow, at.state),
        }
    }

    /// Whether a text may end at a node and go on with the same, where these bytes may come after the rule. Whole tokens that
    /// may come may be of any bytes.
    fn is_open(&self, node: Node<'_>, after: ByteSet) -> bool {
        let both = || !self.no_tokens || !labels(node).intersect(after).is_empty();
        node.is_final() && !node.is_end() && both()
    }

    /// Whether a rule may return where the configuration is.
    pub(super) fn may_return(&self, at: Configuration) -> bool {
        match self.node(at) {
            Some(node) => node.is_final(),
            None => self.follow.is_final(at.state),
        }
    }

    /// Begins with the nodes of a catalogue that can go on and end with the same byte.
    pub(super) fn meet_nodes(&mut self, state: u32, catalogue: &Catalogue) -> Result<(), u32> {
        let after = self.follow.bytes(self.follow.rule_of(state));
        if self.no_tokens && catalogue.behind_ends.intersect(after).is_empty() {
            return Ok(());
        }
        let nodes = catalogue.nodes();
        let mut address = 1;
        while (address as usize) < nodes.len() {
            let node = nodes.node(address);
            if self.is_open(node, after) {
                self.meet(&mut [Configuration::within(state, address)])?;
            }
            address = node.end();
        }
        Ok(())
    }

    /// The successor of a configuration at a node on a symbol: the next node, or the place that the rule returns to where
    /// texts only end there.
    pub(super) fn read_node(
        &mut self,
        (at, node): (Configuration, Node<'a>),
        symbol: Symbol,
    ) -> Option<Result<Configuration, Frame>> {
        let Symbol::Byte(byte) = symbol else { return None };
        match labels(node).contains(byte) {
            // The next byte leads to another node.
            true => self.same_until = byte,
            false => self.depends(byte, labels(node)),
        }
        let address = node.on(byte)?;
        let register = Register::Node(address);
        let next = Configuration { register, ..at };
        if !self.node(next)?.is_end() {
            return Some(Ok(next));
        }
        let Some((stack, (state, below))) = self.stacks.pop(at.stack) else {
            return Some(Err((at.state, register)));
        };
        Some(self.settle(state, below, stack))
    }
}
