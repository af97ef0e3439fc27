//! Delimited repeats: repetitions of bytes before a last byte of a set of its own.

use super::ByteSet;
use super::Expr;

/// A repetition of bytes and a last byte, which may be one of the repeated bytes.
#[derive(Clone, Copy, Debug)]
pub struct DelimitedRepeat {
    /// The repeated bytes.
    pub any: ByteSet,
    /// The fewest repetitions.
    pub min: u32,
    /// The most repetitions.
    pub max: u32,
    /// The last bytes.
    pub last: ByteSet,
}

impl DelimitedRepeat {
    /// Returns the first two parts as a delimited repeat, if they are one.
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
