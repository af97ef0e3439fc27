//! The interface of a language model: takes sequences of tokens, returns rows of logits.
//!
//! A model holds the state of many sequences (the keys and values of attention) and advances several of them in one
//! batch. Masks, draws and stops are outside of it.

/// A sequence whose state a model holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Seq(pub u32);

/// The tokens of a feed after which logits are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// No token: more tokens follow in the next feed.
    None,
    /// The last token.
    Last,
    /// All tokens.
    All,
}

impl Rows {
    /// Returns the number of rows of a feed of `tokens` tokens.
    pub fn count(self, tokens: usize) -> usize {
        match self {
            Self::None => 0,
            Self::Last => 1,
            Self::All => tokens,
        }
    }
}

/// Tokens for one sequence.
#[derive(Clone, Copy, Debug)]
pub struct Feed<'t> {
    /// The sequence. It occurs once in a batch.
    pub seq: Seq,
    /// Its next tokens, at least one.
    pub tokens: &'t [u32],
    /// The logits that are wanted.
    pub rows: Rows,
}

/// The size of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelInfo {
    /// Length of a row of logits.
    pub logit_width: u32,
    /// Maximum number of tokens of a sequence.
    pub context: usize,
    /// Maximum number of open sequences.
    pub sequences: usize,
}

/// The rows of one feed.
pub type RowsMut<'l> = std::slice::ChunksExactMut<'l, f32>;

/// Rows of logits, in the order of the feeds and of the tokens within each. The buffer is reused for every batch.
#[derive(Clone, Debug, Default)]
pub struct Logits {
    width: usize,
    values: Vec<f32>,
    /// The first row of each feed, and at the end the number of rows.
    starts: Vec<usize>,
}

impl Logits {
    /// Empties the buffer, for rows of this length.
    pub fn clear(&mut self, width: usize) {
        self.width = width;
        self.values.clear();
        self.starts.clear();
        self.starts.push(0);
    }

    /// Adds the rows of the next feed: a multiple of the row's length, empty for [`Rows::None`].
    ///
    /// # Panics
    ///
    /// If the values are not whole rows.
    pub fn push(&mut self, rows: &[f32]) {
        let width = self.width.max(1);
        assert!(rows.len().is_multiple_of(width), "{} values are no rows of {width}", rows.len());
        self.values.extend_from_slice(rows);
        self.starts.push(self.values.len() / width);
    }

    /// Returns the rows of a feed, by its index in the batch.
    ///
    /// # Panics
    ///
    /// If the batch had no such feed.
    pub fn rows(&mut self, feed: usize) -> impl DoubleEndedIterator<Item = &mut [f32]> {
        let (from, to) = (self.starts[feed], self.starts[feed + 1]);
        let width = self.width.max(1);
        self.values[from * width..to * width].chunks_exact_mut(width)
    }

    /// Returns the rows of all feeds, feed by feed.
    pub fn feeds(&mut self) -> impl Iterator<Item = RowsMut<'_>> {
        let width = self.width.max(1);
        let mut values = &mut self.values[..];
        self.starts.windows(2).map(move |rows| {
            let (of_feed, rest) =
                std::mem::take(&mut values).split_at_mut((rows[1] - rows[0]) * width);
            values = rest;
            of_feed.chunks_exact_mut(width)
        })
    }

    /// Returns the number of logits in all rows.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

/// An error of a model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// All sequences are in use.
    #[error("the model holds {most} sequences already, as many as it can")]
    Sequences {
        /// Maximum number of open sequences.
        most: usize,
    },
    /// A sequence is longer than the model can read.
    #[error("a sequence of {asked} tokens is longer than the model's context of {context}")]
    Context {
        /// Number of tokens of the sequence, those that were fed included.
        asked: usize,
        /// Maximum number of tokens of a sequence.
        context: usize,
    },
    /// A token that the model does not have.
    #[error("token {token} is not among the model's {width}")]
    Token {
        /// The token.
        token: u32,
        /// Length of the row of logits.
        width: u32,
    },
    /// The computation failed.
    #[error("the model failed: {0}")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// A language model with the state of its sequences.
pub trait Model: Send {
    /// Returns the model's size, which never changes.
    fn info(&self) -> ModelInfo;

    /// Opens a sequence without tokens.
    ///
    /// # Errors
    ///
    /// All sequences are in use.
    fn open(&mut self) -> Result<Seq, ModelError>;

    /// Drops all but the first `len` tokens of a sequence.
    fn truncate(&mut self, seq: Seq, len: usize);

    /// Closes a sequence.
    fn close(&mut self, seq: Seq);

    /// Reads the next tokens of some sequences and writes the logits that are asked for, feed by feed.
    ///
    /// # Errors
    ///
    /// The tokens do not fit, or the computation failed. No sequence has changed then.
    fn feed(&mut self, batch: &[Feed<'_>], logits: &mut Logits) -> Result<(), ModelError>;
}
