//! Probabilities of a row of logits, in 64-bit floats.

/// Returns the logarithm of the sum of the row's exponentials. Negative infinity if every logit is
/// negative infinity or NaN.
pub(crate) fn log_sum(row: &[f32]) -> f64 {
    let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    if most == f32::NEG_INFINITY {
        return f64::NEG_INFINITY;
    }
    let most = f64::from(most);
    let numbers = row.iter().filter(|logit| !logit.is_nan());
    most + numbers.map(|&logit| (f64::from(logit) - most).exp()).sum::<f64>().ln()
}

/// Returns the total probability of the allowed tokens, from 0 to 1. `before` and `after` are the
/// row's [`log_sum`] before and after the mask.
pub(crate) fn mass(before: f64, after: f64) -> f64 {
    if after == f64::NEG_INFINITY { 0.0 } else { (after - before).exp().min(1.0) }
}

/// Returns the `count` likeliest tokens of a row with their logits, in descending order, equal ones
/// by ascending id. Leaves out tokens whose logit is negative infinity or NaN. O(row).
pub(crate) fn ranked(row: &[f32], count: usize) -> Vec<(u32, f32)> {
    let mut all: Vec<(u32, f32)> = (0..).zip(row.iter().copied()).collect();
    all.retain(|(_, logit)| *logit > f32::NEG_INFINITY);
    let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if count < all.len() && count > 0 {
        all.select_nth_unstable_by(count - 1, order);
    }
    all.truncate(count);
    all.sort_unstable_by(order);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_hold_for_great_logits_and_rows_of_nothing() {
        assert!((log_sum(&[1000.0, 1000.0]) - (1000.0 + 2_f64.ln())).abs() < 1e-9);
        assert_eq!(log_sum(&[f32::NEG_INFINITY; 3]), f64::NEG_INFINITY);
        assert_eq!(mass(log_sum(&[0.0, 0.0]), log_sum(&[0.0, f32::NEG_INFINITY])), 0.5);
        assert_eq!(mass(1.0, f64::NEG_INFINITY), 0.0);
    }

    #[test]
    fn equal_logits_are_ranked_by_id() {
        assert_eq!(ranked(&[1.0, 3.0, 3.0, f32::NEG_INFINITY], 2), [(1, 3.0), (2, 3.0)]);
        assert_eq!(ranked(&[1.0, f32::NEG_INFINITY], 5), [(0, 1.0)]);
        assert_eq!(ranked(&[1.0], 0), []);
    }
}
