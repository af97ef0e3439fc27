//! Artifacts of grammars with some words changed and a correct checksum, opened and used.

use std::sync::OnceLock;

use grammarc_artifacts::container::header::{CHECKED_FROM, HEADER_LEN, checksum};
use grammarc_artifacts::{Buffer, GrammarArtifact};
use grammarc_runtime::{Grammar, Matcher, MatcherOptions};
use grammarc_tests::schemas::compiler;
use grammarc_tests::sources::{Language, artifact, lower};

use crate::input::Input;

/// Sources that between them use every table.
pub(crate) const SOURCES: [(Language, &str); 4] = [
    (Language::Gbnf, "root ::= e\ne ::= e \"+\" e | \"(\" e \")\" | [0-9]{1,500} | <eos> e"),
    (
        Language::Gbnf,
        "root ::= (item \",\"){2,900} item\nitem ::= \"ab\" | \"abc\" | \"[\" item \"]\"",
    ),
    (Language::Regex, "(?:[a-f]{2,300}-)*é+"),
    (
        Language::JsonSchema,
        r##"{"type": "object", "properties": {"name": {"type": "string", "maxLength": 300}, "items": {"type": "array",
            "items": {"anyOf": [{"type": "integer"}, {"$ref": "#"}]}, "uniqueItems": true}}, "required": ["name"]}"##,
    ),
];

/// The artifacts of the sources.
pub(crate) fn originals() -> &'static [Buffer] {
    static ARTIFACTS: OnceLock<Vec<Buffer>> = OnceLock::new();
    ARTIFACTS.get_or_init(|| {
        let compile = |&(language, text): &(Language, &str)| {
            let lowered = lower(language, "fuzz", text).expect("a source");
            artifact(compiler(), &lowered).expect("it compiles")
        };
        SOURCES.iter().map(compile).collect()
    })
}

/// Changes words of an artifact. The bytes choose the artifact, the number of words, their positions and their
/// values.
///
/// # Panics
///
/// If a guarantee is violated.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let originals = originals();
    let mut bytes = originals[input.below(originals.len())].to_vec();
    for _ in 0..1 + input.below(6) {
        let at = input.below(bytes.len() / 4) * 4;
        let mut word = [0; 4];
        word.copy_from_slice(&bytes[at..at + 4]);
        let word = u32::from_le_bytes(word);
        let changed = match input.byte() % 4 {
            0 => input.word(),
            1 => word.wrapping_add(u32::from(input.byte())),
            2 => word.wrapping_sub(u32::from(input.byte())),
            _ => word ^ 1 << (input.byte() % 32),
        };
        bytes[at..at + 4].copy_from_slice(&changed.to_le_bytes());
        if input.is_spent() {
            break;
        }
    }
    if bytes.len() >= HEADER_LEN {
        let right = checksum(&bytes);
        bytes[CHECKED_FROM - right.len()..CHECKED_FROM].copy_from_slice(&right);
    }
    let buffer = Buffer::from_bytes(&bytes);
    let Ok(artifact) = GrammarArtifact::from_buffer(buffer, compiler().vocabulary()) else {
        return;
    };
    let grammar = Grammar::from_artifact(artifact);
    let options = MatcherOptions::new().max_configurations(200).max_frames(2_000);
    let mut matcher = Matcher::with_options(&grammar, options).expect("the options fit");
    let mut logits = vec![0f32; matcher.logit_width() as usize];
    for _ in 0..32 {
        let mask = matcher.mask();
        mask.apply(&mut logits).expect("the buffer fits");
        let allowed: Vec<u32> = mask.iter().take(64).collect();
        let token = match allowed.len() {
            0 => u32::from(input.byte()),
            some => allowed[input.below(some)],
        };
        let taken = matcher.accept(token).is_ok();
        match input.byte() % 8 {
            0 if taken => _ = matcher.rollback(1),
            1 => matcher = matcher.fork(),
            2 => _ = matcher.validate(&allowed),
            _ => {}
        }
    }
}
