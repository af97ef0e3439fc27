//! Damaged, truncated and foreign artifacts of real grammars are typed errors, and what still opens drives a matcher
//! without a panic.
//!
//! The checksum detects damage; whoever writes an artifact can make it right again. So everything is tried twice: as
//! the damage happens, where only an error will do, and sealed with a right checksum, where the validation stands alone.
//! `GRAMMARC_SEED` sets the first seed, `GRAMMARC_CORRUPTIONS` how many there are.

use std::panic::{AssertUnwindSafe, catch_unwind};

use grammarc_artifacts::container::header::{CHECKED_FROM, HEADER_LEN, RawHeader, checksum};
use grammarc_artifacts::error::Difference;
use grammarc_artifacts::{Buffer, Error, GrammarArtifact, TokenKind, VocabularyArtifact};
use grammarc_compiler::compile::Compiler;
use grammarc_compiler::vocabulary::{TokenEntry, TokenTable};
use grammarc_runtime::{ByteMatcher, Grammar, Matcher, MatcherOptions};
use grammarc_tests::random::Rng;
use grammarc_tests::sources::{Language, artifact, lower};
use grammarc_tests::vocabularies;
use rayon::prelude::*;

/// Grammars that between them use every table: calls, frames, countdowns, token sets, ambiguity, shared rules.
const SOURCES: [(Language, &str); 5] = [
    (Language::Gbnf, "root ::= e\ne ::= e \"+\" e | \"(\" e \")\" | [0-9]{1,500} | <|tool|> e"),
    (Language::Gbnf, "root ::= \"\" | \"a\" root \"a\" | \"b\" root \"b\""),
    (
        Language::Gbnf,
        "root ::= (item \",\"){2,900} item !<|tool|>\nitem ::= \"ab\" | \"abc\" | \"[\" item \"]\"",
    ),
    (Language::Regex, "(?:[a-f]{2,300}-)*é+"),
    (
        Language::JsonSchema,
        r##"{"type": "object", "properties": {"name": {"type": "string", "maxLength": 300}, "items": {"type": "array",
            "items": {"anyOf": [{"type": "integer"}, {"$ref": "#"}]}, "maxItems": 200}}, "required": ["name"]}"##,
    ),
];

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

fn table() -> TokenTable {
    let mut table = vocabularies::of_words(
        "ab abc aa bb aba + (( )) ()+ ,ab 12 123 {\" \": \"name\": [1, ], é ff-",
    );
    let tool = TokenEntry { bytes: b"<|tool|>".to_vec(), kind: TokenKind::Special };
    table.tokens.insert(7, tool);
    table.logit_width += 6;
    table.end_tokens = vec![table.tokens.len() as u32 - 1];
    table
}

/// The vocabulary and the artifacts of all sources for it.
fn real() -> (VocabularyArtifact, Vec<Buffer>) {
    let vocabulary = vocabularies::artifact(&table());
    let compiler = Compiler::new(vocabulary.clone());
    let compile = |&(language, text): &(Language, &str)| {
        let lowered = lower(language, "test", text).unwrap_or_else(|e| panic!("{text}: {e:#?}"));
        artifact(&compiler, &lowered).unwrap_or_else(|error| panic!("{text}: {error}"))
    };
    let artifacts = SOURCES.iter().map(compile).collect();
    (vocabulary, artifacts)
}

/// The bytes with the right checksum.
fn sealed(mut bytes: Vec<u8>) -> Buffer {
    if bytes.len() >= HEADER_LEN {
        let right = checksum(&bytes);
        bytes[CHECKED_FROM - right.len()..CHECKED_FROM].copy_from_slice(&right);
    }
    Buffer::from_bytes(&bytes)
}

