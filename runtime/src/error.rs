//! The errors of the runtime, one type for each kind of call.
//!
//! A call that fails does not change the position, with two exceptions. [`AcceptManyError`] and [`BytesError`] leave
//! the input before the refused part accepted, and carry its length.

/// A limit on the memory or the work of a sequence was met. Most limits are [`MatcherOptions`](crate::MatcherOptions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LimitError {
    /// The grammar is ambiguous here: it has more parses of the input than the matcher may follow.
    #[error("more than {limit} configurations are alive at once")]
    Configurations {
        /// Largest number of configurations (parses) of one position.
        limit: usize,
    },
    /// The input nests deeper than the matcher may follow.
    #[error("the stacks of the sequence hold more than {limit} frames")]
    Frames {
        /// Largest number of stack frames of the sequence and its rollback window.
        limit: usize,
    },
    /// The search for an item that differs from all earlier items takes too long. No option changes this limit.
    #[error("no new item was found among {limit} beginnings of items")]
    NewItem {
        /// Largest number of configurations (parses) that one search tries.
        limit: usize,
    },
}

/// A matcher did not accept a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AcceptError {
    /// The grammar does not allow the token at this position.
    #[error("token {token} is not allowed here")]
    Refused {
        /// Id of the refused token.
        token: u32,
    },
    /// The sequence has ended. No token follows an end token.
    #[error("token {token} follows the end of the sequence")]
    Finished {
        /// Id of the token that was given after the end.
        token: u32,
    },
    /// The token id is not less than the logit width.
    #[error("token {token} is outside the logit row of {width}")]
    OutOfRange {
        /// Id of the token that is outside the row.
        token: u32,
        /// Length of the host's logit row, in tokens. Ids must be less than this.
        width: u32,
    },
    /// A limit was met while the token was read.
    #[error(transparent)]
    Limit(#[from] LimitError),
}

/// A matcher did not accept a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AcceptTextError {
    /// The grammar does not allow a byte of the text where it stands.
    #[error("byte {at} of the text is not allowed here")]
    Refused {
        /// Offset of the first byte that is not allowed, in the text.
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

/// One token of a list was not accepted. The tokens before it were accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("after {accepted} accepted tokens: {source}")]
pub struct AcceptManyError {
    /// Number of tokens accepted before the refused one.
    pub accepted: usize,
    /// Error of the first token that was not accepted.
    pub source: AcceptError,
}

/// No short text that ends a sequence was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndingError {
    /// The shortest text to an end is longer than the limit.
    #[error("the shortest ending has {limit} bytes or more")]
    TooLong {
        /// Limit on the ending, in bytes.
        limit: usize,
    },
    /// No sequence of tokens leads to an end of the text. Reasons: the vocabulary cannot spell an ending, every ending
    /// repeats an item that must be unique, or a limit of the matcher was met.
    #[error("no tokens were found that lead to an end")]
    NotFound,
}

/// A rollback asked for more tokens than the matcher keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{asked} tokens cannot be taken back, the matcher keeps {kept}")]
pub struct RollbackError {
    /// Number of tokens that the call asked to take back.
    pub asked: usize,
    /// Number of tokens that can be taken back.
    pub kept: usize,
}

/// The options do not fit the vocabulary, or a limit is out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionsError {
    /// The logit width of the options is less than that of the vocabulary.
    #[error("a logit width of {given} is less than the {vocabulary} of the vocabulary")]
    LogitWidth {
        /// Logit width in the options, in tokens.
        given: u32,
        /// Least width that has room for every token of the vocabulary.
        vocabulary: u32,
    },
    /// An end token is outside the logit row.
    #[error("end token {token} is outside the logit row of {width}")]
    EndToken {
        /// Id of the end token.
        token: u32,
        /// Length of the host's logit row, in tokens. Ids must be less than this.
        width: u32,
    },
    /// A limit is outside its range. It must admit one configuration, and fit into 32-bit ids.
    #[error("{name} must lie in {least}..={most}, not {given}")]
    Limit {
        /// Name of the option whose value is out of range.
        name: &'static str,
        /// Least value of the option.
        least: usize,
        /// Largest value of the option.
        most: usize,
        /// Value of the option that was given.
        given: usize,
    },
}

