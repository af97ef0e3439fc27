//! Converts the log of an output to events: text in whole characters, tool calls, and reasoning.
//!
//! ```text
//! log up to a place ─► reasoning, until its closing tag ─► splitter, where the grammar has regions ─► events
//! ```

use grammarc_runtime::{Grammar, Piece, RegionKind, Splitter, Vocabulary};
use memchr::memmem;

use super::log::{Log, Place};
use crate::output::Event;

/// Converts the log of one output to events.
#[derive(Debug)]
pub(super) struct Sender {
    sent: Place,
    reasoning: Option<ReasoningPart>,
    splitter: Option<Splitter>,
    /// Whether white space is dropped, because it follows the closing tag of the reasoning.
    skips_space: bool,
    /// Number of tool calls whose start was sent.
    calls: usize,
    text: Whole,
    arguments: Whole,
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

/// A buffer that releases text in whole characters.
#[derive(Debug, Default)]
struct Whole {
    bytes: Vec<u8>,
}

impl Whole {
    /// Adds bytes, and removes and returns the whole characters so far. Invalid bytes become
    /// U+FFFD.
    fn take(&mut self, bytes: &[u8]) -> String {
        self.bytes.extend_from_slice(bytes);
        let mut text = String::new();
        let mut taken = 0;
        for chunk in self.bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            taken += chunk.valid().len();
            let invalid = chunk.invalid();
            let at_end = taken + invalid.len() == self.bytes.len();
            if invalid.is_empty() || (at_end && is_beginning(invalid)) {
                break;
            }
            text.push(char::REPLACEMENT_CHARACTER);
            taken += invalid.len();
        }
        self.bytes.drain(..taken);
        text
    }

    /// Removes and returns the rest of the text. An incomplete character at its end is dropped.
    fn rest(&mut self) -> String {
        whole_characters(&std::mem::take(&mut self.bytes))
    }
}

/// Decodes bytes as text, without an incomplete character at the end. Other invalid bytes become
/// U+FFFD.
fn whole_characters(bytes: &[u8]) -> String {
    let cut = bytes.utf8_chunks().last().map_or(0, |last| match is_beginning(last.invalid()) {
        true => last.invalid().len(),
        false => 0,
    });
    String::from_utf8_lossy(&bytes[..bytes.len() - cut]).into_owned()
}

