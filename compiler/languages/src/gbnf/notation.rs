//! The notations of grammars.

/// The notation of a source. Macros, attributes and assertions are read in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Notation {
    /// The syntax of llama.cpp: a rule ends with its line, and `.` is any character.
    #[default]
    Gbnf,
    /// XGrammar's EBNF: a rule ends where the next begins, names may have points, `[^]` is any character and `\x` takes all
    /// digits that follow.
    Xgrammar,
}
