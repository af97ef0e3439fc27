//! The input of one advance of a sequence.

use crate::grammar::Grammar;
use crate::step::texts::Text;

/// The input of one advance: a byte, some bytes, or a token with its text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Input<'t> {
    /// One byte. The position after it is allowed even if no token can continue from there.
    Byte(&'t [u8; 1]),
    /// At least one byte. Some token must be able to continue after the last byte, unless the text
    /// may end there.
    Bytes(&'t [u8]),
    /// A token id with its text. Some token must be able to follow, unless the text may end there.
    Token(u32, &'t Text),
}

impl<'t> Input<'t> {
    /// Returns the bytes of the input. Empty for a special token.
    #[inline]
    pub(crate) fn bytes(self, grammar: &'t Grammar) -> &'t [u8] {
        match self {
            Self::Byte(byte) => byte,
            Self::Bytes(bytes) => bytes,
            Self::Token(token, text) => text.bytes(grammar.vocabulary().artifact(), token),
        }
    }

    /// Whether the input is a [plain](Text::is_plain) token: printable ASCII without quote and
    /// backslash.
    #[inline]
    pub(crate) fn is_plain(self) -> bool {
        matches!(self, Self::Token(_, text) if text.is_plain())
    }

    /// Whether some token must be able to follow the input, unless the text may end there. Only a
    /// single byte need not.
    #[inline]
    pub(crate) fn must_rest(self) -> bool {
        !matches!(self, Self::Byte(_))
    }

    /// Whether the input is a token that the label of some token edge contains.
    #[inline]
    pub(crate) fn may_be_edge(self, grammar: &Grammar) -> bool {
        matches!(self, Self::Token(token, _) if grammar.has_edge_on(token))
    }
}
