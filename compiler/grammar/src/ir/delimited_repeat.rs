//! Delimited repeats: bounded repetitions of bytes, followed by one last byte from a set of its
//! own, as in `[a-z-]{0,61}[a-z]`.

use super::ByteSet;
use super::Expr;

/// A bounded repetition of bytes, and one last byte that follows. The two byte sets overlap, so a
/// byte may be either a repeated byte or the last byte.
#[derive(Clone, Copy, Debug)]
pub struct DelimitedRepeat {
    /// The set of bytes that may be repeated before the last byte.
    pub any: ByteSet,
    /// The fewest bytes before the last byte.
    pub min: u32,
    /// The most bytes before the last byte.
    pub max: u32,
    /// The set of bytes that may be the last byte.
    pub last: ByteSet,
}

impl DelimitedRepeat {
    /// Returns the first two parts of a sequence as a delimited repeat. Returns `None` unless they
    /// are a bounded repetition of bytes and a byte set that overlaps with the repeated bytes.
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