/// Drives matchers over what opened, as a host would and as none should.
fn drive(grammar: &Grammar, rng: &mut Rng) -> u64 {
    let options = MatcherOptions::new().max_configurations(200).max_frames(2_000);
    let options = options.rollback_window(16);
    let mut matcher = Matcher::with_options(grammar, options.clone()).expect("the options fit");
    let width = matcher.logit_width();
    let mut words = vec![0u32; width.div_ceil(32) as usize];
    let mut logits = vec![0f32; width as usize];
    let (mut run, mut bytes) = (Vec::new(), Vec::new());
    let mut sum = 0;
    for _ in 0..24 {
        let mask = matcher.mask();
        sum += mask.len() as u64 + u64::from(mask.contains(width));
        mask.fill(&mut words).expect("the buffer fits");
        mask.apply(&mut logits).expect("the buffer fits");
        let allowed: Vec<u32> = mask.iter().collect();
        let any = rng.below(width as usize + 2) as u32;
        let token = if allowed.is_empty() || rng.one_in(8) { any } else { *rng.pick(&allowed) };
        sum += u64::from(matcher.accept(token).is_ok());
        sum += u64::from(matcher.is_accepting()) + u64::from(matcher.is_finished());
        match rng.below(6) {
            0 => matcher.forced_tokens(&mut run),
            1 => matcher.forced_bytes(&mut bytes),
            2 => sum += u64::from(matcher.rollback(rng.below(4)).is_ok()),
            3 => sum += matcher.validate(&allowed[..allowed.len().min(6)]) as u64,
            4 => {
                let position = matcher.export();
                let mut other = Matcher::with_options(grammar, options.clone()).expect("they fit");
                sum += u64::from(other.import(&position).is_ok()) + other.mask().len() as u64;
            }
            _ => matcher = matcher.fork(),
        }
    }
    let mut reader = ByteMatcher::with_options(grammar, options).expect("the options fit");
    for _ in 0..40 {
        let Ok(allowed) = reader.allowed_bytes() else { break };
        let byte = if allowed.is_empty() { b'a' } else { *rng.pick(&allowed) };
        sum += u64::from(reader.accept(&[byte]).is_ok()) + u64::from(reader.is_accepting());
    }
    sum
}

/// Some damage to the bytes of an artifact. Half of it goes to the small sections, which hold the structure.
fn damaged(bytes: &[u8], rng: &mut Rng, sections: &[std::ops::Range<usize>]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + rng.below(3) {
        let range = if rng.one_in(2) { 0..bytes.len() } else { rng.pick(sections).clone() };
        if range.len() < 4 || range.end > bytes.len() {
            continue;
        }
        let at = range.start + rng.below(range.len() / 4) * 4;
        let mut word = [0; 4];
        word.copy_from_slice(&bytes[at..at + 4]);
        let word = u32::from_le_bytes(word);
        let from = range.start + rng.below(range.len() / 4) * 4;
        let changed = match rng.below(9) {
            0 => word ^ 1 << rng.below(32),
            1 => word.wrapping_add(1),
            2 => word.wrapping_sub(1),
            3 => 0,
            4 => u32::MAX,
            5 => rng.below(300) as u32,
            6 => rng.below(1 << 32) as u32,
            // Another word of the same section: an index that is in range there.
            _ => {
                u32::from_le_bytes([bytes[from], bytes[from + 1], bytes[from + 2], bytes[from + 3]])
            }
        };
        bytes[at..at + 4].copy_from_slice(&changed.to_le_bytes());
    }
    if rng.one_in(10) {
        bytes.truncate(rng.below(bytes.len() + 1));
        // A length that agrees with what is left.
        if rng.one_in(2) && bytes.len() >= HEADER_LEN {
            let field = std::mem::offset_of!(RawHeader, total_length);
            let length = (bytes.len() as u64).to_le_bytes();
            bytes[field..field + 8].copy_from_slice(&length);
        }
    }
    bytes
}

/// The places of the sections of an artifact.
fn sections(artifact: &grammarc_artifacts::container::Container) -> Vec<std::ops::Range<usize>> {
    let entries = artifact.directory().entries().iter().map(|entry| entry.range.clone());
    entries.chain(std::iter::once(0..HEADER_LEN)).filter(|range| range.len() >= 4).collect()
}

/// Numbers of damaged artifacts, by result.
#[derive(Clone, Copy, Debug, Default)]
struct Outcomes {
    refused: usize,
    opened: usize,
    same: usize,
}

impl Outcomes {
    fn and(self, other: Self) -> Self {
        Self {
            refused: self.refused + other.refused,
            opened: self.opened + other.opened,
            same: self.same + other.same,
        }
    }
}

