//! Schemas of MaskBench as each engine reads them, over their valid instances.
//!
//! Ours is compact text, as llguidance's is, with numbers in their natural form. The engines differ in the text of
//! strings. llguidance allows every escape of a control character, where this side has the shortest only, and takes U+007F
//! for one, which by RFC 8259 it is not. So tokens with a backslash or that character are left out, as are instances with
//! either; and tokens with `-0`, which is an integer there and not here. Schemas that bound numbers are left out too,
//! because their exponents are bounded in other ways. The schemas whose masks differ even so are listed by name.

use grammarc_benches::inputs::{self, Case, maskbench, sized, spread};
use grammarc_benches::{ours, peer};
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::json_schema::{JsonSchemaOptions, TextForm, Whitespace};

use crate::fixture::{Fixture, fixture};
use crate::lockstep::{Compared, Lockstep};

/// Longest instance, in tokens.
const LONGEST: usize = 1_500;

/// Schemas whose masks differ, with the reason. In all of them this side is the one intended.
const DIFFERENT: [(&str, &str); 3] = [
    (
        "Github_easy---o90298",
        "after `1.6e-05` llguidance goes on with three digits: its exponents are unbounded, ours have four digits",
    ),
    (
        "Github_hard---o62943",
        "`type` beside `$ref` in draft 4, where siblings of `$ref` are ignored: any value is right, and llguidance \
         intersects",
    ),
    (
        "Github_medium---o77739",
        "`properties` beside `$ref` in draft 4, as above: `insurance` is an additional property of any value",
    ),
];

/// Keywords about numbers. Ours have bounded exponents there, and llguidance's have none.
const NUMBERS: [&str; 5] =
    ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

/// Whether the two read a schema's texts alike.
fn comparable(schema: &str) -> bool {
    NUMBERS.iter().all(|keyword| !schema.contains(&format!("\"{keyword}\"")))
}

/// The text tokens whose bytes mean the same to both.
fn plain_tokens(fixture: &Fixture) -> Vec<u32> {
    let mut words = fixture.text_tokens.clone();
    for (at, word) in words.iter_mut().enumerate() {
        for bit in 0..u32::BITS {
            let token = at as u32 * u32::BITS + bit;
            let bytes = fixture.ours.artifact().token_bytes(token);
            let is_other = |byte: &u8| [b'\\', 0x7f].contains(byte);
            if bytes.iter().any(is_other) || bytes.windows(2).any(|two| two == b"-0") {
                *word &= !(1 << bit);
            }
        }
    }
    words
}

/// The masks of one case; `None` where either engine does not take the schema.
fn judge(fixture: &Fixture, case: &Case, counted: &[u32]) -> Option<Result<Compared, String>> {
    let text = case.schema.to_string();
    if !comparable(&text) {
        return None;
    }
    let compact = TextForm { whitespace: Whitespace::Compact, ..TextForm::NATURAL };
    let options = JsonSchemaOptions { text: compact, ..JsonSchemaOptions::default() };
    let source = ours::Text::Natural(&text).source();
    let grammar = fixture.ours.grammar_of(FrontEnd::JsonSchema(options), source).ok()?;
    fixture.peer.matcher(peer::Text::JsonSchema(&text)).ok()?;
    let mut compared = Compared::default();
    for instance in case.tests.iter().filter(|instance| instance.valid) {
        let text = inputs::texts(case, instance).remove(0);
        let tokens = fixture.tokens(&text);
        if text.contains(['\\', '\x7f']) || tokens.len() > LONGEST {
            continue;
        }
        let theirs = fixture.peer.matcher(peer::Text::JsonSchema(&case.schema.to_string())).ok()?;
        let mut lockstep = Lockstep::new(fixture, &grammar, theirs, counted);
        if let Err(difference) = lockstep.follow(&tokens) {
            return Some(Err(format!("{}: {difference}", case.id)));
        }
        compared += lockstep.compared;
    }
    Some(Ok(compared))
}

/// Whether the masks are known to differ.
fn expected(case: &Case) -> bool {
    DIFFERENT.iter().any(|(name, _)| *name == case.id)
}

#[test]
#[expect(clippy::print_stderr, reason = "figures")]
fn masks_are_equal_over_instances() {
    let Some(fixture) = fixture() else { return };
    let counted = plain_tokens(fixture);
    let cases = maskbench();
    let mut compared = Compared::default();
    let mut differences = Vec::new();
    let mut schemas = 0;
    let count = sized(60, cases.len());
    for case in spread(&cases, count).take(count) {
        match judge(fixture, case, &counted) {
            None => {}
            Some(Ok(_)) if expected(case) => {
                differences.push(format!("{}: equal, against the list", case.id));
            }
            Some(Ok(more)) => {
                schemas += 1;
                compared += more;
            }
            Some(Err(_)) if expected(case) => {}
            Some(Err(difference)) => differences.push(difference),
        }
    }
    eprintln!("{schemas} schemas equal, {} not: {compared:?}", differences.len());
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
