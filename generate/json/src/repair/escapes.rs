//! Escapes in strings: those of JSON, those of other notations, and backslashes that are no
//! escapes.
//!
//! A string that was not escaped at all contains backslashes as plain characters: `C:\Users
//! ew`, `\alpha \beta`. An escape that no notation has reveals this. Then the valid escapes in the
//! same string are doubtful, too. [`Habit`] says how they are read.
//!
//! Cost: linear in the length of the string.

use super::quotes::{next_len, quote_at};

/// A backslash with the characters after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Escape {
    /// A JSON escape with its length in bytes.
    Known(usize),
    /// An escape of another notation: its length in bytes, and its JSON form.
    Other(usize, String),
    /// A backslash that begins no known escape.
    None,
}

/// How the writer of a string used backslashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Habit {
    /// Backslashes begin escapes.
    Escaped,
    /// Some backslashes precede punctuation, as in Markdown and shells. The valid escapes are read
    /// as escapes, but this is not certain.
    Doubtful,
    /// Backslashes are plain characters, but this is not certain. Exceptions are the escapes for
    /// which [`is_written`] is false.
    Raw,
}

/// Returns the length in bytes of the JSON escape that starts with the backslash at `at`. `None` if
/// it is no valid escape.
pub(super) fn escape_len(source: &[u8], at: usize) -> Option<usize> {
    match *source.get(at + 1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        b'u' if hex(source, at + 2, 4) => Some(6),
        _ => None,
    }
}

/// Whether there are `count` hexadecimal digits at the offset `at`.
fn hex(source: &[u8], at: usize, count: usize) -> bool {
    source.get(at..at + count).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

/// Returns the escape that starts with the backslash at `at`.
pub(super) fn escape(bytes: &[u8], at: usize) -> Escape {
    let Some(&next) = bytes.get(at + 1) else { return Escape::None };
    if let Some(len) = escape_len(bytes, at) {
        return Escape::Known(len);
    }
    let digits = |len: usize| std::str::from_utf8(&bytes[at + 2..at + 2 + len]).unwrap_or_default();
    match next {
        b'\'' | b'`' => Escape::Other(2, char::from(next).to_string()),
        b'\n' => Escape::Other(2, "\\n".to_owned()),
        b'x' if hex(bytes, at + 2, 2) => Escape::Other(4, format!("\\u00{}", digits(2))),
        b'U' if hex(bytes, at + 2, 8) => {
            let character = u32::from_str_radix(digits(8), 16).ok().and_then(char::from_u32);
            character.map_or(Escape::None, |character| Escape::Other(10, character.to_string()))
        }
        _ if quote_at(bytes, at + 1).is_some() => {
            let to = at + 1 + next_len(next);
            Escape::Other(to - at, String::from_utf8_lossy(&bytes[at + 1..to]).into_owned())
        }
        _ => Escape::None,
    }
}

/// Whether the backslash at `at` begins no escape and precedes a letter or digit, as in a path or a
/// TeX command.
pub(super) fn is_raw(bytes: &[u8], at: usize) -> bool {
    bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric) && escape(bytes, at) == Escape::None
}

/// Whether the two-byte escape at `at`, in a string with plain backslashes, is a backslash and a
/// letter. An escaped quote is not. `\\` counts only where the writer would have written two
/// backslashes: before a host name (`\\host\share`), and before white space (the end of a row in
/// TeX).
pub(super) fn is_written(content: &[u8], at: usize) -> bool {
    let behind = content.get(at + 2..).unwrap_or_default();
    match content[at + 1] {
        b'\\' => {
            let is_host =
                |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
            let host = behind.iter().take_while(is_host).count();
            (at == 0 && host > 1 && behind.get(host) == Some(&b'\\'))
                || behind.first().is_some_and(u8::is_ascii_whitespace)
        }
        next => next.is_ascii_alphabetic(),
    }
}

/// Determines the habit of a string's writer from the content of the string.
pub(super) fn habit(content: &[u8]) -> Habit {
    let (mut at, mut has_none, mut has_known, mut is_raw_text) = (0, false, false, false);
    while let Some(found) = memchr::memchr(b'\\', &content[at..]) {
        at += found;
        at += match escape(content, at) {
            Escape::Known(len) => {
                has_known = true;
                // A backspace or form feed is hardly ever written, but `\beta` and `\frac` are.
                let next = content.get(at + 2).is_some_and(u8::is_ascii_alphabetic);
                is_raw_text |= matches!(content[at + 1], b'b' | b'f') && next;
                len
            }
            Escape::Other(len, _) => {
                // An escape with digits is not there by chance, but it is doubtful.
                has_known |= content[at + 1].is_ascii_alphabetic();
                len
            }
            Escape::None => {
                has_none = true;
                // A backslash at the end would escape the closing quote.
                has_known |= at + 1 == content.len();
                is_raw_text |= is_raw(content, at);
                1
            }
        };
    }
    match has_none && has_known {
        false => Habit::Escaped,
        true if is_raw_text => Habit::Raw,
        true => Habit::Doubtful,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_escape_that_is_none_makes_the_others_doubtful() {
        for (content, habit_of) in [
            (r"a\nb", Habit::Escaped),
            (r"\d+", Habit::Escaped),
            (r"it\'s \x41\n", Habit::Escaped),
            (r"C:\Users\new", Habit::Raw),
            (r"C:\new\Users", Habit::Raw),
            (r"\alpha \beta", Habit::Raw),
            (r"C:\Users\", Habit::Raw),
            (r"\( \frac{1}{2} \)", Habit::Raw),
            (r"\$5\nmore", Habit::Doubtful),
            (r"\U0001f600\n", Habit::Escaped),
            (r"\Uffffffff\n", Habit::Raw),
            (r"\d \x41", Habit::Raw),
        ] {
            assert_eq!(habit(content.as_bytes()), habit_of, "{content}");
        }
    }
}