/// Damages, seals and opens, `count` times; `open` says whether it opened and panics where it must not.
fn corrupt(
    artifact: &Buffer,
    ranges: &[std::ops::Range<usize>],
    count: u64,
    open: impl Fn(&Buffer, &mut Rng) -> bool + Sync,
) -> Outcomes {
    let first = number("GRAMMARC_SEED", 0);
    let outcomes = (first..first + count).into_par_iter().map(|seed| {
        let mut rng = Rng::new(seed);
        let bytes = damaged(artifact, &mut rng, ranges);
        if bytes[..] == artifact[..] {
            return Outcomes { same: 1, ..Outcomes::default() };
        }
        let attempt = |buffer: &Buffer, rng: &mut Rng| {
            catch_unwind(AssertUnwindSafe(|| open(buffer, rng)))
                .unwrap_or_else(|_| panic!("seed {seed}: a damaged artifact made a panic"))
        };
        let plain = Buffer::from_bytes(&bytes);
        assert!(!attempt(&plain, &mut rng), "seed {seed}: damage behind a wrong checksum opened");
        let opened = attempt(&sealed(bytes), &mut rng);
        Outcomes { refused: usize::from(!opened), opened: usize::from(opened), same: 0 }
    });
    outcomes.reduce(Outcomes::default, Outcomes::and)
}

#[test]
fn damaged_grammars_are_errors_or_harmless() {
    let (vocabulary, artifacts) = real();
    let count = number("GRAMMARC_CORRUPTIONS", 10_000) / artifacts.len() as u64;
    for (index, bytes) in artifacts.iter().enumerate() {
        let intact = GrammarArtifact::from_buffer(bytes.clone(), &vocabulary).expect("it is valid");
        let ranges = sections(intact.container());
        let outcomes = corrupt(bytes, &ranges, count, |buffer, rng| {
            match GrammarArtifact::from_buffer(buffer.clone(), &vocabulary) {
                Ok(artifact) => {
                    drive(&Grammar::from_artifact(artifact), rng);
                    true
                }
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    false
                }
            }
        });
        eprintln!("grammar {index} of {} bytes: {outcomes:?}", bytes.len());
        assert!(outcomes.refused * 10 >= count as usize, "hardly any damage was noticed");
        assert!(outcomes.opened * 50 >= count as usize, "hardly any artifact was driven");
    }
}

#[test]
fn damaged_vocabularies_are_errors_or_harmless() {
    let vocabulary = vocabularies::artifact(&table());
    let bytes = vocabulary.container().buffer();
    let ranges = sections(vocabulary.container());
    let grammar = lower(Language::Gbnf, "test", SOURCES[0].1).expect("it was lowered before");
    let count = number("GRAMMARC_CORRUPTIONS", 10_000) / 10;
    let outcomes = corrupt(bytes, &ranges, count, |buffer, rng| {
        let Ok(damaged) = VocabularyArtifact::from_buffer(buffer.clone()) else { return false };
        // A grammar compiles for it or does not, and what compiled can be driven.
        let compiler = Compiler::new(damaged.clone());
        if let Ok(bytes) = artifact(&compiler, &grammar) {
            let opened = GrammarArtifact::from_buffer(bytes, &damaged);
            drive(&Grammar::from_artifact(opened.expect("what was compiled is valid")), rng);
        }
        true
    });
    eprintln!("vocabulary of {} bytes: {outcomes:?}", bytes.len());
    assert!(outcomes.refused * 10 >= count as usize, "hardly any damage was noticed");
    assert!(outcomes.opened > 0, "no damaged vocabulary was used");
}

#[test]
fn every_byte_of_a_real_header_is_guarded() {
    let (vocabulary, artifacts) = real();
    let minor = std::mem::offset_of!(RawHeader, minor);
    let digest = CHECKED_FROM - 32..CHECKED_FROM;
    for bytes in artifacts.iter().chain([vocabulary.container().buffer()]) {
        let opens = |buffer: Buffer| {
            VocabularyArtifact::from_buffer(buffer.clone()).is_ok()
                || GrammarArtifact::from_buffer(buffer, &vocabulary).is_ok()
        };
        for at in 0..HEADER_LEN {
            for bit in 0..8 {
                let mut damaged = bytes.to_vec();
                damaged[at] ^= 1 << bit;
                assert!(!opens(Buffer::from_bytes(&damaged)), "byte {at}, bit {bit}");
                // A later minor version is read, and a wrong checksum is what sealing makes right.
                let harmless = (minor..minor + 2).contains(&at) || digest.contains(&at);
                assert_eq!(opens(sealed(damaged)), harmless, "byte {at}, bit {bit}, sealed");
            }
        }
    }
}

