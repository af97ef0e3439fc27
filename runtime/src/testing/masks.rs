//! Masks of a network by brute force: every token from every state, byte by byte, with the stack below unknown.

use std::collections::{BTreeMap, BTreeSet};

use grammarc_artifacts::sections::masks::{ClassRecord, FollowEntry, MaskRecord};
use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::tables::TablesData;

use super::network::Network;

/// The tokens of a test vocabulary: their text, empty where it means nothing.
pub(crate) type Texts = [Vec<u8>];

/// Prefixes at which a rule is left.
type Class = BTreeSet<Vec<u8>>;

/// What a run from one state at one prefix gives.
#[derive(Default)]
struct Run {
    tokens: BTreeSet<u32>,
    exits: Class,
}

struct Builder<'n> {
    network: &'n Network,
    offsets: Vec<usize>,
    texts: &'n Texts,
}

impl Builder<'_> {
    /// Runs all tokens that go on from a prefix, from a state whose rule's frame is unknown.
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

    /// One symbol from the closure, and whether the closure leaves the rule it started in.
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

/// Adds masks, classes and follow entries to the two halves of a network's tables.
pub(crate) fn build(network: &Network, texts: &Texts, halves: &mut [TablesData; 2]) {
    let builder = Builder { network, offsets: network.offsets(), texts };
    let mut classes: BTreeMap<Class, u32> = BTreeMap::new();
    let rets: BTreeSet<usize> = network
        .states()
        .flat_map(|(rule, state)| {
            let offset = builder.offsets[rule];
            state.calls.iter().filter_map(move |call| Some(offset + call.1?))
        })
        .collect();
    let shared_states = halves[1].bases.states as usize;
    for half in 0..2 {
        if half == 1 {
            halves[1].bases.masks = halves[0].masks.len() as u32;
            halves[1].bases.rows = halves[0].rows.len() as u32 / 16;
            halves[1].bases.classes = classes.len() as u32;
        }
        let tables = &mut halves[half];
        let own = if half == 0 { 0..shared_states } else { shared_states..usize::MAX };
        let mut edge = 0;
        let mut index = 0;
        for (id, (_, state)) in network.states().enumerate() {
            if !own.contains(&id) {
                continue;
            }
            let mut run = Run::default();
            builder.run(id, &[], &mut run);
            tables.states[index].base = add_mask(tables, &run.tokens);
            tables.states[index].exits = intern(&mut classes, run.exits);
            index += 1;
            for (tokens, _) in &state.tokens {
                tables.token_edges[edge].tokens = add_mask(tables, &tokens.iter().copied().collect());
                edge += 1;
            }
        }
        let mut entries: BTreeMap<usize, Vec<FollowEntry>> = BTreeMap::new();
        let mut done: BTreeSet<(usize, u32)> = BTreeSet::new();
        loop {
            let known: Vec<(Class, u32)> = classes.iter().map(|(c, &id)| (c.clone(), id)).collect();
            let before = done.len();
            for (class, class_id) in &known {
                for &ret in rets.iter().filter(|ret| own.contains(ret)) {
                    if done.insert((ret, *class_id)) {
                        let mut run = Run::default();
                        class.iter().for_each(|prefix| builder.run(ret, prefix, &mut run));
                        let mask = add_mask(tables, &run.tokens);
                        let next = intern(&mut classes, run.exits);
                        let entry = FollowEntry { class: *class_id, mask, next };
                        entries.entry(ret).or_default().push(entry);
                    }
                }
            }
            if done.len() == before {
                break;
            }
        }
        for index in 0..tables.states.len() {
            tables.states[index].follows = tables.follows.len() as u32;
            if let Some(mut list) = entries.remove(&(index + tables.bases.states as usize)) {
                list.sort_by_key(|entry| entry.class);
                // Entries that allow nothing and lead nowhere may be left out.
                list.retain(|e| e.next != NONE || mask_count(tables, e.mask) > 0);
                tables.follows.extend(list);
            }
        }
        let known = classes.len() - tables.bases.classes as usize;
        tables.classes = vec![ClassRecord { first: 0, len: 1 }; known];
        tables.class_nodes = vec![0];
    }
}

fn mask_count(tables: &TablesData, mask: u32) -> u32 {
    tables.masks[(mask - tables.bases.masks) as usize].count
}

fn intern(classes: &mut BTreeMap<Class, u32>, class: Class) -> u32 {
    if class.is_empty() {
        return NONE;
    }
    let fresh = classes.len() as u32;
    *classes.entry(class).or_insert(fresh)
}

/// Adds a mask in one of three forms, by turns: a list, a row, or a row with both lists.
fn add_mask(tables: &mut TablesData, tokens: &BTreeSet<u32>) -> u32 {
    let id = tables.bases.masks + tables.masks.len() as u32;
    let form = tables.masks.len() % 3;
    let odd = |token: &&u32| form == 1 || *token % 3 != 0;
    let in_row: BTreeSet<u32> = tokens.iter().filter(odd).copied().collect();
    let mut minus = Vec::new();
    let mut plus: Vec<u32> = tokens.iter().copied().collect();
    let mut row = NONE;
    if form > 0 && !tokens.is_empty() {
        row = tables.bases.rows + tables.rows.len() as u32 / 16;
        let mut words = [0u32; 16];
        in_row.iter().for_each(|token| words[*token as usize / 32] |= 1 << (token % 32));
        if form == 2 {
            minus = (0..20).filter(|token| token % 2 == 0 && !tokens.contains(token)).collect();
            minus.iter().for_each(|token: &u32| words[*token as usize / 32] |= 1 << (token % 32));
        }
        tables.rows.extend(words);
        plus.retain(|token| !in_row.contains(token));
    }
    let (minus_len, plus_len) = (minus.len() as u32, plus.len() as u32);
    let at = tables.lists.len() as u32;
    tables.lists.extend(minus);
    tables.lists.extend(plus);
    let count = tokens.len() as u32;
    tables.masks.push(MaskRecord { row, minus: at, minus_len, plus: at + minus_len, plus_len, count });
    id
}
