//! The search: finds the cheapest path through the lattice of readings that the grammar accepts.
//!
//! Dijkstra's algorithm over nodes. A node is a position in the source, a position in the grammar,
//! and the set of styles used. It is expanded once for each band of costs ([`BANDS`]), so that
//! valid parts are only read exactly. Costs are small integers, so the queue has one bucket for
//! each.
//!
//! Paths to one node with the same cost may have different meanings. The first path is stored as
//! the node, and the others beside it, because the continuations are the same. At the end of the
//! text, they are compared by a hash of the lexemes that the grammar accepted.
//!
//! The same source, grammar and limits give the same result on every machine, unless there is a
//! time limit.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::hash::Hasher;
use std::ops::Range;
use std::time::Instant;

use grammarc_runtime::{Grammar, PositionId, Positions};
use rustc_hash::{FxHashMap, FxHasher};

use crate::scan::skip_space;
use crate::strict::whole_characters;

use super::bucket_queue::{BucketQueue, Next};
use super::costs::{self, Cost, Styles};
use super::lattice::{BANDS, Buffers, Move, Place, Step, moves};
use super::layout::Layout;
use super::limits::{Limit, OpenStrings, RepairLimits, RepairOptions};
use super::numbers::write_number;
use super::quotes::Quote;
use super::strings::{Lack, StringReading};
use super::{outside, spell, wide};

/// The index that denotes no node.
const NONE: u32 = u32::MAX;
/// Number of node visits between two checks of the time limit.
const CLOCK: usize = 64;
/// Maximum number of configurations (parses) of one position in the grammar. A step that would
/// exceed it is not taken.
const CONFIGURATIONS: usize = 4096;
/// Maximum number of stack frames of all grammar positions of a search. A step that would exceed it
/// is not taken.
const FRAMES: usize = 1 << 20;
/// Maximum number of further paths that are stored for one node. Others are dropped.
const MOST_OTHERS: usize = 4;
/// Maximum number of paths that are compared at an end of the document. Others are dropped.
const MOST_WAYS: usize = 16;

/// A node of the search: a position in the source with a position in the grammar.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// Byte offset in the source, after white space.
    at: u32,
    position: PositionId,
    styles: Styles,
    cost: Cost,
    depth: u16,
    /// Whether the last lexeme is a number. No number may follow it, because both would form one
    /// number.
    number: bool,
    /// Index of the node after the opening bracket of the innermost container. [`NONE`] if no
    /// container is open.
    open: u32,
    /// Index of the previous node on the path. [`NONE`] for a start.
    from: u32,
    /// The step from the previous node to this one.
    step: Step,
    /// Byte offset after the lexeme of the step.
    end: u32,
    /// Hash of the lexemes on the path, as the grammar accepted them.
    hash: u64,
    /// Index of a node for another path with the same position and another meaning. [`NONE`] if
    /// there is none.
    other: u32,
}

/// A step of a finished path through the readings, with the byte range of its lexeme in the source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub(super) step: Step,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The state of a search for the cheapest repair of one source text.
pub(super) struct Search<'s> {
    source: &'s str,
    options: RepairOptions,
    positions: Positions,
    nodes: Vec<Node>,
    index: FxHashMap<(u32, PositionId, Styles, bool), u32>,
    queue: BucketQueue,
    work: Work,
    layout: Layout,
    /// The largest byte offset that a path reached.
    pub(super) farthest: usize,
    moves: Vec<Move>,
    buffers: Buffers,
    text: Vec<u8>,
}

/// The work that a search has done so far, to be compared with the limits.
struct Work {
    visits: usize,
    /// Number of bytes that were scanned and of lexemes that were tried.
    steps: u64,
    started: Instant,
}

impl Work {
    /// Counts the visit of a node. `nodes` is the number of nodes so far.
    ///
    /// # Errors
    ///
    /// A limit is exceeded.
    fn count_visit(&mut self, nodes: usize, limits: RepairLimits) -> Result<(), Limit> {
        self.visits += 1;
        if self.visits.is_multiple_of(CLOCK)
            && limits.deadline.is_some_and(|deadline| self.started.elapsed() > deadline)
        {
            return Err(Limit::Time);
        }
        if self.steps > limits.steps {
            return Err(Limit::Steps);
        }
        if nodes > limits.nodes {
            return Err(Limit::Nodes);
        }
        Ok(())
    }
}