/// Whether bytes that are invalid UTF-8 are the start of an incomplete character.
fn is_beginning(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
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
            calls: 0,
            text: Whole::default(),
            arguments: Whole::default(),
        }
    }

    /// Whether the output is still within the reasoning: its closing tag was not read.
    pub(super) fn is_reasoning(&self) -> bool {
        self.reasoning.is_some()
    }

    /// Adds the events for the part of the output before `to` that was not sent yet.
    pub(super) fn send(
        &mut self,
        log: &Log,
        to: Place,
        vocabulary: &Vocabulary,
        events: &mut Vec<Event>,
    ) {
        while self.sent < to {
            let special = log.specials_from(self.sent.specials).first().copied();
            let end = special.map_or(to.bytes, |(at, _)| at.min(to.bytes));
            let bytes = &log.bytes()[self.sent.bytes..end];
            self.sent.bytes = end;
            self.bytes(bytes, events);
            match special {
                Some((at, token)) if at == end && self.sent.specials < to.specials => {
                    self.sent.specials += 1;
                    self.special(token, vocabulary, events);
                }
                _ => break,
            }
        }
    }

    /// Sends the text that was held back as a possible start of a tag, at the end of the output. If
    /// `is_cut`, returns the index of the tool call that is incomplete. `None` if there is none.
    pub(super) fn finish(&mut self, is_cut: bool, events: &mut Vec<Event>) -> Option<u32> {
        let mut cut_call = None;
        if let Some(part) = self.reasoning.take() {
            let from = if part.open.is_empty() { part.sent } else { 0 };
            let rest = whole_characters(&part.read[from..]);
            push(events, Event::Reasoning, rest);
        }
        if let Some(splitter) = &mut self.splitter {
            let (pieces, call) = match is_cut {
                true => splitter.cut(),
                false => (splitter.finish(), None),
            };
            cut_call = call;
            self.pieces(pieces, events);
        }
        let rest = self.text.rest();
        push(events, Event::Text, rest);
        self.end_arguments(events);
        // An incomplete call whose start was not sent is not reported.
        cut_call.filter(|&index| (index as usize) < self.calls)
    }

    fn bytes(&mut self, bytes: &[u8], events: &mut Vec<Event>) {
        if bytes.is_empty() {
            return;
        }
        match &mut self.reasoning {
            Some(part) => {
                part.read.extend_from_slice(bytes);
                self.reason(events);
            }
            None => self.output(bytes, events),
        }
    }

    fn special(&mut self, token: u32, vocabulary: &Vocabulary, events: &mut Vec<Event>) {
        if let Some(part) = &mut self.reasoning {
            part.read.extend_from_slice(vocabulary.token_bytes(token));
            self.reason(events);
        } else if let Some(splitter) = &mut self.splitter {
            self.skips_space = false;
            // The grammar has accepted the token, so the splitter accepts it too. If the splitter
            // exceeds a limit, the token is left out.
            let pieces = splitter.push(token).unwrap_or_default();
            self.pieces(pieces, events);
        }
    }

    /// Sends the reasoning, except an end that may belong to the closing tag. After the closing
    /// tag, continues with the output.
    fn reason(&mut self, events: &mut Vec<Event>) {
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
            push(events, Event::Reasoning, text);
            self.output(&rest, events);
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
        push(events, Event::Reasoning, text);
    }

    fn output(&mut self, bytes: &[u8], events: &mut Vec<Event>) {
        let space = bytes.iter().take_while(|byte| self.skips_space && byte.is_ascii_whitespace());
        let bytes = &bytes[space.count()..];
        self.skips_space &= bytes.is_empty();
        match &mut self.splitter {
            Some(splitter) => {
                let pieces = splitter.push_bytes(bytes).unwrap_or_default();
                self.pieces(pieces, events);
            }
            None => {
                let text = self.text.take(bytes);
                push(events, Event::Text, text);
            }
        }
    }

    fn pieces(&mut self, pieces: Vec<Piece>, events: &mut Vec<Event>) {
        for piece in pieces {
            if let Some(call) = piece.call {
                self.send_calls(call as usize + 1, events);
            }
            match (piece.kind, piece.call) {
                (None | Some(RegionKind::Tag | RegionKind::Call), _) => {}
                (Some(RegionKind::Reasoning), None) => {
                    let text = String::from_utf8_lossy(&piece.bytes).into_owned();
                    push(events, Event::Reasoning, text);
                }
                (Some(_), None) => {
                    let text = self.text.take(&piece.bytes);
                    push(events, Event::Text, text);
                }
                (Some(_), Some(index)) => {
                    let delta = self.arguments.take(&piece.bytes);
                    push(events, |delta| Event::Arguments { index, delta }, delta);
                }
            }
        }
    }

    /// Sends the start of the tool calls that were not sent yet, until `count` calls are sent.
    fn send_calls(&mut self, count: usize, events: &mut Vec<Event>) {
        while self.calls < count {
            self.end_arguments(events);
            let name = self.splitter.as_ref().and_then(|splitter| splitter.calls().nth(self.calls));
            let name = name.unwrap_or_default().to_owned();
            events.push(Event::Call { index: self.calls as u32, name });
            self.calls += 1;
        }
    }

    fn end_arguments(&mut self, events: &mut Vec<Event>) {
        let (rest, index) = (self.arguments.rest(), self.calls.saturating_sub(1) as u32);
        push(events, |delta| Event::Arguments { index, delta }, rest);
    }
}

/// Adds an event unless its text is empty. If the last event has the same kind, the text is
/// appended to it.
fn push(events: &mut Vec<Event>, event: impl FnOnce(String) -> Event, text: String) {
    if text.is_empty() {
        return;
    }
    let event = event(text);
    match (events.last_mut(), &event) {
        (Some(Event::Text(last)), Event::Text(more))
        | (Some(Event::Reasoning(last)), Event::Reasoning(more)) => last.push_str(more),
        (
            Some(Event::Arguments { index: last_index, delta: last }),
            Event::Arguments { index, delta },
        ) if last_index == index => last.push_str(delta),
        _ => events.push(event),
    }
}
