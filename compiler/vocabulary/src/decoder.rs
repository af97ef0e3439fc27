//! Reads the decoder section of a `tokenizer.json`, which determines the bytes of each token.
//!
//! The model's host runs the decoder on generated ids, so only the decoder says what a token adds to the text. A
//! decoder is a chain of steps over the list of tokens. A chain is accepted if its effect within a text is a function
//! of each token alone. It is folded into a [`Spelling`]:
//!
//! | step | effect on a token |
//! | --- | --- |
//! | `ByteFallback` | `<0xNN>` is the byte NN |
//! | `Replace` of a string, `Metaspace` | characters replaced, as a rule `▁` by a space |
//! | `ByteLevel` | the alphabet of `byte_level` |
//! | `Fuse` | none: joins the tokens |
//! | `Strip` after `Fuse`, `Metaspace` | none but at the start or end of the text |
//!
//! The last row is the dummy prefix of SentencePiece: the first token of a text may lose its leading space. Within a
//! sequence the space is real, and masks work within a sequence. So the space is kept, and a finding says so.

use serde_json::Value;

use super::byte_level;

/// A reason why a decoder cannot be imported, with its place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DecoderProblem {
    /// The JSON pointer to the decoder or step, from the root of the file.
    pub(super) pointer: String,
    /// The reason why the decoder cannot be imported, in words.
    pub(super) problem: String,
}

/// How the tokens of a vocabulary are converted to bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Spelling {
    byte_fallback: bool,
    replacements: Vec<(String, String)>,
    byte_level: bool,
    strips_ends: bool,
}

impl Spelling {
    /// Reads the decoder section of a tokenizer. `byte_fallback` is the flag of the tokenizer's model: with it, byte
    /// tokens exist even if the decoder does not mention them. Fails if the bytes of a token depend on other tokens, or
    /// if no step says how tokens spell text.
    pub(super) fn read(decoder: &Value, byte_fallback: bool) -> Result<Self, DecoderProblem> {
        let mut reader = Reader { spelling: Self::default(), fused: false };
        reader.step(decoder, "/decoder")?;
        let mut spelling = reader.spelling;
        if !spelling.byte_level && spelling.replacements.is_empty() && !spelling.byte_fallback {
            return Err(problem(
                "/decoder",
                "it names no step that says how tokens spell text".to_owned(),
            ));
        }
        spelling.byte_fallback |= byte_fallback && !spelling.byte_level;
        Ok(spelling)
    }

    /// Whether tokens are written in the byte alphabet of GPT-2.
    pub(super) fn is_byte_level(&self) -> bool {
        self.byte_level
    }

    /// Whether the decoder removes a space at the start or end of a whole text.
    pub(super) fn strips_ends(&self) -> bool {
        self.strips_ends
    }

    /// Returns the bytes of a token from the model's own vocabulary, which is no added token.
    pub(super) fn learned(&self, token: &str) -> Vec<u8> {
        if let Some(byte) = self.fallback_byte(token) {
            return vec![byte];
        }
        let mut text = token.to_owned();
        for (from, to) in &self.replacements {
            if text.contains(from) {
                text = text.replace(from, to);
            }
        }
        if self.byte_level { byte_level::bytes_of(&text) } else { text.into_bytes() }
    }

    /// Returns the bytes of an added token.
    ///
    /// In a byte-level vocabulary added tokens are literal text: an added `õ` is the letter, not the byte 0xF5. In
    /// other vocabularies the steps apply to added tokens too: Gemma's runs of spaces are added tokens, written `▁▁`.
    pub(super) fn added(&self, token: &str) -> Vec<u8> {
        if self.byte_level { token.as_bytes().to_vec() } else { self.learned(token) }
    }

    /// Returns the byte that a token `<0xNN>` denotes. `None` for other tokens, and if the vocabulary has no byte
    /// tokens.
    pub(super) fn fallback_byte(&self, token: &str) -> Option<u8> {
        self.byte_fallback.then(|| named_byte(token.as_bytes())).flatten()
    }
}

/// Returns the byte that a token `<0xNN>` names. `None` for other tokens.
pub(super) fn named_byte(token: &[u8]) -> Option<u8> {
    let &[b'<', b'0', b'x', high, low, b'>'] = token else { return None };
    let digit = |digit| char::from(digit).to_digit(16);
    Some((digit(high)? * 16 + digit(low)?) as u8)
}

/// Returns the text of a SentencePiece piece: each `▁` becomes a space.
pub(super) fn spaced(piece: &[u8]) -> Vec<u8> {
    const MARK: &[u8] = "▁".as_bytes();
    let mut bytes = Vec::with_capacity(piece.len());
    let mut rest = piece;
    while let Some((&first, behind)) = rest.split_first() {
        if let Some(behind) = rest.strip_prefix(MARK) {
            bytes.push(b' ');
            rest = behind;
        } else {
            bytes.push(first);
            rest = behind;
        }
    }
    bytes
}

/// Walks a decoder section and adds each step to the spelling.
struct Reader {
    spelling: Spelling,
    fused: bool,
}

