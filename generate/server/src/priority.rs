//! The priority of compiling threads. The engine and the threads that answer requests have a higher
//! priority. So compilations only use the processor time that these leave.

/// Lowers the priority of the current thread, and of all threads that it starts, permanently.
///
/// Only on Linux does a thread have a niceness of its own. Elsewhere niceness belongs to the
/// process, and nothing is changed.
pub(crate) fn lower() {
    #[cfg(target_os = "linux")]
    {
        /// The lowest priority (highest niceness). Its share of a processor is a 68th of that of an
        /// ordinary thread.
        const LOWEST: i32 = 19;
        // If the system refuses, all threads share the processors evenly.
        _ = rustix::process::nice(LOWEST);
    }
}
