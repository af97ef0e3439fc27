//! The options of a GBNF source.

use crate::sources::Sources;

/// The notation of a GBNF source. Both notations have macros, attributes and assertions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Notation {
    /// The syntax of llama.cpp: a rule ends with its line, and `.` is any character.
    #[default]
    Gbnf,
    /// XGrammar's EBNF. A rule ends at the next definition, and names may contain points. `[^]` is any character, and
    /// `\x` takes two to eight digits.
    Xgrammar,
}

/// The options of a GBNF source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GbnfOptions {
    /// Name of the start rule; `root` by default.
    pub start: String,
    /// The notation in which the source is written.
    pub notation: Notation,
    /// Sources that the grammar may refer to as `@"name"`, by name.
    pub sources: Sources,
}

impl Default for GbnfOptions {
    fn default() -> Self {
        Self {
            start: "root".to_owned(),
            notation: Notation::default(),
            sources: Sources::default(),
        }
    }
}
