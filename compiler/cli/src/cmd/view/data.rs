//! The data of the page: the shape that `page.js` reads, and its collection from an opened artifact.
//!
//! The page has the data as one JSON object. In a *text of bytes*, each character denotes one byte
//! (U+0000 to U+00FF), since a state may be inside a UTF-8 sequence.
//!
//! ```text
//! { name, kind, vocabulary,        the source, its language, the vocabulary
//!   bytes, tokens, start,          length of the file; number of tokens; initial state
//!   left_out: {rules, states},     absent if every state is here
//!   rules:  [{id, name, own,       own: false for a shared rule of the vocabulary
//!             first, states,       first state and number of states
//!             shown,               number of these states that the page has, 0 for a mere callee
//!             bytes, flags,        bytes of the file; bits as in the artifact
//!             begins: [[lo, hi]],  bytes with which a text of the rule begins
//!             tokens}],            whether a text may begin with a token edge
//!   states: [{id, flags,           bits as in the artifact
//!             exit,                `count_exit` of the record: a state, or a number to load
//!             bytes:  [[lo, hi, target]],
//!             calls:  [[rule, return state or null, register]],
//!             tokens: [[index in masks, target]],
//!             mask,                index in masks
//!             exits:  [class, trie nodes],
//!             follows, near,       numbers of follow masks and of near-bound masks
//!             text,                index in texts; absent if no text was found
//!             places: [{pointer}]}],         schemas that say what may come; absent if there are none
//!   masks:  [{id, count, row, minus, plus, head: [token]}],
//!   words:  {token: text of bytes}, special: [token],
//!   texts:  [[parent, part, ...]], a text continues that of its parent; the first is empty;
//!                                  a part is a text of bytes, or the id of a special token
//!   packed: text of bytes }        nodes of the packed string sets; absent if they are large
//! ```
//!
//! Invariant: the same artifact and choice give the same data, byte for byte.
//!
//! Cost: O(shown states and their edges), and the search of `texts.rs`.
//!
//! Tests: `tests/cli/view.rs`.

use std::collections::{BTreeMap, BTreeSet};

use grammarc_artifacts::sections::masks::NearBoundRecord;
use grammarc_artifacts::sections::network::{NONE, RuleRecord, StateRecord};
use grammarc_artifacts::tables::Joined;
use grammarc_artifacts::{GrammarArtifact, TokenKind};
use grammarc_runtime::Grammar;
use grammarc_runtime::ending::Unit;
use indexmap::IndexSet;
use serde::Serialize;

use super::choice::{Choice, LeftOut};
use super::sizes;
use super::texts::Texts;
use super::tokens::{characters, head};

/// Largest length in bytes of the packed string sets that a page has. Beyond it, the page cannot
/// follow their texts.
const MOST_PACKED: usize = 512 << 10;

/// The data of a page. The head of the module documents the fields.
#[derive(Debug, Serialize)]
pub(super) struct PageData {
    #[serde(flatten)]
    grammar: GrammarData,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<LeftOut>,
    rules: Vec<RuleData>,
    states: Vec<StateData>,
    masks: Vec<MaskData>,
    words: BTreeMap<u32, String>,
    special: Vec<u32>,
    texts: Vec<Vec<Part>>,
    #[serde(skip_serializing_if = "String::is_empty")]
    packed: String,
}

#[derive(Debug, Serialize)]
struct GrammarData {
    name: String,
    kind: String,
    vocabulary: String,
    bytes: usize,
    tokens: u32,
    start: u32,
}

#[derive(Debug, Serialize)]
struct RuleData {
    id: u32,
    name: String,
    own: bool,
    first: u32,
    states: u32,
    shown: u32,
    bytes: u64,
    flags: u32,
    begins: Vec<[u8; 2]>,
    tokens: bool,
}

#[derive(Debug, Serialize)]
struct StateData {
    id: u32,
    flags: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bytes: Vec<(u8, u8, u32)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    calls: Vec<(u32, Option<u32>, u32)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tokens: Vec<(usize, u32)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mask: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exits: Option<[u32; 2]>,
    #[serde(skip_serializing_if = "is_zero")]
    follows: usize,
    #[serde(skip_serializing_if = "is_zero")]
    near: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    places: Vec<PlaceData>,
}

