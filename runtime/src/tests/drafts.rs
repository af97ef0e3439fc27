//! Drafts and runs of tokens, compared step by step with a fork that accepts the tokens one by one.

use grammarc_artifacts::TokenKind;
use proptest::prelude::*;

use crate::Matcher;
use crate::batch::fill_tree;
use crate::error::BatchError;
use crate::testing::{Rng, matchers};

/// Returns the bitmask row of a matcher's mask.
fn row(matcher: &mut Matcher, row_words: usize) -> Vec<u32> {
    let mut words = vec![0xdead_beef; row_words];
    matcher.mask().fill(&mut words).unwrap();
    words
}

proptest! {
    // Masks of each network are found by brute force, which takes most of the time.
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn drafts_are_steps_of_a_fork(seed: u64, drafts in 0usize..12, more in 0usize..3, extra in 0usize..3) {
        let random = &mut Rng::new(seed);
        let width = 60 + random.below(40) as u32;
        let row_words = width.div_ceil(32) as usize + extra;
        for mut matcher in matchers(random, 4, width) {
            // Drafts are mostly right: they come from the masks of a walk, and now and then from all ids.
            let mut walk = matcher.fork();
            let mut tokens = Vec::new();
            for _ in 0..drafts {
                let allowed: Vec<u32> = walk.mask().iter().collect();
                let token = match allowed.get(random.below(allowed.len().max(1))) {
                    Some(&token) if !random.one_in(8) => token,
                    _ => random.below(width as usize + 5) as u32,
                };
                tokens.push(token);
                let _ = walk.accept(token);
            }
            let before = (matcher.export(), matcher.rollback_depth());
            let mut step = matcher.fork();
            let mut expected = row(&mut step, row_words);
            let mut last = expected.clone();
            let mut valid = 0;
            for &token in &tokens {
                if valid * row_words == expected.len() - row_words && step.accept(token).is_ok() {
                    last = row(&mut step, row_words);
                    valid += 1;
                }
                expected.extend_from_slice(&last);
            }
            (0..more).for_each(|_| expected.extend_from_slice(&last));

            let mut found = vec![0; (drafts + 1 + more) * row_words];
            prop_assert_eq!(matcher.fill_drafts(&tokens, &mut found, row_words), Ok(valid));
            prop_assert_eq!(&found, &expected);
            prop_assert_eq!(matcher.validate(&tokens), valid);
            prop_assert_eq!((matcher.export(), matcher.rollback_depth()), before);

            let short = drafts * row_words;
            let refused = matcher.fill_drafts(&tokens, &mut found[..short], row_words);
            prop_assert_eq!(refused, Err(BatchError::Row { row: drafts, rows: drafts }));
            prop_assert_eq!(&found, &expected);

            // The rows of an output that is known are those, without the row behind its last token.
            let mut replayed = matcher.fork();
            let mut rows = vec![0; (drafts + more) * row_words];
            prop_assert_eq!(replayed.replay(&tokens, &mut rows, row_words), Ok(valid));
            let written = valid.min(drafts.saturating_sub(1));
            let shown = if drafts == 0 { 0 } else { rows.len() };
            for (at, row) in rows[..shown].chunks(row_words).enumerate() {
                let from = at.min(written) * row_words;
                prop_assert_eq!(row, &expected[from..from + row_words]);
            }
            prop_assert_eq!(replayed.export(), step.export());
            if drafts > 0 {
                let mut other = matcher.fork();
                let short = (drafts - 1) * row_words;
                let refused = other.replay(&tokens, &mut rows[..short], row_words);
                prop_assert_eq!(refused, Err(BatchError::Row { row: drafts - 1, rows: drafts - 1 }));
                prop_assert_eq!(other.export(), matcher.export());
            }

            let many = matcher.accept_many(&tokens);
            prop_assert_eq!(many.map_or_else(|error| error.accepted, |()| drafts), valid);
            prop_assert_eq!(matcher.export(), step.export());
        }
    }

    #[test]
    fn trees_are_steps_of_forks(seed: u64, nodes in 0usize..14, extra in 0usize..3) {
        let random = &mut Rng::new(seed);
        let width = 60 + random.below(40) as u32;
        let row_words = width.div_ceil(32) as usize + extra;
        for mut matcher in matchers(random, 3, width) {
            // For each node: its token, its parent, and the matcher there if all tokens on the path are allowed.
            let (mut tokens, mut parents) = (Vec::new(), Vec::new());
            let mut after: Vec<Option<Matcher>> = Vec::new();
            let mut expected = row(&mut matcher, row_words);
            for node in 0..nodes {
                let parent = random.below(node + 1).checked_sub(1);
                let from = parent.map_or(Some(&matcher), |parent| after[parent].as_ref());
                let allowed: Vec<u32> =
                    from.map_or(Vec::new(), |from| from.fork().mask().iter().collect());
                let token = match allowed.get(random.below(allowed.len().max(1))) {
                    Some(&token) if !random.one_in(5) => token,
                    _ => random.below(width as usize + 5) as u32,
                };
                let reached = from.map(Matcher::fork);
                let reached =
                    reached.and_then(|mut matcher| matcher.accept(token).is_ok().then_some(matcher));
                let before = parent.map_or(0, |parent| parent + 1) * row_words;
                let row = match reached.clone() {
                    Some(mut matcher) => row(&mut matcher, row_words),
                    None => expected[before..before + row_words].to_vec(),
                };
                expected.extend(row);
                after.push(reached);
                tokens.push(token);
                parents.push(parent.map(|parent| parent as u32));
            }
            let before = (matcher.export(), matcher.rollback_depth());
            let mut found = vec![0; (nodes + 1) * row_words];
            let allowed = fill_tree(&mut matcher, &tokens, &parents, &mut found, row_words).unwrap();
            prop_assert_eq!(&found, &expected);
            prop_assert_eq!(allowed, after.iter().map(Option::is_some).collect::<Vec<_>>());
            prop_assert_eq!((matcher.export(), matcher.rollback_depth()), before);

            let none = |node| Err(BatchError::Tree { node });
            if let Some(last) = parents.last_mut() {
                *last = Some(nodes as u32 - 1);
                prop_assert_eq!(fill_tree(&mut matcher, &tokens, &parents, &mut found, row_words), none(nodes - 1));
                parents.pop();
                prop_assert_eq!(fill_tree(&mut matcher, &tokens, &parents, &mut found, row_words), none(nodes - 1));
            }
            let short = fill_tree(&mut matcher, &tokens, &parents, &mut found[..nodes * row_words], row_words);
            prop_assert_eq!(short, Err(BatchError::Row { row: nodes, rows: nodes }));
            prop_assert_eq!(&found, &expected);
        }
    }

    #[test]
    fn longer_tokens_begin_with_the_token(seed: u64) {
        let random = &mut Rng::new(seed);
        for mut matcher in matchers(random, 4, 80) {
            let allowed: Vec<u32> = matcher.mask().iter().collect();
            let vocabulary = matcher.grammar().vocabulary().clone();
            let artifact = vocabulary.artifact();
            let is_text = |token: u32| artifact.token_kind(token) == TokenKind::Text;
            for token in 0..80 {
                let bytes = vocabulary.token_bytes(token);
                let is_longer = |&other: &u32| {
                    let other_bytes = vocabulary.token_bytes(other);
                    is_text(other) && other_bytes.len() > bytes.len() && other_bytes.starts_with(bytes)
                };
                let expected = is_text(token) && allowed.iter().any(is_longer);
                prop_assert_eq!(matcher.allows_longer(token), expected, "{}", token);
            }
        }
    }

    #[test]
    fn a_mask_restricts_where_it_lacks_a_token(seed: u64) {
        let random = &mut Rng::new(seed);
        let width = 60 + random.below(40) as u32;
        for mut matcher in matchers(random, 4, width) {
            let mask = matcher.mask();
            prop_assert_eq!(mask.restricts(), mask.iter().count() < width as usize);
        }
    }
}
