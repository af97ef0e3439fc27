//! Our own table of situations that schemas bring up: what each must accept and refuse.
//!
//! `situations.json` is a list of objects:
//!
//! | member | what |
//! | --- | --- |
//! | `situation` | what is tried, in words |
//! | `schema` | the schema |
//! | `generated` | the schema gets an `enum` of so many strings, `prefix` and a number each |
//! | `accepts` | texts accepted in the short text form, and in the wide one with keys in any order |
//! | `refuses` | texts refused in both |
//! | `wide` | texts refused in the short form and accepted in the wide one |
//! | `flexible` | texts accepted only where whitespace is flexible |
//! | `error` | the code with which the schema is refused |
//!
//! A text may be an object, for one that repeats.

use std::collections::BTreeSet;

use grammarc_compiler::frontend::json_schema::{JsonSchemaOptions, KeyOrder, TextForm, Whitespace};
use grammarc_tests::schemas::{Compiled, Refusal, compile};
use serde_json::Value;

const SITUATIONS: &str = include_str!("situations.json");

/// The texts of a member of a situation.
fn texts(situation: &Value, member: &str) -> Vec<String> {
    let text = |text: &Value| match text {
        Value::String(text) => text.clone(),
        repeated => {
            let part = |name: &str| repeated[name].as_str().expect("a text");
            let times = repeated["times"].as_u64().expect("a number") as usize;
            [part("before"), &part("repeat").repeat(times), part("after")].concat()
        }
    };
    situation[member].as_array().into_iter().flatten().map(text).collect()
}

fn schema(situation: &Value) -> String {
    let mut schema = situation["schema"].clone();
    if let Some(count) = situation["generated"]["enum"].as_u64() {
        let prefix = situation["generated"]["prefix"].as_str().expect("a text");
        schema["enum"] = (0..count).map(|number| format!("{prefix}{number}")).collect();
    }
    schema.to_string()
}

fn forms() -> [JsonSchemaOptions; 3] {
    let short = JsonSchemaOptions { text: TextForm::SHORT, ..JsonSchemaOptions::default() };
    let wide = JsonSchemaOptions {
        text: TextForm::WIDE,
        key_order: KeyOrder::Any,
        ..JsonSchemaOptions::default()
    };
    let whitespace = Whitespace::Flexible { max: 8 };
    let text = TextForm { whitespace, ..TextForm::SHORT };
    [short, wide, JsonSchemaOptions { text, ..JsonSchemaOptions::default() }]
}

#[test]
fn every_situation_is_judged_right() {
    let situations: Value = serde_json::from_str(SITUATIONS).expect("the table is JSON");
    let situations = situations.as_array().expect("the table is a list");
    let mut names = BTreeSet::new();
    let (mut verdicts, mut wrong) = (0, Vec::new());
    for situation in situations {
        let name = situation["situation"].as_str().expect("a text");
        assert!(names.insert(name), "{name} is there twice");
        let schema = schema(situation);
        let compiled = forms().map(|options| compile(&schema, &options));
        if let Some(error) = situation["error"].as_str() {
            for compiled in &compiled {
                verdicts += 1;
                if compiled.as_ref().err().map(Refusal::code) != Some(error) {
                    wrong.push(format!("{name}: is not refused with {error}"));
                }
            }
            continue;
        }
        let [short, wide, flexible] = compiled.map(|compiled| {
            compiled.unwrap_or_else(|refusal| panic!("{name} is refused: {refusal:?}"))
        });
        let mut expect = |form: &str, compiled: &Compiled, member: &str, expected: bool| {
            for text in texts(situation, member) {
                verdicts += 1;
                if compiled.accepts(&text) != expected {
                    let what = if expected { "refuses" } else { "accepts" };
                    wrong.push(format!("{name}: {form} {what} {text:.100}"));
                }
            }
        };
        for (form, compiled) in [("short", &short), ("wide", &wide)] {
            expect(form, compiled, "accepts", true);
            expect(form, compiled, "refuses", false);
        }
        expect("short", &short, "wide", false);
        expect("wide", &wide, "wide", true);
        expect("short", &short, "flexible", false);
        expect("flexible", &flexible, "flexible", true);
    }
    eprintln!("{} situations, {verdicts} verdicts, {} wrong", situations.len(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(situations.len(), 95);
}
