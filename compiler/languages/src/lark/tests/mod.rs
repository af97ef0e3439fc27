//! Tests the accepted texts of small grammars, with one source for each diagnostic.

mod lexing;

use proptest::prelude::*;

use crate::test_support::{Errors, Texts, hold_errors, hold_texts, outline};
use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::recognize::recognizes;
use grammarc_grammar::ir::{Expr, Lowered, TokenRef, TokenSet};

use super::*;

fn try_lower(text: &str) -> Result<Lowered, Vec<Diagnostic>> {
    lower(Source::new("test.lark", text), &LarkOptions::default(), &Budget::new())
}

fn lowered(text: &str) -> Lowered {
    try_lower(text).unwrap_or_else(|errors| panic!("{text}\n{errors:#?}"))
}

#[test]
fn languages() {
    let cases: &[Texts<'_>] = &[
        // Recursion at the ends of a rule is a loop; other recursion is a call.
        ("start: many\nmany: many \"a\" | \"b\"", &["b", "baa"], &["", "ab"]),
        ("start: many\nmany: \"a\" many | \"b\"", &["b", "aab"], &["", "ba"]),
        (
            "start: e\ne: e \"+\" e | \"(\" e \")\" | /[0-9]+/",
            &["1+22", "(1+2)+3"],
            &["1+", "()", "12("],
        ),
        ("start: x\nx: y\ny: \"<\" x \">\" | \"a\"", &["a", "<<a>>"], &["<a", "<>"]),
        ("start: start \"a\" | \"(\" start \")\" |", &["", "aa", "(a)a"], &["(", "a(a)"]),
        // Repetitions of rules beyond the limit of unrolling.
        ("start: ab{2000,} \"!\"\nab: \"a\" | \"b\"", &[], &["ab!"]),
        ("start: (\"ab\" \"c\"?){0,3000} \"!\"", &["!", "abcab!"], &["ac!"]),
        // A `stop` string that the part after the rule repeats.
        ("start: x \"<end>\"\nx[stop=\"<end>\"]: /.*/", &["foo<end>"], &["foo<end><end>", "foo"]),
        ("start: x \"<end>!\"\nx[stop=\"<end>\"]: /.*/", &["foo<end>!"], &["foo<end>"]),
        ("start: x \"b\"\nx[suffix=\"<end>\"]: /.*/", &["foo<end>b"], &["foob", "a<end>b<end>b"]),
        ("start: x\nx[max_chars=2]: /é*/", &["", "éé"], &["ééé"]),
        ("start: \"a\" x\nx[max_tokens=0]: /.*/", &["a"], &["ab"]),
        (
            "start: x \"b\"\nx[max_tokens=9, temperature=0.5]: \"a\" /c+/\n%ignore \" \"",
            &["acb", "ac b"],
            &["a cb"],
        ),
        // Ignored terminals.
        (
            "%ignore \" \"\nstart: \"(\" start \")\" | \"a\"",
            &["( ( a ) )", "(a)"],
            &["a ", "(a) ", " a"],
        ),
        (
            "%ignore / +/\n%llguidance {\"ignore_once\": true}\nstart: \"a\" \"b\"",
            &["ab", "a   b"],
            &["a b "],
        ),
        ("start: %lark { start: \"a\" \"b\"\n%ignore \" \" } \"c\"", &["a bc"], &["a b c"]),
        ("start: N \"x\"\nN: A & ~/b+/\nA: /[ab]+/", &["ax", "abx"], &["bx", "x"]),
        ("start: %json {\"type\": \"integer\"} \"!\" | \"x\"i", &["12!", "X"], &["12", "xx"]),
    ];
    hold_texts(cases, try_lower);
    let many = lowered("start: ab{2000,} \"!\"\nab: \"a\" | \"b\"").grammar;
    assert!(recognizes(&many, format!("{}!", "ab".repeat(1000)).as_bytes()));
}