impl<'s> Search<'s> {
    pub(super) fn new(source: &'s str, grammar: &Grammar, options: RepairOptions) -> Self {
        let mut search = Self {
            source,
            options,
            positions: Positions::new(grammar, CONFIGURATIONS, FRAMES),
            nodes: Vec::new(),
            index: FxHashMap::default(),
            queue: BucketQueue::new(),
            work: Work { visits: 0, steps: 0, started: Instant::now() },
            layout: Layout::of(source.as_bytes()),
            farthest: 0,
            moves: Vec::new(),
            buffers: Buffers::default(),
            text: Vec::new(),
        };
        for (at, cost) in outside::starts(source) {
            let node = Node {
                at: at as u32,
                position: Positions::START,
                styles: Styles::NONE,
                cost,
                depth: 0,
                number: false,
                open: NONE,
                from: NONE,
                step: Step::Start,
                end: at as u32,
                hash: 0,
                other: NONE,
            };
            search.reach(node);
        }
        search
    }

    /// Returns the next node at which the document ends, with its cost. Costs never decrease from
    /// call to call. `None` if no further end costs at most `most`. Fails if a limit is exceeded.
    pub(super) fn next_end(&mut self, most: Cost) -> Result<Option<(u32, Cost)>, Limit> {
        while let Some(next) = self.queue.pop(most) {
            match next {
                Next::Node(node, band) => self.visit(node, band)?,
                Next::End(end) => return Ok(Some((end, self.queue.cost as Cost))),
            }
        }
        Ok(None)
    }

    fn visit(&mut self, node: u32, band: usize) -> Result<(), Limit> {
        self.work.count_visit(self.nodes.len(), self.options.limits)?;
        // If the cost differs, a cheaper path to the node was found since, and this entry is
        // outdated.
        let due = usize::from(self.nodes[node as usize].cost + BANDS[band].0);
        if due == self.queue.cost {
            self.expand(node, band);
        }
        Ok(())
    }

    /// Adds a node, or another path to a known node.
    fn reach(&mut self, new: Node) {
        let key = (new.at, new.position, new.styles, new.number);
        let next = self.nodes.len() as u32;
        let known = *self.index.entry(key).or_insert(next);
        if known == next {
            self.nodes.push(new);
        } else {
            let old = self.nodes[known as usize];
            if old.cost <= new.cost {
                if new.cost <= old.cost + costs::CLOSER_MARGIN
                    && self.is_other_path(known, new.hash)
                {
                    self.nodes.push(Node { other: old.other, ..new });
                    self.nodes[known as usize].other = next;
                }
                return;
            }
            self.nodes[known as usize] = new;
        }
        self.farthest = self.farthest.max(new.at as usize);
        self.queue.push(new.cost, known, 0);
    }

    /// Whether no stored path to the node has this hash, and there is room for another path.
    fn is_other_path(&self, mut node: u32, hash: u64) -> bool {
        for _ in 0..MOST_OTHERS {
            let known = &self.nodes[node as usize];
            if known.hash == hash {
                return false;
            }
            if known.other == NONE {
                return true;
            }
            node = known.other;
        }
        false
    }

    fn expand(&mut self, id: u32, band: usize) {
        let node = self.nodes[id as usize];
        let at = node.at as usize;
        let is_root = node.position == Positions::START;
        if band == 0 && !is_root && self.positions.is_accepting(node.position) {
            let (kind, mut cost) = outside::suffix(self.source, at);
            // A text that is known to be truncated hardly ever ends exactly at the end of its
            // document.
            if self.options.cut && node.cost > 0 && !node.styles.has(Styles::ENDED) {
                cost += costs::CUT_WHOLE;
            }
            self.work.steps += (self.source.len() - at) as u64;
            // If the closing bracket was inserted, the text after it may belong inside, so it must
            // not be removed.
            let is_closed = node.step == Step::Read
                && matches!(self.source.as_bytes()[node.end as usize - 1], b'}' | b']');
            if kind == outside::Suffix::Nothing
                || is_closed
                || outside::is_end(self.source.as_bytes(), at)
            {
                self.queue.push_end(node.cost + cost, id);
            }
        }
        let most = costs::MOST - node.cost.min(costs::MOST);
        let coerce = self.options.coerce;
        let text = band + 1 == BANDS.len() && self.takes_text(&node);
        let place = Place { at, styles: node.styles, is_root, most, coerce, text };
        let mut found = std::mem::take(&mut self.moves);
        found.clear();
        let read =
            moves(self.source, place, BANDS[band], &self.layout, &mut self.buffers, &mut found);
        self.work.steps += read as u64;
        if band == 2 && !is_root && self.tail(id) {
            found.push(Move {
                step: Step::Tail,
                end: self.source.len(),
                cost: costs::TAIL,
                styles: node.styles,
            });
        }
        if band == 0 && !is_root && self.is_outdented(&node) {
            let closes = matches!(self.source.as_bytes().get(at), Some(b'}' | b']'));
            let cost = if closes { costs::OUTDENTED_CLOSER } else { costs::OUTDENTED };
            for byte in [b'}', b']'].into_iter().filter(|byte| !node.styles.has_lost(*byte)) {
                found.push(Move { step: Step::Insert(byte), end: at, cost, styles: node.styles });
            }
        }
        for next in &found {
            self.step(id, node, *next);
        }
        self.moves = found;
        if let Some((least, _)) = BANDS.get(band + 1) {
            self.queue.push(node.cost + least, id, band as u8 + 1);
        }
    }

