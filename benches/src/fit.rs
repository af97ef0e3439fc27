//! Growth of a figure: the slope of a regression line through its logarithms.

/// Returns the exponent of `y ~ x^e` by least squares on logarithms. `None` for fewer than two different `x`, or for
/// values without a logarithm.
pub fn exponent(points: &[(f64, f64)]) -> Option<f64> {
    let logarithms: Vec<(f64, f64)> = points.iter().map(|&(x, y)| (x.ln(), y.ln())).collect();
    let count = logarithms.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| logarithms.iter().map(of).sum::<f64>() / count;
    let (middle_x, middle_y) = (mean(|point| point.0), mean(|point| point.1));
    let (mut covariance, mut variance) = (0.0, 0.0);
    for (x, y) in logarithms {
        covariance += (x - middle_x) * (y - middle_y);
        variance += (x - middle_x) * (x - middle_x);
    }
    let slope = covariance / variance;
    slope.is_finite().then_some(slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_found() {
        let curve = |e: f64| [1.0, 3.0, 10.0, 100.0].map(|x: f64| (x, 7.0 * x.powf(e)));
        for e in [0.0, 0.5, 1.0, 2.0] {
            let found = exponent(&curve(e)).expect("a slope");
            assert!((found - e).abs() < 1e-9, "{found} for {e}");
        }
        assert_eq!(exponent(&[]), None);
        assert_eq!(exponent(&[(3.0, 1.0), (3.0, 2.0)]), None);
        assert_eq!(exponent(&[(1.0, 0.0), (2.0, 1.0)]), None);
    }
}
