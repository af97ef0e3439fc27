//! The whitespace that a text form allows between the tokens of a document.
//!
//! A model that may write endless whitespace can loop in it, so every form bounds it. Indentation bounds the depth of
//! containers as well: lines indented by an unbounded depth are not a context-free language. A grammar therefore has
//! separate rules for each depth, and the form gives the number of depths.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Default bound on runs of whitespace in the flexible form, in characters: a line end and nine levels of two spaces.
const FLEXIBLE: u32 = 19;

/// Which whitespace is accepted between the tokens of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Whitespace {
    /// No whitespace between tokens.
    Compact,
    /// One space after each `,` and `:` between tokens, and nowhere else: what Python's `json.dumps` writes.
    Spaced,
    /// At most one space after each `,` and `:` between tokens, and nowhere else.
    #[default]
    Natural,
    /// The given texts in place of each `,` and `:` between tokens, and no whitespace elsewhere.
    Fixed {
        /// The text between two items and between two members: a comma, with whitespace around it if desired.
        item: Separator,
        /// The text between a key and its value: a colon, with whitespace around it if desired.
        key: Separator,
    },
    /// Each item and each member on its own line, as pretty printers write. `": "` follows a key, and empty containers
    /// have no whitespace.
    Indented(Indentation),
    /// One of [`Compact`](Self::Compact), [`Spaced`](Self::Spaced) and [`Indented`](Self::Indented) for the whole
    /// document. The first difference between their texts determines which.
    Styled(Indentation),
    /// Runs of up to `max` of space, tab, line feed and carriage return wherever JSON allows whitespace.
    Flexible {
        /// Most characters of one run of whitespace.
        max: u32,
    },
}

impl Whitespace {
    /// Sets the greatest number of nested arrays and objects. Returns `false`, without effect, if the form has no such
    /// bound.
    pub fn set_levels(&mut self, most: u8) -> bool {
        match self {
            Self::Indented(indentation) | Self::Styled(indentation) => {
                indentation.levels = most;
                true
            }
            _ => false,
        }
    }

    /// Returns the greatest number of nested arrays and objects, or `None` if the form does not bound it.
    pub(crate) fn levels(self) -> Option<u8> {
        match self {
            Self::Indented(indentation) | Self::Styled(indentation) => Some(indentation.levels),
            _ => None,
        }
    }
}

/// The reason why a text does not name a form of whitespace.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum WhitespaceError {
    /// The name of the form of whitespace is unknown.
    #[error("expected natural, compact, spaced, indented, styled or flexible")]
    Form,
    /// The number of spaces for each level of indentation is not from 0 to 255.
    #[error("a level has 0 to 255 spaces, as in {form}:2")]
    Spaces {
        /// The name of the form of whitespace.
        form: String,
    },
    /// The bound on runs of whitespace is not a number.
    #[error("the bound is a number after a colon, as in flexible:8")]
    Bound,
}

/// Parses a name with an optional number after a colon: `natural`, `compact`, `spaced`, `indented[:SPACES]`,
/// `styled[:SPACES]`, `flexible[:LONGEST]`. The defaults are 2 spaces for each level, and runs of 19 characters.
impl FromStr for Whitespace {
    type Err = WhitespaceError;

    fn from_str(text: &str) -> Result<Self, WhitespaceError> {
        let (form, number) = match text.split_once(':') {
            Some((form, number)) => (form, Some(number)),
            None => (text, None),
        };
        let indentation = || {
            let Some(number) = number else { return Ok(Indentation::DEFAULT) };
            let spaces = number.parse();
            let spaces = spaces.map_err(|_| WhitespaceError::Spaces { form: form.to_owned() })?;
            Ok::<_, WhitespaceError>(Indentation { spaces, ..Indentation::DEFAULT })
        };
        match (form, number) {
            ("natural", None) => Ok(Self::Natural),
            ("compact", None) => Ok(Self::Compact),
            ("spaced", None) => Ok(Self::Spaced),
            ("indented", _) => Ok(Self::Indented(indentation()?)),
            ("styled", _) => Ok(Self::Styled(indentation()?)),
            ("flexible", None) => Ok(Self::Flexible { max: FLEXIBLE }),
            ("flexible", Some(number)) => {
                let max = number.parse().map_err(|_| WhitespaceError::Bound)?;
                Ok(Self::Flexible { max })
            }
            _ => Err(WhitespaceError::Form),
        }
    }
}

/// Writes the name that `from_str` reads. Fixed separators have no such name; their texts are written instead.
impl fmt::Display for Whitespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Natural => f.write_str("natural"),
            Self::Compact => f.write_str("compact"),
            Self::Spaced => f.write_str("spaced"),
            Self::Fixed { item, key } => {
                let [item, key] = [item, key].map(|one| String::from_utf8_lossy(one.as_bytes()));
                write!(f, "separators {item:?} {key:?}")
            }
            Self::Indented(indentation) => write!(f, "indented:{}", indentation.spaces),
            Self::Styled(indentation) => write!(f, "styled:{}", indentation.spaces),
            Self::Flexible { max } => write!(f, "flexible:{max}"),
        }
    }
}

