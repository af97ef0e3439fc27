//! Masks of a network by brute force: every token from every state, byte by byte, with the stack below unknown.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use grammarc_artifacts::sections::masks::{ClassRecord, FollowEntry, MaskRecord};
use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::{TablesData, TokenKind, Trie, TrieData};

use super::network::Network;

/// For each token id, the bytes and the kind of the token.
pub(crate) type Tokens = [(Vec<u8>, TokenKind)];

/// An exit class: the set of token prefixes after which a rule is left.
type Class = BTreeSet<Vec<u8>>;

/// The result of running all tokens from one state, after one prefix.
#[derive(Default)]
struct Run {
    tokens: BTreeSet<u32>,
    exits: Class,
}

struct Builder<'n> {
    network: &'n Network,
    offsets: Vec<usize>,
    texts: Vec<&'n [u8]>,
}

impl Builder<'_> {
    /// Runs all tokens that continue `prefix` from a state. The stack below the state's rule is unknown. Adds to `run`
    /// the tokens that end within the rule, and the prefixes after which tokens leave it.
    fn run(&self, state: usize, prefix: &[u8], run: &mut Run) {
        let start = BTreeSet::from([(state, Vec::new())]);
        for (token, text) in self.texts.iter().enumerate() {
            if text.len() > prefix.len() && text.starts_with(prefix) {
                let mut set = start.clone();
                for at in prefix.len()..text.len() {
                    let (next, left) = self.step(&set, |edges| {
                        edges.0.iter().filter(|e| e.0 == text[at]).map(|e| e.1).collect()
                    });
                    if left {
                        run.exits.insert(text[..at].to_vec());
                    }
                    set = next;
                }
                if set.iter().any(|config| self.rests(config)) {
                    run.tokens.insert(token as u32);
                }
            }
            if prefix.is_empty() {
                let (after, left) = self.step(&start, |edges| {
                    let carries = |e: &&(Vec<u32>, usize)| e.0.contains(&(token as u32));
                    edges.1.iter().filter(carries).map(|e| e.1).collect()
                });
                if left {
                    run.exits.insert(Vec::new());
                }
                if after.iter().any(|config| self.rests(config)) {
                    run.tokens.insert(token as u32);
                }
            }
        }
    }

    /// Reads one symbol from the closure of a set. `targets` returns the targets of a state's edges on the symbol. Also
    /// returns whether the closure leaves the rule in which the run started.
    fn step(
        &self,
        set: &BTreeSet<(usize, Vec<usize>)>,
        targets: impl Fn((&[(u8, usize)], &[(Vec<u32>, usize)])) -> Vec<usize>,
    ) -> (BTreeSet<(usize, Vec<usize>)>, bool) {
        let mut after = BTreeSet::new();
        let mut left = false;
        let mut seen = BTreeSet::new();
        let mut todo: Vec<_> = set.iter().cloned().collect();
        while let Some((id, stack)) = todo.pop() {
            if !seen.insert((id, stack.clone())) {
                continue;
            }
            let rule = self.offsets.partition_point(|&offset| offset <= id) - 1;
            let offset = self.offsets[rule];
            let state = &self.network.rules[rule].states[id - offset];
            for target in targets((&state.bytes, &state.tokens)) {
                after.insert((offset + target, stack.clone()));
            }
            for &(callee, ret, _) in &state.calls {
                let mut stack = stack.clone();
                stack.extend(ret.map(|ret| offset + ret));
                todo.push((self.offsets[callee], stack));
            }
            if state.is_final {
                let mut below = stack.clone();
                match below.pop() {
                    Some(ret) => todo.push((ret, below)),
                    None => left = true,
                }
            }
        }
        (after, left)
    }

    fn rests(&self, (id, stack): &(usize, Vec<usize>)) -> bool {
        let state = |id: usize| {
            let rule = self.offsets.partition_point(|&offset| offset <= id) - 1;
            &self.network.rules[rule].states[id - self.offsets[rule]]
        };
        let fine = |id: usize| !state(id).stuck || state(id).returns_only();
        let mut stack = stack.clone();
        let mut at = *id;
        while state(at).returns_only() {
            match stack.pop() {
                Some(ret) => at = ret,
                None => break,
            }
        }
        fine(at) && stack.iter().all(|&ret| fine(ret))
    }
}

/// Adds masks, exit classes and follow entries to the tables of a network's shared rules and own rules.
pub(crate) fn build(network: &Network, tokens: &Tokens, halves: &mut [TablesData; 2]) {
    let texts = tokens.iter().map(text_of).collect();
    let builder = Builder { network, offsets: network.offsets(), texts };
    let mut classes: BTreeMap<Class, u32> = BTreeMap::new();
    let returns: BTreeSet<usize> = network
        .states()
        .flat_map(|(rule, state)| {
            let offset = builder.offsets[rule];
            state.calls.iter().filter_map(move |call| Some(offset + call.1?))
        })
        .collect();
    let first_own = halves[1].bases.states as usize;
    for half in 0..2 {
        if half == 1 {
            halves[1].bases = halves[0].as_tables().totals();
        }
        let own = if half == 0 { 0..first_own } else { first_own..usize::MAX };
        add_half(&builder, tokens, &returns, own, &mut classes, &mut halves[half]);
    }
}