#[test]
fn every_truncation_of_a_real_grammar_is_an_error() {
    let (vocabulary, artifacts) = real();
    let bytes = &artifacts[1];
    for length in (0..bytes.len()).filter(|at| at % 7 == 0 || *at < 2 * HEADER_LEN) {
        let cut = bytes[..length].to_vec();
        let open = |buffer| GrammarArtifact::from_buffer(buffer, &vocabulary).is_ok();
        assert!(!open(Buffer::from_bytes(&cut)), "cut to {length}");
        assert!(!open(sealed(cut)), "cut to {length}, sealed");
    }
}

#[test]
fn another_vocabulary_is_refused_by_the_first_token_that_differs() {
    let (_, artifacts) = real();
    let difference = |change: &dyn Fn(&mut TokenTable)| {
        let mut other = table();
        change(&mut other);
        let other = vocabularies::artifact(&other);
        match GrammarArtifact::from_buffer(artifacts[0].clone(), &other) {
            Err(Error::VocabularyMismatch { difference, .. }) => difference,
            other => panic!("{other:?}"),
        }
    };
    for id in [0u32, 6, 7, 100, 256, 260] {
        let bytes = b"<other>".to_vec();
        let found = difference(&|table| table.tokens[id as usize].bytes = bytes.clone());
        assert_eq!(found, Difference::Token { id, bytes: Some(bytes.clone()) });
    }
    let found = difference(&|table| table.tokens.swap(100, 90));
    assert!(matches!(found, Difference::Token { id: 90, .. }), "{found:?}");
    let last = table().tokens.len() as u32 - 1;
    let text = TokenEntry { bytes: b"new".to_vec(), kind: TokenKind::Text };
    let found = difference(&|table| table.tokens.push(text.clone()));
    assert_eq!(found, Difference::Token { id: last + 1, bytes: Some(b"new".to_vec()) });
    let found = difference(&|table| {
        table.tokens.pop();
        table.end_tokens = Vec::new();
    });
    assert_eq!(found, Difference::Token { id: last, bytes: None });
    assert_eq!(difference(&|table| table.end_tokens.clear()), Difference::EndOrWidth);
    assert_eq!(difference(&|table| table.logit_width += 1), Difference::EndOrWidth);
}

#[test]
fn sources_that_nest_deep_are_answered() {
    let vocabulary = vocabularies::small();
    let compiler = Compiler::new(vocabulary.clone());
    for depth in [100, 3_000, 100_000] {
        let nest = |open: &str, middle: &str, close: &str| {
            format!("{}{middle}{}", open.repeat(depth), close.repeat(depth))
        };
        let sources = [
            (Language::Gbnf, format!("root ::= {}", nest("(", "\"a\"", ")"))),
            (Language::Gbnf, format!("root ::= {}", nest("( \"b\" ", "\"a\"", ")?"))),
            (Language::Gbnf, format!("root ::= \"a\"{}", "?".repeat(depth))),
            (Language::Gbnf, format!("root ::= {}", nest("", "\"a\"", " | \"a\""))),
            (Language::Regex, nest("(", "a", ")*")),
            (Language::Regex, nest("(?:b|", "a", ")")),
            (Language::JsonSchema, nest(r#"{"items":"#, "true", "}")),
            (Language::JsonSchema, nest(r#"{"anyOf":["#, "true", "]}")),
            (Language::JsonSchema, format!(r#"{{"const":{}}}"#, nest("[", "1", "]"))),
        ];
        for (language, text) in sources {
            // Accepted or refused, but answered.
            if let Ok(lowered) = lower(language, "test", &text) {
                let _ = artifact(&compiler, &lowered);
            }
        }
    }
}
