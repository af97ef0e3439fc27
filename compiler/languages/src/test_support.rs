//! Checks of front ends for tests: texts that small grammars accept and refuse, and diagnostics with their places.

use grammarc_grammar::diagnostics::{Diagnostic, Severity};
use grammarc_grammar::ir::Lowered;
use grammarc_grammar::ir::recognize::recognizes;

/// A function that lowers a source text to a grammar.
pub(crate) type Lower = fn(&str) -> Result<Lowered, Vec<Diagnostic>>;

/// A source text, the texts that its grammar must accept, and the texts that it must refuse.
pub(crate) type Texts<'a> = (&'a str, &'a [&'a str], &'a [&'a str]);

/// A wrong source text, and for each error its code and the texts that its labels point at.
pub(crate) type Errors<'a> = (&'a str, &'a [(&'a str, &'a [&'a str])]);

/// Returns, for each diagnostic, its code and the texts that its labels point at.
pub(crate) fn outline<'a>(text: &'a str, found: &'a [Diagnostic]) -> Vec<(&'a str, Vec<&'a str>)> {
    found
        .iter()
        .map(|d| (d.code, d.labels.iter().map(|label| &text[label.span.clone()]).collect()))
        .collect()
}

/// Asserts that the grammar of each source accepts and refuses the given texts.
pub(crate) fn hold_texts(cases: &[Texts<'_>], lower: Lower) {
    for (text, accepted, refused) in cases {
        let grammar = lower(text).unwrap_or_else(|errors| panic!("{text}\n{errors:#?}")).grammar;
        for word in *accepted {
            assert!(recognizes(&grammar, word.as_bytes()), "{text}\nrefuses {word:?}\n{grammar}");
        }
        for word in *refused {
            assert!(!recognizes(&grammar, word.as_bytes()), "{text}\naccepts {word:?}\n{grammar}");
        }
    }
}

/// Asserts that each source has exactly the given errors, and that each error has a help text.
pub(crate) fn hold_errors(cases: &[Errors<'_>], lower: Lower) {
    for (text, expected) in cases {
        let errors = lower(text).expect_err(text);
        assert!(errors.iter().all(|d| d.severity == Severity::Error && d.help.is_some()), "{text}");
        let found = outline(text, &errors);
        let found: Vec<_> = found.iter().map(|(code, labels)| (*code, labels.as_slice())).collect();
        assert_eq!(found, *expected, "{text}\n{errors:#?}");
    }
}
