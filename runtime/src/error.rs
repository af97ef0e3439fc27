//! The errors of the runtime, one type for each kind of call.
//!
//! A call that fails does not change the position, with two exceptions. With [`AcceptManyError`] and [`BytesError`] all input
//! before the refused part was accepted, and the error has its length.

/// A limit of [`MatcherOptions`](crate::MatcherOptions) was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LimitError {
    /// The grammar has more parses here than the matcher may follow.
    #[error("more than {limit} configurations are alive at once")]
    Configurations {
        /// The limit.
        limit: usize,
    },
    /// The input nests deeper than the matcher may follow.
    #[error("the stacks of the sequence hold more than {limit} frames")]
    Frames {
        /// The limit.
        limit: usize,
    },
    /// The search for an item that differs from all earlier ones takes too long. No option changes this limit.
    #[error("no new item was found among {limit} beginnings of items")]
    NewItem {
        /// The limit.
        limit: usize,
    },
}

/// A token was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AcceptError {
    /// The grammar does not allow the token here.
    #[error("token {token} is not allowed here")]
    Refused {
        /// The token.
        token: u32,
    },
    /// The sequence has ended. No token follows an end token.
    #[error("token {token} follows the end of the sequence")]
    Finished {
        /// The token.
        token: u32,
    },
    /// The id is outside the logit row.
    #[error("token {token} is outside the logit row of {width}")]
    OutOfRange {
        /// The token.
        token: u32,
        /// The host's logit width.
        width: u32,
    },
    /// A limit was met while the token was read.
    #[error(transparent)]
    Limit(#[from] LimitError),
}

/// A text was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AcceptTextError {
    /// The grammar does not allow a byte of the text where it stands.
    #[error("byte {at} of the text is not allowed here")]
    Refused {
        /// Offset of the byte in the text.
        at: usize,
    },
    /// The grammar allows the text, but no token of the vocabulary spells a continuation.
    #[error("the text is allowed, but no token of the vocabulary can follow it")]
    NoToken,
    /// The sequence has ended. No token follows an end token.
    #[error("the text follows the end of the sequence")]
    Finished,
    /// A limit was met while the text was read.
    #[error(transparent)]
    Limit(#[from] LimitError),
}

/// A token of several was not accepted. The tokens before it were accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("after {accepted} accepted tokens: {source}")]
pub struct AcceptManyError {
    /// Number of accepted tokens.
    pub accepted: usize,
    /// The error of the next token.
    pub source: AcceptError,
}

/// No ending was found for a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndingError {
    /// The shortest text to an end is longer than the limit.
    #[error("the shortest ending has {limit} bytes or more")]
    TooLong {
        /// The limit, in bytes.
        limit: usize,
    },
    /// No sequence of tokens leads to an end of the text. The vocabulary cannot spell one, unique items rule it out, or a limit
    /// of the matcher was met.
    #[error("no tokens were found that lead to an end")]
    NotFound,
}

/// A rollback asked for more tokens than the matcher keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{asked} tokens cannot be taken back, the matcher keeps {kept}")]
pub struct RollbackError {
    /// Tokens to take back.
    pub asked: usize,
    /// Tokens that can be taken back.
    pub kept: usize,
}

/// The options do not fit the vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionsError {
    /// The host's logit row has no room for every token.
    #[error("a logit width of {given} is less than the {vocabulary} of the vocabulary")]
    LogitWidth {
        /// The width given.
        given: u32,
        /// The vocabulary's width.
        vocabulary: u32,
    },
    /// An end token is outside the logit row.
    #[error("end token {token} is outside the logit row of {width}")]
    EndToken {
        /// The token.
        token: u32,
        /// The host's logit width.
        width: u32,
    },
    /// A limit leaves no room for one configuration, or is more than ids can number.
    #[error("{name} must lie in {least}..={most}, not {given}")]
    Limit {
        /// Name of the option.
        name: &'static str,
        /// Least value.
        least: usize,
        /// Largest value.
        most: usize,
        /// The value given.
        given: usize,
    },
}

/// A buffer does not fit the logit width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the buffer holds {found} {unit}, the logit width needs {needed}")]
pub struct BufferError {
    /// The unit of the lengths: "words" or "logits".
    pub unit: &'static str,
    /// Length of the buffer.
    pub found: usize,
    /// Length that the logit width needs.
    pub needed: usize,
}

/// A batch does not fit its matchers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The array is not a whole number of rows.
    #[error("{len} elements are not a whole number of rows of {row_len}")]
    Length {
        /// Length of the array.
        len: usize,
        /// Length of a row.
        row_len: usize,
    },
    /// The list names a missing row.
    #[error("row {row} is not among the {rows} rows")]
    Row {
        /// The row.
        row: usize,
        /// Number of rows.
        rows: usize,
    },
    /// The list is not in ascending order, or names a row twice.
    #[error("row {row} is not listed in ascending order")]
    Order {
        /// The row.
        row: usize,
    },
    /// A row does not fit its matcher.
    #[error("row {row}: {source}")]
    Buffer {
        /// The row.
        row: usize,
        /// The mismatch of the buffer.
        source: BufferError,
    },
}

/// A token could not be drawn.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SampleError {
    /// The row does not have the logit width.
    #[error(transparent)]
    Buffer(#[from] BufferError),
    /// The temperature is negative, infinite or not a number.
    #[error("a temperature of {given} is not in 0.0..={}", f32::MAX)]
    Temperature {
        /// The temperature given.
        given: f32,
    },
    /// The random number is outside its interval.
    #[error("the random number {given} is not in 0.0..1.0")]
    Uniform {
        /// The number given.
        given: f64,
    },
}

/// Bytes are not a position of this grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The bytes do not begin as an exported position does.
    #[error("not an exported position")]
    Magic,
    /// The bytes have another version of the layout.
    #[error("layout version {found}, this runtime reads {}", crate::position::version::VERSION)]
    Version {
        /// The version found.
        found: u16,
    },
    /// The position belongs to another grammar or vocabulary.
    #[error("the position belongs to another grammar")]
    Grammar,
    /// The length does not match the counts in the header.
    #[error("{found} bytes, the header asks for {expected}")]
    Length {
        /// Length found.
        found: usize,
        /// Length by the counts.
        expected: u64,
    },
    /// A frame or a configuration is not one that an export writes.
    #[error("{part} {at} is not one that an export writes")]
    Malformed {
        /// "frame", "configuration" or "list".
        part: &'static str,
        /// Its index.
        at: usize,
    },
    /// The position is larger than the options of this matcher allow.
    #[error(transparent)]
    Limit(#[from] LimitError),
}

/// Bytes were not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BytesError {
    /// The grammar does not allow the byte at this offset. The bytes before it were accepted.
    #[error("byte {at} is not allowed here")]
    Refused {
        /// Offset of the byte in the given slice.
        at: usize,
    },
    /// A limit was met at the byte at this offset. The bytes before it were accepted.
    #[error("byte {at}: {limit}")]
    Limit {
        /// Offset of the byte in the given slice.
        at: usize,
        /// The limit.
        limit: LimitError,
    },
}

/// A grammar cannot give its masks to an unmasked one, because it has another network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the grammar is not the one whose masks were still computed")]
pub struct NotCompletion;
