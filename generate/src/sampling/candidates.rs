//! Draws a token from a masked row of logits, restricted to its likeliest tokens.
//!
//! Cost: one pass over the row. For `top_p`, the candidates are sorted in parts of growing size. So
//! a row whose probability is concentrated in few tokens is not sorted completely.

/// The parameters that restrict a draw. [`GenerateParams`](crate::GenerateParams) describes them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cuts {
    pub(crate) temperature: f32,
    pub(crate) top_k: u32,
    pub(crate) top_p: f32,
    pub(crate) min_p: f32,
}

/// Number of candidates in the first part that is sorted.
const PART: usize = 256;

/// Number of logits that are compared at once, as a vector.
const LANES: usize = 16;

/// Number of logits in a block. The highest logit is first found by blocks, and then its index
/// within one block.
const BLOCK: usize = 1 << 10;

/// Draws a token of a row in which forbidden tokens have the logit negative infinity. `None` if all
/// are forbidden. At temperature 0, takes the likeliest token (the lowest id of equal ones) without
/// calling `uniform`. `uniform` returns a random number from 0 to below 1.
pub(crate) fn draw(row: &[f32], cuts: &Cuts, uniform: impl FnOnce() -> f64) -> Option<u32> {
    let best = likeliest(row)?;
    if cuts.temperature == 0.0 {
        return Some(best.0);
    }
    let allowed = (0..).zip(row.iter().copied()).filter(|(_, logit)| *logit > f32::NEG_INFINITY);
    let mut all: Vec<(u32, f32)> = allowed.collect();
    let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    let top_k = cuts.top_k as usize;
    if top_k > 0 && top_k < all.len() {
        all.select_nth_unstable_by(top_k - 1, order);
        all.truncate(top_k);
    }
    let scale = 1.0 / f64::from(cuts.temperature);
    let weight = |logit: f32| ((f64::from(logit) - f64::from(best.1)) * scale).exp();
    if cuts.top_p < 1.0 {
        let total: f64 = all.iter().map(|&(_, logit)| weight(logit)).sum();
        keep_share(&mut all, f64::from(cuts.top_p) * total, |&(_, logit)| weight(logit), order);
    }
    if cuts.min_p > 0.0 {
        all.retain(|&(_, logit)| weight(logit) >= f64::from(cuts.min_p));
    }
    // In the order of ids, the draw does not depend on how the candidates were found.
    all.sort_unstable_by_key(|&(token, _)| token);
    let total: f64 = all.iter().map(|&(_, logit)| weight(logit)).sum();
    let mut left = uniform() * total;
    for &(token, logit) in &all {
        left -= weight(logit);
        if left < 0.0 {
            return Some(token);
        }
    }
    Some(best.0)
}

/// Returns the first token with the highest logit, and this logit. `None` if no token is allowed.
/// Ignores NaN.
fn likeliest(row: &[f32]) -> Option<(u32, f32)> {
    let mut best = (0, f32::NEG_INFINITY);
    for (number, block) in row.chunks(BLOCK).enumerate() {
        // The highest logit of each lane, so that a vector of logits is compared at once.
        let mut lanes = [f32::NEG_INFINITY; LANES];
        for part in block.chunks(LANES) {
            for (highest, &logit) in lanes.iter_mut().zip(part) {
                *highest = if logit > *highest { logit } else { *highest };
            }
        }
        let highest = lanes.into_iter().fold(f32::NEG_INFINITY, f32::max);
        if highest > best.1 {
            best = (number * BLOCK, highest);
        }
    }
    let (from, highest) = best;
    let at = row[from..].iter().position(|&logit| logit == highest)?;
    (highest > f32::NEG_INFINITY).then_some(((from + at) as u32, highest))
}

