//! The parses of an output so far: threads, as in a simulation that tracks captures (Pike). A thread is a configuration
//! with its scope, the call of a region that it is in.
//!
//! Threads advance one by one, so that each keeps its history. If two threads reach one configuration, the first stays.
//! Items that must differ are not compared, since the splitter reads only allowed outputs.

use grammarc_artifacts::sections::network::{NONE, state_flags};
use grammarc_artifacts::{MaskPool, Region};

use crate::error::LimitError;
use crate::grammar::Grammar;
use crate::position::stack::{BOTTOM, Frames};
use crate::position::state_ranges::StateRanges;
use crate::position::{Configuration, Configurations};
use crate::step::machine::{Calls, Limits, Machine};

use super::markers::Symbol;
use super::pending::{DECIDED, Node, Pending};
use super::scopes::{OUTSIDE, Scopes};

/// The empty set, as the set of monotone states for a closure. A closure keeps all countdowns, since the larger one may
/// be visited after the smaller.
static EACH: StateRanges = StateRanges::none();

/// One parse of the output so far. An ambiguous grammar may have several.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Thread {
    pub(super) at: Configuration,
    /// Number of the scope that the configuration is in.
    pub(super) scope: u32,
    /// Number in [`Pending`] of the node of the newest layer, or [`DECIDED`].
    node: u32,
    /// Number of special tokens that it read in texts. 0 if the output is read as tokens.
    spelled: u32,
}

/// A thread that took a token edge, while other threads read the bytes of the same token.
#[derive(Clone, Copy, Debug)]
struct Passing {
    /// The thread before the edge.
    from: Thread,
    /// The thread after it.
    thread: Thread,
    /// Number of the scope that contains the token edge.
    read_in: u32,
}

/// A thread that took an edge on a special token, of whose text only a part was read.
#[derive(Clone, Copy, Debug)]
struct Spelling {
    passing: Passing,
    /// Id of the special token.
    token: u32,
    /// Number of bytes of its text that were read.
    read: usize,
}

/// All threads of an output, with the frames and scopes to which they refer.
#[derive(Debug)]
pub(super) struct Threads {
    /// Threads after the input so far. There is at least one, unless `spelling` has some.
    pub(super) all: Vec<Thread>,
    /// Threads within the text of a special token. Empty unless the output is read as text.
    spelling: Vec<Spelling>,
    pub(super) scopes: Scopes,
    pending: Pending,
    frames: Frames,
    limits: Limits,
    /// Configurations of the threads in `next`, in the same order.
    known: Configurations,
    /// Threads after the byte that is being read.
    next: Vec<Thread>,
    /// Configurations that one thread reaches without input.
    closure: Configurations,
    /// For each configuration of `closure`, the number of its scope.
    visited: Vec<u32>,
}

impl Threads {
    /// Returns the threads before any output: one thread in the start state.
    pub(super) fn new(grammar: &Grammar, limits: Limits) -> Self {
        let mut scopes = Scopes::new();
        let artifact = grammar.artifact();
        let start = artifact.joined().rule(artifact.start_rule()).region();
        let regions = &artifact.meta().regions;
        let scope = start.map_or(OUTSIDE, |region| {
            scopes.enter(region, is_call(regions, region), OUTSIDE, BOTTOM)
        });
        let thread = Thread { at: grammar.initial(), scope, node: DECIDED, spelled: 0 };
        Self {
            all: vec![thread],
            spelling: Vec::new(),
            scopes,
            pending: Pending::default(),
            frames: Frames::new(),
            limits,
            known: Configurations::default(),
            next: Vec::new(),
            closure: Configurations::default(),
            visited: Vec::new(),
        }
    }

    /// Returns the first thread in whose configuration the output may end. `None` if there is none.
    pub(super) fn ending(&self, grammar: &Grammar) -> Option<Thread> {
        let chains = grammar.chains();
        self.all.iter().copied().find(|thread| chains.is_accepting(&self.frames, thread.at))
    }

