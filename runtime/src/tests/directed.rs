//! Tests of single properties on small networks that are written by hand.

use grammarc_artifacts::TokenKind;
use proptest::prelude::*;

use crate::error::{
    AcceptError, AcceptTextError, BytesError, ImportError, LimitError, OptionsError,
};
use crate::testing::network::{Network, Rule, State};
use crate::testing::{self, Rng};
use crate::{ByteMatcher, Grammar, Matcher, MatcherOptions};

fn state() -> State {
    State::default()
}

/// Returns a vocabulary with one token for each of these bytes, from id 0 on, and then the special
/// token `<end>`.
fn letters(bytes: &[u8]) -> Vec<(Vec<u8>, TokenKind)> {
    let mut tokens: Vec<_> = bytes.iter().map(|&byte| (vec![byte], TokenKind::Text)).collect();
    tokens.push((b"<end>".to_vec(), TokenKind::Special));
    tokens
}

fn grammar(bytes: &[u8], rules: impl IntoIterator<Item = Rule>) -> Grammar {
    let network = Network { rules: rules.into_iter().collect(), shared: 0 };
    testing::grammar(&network, &letters(bytes), &[bytes.len() as u32])
}

/// Returns the grammar `S ::= "(" S ")" | "x"`, which needs one frame for each open parenthesis.
fn nesting() -> Grammar {
    let rule = Rule::new([
        state().on(b"(", 1).on(b"x", 3),
        state().call(0, Some(2), 0),
        state().on(b")", 3),
        state().ending(),
    ]);
    grammar(b"(x)", [rule])
}

/// Returns the grammar `S ::= "a" S | "b"`, in which `S` is a tail call.
fn right_recursion() -> Grammar {
    let rule =
        Rule::new([state().on(b"a", 1).on(b"b", 2), state().call(0, None, 0), state().ending()]);
    grammar(b"ab", [rule])
}

/// Returns the grammar `S ::= "x" S*`, whose calls return to an absorbing state.
fn absorbing() -> Grammar {
    let mut again = state().call(0, Some(1), 0).ending();
    again.absorbing = true;
    grammar(b"x", [Rule::new([state().on(b"x", 1), again])])
}

/// Returns the grammar of even palindromes over two letters, in which the middle is guessed at
/// every step.
fn palindromes() -> Grammar {
    let rule = Rule::new([
        state().on(b"a", 1).on(b"b", 3),
        state().on(b"a", 4).call(0, Some(2), 0),
        state().on(b"a", 4),
        state().on(b"b", 4).call(0, Some(5), 0),
        state().ending(),
        state().on(b"b", 4),
    ]);
    grammar(b"ab", [rule])
}

#[test]
fn right_recursion_runs_in_constant_memory() {
    let mut matcher = Matcher::new(&right_recursion());
    for _ in 0..100_000 {
        matcher.accept(0).unwrap();
    }
    assert_eq!(matcher.sequence().frames.len(), 1);
    assert_eq!(matcher.sequence().history.current().len(), 1);
    assert_eq!(matcher.export().len(), 44);
    matcher.accept(1).unwrap();
    assert!(matcher.is_accepting());
}

#[test]
fn an_absorbing_state_is_pushed_once() {
    let mut matcher = Matcher::new(&absorbing());
    for _ in 0..10_000 {
        matcher.accept(0).unwrap();
        assert!(matcher.is_accepting());
        assert!(matcher.sequence().history.current().len() <= 2);
    }
    assert!(matcher.sequence().frames.len() <= 2);
}

#[test]
fn nesting_takes_linear_memory_and_closes_again() {
    let deep = 10_000;
    let mut matcher = Matcher::new(&nesting());
    for _ in 0..deep {
        matcher.accept(0).unwrap();
    }
    // The innermost call is made by the byte after its parenthesis.
    assert_eq!(matcher.sequence().frames.len(), deep);
    matcher.accept(1).unwrap();
    for _ in 0..deep {
        assert!(!matcher.is_accepting());
        assert_eq!(matcher.mask().iter().collect::<Vec<_>>(), [2]);
        matcher.accept(2).unwrap();
    }
    assert!(matcher.is_accepting());
    assert_eq!(matcher.mask().iter().collect::<Vec<_>>(), [3]);
}

