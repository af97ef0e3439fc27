//! Distinct rules, whose items must differ. Masks are compared with trials of every token, and accepted texts with
//! their items.

use std::collections::BTreeSet;

use grammarc_artifacts::TokenKind;
use grammarc_artifacts::sections::network::rule_flags;
use grammarc_artifacts::vocabulary::row_words;
use proptest::prelude::*;

use crate::testing::masks::{self, text_of};
use crate::testing::network::{Network, Rule, State};
use crate::testing::{Rng, of_tables};
use crate::{Grammar, Matcher};

/// Draws a rule for an item over the letters `b`, `c` and `d`: any text, one of four texts, or a text that ends with
/// `d`.
fn item(random: &mut Rng) -> Rule {
    let state = State::default;
    match random.below(3) {
        0 => Rule::new([state().on(b"bcd", 1), state().on(b"bcd", 1).ending()]),
        1 => Rule::new([state().on(b"bc", 1), state().on(b"d", 2).ending(), state().ending()]),
        _ => Rule::new([state().on(b"bc", 1), state().on(b"bc", 1).on(b"d", 2), state().ending()]),
    }
}

/// Draws a grammar of lists whose items differ. Each item follows an `a`. An `e` ends the list, as a bracket ends an
/// array.
fn lists(random: &mut Rng, tokens: &masks::Tokens) -> Grammar {
    let state = State::default;
    let states = [
        state().on(b"a", 1),
        state().call(0, Some(2), 0),
        state().on(b"a", 1).on(b"e", 3),
        state().ending(),
    ];
    let network = Network { rules: vec![item(random), Rule::new(states)], shared: 0 };
    let mut halves = network.tables(row_words(tokens.len() as u32 + 3));
    masks::build(&network, tokens, &mut halves);
    halves[1].rules[0].flags |= rule_flags::ITEM;
    halves[1].rules[1].flags |= rule_flags::DISTINCT;
    of_tables(&network, tokens, &[0], halves)
}

/// Draws many tokens over the letters, so that subtrees of the token trie are large.
fn vocabulary(random: &mut Rng) -> Vec<(Vec<u8>, TokenKind)> {
    let mut texts: BTreeSet<Vec<u8>> = (b'a'..=b'e').map(|letter| vec![letter]).collect();
    for _ in 0..random.below(200) {
        texts.insert((0..1 + random.below(6)).map(|_| b'a' + random.below(5) as u8).collect());
    }
    let special = (b"<end>".to_vec(), TokenKind::Special);
    [special].into_iter().chain(texts.into_iter().map(|text| (text, TokenKind::Text))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Checks that a mask has exactly the tokens that can be accepted, and that the items of an accepted text differ.
    #[test]
    fn masks_are_the_tokens_that_can_be_accepted(seed: u64) {
        let random = &mut Rng::new(seed);
        let tokens = vocabulary(random);
        let grammar = lists(random, &tokens);
        let mut matcher = Matcher::new(&grammar);
        let mut text = Vec::new();
        for _ in 0..12 {
            let allowed: Vec<u32> = matcher.mask().iter().collect();
            for token in 0..tokens.len() as u32 {
                let accepted = matcher.fork().accept(token).is_ok();
                prop_assert_eq!(allowed.contains(&token), accepted, "{:?} {}", &text, token);
            }
            let allowed: Vec<u32> = allowed.into_iter().filter(|&token| token > 0).collect();
            if allowed.is_empty() {
                break;
            }
            let token = allowed[random.below(allowed.len())];
            matcher.accept(token).unwrap();
            text.extend_from_slice(text_of(&tokens[token as usize]));
            if matcher.is_accepting() {
                let items: Vec<&[u8]> = text[1..text.len() - 1].split(|&byte| byte == b'a').collect();
                let different: BTreeSet<&[u8]> = items.iter().copied().collect();
                prop_assert_eq!(different.len(), items.len(), "{:?}", &text);
            }
        }
    }
}
