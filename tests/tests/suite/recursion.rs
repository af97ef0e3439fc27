//! Ambiguity and recursion: right answers in bounded memory.
//!
//! Memory is bounded by the options of the matcher, which refuses a token where the frames or configurations would be
//! more than it allows. So a walk that is accepted under a limit has kept to it at every step.
//!
//! Schemas that refer to themselves are compiled in `schemas/recursion.rs`.

use grammarc_runtime::error::{AcceptError, LimitError};
use grammarc_runtime::{ByteMatcher, Grammar, Matcher, MatcherOptions};
use grammarc_tests::random::Rng;
use grammarc_tests::sources::{compiled, gbnf};
use grammarc_tests::vocabularies;

/// Tokens that can be taken back in these tests; frames of positions that can be gone back to are kept.
const WINDOW: usize = 8;

/// Configurations while a byte is read, calls followed, in a grammar that is deterministic or as good as that.
const FEW: usize = 8;

fn grammar(source: &str) -> Grammar {
    let words = "aa ab ba bb aaa aba abba +1 1+ 1+1 ++ (( )) () ((( ))) [[ ]] [1 ,1 1, ,, 1] ],[";
    compiled(&vocabularies::artifact(&vocabularies::of_words(words)), &gbnf(source))
}

fn options() -> MatcherOptions {
    MatcherOptions::new().rollback_window(WINDOW)
}

fn matcher(grammar: &Grammar, configurations: usize, frames: usize) -> Matcher {
    let options = options().max_configurations(configurations).max_frames(frames);
    Matcher::with_options(grammar, options).expect("the options fit")
}

/// The token with these bytes.
fn token(grammar: &Grammar, text: &str) -> u32 {
    let found = grammar.vocabulary().artifact().lookup(text.as_bytes());
    *found.first().unwrap_or_else(|| panic!("{text:?} is no token"))
}

/// Accepts a text, cut into tokens of `length` bytes where there are such, and single bytes elsewhere.
fn accept(matcher: &mut Matcher, mut text: &str, length: usize) {
    let grammar = matcher.grammar().clone();
    let vocabulary = grammar.vocabulary().artifact();
    while !text.is_empty() {
        let cut = length.min(text.len());
        let cut = if vocabulary.lookup(&text.as_bytes()[..cut]).is_empty() { 1 } else { cut };
        let (head, rest) = text.split_at(cut);
        let token = token(&grammar, head);
        assert!(matcher.mask().contains(token), "{head:?} is allowed");
        matcher.accept(token).unwrap_or_else(|error| panic!("{head:?}: {error}"));
        text = rest;
    }
}

/// Whether a text is accepted, read byte by byte.
fn accepts(grammar: &Grammar, text: &[u8]) -> bool {
    let mut matcher = ByteMatcher::new(grammar);
    matcher.accept(text).is_ok() && matcher.is_accepting()
}

/// All strings over the letters of at most `longest` letters.
fn strings(letters: &str, longest: usize) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut from = 0;
    for _ in 0..longest {
        let to = found.len();
        for at in from..to {
            for letter in letters.chars() {
                found.push(format!("{}{letter}", found[at]));
            }
        }
        from = to;
    }
    found
}

const PALINDROMES: &str = "root ::= \"\" | \"a\" root \"a\" | \"b\" root \"b\"";

fn is_palindrome(text: &str) -> bool {
    text.len().is_multiple_of(2) && text.bytes().eq(text.bytes().rev())
}

#[test]
fn even_palindromes_are_distinguished_from_others() {
    let grammar = grammar(PALINDROMES);
    for text in strings("ab", 12) {
        assert_eq!(accepts(&grammar, text.as_bytes()), is_palindrome(&text), "{text}");
    }
    for text in ["c", "abcba", "abc"] {
        assert!(!accepts(&grammar, text.as_bytes()), "{text}");
    }
}

