//! Substrings: any contiguous part of a given text, for citations and edits.
//!
//! ```json
//! {"text": "The quick brown fox", "by": "words"}
//! {"chunks": ["line 1\n", "line 2\n"]}
//! ```
//!
//! A part begins and ends at boundaries of [units](Unit) of the text, which are words by default, or of the given
//! chunks. The empty part is included. The meaning is that of `substring_words`, `substring_chars` and
//! `substring_chunks` in llguidance, and of `Substring(...)` in XGrammar.
//!
//! Tests: unit tests in `automaton` and `chunks`; `tests/tests/peer`.

mod automaton;
mod chunks;

use serde::Deserialize;

pub use chunks::Unit;

use grammarc_grammar::automata::{StateBudget, StateLimit};
use grammarc_grammar::budget::{Budget, Phase};
use grammarc_grammar::diagnostics::report::Report;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::{Expr, GrammarBuilder, Literals, Lowered, Origin};

/// Most states of the automaton of a text. More are an error; a text of under five million characters has fewer.
const MAX_STATES: usize = 10_000_000;

/// The options of substrings. None exist so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SubstringOptions {}

/// The JSON of a source: a text with its unit, or a list of chunks.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parts {
    text: Option<String>,
    by: Option<Unit>,
    chunks: Option<Vec<String>>,
}

/// Lowers a source to the grammar of all contiguous parts of its text, a single rule.
///
/// # Errors
///
/// The source does not have the form above, its automaton is too large, or the budget is spent.
pub fn lower(
    source: Source,
    _: &SubstringOptions,
    budget: &Budget,
) -> Result<Lowered, Vec<Diagnostic>> {
    budget.begin(Phase::Reading);
    budget.check_in_source()?;
    let span = 0..source.text.len();
    let error = |code, text: String, help| {
        vec![Diagnostic::error(code, text).with_label(span.clone(), "").with_help(help)]
    };
    let form = r#"write {"text": "...", "by": "words"} or "chars", or {"chunks": ["...", ...]}"#;
    let given: Parts = serde_json::from_str(&source.text).map_err(|failed| {
        error("substring::not-a-text", format!("no text to take parts of: {failed}"), form)
    })?;
    let owned = |chunks: Vec<&str>| chunks.into_iter().map(str::to_owned).collect();
    let chunks: Vec<String> = match given {
        Parts { text: Some(text), by, chunks: None } => owned(by.unwrap_or_default().chunks(&text)),
        Parts { text: None, by: None, chunks: Some(chunks) } => chunks,
        Parts { chunks: Some(_), .. } => {
            let text =
                "`chunks` are a text in parts already, so `text` and `by` do not go with them";
            return Err(error("substring::both", text.to_owned(), form));
        }
        Parts { text: None, .. } => {
            let text = "neither `text` nor `chunks` is given".to_owned();
            return Err(error("substring::not-a-text", text, form));
        }
    };
    let _ = budget.spend(source.text.len());
    budget.check_in_source()?;
    budget.begin(Phase::Lowering);
    let chunks: Vec<&str> = chunks.iter().map(String::as_str).collect();
    let expr = expr_of_chunks(&chunks, budget);
    budget.check_in_source()?;
    let expr = expr.map_err(|limit| {
        let text = format!("the automaton of the parts is too large: {limit}");
        error("substring::too-large", text, "take a shorter text, or longer chunks")
    })?;
    let mut grammar = GrammarBuilder::new();
    let root = grammar.declare("substring");
    grammar.define(root, expr, Origin { span: Some(span), pointer: None });
    let grammar = grammar.finish(root);
    let (report, literals) = (Report::default(), Literals::default());
    Ok(Lowered { source, grammar, report, findings: Vec::new(), literals })
}

/// Returns the expression of all runs of consecutive chunks in the list, the empty run included.
///
/// # Errors
///
/// The automaton exceeds ten million states, or the budget is spent.
pub fn expr_of_chunks(chunks: &[&str], budget: &Budget) -> Result<Expr, StateLimit> {
    let dfa = automaton::parts(chunks, StateBudget::new(MAX_STATES, budget))?;
    Ok(Expr::Regular(dfa.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use grammarc_grammar::ir::recognize::recognizes;

    fn lowered(text: &str) -> Result<Lowered, Vec<&'static str>> {
        let lowered = lower(Source::new("test", text), &SubstringOptions {}, &Budget::new());
        lowered.map_err(|errors| errors.iter().map(|error| error.code).collect())
    }

    #[test]
    fn parts_are_the_language() {
        for (source, accepted, refused) in [
            (
                r#"{"text": "The quick brown fox."}"#,
                &["", "The", "quick brown", " fox.", "The quick brown fox."][..],
                &["he", "quick  brown", "quick fox", "fo", "The quick brown fox.."][..],
            ),
            (
                r#"{"text": "a빠🙂b", "by": "chars"}"#,
                &["", "a", "빠🙂", "🙂b", "a빠🙂b"],
                &["a🙂", "빠b", "ba"],
            ),
            (
                r#"{"chunks": ["abc", "de", "fg"]}"#,
                &["", "abc", "de", "abcde", "defg", "abcdefg"],
                &["ab", "cde", "abcfg", "deabc"],
            ),
            (r#"{"chunks": ["ab", "", "abc"]}"#, &["ab", "abc", "ababc"], &["abcab", "a"]),
            (r#"{"text": ""}"#, &[""], &["a"]),
            (r#"{"chunks": []}"#, &[""], &["a"]),
        ] {
            let grammar = lowered(source).unwrap().grammar;
            for text in accepted {
                assert!(recognizes(&grammar, text.as_bytes()), "{source} refuses {text:?}");
            }
            for text in refused {
                assert!(!recognizes(&grammar, text.as_bytes()), "{source} accepts {text:?}");
            }
        }
    }

    #[test]
    fn what_is_no_text_is_refused() {
        for (source, code) in [
            ("", "substring::not-a-text"),
            ("\"a\"", "substring::not-a-text"),
            ("{}", "substring::not-a-text"),
            (r#"{"by": "chars"}"#, "substring::not-a-text"),
            (r#"{"text": "a", "by": "lines"}"#, "substring::not-a-text"),
            (r#"{"text": "a", "unit": "words"}"#, "substring::not-a-text"),
            (r#"{"chunks": ["a"], "text": "a"}"#, "substring::both"),
            (r#"{"chunks": ["a"], "by": "words"}"#, "substring::both"),
        ] {
            assert_eq!(lowered(source).err(), Some(vec![code]), "{source}");
        }
    }
}
