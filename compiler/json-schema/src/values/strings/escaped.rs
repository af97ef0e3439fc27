//! Strings in the form with the shortest escapes: the automaton of one character, and expressions made of it.
//!
//! The text of a character is a byte sequence: raw UTF-8, or its shortest escape if JSON requires an escape. So equal
//! strings have equal texts, and a length in characters is a number of repetitions.

use std::fmt::Write as _;
use std::sync::LazyLock;

use grammarc_grammar::ir::{ByteSet, Expr};
use grammarc_patterns::utf8;
use grammarc_patterns::utf8::Rest;

/// A state of the automaton that reads the JSON text of one character of a string, escaped or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum CharState {
    /// The state between two characters of the string.
    Boundary,
    /// The state after a backslash.
    Escape,
    /// The state after `\u`: the number of zeros still to come, before the two digits of a control character.
    Zeros(u8),
    /// The state before the last hexadecimal digit of an escaped control character whose first digit was 0.
    LowDigit,
    /// The state before the last hexadecimal digit of an escaped control character whose first digit was 1.
    HighDigit,
    /// The state inside a UTF-8 sequence, with the bytes that may still follow.
    Utf8(Rest),
}

/// The characters with a two-character escape such as `\n`, each with the second character of that escape.
const SHORT: [(u8, u8); 7] = [
    (b'"', b'"'),
    (b'\\', b'\\'),
    (0x08, b'b'),
    (0x0c, b'f'),
    (b'\n', b'n'),
    (b'\r', b'r'),
    (b'\t', b't'),
];

/// Returns the bytes of the ASCII characters that may stand in a JSON string without an escape.
pub(crate) fn plain() -> ByteSet {
    let mut plain = ByteSet::range(0x20, 0x7f);
    plain.remove(b'"');
    plain.remove(b'\\');
    plain
}

/// Returns a grammar expression that matches the JSON text of one character that is escaped or outside ASCII.
pub(crate) fn special() -> Expr {
    static SPECIAL: LazyLock<Expr> = LazyLock::new(|| CharState::Boundary.edges_but(plain()));
    SPECIAL.clone()
}

impl CharState {
    /// Returns the edges of the state: disjoint sets of bytes, each with its target state. The closing quote is on no
    /// edge.
    pub(crate) fn edges(self) -> Vec<(ByteSet, Self)> {
        let range = ByteSet::range;
        match self {
            Self::Boundary => {
                let mut edges =
                    vec![(plain(), Self::Boundary), (range(b'\\', b'\\'), Self::Escape)];
                edges.extend(utf8::leads().map(|(set, rest)| (set, Self::Utf8(rest))));
                edges
            }
            Self::Escape => vec![
                (SHORT.iter().map(|(_, letter)| *letter).collect(), Self::Boundary),
                (range(b'u', b'u'), Self::Zeros(2)),
            ],
            Self::Zeros(0) => {
                vec![(range(b'0', b'0'), Self::LowDigit), (range(b'1', b'1'), Self::HighDigit)]
            }
            Self::Zeros(left) => vec![(range(b'0', b'0'), Self::Zeros(left - 1))],
            Self::LowDigit => {
                let set = range(b'0', b'7').union([b'b', b'e', b'f'].into_iter().collect());
                vec![(set, Self::Boundary)]
            }
            Self::HighDigit => {
                vec![(range(b'0', b'9').union(range(b'a', b'f')), Self::Boundary)]
            }
            Self::Utf8(rest) => {
                vec![(rest.bytes(), rest.next().map_or(Self::Boundary, Self::Utf8))]
            }
        }
    }

    /// Returns the state after `byte`, or `None` if no character continues so.
    #[cfg(test)]
    fn next(self, byte: u8) -> Option<Self> {
        self.edges().into_iter().find(|(set, _)| set.contains(byte)).map(|(_, state)| state)
    }

    /// Returns a grammar expression that matches the bytes that complete the current character. Between characters it
    /// matches only the empty text.
    pub(crate) fn rest(self) -> Expr {
        match self {
            Self::Boundary => Expr::Empty,
            inside => inside.edges_but(ByteSet::EMPTY),
        }
    }

    /// Returns a grammar expression that matches the rest of the current character, or a whole character if the state
    /// is between characters. Its first byte is not in `taken`.
    pub(crate) fn edges_but(self, taken: ByteSet) -> Expr {
        Expr::alt(self.edges().into_iter().map(|(set, next)| {
            let first = Expr::bytes(set.minus(taken));
            Expr::seq([first, next.rest()])
        }))
    }
}

/// Returns the JSON text of a string, with its quotes.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_quoted(&mut out, text);
    out
}

/// Appends the JSON text of a string, with its quotes.
pub(crate) fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    push_escaped(out, text);
    out.push('"');
}

/// Returns the JSON text of a string, without its quotes.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 1);
    push_escaped(&mut out, text);
    out
}

/// Appends the JSON text of a string, without its quotes.
fn push_escaped(out: &mut String, text: &str) {
    if text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
        out.push_str(text);
        return;
    }
    for c in text.chars() {
        let short = SHORT.iter().find(|(plain, _)| char::from(*plain) == c);
        match short {
            Some((_, letter)) => {
                out.push('\\');
                out.push(char::from(*letter));
            }
            None if c < ' ' => {
                write!(out, "\\u{:04x}", u32::from(c)).expect("writing to a string does not fail");
            }
            None => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of characters the automaton reads the bytes as.
    fn count(bytes: &[u8]) -> Option<usize> {
        let mut state = CharState::Boundary;
        let mut count = 0;
        for &byte in bytes {
            state = state.next(byte)?;
            count += usize::from(state == CharState::Boundary);
        }
        (state == CharState::Boundary).then_some(count)
    }

    #[test]
    fn every_scalar_has_one_text() {
        for scalar in ('\0'..=char::MAX).step_by(7).chain('\0'..='\u{1000}') {
            let text = escape(scalar.encode_utf8(&mut [0; 4]));
            assert_eq!(count(text.as_bytes()), Some(1), "{scalar:?}");
            let parsed: String = serde_json::from_str(&format!("\"{text}\"")).unwrap();
            assert_eq!(parsed, scalar.to_string());
            if !text.starts_with('\\') {
                assert_eq!(text, scalar.to_string());
            }
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let texts: [&[u8]; 11] = [
            b"\"",
            b"\n",
            b"\\/",
            b"\\u0041",
            b"\\u000a",
            b"\\u001F",
            b"\\ud83d",
            b"\xed\xa0\x80",
            b"\xc0\x80",
            b"\xf4\x90\x80\x80",
            b"\xc3",
        ];
        for text in texts {
            assert_eq!(count(text), None, "{}", text.escape_ascii());
        }
    }
}