#[test]
fn frames_that_nothing_reaches_are_collected() {
    let random = &mut Rng::new(1);
    let grammar = nesting();
    let options = MatcherOptions::new().rollback_window(50);
    let mut matcher = Matcher::with_options(&grammar, options).unwrap();
    let (mut depth, mut most) = (0usize, 0);
    for _ in 0..200_000 {
        let allowed: Vec<u32> = matcher.mask().iter().collect();
        let open = allowed.contains(&0) && depth < 40;
        let token =
            if open && (depth == 0 || !random.one_in(3)) { 0 } else { allowed[allowed.len() - 1] };
        if matcher.accept(token).is_err() || matcher.is_finished() {
            matcher.reset();
            depth = 0;
            continue;
        }
        depth = if token == 0 { depth + 1 } else { depth.saturating_sub(usize::from(token == 2)) };
        most = most.max(matcher.sequence().frames.len());
        // A trial makes frames that no position keeps. They have to be collected too.
        matcher.validate(&[0, 0, 0, 0, 0, 0, 0, 0]);
    }
    assert!(most < 6_000, "{most} frames");
}

#[test]
fn palindromes_are_guessed() {
    let mut matcher = ByteMatcher::new(&palindromes());
    let half: Vec<u8> = (0..200).map(|at| if at % 3 == 0 { b'a' } else { b'b' }).collect();
    matcher.accept(&half).unwrap();
    for (at, &byte) in half.iter().rev().enumerate() {
        assert!(matcher.configurations() <= 200);
        matcher.accept(&[byte]).unwrap();
        let text: Vec<u8> = half.iter().chain(half.iter().rev().take(at + 1)).copied().collect();
        let is_palindrome = text.len().is_multiple_of(2) && text.iter().eq(text.iter().rev());
        assert_eq!(matcher.is_accepting(), is_palindrome, "{at}");
    }
    assert!(matcher.is_accepting());
}

#[test]
fn countdowns_count() {
    for exact in [false, true] {
        let start = |count| {
            Rule::new([state().call(0, Some(1), count), state().on(b"z", 2), state().ending()])
        };
        for count in [1, 2, 5, 1000] {
            let grammar = grammar(b"az", [Rule::repeat(b'a', exact), start(count)]);
            for times in [1, 2, 4, 5, 6, 999, 1000, 1001] {
                let mut text = vec![b'a'; times];
                text.push(b'z');
                let fits = if exact { times == count as usize } else { times <= count as usize };
                let found = ByteMatcher::new(&grammar).accept(&text);
                assert_eq!(found.is_ok(), fits, "{times} of {count}, exact: {exact}");
            }
        }
    }
}

#[test]
fn a_monotone_countdown_keeps_the_larger_alone() {
    // Two calls of the same counted rule, which differ in the countdown alone.
    let start = Rule::new([
        state().call(0, Some(1), 3).call(0, Some(1), 7),
        state().on(b"z", 2),
        state().ending(),
    ]);
    for (exact, expected) in [(false, 1), (true, 2)] {
        let grammar = grammar(b"az", [Rule::repeat(b'a', exact), start.clone()]);
        let mut matcher = ByteMatcher::new(&grammar);
        matcher.accept(b"a").unwrap();
        assert_eq!(matcher.configurations(), expected);
        matcher.accept(if exact { b"aaaaaaz" } else { b"aaaaaz" }).unwrap();
        assert!(matcher.is_accepting());
    }
}

