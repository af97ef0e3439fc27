//! Every text form over MaskBench: a valid instance is accepted as each program writes it that the form is for, and an
//! invalid one in none of these ways; what one form is for, a narrower one refuses.
//!
//! The texts are written apart from the compiler ([`layouts`]). The test says so and passes where MaskBench is absent.
//! `GRAMMARC_FULL=1` takes every tenth schema, the default a tenth of these.

use std::collections::BTreeMap;

use grammarc_benches::inputs::{maskbench, sized};
use grammarc_compiler::diagnostics::report::Verdict;
use grammarc_compiler::frontend::json_schema::{
    Escapes, Indentation, JsonSchemaOptions, KeyOrder, NumberForm, Separator, TextForm, Whitespace,
};
use grammarc_tests::schemas::layouts::{self, Layout, Numbers};
use grammarc_tests::schemas::texts::canonical;
use grammarc_tests::schemas::{Compiled, compile};
use serde_json::Value;

const STEP: usize = 10;

/// A way to write instances.
struct Written<'w> {
    layout: Layout<'w>,
    numbers: Numbers<'w>,
    around: [&'w str; 2],
    /// Whether integers are not in digits alone, which draft 4 wants.
    by_value: bool,
    /// Whether characters outside of ASCII are escaped.
    is_ascii: bool,
}

impl Written<'_> {
    fn text(&self, value: &Value) -> String {
        let [before, behind] = self.around;
        let text = layouts::text(value, self.layout, self.numbers);
        let text = if self.is_ascii { layouts::in_ascii(&text) } else { text };
        format!("{before}{text}{behind}")
    }
}

/// A text form and what writes in it.
struct Form<'w> {
    name: &'static str,
    text: TextForm,
    written: Vec<Written<'w>>,
}

const COMPACT: Layout<'_> = Layout::Separated(",", ":");
const SPACED: Layout<'_> = Layout::Separated(", ", ": ");

fn written<'w>(layout: Layout<'w>, numbers: Numbers<'w>) -> Written<'w> {
    Written { layout, numbers, around: [""; 2], by_value: false, is_ascii: false }
}

fn forms() -> Vec<Form<'static>> {
    let natural = |whitespace, layouts: &[Layout<'static>]| {
        let text = TextForm { whitespace, ..TextForm::NATURAL };
        (text, layouts.iter().map(|&layout| written(layout, &canonical)).collect())
    };
    let lines = |spaces| Indentation { spaces, ..Indentation::DEFAULT };
    let item = Separator::item("\t,\n").expect("a separator");
    let key = Separator::key(" :").expect("a separator");
    let whitespaces = [
        ("natural", natural(Whitespace::Natural, &[COMPACT, SPACED, Layout::Mixed])),
        ("compact", natural(Whitespace::Compact, &[COMPACT])),
        ("spaced", natural(Whitespace::Spaced, &[SPACED])),
        ("indented", natural(Whitespace::Indented(lines(2)), &[Layout::Lines(2)])),
        ("indented by 4", natural(Whitespace::Indented(lines(4)), &[Layout::Lines(4)])),
        ("styled", natural(Whitespace::Styled(lines(2)), &[COMPACT, SPACED, Layout::Lines(2)])),
        (
            "separators",
            natural(Whitespace::Fixed { item, key }, &[Layout::Separated("\t,\n", " :")]),
        ),
        (
            "flexible",
            natural(
                Whitespace::Flexible { max: 4 },
                &[COMPACT, SPACED, Layout::Anywhere(&["\n \t\r", "", " ", "\r\n"])],
            ),
        ),
    ];
    let mut forms: Vec<_> = whitespaces
        .into_iter()
        .map(|(name, (text, written))| Form { name, text, written })
        .collect();
    let around = |around| Written { around, ..written(SPACED, &canonical) };
    forms.push(Form {
        name: "surrounded",
        text: TextForm { surround: 4, ..TextForm::NATURAL },
        written: [["", ""], [" ", ""], ["", "\n"], ["\r\n\t ", "\n\n\n\n"]].map(around).into(),
    });
    let numbers = |numbers| TextForm { numbers, ..TextForm::SHORT };
    forms.push(Form {
        name: "canonical numbers",
        text: numbers(NumberForm::Canonical),
        written: vec![written(COMPACT, &canonical)],
    });
    forms.push(Form {
        name: "natural numbers",
        text: numbers(NumberForm::Natural),
        written: vec![written(COMPACT, &canonical), written(COMPACT, &layouts::loose)],
    });
    forms.push(Form {
        name: "any numbers",
        text: numbers(NumberForm::Any),
        written: vec![
            written(COMPACT, &canonical),
            written(COMPACT, &layouts::loose),
            Written { by_value: true, ..written(COMPACT, &layouts::scientific) },
        ],
    });
    let in_ascii = Written { is_ascii: true, ..written(COMPACT, &canonical) };
    forms.push(Form {
        name: "any escapes",
        text: TextForm { escapes: Escapes::Any, ..TextForm::NATURAL },
        written: vec![written(COMPACT, &canonical), in_ascii],
    });
    forms
}

