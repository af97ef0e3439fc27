//! Batches, compared row by row with single matchers.

use proptest::prelude::*;

use crate::batch::{RowOf, Unlisted, apply_batch, fill_batch};
use crate::error::BatchError;
use crate::testing::{Rng, matchers};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(25))]

    #[test]
    fn a_batch_is_its_rows(seed: u64, rows in 0usize..60, extra in 0usize..3, all in any::<bool>()) {
        let random = &mut Rng::new(seed);
        let width = 60 + random.below(40) as u32;
        let listed: Vec<usize> = (0..rows).filter(|_| !random.one_in(3)).collect();
        let mut matchers = matchers(random, listed.len(), width);
        let row_words = width.div_ceil(32) as usize + extra;
        let unlisted = if all { Unlisted::AllowAll } else { Unlisted::Keep };

        let mut words = vec![0xdead_beef; rows * row_words];
        let mut logits: Vec<f32> = (0..rows * width as usize).map(|at| at as f32).collect();
        let (given_words, given_logits) = (words.clone(), logits.clone());
        let (mut expected_words, mut expected_logits) = (words.clone(), logits.clone());
        if all {
            expected_words.fill(u32::MAX);
        }
        for (matcher, &row) in matchers.iter_mut().zip(&listed) {
            let mask = matcher.mask();
            mask.fill(&mut expected_words[row * row_words..][..row_words]).unwrap();
            mask.apply(&mut expected_logits[row * width as usize..][..width as usize]).unwrap();
        }

        let mut batch: Vec<RowOf<'_>> = listed.iter().copied().zip(&mut matchers).collect();
        fill_batch(&mut batch, &mut words, row_words, unlisted).unwrap();
        prop_assert_eq!(&words, &expected_words);
        apply_batch(&mut batch, &mut logits, width as usize).unwrap();
        prop_assert_eq!(&logits, &expected_logits);

        #[cfg(feature = "rayon")]
        {
            use crate::batch::{par_apply_batch, par_fill_batch};
            let (mut words, mut logits) = (given_words.clone(), given_logits.clone());
            par_fill_batch(&mut batch, &mut words, row_words, unlisted).unwrap();
            prop_assert_eq!(&words, &expected_words);
            par_apply_batch(&mut batch, &mut logits, width as usize).unwrap();
            prop_assert_eq!(&logits, &expected_logits);
        }

        // Buffers of the wrong size are refused, and nothing is written.
        let (mut words, mut logits) = (given_words.clone(), given_logits.clone());
        if let Some((last, _)) = batch.last() {
            let last = *last;
            let short = last * row_words;
            let found = fill_batch(&mut batch, &mut words[..short], row_words, unlisted);
            prop_assert_eq!(found, Err(BatchError::Row { row: last, rows: last }));
            let found = apply_batch(&mut batch, &mut logits[..rows * (width as usize - 1)], width as usize - 1);
            let misfit = matches!(found, Err(BatchError::Buffer { .. }));
            prop_assert!(misfit);
        }
        if let [first, second, ..] = &mut batch[..] {
            std::mem::swap(&mut first.0, &mut second.0);
            let row = second.0;
            let found = fill_batch(&mut batch, &mut words, row_words, unlisted);
            prop_assert_eq!(found, Err(BatchError::Order { row }));
        }
        prop_assert_eq!(words, given_words);
        prop_assert_eq!(logits, given_logits);
    }
}

#[test]
fn rows_have_a_length() {
    let fill =
        |len, row_words| fill_batch(&mut [], &mut vec![7; len], row_words, Unlisted::AllowAll);
    assert_eq!(fill(10, 5), Ok(()));
    assert_eq!(fill(0, 0), Ok(()));
    assert_eq!(fill(11, 5), Err(BatchError::Length { len: 11, row_len: 5 }));
    assert_eq!(fill(3, 0), Err(BatchError::Length { len: 3, row_len: 0 }));
}
