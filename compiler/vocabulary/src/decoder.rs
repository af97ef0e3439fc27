//! The spelling of a token, read from the decoder section of a `tokenizer.json`.
//!
//! The decoder is what the model's host runs on generated ids, so it alone says what a token adds to the text; the
//! model's name says nothing. A decoder is a chain of steps over the list of tokens. We accept the chains whose effect
//! on the middle of a text is a function of each token alone, and fold them into a [`Spelling`]:
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
//! sequence it is a real space, and a mask works within a sequence, so the space stays and a finding says so.

use serde_json::Value;

use super::byte_level;

/// An obstacle to importing a decoder, with its place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DecoderProblem {
    /// JSON pointer from the file's root.
    pub(super) pointer: String,
    /// The obstacle in words.
    pub(super) problem: String,
}

/// How the tokens of one vocabulary spell text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Spelling {
    byte_fallback: bool,
    replacements: Vec<(String, String)>,
    byte_level: bool,
    strips_ends: bool,
}

impl Spelling {
    /// Reads the decoder section. `byte_fallback` is the model's own flag: a model that falls back to bytes has byte
    /// tokens even where its decoder forgets them.
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

    /// Whether tokens are written in the byte alphabet.
    pub(super) fn is_byte_level(&self) -> bool {
        self.byte_level
    }

    /// Whether the decoder drops a space at the start or end of a whole text.
    pub(super) fn strips_ends(&self) -> bool {
        self.strips_ends
    }

    /// The bytes of a token of the model's own vocabulary.
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

    /// The bytes of an added token.
    ///
    /// In a byte-level vocabulary added tokens are literal text: the byte alphabet is the model's, and an added `õ`
    /// is the letter, not the byte 0xF5. With `▁` for a space the steps apply to them too, since Gemma's runs of
    /// spaces are added tokens written `▁▁`.
    pub(super) fn added(&self, token: &str) -> Vec<u8> {
        if self.byte_level { token.as_bytes().to_vec() } else { self.learned(token) }
    }

    /// The byte that a `<0xNN>` token denotes, where byte tokens exist.
    pub(super) fn fallback_byte(&self, token: &str) -> Option<u8> {
        self.byte_fallback.then(|| named_byte(token.as_bytes())).flatten()
    }
}

/// The byte that `<0xNN>` names.
pub(super) fn named_byte(token: &[u8]) -> Option<u8> {
    let &[b'<', b'0', b'x', high, low, b'>'] = token else { return None };
    let digit = |digit| char::from(digit).to_digit(16);
    Some((digit(high)? * 16 + digit(low)?) as u8)
}

/// A piece of SentencePiece as text: each `▁` is a space.
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

/// Walks a decoder section, adding each step to the spelling.
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

    /// `Metaspace` as files of all ages write it: `prepend_scheme`, or `add_prefix_space` before that.
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
