//! Compares with the verdicts of the `jsonschema` crate, on random walks through the formats' automata and on mutations
//! of accepted strings.
//!
//! The crate must accept what a format accepts. For an exact format, it must also reject what the format rejects.
//! [`QUARRELS`] lists the exceptions, with who is right and why.

use jsonschema::{Draft, Validator};
use serde_json::{Value, json};

use crate::values::formats::{Exactness, FORMATS, Format};
use grammarc_grammar::automata::Dfa;
use grammarc_test_data::Rng;

/// A set of strings on which a format and the crate disagree.
struct Quarrel {
    format: &'static str,
    /// Whether the format accepts these strings, and the crate does not.
    accepted: bool,
    /// Whether a string belongs to the set.
    covers: fn(&str) -> bool,
}

const QUARRELS: &[Quarrel] = &[
    // The crate accepts some punctuation as digits.
    Quarrel {
        format: "date",
        accepted: false,
        covers: |text| text.bytes().filter(u8::is_ascii_digit).count() != 8,
    },
    Quarrel { format: "email", accepted: true, covers: quoted_oddly },
    Quarrel { format: "idn-email", accepted: true, covers: quoted_oddly },
    // RFC 6570 excludes control characters and code points that are no characters; the crate accepts all.
    Quarrel {
        format: "uri-template",
        accepted: false,
        covers: |text| text.chars().any(unprintable),
    },
];

/// Whether a text has an escaped space, or a space before `<`. RFC 5321 allows both in a quoted string, and the crate
/// takes the latter for the end of a display name.
fn quoted_oddly(text: &str) -> bool {
    text.contains("\\ ") || text.contains(" <")
}

/// Whether a character is outside ASCII and neither `ucschar` nor `iprivate`.
fn unprintable(c: char) -> bool {
    let last_of_plane = u32::from(c) & 0xfffe == 0xfffe;
    last_of_plane
        || matches!(c, '\u{80}'..='\u{9f}' | '\u{fdd0}'..='\u{fdef}' | '\u{fff0}'..='\u{ffff}' | '\u{e0000}'..='\u{e0fff}')
}

const WALKS: usize = 2_000;

fn validator(format: &Format) -> Validator {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .build(&json!({ "format": format.name }))
        .expect("the schema is valid")
}

/// Returns for each state the fewest bytes to an accepting state.
fn distances(dfa: &Dfa) -> Vec<usize> {
    let mut distances: Vec<usize> =
        dfa.states.iter().map(|state| if state.accepting { 0 } else { usize::MAX }).collect();
    loop {
        let before = distances.clone();
        for (at, state) in dfa.states.iter().enumerate() {
            for edge in &state.edges {
                let through = distances[edge.target as usize].saturating_add(1);
                distances[at] = distances[at].min(through);
            }
        }
        if distances == before {
            return distances;
        }
    }
}

/// Returns a random string of the automaton: random steps at first, then the shortest way to an end.
fn walk(dfa: &Dfa, distances: &[usize], rng: &mut Rng) -> String {
    let mut bytes = Vec::new();
    let mut state = 0;
    let free = rng.below(90);
    loop {
        let here = &dfa.states[state];
        if here.edges.is_empty() || (here.accepting && bytes.len() >= free) {
            break;
        }
        let closer = |target: u32| distances[target as usize] < distances[state];
        let edges: Vec<_> =
            here.edges.iter().filter(|edge| bytes.len() < free || closer(edge.target)).collect();
        let edge = edges[rng.below(edges.len())];
        let byte = edge.lo as usize + rng.below((edge.hi - edge.lo + 1) as usize);
        bytes.push(byte as u8);
        state = edge.target as usize;
    }
    String::from_utf8(bytes).expect("a format's strings are UTF-8")
}

/// Returns the string after one or two random removals, replacements, insertions or swaps of characters.
fn mutate(text: &str, rng: &mut Rng) -> String {
    const CHARACTERS: &str =
        "09aAzZfF:.-+/?#[]@%~{}()<>\\\"' _*,;=!|^$\n\u{0}é\u{301}лب中\u{10ffff}١";
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=rng.below(2) {
        let any: Vec<char> = CHARACTERS.chars().collect();
        let at = rng.below(chars.len() + 1);
        let new = any[rng.below(any.len())];
        match rng.below(4) {
            0 if at < chars.len() => _ = chars.remove(at),
            1 if at < chars.len() => chars[at] = new,
            2 if at + 1 < chars.len() => chars.swap(at, at + 1),
            _ => chars.insert(at, new),
        }
    }
    chars.into_iter().collect()
}

#[test]
fn the_other_implementation_agrees() {
    for format in &FORMATS {
        let dfa = format.automaton();
        let validator = validator(format);
        let distances = distances(&dfa);
        let mut rng = Rng::new(0x5eed);
        let mut quarrels = Vec::new();
        let mut check = |text: String| {
            let ours = dfa.accepts(text.as_bytes());
            let theirs = validator.is_valid(&Value::from(text.as_str()));
            let comparable = ours || format.exactness == Exactness::Exact;
            let known = QUARRELS.iter().any(|quarrel| {
                quarrel.format == format.name && quarrel.accepted == ours && (quarrel.covers)(&text)
            });
            if comparable && ours != theirs && !known {
                quarrels.push((ours, text));
            }
        };
        for _ in 0..WALKS {
            let text = walk(&dfa, &distances, &mut rng);
            assert!(dfa.accepts(text.as_bytes()), "{}: {text:?}", format.name);
            check(mutate(&text, &mut rng));
            check(text);
        }
        quarrels.sort_by_key(|(_, text)| text.len());
        assert!(quarrels.is_empty(), "{}: {quarrels:#?}", format.name);
    }
}
