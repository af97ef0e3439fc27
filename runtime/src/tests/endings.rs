//! Endings, compared with a breadth-first search over the bytes that may come next.

use std::collections::VecDeque;

use proptest::prelude::*;

use crate::error::EndingError;
use crate::testing::network::{Network, Shape};
use crate::testing::{Rng, grammar, vocabulary};
use crate::{ByteMatcher, Grammar, Matcher, MatcherOptions};

/// Largest number of positions of one search. Beyond it, the search gives up.
const MOST: usize = 2_000;

/// Returns the length in bytes of the shortest text from the position after `text` to an end.
/// `None` if there is no end, an error if the search gave up.
fn by_search(grammar: &Grammar, text: &[u8]) -> Result<Option<usize>, ()> {
    let mut start = ByteMatcher::new(grammar);
    start.accept(text).map_err(|_| ())?;
    let mut open = VecDeque::from([(start, 0)]);
    let mut met = 0;
    while let Some((mut at, len)) = open.pop_front() {
        if at.is_accepting() {
            return Ok(Some(len));
        }
        met += 1;
        if met > MOST {
            return Err(());
        }
        for byte in at.allowed_bytes().map_err(|_| ())? {
            let mut next = at.fork();
            next.accept(&[byte]).map_err(|_| ())?;
            open.push_back((next, len + 1));
        }
    }
    Ok(None)
}

proptest! {
    #[test]
    fn endings_end_and_are_the_shortest(seed: u64) {
        let random = &mut Rng::new(seed);
        let tokens = vocabulary(random);
        let network = Network::random(random, Shape { counts: false, tokens: &[] });
        let grammar = grammar(&network, &tokens, &[3]);
        let options = MatcherOptions::new().max_configurations(100);
        let mut matcher = Matcher::with_options(&grammar, options).unwrap();
        let mut text = Vec::new();
        for _ in 0..random.below(6) {
            let allowed: Vec<u32> = matcher.mask().iter().filter(|&token| token != 3).collect();
            if allowed.is_empty() {
                break;
            }
            let token = allowed[random.below(allowed.len())];
            if matcher.accept(token).is_err() {
                break;
            }
            text.extend_from_slice(&tokens[token as usize].0);
        }
        let before = matcher.export();
        let mut ending = vec![7];
        let found = matcher.ending(&mut ending);
        prop_assert_eq!(&matcher.export(), &before);
        match found {
            Ok(()) => {
                prop_assert_eq!(matcher.accept_many(&ending), Ok(()));
                prop_assert!(matcher.is_accepting());
            }
            Err(EndingError::NotFound) => prop_assert_eq!(&ending, &Vec::<u32>::new()),
            Err(error) => panic!("{error}"),
        }
        let mut matcher = Matcher::new(&grammar);
        if let Ok(shortest) = by_search(&grammar, &text)
            && matcher.import(&before).is_ok()
        {
            prop_assert_eq!(matcher.route(1_000).map(|units| units.len()), shortest);
        }
    }
}

#[test]
fn an_ended_sequence_has_no_ending() {
    let random = &mut Rng::new(1);
    let tokens = vocabulary(random);
    let network = Network::random(random, Shape { counts: false, tokens: &[] });
    let mut matcher = Matcher::new(&grammar(&network, &tokens, &[3]));
    let mut ending = Vec::new();
    if matcher.ending(&mut ending).is_ok() {
        matcher.accept_many(&ending).unwrap();
        matcher.accept(3).unwrap();
        assert!(matcher.is_finished());
        assert_eq!(matcher.ending(&mut ending), Ok(()));
        assert_eq!(ending, [0u32; 0]);
    }
}