/// A schema of the source that applies in a state.
#[derive(Debug, Serialize)]
struct PlaceData {
    pointer: String,
}

#[derive(Debug, Serialize)]
struct MaskData {
    id: u32,
    count: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    row: Option<u32>,
    #[serde(skip_serializing_if = "is_zero")]
    minus: usize,
    #[serde(skip_serializing_if = "is_zero")]
    plus: usize,
    head: Vec<u32>,
}

/// A part of a text: a number is an index or a token, a string is a text of bytes.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Part {
    Number(u32),
    Bytes(String),
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Collects the data of a page with the chosen rules. A mask lists at most `most_tokens` tokens.
pub(super) fn collect(
    grammar: &Grammar,
    choice: &Choice,
    texts: &Texts,
    most_tokens: usize,
) -> PageData {
    let artifact = grammar.artifact();
    let mut collector = Collector {
        artifact,
        joined: artifact.joined(),
        texts,
        masks: IndexSet::new(),
        tokens: BTreeSet::new(),
    };
    let states = choice.states().map(|id| collector.state(id)).collect();
    let texts: Vec<Vec<Part>> = collector.texts_of();
    let masks = collector.masks_of(most_tokens);
    let vocabulary = artifact.vocabulary();
    let tokens = &collector.tokens;
    let word = |&id: &u32| (id, characters(vocabulary.token_bytes(id)));
    let is_special = |id: &u32| vocabulary.token_kind(*id) == TokenKind::Special;
    let packed = collector.joined.own.packed_strings;
    let meta = artifact.meta();
    PageData {
        grammar: GrammarData {
            name: meta.source_name.clone(),
            kind: meta.source_kind.clone(),
            vocabulary: vocabulary.name().to_owned(),
            bytes: artifact.byte_length(),
            tokens: vocabulary.token_count(),
            start: artifact.start_state(),
        },
        left_out: choice.left_out(),
        rules: collector.rules_of(choice),
        states,
        masks,
        words: tokens.iter().map(word).collect(),
        special: tokens.iter().copied().filter(is_special).collect(),
        texts,
        packed: if packed.len() <= MOST_PACKED { characters(packed) } else { String::new() },
    }
}

/// Collects the data of a page. Masks and tokens are gathered while states are read.
struct Collector<'a> {
    artifact: &'a GrammarArtifact,
    joined: Joined<'a>,
    texts: &'a Texts,
    /// Ids of the masks that the states refer to, in the order of the data.
    masks: IndexSet<u32>,
    /// Ids of the tokens that masks and texts list.
    tokens: BTreeSet<u32>,
}

