//! The printed bound on configurations, held against all short texts of a few grammars: no text has more, and where
//! there is a bound some text has as many.

use grammarc_artifacts::WorkBound;
use grammarc_runtime::ByteMatcher;
use grammarc_tests::sources::{compiled, gbnf};
use grammarc_tests::vocabularies;

/// Grammars, the letters that texts are made of, and the bound; `None` where there is none.
const GRAMMARS: [(&str, &str, Option<u32>); 9] = [
    ("root ::= [a-z]{2,1000} \"!\"", "ab!", Some(1)),
    // Each letter may be the last.
    ("root ::= [a-z]{2,1000} [b-b] \"!\"", "ab!", Some(1)),
    // The end of an item is known one letter later.
    ("root ::= item{0,1000} \"c\"\nitem ::= \"a\" | \"ab\"", "abc", Some(1)),
    ("root ::= (\"a\" root? \"b\" | \"a\" \"b\" \"c\"){0,1000}", "abc", Some(1)),
    ("root ::= (\"a\" | \"aa\"){0,1000} \"b\"", "ab", None),
    // Activations of one rule that differ in what their countdowns hold, as tops of the stack and below others.
    ("root ::= ([b-c] | \"ba\" | \"c\"){1000} | \"b\" \"c\" root", "abc", None),
    ("root ::= (\"x\" | \"xy\" | \"(\" root \")\"){0,1000} \"y\"", "xy()", Some(2)),
    ("root ::= (\"x\" | \"xy\" | \"(\" root \")\" | \"y\" root \"x\"){0,5} \"y\"", "xy()", None),
    // Two stacks that grow side by side are never more than two, which is not known.
    (
        "root ::= x \"d\" | y \"e\"\nx ::= \"a\" x \"b\" | \"c\"\ny ::= \"a\" y \"b\" | \"c\"",
        "abcde",
        None,
    ),
];

/// Letters of the longest texts.
const LONGEST: usize = 8;

#[test]
fn no_text_has_more_configurations_than_the_bound() {
    for (source, letters, expected) in GRAMMARS {
        let grammar = compiled(vocabularies::small(), &gbnf(source));
        let bound = grammar.artifact().meta().work.most_configurations;
        let mut most = 1;
        let mut open = vec![String::new()];
        while let Some(text) = open.pop() {
            for letter in letters.chars() {
                let longer = format!("{text}{letter}");
                let mut matcher = ByteMatcher::new(&grammar);
                if matcher.accept(longer.as_bytes()).is_err() {
                    continue;
                }
                let found = matcher.configurations() as u32;
                assert!(found <= bound, "{source}: {found} configurations after {longer}");
                most = most.max(found);
                if longer.len() < LONGEST {
                    open.push(longer);
                }
            }
        }
        eprintln!("{source:?}: {most} of {bound}");
        assert_eq!(bound, expected.unwrap_or(WorkBound::UNBOUNDED), "{source}");
        assert!(expected.is_none_or(|expected| expected == most), "{source}: {most} are met");
    }
}
