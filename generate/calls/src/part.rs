//! Parts of an output, as texts in whole characters.

/// A part of an output, or the continuation of the part before it. Texts consist of whole
/// characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// The next text of the output.
    Text(String),
    /// The next text of the reasoning.
    Reasoning(String),
    /// The start of a tool call.
    Call {
        /// Index of the call in the output, from 0.
        index: u32,
        /// Name of the tool.
        name: String,
    },
    /// The next text of the arguments of a tool call.
    Arguments {
        /// Index of the call in the output, from 0.
        index: u32,
        /// The text to append to the arguments.
        delta: String,
    },
}

impl Part {
    /// Adds a part to `parts`, unless its text is empty. If the last part is of the same kind, the
    /// text is appended to it.
    pub fn push(self, parts: &mut Vec<Self>) {
        match (parts.last_mut(), self) {
            (_, Self::Text(text) | Self::Reasoning(text) | Self::Arguments { delta: text, .. })
                if text.is_empty() => {}
            (Some(Self::Text(last)), Self::Text(more))
            | (Some(Self::Reasoning(last)), Self::Reasoning(more)) => last.push_str(&more),
            (
                Some(Self::Arguments { index: last_index, delta: last }),
                Self::Arguments { index, delta },
            ) if *last_index == index => last.push_str(&delta),
            (_, part) => parts.push(part),
        }
    }
}

/// A buffer that releases text in whole characters.
#[derive(Debug, Default)]
pub struct WholeText {
    bytes: Vec<u8>,
}

impl WholeText {
    /// Adds bytes, and removes and returns the whole characters so far. Invalid bytes become
    /// U+FFFD.
    pub fn take(&mut self, bytes: &[u8]) -> String {
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
    pub fn rest(&mut self) -> String {
        whole_characters(&std::mem::take(&mut self.bytes))
    }
}

/// Decodes bytes as text, without an incomplete character at the end. Other invalid bytes become
/// U+FFFD.
pub fn whole_characters(bytes: &[u8]) -> String {
    let cut = bytes.utf8_chunks().last().map_or(0, |last| match is_beginning(last.invalid()) {
        true => last.invalid().len(),
        false => 0,
    });
    String::from_utf8_lossy(&bytes[..bytes.len() - cut]).into_owned()
}

/// Whether bytes that are invalid UTF-8 are the start of an incomplete character.
pub fn is_beginning(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}