    /// Keeps the threads that read the most special tokens in texts. So a call that was cut off is no free text.
    fn keep_most_spelled(&mut self) {
        let most = self.all.iter().map(|thread| thread.spelled).max();
        self.all.retain(|thread| Some(thread.spelled) == most);
    }

    /// Keeps one thread, of those that read the most special tokens in texts: the first in whose configuration the output
    /// may end, or else the first. If all threads are within the text of a special token, keeps the first of these.
    pub(super) fn keep_one(&mut self, grammar: &Grammar) {
        let spelling = self.spelling.first().map(|spelling| spelling.passing.thread);
        self.keep_most_spelled();
        let kept = self.ending(grammar).or(self.all.first().copied()).or(spelling);
        self.all = kept.into_iter().collect();
        self.spelling.clear();
    }

    /// Takes back text that may be the beginning of a special token, as the end of an output that was cut off: keeps the
    /// threads before it. Of these, keeps those that read the most special tokens.
    pub(super) fn drop_spelling(&mut self) {
        let spelling = std::mem::take(&mut self.spelling);
        if let Some(read) = spelling.iter().map(|spelling| spelling.read).max() {
            let longest = spelling.into_iter().filter(|spelling| spelling.read == read);
            self.all = longest.map(|spelling| spelling.passing.from).collect();
            self.all.dedup();
        }
        self.keep_most_spelled();
    }

    /// Reads a byte of a text in which special tokens are spelled. Where a thread has an edge on a special token, the
    /// token's text may be that token, or bytes that the grammar takes. `names` lists the special tokens of such edges,
    /// each with the first byte of its text, ascending. Returns `false`, without any change, if no thread allows the
    /// byte.
    pub(super) fn read_spelled(
        &mut self,
        grammar: &Grammar,
        names: &[(u8, u32)],
        byte: u8,
    ) -> Result<bool, LimitError> {
        self.attempt(|threads| threads.read_spelled_byte(grammar, names, byte))
    }

    /// Reads an input with `read`, which returns whether some thread allows it. If not, undoes all changes.
    fn attempt(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<bool, LimitError>,
    ) -> Result<bool, LimitError> {
        let before = (self.all.clone(), self.spelling.clone());
        let mark = self.pending.mark();
        self.scopes.next_place();
        let is_read = read(self);
        if is_read != Ok(true) {
            (self.all, self.spelling) = before;
            self.pending.back_to(mark);
        }
        is_read
    }

    /// Reads a byte as [`read_spelled`](Self::read_spelled) does. Does not undo changes.
    fn read_spelled_byte(
        &mut self,
        grammar: &Grammar,
        names: &[(u8, u32)],
        byte: u8,
    ) -> Result<bool, LimitError> {
        let machine = grammar.lenient_machine(self.limits);
        let regions = &grammar.artifact().meta().regions;
        let vocabulary = grammar.vocabulary();
        let first = names.partition_point(|&(first, _)| first < byte);
        let past = names.partition_point(|&(first, _)| first <= byte);
        if first < past {
            let taken =
                self.take_edges(&machine, regions, names[first..past].iter().map(|name| name.1))?;
            let spelling = |(token, passing)| Spelling { passing, token, read: 0 };
            self.spelling.extend(taken.into_iter().map(spelling));
            let limit = self.limits.configurations;
            if self.spelling.len() > limit {
                return Err(LimitError::Configurations { limit });
            }
        }
        self.step(&machine, regions, byte)?;
        // Those whose token ends here join the others, by the symbol of this layer.
        let mut ending: Vec<(Passing, Option<Symbol>)> = Vec::new();
        for mut spelling in std::mem::take(&mut self.spelling) {
            let text = vocabulary.token_bytes(spelling.token);
            if text[spelling.read] != byte {
                continue;
            }
            let symbol = (spelling.read == 0).then(|| Symbol::token(spelling.token));
            spelling.read += 1;
            if spelling.read == text.len() {
                spelling.passing.thread.spelled += 1;
                ending.push((spelling.passing, symbol));
                continue;
            }
            let Passing { thread, read_in, .. } = &mut spelling.passing;
            let node = Node { before: thread.node, scope: *read_in, symbol };
            thread.node = self.pending.node(node);
            self.spelling.push(spelling);
        }
        let others = self.all.len();
        for (passing, symbol) in ending {
            self.pass(&machine, &mut [passing], symbol, true)?;
        }
        // If the parses never agree, the one with the special token counts.
        self.all.rotate_left(others);
        self.pending.end_layer(&[byte]);
        Ok(!self.all.is_empty() || !self.spelling.is_empty())
    }

