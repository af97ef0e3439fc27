//! Converts an automaton over texts of numbers to an expression in which the number of digits is limited.
//!
//! Digits before a cycle are always allowed, because some keyword requires them: a constant of 400 digits keeps its
//! text. A cycle does not bound the digits. There the options' limit applies, to all digits before the point together
//! and to all digits after it together:
//!
//! - A self-loop becomes a repetition of as many digits as the limit leaves, which the network counts in a register.
//!   The canonical fraction, which must not end in a zero, is such a repetition followed by one digit. After a
//!   repetition its number of digits is unknown. If another digit follows, such as a zero at the end of `100.000`,
//!   counting restarts from zero.
//! - Any other cycle, such as the residues of `multipleOf`, is unrolled into a state for each number of digits. Its
//!   limit is at least the number of digits of the shortest text through each state of the cycle. If unrolling takes
//!   more than [`UNROLLED`] states, the cycle counts no digits, and every repetition counts from zero.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use grammarc_grammar::automata::Dfa;
use grammarc_grammar::graph::Lists;
use grammarc_grammar::ir::{ByteSet, Expr, ExprGraph};

use super::any::fraction;
use crate::options::DigitLimits;

/// Most states that unrolled cycles may add to the expression graph. Beyond, digits on cycles are not counted, so these
/// numbers may have any length.
const UNROLLED: usize = 1024;

/// A part of a number's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Part {
    /// The sign and the digits before the point.
    Whole,
    /// The digits of the number after the point.
    Fraction,
    /// The text after the `e` of an exponent.
    Exponent,
}

impl Part {
    /// Returns the part of a number's text after `byte`, which is read in this part.
    pub(super) fn after(self, byte: u32) -> Self {
        match u8::try_from(byte) {
            Ok(b'.') => Self::Fraction,
            Ok(b'e' | b'E') => Self::Exponent,
            _ => self,
        }
    }
}

/// How the grammar expression reads the digits at a node: one by one, as a repetition, or unrolled. A node is a state
/// of the automaton in one part of a number's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The node is on no cycle and reads one byte at a time.
    Straight,
    /// The node has a self-loop on these digits and is on no other cycle. The loop becomes a repetition.
    Loop(ByteSet),
    /// The node is before the rest of a canonical fraction: any digits, the last of them not zero. If the node accepts,
    /// the rest may also be empty.
    Fraction,
    /// The node is on a cycle other than a self-loop. The cycle is unrolled if that takes at most [`UNROLLED`] states.
    Cycle,
}

/// A state of the automaton together with the part of the text in which it is reached.
struct Node {
    /// The part of the number's text in which the state is reached.
    part: Part,
    /// Whether the number's text may end at this node.
    accepting: bool,
    /// The outgoing edges: bytes and the index of the target node, one entry for each target.
    edges: Vec<(ByteSet, usize)>,
}

/// Returns the grammar expression of the texts that an automaton of numbers accepts. Digits on cycles of the automaton
/// are limited; all other digits are always allowed.
pub(super) fn counted(dfa: &Dfa, limits: DigitLimits) -> Expr {
    if dfa.is_never() {
        return Expr::Never;
    }
    let nodes = nodes(dfa);
    let component = nodes.iter().map(&targets).collect::<Lists>().components();
    let kinds = kinds(&nodes, &component);
    if kinds.iter().all(|&kind| kind == Kind::Straight) {
        return Expr::Regular(Arc::new(dfa.clone()));
    }
    let plan = Plan {
        counts: counting(&nodes, &kinds, &component),
        whole: limit(&nodes, &kinds, Part::Whole, limits.integer),
        fraction: limit(&nodes, &kinds, Part::Fraction, limits.fraction),
        nodes,
        kinds,
    };
    let graph = plan.graph(true).or_else(|| plan.graph(false));
    graph.map_or(Expr::Never, |graph| Expr::Graph(Arc::new(graph)))
}

/// Returns the set of the ten digits.
fn digits() -> ByteSet {
    ByteSet::range(b'0', b'9')
}

/// Returns the indexes of the target nodes of a node's edges.
fn targets(node: &Node) -> impl Iterator<Item = usize> {
    node.edges.iter().map(|&(_, target)| target)
}

/// Returns a node for each state of the automaton and each part of the number's text in which the state is reached. The
/// start is first.
fn nodes(dfa: &Dfa) -> Vec<Node> {
    let mut order = vec![(0, Part::Whole)];
    let mut ids = FxHashMap::from_iter([(order[0], 0)]);
    let mut nodes: Vec<Node> = Vec::new();
    while let Some(&(state, part)) = order.get(nodes.len()) {
        let state = &dfa.states[state as usize];
        let mut edges: Vec<(ByteSet, usize)> = Vec::new();
        for edge in &state.edges {
            for byte in edge.lo..=edge.hi {
                let key = (edge.target, part.after(byte));
                let target = *ids.entry(key).or_insert_with(|| {
                    order.push(key);
                    order.len() - 1
                });
                let byte = ByteSet::range(byte as u8, byte as u8);
                match edges.iter_mut().find(|(_, known)| *known == target) {
                    Some((bytes, _)) => *bytes = bytes.union(byte),
                    None => edges.push((byte, target)),
                }
            }
        }
        nodes.push(Node { part, accepting: state.accepting, edges });
    }
    nodes
}

