//! Findings as SARIF 2.1.0, the format that code hosts read.

use grammarc_grammar::diagnostics::Source;
use serde_json::{Value, json};

use super::diagnostics::diagnostics;
use crate::finding::{Finding, Severity};

/// Returns findings about a source as a SARIF 2.1.0 log. If the source is JSON, each finding has a line and column.
///
/// # Cost
///
/// That of [`diagnostics`], and O(text) for each finding.
pub fn sarif(source: &Source, findings: &[Finding]) -> Value {
    let placed = diagnostics(source, findings).unwrap_or_default();
    let mut rules: Vec<(String, &Finding)> = Vec::new();
    let mut results = Vec::new();
    for (at, finding) in findings.iter().enumerate() {
        let id = rule_id(finding);
        if rules.iter().all(|(known, _)| *known != id) {
            rules.push((id.clone(), finding));
        }
        let index = rules.iter().position(|(known, _)| *known == id);
        let span = placed.get(at).and_then(|diagnostic| diagnostic.labels.first());
        let mut location = json!({"artifactLocation": {"uri": &*source.name}});
        if let Some(label) = span {
            let (line, column) = source.line_column(label.span.start);
            let (end_line, end_column) = source.line_column(label.span.end);
            location["region"] = json!({
                "startLine": line, "startColumn": column,
                "endLine": end_line, "endColumn": end_column,
            });
        }
        let change =
            finding.change.as_ref().map_or_else(String::new, |change| format!("; {change}"));
        results.push(json!({
            "ruleId": id,
            "ruleIndex": index,
            "level": level(finding.severity),
            "message": {"text": format!("{}{change}", finding.message)},
            "locations": [{
                "physicalLocation": location,
                "logicalLocations": [{"fullyQualifiedName": finding.pointer, "kind": "value"}],
            }],
            "properties": {
                "target": finding.target, "severity": finding.severity.name(),
                "certainty": finding.certainty, "tool": finding.tool,
            },
        }));
    }
    let rules: Vec<Value> = rules
        .into_iter()
        .map(|(id, finding)| {
            let mut rule = json!({
                "id": id,
                "shortDescription": {"text": finding.message},
                "defaultConfiguration": {"level": level(finding.severity)},
            });
            if finding.source.starts_with("http") {
                rule["helpUri"] = json!(finding.source);
            } else if !finding.source.is_empty() {
                rule["help"] =
                    json!({"text": format!("{}, read on {}", finding.source, finding.seen)});
            }
            rule
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "grammarc", "version": env!("CARGO_PKG_VERSION"), "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn rule_id(finding: &Finding) -> String {
    if finding.target.is_empty() {
        return finding.rule.clone();
    }
    format!("{}/{}", finding.target, finding.rule)
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Loss | Severity::Uncertain => "warning",
        Severity::Note => "note",
    }
}
