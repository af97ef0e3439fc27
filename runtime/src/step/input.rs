//! The input of one advance of a sequence.

use crate::grammar::Grammar;
use crate::step::texts::Text;

/// The input of one advance: one byte, some bytes, or one token with its text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Input<'t> {
    /// One byte. No token need be able to follow.
    Byte(&'t [u8; 1]),
    /// At least one byte. A token must be able to follow the last.
    Bytes(&'t [u8]),
    /// One whole token. A token must be able to follow.
    Token(u32, &'t Text),
}

impl<'t> Input<'t> {
    /// The bytes of the input. None for a token that is not text.
    #[inline]
    pub(crate) fn bytes(self, grammar: &'t Grammar) -> &'t [u8] {
        match self {
            Self::Byte(byte) => byte,
            Self::Bytes(bytes) => bytes,
            Self::Token(token, text) => text.bytes(grammar.vocabulary().artifact(), token),
        }
    }

    /// Whether the input is a [plain](Text::is_plain) token.
    #[inline]
    pub(crate) fn is_plain(self) -> bool {
        matches!(self, Self::Token(_, text) if text.is_plain())
    }

    /// Whether a token must be able to follow the input, unless the sequence may end there.
    #[inline]
    pub(crate) fn must_rest(self) -> bool {
        !matches!(self, Self::Byte(_))
    }

    /// Whether the input is a token that some token edge takes.
    #[inline]
    pub(crate) fn may_be_edge(self, grammar: &Grammar) -> bool {
        matches!(self, Self::Token(token, _) if grammar.has_edge_on(token))
    }
}
