//! Converts the pieces of a splitter to parts: texts in whole characters, and starts of calls.

use grammarc_runtime::{Piece, RegionKind, Splitter};

use crate::part::{Part, WholeText};

/// The conversion of one output's pieces. Markup has no part.
#[derive(Debug, Default)]
pub struct PieceReader {
    /// Number of tool calls whose start was returned.
    calls: usize,
    reasoning: WholeText,
    text: WholeText,
    arguments: WholeText,
}

impl PieceReader {
    /// Adds the parts of new pieces of `splitter` to `parts`. The pieces of all calls must come
    /// from one splitter.
    pub fn read(&mut self, splitter: &Splitter, pieces: Vec<Piece>, parts: &mut Vec<Part>) {
        for piece in pieces {
            if let Some(call) = piece.call {
                self.begin_calls(splitter, call as usize + 1, parts);
            }
            match (piece.kind, piece.call) {
                (None | Some(RegionKind::Tag | RegionKind::Call), _) => {}
                (Some(RegionKind::Reasoning), None) => {
                    Part::Reasoning(self.reasoning.take(&piece.bytes)).push(parts);
                }
                (Some(_), None) => Part::Text(self.text.take(&piece.bytes)).push(parts),
                (Some(_), Some(index)) => {
                    let delta = self.arguments.take(&piece.bytes);
                    Part::Arguments { index, delta }.push(parts);
                }
            }
        }
    }

    /// Adds the rest of the parts at the end of the output. An incomplete character is dropped.
    pub fn finish(&mut self, parts: &mut Vec<Part>) {
        Part::Reasoning(self.reasoning.rest()).push(parts);
        Part::Text(self.text.rest()).push(parts);
        self.end_arguments(parts);
    }

    /// Returns the number of tool calls whose start was returned.
    pub fn calls(&self) -> usize {
        self.calls
    }

    /// Adds the starts of the tool calls that have no start yet, up to `count` calls.
    fn begin_calls(&mut self, splitter: &Splitter, count: usize, parts: &mut Vec<Part>) {
        while self.calls < count {
            self.end_arguments(parts);
            let name = splitter.call_name(self.calls as u32).unwrap_or_default().to_owned();
            Part::Call { index: self.calls as u32, name }.push(parts);
            self.calls += 1;
        }
    }

    fn end_arguments(&mut self, parts: &mut Vec<Part>) {
        let (delta, index) = (self.arguments.rest(), self.calls.saturating_sub(1) as u32);
        Part::Arguments { index, delta }.push(parts);
    }
}
