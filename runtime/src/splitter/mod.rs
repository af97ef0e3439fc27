//! Splitting an output into what it was made of: reasoning, text, calls of tools with their names and arguments.
//!
//! ```text
//! tokens or bytes -> threads: ways to read them, each in the scope of a region
//!                 -> pending: layers on which the ways agree are decided
//!                 -> cut:     free text up to its markers, markup, content
//! ```
//!
//! The grammar that constrains an output also splits it: its [regions](Region) are rules, so nothing is searched for in
//! the text. Pieces of an output that a grammar reads in several ways come when the ways that are left agree, and the
//! first way stays where they never do.
//!
//! Cost: that of a byte in each of its configurations, without tables beside the artifact's; linear in the output where
//! the grammar reads it in one way.

mod cut;
pub(crate) mod markers;
mod pending;
mod scopes;
mod threads;

use grammarc_artifacts::Region;

use crate::error::{AcceptError, BytesError};
use crate::grammar::Grammar;
use crate::options::Settings;

pub use self::cut::Piece;
use self::cut::{Cutter, Regions};
use self::threads::Threads;

/// Bytes that are read before those that are decided become pieces.
const BLOCK: usize = 256;

/// Splits one output of a grammar as it comes.
///
/// A piece is handed out once it is certain, so text that may yet turn out to be the beginning of a tag is held back. The
/// bytes of all pieces in a row are the output, with the texts of special tokens; how it was cut into tokens, or into calls of
/// [`push_bytes`](Self::push_bytes), changes nothing but where pieces of one part end.
#[derive(Debug)]
pub struct Splitter {
    grammar: Grammar,
    settings: Settings,
    threads: Threads,
    cutter: Cutter,
    is_finished: bool,
}

impl Splitter {
    /// A splitter at the start of an output.
    pub fn new(grammar: &Grammar) -> Self {
        let settings = Settings::default_for(grammar);
        let threads = Threads::new(grammar, settings.limits);
        let grammar = grammar.clone();
        Self { grammar, settings, threads, cutter: Cutter::new(), is_finished: false }
    }

    /// Reads a token and returns the pieces that are certain now. An end token that the grammar does not take finishes the
    /// output where it may end.
    ///
    /// # Errors
    ///
    /// The token is not allowed here, or a limit was met; the splitter is as it was.
    pub fn push(&mut self, token: u32) -> Result<Vec<Piece>, AcceptError> {
        let width = self.settings.width;
        if token >= width {
            return Err(AcceptError::OutOfRange { token, width });
        }
        if self.is_finished {
            return Err(AcceptError::Finished { token });
        }
        let vocabulary = self.grammar.vocabulary();
        let text = vocabulary.text(token);
        let bytes = text.bytes(vocabulary.artifact(), token);
        if self.threads.read_token(&self.grammar, token, bytes)? {
            self.decide();
            return Ok(self.take());
        }
        let ends = self.settings.end_tokens.binary_search(&token).is_ok();
        if ends && self.is_accepting() {
            return Ok(self.finish());
        }
        Err(AcceptError::Refused { token })
    }

    /// Reads bytes and returns the pieces that are certain now. Special tokens are no bytes: they are [pushed](Self::push).
    ///
    /// # Errors
    ///
    /// A byte is not allowed or met a limit, or the output is finished; the bytes before it were read, and their pieces
    /// come with the next ones.
    pub fn push_bytes(&mut self, bytes: &[u8]) -> Result<Vec<Piece>, BytesError> {
        if self.is_finished && !bytes.is_empty() {
            return Err(BytesError::Refused { at: 0 });
        }
        for (at, &byte) in bytes.iter().enumerate() {
            match self.threads.read_byte(&self.grammar, byte) {
                Ok(true) => {}
                Ok(false) => return Err(BytesError::Refused { at }),
                Err(limit) => return Err(BytesError::Limit { at, limit }),
            }
            if at % BLOCK == BLOCK - 1 {
                self.decide();
            }
        }
        self.decide();
        Ok(self.take())
    }

    /// Ends the output and returns the last pieces. If the output may not end here, because it was cut off, the text that
    /// was held back is of the part that it stands in.
    pub fn finish(&mut self) -> Vec<Piece> {
        if !self.is_finished {
            let ending = self.threads.ending(&self.grammar);
            self.threads.all = ending.or(self.threads.all.first().copied()).into_iter().collect();
            self.decide();
            self.cutter.finish(regions(&self.grammar), &mut self.threads.scopes);
            self.is_finished = true;
        }
        self.take()
    }

    /// Ends an output that was cut off, as [`finish`](Self::finish) does, but drops text at the end that may begin a call or
    /// another tag. Returns the last pieces, and the index of the call that the end has left incomplete.
    pub fn cut(&mut self) -> (Vec<Piece>, Option<u32>) {
        let Threads { all, scopes, .. } = &self.threads;
        let in_calls = all.iter().all(|thread| scopes.is_in_call(thread.scope));
        if !in_calls || self.is_finished || self.is_accepting() {
            self.cutter.drop_held();
            return (self.finish(), None);
        }
        self.is_finished = true;
        let call = match &self.threads.all[..] {
            [thread] => self.threads.scopes.known_call(thread.scope),
            // Which tool is called was not certain yet.
            _ => None,
        };
        (self.take(), call)
    }

    /// Whether the output may end here.
    pub fn is_accepting(&self) -> bool {
        !self.is_finished && self.threads.ending(&self.grammar).is_some()
    }

    /// Whether the output has ended.
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// The grammar.
    pub fn grammar(&self) -> &Grammar {
        &self.grammar
    }

    /// The regions of the grammar, by number; none where its source has no parts to tell apart. All is markup then.
    pub fn regions(&self) -> &[Region] {
        &self.grammar.artifact().meta().regions
    }

    /// The names of the tools that were called so far, by the index of the call.
    pub fn calls(&self) -> impl ExactSizeIterator<Item = &str> {
        let calls = self.threads.scopes.calls().iter();
        calls.map(|&region| &*self.regions()[region as usize].label)
    }

    /// Hands what is certain to the cutter.
    fn decide(&mut self) {
        let Self { grammar, threads, cutter, .. } = self;
        let Threads { all, scopes, pending, .. } = threads;
        let regions = regions(grammar);
        let tips = all.iter_mut().map(|thread| &mut thread.node);
        pending.decide(tips, |node, bytes| {
            cutter.read(regions, scopes, node.scope, node.symbol, bytes);
        });
        threads.collect([&mut cutter.scope, &mut cutter.last]);
    }

    fn take(&mut self) -> Vec<Piece> {
        std::mem::take(&mut self.cutter.pieces)
    }
}

fn regions(grammar: &Grammar) -> Regions<'_> {
    Regions { regions: &grammar.artifact().meta().regions, markers: grammar.markers() }
}
