//! The options of a GBNF source.

use crate::sources::Sources;

/// The notation of a source. Both have macros, attributes and assertions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Notation {
    /// The syntax of llama.cpp: a rule ends with its line, and `.` is any character.
    #[default]
    Gbnf,
    /// XGrammar's EBNF. A rule ends at the next definition, and names may contain points. `[^]` is any character, and
    /// `\x` takes all digits that follow.
    Xgrammar,
}

/// The options of a source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GbnfOptions {
    /// Name of the start rule.
    pub start: String,
    /// The notation.
    pub notation: Notation,
    /// Sources that the grammar may refer to: `@"name"`.
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
