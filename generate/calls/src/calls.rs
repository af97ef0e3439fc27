//! Reads one output: its grammar splits it, and the tools' schemas give the types of arguments.

use grammarc_compiler::frontend::structural_tag;
use grammarc_runtime::{Grammar, Piece, Splitter};
use serde_json::Value;

use crate::arguments::{ArgumentsStage, TagArguments};
use crate::part::{Part, WholeText};
use crate::pieces::PieceReader;

/// Reads one output of a grammar as reasoning, text and tool calls, with arguments as JSON.
///
/// Any output is read. From the first byte on that the grammar does not allow, all is text, and
/// [`left`](Self::left) says where that is. The concatenated arguments of a complete call are one
/// JSON value. The division of the output into tokens or texts only changes where parts are divided.
///
/// Cost: that of [`Splitter`], and linear in the arguments.
#[derive(Debug)]
pub struct Calls {
    splitter: Splitter,
    pieces: PieceReader,
    /// The conversion of arguments. `None` if they are written as JSON.
    arguments: Option<ArgumentsStage>,
    /// Number of bytes of the output that were read.
    read: usize,
    left: Option<usize>,
    /// Index of the call within which the output has left its grammar. `None` if it has not, or was outside calls.
    left_in: Option<u32>,
    /// The text from `left` on.
    rest: WholeText,
}

/// The error for a name that no style of tool calls has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no style of tool calls `{style}`: see the table of styles in docs/grammars")]
pub struct UnknownStyle {
    /// The name of the style that the caller gave.
    pub style: String,
}

impl Calls {
    /// Creates a reader at the start of an output of `grammar`, whose calls are in the notation
    /// `style` and of `tools`, given as OpenAI's objects. Without a style, arguments are returned as
    /// they are written.
    ///
    /// # Errors
    ///
    /// There is no such style.
    pub fn of_style(
        grammar: &Grammar,
        style: Option<&str>,
        tools: &[Value],
    ) -> Result<Self, UnknownStyle> {
        let unknown = style.filter(|style| !structural_tag::is_style(style));
        if let Some(style) = unknown {
            return Err(UnknownStyle { style: style.to_owned() });
        }
        let arguments = style.and_then(|style| TagArguments::new(style, tools));
        Ok(Self::new(grammar, arguments.as_ref()))
    }

    /// Creates a reader at the start of an output of `grammar`. `arguments` is the notation of
    /// arguments with the request's tools. `None` if arguments are written as JSON.
    pub fn new(grammar: &Grammar, arguments: Option<&TagArguments>) -> Self {
        Self {
            splitter: Splitter::new(grammar),
            pieces: PieceReader::default(),
            arguments: arguments.map(TagArguments::stage),
            read: 0,
            left: None,
            left_in: None,
            rest: WholeText::default(),
        }
    }

    /// Reads a token and returns the parts that are certain now. An end token of the vocabulary ends
    /// the output and has no text, unless the grammar contains the token.
    pub fn push(&mut self, token: u32) -> Vec<Part> {
        let grammar = self.splitter.grammar().clone();
        let vocabulary = grammar.vocabulary();
        let bytes = vocabulary.token_bytes(token);
        let ends = vocabulary.end_tokens().contains(&token);
        let mut parts = Vec::new();
        if self.left.is_none() {
            match self.splitter.push(token) {
                Ok(pieces) => {
                    self.take(pieces, &mut parts);
                    if self.splitter.is_finished() {
                        self.end(true, &mut parts);
                    }
                }
                Err(_) if ends => return self.finish(),
                Err(_) => self.leave(0, &mut parts),
            }
        } else if ends {
            return self.finish();
        }
        if self.left.is_some() {
            Part::Text(self.rest.take(bytes)).push(&mut parts);
        }
        self.read += bytes.len();
        parts
    }

    /// Reads text in which special tokens are spelled, as [`Splitter::push_text`] does, and returns
    /// the parts that are certain now. The text may be cut anywhere.
    pub fn push_text(&mut self, text: &[u8]) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut taken = text.len();
        if self.left.is_some() {
            taken = 0;
        } else {
            match self.splitter.push_text(text) {
                Ok(pieces) => self.take(pieces, &mut parts),
                Err(error) => {
                    taken = error.offset();
                    self.leave(taken, &mut parts);
                }
            }
        }
        Part::Text(self.rest.take(&text[taken..])).push(&mut parts);
        self.read += text.len();
        parts
    }

    /// Ends the output, and returns the last parts. If it ends within a call, the arguments of this
    /// call are incomplete. A second call returns no parts.
    pub fn finish(&mut self) -> Vec<Part> {
        let mut parts = Vec::new();
        self.splitter.settle();
        let is_whole = self.splitter.is_accepting() || self.splitter.open_call().is_none();
        let pieces = self.splitter.finish();
        self.take(pieces, &mut parts);
        self.end(is_whole, &mut parts);
        parts
    }

    /// Ends an output that was cut off. Returns the last parts, and drops text that may be the
    /// beginning of a tag. Also returns the index of the incomplete call. A call is incomplete too
    /// if text in it was not allowed by the grammar. The index is `None` if the output ended outside
    /// calls, or if no part of the call was returned.
    pub fn cut(&mut self) -> (Vec<Part>, Option<u32>) {
        let mut parts = Vec::new();
        let (pieces, call) = self.splitter.cut();
        self.take(pieces, &mut parts);
        let call = call.or(self.left_in).filter(|&call| (call as usize) < self.pieces.calls());
        self.end(call.is_none(), &mut parts);
        (parts, call)
    }

    /// Returns the offset in bytes from which on the output is not of the grammar. `None` while it
    /// is.
    pub fn left(&self) -> Option<usize> {
        self.left
    }

    /// Returns the name of the tool of the call with this index. `None` if there is no such call yet.
    pub fn name(&self, call: u32) -> Option<&str> {
        self.splitter.call_name(call)
    }

    /// Returns the name of the called tool for each call so far.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.splitter.calls()
    }

    /// Records that the output does not match the grammar from `at` bytes after the last byte read
    /// on. All text from there on is returned as text. Appends the parts before it to `parts`.
    fn leave(&mut self, at: usize, parts: &mut Vec<Part>) {
        self.left = Some(self.read + at);
        self.splitter.settle();
        self.left_in = self.splitter.open_call().filter(|_| !self.splitter.is_accepting());
        let rest = self.finish();
        parts.extend(rest);
    }

    /// Adds the last parts of what the grammar reads. The arguments of a call that `is_whole` are
    /// closed.
    fn end(&mut self, is_whole: bool, parts: &mut Vec<Part>) {
        let mut last = Vec::new();
        self.pieces.finish(&mut last);
        self.convert(last, parts);
        if let Some(mut arguments) = self.arguments.take().filter(|_| is_whole) {
            arguments.finish(parts);
        }
        Part::Text(self.rest.rest()).push(parts);
    }

    /// Converts new pieces of the splitter (bytes of one kind) to parts (texts of one kind), and
    /// appends them to `parts`.
    fn take(&mut self, pieces: Vec<Piece>, parts: &mut Vec<Part>) {
        let mut new = Vec::new();
        self.pieces.read(&self.splitter, pieces, &mut new);
        self.convert(new, parts);
    }

    /// Converts arguments of calls to JSON, and appends all parts to `parts`.
    fn convert(&mut self, new: Vec<Part>, parts: &mut Vec<Part>) {
        for part in new {
            match &mut self.arguments {
                Some(arguments) => arguments.push(part, parts),
                None => part.push(parts),
            }
        }
    }
}