/// Returns for each node how its digits are read. A node is an automaton state in one part of a number's text.
/// `component` has the strongly connected component of each node.
fn kinds(nodes: &[Node], component: &[u32]) -> Vec<Kind> {
    let mut sizes = vec![0usize; nodes.len()];
    component.iter().for_each(|&component| sizes[component as usize] += 1);
    (0..nodes.len())
        .map(|at| {
            let own = nodes[at].edges.iter().find(|(_, target)| *target == at);
            match (own, sizes[component[at] as usize]) {
                (None, 1) => Kind::Straight,
                (Some((bytes, _)), 1) => Kind::Loop(*bytes),
                _ if is_fraction(nodes, at) => Kind::Fraction,
                _ => Kind::Cycle,
            }
        })
        .collect()
}

/// Returns whether exactly the rests of a canonical fraction may follow a node: any digits, the last of them not zero.
fn is_fraction(nodes: &[Node], at: usize) -> bool {
    let split = |at: usize| match nodes[at].edges[..] {
        [(zero, open), (other, closed)]
            if zero == ByteSet::range(b'0', b'0') && other == ByteSet::range(b'1', b'9') =>
        {
            Some((open, closed))
        }
        _ => None,
    };
    split(at).is_some_and(|(open, closed)| {
        (at == open || at == closed)
            && split(open) == Some((open, closed))
            && split(closed) == Some((open, closed))
            && !nodes[open].accepting
            && nodes[closed].accepting
    })
}

/// Returns for each node whether the digits before it must be counted: whether the node reaches a cycle in its part of
/// the number's text.
fn counting(nodes: &[Node], kinds: &[Kind], component: &[u32]) -> Vec<bool> {
    // Every edge leads to the same or a lower component, so the targets are visited first.
    let mut order: Vec<usize> = (0..nodes.len()).collect();
    order.sort_by_key(|&at| component[at]);
    let mut counts = vec![false; nodes.len()];
    for at in order {
        let within = |&target: &usize| nodes[target].part == nodes[at].part && counts[target];
        counts[at] = nodes[at].part != Part::Exponent
            && (kinds[at] != Kind::Straight || targets(&nodes[at]).any(|target| within(&target)));
    }
    counts
}

/// Returns the most digits in a part of the number's text: `limit`, or more if unrolled cycles need more. Each state of
/// such a cycle must be on some text within the limit.
fn limit(nodes: &[Node], kinds: &[Kind], part: Part, limit: u32) -> u32 {
    let weight = |from: usize, edge: &(ByteSet, usize)| {
        u32::from(nodes[from].part == part && !edge.0.intersect(digits()).is_empty())
    };
    let mut reversed: Vec<Vec<(usize, u32)>> = vec![Vec::new(); nodes.len()];
    let mut forward: Vec<Vec<(usize, u32)>> = vec![Vec::new(); nodes.len()];
    for (from, node) in nodes.iter().enumerate() {
        for edge in &node.edges {
            reversed[edge.1].push((from, weight(from, edge)));
            forward[from].push((edge.1, weight(from, edge)));
        }
    }
    let ends = (0..nodes.len()).filter(|&at| nodes[at].accepting);
    let before = distances(&forward, [0]);
    let after = distances(&reversed, ends);
    let cycles = (0..nodes.len()).filter(|&at| kinds[at] == Kind::Cycle && nodes[at].part == part);
    cycles.map(|at| before[at].saturating_add(after[at])).fold(limit, u32::max)
}

/// Returns the fewest digits on a path from the sources to every node, or `u32::MAX` without a path. `edges` has for
/// each node the targets, with weight 1 for a digit and 0 otherwise.
fn distances(edges: &[Vec<(usize, u32)>], sources: impl IntoIterator<Item = usize>) -> Vec<u32> {
    let mut distances = vec![u32::MAX; edges.len()];
    let mut work = std::collections::VecDeque::new();
    for source in sources {
        distances[source] = 0;
        work.push_back((source, 0));
    }
    while let Some((at, distance)) = work.pop_front() {
        if distances[at] < distance {
            continue;
        }
        for &(next, weight) in &edges[at] {
            if distance + weight < distances[next] {
                distances[next] = distance + weight;
                match weight {
                    0 => work.push_front((next, distance)),
                    _ => work.push_back((next, distance + weight)),
                }
            }
        }
    }
    distances
}

