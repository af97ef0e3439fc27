//! Converts the log of an output to parts: text in whole characters, tool calls, and reasoning.
//!
//! ```text
//! log up to a place ─► reasoning, until its closing tag ─► splitter, where the grammar has regions ─► parts
//! ```

use grammarc_calls::part::{WholeText, is_beginning, whole_characters};
use grammarc_calls::{Part, PieceReader};
use grammarc_runtime::{Grammar, Piece, Splitter, Vocabulary};
use memchr::memmem;

use super::log::{Log, Place};

/// Converts the log of one output to parts.
#[derive(Debug)]
pub(super) struct Sender {
    sent: Place,
    reasoning: Option<ReasoningPart>,
    splitter: Option<Splitter>,
    /// Whether white space is dropped, because it follows the closing tag of the reasoning.
    skips_space: bool,
    pieces: PieceReader,
    /// The text, if there is no splitter.
    text: WholeText,
}

/// The reasoning at the start of an output.
#[derive(Debug)]
struct ReasoningPart {
    /// The opening tag that is still expected. Empty if it was read or is in the prompt.
    open: Vec<u8>,
    close: Vec<u8>,
    read: Vec<u8>,
    /// Number of bytes of `read` that were already sent as events.
    sent: usize,
}

impl Sender {
    /// Creates a sender. `splits` is the grammar of the output after the reasoning, if it
    /// distinguishes regions such as tool calls. `tags` are the opening and closing tag of the
    /// reasoning. The opening tag is empty if it is in the prompt.
    pub(super) fn new(splits: Option<&Grammar>, tags: Option<(&str, &str)>) -> Self {
        let reasoning = tags.map(|(open, close)| ReasoningPart {
            open: open.as_bytes().to_vec(),
            close: close.as_bytes().to_vec(),
            read: Vec::new(),
            sent: 0,
        });
        Self {
            sent: Place::default(),
            reasoning,
            splitter: splits.map(Splitter::new),
            skips_space: tags.is_some(),
            pieces: PieceReader::default(),
            text: WholeText::default(),
        }
    }

    /// Whether the output is still within the reasoning: its closing tag was not read.
    pub(super) fn is_reasoning(&self) -> bool {
        self.reasoning.is_some()
    }

    /// Adds the parts of the output before `to` that were not sent yet.
    pub(super) fn send(
        &mut self,
        log: &Log,
        to: Place,
        vocabulary: &Vocabulary,
        parts: &mut Vec<Part>,
    ) {
        while self.sent < to {
            let special = log.specials_from(self.sent.specials).first().copied();
            let end = special.map_or(to.bytes, |(at, _)| at.min(to.bytes));
            let bytes = &log.bytes()[self.sent.bytes..end];
            self.sent.bytes = end;
            self.bytes(bytes, parts);
            match special {
                Some((at, token)) if at == end && self.sent.specials < to.specials => {
                    self.sent.specials += 1;
                    self.special(token, vocabulary, parts);
                }
                _ => break,
            }
        }
    }

    /// Sends the text that was held back as a possible start of a tag, at the end of the output. If
    /// `is_cut`, returns the index of the tool call that is incomplete. `None` if there is none.
    pub(super) fn finish(&mut self, is_cut: bool, parts: &mut Vec<Part>) -> Option<u32> {
        let mut cut_call = None;
        if let Some(part) = self.reasoning.take() {
            let from = if part.open.is_empty() { part.sent } else { 0 };
            let rest = whole_characters(&part.read[from..]);
            Part::Reasoning(rest).push(parts);
        }
        if let Some(splitter) = &mut self.splitter {
            let (pieces, call) = match is_cut {
                true => splitter.cut(),
                false => (splitter.finish(), None),
            };
            cut_call = call;
            self.pieces(pieces, parts);
        }
        Part::Text(self.text.rest()).push(parts);
        self.pieces.finish(parts);
        // An incomplete call whose start was not sent is not reported.
        cut_call.filter(|&index| (index as usize) < self.pieces.calls())
    }

    fn bytes(&mut self, bytes: &[u8], parts: &mut Vec<Part>) {
        if bytes.is_empty() {
            return;
        }
        match &mut self.reasoning {
            Some(part) => {
                part.read.extend_from_slice(bytes);
                self.reason(parts);
            }
            None => self.output(bytes, parts),
        }
    }

    fn special(&mut self, token: u32, vocabulary: &Vocabulary, parts: &mut Vec<Part>) {
        if let Some(part) = &mut self.reasoning {
            part.read.extend_from_slice(vocabulary.token_bytes(token));
            self.reason(parts);
        } else if let Some(splitter) = &mut self.splitter {
            self.skips_space = false;
            // The grammar has accepted the token, so the splitter accepts it too. If the splitter
            // exceeds a limit, the token is left out.
            let pieces = splitter.push(token).unwrap_or_default();
            self.pieces(pieces, parts);
        }
    }

    /// Sends the reasoning, except an end that may belong to the closing tag. After the closing
    /// tag, continues with the output.
    fn reason(&mut self, parts: &mut Vec<Part>) {
        let Some(part) = &mut self.reasoning else { return };
        if !part.open.is_empty() {
            let known = part.read.len().min(part.open.len());
            if part.read[..known] == part.open[..known] {
                if known < part.open.len() {
                    return;
                }
                part.read.drain(..known);
            }
            part.open.clear();
        }
        let from = part.sent.saturating_sub(part.close.len());
        if let Some(at) = memmem::find(&part.read[from..], &part.close) {
            let at = from + at;
            let rest = part.read[at + part.close.len()..].to_vec();
            let text = String::from_utf8_lossy(&part.read[part.sent..at]).into_owned();
            self.reasoning = None;
            Part::Reasoning(text).push(parts);
            self.output(&rest, parts);
            return;
        }
        let longest = part.close.len().min(part.read.len() - part.sent);
        let held = (1..=longest)
            .rev()
            .find(|&len| part.close.starts_with(&part.read[part.read.len() - len..]));
        let mut to = part.read.len() - held.unwrap_or(0);
        if let Some(partial) = part.read[part.sent..to].utf8_chunks().last() {
            to -= if is_beginning(partial.invalid()) { partial.invalid().len() } else { 0 };
        }
        let text = String::from_utf8_lossy(&part.read[part.sent..to]).into_owned();
        part.sent = to;
        Part::Reasoning(text).push(parts);
    }

    fn output(&mut self, bytes: &[u8], parts: &mut Vec<Part>) {
        let space = bytes.iter().take_while(|byte| self.skips_space && byte.is_ascii_whitespace());
        let bytes = &bytes[space.count()..];
        self.skips_space &= bytes.is_empty();
        match &mut self.splitter {
            Some(splitter) => {
                let pieces = splitter.push_bytes(bytes).unwrap_or_default();
                self.pieces(pieces, parts);
            }
            None => {
                let text = self.text.take(bytes);
                Part::Text(text).push(parts);
            }
        }
    }

    fn pieces(&mut self, pieces: Vec<Piece>, parts: &mut Vec<Part>) {
        if let Some(splitter) = &self.splitter {
            self.pieces.read(splitter, pieces, parts);
        }
    }
}
