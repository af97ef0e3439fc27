//! Sets of strings as schemas: lists, lengths, formats, and patterns by elimination of states.
//!
//! The pattern of an automaton is that of Brzozowski and McCluskey: states are eliminated one after the other, those
//! with the fewest paths first, and edges carry patterns.

use grammarc_grammar::automata::Dfa;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};

use super::band::Band;
use super::characters::{Characters, Ranges};
use super::set::StringSet;

/// Most strings that are printed as a list.
const MOST_LISTED: usize = 64;
/// Most bands, each with lengths of its own, that are printed.
const MOST_BANDS: usize = 4;
/// Most states of an automaton that is printed as a pattern.
const MOST_STATES: usize = 48;
/// Most bytes of a pattern.
const MOST_BYTES: usize = 512;

impl StringSet {
    /// Returns schemas that together have the strings of the set. `None` if a pattern would be too long.
    pub(crate) fn printed(&self) -> Option<Vec<Value>> {
        if self.is_all() {
            return Some(vec![json!({"type": "string"})]);
        }
        if let Some(texts) = self.finite(MOST_LISTED) {
            return Some(if texts.is_empty() {
                Vec::new()
            } else {
                vec![json!({ "enum": texts })]
            });
        }
        if self.bands.len() > MOST_BANDS {
            return None;
        }
        self.bands.iter().map(band).collect()
    }
}

fn band(band: &Band) -> Option<Value> {
    let mut schema = Map::from_iter([("type".to_owned(), json!("string"))]);
    let language = &band.language;
    if let Some(name) = language.format() {
        schema.insert("format".to_owned(), json!(name));
    } else if !language.is_all() {
        schema.insert("pattern".to_owned(), json!(pattern(language.small_dfa()?)?));
    }
    if !band.is_implied() {
        if band.min > 0 {
            schema.insert("minLength".to_owned(), json!(band.min));
        }
        if let Some(max) = band.max {
            schema.insert("maxLength".to_owned(), json!(max));
        }
    }
    Some(Value::Object(schema))
}

/// Returns a pattern for the texts of an automaton. `None` if it would be too long.
fn pattern(dfa: &Dfa) -> Option<String> {
    let mut characters = Characters::new(dfa);
    // The states between characters. `start` and `end` are states of their own, without edges into or out of them.
    let (mut numbers, mut open) = (FxHashMap::from_iter([(0, 0)]), vec![0u32]);
    let mut edges: FxHashMap<(usize, usize), String> = FxHashMap::default();
    let mut ends = Vec::new();
    while let Some(state) = open.pop() {
        let from = numbers[&state];
        if dfa.states[state as usize].accepting {
            ends.push(from);
        }
        for (to, ranges) in characters.moves(state) {
            let count = numbers.len();
            let to = *numbers.entry(to).or_insert_with(|| {
                open.push(to);
                count
            });
            edges.insert((from, to), class(&ranges));
        }
        if numbers.len() > MOST_STATES {
            return None;
        }
    }
    let (start, end) = (numbers.len(), numbers.len() + 1);
    edges.insert((start, 0), String::new());
    edges.extend(ends.into_iter().map(|state| ((state, end), String::new())));
    let mut left: Vec<usize> = (0..start).collect();
    while !left.is_empty() {
        // The state with the fewest pairs of edges goes first; ties go to the last.
        let pairs = |state: usize| {
            let into = edges.keys().filter(|&&(from, to)| to == state && from != state).count();
            let out = edges.keys().filter(|&&(from, to)| from == state && to != state).count();
            into * out
        };
        let at =
            (0..left.len()).min_by_key(|&at| (pairs(left[at]), std::cmp::Reverse(left[at])))?;
        let state = left.remove(at);
        let own = edges.remove(&(state, state)).map_or_else(String::new, |own| starred(&own));
        let mut ins: Vec<(usize, String)> = Vec::new();
        let mut outs: Vec<(usize, String)> = Vec::new();
        for (&(from, to), text) in sorted(&edges) {
            if to == state {
                ins.push((from, text.clone()));
            } else if from == state {
                outs.push((to, text.clone()));
            }
        }
        edges.retain(|&(from, to), _| from != state && to != state);
        for (from, into) in &ins {
            for (to, out) in &outs {
                let joined = format!("{}{own}{}", grouped(into), grouped(out));
                let text = match edges.remove(&(*from, *to)) {
                    None => joined,
                    Some(other) if other.is_empty() => optional(&joined),
                    Some(other) if joined.is_empty() => optional(&other),
                    Some(other) => format!("{other}|{joined}"),
                };
                if text.len() > MOST_BYTES {
                    return None;
                }
                edges.insert((*from, *to), text);
            }
        }
    }
    let whole = edges.remove(&(start, end))?;
    let pattern = format!("^{}$", grouped(&whole));
    (pattern.len() <= MOST_BYTES).then_some(pattern)
}