#[test]
fn the_bytes_of_a_refusal_are_told() {
    let mut matcher = ByteMatcher::new(&nesting());
    assert_eq!(matcher.accept(b"((x))x"), Err(BytesError::Refused { at: 5 }));
    assert!(matcher.is_accepting());
    assert_eq!(matcher.allowed_bytes().unwrap(), b"");
    matcher.reset();
    assert_eq!(matcher.allowed_bytes().unwrap(), b"(x");
    assert!(!matcher.tokens_allowed().unwrap());
}

#[test]
fn special_tokens_are_matched_by_id() {
    let mut start = state();
    start.tokens = vec![(vec![1], 1)];
    let rule = Rule::new([start, state().on(b"a", 2), state().ending()]);
    let grammar = grammar(b"a", [rule]);
    let mut matcher = ByteMatcher::new(&grammar);
    assert!(matcher.tokens_allowed().unwrap());
    assert_eq!(matcher.accept_token(0), Ok(false));
    assert_eq!(matcher.accept_token(1), Ok(true));
    matcher.accept(b"a").unwrap();

    // The end token is also a token of the grammar, which takes precedence.
    let mut matcher = Matcher::new(&grammar);
    for token in [1, 0, 1] {
        assert!(!matcher.is_finished());
        matcher.accept(token).unwrap();
    }
    assert!(matcher.is_finished());
}

#[test]
fn limits_are_typed_and_change_nothing() {
    let options = MatcherOptions::new().max_frames(100).rollback_window(10);
    let mut matcher = Matcher::with_options(&nesting(), options).unwrap();
    for _ in 0..101 {
        matcher.accept(0).unwrap();
    }
    let before = matcher.export();
    let limit = LimitError::Frames { limit: 100 };
    assert_eq!(matcher.accept(0), Err(AcceptError::Limit(limit)));
    assert_eq!(matcher.export(), before);
    assert_eq!(matcher.validate(&[0, 0]), 0);

    let options = MatcherOptions::new().max_configurations(4);
    let mut matcher = Matcher::with_options(&palindromes(), options).unwrap();
    let refused = (0..100).map(|_| matcher.accept(0)).find(Result::is_err);
    let limit = LimitError::Configurations { limit: 4 };
    assert_eq!(refused, Some(Err(AcceptError::Limit(limit))));
    let at = (0..100).find(|_| matcher.rollback(1).is_err());
    assert!(at.is_some_and(|tokens| tokens < 100));
}

#[test]
fn the_frame_limit_counts_what_is_alive() {
    // With two kinds of brackets, every sequence of open brackets is a stack of its own.
    let rule = Rule::new([
        state().on(b"(", 1).on(b"[", 3).on(b"x", 5),
        state().call(0, Some(2), 0),
        state().on(b")", 5),
        state().call(0, Some(4), 0),
        state().on(b"]", 5),
        state().ending(),
    ]);
    let grammar = grammar(b"([x", [rule]);
    let options = MatcherOptions::new().max_frames(8);
    let mut matcher = Matcher::with_options(&grammar, options).unwrap();
    for word in 0u32..256 {
        let tokens: Vec<u32> = (0..8).map(|bit| word >> bit & 1).chain([2]).collect();
        assert_eq!(matcher.validate(&tokens), tokens.len(), "{word:08b}");
    }
}

#[test]
fn options_are_checked() {
    let grammar = nesting();
    let width = grammar.vocabulary().logit_width();
    let with = |options| Matcher::with_options(&grammar, options).map(|_| ()).unwrap_err();
    let narrow = MatcherOptions::new().logit_width(width - 1);
    assert_eq!(with(narrow), OptionsError::LogitWidth { given: width - 1, vocabulary: width });
    let outside = MatcherOptions::new().end_tokens([1, width]);
    assert_eq!(with(outside), OptionsError::EndToken { token: width, width });
    let none = MatcherOptions::new().max_configurations(0);
    assert!(matches!(with(none), OptionsError::Limit { name: "max_configurations", .. }));
}

