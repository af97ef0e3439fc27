//! Findings as diagnostics, with the place in the text of the schema.

use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_json_schema::document::{Codes, Document};

use crate::finding::{Finding, Severity};

/// Returns findings about a source as diagnostics in their order. Each has a pointer, the range of the keyword, and the
/// source of its rule as advice.
///
/// # Errors
///
/// The source is not JSON, or a key occurs twice in one object.
///
/// # Cost
///
/// Linear in the source, and in the length of the pointers.
pub fn diagnostics(source: &Source, findings: &[Finding]) -> Result<Vec<Diagnostic>, Diagnostic> {
    let codes = Codes { syntax: "portable::syntax", duplicate_key: "portable::duplicate-key" };
    let (document, _) = Document::parse(source, codes, &Budget::new())?;
    let placed = findings.iter().map(|finding| {
        let text = finding.message.clone();
        let diagnostic = match finding.severity {
            Severity::Error => Diagnostic::error("portable::refused", text),
            Severity::Loss => Diagnostic::warning("portable::loss", text),
            Severity::Uncertain => Diagnostic::warning("portable::uncertain", text),
            Severity::Note => Diagnostic::note(note_code(&finding.rule), text),
        };
        let diagnostic = match document.walk(document.root(), &finding.pointer) {
            Some(node) => document.place(diagnostic, node),
            None => diagnostic.with_pointer(finding.pointer.clone()),
        };
        match help(finding) {
            help if help.is_empty() => diagnostic,
            help => diagnostic.with_help(help),
        }
    });
    Ok(placed.collect())
}

fn note_code(rule: &str) -> &'static str {
    match rule {
        "unbounded-text" => "portable::unbounded-text",
        "open-by-default" => "portable::open-by-default",
        _ => "portable::note",
    }
}

/// Returns the change and the source of a finding, in words.
fn help(finding: &Finding) -> String {
    let change = finding.change.clone().unwrap_or_default();
    if finding.source.is_empty() {
        return change;
    }
    let between = if change.is_empty() { "" } else { "; " };
    format!("{change}{between}see {}, read on {}", finding.source, finding.seen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;
    use crate::pack::pack;

    #[test]
    fn findings_have_the_range_of_the_keyword() {
        let text =
            r#"{"type": "object", "properties": {"a/b": {"type": "string", "maxLength": 3}}}"#;
        let source = Source::new("<test>", text);
        let schema = serde_json::from_str(text).unwrap();
        let findings = check(&schema, &pack("llguidance").unwrap());
        assert!(findings.is_empty(), "{findings:?}");
        let findings = check(&schema, &pack("cohere").unwrap());
        let found = diagnostics(&source, &findings).unwrap();
        let at = |diagnostic: &Diagnostic| text[diagnostic.labels[0].span.clone()].to_owned();
        assert!(found.iter().any(|one| at(one) == "\"maxLength\""), "{found:?}");
        assert!(diagnostics(&Source::new("<test>", "{"), &[]).is_err());
    }
}
