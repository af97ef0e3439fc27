//! Cases of peers' tests as data: grammars with texts that they accept and refuse, and grammars that are refused.
//!
//! A list of exceptions says where we do otherwise, each with who is right and why; a case that comes to be as its peer has
//! it must leave the list.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::diagnostics::Diagnostic;
use crate::ir::Lowered;
use crate::ir::recognize::recognizes;

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
    /// What we do otherwise.
    differs: Vec<String>,
    /// Who is right.
    right: String,
    why: String,
}

/// Reads a source of a language.
pub(crate) type Lower = fn(&str) -> Result<Lowered, Vec<Diagnostic>>;

/// What we do otherwise than a case has it.
fn differences(case: &Case, lower: Lower) -> Vec<String> {
    match (lower(&case.grammar), case.error) {
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

/// Holds a language to the cases of peers, each with its name and its cases, but for the exceptions.
pub(crate) fn hold(peers: &[(&str, &str)], exceptions: &str, lower: Lower) {
    let mut exceptions: BTreeMap<String, Exception> =
        serde_json::from_str(exceptions).expect("exceptions");
    let mut wrong = Vec::new();
    for (peer, cases) in peers {
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
            let found = differences(case, lower);
            if found != known.unwrap_or_default() {
                wrong.push(format!("{name}: {found:?}\n{}", case.grammar));
            }
        }
        println!("{peer}: {} grammars, {texts} texts, {others} exceptions", cases.len());
    }
    assert!(wrong.is_empty(), "{}\n{} wrong", wrong.join("\n"), wrong.len());
    assert!(exceptions.is_empty(), "no such cases: {:?}", exceptions.keys());
}