/// Returns the edges in the order of their states.
fn sorted(edges: &FxHashMap<(usize, usize), String>) -> Vec<(&(usize, usize), &String)> {
    let mut all: Vec<_> = edges.iter().collect();
    all.sort_unstable();
    all
}

/// Whether a pattern is one character or class, to which a repetition can be added.
fn is_one(text: &str) -> bool {
    let is_class =
        text.starts_with('[') && text[1..].find(']') == Some(text.len().saturating_sub(2));
    let is_escape = text.len() == 2 && text.starts_with('\\');
    is_class && !text.contains('\\') || is_escape || text.chars().count() == 1
}

fn grouped(text: &str) -> String {
    let (mut depth, mut in_class, mut escaped, mut alternatives) = (0usize, false, false, false);
    for letter in text.chars() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ']' => in_class = false,
            _ if in_class => {}
            '[' => in_class = true,
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '|' if depth == 0 => alternatives = true,
            _ => {}
        }
    }
    if alternatives { format!("({text})") } else { text.to_owned() }
}

fn starred(text: &str) -> String {
    if is_one(text) { format!("{text}*") } else { format!("({text})*") }
}

fn optional(text: &str) -> String {
    if is_one(text) { format!("{text}?") } else { format!("({text})?") }
}

/// Returns the class of some characters, negated if that has fewer ranges.
fn class(ranges: &Ranges) -> String {
    if let [(lo, hi)] = ranges[..]
        && lo == hi
    {
        return escaped(lo, false);
    }
    let others = others(ranges);
    let (negated, ranges) = match others.len() < ranges.len()
        || ranges.last().is_some_and(|last| last.1 == char::MAX)
    {
        true => ("^", &others),
        false => ("", ranges),
    };
    if ranges.is_empty() {
        return r"[\s\S]".to_owned();
    }
    let mut text = format!("[{negated}");
    for &(lo, hi) in ranges {
        text.push_str(&escaped(lo, true));
        if hi != lo {
            if hi as u32 > lo as u32 + 1 {
                text.push('-');
            }
            text.push_str(&escaped(hi, true));
        }
    }
    text.push(']');
    text
}

/// Returns all characters but these.
fn others(ranges: &Ranges) -> Ranges {
    let mut others = Ranges::new();
    let mut next = Some('\0');
    let after = |letter: char| ((letter as u32 + 1)..=char::MAX as u32).find_map(char::from_u32);
    let before = |letter: char| (0..letter as u32).rev().find_map(char::from_u32);
    for &(lo, hi) in ranges {
        if let (Some(from), Some(to)) = (next, before(lo))
            && from <= to
        {
            others.push((from, to));
        }
        next = after(hi);
    }
    if let Some(from) = next {
        others.push((from, char::MAX));
    }
    others
}

fn escaped(letter: char, in_class: bool) -> String {
    let special = if in_class { r"\]^-[" } else { r"^$\.*+?()[]{}|" };
    match letter {
        letter if special.contains(letter) => format!("\\{letter}"),
        letter if (letter as u32) < 0x20 || (0x7f..0xa0).contains(&(letter as u32)) => {
            format!("\\u{:04x}", letter as u32)
        }
        letter => letter.to_string(),
    }
}