/// The length of a buffer does not fit the logit width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the buffer holds {found} {unit}, the logit width needs {needed}")]
pub struct BufferError {
    /// The unit of the lengths: "words" or "logits".
    pub unit: &'static str,
    /// Length of the buffer, in `unit`.
    pub found: usize,
    /// Length that the logit width needs, in `unit`.
    pub needed: usize,
}

/// The arguments of a batch call do not fit each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The length of the array is not a multiple of the row length.
    #[error("{len} elements are not a whole number of rows of {row_len}")]
    Length {
        /// Number of elements of the array: mask words or logits.
        len: usize,
        /// Number of elements of a row: mask words or logits.
        row_len: usize,
    },
    /// The list of matchers names a row beyond the array.
    #[error("row {row} is not among the {rows} rows")]
    Row {
        /// Index of the row that the list names.
        row: usize,
        /// Number of rows of the array. Indices must be less than this.
        rows: usize,
    },
    /// The list of matchers is not in ascending order of rows, or names a row twice.
    #[error("row {row} is not listed in ascending order")]
    Order {
        /// Index of the first row that is out of order.
        row: usize,
    },
    /// The length of a row does not fit the logit width of its matcher.
    #[error("row {row}: {source}")]
    Buffer {
        /// Index of the row that does not fit.
        row: usize,
        /// Length of the row, and the length that the matcher needs.
        source: BufferError,
    },
    /// The lists of tokens and parents are no tree: they differ in length, or a parent does not come before its node.
    #[error("node {node} has no parent before it, or no token")]
    Tree {
        /// Index of the first node that is wrong.
        node: usize,
    },
}

/// No token could be drawn from a row of logits.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SampleError {
    /// The length of the row of logits is not the logit width.
    #[error(transparent)]
    Buffer(#[from] BufferError),
    /// The temperature is negative, infinite or not a number.
    #[error("a temperature of {given} is not in 0.0..={}", f32::MAX)]
    Temperature {
        /// Temperature that was given.
        given: f32,
    },
    /// The random number for the draw is outside `0.0..1.0`.
    #[error("the random number {given} is not in 0.0..1.0")]
    Uniform {
        /// Random number that was given.
        given: f64,
    },
}

/// The share of the softmax that a mask allows could not be computed.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MassError {
    /// The length of the row of logits is not the logit width.
    #[error(transparent)]
    Buffer(#[from] BufferError),
    /// The log-sum-exp of the row is infinite or not a number.
    #[error("a log-sum-exp of {given} is not a finite number")]
    LogSum {
        /// Log-sum-exp that was given.
        given: f64,
    },
}

/// The bytes are not a position that was exported under this grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The bytes are shorter than a header, or do not begin with its magic number.
    #[error("not an exported position")]
    Magic,
    /// The bytes have another version of the layout than this runtime reads.
    #[error("layout version {found}, this runtime reads {}", crate::position::version::VERSION)]
    Version {
        /// Version of the layout in the header.
        found: u16,
    },
    /// The position belongs to another grammar or vocabulary.
    #[error("the position belongs to another grammar")]
    Grammar,
    /// The number of bytes does not match the counts in the header.
    #[error("{found} bytes, the header asks for {expected}")]
    Length {
        /// Length of the given bytes.
        found: usize,
        /// Number of bytes that the counts in the header require.
        expected: u64,
    },
    /// A record is not one that an export writes: its ids are out of range, or it is out of order.
    #[error("{part} {at} is not one that an export writes")]
    Malformed {
        /// Kind of the record: "frame", "configuration" or "list".
        part: &'static str,
        /// Index of the record among those of its kind.
        at: usize,
    },
    /// The position is larger than the options of this matcher allow.
    #[error(transparent)]
    Limit(#[from] LimitError),
}

/// A byte was not accepted by a [`ByteMatcher`](crate::ByteMatcher). The bytes before it were accepted.
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
        /// Limit of the matcher that was met.
        limit: LimitError,
    },
}

impl BytesError {
    /// Returns the offset of the byte that was not read, in the given slice.
    pub fn offset(self) -> usize {
        let (Self::Refused { at } | Self::Limit { at, .. }) = self;
        at
    }
}

/// The grammar cannot give its masks to an unmasked grammar: its network of rules or its vocabulary differs, or it is
/// itself unmasked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the grammar is not the one whose masks were still computed")]
pub struct NotCompletion;