/// Keeps the shortest prefix of the candidates, sorted by `order`, whose weights sum to at least
/// `share`.
fn keep_share<T>(
    all: &mut Vec<T>,
    share: f64,
    weight: impl Fn(&T) -> f64,
    order: impl Fn(&T, &T) -> std::cmp::Ordering + Copy,
) {
    let mut sorted = 0;
    let mut sum = 0.0;
    let mut part = PART;
    while sorted < all.len() {
        let rest = &mut all[sorted..];
        let part_len = part.min(rest.len());
        if part_len < rest.len() {
            rest.select_nth_unstable_by(part_len - 1, order);
        }
        rest[..part_len].sort_unstable_by(order);
        for (at, one) in rest[..part_len].iter().enumerate() {
            sum += weight(one);
            if sum >= share {
                all.truncate(sorted + at + 1);
                return;
            }
        }
        sorted += part_len;
        part *= 8;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: Cuts = Cuts { temperature: 1.0, top_k: 0, top_p: 1.0, min_p: 0.0 };

    /// The tokens that a row is drawn from, by the definitions, with their probabilities.
    fn expected(row: &[f32], cuts: &Cuts) -> Vec<(u32, f64)> {
        let mut all: Vec<(u32, f64)> = (0..)
            .zip(row)
            .map(|(token, &logit)| (token, f64::from(logit / cuts.temperature)))
            .collect();
        all.retain(|(_, logit)| *logit > f64::NEG_INFINITY);
        all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        if cuts.top_k > 0 {
            all.truncate(cuts.top_k as usize);
        }
        let normal = |all: &mut Vec<(u32, f64)>| {
            let total: f64 = all.iter().map(|(_, weight)| weight).sum();
            all.iter_mut().for_each(|(_, weight)| *weight /= total);
        };
        all.iter_mut().for_each(|(_, logit)| *logit = logit.exp());
        normal(&mut all);
        let mut sum = 0.0;
        let reached = all.iter().position(|(_, p)| {
            sum += p;
            sum >= f64::from(cuts.top_p)
        });
        all.truncate(reached.map_or(all.len(), |at| at + 1));
        let most = all[0].1;
        all.retain(|(_, p)| *p >= f64::from(cuts.min_p) * most);
        normal(&mut all);
        all.sort_by_key(|(token, _)| *token);
        all
    }

    proptest! {
        #[test]
        fn a_draw_is_the_token_at_its_place_in_the_definition(
            logits in prop::collection::vec(-6_i8..6, 1..600),
            hidden in prop::collection::vec(any::<bool>(), 600),
            top_k in 0_u32..40,
            top_p in prop::sample::select(vec![1.0_f32, 0.9, 0.5, 0.01]),
            min_p in prop::sample::select(vec![0.0_f32, 0.05, 0.5]),
            uniform in 0.0_f64..1.0,
        ) {
            // Logits apart from each other, so that rounding does not decide what is kept.
            let row: Vec<f32> = logits.iter().zip(&hidden).enumerate().map(|(at, (&logit, &hidden))| {
                if hidden { f32::NEG_INFINITY } else { f32::from(logit) + at as f32 * 1e-3 }
            }).collect();
            let cuts = Cuts { temperature: 0.7, top_k, top_p, min_p };
            let drawn = draw(&row, &cuts, || uniform);
            if row.iter().all(|logit| *logit == f32::NEG_INFINITY) {
                prop_assert_eq!(drawn, None);
                return Ok(());
            }
            let mut sum = 0.0;
            let expected = expected(&row, &cuts);
            let at = expected.iter().position(|(_, p)| { sum += p; uniform < sum });
            let (token, _) = expected[at.unwrap_or(expected.len() - 1)];
            // At the very border of two tokens either will do.
            let near = (uniform - sum).abs() < 1e-6;
            prop_assert!(near || drawn == Some(token), "{drawn:?} is not {token} of {expected:?}");
        }
    }

    #[test]
    fn at_temperature_zero_the_least_of_the_likeliest_is_taken() {
        let cuts = Cuts { temperature: 0.0, ..ALL };
        assert_eq!(draw(&[1.0, 2.0, 2.0], &cuts, || panic!("no number is needed")), Some(1));
    }
}
