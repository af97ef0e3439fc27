//! The report of a grammar as JSON, for bindings that return text.

use grammarc_artifacts::{GrammarArtifact, WorkBound};
use grammarc_compiler::diagnostics::json::DiagnosticJson;
use grammarc_compiler::diagnostics::{Diagnostic, Source};
use grammarc_runtime::Explanation;
use serde_json::{Value, json};

/// Returns the verdict on each keyword of the source, and the bounds on the work of a step. The object has
/// `language`, `bytes`, `keywords` (a list of `pointer`, `keyword`, `verdict` and an optional `reason`) and `bound`,
/// in which `null` is unbounded. O(keywords).
pub fn of_grammar(artifact: &GrammarArtifact) -> String {
    let meta = artifact.meta();
    let keywords = meta.report.entries().map(|entry| {
        let mut keyword = json!({
            "pointer": entry.pointer,
            "keyword": entry.keyword,
            "verdict": entry.verdict.name(),
        });
        if !entry.reason.is_empty() {
            keyword["reason"] = entry.reason.into();
        }
        keyword
    });
    let number = |number: u32| match number {
        WorkBound::UNBOUNDED => Value::Null,
        number => number.into(),
    };
    let report = json!({
        "language": meta.source_kind,
        "bytes": artifact.container().buffer().len(),
        "keywords": keywords.collect::<Vec<_>>(),
        "bound": {
            "longest_chain": number(meta.work.longest_chain),
            "most_configurations": number(meta.work.most_configurations),
            "state_bytes": meta.work.state_bytes,
        },
    });
    report.to_string()
}

/// Returns an explanation of a token as a JSON object: `allowed`, `accepted` (bytes of the token), `byte` (the refused one,
/// or null), `places` (JSON pointers), `rules` (names), `next` (bytes), `may_end`, and `completion` (text, or null).
pub fn of_explanation(explanation: &Explanation) -> String {
    let Explanation { is_allowed, accepted, byte, places, rules, next, may_end, completion } =
        explanation;
    let completion = completion.as_ref().map(|bytes| String::from_utf8_lossy(bytes));
    let explanation = json!({
        "allowed": is_allowed,
        "accepted": accepted,
        "byte": byte,
        "places": places,
        "rules": rules,
        "next": next,
        "may_end": may_end,
        "completion": completion,
    });
    explanation.to_string()
}

/// Returns findings about a source as a JSON array.
pub fn of_findings(source: &Source, findings: &[Diagnostic]) -> String {
    let findings: Vec<_> = findings.iter().map(|one| DiagnosticJson::new(source, one)).collect();
    serde_json::to_string(&findings).unwrap_or_else(|_| "[]".to_owned())
}