#[test]
fn errors() {
    let cases: &[Errors<'_>] = &[
        ("root: \"a\"", &[(codes::MISSING_START, &["root"])]),
        ("start: 'a'", &[(codes::UNEXPECTED_CHARACTER, &["'"])]),
        ("start: \"a", &[(codes::UNTERMINATED, &["\"a"])]),
        ("start: /a", &[(codes::UNTERMINATED, &["/a"])]),
        ("start: <a b>", &[(codes::UNTERMINATED, &["<a b>"])]),
        ("start: \"\\q\"", &[(codes::BAD_STRING, &["\\q"])]),
        ("start: %json {\"a\"", &[(codes::BAD_JSON, &["%json"])]),
        ("start: %regex {\"words\": 1}", &[(codes::BAD_JSON, &["%regex {\"words\": 1}"])]),
        ("%llguidance {\"a\": 1}\nstart:", &[(codes::BAD_JSON, &["{\"a\": 1}"])]),
        ("start: \"b\"..\"a\" \"a\"", &[(codes::BAD_RANGE, &["\"b\"..\"a\""])]),
        ("start: \"a\"{3,2}", &[(codes::BAD_BOUNDS, &["{3,2}"])]),
        ("start: \"a\"{-1,}", &[(codes::BAD_BOUNDS, &["-1"])]),
        ("start: <[9-2]> <[]>", &[(codes::BAD_TOKENS, &["<[9-2]>"])]),
        ("start[colour=1]: \"a\"", &[(codes::BAD_ATTRIBUTE, &["colour=1"])]),
        ("start[lazy, lazy]: \"a\"", &[(codes::BAD_ATTRIBUTE, &["lazy"])]),
        ("%include x", &[(codes::UNKNOWN_DIRECTIVE, &["%include"])]),
        ("start: itm\nitem: \"a\"", &[(codes::UNKNOWN_NAME, &["itm"])]),
        ("%import common.NAMES\nstart: \"a\"", &[(codes::UNKNOWN_NAME, &["NAMES"])]),
        ("start: A\nA: \"a\"\nA: \"b\"", &[(codes::DUPLICATE_NAME, &["A"])]),
        (
            "start: A\nA: B \"a\"\nB: A?",
            &[(codes::CIRCULAR_TERMINAL, &["B"]), (codes::CIRCULAR_TERMINAL, &["A"])],
        ),
        ("start: A\nA: <|x|> start", &[(codes::NOT_IN_TERMINALS, &["<|x|>"])]),
        ("start: \"a\" & \"b\"", &[(codes::NOT_IN_RULES, &["\"a\" & \"b\""])]),
        ("start: x\nx[lazy]: start", &[(codes::NOT_IN_RULES, &["start"])]),
        ("start.2: \"a\"", &[(codes::UNSUPPORTED, &["start"])]),
        ("start: x{\"a\"}", &[(codes::BAD_BOUNDS, &["\"a\""])]),
        ("start: @x", &[(codes::UNSUPPORTED, &["@x"])]),
        ("start: a::1", &[(codes::UNSUPPORTED, &["a"])]),
        ("start: \"a\" %if x", &[(codes::UNSUPPORTED, &["%if"])]),
        ("start: /ab(?=c)/i", &[(codes::LOOKAROUND, &["(?="])]),
        ("start: \"a\" /b(/ \"c\"", &[("regex::syntax", &["("])]),
        ("start: (\"a\"", &[(codes::UNEXPECTED, &[""])]),
        ("start: \"a\" )", &[(codes::UNEXPECTED, &[")"])]),
    ];
    hold_errors(cases, try_lower);
}

#[test]
fn places_of_inner_sources_are_those_of_the_outer_one() {
    let text = "start: x\nx: \"a\" %lark {\n  start: %json {\"enum\": [], \"x\": 1} missing\n}";
    let errors = try_lower(text).expect_err("a name is missing");
    assert!(outline(text, &errors).contains(&(codes::UNKNOWN_NAME, vec!["missing"])), "{errors:?}");
    let text = "start: \"a\" %json {\"type\": \"strin\"}";
    let errors = try_lower(text).expect_err("there is no such type");
    assert_eq!(outline(text, &errors)[0].1, ["\"type\""]);
}

