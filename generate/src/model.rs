//! The interface of a language model: takes sequences of tokens, and returns rows of logits.
//!
//! A model holds the state of many sequences (the keys and values of attention) and advances
//! several of them in one batch. Masking, drawing and stopping happen outside the model.

/// The number of a sequence whose state a model holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Seq(pub u32);

/// Which tokens of a feed need a row of logits after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// No token, because more tokens of the sequence follow in the next feed.
    None,
    /// The last token of the feed.
    Last,
    /// All tokens of the feed.
    All,
}

impl Rows {
    /// Returns the number of logit rows for a feed of `tokens` tokens.
    pub fn count(self, tokens: usize) -> usize {
        match self {
            Self::None => 0,
            Self::Last => 1,
            Self::All => tokens,
        }
    }
}

/// The next tokens of one sequence, for the model to read.
#[derive(Clone, Copy, Debug)]
pub struct Feed<'t> {
    /// The sequence. A batch has at most one feed for each sequence.
    pub seq: Seq,
    /// The next tokens of the sequence, at least one.
    pub tokens: &'t [u32],
    /// Which tokens need a row of logits after them.
    pub rows: Rows,
}

/// The sizes of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelInfo {
    /// Number of logits in a row: one for each token id.
    pub logit_width: u32,
    /// Maximum number of tokens of a sequence.
    pub context: usize,
    /// Maximum number of open sequences.
    pub sequences: usize,
}

/// The logit rows that belong to one feed.
pub type RowsMut<'l> = std::slice::ChunksExactMut<'l, f32>;

/// The logit rows of a batch, ordered by feed and then by token. The buffer is reused for the next
/// batch.
#[derive(Clone, Debug, Default)]
pub struct Logits {
    width: usize,
    values: Vec<f32>,
    /// For each feed, the index of its first row. The last entry is the number of all rows.
    starts: Vec<usize>,
}

impl Logits {
    /// Removes all rows, and sets the length of the following rows to `width`.
    pub fn clear(&mut self, width: usize) {
        self.width = width;
        self.values.clear();
        self.starts.clear();
        self.starts.push(0);
    }

    /// Adds the rows of the next feed, one after the other. Empty for [`Rows::None`].
    ///
    /// # Panics
    ///
    /// If the length of `rows` is not a multiple of the row length.
    pub fn push(&mut self, rows: &[f32]) {
        let width = self.width.max(1);
        assert!(rows.len().is_multiple_of(width), "{} values are no rows of {width}", rows.len());
        self.values.extend_from_slice(rows);
        self.starts.push(self.values.len() / width);
    }

    /// Returns the rows of a feed. `feed` is its index in the batch.
    ///
    /// # Panics
    ///
    /// If the batch had no feed with this index.
    pub fn rows(&mut self, feed: usize) -> impl DoubleEndedIterator<Item = &mut [f32]> {
        let (from, to) = (self.starts[feed], self.starts[feed + 1]);
        let width = self.width.max(1);
        self.values[from * width..to * width].chunks_exact_mut(width)
    }

    /// Returns the rows of each feed, in the order of the batch.
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

    /// Returns the number of logits in all rows together.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

/// The reason why a model cannot open a sequence or read tokens.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The model has no free sequence.
    #[error("the model holds {most} sequences already, as many as it can")]
    Sequences {
        /// Maximum number of open sequences.
        most: usize,
    },
    /// A sequence would exceed the context of the model.
    #[error("a sequence of {asked} tokens is longer than the model's context of {context}")]
    Context {
        /// Number of tokens that the sequence would have, including those that the model has
        /// already read.
        asked: usize,
        /// Maximum number of tokens of a sequence.
        context: usize,
    },
    /// A token id is outside the model's vocabulary.
    #[error("token {token} is not among the model's {width}")]
    Token {
        /// The token id.
        token: u32,
        /// Number of logits in a row. Token ids are below it.
        width: u32,
    },
    /// The computation of the model failed.
    #[error("the model failed: {0}")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// A language model with the state of its sequences.
pub trait Model: Send {
    /// Returns the sizes of the model, which never change.
    fn info(&self) -> ModelInfo;

    /// Opens a sequence that has no tokens yet.
    ///
    /// # Errors
    ///
    /// The model has no free sequence.
    fn open(&mut self) -> Result<Seq, ModelError>;

    /// Removes all tokens of a sequence after the first `len`.
    fn truncate(&mut self, seq: Seq, len: usize);

    /// Closes a sequence and frees its state.
    fn close(&mut self, seq: Seq);

    /// Reads the next tokens of several sequences. Writes the requested rows of logits in the order
    /// of the batch.
    ///
    /// # Errors
    ///
    /// A sequence would exceed the context, a token is unknown, or the computation failed. No
    /// sequence has changed in these cases.
    fn feed(&mut self, batch: &[Feed<'_>], logits: &mut Logits) -> Result<(), ModelError>;
}
