//! The runtime's machine over random networks, compared with the naive machine and with itself.

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::error::{AcceptError, AcceptTextError};
use crate::testing::masks::text_of;
use crate::testing::network::{Network, Shape};
use crate::testing::reference::{Config, Reference};
use crate::testing::{EDGE_TOKENS, Rng, grammar, vocabulary};
use crate::{ByteMatcher, Grammar, MAX_FORCED_RUN, Matcher, MatcherOptions};

/// Largest set of configurations of the naive machine that is followed. A walk ends at a larger set.
const FOLLOWED: usize = 100;

/// Compares the bytes that may come next with the naive machine. Masks are not tested, so networks may have counters.
fn bytes_case(seed: u64) {
    let random = &mut Rng::new(seed);
    let network = Network::random(random, Shape { counts: true, tokens: &[] });
    let tokens = vocabulary(random);
    let grammar = grammar(&network, &tokens, &[3]);
    let reference = Reference::new(&network);
    let mut matcher = ByteMatcher::new(&grammar);
    let mut set = reference.start();
    for _ in 0..30 {
        assert_eq!(matcher.is_accepting(), reference.accepts(&set));
        let allowed: Vec<u8> =
            (b'a'..=b'e').filter(|&byte| !reference.byte(&set, byte).is_empty()).collect();
        assert_eq!(matcher.allowed_bytes().unwrap(), allowed);
        assert!(matcher.configurations() <= set.len());
        let byte = b'a' + random.below(5) as u8;
        let after = reference.byte(&set, byte);
        assert_eq!(matcher.accept(&[byte]).is_ok(), !after.is_empty());
        if after.len() > FOLLOWED {
            break;
        }
        if !after.is_empty() {
            set = after;
        }
    }
}

/// Walks over random tokens, and compares the mask at every position with the definition.
fn tokens_case(seed: u64) {
    let random = &mut Rng::new(seed);
    let network = Network::random(random, Shape { counts: false, tokens: EDGE_TOKENS });
    let tokens = vocabulary(random);
    let grammar = grammar(&network, &tokens, &[3]);
    let reference = Reference::new(&network);
    let ends = if random.one_in(2) { vec![3] } else { vec![3, 5] };
    let width = tokens.len() as u32 + 3 + random.below(70) as u32;
    let options = MatcherOptions::new().end_tokens(ends.clone()).logit_width(width);
    let mut matcher = Matcher::with_options(&grammar, options).unwrap();
    let mut set = reference.start();
    for _ in 0..12 {
        let accepting = reference.accepts(&set);
        let texts = tokens.iter().map(text_of).chain(std::iter::repeat(&[][..]));
        let after: Option<Vec<BTreeSet<Config>>> = (0..width)
            .zip(texts)
            .map(|(token, text)| reference.token(&set, token, text, FOLLOWED))
            .collect();
        let Some(mut after) = after else { break };
        let allowed =
            |token: &u32| !after[*token as usize].is_empty() || accepting && ends.contains(token);
        let expected: Vec<u32> = (0..width).filter(allowed).collect();
        assert_eq!(matcher.is_accepting(), accepting);
        check_mask(&mut matcher, &expected);
        for token in 0..width + 2 {
            let allowed = expected.contains(&token);
            assert_eq!(matcher.validate(&[token]), usize::from(allowed), "token {token}");
            assert_eq!(matcher.fork().accept(token).is_ok(), allowed, "token {token}");
        }
        for (token, text) in (0..).zip(tokens.iter().map(text_of)) {
            if !text.is_empty() && !EDGE_TOKENS.contains(&token) {
                check_text(&matcher, token, text, !after[token as usize].is_empty());
                check_bytes(&matcher, &reference, &set, text);
            }
        }
        let Some(&token) = expected.get(random.below(expected.len().max(1))) else { break };
        matcher.accept(token).unwrap();
        set = after.swap_remove(token as usize);
        if set.is_empty() {
            assert!(matcher.is_finished() && !matcher.is_accepting());
            check_mask(&mut matcher, &ends);
            assert_eq!(matcher.accept(ends[0]), Err(AcceptError::Finished { token: ends[0] }));
            break;
        }
        assert!(!matcher.is_finished());
    }
}