    /// Reads a byte. Returns `false`, without any change, if no thread allows the byte.
    pub(super) fn read_byte(&mut self, grammar: &Grammar, byte: u8) -> Result<bool, LimitError> {
        self.read(grammar, None, &[byte])
    }

    /// Reads a token. `bytes` are the bytes of a text token, and empty for a special token. Returns `false`, without
    /// any change, if no thread allows the token.
    pub(super) fn read_token(
        &mut self,
        grammar: &Grammar,
        token: u32,
        bytes: &[u8],
    ) -> Result<bool, LimitError> {
        self.read(grammar, grammar.has_edge_on(token).then_some(token), bytes)
    }

    /// Reads a token along token edges, bytes, or both in parallel. Returns `false` and undoes all changes if no thread
    /// allows the input.
    fn read(
        &mut self,
        grammar: &Grammar,
        token: Option<u32>,
        bytes: &[u8],
    ) -> Result<bool, LimitError> {
        self.attempt(|threads| {
            threads.spelling.clear();
            threads.read_threads(grammar, token, bytes)
        })
    }

    /// Reads a token along token edges, bytes, or both in parallel. Returns whether some thread allows the input. Does
    /// not undo changes.
    fn read_threads(
        &mut self,
        grammar: &Grammar,
        token: Option<u32>,
        bytes: &[u8],
    ) -> Result<bool, LimitError> {
        let machine = grammar.lenient_machine(self.limits);
        let regions = &grammar.artifact().meta().regions;
        let passing = match token {
            Some(token) => self.take_edges(&machine, regions, [token].into_iter())?,
            None => Vec::new(),
        };
        let mut passing: Vec<Passing> = passing.into_iter().map(|(_, passing)| passing).collect();
        let mut symbol = token.map(Symbol::token);
        if bytes.is_empty() {
            let Some(token) = token else { return Ok(false) };
            self.all.clear();
            self.pass(&machine, &mut passing, symbol, true)?;
            self.pending.end_layer(grammar.vocabulary().token_bytes(token));
            return Ok(!self.all.is_empty());
        }
        for (at, &byte) in bytes.iter().enumerate() {
            self.scopes.next_place();
            self.step(&machine, regions, byte)?;
            self.pass(&machine, &mut passing, symbol.take(), at + 1 == bytes.len())?;
            self.pending.end_layer(&[byte]);
            if self.all.is_empty() && passing.is_empty() {
                return Ok(false);
            }
        }
        Ok(!self.all.is_empty())
    }

    /// Advances all threads over a byte, and adds a node of the layer for each thread after it.
    fn step(
        &mut self,
        machine: &Machine<'_>,
        regions: &[Region],
        byte: u8,
    ) -> Result<(), LimitError> {
        self.known.clear();
        self.next.clear();
        for index in 0..self.all.len() {
            let thread = self.all[index];
            self.close(machine, regions, thread, Calls::On(byte))?;
            for place in 0..self.visited.len() {
                let (at, scope) = (self.closure.as_slice()[place], self.visited[place]);
                if let Some((target, at)) = machine.on_byte(at, byte) {
                    let (at, scope_after) = self.arrive(machine, at, scope, target);
                    let node =
                        Node { before: thread.node, scope, symbol: Some(Symbol::byte(byte)) };
                    let after = Thread { at, scope: scope_after, ..thread };
                    self.add(machine, after, node)?;
                }
            }
        }
        std::mem::swap(&mut self.all, &mut self.next);
        Ok(())
    }