#[test]
fn rollback_beyond_the_window_is_refused() {
    let options = MatcherOptions::new().rollback_window(5);
    let mut matcher = Matcher::with_options(&right_recursion(), options).unwrap();
    for _ in 0..1000 {
        matcher.accept(0).unwrap();
    }
    assert_eq!(matcher.rollback(6).unwrap_err().kept, 5);
    matcher.rollback(5).unwrap();
    matcher.rollback(0).unwrap();

    matcher.reset();
    matcher.accept(1).unwrap();
    matcher.accept(2).unwrap();
    assert!(matcher.is_finished());
    matcher.rollback(1).unwrap();
    assert!(!matcher.is_finished() && matcher.is_accepting());
    matcher.rollback(1).unwrap();
    assert_eq!(matcher.rollback(1).unwrap_err().kept, 0);
}

#[test]
fn without_end_tokens_a_sequence_is_finished_where_nothing_may_follow() {
    let none = || MatcherOptions::new().end_tokens([]);
    let mut matcher = Matcher::with_options(&nesting(), none()).unwrap();
    for token in [0, 1, 2] {
        assert!(!matcher.is_finished() && !matcher.mask().is_empty());
        matcher.accept(token).unwrap();
    }
    assert!(matcher.is_finished() && matcher.mask().is_empty());
    assert_eq!(matcher.accept(0), Err(AcceptError::Finished { token: 0 }));
    assert_eq!(matcher.accept_text(b"x"), Err(AcceptTextError::Finished));
    matcher.rollback(1).unwrap();
    assert!(!matcher.is_finished());
    // A sequence is not finished if its text may continue.
    let mut matcher = Matcher::with_options(&absorbing(), none()).unwrap();
    matcher.accept(0).unwrap();
    assert!(matcher.is_accepting() && !matcher.is_finished());
}

#[test]
fn a_text_is_accepted_whole_or_not_at_all() {
    let mut matcher = Matcher::new(&nesting());
    assert_eq!(matcher.accept_text(b"((x)y"), Err(AcceptTextError::Refused { at: 4 }));
    assert_eq!(matcher.rollback_depth(), 0);
    matcher.accept_text(b"").unwrap();
    matcher.accept_text(b"((x)").unwrap();
    assert_eq!((matcher.rollback_depth(), matcher.mask().only()), (1, Some(2)));
    matcher.rollback(1).unwrap();
    assert_eq!(matcher.export(), Matcher::new(&nesting()).export());
    // No token spells the second half of the text, so no token may follow the first half.
    let mut half = state().on(b"b", 2);
    half.stuck = true;
    let halves = Rule::new([state().on(b"a", 1), half, state().ending()]);
    let network = Network { rules: vec![halves], shared: 0 };
    let tokens = [(b"ab".to_vec(), TokenKind::Text), (b"<end>".to_vec(), TokenKind::Special)];
    let mut matcher = Matcher::new(&testing::grammar(&network, &tokens, &[1]));
    assert_eq!(matcher.accept_text(b"a"), Err(AcceptTextError::NoToken));
    matcher.accept_text(b"ab").unwrap();
}

#[test]
fn bytes_of_a_token_are_accepted_in_parts() {
    let mut half = state().on(b"b", 2);
    half.stuck = true;
    let halves = Rule::new([state().on(b"a", 1), half, state().ending()]);
    let network = Network { rules: vec![halves], shared: 0 };
    let tokens = [(b"ab".to_vec(), TokenKind::Text), (b"<end>".to_vec(), TokenKind::Special)];
    let grammar = testing::grammar(&network, &tokens, &[1]);
    let (mut parts, mut whole) = (Matcher::new(&grammar), Matcher::new(&grammar));
    parts.accept_bytes(b"").unwrap();
    assert_eq!(parts.rollback_depth(), 0);
    assert_eq!(parts.accept_bytes(b"aa"), Err(AcceptTextError::Refused { at: 1 }));
    assert_eq!(parts.export(), whole.export());
    parts.accept_bytes(b"a").unwrap();
    assert!(!parts.is_accepting());
    assert_eq!(parts.accept_text(b"a"), Err(AcceptTextError::Refused { at: 0 }));
    let half = parts.export();
    parts.accept_bytes(b"b").unwrap();
    whole.accept(0).unwrap();
    assert_eq!((parts.export(), parts.rollback_depth()), (whole.export(), 2));
    parts.rollback(1).unwrap();
    assert_eq!(parts.export(), half);
    // A position within a token cannot be imported.
    assert!(whole.import(&half).is_err());
    whole.accept(1).unwrap();
    assert_eq!(whole.accept_bytes(b"a"), Err(AcceptTextError::Finished));
    assert_eq!(whole.accept_bytes(b""), Ok(()));
}