/// Returns the bytes that a token adds to the text. Empty for a special token.
pub(crate) fn text_of((bytes, kind): &(Vec<u8>, TokenKind)) -> &[u8] {
    if *kind == TokenKind::Text { bytes } else { &[] }
}

fn add_half(
    builder: &Builder<'_>,
    tokens: &Tokens,
    returns: &BTreeSet<usize>,
    own: Range<usize>,
    classes: &mut BTreeMap<Class, u32>,
    tables: &mut TablesData,
) {
    let mut edge = 0;
    let first = tables.bases.states as usize;
    for (id, (_, state)) in builder.network.states().enumerate().filter(|at| own.contains(&at.0)) {
        let index = id - first;
        let mut run = Run::default();
        builder.run(id, &[], &mut run);
        tables.states[index].base = add_mask(tables, tokens, &run.tokens);
        tables.states[index].exits = intern(classes, run.exits);
        for (carried, _) in &state.tokens {
            let mask = add_mask(tables, tokens, &carried.iter().copied().collect());
            tables.token_edges[edge].tokens = mask;
            edge += 1;
        }
    }
    let mut entries: BTreeMap<usize, Vec<FollowEntry>> = BTreeMap::new();
    let mut done: BTreeSet<(usize, u32)> = BTreeSet::new();
    loop {
        let before = done.len();
        let known: Vec<(Class, u32)> = classes.iter().map(|(c, &id)| (c.clone(), id)).collect();
        for (nodes, class) in &known {
            for &ret in returns.iter().filter(|ret| own.contains(ret)) {
                if done.insert((ret, *class)) {
                    let mut run = Run::default();
                    nodes.iter().for_each(|prefix| builder.run(ret, prefix, &mut run));
                    let mask = add_mask(tables, tokens, &run.tokens);
                    let next = intern(classes, run.exits);
                    entries.entry(ret).or_default().push(FollowEntry { class: *class, mask, next });
                }
            }
        }
        if done.len() == before {
            break;
        }
    }
    let count =
        |mask: u32, tables: &TablesData| tables.masks[(mask - tables.bases.masks) as usize].count;
    for index in 0..tables.states.len() {
        tables.states[index].follows = tables.follows.len() as u32;
        if let Some(mut list) = entries.remove(&(index + tables.bases.states as usize)) {
            list.sort_by_key(|entry| entry.class);
            // An entry that allows nothing and leads nowhere may be left out.
            list.retain(|entry| entry.next != NONE || count(entry.mask, tables) > 0);
            tables.follows.extend(list);
        }
    }
    let mut own_classes: Vec<_> =
        classes.iter().filter(|class| *class.1 >= tables.bases.classes).collect();
    own_classes.sort_by_key(|class| class.1);
    let trie = TrieData::build(tokens).unwrap();
    for (nodes, _) in own_classes {
        let mut nodes: Vec<u32> =
            nodes.iter().map(|prefix| node_of(trie.as_trie(), prefix)).collect();
        nodes.sort_unstable();
        let first = tables.class_nodes.len() as u32;
        tables.classes.push(ClassRecord { first, len: nodes.len() as u32 });
        tables.class_nodes.extend(nodes);
    }
}

/// Returns the node of the token trie that a prefix spells. Panics if there is none.
fn node_of(trie: Trie<'_>, prefix: &[u8]) -> u32 {
    prefix.iter().fold(0, |node, &byte| {
        trie.children(node).find(|&child| trie.byte[child as usize] == byte).unwrap()
    })
}

fn intern(classes: &mut BTreeMap<Class, u32>, class: Class) -> u32 {
    if class.is_empty() {
        return NONE;
    }
    let fresh = classes.len() as u32;
    *classes.entry(class).or_insert(fresh)
}

/// Adds a mask to the tables and returns its id. Masks take turns in three forms: a list, a row, a row with both lists.
fn add_mask(tables: &mut TablesData, tokens: &Tokens, mask: &BTreeSet<u32>) -> u32 {
    let id = tables.bases.masks + tables.masks.len() as u32;
    let words = tables.row_words as usize;
    let (mut row, mut minus, mut plus) = (NONE, Vec::new(), Vec::from_iter(mask.iter().copied()));
    let form = id % 3;
    if form > 0 && !mask.is_empty() {
        row = tables.bases.rows + (tables.rows.len() / words) as u32;
        let mut bits = mask.clone();
        plus.clear();
        if form == 2 {
            plus = mask.iter().copied().filter(|token| token % 3 == 0).collect();
            bits.retain(|token| token % 3 != 0);
            let usable = |&token: &u32| tokens[token as usize].1 != TokenKind::Unused;
            minus = (0..tokens.len() as u32).filter(usable).collect();
            minus.retain(|token| token % 2 == 0 && !mask.contains(token));
            bits.extend(&minus);
        }
        let at = tables.rows.len();
        tables.rows.resize(at + words, 0);
        bits.iter().for_each(|bit| tables.rows[at + *bit as usize / 32] |= 1 << (bit % 32));
    }
    let at = tables.lists.len() as u32;
    tables.masks.push(MaskRecord {
        row,
        minus: at,
        minus_len: minus.len() as u32,
        plus: at + minus.len() as u32,
        plus_len: plus.len() as u32,
        count: mask.len() as u32,
    });
    tables.lists.extend(minus);
    tables.lists.extend(plus);
    id
}
