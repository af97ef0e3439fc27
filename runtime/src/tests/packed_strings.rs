//! Packed string sets, compared with the same networks with a state for each node.

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::testing::network::{Network, Shape};
use crate::testing::{Rng, packed_strings, vocabulary};
use crate::{ByteMatcher, Grammar, Matcher, MatcherOptions};

/// Draws some texts over the letters of the networks. A text may be a prefix of another.
fn texts(random: &mut Rng) -> BTreeSet<Vec<u8>> {
    let count = 1 + random.below(14);
    let text =
        |random: &mut Rng| (0..1 + random.below(6)).map(|_| b'a' + random.below(4) as u8).collect();
    (0..count).map(|_| text(random)).collect()
}

/// Draws a network with a finite set of texts. Returns its grammar with states and with a packed string set, and the
/// token ids. The start rule need not reach the set.
fn grammars(random: &mut Rng) -> ([Grammar; 2], Vec<u32>) {
    let shape = Shape { counts: false, tokens: &[] };
    let network = Network::random(random, shape);
    let rule = random.below(network.rules.len() - 1);
    let tokens = vocabulary(random);
    let texts = texts(random);
    let stored = [1, 2, 1000][random.below(3)];
    let both = packed_strings::both(&network, rule, &texts, (&tokens, &[3]), (random, stored));
    (both, (0..tokens.len() as u32 + 3).collect())
}

/// Checks that matchers of the two grammars agree at one position.
fn check(one: &mut Matcher, other: &mut Matcher, tokens: &[u32]) {
    let width = tokens.len();
    let (mask, packed) = (one.mask(), other.mask());
    let allowed: Vec<u32> = mask.iter().collect();
    assert_eq!(packed.iter().collect::<Vec<_>>(), allowed);
    assert_eq!((packed.len(), packed.is_empty()), (allowed.len(), allowed.is_empty()));
    assert_eq!((packed.only(), packed.restricts()), (mask.only(), mask.restricts()));
    assert!(tokens.iter().all(|&token| packed.contains(token) == allowed.contains(&token)));
    let mut words = [vec![0; width.div_ceil(32)], vec![u32::MAX; width.div_ceil(32)]];
    mask.fill(&mut words[0]).unwrap();
    packed.fill(&mut words[1]).unwrap();
    assert_eq!(words[0], words[1]);
    let mut logits = [vec![1.0f32; width], vec![1.0f32; width]];
    mask.apply(&mut logits[0]).unwrap();
    packed.apply(&mut logits[1]).unwrap();
    assert_eq!(logits[0], logits[1]);
    for &token in tokens {
        assert_eq!(other.validate(&[token]), one.validate(&[token]), "token {token}");
    }
    assert_eq!(one.is_accepting(), other.is_accepting());
    let (mut run, mut of_packed) = (Vec::new(), Vec::new());
    one.forced_tokens(&mut run);
    other.forced_tokens(&mut of_packed);
    assert_eq!(run, of_packed);
    let (mut run, mut of_packed) = (Vec::new(), Vec::new());
    one.forced_bytes(&mut run);
    other.forced_bytes(&mut of_packed);
    assert_eq!(run, of_packed);
    let (route, of_packed) = (one.route(100), other.route(100));
    assert_eq!(route.map(|route| route.len()), of_packed.map(|route| route.len()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_packed_rule_does_what_its_states_do(seed: u64) {
        let random = &mut Rng::new(seed);
        let ([plain, packed], tokens) = grammars(random);
        let options = || MatcherOptions::new().max_configurations(200);
        let mut one = Matcher::with_options(&plain, options()).unwrap();
        let mut other = Matcher::with_options(&packed, options()).unwrap();
        for _ in 0..10 {
            check(&mut one, &mut other, &tokens);
            let allowed: Vec<u32> = one.mask().iter().collect();
            let Some(&token) = allowed.get(random.below(allowed.len().max(1))) else { break };
            if one.fork().accept(token).is_err() {
                // A limit was met.
                break;
            }
            one.accept(token).unwrap();
            match random.below(3) {
                0 => {
                    other = other.fork();
                    other.accept(token).unwrap();
                    other.rollback(1).unwrap();
                    other.accept(token).unwrap();
                }
                1 => {
                    other.accept(token).unwrap();
                    let exported = other.export();
                    other.import(&exported).unwrap();
                    prop_assert_eq!(other.export(), exported);
                }
                _ => other.accept(token).unwrap(),
            }
        }
        let drafts: Vec<u32> = (0..3).map(|_| random.below(tokens.len()) as u32).collect();
        let words = tokens.len().div_ceil(32);
        let mut rows = [vec![0; words * 4], vec![0; words * 4]];
        prop_assert_eq!(
            one.fill_drafts(&drafts, &mut rows[0], words).ok(),
            other.fill_drafts(&drafts, &mut rows[1], words).ok()
        );
        prop_assert_eq!(&rows[0], &rows[1]);
    }

    #[test]
    fn bytes_are_read_as_by_its_states(seed: u64) {
        let random = &mut Rng::new(seed);
        let ([plain, packed], _) = grammars(random);
        let options = || MatcherOptions::new().max_configurations(200);
        let mut one = ByteMatcher::with_options(&plain, options()).unwrap();
        let mut other = ByteMatcher::with_options(&packed, options()).unwrap();
        for _ in 0..12 {
            prop_assert_eq!(one.is_accepting(), other.is_accepting());
            let Ok(allowed) = one.allowed_bytes() else { break };
            prop_assert_eq!(&other.allowed_bytes().unwrap(), &allowed);
            let Some(&byte) = allowed.get(random.below(allowed.len().max(1))) else { break };
            if one.accept(&[byte]).is_err() {
                // A limit was met.
                break;
            }
            other.accept(&[byte]).unwrap();
        }
    }

    /// Tests that an imported register which is no address of a node is refused, and that any other position continues.
    #[test]
    fn imported_addresses_are_checked(seed: u64) {
        let random = &mut Rng::new(seed);
        let ([_, packed], tokens) = grammars(random);
        let mut matcher = Matcher::new(&packed);
        for _ in 0..3 {
            let allowed: Vec<u32> = matcher.mask().iter().filter(|&token| token != 3).collect();
            let Some(&token) = allowed.get(random.below(allowed.len().max(1))) else { break };
            if matcher.accept(token).is_err() {
                break;
            }
        }
        let mut bytes = matcher.export();
        let at = bytes.len() - 8;
        bytes[at] = bytes[at].wrapping_add(random.below(30) as u8);
        if matcher.import(&bytes).is_ok() {
            matcher.mask().len();
            matcher.validate(&tokens);
        }
    }
}
