//! The quotes of all notations.

use std::ops::Range;

use crate::scan::is_space;

use super::costs::Styles;

/// The kind of quotes around a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quote {
    /// Double quotes: `"`.
    Double,
    /// Single quotes: `'`.
    Single,
    /// Backticks: `` ` ``.
    Back,
    /// Typographic double quotes: `“” „ ‟`.
    Curly,
    /// Chinese and Japanese corner brackets: `「」` and `『』`.
    Corner,
    /// Three of `"` or `'`: Python's quotes for texts with several lines.
    Triple,
    /// The string has no quotes.
    Bare,
}

impl Quote {
    /// Returns the style (habit) of a document that uses such quotes.
    pub(super) fn style(self) -> Styles {
        match self {
            Self::Double | Self::Bare => Styles::NONE,
            Self::Single => Styles::SINGLE,
            Self::Back => Styles::BACK,
            Self::Curly | Self::Corner => Styles::CURLY,
            Self::Triple => Styles::TRIPLE,
        }
    }
}

/// Returns the kind of quote at an offset, and its length in bytes. `None` if there is no quote.
pub(super) fn quote_at(source: &[u8], at: usize) -> Option<(Quote, usize)> {
    match *source.get(at)? {
        b'"' => Some((Quote::Double, 1)),
        b'\'' => Some((Quote::Single, 1)),
        b'`' => Some((Quote::Back, 1)),
        // ´
        0xc2 if source.get(at + 1) == Some(&0xb4) => Some((Quote::Single, 2)),
        // ‘ ’ ‚ ‛ and “ ” „ ‟
        0xe2 if source.get(at + 1) == Some(&0x80) => match *source.get(at + 2)? {
            0x98..=0x9b => Some((Quote::Single, 3)),
            0x9c..=0x9f => Some((Quote::Curly, 3)),
            _ => None,
        },
        // 「 」 『 』
        0xe3 if matches!(source.get(at + 1..at + 3), Some([0x80, 0x8c..=0x8f])) => {
            Some((Quote::Corner, 3))
        }
        0xef => match source.get(at + 1..at + 3)? {
            // ＂ and ＇
            [0xbc, 0x82] => Some((Quote::Curly, 3)),
            [0xbc, 0x87] => Some((Quote::Single, 3)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether the quote `close`, of `width` bytes, may close a string that `open` has opened.
pub(super) fn closes(open: Quote, close: Quote, width: usize) -> bool {
    match open {
        Quote::Double => close == Quote::Double,
        // Word processors produce pairs such as “abc".
        Quote::Curly => matches!(close, Quote::Curly | Quote::Double),
        Quote::Single | Quote::Corner => close == open,
        Quote::Back => close == Quote::Back || (close == Quote::Single && width > 1),
        Quote::Triple | Quote::Bare => false,
    }
}

/// Returns the length in bytes of the UTF-8 character that starts with this byte.
pub(super) fn next_len(byte: u8) -> usize {
    match byte {
        0..0xc0 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    }
}

/// Returns the byte range of the content of a string in triple quotes, and the end of the string.
/// If it is not closed, the content extends to the end of the text. `None` if no triple quote is at
/// `at`.
pub(super) fn triple(source: &[u8], at: usize) -> Option<(Range<usize>, usize)> {
    let quotes = match source.get(at..at + 3)? {
        b"\"\"\"" => b"\"\"\"",
        b"'''" => b"'''",
        _ => return None,
    };
    let start = at + 3;
    let mut from = start;
    while let Some(found) =
        memchr::memchr2(quotes[0], b'\\', source.get(from..).unwrap_or_default())
    {
        let mut close = from + found;
        if source[close] == b'\\' {
            from = close + 2;
        } else if source[close..].starts_with(quotes) {
            // In a longer run of quotes, the last three close the string, and those before are
            // content.
            while source.get(close + 3) == Some(&quotes[0]) {
                close += 1;
            }
            return Some((start..close, close + 3));
        } else {
            from = close + 1;
        }
    }
    Some((start..source.len(), source.len()))
}

/// Returns the length of the prefix of a Python string before its quote, such as `u`, `b`, `r` or
/// `f`. 0 if there is none.
pub(super) fn prefix_len(source: &[u8], at: usize) -> usize {
    let rest = &source[at..];
    let is_prefix = |byte: &&u8| matches!(byte.to_ascii_lowercase(), b'u' | b'b' | b'r' | b'f');
    let len = rest.iter().take(2).take_while(is_prefix).count();
    let is_quote = matches!(rest.get(len), Some(b'"' | b'\''));
    // A quote before a separator closes a word whose opening quote is missing, so the word is no
    // prefix.
    let is_close = rest.get(len + 1).is_none_or(|byte| is_space(*byte) || b",:}]".contains(byte));
    if is_quote && !is_close { len } else { 0 }
}
