//! Unmasked grammars, compared with the complete grammars of the same networks.

use proptest::prelude::*;

use crate::testing::network::{Network, Shape};
use crate::testing::{EDGE_TOKENS, Rng, grammar, unmasked, vocabulary};
use crate::{Matcher, MatcherOptions};

/// Returns options with limits so high that small networks meet none. At a limit, the mask of an unmasked grammar is
/// smaller.
fn options() -> MatcherOptions {
    MatcherOptions::new().max_configurations(10_000)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn the_mask_of_an_unmasked_grammar_is_the_complete_one(seed: u64) {
        let random = &mut Rng::new(seed);
        // Complete masks are found by brute force, which does not support counters.
        let network = Network::random(random, Shape { counts: false, tokens: EDGE_TOKENS });
        let tokens = vocabulary(random);
        let [unmasked, complete] = unmasked::both(&network, &tokens, &[3]);
        let mut one = Matcher::with_options(&complete, options()).unwrap();
        let mut other = Matcher::with_options(&unmasked, options()).unwrap();
        let words = one.logit_width().div_ceil(32) as usize;
        let completed_at = random.below(12);
        for step in 0..10 {
            let exported = other.export();
            if step == completed_at {
                unmasked.complete(&complete).unwrap();
                other.mask();
            }
            other.import(&exported).unwrap();
            let allowed: Vec<u32> = one.mask().iter().collect();
            prop_assert_eq!(&other.mask().iter().collect::<Vec<_>>(), &allowed, "step {}", step);
            prop_assert_eq!(other.grammar().is_early(), step < completed_at);
            let mut rows = [vec![0; words], vec![0; words]];
            one.mask().fill(&mut rows[0]).unwrap();
            other.mask().fill(&mut rows[1]).unwrap();
            prop_assert_eq!(&rows[0], &rows[1]);
            let mut runs = [Vec::new(), Vec::new()];
            one.forced_tokens(&mut runs[0]);
            other.forced_tokens(&mut runs[1]);
            prop_assert_eq!(&runs[0], &runs[1]);
            let drafts: Vec<u32> = (0..3).map(|_| random.below(tokens.len()) as u32).collect();
            let mut rows = [vec![0; words * 4], vec![0; words * 4]];
            prop_assert_eq!(
                one.fill_drafts(&drafts, &mut rows[0], words).ok(),
                other.fill_drafts(&drafts, &mut rows[1], words).ok()
            );
            prop_assert_eq!(&rows[0], &rows[1]);
            if other.grammar().is_early() {
                prop_assert_eq!(other.flat_position(100), None);
            }
            let Some(&token) = allowed.get(random.below(allowed.len().max(1))) else { break };
            if one.accept(token).is_err() {
                // A limit was met.
                break;
            }
            other.accept(token).unwrap();
        }
    }

    #[test]
    fn a_grammar_of_another_network_completes_nothing(seed: u64) {
        let random = &mut Rng::new(seed);
        let shape = Shape { counts: false, tokens: &[] };
        let tokens = vocabulary(random);
        let [one, other] = [0, 1].map(|_| Network::random(random, shape));
        let [unmasked, complete] = unmasked::both(&one, &tokens, &[3]);
        let other = grammar(&other, &tokens, &[3]);
        prop_assert!(unmasked.complete(&other).is_err());
        prop_assert!(unmasked.completed().is_none());
        prop_assert!(unmasked.complete(&complete).is_ok());
        let mut matcher = Matcher::new(&unmasked);
        matcher.mask();
        prop_assert!(matcher.grammar().shares_with(&complete));
    }
}
