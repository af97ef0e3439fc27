//! Tokens of the oracle.

/// A token as the oracle sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// Its bytes are text; a grammar may ask for it by id, too.
    Text(Vec<u8>),
    /// Only a grammar that asks for it by id takes it.
    Special(Vec<u8>),
    /// No token.
    Unused,
}