    /// Takes a move if the grammar accepts its lexeme: adds the node after it.
    fn step(&mut self, id: u32, node: Node, next: Move) {
        let Move { step, end, mut cost, styles } = next;
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        let start = node.at as usize;
        let bytes = self.source.as_bytes();
        let number = match step {
            Step::Read => is_number(bytes, start),
            Step::Number => true,
            _ => false,
        };
        if number && (node.number || (self.options.cut && end == bytes.len())) {
            self.text = text;
            return;
        }
        // A tuple is closed by a parenthesis only, and a parenthesis closes nothing else.
        let closes =
            matches!(step, Step::Mark(b']')) || (step == Step::Read && bytes[start] == b']');
        if closes {
            let is_tuple = self.opener(&node).is_some_and(|opener| bytes[opener.start] == b'(');
            if is_tuple != (bytes[start] == b')') {
                self.text = text;
                return;
            }
        }
        let said = match step {
            Step::Read => &bytes[start..end],
            Step::String(reading) => {
                spell::write(self.source, start, &reading, &mut text);
                &text[..]
            }
            Step::Literal(literal) => literal.as_bytes(),
            Step::Nothing => b"null",
            Step::Number => {
                write_number(&bytes[start..end], &mut text);
                &text[..]
            }
            Step::Insert(byte) | Step::Close(byte) | Step::Mark(byte) => {
                text.push(byte);
                &text[..]
            }
            Step::Start | Step::Comment | Step::Space | Step::Delete | Step::Tail | Step::End => {
                &[]
            }
        };
        // The grammar contains whole characters only, as the value does. See the module `strict`.
        let whole = match said.first() {
            Some(b'"') if memchr::memchr(b'\\', said).is_some() => {
                std::str::from_utf8(said).map(whole_characters).unwrap_or_default()
            }
            _ => Cow::default(),
        };
        let said = if whole.is_empty() { said } else { whole.as_bytes() };
        let mut hash = FxHasher::default();
        self.work.steps += 1 + said.len() as u64;
        let (hash, after) = if said.is_empty() {
            (node.hash, Some(node.position))
        } else {
            hash.write_u64(node.hash);
            hash.write(said);
            // If a limit of the grammar positions is exceeded, only this path ends.
            (hash.finish(), self.positions.after(node.position, said).unwrap_or(None))
        };
        let number = number || (said.is_empty() && node.number);
        let (depth, open) = match said {
            // The index of the new node, if it is added.
            [b'{' | b'['] => (node.depth + 1, self.nodes.len() as u32),
            [b'}' | b']'] => (node.depth.saturating_sub(1), self.container_of(node.open)),
            _ => (node.depth, node.open),
        };
        if let Step::String(reading) = step
            && let Some(position) = after
        {
            cost += self.key_price(position, &reading);
        }
        self.text = text;
        let Some(position) = after.filter(|_| usize::from(depth) <= self.options.limits.depth)
        else {
            return;
        };
        let at = skip_space(bytes, end) as u32;
        let cost = node.cost + cost;
        let (from, end) = (id, end as u32);
        let other = NONE;
        self.reach(Node {
            at,
            position,
            styles,
            cost,
            depth,
            number,
            open,
            from,
            step,
            end,
            hash,
            other,
        });
    }