#[test]
fn what_is_for_the_host_is_noted() {
    let text = "start[capture]: x\nx[stop=\"!\", max_tokens=3]: /a*/";
    let findings = lowered(text).findings;
    let found = findings.iter().map(|found| found.code);
    assert_eq!(found.collect::<Vec<_>>(), [codes::FOR_THE_HOST; 3]);
}

#[test]
fn where_more_is_allowed_there_is_a_warning() {
    let text = "start: \"(\" start \")\" | NAME \"in\" start | NAME\nNAME: /[a-z]+/\n%ignore \" \"";
    assert_eq!(lowered(text).findings, []);
    // The name that ends an inner `x` and the `b` after it share a byte.
    let text = "start: x\nx: \"(\" x \"b\" | /[a-z]+/";
    let findings = lowered(text).findings;
    assert_eq!(outline(text, &findings), [(codes::LEXING, vec!["/[a-z]+/"])]);
    let grammar = lowered(text).grammar;
    assert!(recognizes(&grammar, b"(ab") && recognizes(&grammar, b"ab"));
}

#[test]
fn tokens() {
    let text = "start: <|x|> <[1-3,7]> <[^5]> <[*]>";
    let mut found = Vec::new();
    let grammar = lowered(text).grammar;
    for rule in &grammar.rules {
        for part in rule.expr.children() {
            if let Expr::Token(TokenSet { tokens, negated }) = part {
                found.push((
                    tokens.iter().map(|(token, _)| token.clone()).collect::<Vec<_>>(),
                    *negated,
                ));
            }
        }
    }
    let ids = |ids: &[u32]| ids.iter().map(|&id| TokenRef::Id(id)).collect::<Vec<_>>();
    let named = vec![TokenRef::Text("<|x|>".to_owned())];
    for expected in
        [(named, false), (ids(&[1, 2, 3, 7]), false), (ids(&[5]), true), (Vec::new(), true)]
    {
        assert!(found.contains(&expected), "{expected:?} in {found:?}");
    }
}

#[test]
fn sizes_are_bounded() {
    let nested = |n: usize| format!("start: {}\"a\"{}", "(".repeat(n), ")".repeat(n));
    assert!(recognizes(&lowered(&nested(150)).grammar, b"a"));
    for text in [nested(201), nested(100_000), format!("start: {}\"a\"", "~".repeat(100_000))] {
        assert_eq!(try_lower(&text).expect_err("too deep")[0].code, codes::NESTED_TOO_DEEP);
    }
    // Each terminal is twice as long as the previous one.
    let doubling: String = (1..40).map(|at| format!("T{at}: T{} T{}\n", at - 1, at - 1)).collect();
    let errors = try_lower(&format!("start: T39\nT0: \"a\"\n{doubling}")).expect_err("too large");
    assert_eq!(errors[0].code, codes::TOO_LARGE);
    // Each rule is twice as long as the previous one, and becomes a unit once it is large.
    let doubling: String = (1..40).map(|at| format!("r{at}: r{} r{}\n", at - 1, at - 1)).collect();
    assert!(lowered(&format!("start: r39\nr0: \"a\"\n{doubling}")).grammar.rules.len() < 100);
    // A long chain of rules does not overflow the stack.
    let chain: String = (0..20_000).map(|at| format!("r{at}: \"a\" r{}\n", at + 1)).collect();
    lowered(&format!("start: r0\nr20000: \"b\"\n{chain}"));
}

proptest! {
    #[test]
    fn no_source_panics(text in "(start: |[a-b]+: |A: |\n|[|()~&*+?{}\\[\\]]| |\"a?\"i?|/a[*+(b]?/|<\\[1\\]>|%ignore |%json \\{\\}|%lark \\{|\\[lazy\\]|-> a|[a0-9,.-]){0,20}") {
        if let Err(errors) = try_lower(&text) {
            for label in errors.iter().flat_map(|d| &d.labels) {
                prop_assert!(text.get(label.span.clone()).is_some(), "{:?}", label);
            }
        }
    }
}
