//! Members in any order: sets of required ones are a register of the frame wherever masks need not know it, and the
//! masks are right in both spellings.

use std::sync::Arc;

use grammarc_artifacts::sections::network::state_flags;
use grammarc_compiler::ir::{Expr, ExprGraph};
use grammarc_runtime::ByteMatcher;
use grammarc_tests::case::Case;
use grammarc_tests::compare::{Effort, compare};
use grammarc_tests::oracle::Token;

/// `{` members `}`, where the members are `a1`, `b1` and so on, with commas between them, and each of the first
/// `required` letters occurs.
fn object(letters: u8, required: u8, value: &Expr) -> Expr {
    let mut graph = ExprGraph::new();
    let after = graph.state();
    for at in 0..letters {
        let member = graph.state();
        if at < required {
            graph.require_key(member, at);
        }
        let key = Expr::byte(b'A' + at);
        graph.edge(ExprGraph::START, key.clone(), member);
        graph.edge(after, Expr::seq([Expr::byte(b','), key]), member);
        graph.edge(member, value.clone(), after);
    }
    graph.edge(after, Expr::byte(b'}'), graph.end());
    Expr::seq([Expr::byte(b'{'), Expr::Graph(Arc::new(graph))])
}

/// A case over single bytes and more tokens.
fn case(letters: u8, required: u8, value: &Expr, tokens: &[&str]) -> Case {
    let letters_of = (0..letters).map(|at| vec![b'A' + at]);
    let single = b"{},123".iter().map(|&byte| vec![byte]).chain(letters_of);
    let more = tokens.iter().map(|token| token.as_bytes().to_vec());
    let tokens = single.chain(more).map(Token::Text).collect();
    let rules = vec![object(letters, required, value)];
    Case { tokens, end_tokens: Vec::new(), rules, kept: 0, shared: false, regions: Vec::new() }
}

/// Number of own states of a case's artifact, and whether some clear bits of registers.
fn states(case: &Case) -> (usize, bool) {
    let grammar = case.compile().expect("the case compiles");
    let tables = grammar.artifact().tables();
    let clears = tables.states.iter().any(|state| state.flags & state_flags::CLEARS != 0);
    (tables.states.len(), clears)
}

#[test]
fn states_do_not_multiply() {
    let one = Expr::byte(b'1');
    let (few, registers) = states(&case(20, 10, &one, &["1,", "1}", "A1", "1,B"]));
    assert!(registers);
    let (many, _) = states(&case(20, 20, &one, &["1,", "1}", "A1", "1,B"]));
    assert!(many < few + 40, "{many} states for twenty required members, {few} for ten");
}

#[test]
fn every_required_member_is_required_in_any_order() {
    let grammar = case(26, 26, &Expr::byte(b'1'), &[]).compile().expect("the case compiles");
    let mut letters: Vec<u8> = (b'A'..=b'Z').collect();
    for turn in 0..26 {
        letters.rotate_left(7);
        letters.swap(turn, 25 - turn);
        let members: Vec<String> =
            letters.iter().map(|&letter| format!("{}1", char::from(letter))).collect();
        let text = format!("{{{}}}", members.join(","));
        assert!(ByteMatcher::new(&grammar).accept(text.as_bytes()).is_ok(), "{text}");
        let twice = format!("{{{},{}}}", members[3], members.join(","));
        assert!(ByteMatcher::new(&grammar).accept(twice.as_bytes()).is_ok(), "{twice}");
        let without = format!("{{{}}}", members[1..].join(","));
        assert!(ByteMatcher::new(&grammar).accept(without.as_bytes()).is_err(), "{without}");
    }
}

#[test]
fn masks_are_bit_equal_in_both_spellings() {
    let number = Expr::alt(["1", "12", "123"].map(Expr::literal));
    // Tokens that end with a mark, span one, begin behind one; then one that passes a mark and the end.
    let plain = ["A1", "1,B", ",", "23,C1", "1,A1,", "1}", "12}", "{A", "C1,"];
    for (value, token, registers) in [
        (Expr::byte(b'1'), None, true),
        (number.clone(), None, true),
        (Expr::byte(b'1'), Some("B1}"), false),
        (number.clone(), Some("1,C12}"), false),
        // Nothing is behind this end, so it tells nothing.
        (Expr::byte(b'1'), Some("1}}"), true),
    ] {
        let tokens: Vec<&str> = plain.iter().copied().chain(token).collect();
        let case = case(5, 4, &value, &tokens);
        assert_eq!(states(&case).1, registers, "with the token {token:?}");
        let effort = Effort { positions: 400, walks: 40, steps: 60 };
        if let Err(difference) = compare(&case, effort, 1) {
            panic!("with the token {token:?}: {difference:?}");
        }
    }
}

#[test]
fn sets_are_unrolled_where_bytes_are_no_tokens() {
    let mut case = case(4, 3, &Expr::byte(b'1'), &["B1", "B1,", "1}"]);
    assert!(states(&case).1);
    case.tokens.retain(|token| !matches!(token, Token::Text(text) if text[..] == *b"B"));
    assert!(!states(&case).1);
    let effort = Effort { positions: 200, walks: 20, steps: 40 };
    compare(&case, effort, 1).expect("masks are right");
}