/// Checks that a text is accepted exactly if the token that spells it is.
fn check_text(matcher: &Matcher, token: u32, text: &[u8], allowed: bool) {
    let [mut by_text, mut by_token] = [matcher.fork(), matcher.fork()];
    assert_eq!(by_text.accept_text(text).is_ok(), allowed, "{text:?}");
    if allowed {
        by_token.accept(token).unwrap();
        assert_eq!(by_text.rollback_depth(), matcher.rollback_depth() + 1);
    }
    assert_eq!(by_text.export(), by_token.export());
}

/// Checks that bytes are accepted one by one exactly where the naive machine has a move on them, also where no token can
/// continue.
fn check_bytes(matcher: &Matcher, reference: &Reference<'_>, set: &BTreeSet<Config>, text: &[u8]) {
    let (mut matcher, mut set) = (matcher.fork(), set.clone());
    for (at, &byte) in text.iter().enumerate() {
        let before = matcher.export();
        set = reference.byte(&set, byte);
        if set.len() > FOLLOWED {
            return;
        }
        let accepted = matcher.accept_bytes(&[byte]);
        if set.is_empty() {
            assert_eq!(accepted, Err(AcceptTextError::Refused { at: 0 }), "byte {at} of {text:?}");
            assert_eq!(matcher.export(), before);
            return;
        }
        assert_eq!(accepted, Ok(()), "byte {at} of {text:?}");
        assert_eq!(matcher.is_accepting(), reference.accepts(&set));
    }
}

/// Checks that all methods of a mask report the same tokens.
fn check_mask(matcher: &mut Matcher, expected: &[u32]) {
    let width = matcher.logit_width();
    let mask = matcher.mask();
    assert_eq!(mask.iter().collect::<Vec<_>>(), expected);
    assert_eq!(mask.len(), expected.len());
    assert_eq!(mask.is_empty(), expected.is_empty());
    assert_eq!(mask.only(), (expected.len() == 1).then(|| expected[0]));
    for token in 0..width + 40 {
        assert_eq!(mask.contains(token), expected.contains(&token), "token {token}");
    }
    for extra in [0, 1, 40] {
        let mut words = vec![0xdead_beef; width.div_ceil(32) as usize + extra];
        mask.fill(&mut words).unwrap();
        let bit = |token: usize| words[token / 32] >> (token % 32) & 1 != 0;
        let found: Vec<u32> =
            (0..words.len() * 32).filter(|&token| bit(token)).map(|token| token as u32).collect();
        assert_eq!(found, expected);
    }
    let mut logits: Vec<f32> = (0..width).map(|token| token as f32).collect();
    mask.apply(&mut logits).unwrap();
    for (token, logit) in logits.iter().enumerate() {
        let kept = expected.contains(&(token as u32));
        assert_eq!(*logit, if kept { token as f32 } else { f32::NEG_INFINITY });
    }
    assert_eq!(mask.apply(&mut logits[1..]).unwrap_err().needed, width as usize);
    let needed = width.div_ceil(32) as usize;
    assert_eq!(mask.fill(&mut vec![0; needed - 1]).unwrap_err().needed, needed);
}

/// Returns a random allowed token. `None` if no token is allowed.
fn any_token(matcher: &mut Matcher, random: &mut Rng) -> Option<u32> {
    let mask = matcher.mask();
    (!mask.is_empty()).then(|| mask.iter().nth(random.below(mask.len()))).flatten()
}