impl Collector<'_> {
    fn state(&mut self, id: u32) -> StateData {
        let (tables, index) = self.joined.locate(id);
        let tables = *tables;
        let record: &StateRecord = &tables.states[index];
        let some = |number: u32| (number != NONE).then_some(number);
        let bytes = tables.byte_edges_of(index).iter();
        let calls = tables.call_edges_of(index).iter();
        let tokens = tables.token_edges_of(index).iter();
        let near = NearBoundRecord::of_state(tables.near_bound, id);
        StateData {
            id,
            flags: record.flags,
            exit: some(record.count_exit),
            bytes: bytes.map(|edge| (edge.lo(), edge.hi(), edge.target)).collect(),
            calls: calls.map(|edge| (edge.callee, some(edge.ret), edge.count)).collect(),
            tokens: tokens.map(|edge| (self.mask(edge.tokens), edge.target)).collect(),
            mask: some(record.base).map(|mask| self.mask(mask)),
            exits: some(record.exits).map(|class| [class, self.class_length(class)]),
            follows: tables.follows_of(index).len(),
            near: near.iter().map(|record| record.len as usize).sum(),
            text: self.texts.of(id),
            places: self.places_of(id),
        }
    }

    /// Returns the places of a state. Empty for states of the vocabulary, and without the section PLACES.
    fn places_of(&self, id: u32) -> Vec<PlaceData> {
        let index = id.checked_sub(self.joined.own.bases.states);
        let places = self.artifact.places().zip(index);
        let places = places.map(|(places, index)| places.of(index as usize));
        let place = |pointer: &str| PlaceData { pointer: pointer.to_owned() };
        places.into_iter().flatten().map(place).collect()
    }

    /// Returns the index of a mask in the data.
    fn mask(&mut self, id: u32) -> usize {
        self.masks.insert_full(id).0
    }

    /// Returns the number of trie nodes of an exit class.
    fn class_length(&self, class: u32) -> u32 {
        let Joined { shared, own } = self.joined;
        match class.checked_sub(own.bases.classes) {
            Some(index) => own.classes[index as usize].len,
            None => shared.classes[class as usize].len,
        }
    }

    fn masks_of(&mut self, most_tokens: usize) -> Vec<MaskData> {
        let pool = self.artifact.pool();
        let masks = self.masks.iter().map(|&id| {
            let (mask, (_, record)) = (pool.mask(id), self.joined.mask(id));
            let head = head(&mask, most_tokens);
            self.tokens.extend(&head);
            MaskData {
                id,
                count: mask.count,
                row: (record.row != NONE).then_some(record.row),
                minus: mask.minus.len(),
                plus: mask.plus.len(),
                head,
            }
        });
        masks.collect()
    }

    fn texts_of(&mut self) -> Vec<Vec<Part>> {
        let pool = self.artifact.pool();
        let entries = self.texts.entries().iter().map(|entry| {
            let mut parts = vec![Part::Number(entry.parent)];
            for unit in &entry.units {
                match (*unit, parts.last_mut()) {
                    (Unit::Byte(byte), Some(Part::Bytes(text))) => text.push(char::from(byte)),
                    (Unit::Byte(byte), _) => parts.push(Part::Bytes(char::from(byte).into())),
                    (Unit::Token(set), _) => {
                        let token = head(&pool.mask(set), 1);
                        self.tokens.extend(&token);
                        parts.extend(token.into_iter().map(Part::Number));
                    }
                }
            }
            parts
        });
        entries.collect()
    }

    /// Returns the rules with shown states, followed by the other rules that these call.
    fn rules_of(&self, choice: &Choice) -> Vec<RuleData> {
        let sizes = sizes::of_own_rules(&self.joined.own);
        let rule = |(id, shown): (u32, u32)| {
            let record = self.joined.rule(id);
            let own = id.checked_sub(self.joined.own.bases.rules);
            RuleData {
                id,
                name: name_of(self.artifact, id),
                own: own.is_some(),
                first: record.first_state,
                states: record.state_count,
                shown,
                bytes: own.map_or(0, |index| sizes[index as usize]),
                flags: record.flags,
                begins: begins(record),
                tokens: record.first_tokens != 0,
            }
        };
        choice.rules_and_callees(&self.joined).map(rule).collect()
    }
}

/// Returns the name of a rule, or `rule N` if the artifact has no name for it.
pub(super) fn name_of(artifact: &GrammarArtifact, rule: u32) -> String {
    let name = match rule.checked_sub(artifact.tables().bases.rules) {
        Some(index) => artifact.meta().rule_names.get(index as usize),
        None => artifact.vocabulary().meta().rule_names.get(rule as usize),
    };
    name.cloned().unwrap_or_else(|| format!("rule {rule}"))
}

/// Returns the bytes with which a text of a rule can begin, as ranges.
fn begins(rule: &RuleRecord) -> Vec<[u8; 2]> {
    let mut ranges: Vec<[u8; 2]> = Vec::new();
    let has = |byte: u8| rule.first_bytes[usize::from(byte / 32)] >> (byte % 32) & 1 != 0;
    for byte in (0..=u8::MAX).filter(|&byte| has(byte)) {
        match ranges.last_mut() {
            Some([_, hi]) if *hi + 1 == byte => *hi = byte,
            _ => ranges.push([byte, byte]),
        }
    }
    ranges
}
