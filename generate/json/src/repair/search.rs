//! The search: the cheapest path through the lattice that the grammar accepts.
//!
//! Dijkstra's algorithm over nodes (place in the source, position in the grammar, styles used). A node is visited
//! once for each band of prices ([`BANDS`]), so that valid parts only have their exact reading. Costs are small
//! integers, so the queue has a bucket for each.
//!
//! Paths of one cost to one node may have different meanings. The first is kept as the node, the others next to it,
//! since the continuations are the same. They are compared at the end of the text, by a hash of the lexemes that the
//! grammar accepted.
//!
//! Same source, grammar and limits give the same result on every machine, unless there is a deadline.

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

/// Denotes no node.
const NONE: u32 = u32::MAX;
/// Number of visits between two checks of the deadline.
const CLOCK: usize = 64;
/// Limit on the configurations of one position in a relaxed grammar. A step beyond it is not taken.
const CONFIGURATIONS: usize = 4096;
/// Limit on the frames of all positions of a search. A step beyond it is not taken.
const FRAMES: usize = 1 << 20;
/// Maximum number of further paths to one node. Others are dropped.
const MOST_OTHERS: usize = 4;
/// Maximum number of paths that are compared. Others are dropped.
const MOST_WAYS: usize = 16;

/// A place in the source with one in the grammar.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// Offset after white space.
    at: u32,
    position: PositionId,
    styles: Styles,
    cost: Cost,
    depth: u16,
    /// Whether the last lexeme is a number. No number may follow, since both would be one.
    number: bool,
    /// The node after the opener of the innermost container.
    open: u32,
    /// The predecessor.
    from: u32,
    /// The step from the predecessor.
    step: Step,
    /// Offset after the lexeme of the step.
    end: u32,
    /// Hash of the path's meaning.
    hash: u64,
    /// Another path to this node with the same cost and another meaning.
    other: u32,
}

/// A step of a path: the lexeme and its range.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub(super) step: Step,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A search over one source.
pub(super) struct Search<'s> {
    source: &'s str,
    options: RepairOptions,
    positions: Positions,
    nodes: Vec<Node>,
    index: FxHashMap<(u32, PositionId, Styles, bool), u32>,
    queue: BucketQueue,
    work: Work,
    layout: Layout,
    /// The largest offset that was read.
    pub(super) farthest: usize,
    moves: Vec<Move>,
    buffers: Buffers,
    text: Vec<u8>,
}

/// The work so far.
struct Work {
    visits: usize,
    /// Bytes read and lexemes tried.
    steps: u64,
    started: Instant,
}

impl Work {
    /// Counts a visit.
    ///
    /// # Errors
    ///
    /// A limit that is exceeded.
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

    /// Returns the next end of a document and its cost, which never decreases. `None` if no further end costs at most
    /// `most`.
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
        // Otherwise a cheaper path was found since.
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

    /// Whether no known path to a node has this hash, and another fits in the limit.
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
            // A text that is known to be cut hardly ends where its document does.
            if self.options.cut && node.cost > 0 && !node.styles.has(Styles::ENDED) {
                cost += costs::CUT_WHOLE;
            }
            self.work.steps += (self.source.len() - at) as u64;
            // A document that is closed by an inserted closer does not leave out what stood inside.
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

    /// Takes a move if the grammar accepts its lexeme.
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
        // A tuple closes with its own mark, and nothing else does.
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
        // The grammar has characters alone, as the value has: see `strict`.
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
            // A limit of the positions closes this path alone.
            (hash.finish(), self.positions.after(node.position, said).unwrap_or(None))
        };
        let number = number || (said.is_empty() && node.number);
        let (depth, open) = match said {
            // The number of the new node, if it is one.
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

    /// Whether digits are at a node where the grammar accepts a string and no number.
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

    /// Returns the extra price of an unlikely key. Such keys are open at the end, contain the end of another key, or
    /// have a colon and no quotes. Digits without quotes before a colon that are not a key also have a price. 0 for
    /// other strings.
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
        // Digits before a colon are a key, or no string at all.
        let is_key_alone = is_bare
            && content.iter().all(u8::is_ascii_digit)
            && wide::any_mark(bytes, skip_space(bytes, end)).is_some_and(|(mark, _)| mark == b':');
        if !is_no_key && !is_key_alone {
            return 0;
        }
        let is_key = self.positions.after(position, b":").is_ok_and(|after| after.is_some());
        if is_key == is_no_key { costs::MOST } else { 0 }
    }

    /// Whether the text from a node on is truncated in the next item or member.
    fn tail(&self, id: u32) -> bool {
        let at = self.nodes[id as usize].at as usize;
        let source = self.source.as_bytes();
        // No tail has more than a key, a colon and a scalar; a container is none.
        let strings = self.options.strings == OpenStrings::Drop;
        let may = |in_object| outside::tail(source, at, in_object, strings).is_some();
        if !may(true) && !may(false) {
            return false;
        }
        may(self.in_object(id))
    }

    /// Returns the container that contains the one whose opener precedes a node.
    fn container_of(&self, open: u32) -> u32 {
        let Some(node) = self.nodes.get(open as usize) else { return NONE };
        self.nodes.get(node.from as usize).map_or(NONE, |outer| outer.open)
    }

    /// Returns the range of the innermost container's opener.
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

    /// Whether the indentation of the source says that the innermost container ended before a node. The container's
    /// lines are indented, and the node starts a line indented no more than that of its opener.
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

    /// Returns the paths to an end that cost at most `margin` more than the cheapest, which comes first. Their
    /// meanings differ.
    pub(super) fn paths(&self, end: u32, margin: Cost) -> Vec<Vec<Taken>> {
        let mut found = Vec::new();
        let mut open = VecDeque::from([(Vec::new(), end, margin, true)]);
        while let Some((mut path, mut at, margin, mut is_first)) = open.pop_front() {
            while at != NONE {
                let node = self.nodes[at as usize];
                // Alternatives of an alternative were entered with the first one.
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

/// Whether a valid lexeme is a number.
pub(super) fn is_number(source: &[u8], at: usize) -> bool {
    matches!(source.get(at), Some(b'-' | b'0'..=b'9'))
}
