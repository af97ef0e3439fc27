//! The cases of XGrammar's `tests/python/test_grammar_parser.py`, `test_grammar_parser_macro.py`,
//! `test_grammar_matcher_macro.py`, `test_grammar_substring_macro.py` and `test_grammar_regex_macro.py`.

use crate::budget::Budget;
use crate::diagnostics::{Diagnostic, Source};
use crate::frontend::gbnf::{GbnfOptions, Notation, lower};
use crate::frontend::peer_cases::hold;
use crate::ir::Lowered;

fn ebnf(text: &str) -> Result<Lowered, Vec<Diagnostic>> {
    let options = GbnfOptions { notation: Notation::Xgrammar, ..GbnfOptions::default() };
    lower(Source::new("test.ebnf", text), &options, &Budget::new())
}

#[test]
fn cases_of_peers() {
    let peers = [("xgrammar", include_str!("xgrammar.json"))];
    hold(&peers, include_str!("exceptions.json"), ebnf);
}
