//! Token ids of hosts.
//!
//! Samplers pass ids as signed integers, and pad drafts with -1. So an id outside of `u32` is not a type error, but a
//! token that no grammar allows.

/// An id that no vocabulary has: its logit row would have to have 2^32 entries.
pub const NO_TOKEN: u32 = u32::MAX;

/// Returns the token of an id, or [`NO_TOKEN`] if it is out of range.
#[inline]
pub fn token(id: i64) -> u32 {
    u32::try_from(id).unwrap_or(NO_TOKEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_are_no_token_become_one_that_none_has() {
        assert_eq!(token(0), 0);
        assert_eq!(token(128_255), 128_255);
        for id in [-1, i64::MIN, i64::MAX, 1 << 32, i64::from(u32::MAX)] {
            assert_eq!(token(id), NO_TOKEN, "{id}");
        }
    }
}