    /// Whether there are digits at a node where the grammar accepts a string but no number.
    fn takes_text(&mut self, node: &Node) -> bool {
        let begins = self.source.as_bytes().get(node.at as usize);
        if !begins.is_some_and(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'(')) {
            return false;
        }
        let Ok(mut bytes) = self.positions.next_bytes(node.position) else { return false };
        let mut has_quote = false;
        let has_number = bytes.any(|byte| {
            has_quote |= byte == b'"';
            byte.is_ascii_digit() || byte == b'-'
        });
        has_quote && !has_number
    }

    /// Returns the additional cost of a string that is unlikely as a key. Such a string is open at
    /// the end, seems to contain the end of a key, or has a colon but no quotes. Unquoted digits
    /// before a colon also cost if they are not read as a key. 0 for other strings.
    fn key_price(&mut self, position: PositionId, reading: &StringReading) -> Cost {
        let bytes = self.source.as_bytes();
        let (start, end) = (reading.content.0 as usize, reading.content.1 as usize);
        let has_key = || {
            memchr::memchr_iter(b'"', &bytes[start..end])
                .filter_map(|at| wide::any_mark(bytes, skip_space(bytes, start + at + 1)))
                .any(|(mark, _)| mark == b':')
        };
        let content = &bytes[start..end];
        let is_bare = reading.quote == Quote::Bare;
        let is_no_key = reading.lack == Lack::Rest
            || (reading.inner && has_key())
            || (is_bare && content.contains(&b':'));
        // Digits before a colon are a key. They are never a string value.
        let is_key_alone = is_bare
            && content.iter().all(u8::is_ascii_digit)
            && wide::any_mark(bytes, skip_space(bytes, end)).is_some_and(|(mark, _)| mark == b':');
        if !is_no_key && !is_key_alone {
            return 0;
        }
        let is_key = self.positions.after(position, b":").is_ok_and(|after| after.is_some());
        if is_key == is_no_key { costs::MOST } else { 0 }
    }

    /// Whether the text from a node on consists of an incomplete item or member.
    fn tail(&self, id: u32) -> bool {
        let at = self.nodes[id as usize].at as usize;
        let source = self.source.as_bytes();
        // An incomplete part has at most a key, a colon and a scalar, but no container.
        let strings = self.options.strings == OpenStrings::Drop;
        let may = |in_object| outside::tail(source, at, in_object, strings).is_some();
        if !may(true) && !may(false) {
            return false;
        }
        may(self.in_object(id))
    }

    /// Returns the enclosing container of the container `open`. Both are given by the index of the
    /// node after their opening bracket. [`NONE`] if there is none.
    fn container_of(&self, open: u32) -> u32 {
        let Some(node) = self.nodes.get(open as usize) else { return NONE };
        self.nodes.get(node.from as usize).map_or(NONE, |outer| outer.open)
    }

    /// Returns the byte range of the innermost container's opening bracket. `None` if no container
    /// is open.
    fn opener(&self, node: &Node) -> Option<Range<usize>> {
        let open = self.nodes.get(node.open as usize)?;
        let before = self.nodes.get(open.from as usize)?;
        Some(before.at as usize..open.end as usize)
    }

    /// Whether the innermost open container is an object.
    fn in_object(&self, id: u32) -> bool {
        let opener = self.opener(&self.nodes[id as usize]);
        let mark = opener.and_then(|opener| wide::any_mark(self.source.as_bytes(), opener.start));
        mark.is_some_and(|(mark, _)| mark == b'{')
    }

    /// Whether the indentation of the source shows that the innermost container ended before a
    /// node. The container's content is indented deeper than its opening line, and the node starts
    /// a line that is not.
    fn is_outdented(&self, node: &Node) -> bool {
        let bytes = self.source.as_bytes();
        let at = node.at as usize;
        let layout = &self.layout;
        let (Some(indent), Some(opener)) = (layout.indent(bytes, at), self.opener(node)) else {
            return false;
        };
        let inside = layout.indent(bytes, skip_space(bytes, opener.end));
        let outside = layout.line_indent(bytes, opener.start);
        let closes = matches!(bytes.get(at), Some(b'}' | b']'));
        inside.is_some_and(|inside| inside > outside)
            && if closes { indent < outside } else { indent <= outside }
    }

    /// Returns the paths to an end that cost at most `margin` more than the cheapest one, which
    /// comes first. All have different meanings.
    pub(super) fn paths(&self, end: u32, margin: Cost) -> Vec<Vec<Taken>> {
        let mut found = Vec::new();
        let mut open = VecDeque::from([(Vec::new(), end, margin, true)]);
        while let Some((mut path, mut at, margin, mut is_first)) = open.pop_front() {
            while at != NONE {
                let node = self.nodes[at as usize];
                // Alternatives of an alternative path were added with the first one.
                let mut beside = if is_first { node.other } else { NONE };
                while let Some(other) = self.nodes.get(beside as usize) {
                    if let Some(left) = margin.checked_sub(other.cost - node.cost)
                        && open.len() + found.len() < MOST_WAYS
                    {
                        open.push_back((path.clone(), beside, left, false));
                    }
                    beside = other.other;
                }
                is_first = true;
                let start = match node.from {
                    NONE => node.end,
                    from => self.nodes[from as usize].at,
                };
                path.push(Taken { step: node.step, start: start as usize, end: node.end as usize });
                at = node.from;
            }
            path.reverse();
            let last = path.last().map_or(0, |last| skip_space(self.source.as_bytes(), last.end));
            path.push(Taken { step: Step::End, start: last, end: self.source.len() });
            found.push(path);
        }
        found
    }
}

/// Whether a valid lexeme at `at` is a number.
pub(super) fn is_number(source: &[u8], at: usize) -> bool {
    matches!(source.get(at), Some(b'-' | b'0'..=b'9'))
}
