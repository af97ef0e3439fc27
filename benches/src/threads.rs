//! Threads for what is measured on several.

/// How many run at once.
pub fn at_once() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
