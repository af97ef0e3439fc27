//! A grammar whose tables are in the pool, and the rows of its matchers.

use std::sync::Arc;

use grammarc_runtime::{Grammar, Matcher};

use crate::driver::Stream;
use crate::error::CudaError;
use crate::image::{self, masks::MaskOffsets};
use crate::layout::{
    FRAMES, MASK_WORDS, NONE, Position, ROW_MASKED, ROW_PARTS, Row, STATUS_FINISHED, STATUS_HOST,
};
use crate::pool::{Pool, ResidentVocabulary, Words};

/// A grammar on a device, with the end tokens of its matchers. A clone is the same grammar. Dropping the last clone
/// frees its words.
#[derive(Clone, Debug)]
pub struct Resident(Arc<Tables>);

#[derive(Debug)]
struct Tables {
    grammar: Grammar,
    end_tokens: Vec<u32>,
    words: Words,
    masks: MaskOffsets,
    /// Offset of the end tokens.
    ends: u32,
    vocabulary: Arc<ResidentVocabulary>,
    pool: Arc<Pool>,
}

/// The mask of a row: parts of the pool, or a mask of its own.
pub(crate) enum Said {
    Parts(Row),
    /// The words of the mask.
    Own(Vec<u32>),
}

impl Resident {
    pub(crate) fn upload(
        pool: &Arc<Pool>,
        matcher: &Matcher,
        stream: Stream,
    ) -> Result<Self, CudaError> {
        let grammar = matcher.grammar().clone();
        if grammar.is_early() {
            return Err(CudaError::Early);
        }
        let end_tokens = matcher.end_tokens().to_vec();
        let (vocabulary, image, masks) = {
            let flat = grammar.flat();
            let vocabulary = pool.vocabulary(&grammar, &flat, stream)?;
            let joined = grammar.artifact().joined();
            let (image, masks) = image::grammar(&flat, &joined, &vocabulary.parts, &end_tokens);
            (vocabulary, image, masks)
        };
        let words = pool.take(image.len())?;
        let image = image.at(words.at);
        pool.write(&words, &image, stream)?;
        let (masks, ends) = (masks.moved(words.at), image[2]);
        let pool = Arc::clone(pool);
        Ok(Self(Arc::new(Tables { grammar, end_tokens, words, masks, ends, vocabulary, pool })))
    }

    /// The grammar.
    pub fn grammar(&self) -> &Grammar {
        &self.0.grammar
    }

    /// Bytes of the grammar's own tables, without those of its vocabulary.
    pub fn bytes(&self) -> u64 {
        u64::from(self.0.words.len) * 4
    }

    /// The offset of the grammar's record.
    pub(crate) fn record(&self) -> u32 {
        self.0.words.at
    }

    /// Checks that a matcher follows this grammar and ends as it was uploaded.
    pub(crate) fn check(&self, matcher: &Matcher) -> Result<(), CudaError> {
        if matcher.grammar().artifact().checksum() != self.0.grammar.artifact().checksum() {
            return Err(CudaError::OtherGrammar);
        }
        if matcher.end_tokens() != self.0.end_tokens {
            return Err(CudaError::OtherEnds);
        }
        Ok(())
    }

    /// The mask of a matcher.
    pub(crate) fn said(&self, matcher: &mut Matcher) -> Result<Said, CudaError> {
        let mask = matcher.mask();
        let offset = |&part: &u32| {
            let own = self.0.masks.record(part);
            own.or_else(|| self.0.vocabulary.parts.masks.record(part))
        };
        if let Some(parts) = mask.stored_parts()
            && parts.len() <= ROW_PARTS
        {
            let ends_len = if mask.has_ends() { self.0.end_tokens.len() as u32 } else { 0 };
            let kind = ROW_MASKED | parts.len() as u32;
            let mut row = Row { kind, ends: self.0.ends, ends_len, parts: [0; ROW_PARTS] };
            for (into, part) in row.parts.iter_mut().zip(parts) {
                *into = offset(part).unwrap_or(NONE);
            }
            return Ok(Said::Parts(row));
        }
        let mut words = vec![0; (mask.width() as usize).div_ceil(32)];
        let short = CudaError::Words { words: words.len() as u32, tokens: mask.width() };
        mask.fill(&mut words).map_err(|_| short)?;
        Ok(Said::Own(words))
    }

    /// Returns the row of a matcher that follows this grammar, and the words of the pool that only this row uses.
    pub(crate) fn row(
        &self,
        matcher: &mut Matcher,
        stream: Stream,
    ) -> Result<(Option<Words>, Row), CudaError> {
        self.check(matcher)?;
        match self.said(matcher)? {
            Said::Parts(row) => Ok((None, row)),
            Said::Own(mask) => {
                let (words, row) = self.own_row(&mask, stream)?;
                Ok((Some(words), row))
            }
        }
    }

    /// Puts a mask of its own into the pool, and returns its words with the row that names it.
    fn own_row(&self, mask: &[u32], stream: Stream) -> Result<(Words, Row), CudaError> {
        let len = mask.len() as u32;
        let words = self.0.pool.take(MASK_WORDS + len)?;
        let count = mask.iter().map(|word| word.count_ones()).sum();
        let row_at = words.at + MASK_WORDS;
        let record = [row_at, row_at, 0, row_at, 0, count, NONE, len];
        self.0.pool.write(&words, &[&record[..], mask].concat(), stream)?;
        let mut row =
            Row { kind: ROW_MASKED | 1, ends: self.0.ends, ends_len: 0, parts: [0; ROW_PARTS] };
        row.parts[0] = words.at;
        Ok((words, row))
    }

    /// The position of a matcher. A position that the device cannot hold waits for the host.
    pub(crate) fn position(&self, matcher: &Matcher) -> Position {
        let mut position = Position {
            grammar: self.record(),
            state: self.0.grammar.artifact().start_state(),
            status: STATUS_HOST,
            ..bytemuck::Zeroable::zeroed()
        };
        // Without end tokens a sequence that is over still has a position, and may end there.
        if matcher.is_finished() && !matcher.is_accepting() {
            position.status = STATUS_FINISHED;
            return position;
        }
        let Some(flat) = matcher.flat_position(FRAMES) else { return position };
        position.state = flat.state;
        position.count = flat.count;
        position.depth = flat.frames.len() as u32;
        position.status = 0;
        for (at, frame) in flat.frames.iter().enumerate() {
            position.ret[at] = frame.ret;
            position.counts[at] = frame.count;
            position.finals |= u32::from(frame.is_final) << at;
            position.rests |= u32::from(frame.rests) << at;
        }
        position
    }
}
