//! The pack of grammarc itself, computed from the compiler's table of support.

use grammarc_grammar::diagnostics::report::Verdict;
use grammarc_json_schema::support_table;
use indexmap::IndexMap;
use serde_json::json;

use super::{Entry, Pack, Rule, SourceOf, Unit};
use crate::finding::{Certainty, Treatment};
use crate::predicates::Where;

/// The date of the last review of the rules below.
const REVIEWED: &str = "2026-12-01";

/// Returns the pack of grammarc.
pub(super) fn pack() -> Pack {
    let by = "table".to_owned();
    let entry = |is, say: &str| Entry {
        is,
        by: by.clone(),
        say: say.to_owned(),
        instead: Vec::new(),
        unread: false,
    };
    let (mut keywords, mut formats) = (IndexMap::new(), IndexMap::new());
    for row in support_table() {
        let is = match row.verdict {
            Verdict::Narrower => Treatment::Narrower,
            Verdict::Approximate => Treatment::Ignored,
            _ => Treatment::Enforced,
        };
        let say = if is == Treatment::Enforced { "" } else { row.note };
        let table = if row.drafts.is_some() { &mut keywords } else { &mut formats };
        table.insert(row.name.to_owned(), entry(is, say));
    }
    let nothing = "no draft defines the format, and it constrains nothing";
    formats.insert("*".to_owned(), entry(Treatment::Ignored, nothing));
    let address = format!("grammarc {}: docs/json-schema.md", env!("CARGO_PKG_VERSION"));
    let seen = REVIEWED.to_owned();
    let source = SourceOf { address, seen, certainty: Certainty::Measured };
    let meets = json!({"pattern": ["backreference"]});
    let rule = |keyword: &str, examples| Rule {
        id: format!("{keyword}-backreference"),
        keyword: Some(keyword.to_owned()),
        meets: Where::parse(&meets, "").unwrap_or_default(),
        limit: None,
        entry: entry(Treatment::Refused, "patterns with backreferences are refused"),
        change: String::new(),
        examples,
    };
    let examples = [json!({"pattern": r"^(a|b)\1$"}), json!({"pattern": "^(a|b)$"})];
    let by_key = [
        json!({"patternProperties": {r"^(a|b)\1$": {}}}),
        json!({"patternProperties": {"^(a|b)$": {}}}),
    ];
    Pack {
        target: "grammarc".to_owned(),
        aliases: Vec::new(),
        about: "this compiler".to_owned(),
        reviewed: REVIEWED.to_owned(),
        unit: Unit::Schema,
        reads_all_definitions: false,
        sources: IndexMap::from([(by.clone(), source)]),
        keywords,
        formats,
        unknown: entry(Treatment::Enforced, ""),
        rules: vec![rule("pattern", examples), rule("patternProperties", by_key)],
    }
}