#[test]
fn forced_runs_stop_where_there_is_a_choice() {
    let rule = Rule::new([
        state().on(b"a", 1),
        state().on(b"b", 2),
        state().on(b"ab", 3),
        state().on(b"a", 3).ending(),
    ]);
    let mut matcher = Matcher::new(&grammar(b"ab", [rule]));
    let (mut tokens, mut bytes) = (Vec::new(), Vec::new());
    matcher.forced_tokens(&mut tokens);
    matcher.forced_bytes(&mut bytes);
    assert_eq!((&tokens[..], &bytes[..]), (&[0, 1][..], &b"ab"[..]));
    tokens.push(0);
    assert_eq!(matcher.validate(&tokens), 3);
    tokens.iter().for_each(|&token| matcher.accept(token).unwrap());
    matcher.forced_tokens(&mut tokens);
    matcher.forced_bytes(&mut bytes);
    assert_eq!((&tokens[..], &bytes[..]), (&[][..], &b""[..]), "it may end here");
}

#[test]
fn a_position_of_another_grammar_is_refused() {
    let bytes = Matcher::new(&nesting()).export();
    assert_eq!(Matcher::new(&palindromes()).import(&bytes), Err(ImportError::Grammar));
}

#[test]
fn matchers_and_grammars_cross_threads() {
    fn check<T: Send + Sync>() {}
    check::<Grammar>();
    check::<Matcher>();
    check::<ByteMatcher>();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Tests that import accepts or refuses any bytes without a panic, and that an imported
    /// position can be exported and continued.
    #[test]
    fn import_never_panics(
        opened in 0u32..5,
        edits in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![any::<u8>(), 0u8..4]), 0..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
        behind_header in any::<bool>(),
    ) {
        let mut matcher = Matcher::new(&nesting());
        (0..opened).for_each(|_| matcher.accept(0).unwrap());
        let home = matcher.export();
        let mut bytes = home.clone();
        let from = if behind_header { 24 } else { 0 };
        for (at, value) in &edits {
            let at = from + at.index(bytes.len() - from);
            bytes[at] = *value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        match matcher.import(&bytes) {
            Ok(()) => {
                prop_assert_eq!(matcher.rollback_depth(), 0);
                let mask: Vec<u32> = matcher.mask().iter().collect();
                for token in mask {
                    _ = matcher.fork().accept(token);
                }
                let again = matcher.export();
                matcher.import(&again).unwrap();
                prop_assert_eq!(matcher.export(), again);
            }
            Err(_) => prop_assert_eq!(matcher.export(), home, "a refusal changes nothing"),
        }
    }
}

/// Tests that grammars made of one artifact handle share their derived data, as a cache that hands
/// out one handle needs.
#[test]
fn grammars_of_one_handle_share_what_is_derived() {
    let grammar = nesting();
    let same = Grammar::from_artifact(grammar.artifact().clone());
    assert!(same.shares_with(&grammar));
    let buffer = grammar.artifact().container().buffer().clone();
    let vocabulary = grammar.vocabulary().artifact();
    let other = grammarc_artifacts::GrammarArtifact::from_buffer(buffer, vocabulary);
    let other = Grammar::from_artifact(other.expect("it was opened before"));
    assert!(!other.shares_with(&grammar));
}
