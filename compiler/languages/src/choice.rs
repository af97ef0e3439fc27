//! Choices: a JSON array of texts, one of which is the output.
//!
//! The texts are arbitrary strings, and need no quoting for another language. The grammar is their minimized trie.

use std::collections::BTreeSet;

use grammarc_grammar::budget::{Budget, Phase};
use grammarc_grammar::diagnostics::report::Report;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::{Expr, GrammarBuilder, Literals, Lowered, Origin};

/// The options of choices. None exist so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ChoiceOptions {}

/// Lowers a choice to a grammar of a single rule. Duplicate texts count once.
///
/// # Errors
///
/// The source is not a JSON array of strings, the array is empty, or the budget is spent.
pub fn lower(
    source: Source,
    _: &ChoiceOptions,
    budget: &Budget,
) -> Result<Lowered, Vec<Diagnostic>> {
    budget.begin(Phase::Reading);
    budget.check_in_source()?;
    let span = 0..source.text.len();
    let texts: Vec<String> = serde_json::from_str(&source.text).map_err(|error| {
        let text = format!("choices are a JSON array of strings: {error}");
        vec![Diagnostic::error("choice::not-a-list", text).with_label(span.clone(), "")]
    })?;
    if texts.is_empty() {
        let help = "list the texts that the output may be";
        let none = Diagnostic::error("choice::empty", "there is no text to choose").with_help(help);
        return Err(vec![none.with_label(span, "")]);
    }
    let mut literals = Literals::default();
    texts.iter().for_each(|text| literals.add(text, &span));
    let texts: BTreeSet<String> = texts.into_iter().collect();
    let _ = budget.spend(source.text.len());
    budget.check_in_source()?;
    let mut grammar = GrammarBuilder::new();
    let root = grammar.declare("choice");
    let expr = Expr::any_of(texts.iter().collect());
    grammar.define(root, expr, Origin { span: Some(span), pointer: None });
    let grammar = grammar.finish(root);
    Ok(Lowered { source, grammar, report: Report::default(), findings: Vec::new(), literals })
}

#[cfg(test)]
mod tests {
    use super::*;
    use grammarc_grammar::ir::recognize::recognizes;

    fn lowered(text: &str) -> Result<Lowered, Vec<&'static str>> {
        let lowered = lower(Source::new("test", text), &ChoiceOptions {}, &Budget::new());
        lowered.map_err(|errors| errors.iter().map(|error| error.code).collect())
    }

    #[test]
    fn the_texts_are_the_language() {
        let grammar = lowered(r#"["yes", "no", "\"n\u00f6\"\n", "yes", ""]"#).unwrap().grammar;
        for text in ["yes", "no", "\"n\u{f6}\"\n", ""] {
            assert!(recognizes(&grammar, text.as_bytes()), "{text:?}");
        }
        for text in ["y", "yesno", "n\u{f6}", "yes "] {
            assert!(!recognizes(&grammar, text.as_bytes()), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_list_of_texts_is_refused() {
        for (text, code) in [
            ("[]", "choice::empty"),
            ("[1]", "choice::not-a-list"),
            ("\"a\"", "choice::not-a-list"),
            ("[\"\\ud800\"]", "choice::not-a-list"),
            ("", "choice::not-a-list"),
        ] {
            assert_eq!(lowered(text).err(), Some(vec![code]), "{text}");
        }
    }
}