/// Checks that rollback is exact: a matcher that tries other tokens and returns before every step stays equal to a
/// matcher that does not.
fn detour_case(seed: u64) {
    let random = &mut Rng::new(seed);
    let network = Network::random(random, Shape { counts: false, tokens: EDGE_TOKENS });
    let tokens = vocabulary(random);
    let grammar = grammar(&network, &tokens, &[3]);
    let mut straight = small_matcher(&grammar);
    let mut wanderer = small_matcher(&grammar);
    for _ in 0..20 {
        let home = straight.export();
        let fork = wanderer.fork();
        let mut detour = 0;
        while detour < 6 && !wanderer.is_finished() {
            let Some(token) = any_token(&mut wanderer, random) else { break };
            if !accepted(&mut wanderer, token) {
                break;
            }
            assert!(wanderer.accept(0).is_err());
            detour += 1;
        }
        assert_eq!(fork.export(), home, "a fork stays where it was");
        wanderer.rollback(detour).unwrap();
        assert_eq!(wanderer.export(), home);

        let mut imported = small_matcher(&grammar);
        imported.import(&home).unwrap();
        assert_eq!(imported.export(), home);
        let allowed: Vec<u32> = straight.mask().iter().collect();
        check_mask(&mut imported, &allowed);
        assert_eq!(imported.is_accepting(), straight.is_accepting());
        if straight.is_finished() {
            break;
        }
        let Some(token) = any_token(&mut straight, random) else { break };
        let moved = [&mut straight, &mut wanderer, &mut imported].map(|m| accepted(m, token));
        assert!(moved == [true; 3] || moved == [false; 3]);
        if moved == [false; 3] {
            break;
        }
        assert_eq!(imported.export(), straight.export());
    }
    straight.reset();
    assert_eq!(straight.export(), Matcher::new(&grammar).export());
}

/// Returns a matcher with a low limit on configurations, since networks may be ambiguous in exponentially many ways.
fn small_matcher(grammar: &Grammar) -> Matcher {
    Matcher::with_options(grammar, MatcherOptions::new().max_configurations(FOLLOWED)).unwrap()
}

/// Accepts a token that the mask allows. Returns `false` if a limit was met, and checks that the matcher did not change
/// then.
fn accepted(matcher: &mut Matcher, token: u32) -> bool {
    let before = matcher.export();
    match matcher.accept(token) {
        Ok(()) => true,
        Err(AcceptError::Limit(_)) => {
            assert_eq!(matcher.export(), before);
            false
        }
        Err(error) => panic!("{error}"),
    }
}

/// Compares forced runs of tokens and bytes with their definition.
fn forced_case(seed: u64) {
    let random = &mut Rng::new(seed);
    let network = Network::random(random, Shape { counts: false, tokens: EDGE_TOKENS });
    let tokens = vocabulary(random);
    let grammar = grammar(&network, &tokens, &[3]);
    let mut matcher = small_matcher(&grammar);
    let (mut run, mut bytes) = (vec![9; 3], vec![9; 3]);
    for _ in 0..6 {
        if matcher.is_finished() {
            break;
        }
        matcher.forced_tokens(&mut run);
        let mut follower = matcher.fork();
        for &token in &run {
            assert!(!follower.is_accepting());
            assert_eq!(follower.mask().iter().collect::<Vec<_>>(), [token]);
            follower.accept(token).unwrap();
        }
        let more = (!follower.is_accepting()).then(|| follower.mask().only()).flatten();
        let limited = more.is_some_and(|token| !accepted(&mut follower, token));
        assert!(more.is_none() || limited || run.len() == MAX_FORCED_RUN);

        matcher.forced_bytes(&mut bytes);
        let mut shortest = matcher.fork();
        for at in 0..bytes.len() {
            // Every token that is allowed here must spell the forced bytes, up to the shorter of the two lengths.
            let allowed: Vec<u32> = shortest.mask().iter().collect();
            for token in allowed {
                let text = text_of(&tokens[token as usize]);
                let rest = &bytes[at..];
                let shared = text.len().min(rest.len());
                assert!(shared > 0 && text[..shared] == rest[..shared]);
            }
            let Some(single) = tokens.iter().position(|t| text_of(t) == &bytes[at..=at]) else {
                break;
            };
            if shortest.accept(single as u32).is_err() {
                break;
            }
        }
        let Some(token) = any_token(&mut matcher, random) else { break };
        if !accepted(&mut matcher, token) {
            break;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn bytes_agree_with_the_definition(seed: u64) {
        bytes_case(seed);
    }

    #[test]
    fn masks_and_tokens_agree_with_the_definition(seed: u64) {
        tokens_case(seed);
    }

    #[test]
    fn a_detour_leaves_no_trace(seed: u64) {
        detour_case(seed);
    }

    #[test]
    fn forced_runs_are_forced(seed: u64) {
        forced_case(seed);
    }
}