#[test]
fn long_palindromes_take_memory_in_proportion() {
    let grammar = grammar(PALINDROMES);
    let mut rng = Rng::new(1);
    let mut random: String = (0..20_000).map(|_| if rng.one_in(2) { 'a' } else { 'b' }).collect();
    random.extend(random.clone().chars().rev());
    for (half, most) in [(random.as_str(), 64), (&"a".repeat(3000), 3002)] {
        // A stack of a frame a letter serves all readings: each has popped some of it.
        let mut matcher = matcher(&grammar, most, half.len() + WINDOW + 8);
        let steps = half.len() / 3;
        accept(&mut matcher, &half[..steps * 3], 3);
        accept(&mut matcher, &half[steps * 3..], 1);
        assert!(matcher.is_accepting() == is_palindrome(half), "{} letters", half.len());
        // All tokens of `a` and `b` may follow.
        let vocabulary = grammar.vocabulary();
        let spelled = |token: u32| {
            let bytes = vocabulary.token_bytes(token);
            !bytes.is_empty() && bytes.iter().all(|byte| b"ab".contains(byte))
        };
        let expected: Vec<u32> = (0..vocabulary.logit_width()).filter(|&t| spelled(t)).collect();
        let end = matcher.end_tokens().to_vec();
        let allowed: Vec<u32> = matcher.mask().iter().filter(|t| !end.contains(t)).collect();
        assert_eq!(allowed, expected);
    }
}

#[test]
fn an_ambiguous_sum_stays_one_configuration() {
    let grammar = grammar("root ::= e\ne ::= e \"+\" e | \"1\"");
    for text in strings("1+", 9) {
        let expected = text.split('+').all(|operand| operand == "1");
        assert_eq!(accepts(&grammar, text.as_bytes()), expected, "{text}");
    }
    // 100,000 operands have more parses than there are atoms, and one configuration on an empty stack.
    let sum = format!("1{}", "+1".repeat(99_999));
    for length in [1, 2, 3] {
        let mut matcher = matcher(&grammar, FEW, 4);
        accept(&mut matcher, &sum, length);
        assert!(matcher.is_accepting());
        assert!(matcher.mask().contains(token(&grammar, "+1")));
        assert!(!matcher.mask().contains(token(&grammar, "1+")));
        assert!(matcher.export().len() <= 32 + 12 * 3, "{} bytes", matcher.export().len());
    }
}

#[test]
fn an_ambiguous_sum_with_brackets_takes_a_frame_a_bracket() {
    let grammar = grammar("root ::= e\ne ::= e \"+\" e | \"(\" e \")\" | \"1\"");
    let (depth, operands) = (200, 50);
    let level = format!("{}(", "1+".repeat(operands));
    let text = format!("{}1{}", level.repeat(depth), ")".repeat(depth));
    let mut matcher = matcher(&grammar, FEW, 2 * depth + WINDOW);
    accept(&mut matcher, &text, 2);
    assert!(matcher.is_accepting());
    assert!(!matcher.mask().contains(token(&grammar, ")")));
}

#[test]
fn right_recursion_takes_no_stack() {
    for (source, unit, end) in [
        ("root ::= \"a\" root | \"b\"", "a", "b"),
        ("root ::= \"a\" root | \"\"", "a", ""),
        ("root ::= \"1\" rest\nrest ::= \",\" root | \"]\"", "1,", "1]"),
        ("root ::= x | \"b\"\nx ::= \"a\" y\ny ::= \"a\" root", "aa", "b"),
        ("root ::= \"a\" root x | \"b\"\nx ::= \"\"", "a", "b"),
    ] {
        let grammar = grammar(source);
        let token = token(&grammar, unit);
        let mut matcher = matcher(&grammar, FEW, 4);
        let longest = (0..100_000).map(|_| {
            assert!(matcher.mask().contains(token));
            matcher.accept(token).unwrap_or_else(|error| panic!("{source}: {error}"));
            matcher.export().len()
        });
        let longest = longest.max();
        assert!(longest <= Some(32 + 12 * 2), "{source}: a position of {longest:?} bytes");
        assert_eq!(matcher.rollback_depth(), WINDOW);
        accept(&mut matcher, end, 2);
        assert!(matcher.is_accepting(), "{source}");
    }
}