/// The automaton as nodes, and how the expression graph reads and counts their digits. A node is an automaton state in
/// one part of a number's text.
struct Plan {
    /// The states of the automaton, each in one part of the text; the start comes first.
    nodes: Vec<Node>,
    /// For each node, how its digits are read.
    kinds: Vec<Kind>,
    /// For each node, whether the digits before it must be counted.
    counts: Vec<bool>,
    /// Most digits of a number before the point.
    whole: u32,
    /// Most digits of a number after the point.
    fraction: u32,
}

impl Plan {
    /// Returns the greatest number of digits that the grammar expression allows in a part of the number's text.
    /// `u32::MAX` for exponents, whose digits the automaton limits.
    fn limit(&self, part: Part) -> u32 {
        match part {
            Part::Whole => self.whole,
            Part::Fraction => self.fraction,
            Part::Exponent => u32::MAX,
        }
    }

    /// Builds the expression graph. With `unroll`, a state on a cycle longer than a self-loop is copied for each number
    /// of digits, so that these digits are limited too. Returns `None` if the copies are more than [`UNROLLED`].
    fn graph(&self, unroll: bool) -> Option<ExprGraph> {
        let mut builder = Builder {
            plan: self,
            graph: ExprGraph::new(),
            ids: FxHashMap::default(),
            work: Vec::new(),
            unroll,
        };
        let start = builder.state(Key::At(0, 0));
        builder.graph.edge(ExprGraph::START, Expr::Empty, start);
        while let Some((key, from)) = builder.work.pop() {
            builder.expand(key, from);
            if unroll && builder.ids.len() > UNROLLED + self.nodes.len() {
                return None;
            }
        }
        Some(builder.graph)
    }
}

/// A state of the expression graph, described by a node of the automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// A node, by its index, and the number of digits read before it in its part of the text. The number is 0 if it is
    /// not needed.
    At(usize, u32),
    /// A node, by its index, after the repetition that replaces its self-loop.
    Past(usize),
}

/// An expression graph of texts of numbers under construction.
struct Builder<'a> {
    /// The nodes of the automaton and the limits on digits.
    plan: &'a Plan,
    /// The expression graph so far.
    graph: ExprGraph,
    /// Maps the description of a state to the state of the expression graph.
    ids: FxHashMap<Key, u32>,
    /// Worklist: the states of the expression graph that have no edges yet, each with its description.
    work: Vec<(Key, u32)>,
    /// Whether digits on cycles other than self-loops are counted, with one state for each number of digits.
    unroll: bool,
}

impl Builder<'_> {
    /// Returns the state of the expression graph that `key` describes. A new state is added to the worklist.
    fn state(&mut self, key: Key) -> u32 {
        if let Some(&state) = self.ids.get(&key) {
            return state;
        }
        let state = self.graph.state();
        self.ids.insert(key, state);
        self.work.push((key, state));
        state
    }

    /// Adds the edges of the state `from` of the expression graph, which `key` describes.
    fn expand(&mut self, key: Key, from: u32) {
        let plan = self.plan;
        let (at, read) = match key {
            Key::At(at, read) => (at, Some(read)),
            Key::Past(at) => (at, None),
        };
        let node = &plan.nodes[at];
        let left = |read: u32| plan.limit(node.part).saturating_sub(read);
        match (plan.kinds[at], read) {
            (Kind::Loop(bytes), Some(read)) => {
                let past = self.state(Key::Past(at));
                let most = Some(left(read)).filter(|&most| most != u32::MAX);
                self.graph.edge(from, Expr::Bytes(bytes).repeat(0, most), past);
            }
            (Kind::Fraction, Some(read)) => {
                if node.accepting {
                    self.graph.edge(from, Expr::Empty, self.graph.end());
                }
                let most = left(read);
                if most > 0 {
                    self.graph.edge(from, fraction(most), self.graph.end());
                }
            }
            (_, read) => {
                if node.accepting {
                    self.graph.edge(from, Expr::Empty, self.graph.end());
                }
                for &(bytes, target) in &node.edges {
                    if let Some(read) = self.read(at, read, bytes, target) {
                        let to = self.state(Key::At(target, read));
                        self.graph.edge(from, Expr::Bytes(bytes), to);
                    }
                }
            }
        }
    }

    /// Returns the number of digits read after the edge from node `at` to `target`, or 0 if the target need not count
    /// them. `read` is the number before the edge, unknown after a repetition. Returns `None` if the edge would exceed
    /// the limit, or repeat a self-loop that has ended.
    fn read(&self, at: usize, read: Option<u32>, bytes: ByteSet, target: usize) -> Option<u32> {
        let plan = self.plan;
        if read.is_none() && target == at {
            return None;
        }
        let part = plan.nodes[at].part;
        let is_digit = !bytes.intersect(digits()).is_empty() && plan.nodes[target].part == part;
        let read = if is_digit { read.unwrap_or(0) + 1 } else { 0 };
        if !plan.counts[target] || !self.unroll {
            return Some(0);
        }
        let is_beyond = plan.kinds[at] == Kind::Cycle && is_digit && read > plan.limit(part);
        (!is_beyond).then_some(read)
    }
}