    /// Returns the threads after all token edges whose label contains one of `tokens`, each with that token. These
    /// threads read the token as a whole, and have to wait until the others have read its bytes.
    fn take_edges(
        &mut self,
        machine: &Machine<'_>,
        regions: &[Region],
        tokens: impl Iterator<Item = u32> + Clone,
    ) -> Result<Vec<(u32, Passing)>, LimitError> {
        let pool = MaskPool::from(&machine.tables);
        let mut passing = Vec::new();
        for index in 0..self.all.len() {
            let thread = self.all[index];
            self.close(machine, regions, thread, Calls::OnTokens)?;
            for place in 0..self.visited.len() {
                let (from, read_in) = (self.closure.as_slice()[place], self.visited[place]);
                let (tables, index) = machine.tables.locate(from.state);
                for edge in tables.token_edges_of(index) {
                    let mask = pool.mask(edge.tokens);
                    let read =
                        tokens.clone().filter(|&token| crate::mask::pool::contains(mask, token));
                    for token in read {
                        let (at, scope) = self.arrive(machine, from, read_in, edge.target);
                        let after = Thread { at, scope, ..thread };
                        passing.push((token, Passing { from: thread, thread: after, read_in }));
                    }
                }
            }
        }
        Ok(passing)
    }

    /// Adds one layer of a token to the threads in `passing`, which took a token edge. `symbol` is the token for the
    /// first layer, and `None` after it. After the last layer, these threads join the others.
    fn pass(
        &mut self,
        machine: &Machine<'_>,
        passing: &mut [Passing],
        symbol: Option<Symbol>,
        is_last: bool,
    ) -> Result<(), LimitError> {
        self.known.clear();
        for thread in &self.all {
            self.known.insert(thread.at, machine.monotone, self.limits.configurations)?;
        }
        std::mem::swap(&mut self.all, &mut self.next);
        for Passing { thread, read_in, .. } in passing {
            let node = Node { before: thread.node, scope: *read_in, symbol };
            match is_last {
                true => self.add(machine, *thread, node)?,
                false => thread.node = self.pending.node(node),
            }
        }
        std::mem::swap(&mut self.all, &mut self.next);
        Ok(())
    }

    /// Adds a thread with a new node to `next`, unless a thread there has the same configuration.
    fn add(&mut self, machine: &Machine<'_>, thread: Thread, node: Node) -> Result<(), LimitError> {
        let at = thread.at;
        self.known.insert(at, machine.monotone, self.limits.configurations)?;
        let is_new = self.known.as_slice().len() > self.next.len();
        if is_new {
            let node = self.pending.node(node);
            self.next.push(Thread { node, ..thread });
        } else if machine.monotone.contains(at.state) {
            // The set kept the larger countdown, which accepts more. Copy it to the thread.
            let known = self.known.as_slice().iter().zip(&mut self.next);
            known.for_each(|(&at, thread)| thread.at = at);
        }
        Ok(())
    }

    /// Sets `closure` to the configurations that a thread reaches without input, along the calls that `calls` admits.
    /// Sets `visited` to their scopes.
    fn close(
        &mut self,
        machine: &Machine<'_>,
        regions: &[Region],
        from: Thread,
        calls: Calls,
    ) -> Result<(), LimitError> {
        let limit = self.limits.configurations;
        self.closure.clear();
        self.visited.clear();
        self.closure.insert(from.at, &EACH, limit)?;
        self.visited.push(from.scope);
        let mut visited = 0;
        while let Some(&at) = self.closure.as_slice().get(visited) {
            let scope = self.visited[visited];
            visited += 1;
            let (tables, index) = machine.tables.locate(at.state);
            for edge in tables.call_edges_of(index) {
                let callee = machine.tables.rule(edge.callee);
                if !calls.admit(callee) {
                    continue;
                }
                let to = machine.call(&mut self.frames, at, edge, callee)?;
                self.closure.insert(to, &EACH, limit)?;
                if self.closure.as_slice().len() > self.visited.len() {
                    let scope = callee.region().map_or(scope, |region| {
                        self.scopes.enter(region, is_call(regions, region), scope, to.frame)
                    });
                    self.visited.push(scope);
                }
            }
            if at.frame != BOTTOM && tables.states[index].flags & state_flags::FINAL != 0 {
                self.closure.insert(self.frames.returned(at.frame), &EACH, limit)?;
                if self.closure.as_slice().len() > self.visited.len() {
                    self.visited.push(self.scopes.leave(scope, at.frame));
                }
            }
        }
        Ok(())
    }