impl Reader {
    fn step(&mut self, step: &Value, pointer: &str) -> Result<(), DecoderProblem> {
        let kind = step.get("type").and_then(Value::as_str);
        match kind {
            Some("Sequence") => {
                let steps = step.get("decoders").and_then(Value::as_array).ok_or_else(|| {
                    problem(pointer, "the Sequence has no list `decoders`".to_owned())
                })?;
                for (index, step) in steps.iter().enumerate() {
                    self.step(step, &format!("{pointer}/decoders/{index}"))?;
                }
            }
            Some("ByteLevel") => self.spelling.byte_level = true,
            Some("ByteFallback") => self.spelling.byte_fallback = true,
            Some("Fuse") => self.fused = true,
            Some("Replace") => self.replace(step, pointer)?,
            Some("Metaspace") => self.metaspace(step),
            Some("Strip") if self.fused => self.spelling.strips_ends = true,
            Some("Strip") => {
                let text = "a Strip before Fuse strips every token, which depends on how the text was split";
                return Err(problem(pointer, text.to_owned()));
            }
            Some(other) => {
                return Err(problem(
                    pointer,
                    format!("tokens of a {other} decoder have no fixed bytes"),
                ));
            }
            None => {
                return Err(problem(
                    pointer,
                    "the tokenizer has no decoder of a known type".to_owned(),
                ));
            }
        }
        Ok(())
    }

    fn replace(&mut self, step: &Value, pointer: &str) -> Result<(), DecoderProblem> {
        let from = step.pointer("/pattern/String").and_then(Value::as_str);
        let to = step.get("content").and_then(Value::as_str);
        let (Some(from), Some(to)) = (from, to) else {
            return Err(problem(
                pointer,
                "only a Replace of one string by another has a fixed effect".to_owned(),
            ));
        };
        if from.is_empty()
            || self.spelling.byte_level
            || (self.fused && from.chars().nth(1).is_some())
        {
            return Err(problem(
                pointer,
                format!("a Replace of `{from}` here can act across tokens"),
            ));
        }
        self.spelling.replacements.push((from.to_owned(), to.to_owned()));
        Ok(())
    }

    /// Reads a `Metaspace` step. Newer files have the key `prepend_scheme`, older ones `add_prefix_space`.
    fn metaspace(&mut self, step: &Value) {
        let replacement = step.get("replacement").and_then(Value::as_str).unwrap_or("▁");
        self.spelling.replacements.push((replacement.to_owned(), " ".to_owned()));
        let never = step.get("prepend_scheme").and_then(Value::as_str) == Some("never")
            || step.get("add_prefix_space").and_then(Value::as_bool) == Some(false);
        self.spelling.strips_ends |= !never;
    }
}

fn problem(pointer: &str, problem: String) -> DecoderProblem {
    DecoderProblem { pointer: pointer.to_owned(), problem }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fallback_bytes_only_where_they_exist() {
        let plain = Spelling::read(&json!({"type": "Metaspace"}), false).expect("known");
        assert_eq!(plain.learned("<0x0A>"), b"<0x0A>");
        let flagged = Spelling::read(&json!({"type": "Metaspace"}), true).expect("known");
        assert_eq!(flagged.learned("<0x0A>"), b"\n");
        for text in ["<0x0>", "<0x+A>", "<0x0AA>", "<0xGG>", "0x0A"] {
            assert_eq!(flagged.learned(text), text.as_bytes(), "{text}");
        }
        let byte_level = Spelling::read(&json!({"type": "ByteLevel"}), true).expect("known");
        assert_eq!(byte_level.learned("<0x0A>"), b"<0x0A>");
    }

    #[test]
    fn metaspace_says_when_it_prepends() {
        let strips = |decoder| Spelling::read(&decoder, false).expect("known").strips_ends();
        assert!(strips(json!({"type": "Metaspace", "replacement": "▁"})));
        assert!(strips(
            json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first"})
        ));
        assert!(!strips(
            json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never"})
        ));
        assert!(!strips(
            json!({"type": "Metaspace", "replacement": "▁", "add_prefix_space": false})
        ));
    }

    #[test]
    fn chains_without_fixed_bytes_are_refused_with_their_place() {
        let replace =
            |from: &str| json!({"type": "Replace", "pattern": {"String": from}, "content": " "});
        let cases = [
            (json!(null), "/decoder"),
            (json!({"type": "WordPiece", "prefix": "##", "cleanup": true}), "/decoder"),
            (json!({"type": "BPEDecoder", "suffix": "</w>"}), "/decoder"),
            (json!({"type": "CTC"}), "/decoder"),
            (json!({"type": "Fuse"}), "/decoder"),
            (json!({"type": "Sequence"}), "/decoder"),
            (
                json!({"type": "Sequence", "decoders": [{"type": "Fuse"}, replace("ab")]}),
                "/decoder/decoders/1",
            ),
            (
                json!({"type": "Sequence", "decoders": [{"type": "ByteLevel"}, replace("a")]}),
                "/decoder/decoders/1",
            ),
            (
                json!({"type": "Sequence", "decoders": [replace("▁"), {"type": "Strip", "content": " "}]}),
                "/decoder/decoders/1",
            ),
            (json!({"type": "Replace", "pattern": {"Regex": "x+"}, "content": ""}), "/decoder"),
        ];
        for (decoder, pointer) in cases {
            let error = Spelling::read(&decoder, true).expect_err(&decoder.to_string());
            assert_eq!(error.pointer, pointer, "{decoder}");
        }
    }
}