/// How the lines of an indented document are indented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Indentation {
    /// Number of spaces for each level of nested arrays and objects.
    pub spaces: u8,
    /// Greatest number of nested arrays and objects. Arrays and objects at a deeper level are empty, whatever their
    /// schema. Each level takes its own rules.
    pub levels: u8,
}

impl Indentation {
    /// The default indentation: two spaces for each level, and [`LEVELS`](Self::LEVELS) levels.
    pub const DEFAULT: Self = Self { spaces: 2, levels: Self::LEVELS };

    /// The default greatest number of nested arrays and objects in indented documents.
    pub const LEVELS: u8 = 32;
}

impl Default for Indentation {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// A `,` or `:` with whitespace around it, as one text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Separator {
    /// The bytes of the text, padded with zeros.
    bytes: [u8; Self::LONGEST],
    /// Number of bytes of the separator's text.
    length: u8,
}

/// The reason why a text is not accepted as a separator of a JSON document.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SeparatorError {
    /// The text is not the required character with only whitespace around it.
    #[error(
        "{text:?} is not one `{mark}` with only spaces, tabs, line feeds and carriage returns around it"
    )]
    Text {
        /// The text that was given.
        text: String,
        /// The required character: `,` or `:`.
        mark: char,
    },
    /// The text is longer than [`Separator::LONGEST`].
    #[error("a separator has {} bytes at most, and this one {length}", Separator::LONGEST)]
    Length {
        /// The length of the text in bytes.
        length: usize,
    },
}

impl Separator {
    /// Most bytes of a separator, including its whitespace.
    pub const LONGEST: usize = 32;

    /// Returns the separator between two items and between two members: a `,` with whitespace around it.
    ///
    /// # Errors
    ///
    /// [`SeparatorError`] if the text is anything else, or too long.
    pub fn item(text: &str) -> Result<Self, SeparatorError> {
        Self::around(text, ',')
    }

    /// Returns the separator between a key and its value: a `:` with whitespace around it.
    ///
    /// # Errors
    ///
    /// [`SeparatorError`] if the text is anything else, or too long.
    pub fn key(text: &str) -> Result<Self, SeparatorError> {
        Self::around(text, ':')
    }

    /// Returns a separator if the text is the character `mark` with only whitespace around it.
    fn around(text: &str, mark: char) -> Result<Self, SeparatorError> {
        let is_space = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r');
        if text.trim_matches(is_space) != mark.to_string() {
            return Err(SeparatorError::Text { text: text.to_owned(), mark });
        }
        let mut bytes = [0; Self::LONGEST];
        let length = text.len();
        let room = bytes.get_mut(..length).ok_or(SeparatorError::Length { length })?;
        room.copy_from_slice(text.as_bytes());
        Ok(Self { bytes, length: length as u8 })
    }

    /// Returns the bytes of the separator: a `,` or `:` with whitespace around it.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_one_mark_and_whitespace() {
        assert_eq!(
            Separator::item(" ,\n\t").map(|s| s.as_bytes().to_vec()),
            Ok(b" ,\n\t".to_vec())
        );
        assert_eq!(Separator::key(":").map(|s| s.as_bytes().to_vec()), Ok(b":".to_vec()));
        for text in ["", " ", ",,", ", ,", ":", "x,", ",\u{a0}", ",\u{c}"] {
            let error = SeparatorError::Text { text: text.to_owned(), mark: ',' };
            assert_eq!(Separator::item(text), Err(error));
        }
        let long = format!(":{}", " ".repeat(Separator::LONGEST));
        assert_eq!(Separator::key(&long), Err(SeparatorError::Length { length: long.len() }));
        assert!(Separator::key(&long[..Separator::LONGEST]).is_ok());
    }

    #[test]
    fn whitespace_is_read_and_written() {
        let forms =
            ["natural", "compact", "spaced", "indented:0", "styled:4", "flexible:0", "flexible:8"];
        for text in forms {
            assert_eq!(text.parse().map(|form: Whitespace| form.to_string()), Ok(text.to_owned()));
        }
        assert_eq!("flexible".parse(), Ok(Whitespace::Flexible { max: FLEXIBLE }));
        assert_eq!("indented".parse(), Ok(Whitespace::Indented(Indentation::DEFAULT)));
        let wrong = [
            "",
            "loose",
            "flexible:",
            "flexible8",
            "flexible:-1",
            "flexible: 8",
            "indented:256",
            "styled:",
            "compact:1",
            "natural:",
        ];
        for text in wrong {
            assert!(text.parse::<Whitespace>().is_err(), "{text:?}");
        }
    }
}