#[test]
fn brackets_nest_ten_thousand_deep() {
    let depth = 10_000;
    let grammar = grammar("root ::= \"(\" root \")\" | \"1\"");
    let [open, close, three] = ["(", ")", ")))"].map(|text| token(&grammar, text));
    // One frame a bracket but the first, and those of positions in the window.
    let mut matcher = matcher(&grammar, FEW, depth + WINDOW);
    accept(&mut matcher, &"(".repeat(depth), 3);
    assert_eq!(matcher.export().len(), 32 + 12 * depth);
    assert!(!matcher.mask().contains(close), "there is nothing between the brackets yet");
    let deepest = matcher.fork();
    accept(&mut matcher, "1", 1);
    for left in (1..=depth).rev() {
        assert!(!matcher.is_accepting(), "{left} brackets are open");
        assert!(!matcher.mask().contains(open));
        // A token that closes three is allowed as long as three are open.
        assert_eq!(matcher.mask().contains(three), left >= 3, "{left}");
        matcher.accept(close).unwrap_or_else(|error| panic!("{left} open: {error}"));
    }
    assert!(matcher.is_accepting());
    assert!(!matcher.mask().contains(close));
    assert!(matches!(matcher.accept(close), Err(AcceptError::Refused { .. })));
    assert!(matcher.export().len() <= 32 + 12);
    // The fork stayed where it was, and moves by itself.
    let mut deepest = deepest;
    accept(&mut deepest, "1)))", 3);
    assert_eq!(deepest.export().len(), 32 + 12 * (depth - 3));
}

#[test]
fn json_nests_ten_thousand_deep() {
    let (_, _, source) = grammarc_tests::sources::folder()
        .into_iter()
        .find(|(name, ..)| name == "json.gbnf")
        .expect("it is there");
    let grammar = compiled(vocabularies::small(), &gbnf(&source));
    let depth = 10_000;
    let text = format!("{}0{}", "[[{\"a\":".repeat(depth / 3), "}]]".repeat(depth / 3));
    // A few frames a level: a value in a member in an object.
    let mut matcher = matcher(&grammar, FEW, 3 * depth + WINDOW);
    let vocabulary = grammar.vocabulary().artifact();
    let mut longest = 0;
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let fits = |&len: &usize| {
            let found = rest.get(..len).map(|head| vocabulary.lookup(head));
            found.is_some_and(|found| !found.is_empty())
        };
        let len = (1..=4).rev().find(fits).expect("every byte is a token");
        let token = vocabulary.lookup(&rest[..len])[0];
        assert!(matcher.mask().contains(token), "{}", rest[..len].escape_ascii());
        matcher.accept(token).expect("what is allowed is accepted");
        longest = longest.max(matcher.export().len());
        rest = &rest[len..];
    }
    assert!(matcher.is_accepting());
    assert!(longest <= 32 + 12 * (2 * depth + 8), "{longest} bytes");
    assert!(!accepts(&grammar, &text.as_bytes()[..text.len() - 1]));
    assert!(!accepts(&grammar, format!("{text}]").as_bytes()));
}

#[test]
fn a_limit_is_met_with_an_error_and_leaves_the_matcher_as_it_was() {
    let grammar = grammar("root ::= \"(\" root \")\" | \"1\"");
    let open = token(&grammar, "(");
    let mut matcher = matcher(&grammar, FEW, 100);
    let refused = (0..200).find_map(|at| matcher.accept(open).err().map(|error| (at, error)));
    let Some((at, AcceptError::Limit(LimitError::Frames { limit: 100 }))) = refused else {
        panic!("{refused:?}");
    };
    assert!((90..=101).contains(&at), "{at} frames");
    let before = matcher.export();
    assert!(matcher.accept(open).is_err());
    assert_eq!(matcher.export(), before);
    // One bracket less leaves room to read on.
    matcher.rollback(1).expect("it was accepted a moment ago");
    accept(&mut matcher, &format!("1{}", ")".repeat(at - 1)), 3);
    assert!(matcher.is_accepting());
}
