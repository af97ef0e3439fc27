//! Escapes in strings and character classes: `\xNN`, `\uNNNN`, `\UNNNNNNNN`, `\t \r \n \\ \" \[ \] \-`. XGrammar adds
//! `\0 \a \b \e \f \v \' \? \/`.
//!
//! A number is a code point and not a byte: `\xE9` is `é`, two bytes in UTF-8.

use std::ops::Range;

use super::codes;
use grammarc_grammar::diagnostics::Diagnostic;

/// An escape sequence in a string or character class.
pub(super) struct Escape {
    /// The length of the escape in bytes, backslash included.
    pub(super) length: usize,
    /// The character that the escape denotes, or the mistake in it.
    pub(super) character: Result<char, Mistake>,
}

/// A mistake in an escape sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mistake {
    /// The character after the backslash starts no known escape.
    Unknown,
    /// The escape has fewer than `count` hexadecimal digits after its letter.
    Digits { letter: char, count: usize },
    /// The escape denotes a surrogate. If the other half follows as `\uNNNN`, the character of the pair.
    Surrogate(Option<char>),
    /// The number of the escape is greater than 0x10FFFF, the last code point.
    OutOfRange,
}

impl Escape {
    /// Reads the escape at the start of a text. `\x` takes two hexadecimal digits, or with `long` two to eight.
    pub(super) fn read(text: &str, long: bool) -> Self {
        let letter = text[1..].chars().next();
        let digits = match letter {
            Some('x') if long => {
                let found = text[2..].bytes().take(8).take_while(u8::is_ascii_hexdigit).count();
                found.max(2)
            }
            Some('x') => 2,
            Some('u') => 4,
            Some('U') => 8,
            _ => {
                let character = match letter {
                    Some('t') => Ok('\t'),
                    Some('r') => Ok('\r'),
                    Some('n') => Ok('\n'),
                    Some('0') => Ok('\0'),
                    Some('a') => Ok('\x07'),
                    Some('b') => Ok('\x08'),
                    Some('e') => Ok('\x1b'),
                    Some('f') => Ok('\x0c'),
                    Some('v') => Ok('\x0b'),
                    Some(c @ ('\\' | '"' | '\'' | '[' | ']' | '-' | '?' | '/')) => Ok(c),
                    _ => Err(Mistake::Unknown),
                };
                // An unknown escape is consumed with its character. A line end is not: a backslash before it is a
                // mistake within that line.
                let skipped =
                    letter.filter(|c| !matches!(c, '\r' | '\n')).map_or(0, char::len_utf8);
                return Self { length: 1 + skipped, character };
            }
        };
        let found = text[2..].bytes().take(digits).take_while(u8::is_ascii_hexdigit).count();
        let length = 2 + found;
        let character = if found < digits {
            Err(Mistake::Digits { letter: letter.unwrap_or_default(), count: digits })
        } else {
            // Eight hexadecimal digits fit 32 bits.
            let number = u32::from_str_radix(&text[2..length], 16).unwrap_or(u32::MAX);
            char::from_u32(number).ok_or_else(|| match number {
                0xD800..=0xDFFF => Mistake::Surrogate(pair(number, &text[length..])),
                _ => Mistake::OutOfRange,
            })
        };
        Self { length, character }
    }
}

/// Returns the character of a surrogate pair. `high` is the first half; the second is the `\uNNNN` at the start of
/// `rest`. `None` if the two are no pair.
fn pair(high: u32, rest: &str) -> Option<char> {
    let low = u32::from_str_radix(rest.strip_prefix("\\u")?.get(..4)?, 16).ok()?;
    let (0xD800..=0xDBFF, 0xDC00..=0xDFFF) = (high, low) else { return None };
    char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00))
}

impl Mistake {
    /// Returns the error for the mistake, with the place of the escape.
    pub(super) fn diagnostic(self, span: Range<usize>) -> Diagnostic {
        match self {
            Self::Unknown => Diagnostic::error(codes::BAD_ESCAPE, "unknown escape")
                .with_label(span, "")
                .with_help(
                    "the escapes are \\n \\r \\t \\0 \\a \\b \\e \\f \\v \\\\ \\\" \\' \\? \\/ \\[ \\] \\- \\xNN \\uNNNN \
                     \\UNNNNNNNN; any other character denotes itself",
                ),
            Self::Digits { letter, count } => {
                Diagnostic::error(codes::BAD_ESCAPE, "the escape has too few digits")
                    .with_label(span, "")
                    .with_help(format!("`\\{letter}` takes exactly {count} hexadecimal digits"))
            }
            Self::Surrogate(scalar) => {
                Diagnostic::error(codes::SURROGATE, "a surrogate is no character")
                    .with_label(span, "half of a UTF-16 pair")
                    .with_help(match scalar {
                        Some(c) => format!("write the pair as `\\U{:08X}`", c as u32),
                        None => "surrogates have no UTF-8 encoding; write characters beyond U+FFFF as `\\UNNNNNNNN`"
                            .to_owned(),
                    })
            }
            Self::OutOfRange => {
                Diagnostic::error(codes::BAD_ESCAPE, "the escape is beyond the last character")
                    .with_label(span, "")
                    .with_help("the last character is `\\U0010FFFF`")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_escape() {
        for (text, length, expected) in [
            (r"\n", 2, Ok('\n')),
            (r"\r", 2, Ok('\r')),
            (r"\t", 2, Ok('\t')),
            (r"\\", 2, Ok('\\')),
            (r#"\""#, 2, Ok('"')),
            (r"\[", 2, Ok('[')),
            (r"\]", 2, Ok(']')),
            (r"\-", 2, Ok('-')),
            (r"\0", 2, Ok('\0')),
            (r"\a", 2, Ok('\x07')),
            (r"\b", 2, Ok('\x08')),
            (r"\e", 2, Ok('\x1b')),
            (r"\f", 2, Ok('\x0c')),
            (r"\v", 2, Ok('\x0b')),
            (r"\'", 2, Ok('\'')),
            (r"\?", 2, Ok('?')),
            (r"\/", 2, Ok('/')),
            (r"\x411", 4, Ok('A')),
            (r"\xE9", 4, Ok('é')),
            (r"\u20aC", 6, Ok('€')),
            (r"\U0001F600", 10, Ok('😀')),
            (r"\U0010FFFF", 10, Ok(char::MAX)),
            (r"\U00110000", 10, Err(Mistake::OutOfRange)),
            (r"\UFFFFFFFF", 10, Err(Mistake::OutOfRange)),
            (r"\uD83D\uDE00", 6, Err(Mistake::Surrogate(Some('😀')))),
            (r"\uD83D", 6, Err(Mistake::Surrogate(None))),
            (r"\uDE00\uD83D", 6, Err(Mistake::Surrogate(None))),
            (r"\x4g", 3, Err(Mistake::Digits { letter: 'x', count: 2 })),
            (r"\u", 2, Err(Mistake::Digits { letter: 'u', count: 4 })),
            (r"\d", 2, Err(Mistake::Unknown)),
            ("\\é", 3, Err(Mistake::Unknown)),
            ("\\", 1, Err(Mistake::Unknown)),
            ("\\\n", 1, Err(Mistake::Unknown)),
        ] {
            let escape = Escape::read(text, false);
            assert_eq!((escape.length, escape.character), (length, expected), "{text}");
        }
    }
}