/// Whether any form of a number but its canonical one is beyond what forms hold: so many digits.
fn is_long(value: &Value) -> bool {
    match value {
        Value::Number(number) => {
            let text = canonical(&number.to_string());
            text.split('.').any(|digits| digits.trim_start_matches('-').len() > 63)
        }
        Value::Array(items) => items.iter().any(is_long),
        Value::Object(members) => members.values().any(is_long),
        _ => false,
    }
}

#[derive(Debug, Default)]
struct Counts {
    schemas: usize,
    not_compiled: BTreeMap<&'static str, usize>,
    accepted: usize,
    refused: usize,
    admitted: usize,
    wrong: Vec<String>,
}

impl Counts {
    fn judge(&mut self, what: String, compiled: &Compiled, text: &str, valid: bool) {
        let verdict = if valid { Verdict::Narrower } else { Verdict::Approximate };
        if compiled.accepts(text) == valid {
            *(if valid { &mut self.accepted } else { &mut self.refused }) += 1;
        } else if compiled.has(verdict) {
            self.admitted += 1;
        } else {
            self.wrong.push(format!("{what}, {valid}: {text:.300}"));
        }
    }
}

#[test]
fn instances_are_judged_right_in_every_form() {
    let cases = maskbench();
    if cases.is_empty() {
        eprintln!("SKIPPED: no MaskBench; set GRAMMARC_DATA");
        return;
    }
    let step = sized(STEP * STEP, STEP);
    for Form { name, text, written } in forms() {
        let options = JsonSchemaOptions { text, key_order: KeyOrder::Any, ..Default::default() };
        let mut counts = Counts::default();
        for case in cases.iter().step_by(step) {
            let compiled = match compile(&case.schema.to_string(), &options) {
                Ok(compiled) => compiled,
                Err(refusal) => {
                    *counts.not_compiled.entry(refusal.code()).or_default() += 1;
                    continue;
                }
            };
            counts.schemas += 1;
            let is_draft_4 = case.schema.to_string().contains("draft-04");
            for (at, test) in case.tests.iter().enumerate() {
                if test.valid && is_long(&test.data) {
                    continue;
                }
                for written in written.iter().filter(|written| !(written.by_value && is_draft_4)) {
                    let text = written.text(&test.data);
                    counts.judge(format!("{}#{at}", case.id), &compiled, &text, test.valid);
                }
            }
        }
        let Counts { schemas, not_compiled, accepted, refused, admitted, wrong } = counts;
        eprintln!(
            "{name}: {schemas} schemas and not {not_compiled:?}, {accepted} accepted and {refused} refused, {} wrong, \
             {admitted} admitted by the report",
            wrong.len()
        );
        assert!(wrong.is_empty(), "{name}: {}", wrong.join("\n"));
        assert!(accepted > 0 && refused > 0);
        assert!(not_compiled.values().sum::<usize>() * 50 <= schemas, "{not_compiled:?}");
        assert!(admitted * 50 <= accepted + refused, "{name}: {admitted} are admitted");
    }
}
