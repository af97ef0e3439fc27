//! Messages to users: for each situation, which findings there are, where they point, and what they say to write.
//!
//! `data/messages.json` is a list of objects:
//!
//! | member | what |
//! | --- | --- |
//! | `situation` | what the author did, in words |
//! | `kind` | the language, `json-schema` unless it says otherwise |
//! | `source` | the source: its text, or a schema |
//! | `options` | options of the language |
//! | `finds` | the findings that there must be: `code`, `at` (the text of the main place), `says` (parts of the message, the labels or the advice) |
//! | `not` | codes of which there must be no finding |
//!
//! Errors, warnings and notes are alike here. Findings that are not listed do not matter.

use grammarc_compiler::budget::Budget;
use grammarc_compiler::diagnostics::{Diagnostic, Source};
use grammarc_compiler::frontend::deny::denied;
use grammarc_compiler::frontend::settings::{Language, Settings};
use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Situation {
    situation: String,
    #[serde(default)]
    kind: Option<String>,
    source: Value,
    #[serde(default)]
    options: Map<String, Value>,
    #[serde(default)]
    finds: Vec<Expected>,
    #[serde(default)]
    not: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    code: String,
    at: String,
    says: Vec<String>,
}

/// All that is found in a source, whether it compiles or not.
fn findings(situation: &Situation, text: &str) -> Vec<Diagnostic> {
    let language = Language::named(situation.kind.as_deref().unwrap_or("json-schema"));
    let language = language.expect("a language");
    let settings = Settings::of(language, situation.options.clone()).expect("options");
    let source = Source::new("<test>", text);
    match settings.front_end.lower(source.clone(), &Budget::new()) {
        Ok(lowered) => {
            let mut found = lowered.findings;
            found.extend(denied(&source, &lowered.report, &settings.deny));
            found
        }
        Err(errors) => errors,
    }
}

/// The message with its labels and advice.
fn words(diagnostic: &Diagnostic) -> String {
    let labels = diagnostic.labels.iter().map(|label| label.text.as_str());
    let help = diagnostic.help.as_deref();
    let parts: Vec<&str> =
        [diagnostic.message.as_str()].into_iter().chain(labels).chain(help).collect();
    parts.join("\n")
}

#[test]
fn situations_are_reported_with_place_reason_and_advice() {
    let situations: Vec<Situation> =
        serde_json::from_str(include_str!("data/messages.json")).expect("situations");
    let mut wrong = Vec::new();
    for situation in &situations {
        let text = match &situation.source {
            Value::String(text) => text.clone(),
            schema => schema.to_string(),
        };
        let found = findings(situation, &text);
        let place = |diagnostic: &Diagnostic| match diagnostic.labels.first() {
            Some(label) => text[label.span.clone()].to_owned(),
            None => String::new(),
        };
        for Expected { code, at, says } in &situation.finds {
            let is_it = |diagnostic: &&Diagnostic| {
                let words = words(diagnostic);
                diagnostic.code == code
                    && place(diagnostic) == *at
                    && says.iter().all(|part| words.contains(part))
            };
            if found.iter().filter(is_it).count() != 1 {
                wrong.push(format!(
                    "{}: no {code} at {at:?} that says {says:?}: {found:#?}",
                    situation.situation
                ));
            }
        }
        for code in &situation.not {
            if found.iter().any(|diagnostic| diagnostic.code == code) {
                wrong.push(format!("{}: {code}: {found:#?}", situation.situation));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), situations.len(), wrong.join("\n"));
}
