//! The byte alphabet of GPT-2: 256 printable characters, one for each byte.
//!
//! Byte-level BPE stores its tokens as JSON strings, which consist of characters. So each byte is written as one
//! character: itself if it is printable in Latin-1, and otherwise the next character from U+0100 on, in byte order. A
//! space is `Ġ` (U+0120), a line feed `Ċ` (U+010A).

use std::sync::LazyLock;

/// The code point after the last character of the byte alphabet.
const LIMIT: usize = 0x144;

/// For each code point below [`LIMIT`], the byte that the character denotes. `None` if it is not in the alphabet.
static BYTE_OF: LazyLock<[Option<u8>; LIMIT]> = LazyLock::new(|| {
    let mut table = [None; LIMIT];
    let mut next = 0x100;
    for byte in 0..=u8::MAX {
        let at = if matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF) {
            usize::from(byte)
        } else {
            next += 1;
            next - 1
        };
        table[at] = Some(byte);
    }
    table
});

/// Returns the bytes that a token of a byte-level vocabulary denotes.
///
/// A token with any character outside the alphabet denotes its own UTF-8 as a whole. This is what decoders do, and some
/// vocabularies (Command R) contain such tokens.
pub(super) fn bytes_of(token: &str) -> Vec<u8> {
    token
        .chars()
        .map(|c| BYTE_OF.get(c as usize).copied().flatten())
        .collect::<Option<Vec<u8>>>()
        .unwrap_or_else(|| token.as_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_alphabet_is_a_bijection() {
        let mut bytes: Vec<u8> = BYTE_OF.iter().copied().flatten().collect();
        bytes.sort_unstable();
        assert_eq!(bytes, (0..=u8::MAX).collect::<Vec<_>>());
        assert!(BYTE_OF[LIMIT - 1].is_some());
    }

    #[test]
    fn known_characters() {
        assert_eq!(bytes_of("Ġa"), b" a");
        assert_eq!(bytes_of("Ċ"), b"\n");
        assert_eq!(bytes_of("âĢ¼"), "‼".as_bytes());
        assert_eq!(bytes_of("õ"), [0xF5]);
    }

    #[test]
    fn a_character_outside_makes_the_token_literal() {
        assert_eq!(bytes_of("‼"), "‼".as_bytes());
        assert_eq!(bytes_of("Ġ‼"), "Ġ‼".as_bytes());
        assert_eq!(bytes_of("  "), b"  ");
    }
}
