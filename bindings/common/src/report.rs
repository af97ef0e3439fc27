//! The report of a grammar as JSON, for bindings that return text.

use grammarc_artifacts::{GrammarArtifact, WorkBound};
use grammarc_compiler::diagnostics::json::DiagnosticJson;
use grammarc_compiler::diagnostics::{Diagnostic, Source};
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

/// Returns findings about a source as a JSON array.
pub fn of_findings(source: &Source, findings: &[Diagnostic]) -> String {
    let findings: Vec<_> = findings.iter().map(|one| DiagnosticJson::new(source, one)).collect();
    serde_json::to_string(&findings).unwrap_or_else(|_| "[]".to_owned())
}
