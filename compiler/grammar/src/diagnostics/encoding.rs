//! Decodes the bytes of a source: UTF-8, with or without a byte order mark.

/// The reason why the bytes of a source are no text in UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotText {
    /// The bytes are text in UTF-16, which editors on Windows and PowerShell's `>` write.
    #[error("it is text in UTF-16: save it as UTF-8")]
    Utf16,
    /// The bytes are neither UTF-8 nor UTF-16.
    #[error("it is not UTF-8 text: the byte at offset {offset} begins no character")]
    Other {
        /// The byte offset of the first byte that is not UTF-8.
        offset: usize,
    },
}

/// Returns the text of a source, without the byte order mark at its start. Linear in the bytes.
///
/// # Errors
///
/// See [`NotText`].
pub fn text(bytes: &[u8]) -> Result<&str, NotText> {
    if is_utf16(bytes) {
        return Err(NotText::Utf16);
    }
    match str::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(error) => Err(NotText::Other { offset: error.valid_up_to() }),
    }
}

/// Whether the bytes begin with a byte order mark of UTF-16, or with two ASCII characters in
/// UTF-16.
fn is_utf16(bytes: &[u8]) -> bool {
    match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => true,
        [0, first, 0, second, ..] | [first, 0, second, 0, ..] => *first != 0 && *second != 0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_what_is_none() {
        let wide = |text: &str, little: bool| -> Vec<u8> {
            let bytes = |unit: u16| if little { unit.to_le_bytes() } else { unit.to_be_bytes() };
            text.encode_utf16().flat_map(bytes).collect()
        };
        assert_eq!(text("\u{feff}{}".as_bytes()), Ok("{}"));
        assert_eq!(text("é".as_bytes()), Ok("é"));
        assert_eq!(text(b""), Ok(""));
        assert_eq!(text(b"ab\xe9"), Err(NotText::Other { offset: 2 }));
        for source in ["\u{feff}{}", "{\"type\": \"string\"}"] {
            for little in [true, false] {
                assert_eq!(text(&wide(source, little)), Err(NotText::Utf16), "{source}");
            }
        }
    }
}
