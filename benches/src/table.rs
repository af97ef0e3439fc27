//! Percentiles of samples.

/// Samples of one quantity.
#[derive(Clone, Debug, Default)]
pub struct Samples(Vec<f64>);

/// The percentiles that tables show.
pub const SHOWN: [(&str, f64); 5] =
    [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("max", 1.0)];

impl Samples {
    /// Adds a sample.
    pub fn push(&mut self, sample: f64) {
        self.0.push(sample);
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The mean; 0 where there are no samples.
    pub fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len().max(1) as f64
    }

    /// The values at the shown percentiles, nearest rank; 0 where there are no samples.
    pub fn percentiles(&self) -> [f64; SHOWN.len()] {
        let mut sorted = self.0.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        SHOWN.map(|(_, share)| {
            let rank = (share * sorted.len() as f64).ceil() as usize;
            sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
        })
    }
}
