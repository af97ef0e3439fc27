//! Splits texts into chunks, at whose boundaries a substring begins and ends.

use serde::Deserialize;

/// The unit into which a text is split.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Words, runs of white space, and runs of other characters. A word consists of letters, digits and `_`, by
    /// Unicode.
    #[default]
    Words,
    /// Characters (Unicode scalar values).
    Chars,
}

impl Unit {
    /// Splits a text into its units, in order. Cost: O(length of the text).
    pub fn chunks(self, text: &str) -> Vec<&str> {
        match self {
            Self::Words => words(text),
            Self::Chars => text.split_inclusive(|_: char| true).collect(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    White,
    Word,
    Other,
}

fn kind(character: char) -> Kind {
    match character {
        _ if character.is_whitespace() => Kind::White,
        '_' => Kind::Word,
        _ if character.is_alphanumeric() => Kind::Word,
        _ => Kind::Other,
    }
}

fn words(text: &str) -> Vec<&str> {
    let mut chunks = Vec::new();
    let (mut start, mut last) = (0, None);
    for (at, character) in text.char_indices() {
        let kind = kind(character);
        if last.is_some_and(|last| last != kind) {
            chunks.push(&text[start..at]);
            start = at;
        }
        last = Some(kind);
    }
    if start < text.len() {
        chunks.push(&text[start..]);
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_in_units() {
        for (text, expected) in [
            ("", &[][..]),
            ("foo bar. baz", &["foo", " ", "bar", ".", " ", "baz"]),
            (" \n a_1-é!?", &[" \n ", "a_1", "-", "é", "!?"]),
            ("빠른 개", &["빠른", " ", "개"]),
        ] {
            assert_eq!(Unit::Words.chunks(text), expected, "{text:?}");
        }
        assert_eq!(Unit::Chars.chunks("aé😀"), ["a", "é", "😀"]);
        assert_eq!(Unit::Chars.chunks(""), [""; 0]);
    }
}
