//! Questions about schemas, with requests and answers as JSON: for bindings and servers that pass text.
//!
//! | question | request | answer |
//! | --- | --- | --- |
//! | `diff` | `old`, `new`, `compatible` | a list of [`Difference`](grammarc_portable::Difference)s |
//! | `witness` | `schema`, `only`, `random`, `seed`, `at` | [`Witnessed`] |
//! | `explain` | `schema`, `text`, `end` | the place, the cause, and what may come |
//! | `lint` | `schema`, `for`, `exact` | findings, silent keywords, dead branches |
//! | `lower` | `schema`, `for`, `keep`, `stand_ins`, `keep_undocumented` | [`Lowered`](grammarc_portable::Lowered) |
//! | `unstand` | `value`, `lowered`, `stand_ins` of a lowered schema | the value of the source |
//!
//! A schema is a JSON value, or a string that holds one. `seconds` limits the time of each question. Schemas of other
//! documents are not fetched.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use grammarc_compiler::budget::Budget;
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::json_schema::JsonSchemaOptions;
use grammarc_compiler::frontend::json_schema::explain::{Blame, Place, explain_text};
use grammarc_compiler::frontend::json_schema::relation::RelationOptions;
use grammarc_compiler::frontend::json_schema::witness::{WitnessOptions, witnesses};
use grammarc_portable::{
    Compatible, DiffError, Finding, Keep, LowerError, LowerOptions, Pack, StandIn, Tool, Witnessed,
    check_request, differences, lower, notes, pack, packs, tools, unstand,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::failure::Failure;

/// Longest text that is explained, in bytes.
const LONGEST_TEXT: usize = 1 << 14;

/// The questions, by name.
pub const QUESTIONS: [&str; 6] = ["diff", "witness", "explain", "lint", "lower", "unstand"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Diff {
    old: Value,
    new: Value,
    #[serde(default = "both")]
    compatible: String,
    #[serde(default = "two")]
    seconds: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Witness {
    schema: Value,
    #[serde(default)]
    only: Vec<String>,
    #[serde(default)]
    random: usize,
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    at: String,
    #[serde(default = "two")]
    seconds: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Explain {
    schema: Value,
    text: String,
    #[serde(default)]
    end: bool,
    #[serde(default = "two")]
    seconds: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Lint {
    schema: Value,
    #[serde(default, rename = "for")]
    targets: Vec<String>,
    #[serde(default)]
    exact: bool,
    #[serde(default = "two")]
    seconds: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Lower {
    schema: Value,
    #[serde(rename = "for")]
    target: String,
    #[serde(default = "narrower")]
    keep: String,
    #[serde(default = "all_stand_ins")]
    stand_ins: Vec<String>,
    #[serde(default)]
    keep_undocumented: bool,
    #[serde(default = "two")]
    seconds: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unstand {
    value: Value,
    lowered: Value,
    stand_ins: Vec<StandIn>,
}

fn both() -> String {
    "both".to_owned()
}

fn narrower() -> String {
    "narrower".to_owned()
}

fn two() -> f64 {
    2.0
}

fn all_stand_ins() -> Vec<String> {
    ["null", "root"].map(str::to_owned).into()
}

/// Answers a question about schemas. `request` and the answer are JSON; `cancel` ends the work soon after it is set.
///
/// # Errors
///
/// The request is malformed, or a schema has errors.
pub fn answer(
    question: &str,
    request: &str,
    cancel: Option<Arc<AtomicBool>>,
) -> Result<Value, Failure> {
    match question {
        "diff" => diff(read(request)?, cancel),
        "witness" => witness(read(request)?, cancel),
        "explain" => explain(&read(request)?, cancel),
        "lint" => lint(&read(request)?, cancel),
        "lower" => lowered(read(request)?, cancel),
        "unstand" => unstood(&read(request)?),
        other => {
            let known = QUESTIONS.join(", ");
            Err(argument(format!("there is no question `{other}`; there are {known}")))
        }
    }
}

fn argument(text: impl Into<String>) -> Failure {
    Failure::Argument(text.into())
}

fn read<T: DeserializeOwned>(request: &str) -> Result<T, Failure> {
    serde_json::from_str(request).map_err(|error| argument(error.to_string()))
}

/// Returns a schema as a source: a string holds the text of one.
fn source(name: &str, schema: &Value) -> Source {
    match schema {
        Value::String(text) => Source::new(name, text.as_str()),
        other => Source::new(name, other.to_string()),
    }
}

fn relation(seconds: f64, cancel: Option<Arc<AtomicBool>>) -> Result<RelationOptions, Failure> {
    let time = Duration::try_from_secs_f64(seconds);
    let time = time.map_err(|error| argument(format!("seconds: {error}")))?;
    Ok(RelationOptions { time, cancel, ..RelationOptions::default() })
}

fn refused(
    source: Source,
    diagnostics: Vec<grammarc_compiler::diagnostics::Diagnostic>,
) -> Failure {
    Failure::Source { source_text: source, diagnostics }
}

fn to_json(value: &impl serde::Serialize) -> Result<Value, Failure> {
    serde_json::to_value(value).map_err(|error| argument(error.to_string()))
}

fn diff(request: Diff, cancel: Option<Arc<AtomicBool>>) -> Result<Value, Failure> {
    let Diff { old, new, compatible, seconds } = request;
    let compatible = Compatible::named(&compatible)
        .ok_or_else(|| argument("compatible is `input`, `output` or `both`"))?;
    let [old, new] = [source("old", &old), source("new", &new)];
    let found = differences(&old, &new, compatible, &relation(seconds, cancel)?);
    let found = found.map_err(|error| match error {
        DiffError::Refused { source, errors } => refused(source, errors),
        DiffError::Kinds => argument(error.to_string()),
    })?;
    to_json(&found)
}

fn witness(request: Witness, cancel: Option<Arc<AtomicBool>>) -> Result<Value, Failure> {
    let Witness { schema, only, random, seed, at, seconds } = request;
    const KINDS: [&str; 3] = ["shortest", "boundary", "near-miss"];
    if let Some(other) = only.iter().find(|kind| !KINDS.contains(&kind.as_str())) {
        return Err(argument(format!("only has {other:?}; there are {}", KINDS.join(", "))));
    }
    let is_asked = |kind: &str| only.is_empty() || only.iter().any(|asked| asked == kind);
    let relation = relation(seconds, cancel)?;
    let options = WitnessOptions {
        time: relation.time * 30,
        relation,
        shortest: is_asked("shortest"),
        boundary: is_asked("boundary"),
        near_miss: is_asked("near-miss"),
        random,
        seed,
        at,
    };
    let source = source("schema", &schema);
    let found = witnesses(&source, &options).map_err(|errors| refused(source, errors))?;
    to_json(&Witnessed::from(found))
}

fn explain(request: &Explain, cancel: Option<Arc<AtomicBool>>) -> Result<Value, Failure> {
    let Explain { schema, text, end, seconds } = request;
    if text.len() > LONGEST_TEXT {
        return Err(argument(format!("the text has more than {LONGEST_TEXT} bytes")));
    }
    let source = source("schema", schema);
    let time = relation(*seconds, None)?.time;
    let budget = Budget::new().time_limit(time * 5);
    let budget = match cancel {
        Some(flag) => budget.cancel_flag(flag),
        None => budget,
    };
    let options = JsonSchemaOptions::default();
    let found = explain_text(&source, text.as_bytes(), *end, &options, &budget);
    let found = found.map_err(|errors| refused(source, errors))?;
    let place = |place: &Place| json!({"pointer": place.pointer, "span": place.span});
    let blame = |Blame { place, keyword, value }: &Blame| json!({"pointer": place.pointer, "span": place.span, "keyword": keyword, "value": value});
    let why = &found.explanation;
    let next: Vec<u8> = found.next.iter().collect();
    Ok(json!({
        "accepted": found.accepted,
        "byte": found.byte,
        "instance": why.instance,
        "places": why.places.iter().map(place).collect::<Vec<_>>(),
        "cause": why.cause.name(),
        "blame": why.cause.blame().iter().map(blame).collect::<Vec<_>>(),
        "next": next,
        "may_end": found.may_end,
    }))
}

/// Returns the packs of targets by name, and of all for `all`.
fn packs_of(names: &[String]) -> Result<Vec<Arc<Pack>>, Failure> {
    let mut found = Vec::new();
    for name in names {
        match name.as_str() {
            "all" => found.extend(packs().iter().cloned()),
            name => found.push(pack(name).map_err(|error| argument(error.to_string()))?),
        }
    }
    Ok(found)
}

fn lint(request: &Lint, cancel: Option<Arc<AtomicBool>>) -> Result<Value, Failure> {
    let Lint { schema, targets, exact, seconds } = request;
    let packs = packs_of(targets)?;
    let source = source("schema", schema);
    let value: Value = read(&source.text)?;
    let of_tools: Vec<(String, Value)> = tools(&source.text)
        .into_iter()
        .flatten()
        .map(|(name, text)| (name, serde_json::from_str(&text).unwrap_or_default()))
        .collect();
    let relation = relation(*seconds, cancel)?;
    let mut findings: Vec<Finding> = if of_tools.is_empty() { notes(&value) } else { Vec::new() };
    for pack in &packs {
        findings.extend(match of_tools.is_empty() {
            true => check_request(&[Tool { name: "", schema: &value }], pack, &relation),
            false => {
                let tools = of_tools.iter().map(|(name, schema)| Tool { name, schema });
                check_request(&tools.collect::<Vec<_>>(), pack, &relation)
            }
        });
    }
    let (mut silent, mut dead) = (Vec::new(), Vec::new());
    if *exact && of_tools.is_empty() {
        let options = WitnessOptions {
            shortest: false,
            time: relation.time * 30,
            relation,
            ..WitnessOptions::default()
        };
        let found = witnesses(&source, &options).map_err(|errors| refused(source, errors))?;
        (silent, dead) = (found.silent, found.dead);
    }
    Ok(json!({"findings": to_json(&findings)?, "silent": silent, "dead": dead}))
}

fn lowered(request: Lower, cancel: Option<Arc<AtomicBool>>) -> Result<Value, Failure> {
    let Lower { schema, target, keep, stand_ins, keep_undocumented, seconds } = request;
    let keep = match keep.as_str() {
        "narrower" => Keep::Narrower,
        "wider" => Keep::Wider,
        "equal" => Keep::Equal,
        _ => return Err(argument("keep is `narrower`, `wider` or `equal`")),
    };
    if let Some(other) = stand_ins.iter().find(|one| !["null", "root"].contains(&one.as_str())) {
        return Err(argument(format!("stand_ins has {other:?}; there are null and root")));
    }
    let may = |one: &str| stand_ins.iter().any(|given| given == one);
    let options = LowerOptions {
        keep,
        null_for_absent: may("null"),
        wrap_root: may("root"),
        keep_undocumented,
        relation: relation(seconds, cancel)?,
    };
    let pack = pack(&target).map_err(|error| argument(error.to_string()))?;
    let source = source("schema", &schema);
    let found = lower(&source, &pack, &options).map_err(|error| match error {
        LowerError::Source(errors) => refused(source, errors),
        other => argument(other.to_string()),
    })?;
    to_json(&found)
}

fn unstood(Unstand { value, lowered, stand_ins }: &Unstand) -> Result<Value, Failure> {
    Ok(unstand(value, lowered, stand_ins))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(question: &str, request: Value) -> Value {
        answer(question, &request.to_string(), None)
            .unwrap_or_else(|error| panic!("{question} {request}: {error}"))
    }

    #[test]
    fn each_question_has_an_answer() {
        let old =
            json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
        let new = json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 0}}, "required": ["n"]});
        let diff =
            asked("diff", json!({"old": old, "new": new.to_string(), "compatible": "input"}));
        assert_eq!(
            (&diff[0]["relation"], &diff[0]["compatible"]),
            (&json!("contains"), &json!(false))
        );
        let found = asked("witness", json!({"schema": new, "only": ["near-miss"], "random": 2}));
        assert!(found["invalid"].as_array().is_some_and(|all| !all.is_empty()), "{found}");
        let found = asked("explain", json!({"schema": new, "text": "{\"n\": -1}"}));
        assert_eq!((&found["accepted"], &found["cause"]), (&json!(6), &json!("one-of")), "{found}");
        assert_eq!(found["blame"][0]["pointer"], "/properties/n/minimum");
        let found = asked("lint", json!({"schema": new, "for": ["openai-strict"], "exact": true}));
        assert!(found["findings"].as_array().is_some_and(|all| !all.is_empty()), "{found}");
        let found = asked("lower", json!({"schema": new, "for": "openai-strict"}));
        assert_eq!(found["schema"]["additionalProperties"], false, "{found}");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let fails = |question: &str, request: Value| {
            answer(question, &request.to_string(), None).expect_err("it fails").to_string()
        };
        assert!(fails("delete", json!({})).contains("there are diff"));
        assert!(fails("diff", json!({"old": {}})).contains("new"));
        assert!(fails("lint", json!({"schema": {}, "for": ["openia"]})).contains("openai"));
        assert!(
            fails("lower", json!({"schema": {}, "for": "openai", "keep": "all"})).contains("keep")
        );
        let refused = answer("witness", "{\"schema\": {\"type\": \"strin\"}}", None);
        assert!(matches!(refused, Err(Failure::Source { .. })));
    }
}