    /// Returns the configuration and the number of its scope after an edge to `target`. A pop-only state, which is
    /// final and has no edges, returns to its caller at once.
    fn arrive(
        &self,
        machine: &Machine<'_>,
        from: Configuration,
        mut scope: u32,
        target: u32,
    ) -> (Configuration, u32) {
        let (state, count) = machine.enter(target, from.count);
        let mut at = Configuration { state, count, frame: from.frame };
        while at.frame != BOTTOM && machine.state(at.state).flags & state_flags::POP_ONLY != 0 {
            scope = self.scopes.leave(scope, at.frame);
            at = self.frames.returned(at.frame);
        }
        (at, scope)
    }

    /// Decides the layers on which all threads agree, as [`Pending::decide`] does. `decided` gets the scopes as well. The
    /// text of a special token of which only a part was read is held back.
    pub(super) fn decide(&mut self, mut decided: impl FnMut(&mut Scopes, Node, &[u8])) {
        let Self { all, spelling, scopes, pending, .. } = self;
        let decided = |node: Node, bytes: &[u8]| decided(scopes, node, bytes);
        let tips = all.iter_mut().map(|thread| &mut thread.node);
        if spelling.is_empty() {
            return pending.decide(0, tips, decided);
        }
        // Each byte of such a text is a layer.
        let held = spelling.iter().map(|spelling| spelling.read).max().unwrap_or(0);
        let spelling = spelling.iter_mut().flat_map(|spelling| {
            let Passing { from, thread, .. } = &mut spelling.passing;
            [&mut from.node, &mut thread.node]
        });
        let tips: Vec<&mut u32> = tips.chain(spelling).collect();
        pending.decide(held, tips.into_iter(), decided);
    }

    /// Removes unreachable frames and scopes if a collection is due. `others` are the numbers of further scopes to
    /// keep. All numbers are renewed.
    pub(super) fn collect(&mut self, others: [&mut u32; 2]) {
        if !self.frames.collection_is_due() && !self.scopes.collection_is_due() {
            return;
        }
        let threads = self.all.iter_mut().map(|thread| &mut thread.scope);
        let spelling = self.spelling.iter_mut().flat_map(|spelling| {
            let Passing { from, thread, read_in } = &mut spelling.passing;
            [&mut from.scope, &mut thread.scope, read_in]
        });
        self.scopes.collect(threads.chain(spelling).chain(self.pending.scopes()).chain(others));
        let at_frame = |&mut frame: &mut u32| Configuration { state: NONE, count: 0, frame };
        let mut scopes: Vec<Configuration> = self.scopes.frames().map(at_frame).collect();
        let spelling = self.spelling.iter_mut().flat_map(|spelling| {
            let Passing { from, thread, .. } = &mut spelling.passing;
            [from, thread]
        });
        let mut open: Vec<&mut Thread> = self.all.iter_mut().chain(spelling).collect();
        let mut threads: Vec<Configuration> = open.iter().map(|thread| thread.at).collect();
        self.frames.collect(&mut [&mut threads, &mut scopes]);
        open.iter_mut().zip(threads).for_each(|(thread, at)| thread.at = at);
        self.scopes.frames().zip(scopes).for_each(|(frame, at)| *frame = at.frame);
    }
}

/// Whether a region is a call of a tool.
fn is_call(regions: &[Region], region: u32) -> bool {
    regions[region as usize].kind == grammarc_artifacts::RegionKind::Call
}
