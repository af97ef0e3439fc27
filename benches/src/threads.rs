//! Threads for parallel measurements.

/// Returns the number of parallel threads.
pub fn at_once() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
