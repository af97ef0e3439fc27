//! The cases of llguidance's `parser/tests/test_lark.rs` and of XGrammar's `tests/python/test_lark.py`: which texts a grammar
//! accepts and refuses, and which grammars are refused.
//!
//! `exceptions.json` lists where we do otherwise, each with who is right and why; a case that comes to be as its peer
//! has it must leave the list.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::try_lower;
use crate::ir::recognize::recognizes;

const LLGUIDANCE: &str = include_str!("llguidance.json");
const XGRAMMAR: &str = include_str!("xgrammar.json");
const EXCEPTIONS: &str = include_str!("exceptions.json");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    grammar: String,
    #[serde(default)]
    accepted: Vec<String>,
    #[serde(default)]
    rejected: Vec<String>,
    /// Whether the grammar is refused.
    #[serde(default)]
    error: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    /// What we do otherwise, one a line.
    differs: Vec<String>,
    /// Who is right.
    right: String,
    why: String,
}

/// What we do otherwise than a case has it.
fn differences(case: &Case) -> Vec<String> {
    match (try_lower(&case.grammar), case.error) {
        (Err(_), true) => Vec::new(),
        (Ok(_), true) => vec!["compiles".to_owned()],
        (Err(errors), false) => vec![format!("is refused: {}", errors[0].code)],
        (Ok(lowered), false) => {
            let accepts = |text: &&String| recognizes(&lowered.grammar, text.as_bytes());
            let refused = case.accepted.iter().filter(|text| !accepts(text));
            let refused = refused.map(|text| format!("refuses {text:?}"));
            let accepted = case.rejected.iter().filter(accepts);
            refused.chain(accepted.map(|text| format!("accepts {text:?}"))).collect()
        }
    }
}

#[test]
fn cases_of_peers() {
    let mut exceptions: BTreeMap<String, Exception> =
        serde_json::from_str(EXCEPTIONS).expect("exceptions");
    let mut wrong = Vec::new();
    for (peer, cases) in [("llguidance", LLGUIDANCE), ("xgrammar", XGRAMMAR)] {
        let cases: Vec<Case> = serde_json::from_str(cases).expect("cases");
        let (mut texts, mut others) = (0, 0);
        for case in &cases {
            texts += case.accepted.len() + case.rejected.len();
            let name = format!("{peer}/{}", case.name);
            let exception = exceptions.remove(&name);
            others += usize::from(exception.is_some());
            let known = exception.map(|it| {
                assert!(!it.right.is_empty() && !it.why.is_empty(), "{name} says why");
                it.differs
            });
            let found = differences(case);
            if found != known.unwrap_or_default() {
                wrong.push(format!("{name}: {found:?}\n{}", case.grammar));
            }
        }
        println!("{peer}: {} grammars, {texts} texts, {others} exceptions", cases.len());
    }
    assert!(wrong.is_empty(), "{}\n{} wrong", wrong.join("\n"), wrong.len());
    assert!(exceptions.is_empty(), "no such cases: {:?}", exceptions.keys());
}
