//! Reports on the way of a build.

/// How far a build has come.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'p> {
    /// A vocabulary is opened, and built where that is needed.
    Vocabulary(&'p str),
    /// Sources are compared with what was built before.
    Looking {
        /// How many there are.
        sources: usize,
    },
    /// A source was compiled, or refused.
    Compiled {
        /// The source.
        source: &'p str,
        /// How many are done.
        done: usize,
        /// How many there are to do.
        sources: usize,
    },
}
