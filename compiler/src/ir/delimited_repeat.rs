//! Repetitions of bytes that are closed by a byte of their own.

use super::Expr;
use crate::ir::ByteSet;

/// Bytes, so many of them, and a last one that may be one of them. Such a last one is not read apart from those before
/// it.
#[derive(Clone, Copy, Debug)]
pub struct DelimitedRepeat {
    /// The bytes.
    pub any: ByteSet,
    /// Fewest of them.
    pub min: u32,
    /// Most of them.
    pub max: u32,
    /// The last ones.
    pub last: ByteSet,
}

impl DelimitedRepeat {
    /// The first two of these parts as one, if they are that.
    pub(super) fn begins(parts: &[Expr]) -> Option<Self> {
        match parts {
            [Expr::Repeat { body, min, max: Some(max) }, Expr::Bytes(last), ..] => match **body {
                Expr::Bytes(any) if !any.intersect(*last).is_empty() => {
                    Some(Self { any, min: *min, max: *max, last: *last })
                }
                _ => None,
            },
            _ => None,
        }
    }
}
