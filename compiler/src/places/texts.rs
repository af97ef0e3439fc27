//! Shortest texts of rules, by the states and edges of the network alone. Counters and required keys are not regarded.

use grammarc_artifacts::sections::network::{CallEdge, NONE, rule_flags, state_flags};
use grammarc_artifacts::tables::Joined;

/// Length of a text that there is not.
const NEVER: u32 = u32::MAX;

/// Most sweeps over all states. Nearly always two suffice. Beyond it, some texts are not the shortest.
const MOST_SWEEPS: usize = 64;

/// Most steps of a text: transitions and calls.
const MOST_STEPS: usize = 1 << 12;

/// The first step of a text: what it reads, and the state after it.
#[derive(Clone, Copy)]
enum Next {
    Byte(u8, u32),
    /// A call with the first value of its register. [`NONE`] after a tail call.
    Call {
        callee: u32,
        count: u32,
        after: u32,
    },
    /// A token of which no bytes are regarded, or nothing.
    Skip(u32),
}

/// Lengths of shortest texts up to the end of a rule, for the own states and for those that they reach through calls.
pub(super) struct Texts<'a> {
    tables: Joined<'a>,
    lengths: Vec<u32>,
}

impl<'a> Texts<'a> {
    /// Computes the lengths, until nothing changes.
    pub(super) fn new(tables: Joined<'a>) -> Self {
        let border = tables.own.bases.states;
        let count = border + tables.own.state_count();
        let mut texts = Self { tables, lengths: vec![NEVER; count as usize] };
        let order = texts.successors_first(border..count);
        for _ in 0..MOST_SWEEPS {
            if !order.iter().fold(false, |changed, &state| texts.relax(state) | changed) {
                break;
            }
        }
        texts
    }

    /// Returns the states that some are followed by, themselves included. Outside of cycles, each comes after its
    /// successors.
    fn successors_first(&self, roots: std::ops::Range<u32>) -> Vec<u32> {
        let mut seen = vec![false; self.lengths.len()];
        let mut order = Vec::new();
        for root in roots {
            // A state is pushed once to be opened, and once to be written after its successors.
            let mut open = vec![(root, false)];
            while let Some((state, is_done)) = open.pop() {
                if is_done {
                    order.push(state);
                    continue;
                }
                if std::mem::replace(&mut seen[state as usize], true) {
                    continue;
                }
                open.push((state, true));
                let (part, index) = self.tables.locate(state);
                let mut push = |state| {
                    if state != NONE && !seen[state as usize] {
                        open.push((state, false));
                    }
                };
                self.instead(state).for_each(&mut push);
                part.byte_edges_of(index).iter().for_each(|edge| push(edge.target));
                part.token_edges_of(index).iter().for_each(|edge| push(edge.target));
                for edge in part.call_edges_of(index) {
                    push(edge.ret);
                    push(self.tables.rule(edge.callee).first_state);
                }
            }
        }
        order
    }

    /// Returns the states that are entered in place of a state if a counter says so.
    pub(super) fn instead(&self, state: u32) -> impl Iterator<Item = u32> + use<> {
        let record = self.tables.state(state);
        let then = (record.flags & state_flags::THEN != 0).then_some(state + 1);
        then.into_iter().chain(record.exit())
    }

    /// Recomputes the length of a state from those of its successors. Returns whether it changed.
    fn relax(&mut self, state: u32) -> bool {
        let new = self.best(state).map_or(NEVER, |(length, _)| length);
        let is_final = self.tables.state(state).flags & state_flags::FINAL != 0;
        let new = if is_final { 0 } else { new };
        std::mem::replace(&mut self.lengths[state as usize], new) != new
    }

    /// Returns the length of the shortest text from a state on that is not empty, with its first step. `None` if there
    /// is none yet.
    fn best(&self, state: u32) -> Option<(u32, Next)> {
        let (part, index) = self.tables.locate(state);
        let rest = |target: u32| match target {
            NONE => 0,
            target => self.lengths[target as usize],
        };
        let bytes = part.byte_edges_of(index).iter();
        let bytes = bytes
            .map(|edge| (rest(edge.target).saturating_add(1), Next::Byte(edge.lo(), edge.target)));
        let calls = part.call_edges_of(index).iter().map(|edge| {
            let callee = self.lengths[self.tables.rule(edge.callee).first_state as usize];
            (
                callee.saturating_add(rest(edge.ret)),
                Next::Call { callee: edge.callee, count: edge.count, after: edge.ret },
            )
        });
        let tokens = part.token_edges_of(index).iter();
        let tokens =
            tokens.map(|edge| (rest(edge.target).saturating_add(1), Next::Skip(edge.target)));
        let instead = self.instead(state).map(|target| (rest(target), Next::Skip(target)));
        let all =
            bytes.chain(calls).chain(tokens).chain(instead).filter(|&(length, _)| length != NEVER);
        all.min_by_key(|&(length, _)| length)
    }

    /// Returns the bytes of a shortest text of a call. Empty if there is none.
    pub(super) fn of_call(&self, edge: &CallEdge) -> Vec<u8> {
        let record = self.tables.rule(edge.callee);
        let mut text = Vec::new();
        if record.flags & rule_flags::PACKED_STRINGS != 0 {
            self.packed(edge.count, &mut text);
            return text;
        }
        // States to go on from, the next one last. A rule's text ends at a final state.
        let mut open = vec![record.first_state];
        let longest = self.lengths[record.first_state as usize];
        let mut steps = 0;
        while let Some(state) = open.pop() {
            steps += 1;
            if steps > MOST_STEPS {
                break;
            }
            if self.lengths[state as usize] == 0
                || longest == NEVER
                || text.len() > longest as usize
            {
                continue;
            }
            match self.best(state) {
                Some((_, Next::Byte(byte, target))) => {
                    text.push(byte);
                    open.push(target);
                }
                Some((_, Next::Call { callee, count, after })) => {
                    open.extend(Some(after).filter(|&after| after != NONE));
                    let record = self.tables.rule(callee);
                    match record.flags & rule_flags::PACKED_STRINGS != 0 {
                        true => self.packed(count, &mut text),
                        false => open.push(record.first_state),
                    }
                }
                Some((_, Next::Skip(target))) => open.push(target),
                None => {}
            }
        }
        text
    }

    /// Writes a text of a packed string set from the node at an address on.
    fn packed(&self, address: u32, text: &mut Vec<u8>) {
        let nodes = self.tables.packed_strings();
        let mut node = nodes.node(address);
        while !node.is_final()
            && let Some(&byte) = node.labels().first()
        {
            text.push(byte);
            node = nodes.node(node.target(0));
        }
    }
}
