//! Histograms of times. The bounds of the buckets are those of Prometheus' clients, from half a millisecond on.
//!
//! Cost: one addition to an atomic for a time, after a search among fourteen bounds.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::{Serialize, Serializer};

/// The upper bounds of the buckets, inclusive, in microseconds. Longer times are in a last bucket without a bound.
const BOUNDS: [u64; 14] = [
    500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    2_500_000, 5_000_000, 10_000_000,
];

/// A histogram that any thread can add times to.
#[derive(Debug, Default)]
pub(super) struct Times {
    /// For each bucket, the number of times in it and in no lower one.
    counts: [AtomicU64; BOUNDS.len() + 1],
    /// The sum of all times, in nanoseconds.
    nanoseconds: AtomicU64,
}

impl Times {
    /// Adds a time.
    pub(super) fn add(&self, time: Duration) {
        let bucket = BOUNDS.partition_point(|&bound| Duration::from_micros(bound) < time);
        self.counts[bucket].fetch_add(1, Ordering::Relaxed);
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    /// Returns the histogram so far. A time that is added meanwhile may be in the count and not in the sum.
    pub(super) fn snapshot(&self) -> Histogram {
        let counts = self.counts.each_ref().map(|count| count.load(Ordering::Relaxed));
        Histogram { counts, total: Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed)) }
    }
}

/// A histogram of times. It serializes as `{"buckets": [[bound, count], ...], "count": N, "sum": seconds}`, with bounds
/// in seconds. As in Prometheus, the count of a bound includes all shorter times. The bucket without a bound is
/// `count`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Histogram {
    /// For each bucket, the number of times in it and in no lower one.
    counts: [u64; BOUNDS.len() + 1],
    /// The sum of all times.
    total: Duration,
}

impl Histogram {
    /// Returns the number of times.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the sum of all times.
    pub fn total(&self) -> Duration {
        self.total
    }

    /// Returns the upper bounds in ascending order, each with the number of times up to the bound, inclusive.
    pub fn buckets(&self) -> impl Iterator<Item = (Duration, u64)> {
        BOUNDS.iter().zip(&self.counts).scan(0, |below, (&bound, &count)| {
            *below += count;
            Some((Duration::from_micros(bound), *below))
        })
    }
}

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written {
            buckets: Vec<(f64, u64)>,
            count: u64,
            sum: f64,
        }
        let buckets = self.buckets().map(|(bound, count)| (bound.as_secs_f64(), count)).collect();
        Written { buckets, count: self.count(), sum: self.total.as_secs_f64() }
            .serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_in_the_first_bucket_that_it_fits_and_in_all_above() {
        let times = Times::default();
        for micros in [0, 500, 501, 9_999_999, 10_000_001] {
            times.add(Duration::from_micros(micros));
        }
        let histogram = times.snapshot();
        let counts: Vec<u64> = histogram.buckets().map(|(_, count)| count).collect();
        assert_eq!(counts, [2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4]);
        assert_eq!(histogram.count(), 5);
        assert_eq!(histogram.total(), Duration::from_micros(20_001_001));
        let written = serde_json::to_value(histogram).expect("plain data");
        assert_eq!(written["buckets"][0].to_string(), "[0.0005,2]");
        assert_eq!(written["count"].to_string(), "5");
    }
}
