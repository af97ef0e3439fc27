//! The priority of threads that compile. The engine and the threads that answer requests have a higher one, so a compilation
//! only takes processor time that they leave.

/// Lowers the priority of this thread and of all that it starts, for good.
///
/// Niceness belongs to threads on Linux alone; elsewhere it belongs to the process, and nothing is changed.
pub(crate) fn lower() {
    #[cfg(target_os = "linux")]
    {
        /// Niceness with a 68th of the weight of an ordinary thread.
        const LOWEST: i32 = 19;
        // A system that refuses shares its processors evenly.
        _ = rustix::process::nice(LOWEST);
    }
}
