//! Recognizes the format of a tokenizer by its first bytes, never by its name. Rank files have many names, and Llama
//! 3's is called `tokenizer.model`, like those of SentencePiece.

use std::fmt;

use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};

/// A format of tokenizer files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TokenizerFormat {
    /// `tokenizer.json`, the format of Hugging Face's tokenizers.
    TokenizerJson,
    /// A rank file of tiktoken: a line `base64 rank` for each token.
    Ranks,
    /// A GGUF model of llama.cpp, with the vocabulary in its metadata. The tensors may be missing.
    Gguf,
    /// A SentencePiece model, whose file is usually `tokenizer.model`.
    SentencePiece,
    /// `tekken.json`, the format of mistral-common.
    Tekken,
}

impl TokenizerFormat {
    /// All formats that can be imported.
    pub const ALL: [Self; 5] =
        [Self::TokenizerJson, Self::Ranks, Self::Gguf, Self::SentencePiece, Self::Tekken];

    /// Returns the name of the format, as bindings take it.
    pub fn name(self) -> &'static str {
        match self {
            Self::TokenizerJson => "tokenizer.json",
            Self::Ranks => "tiktoken",
            Self::Gguf => "gguf",
            Self::SentencePiece => "sentencepiece",
            Self::Tekken => "tekken",
        }
    }

    /// Returns the format of this name. `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Returns the format of a tokenizer, by its first bytes. `None` if it is none of the known formats.
    ///
    /// The format is only recognized, not checked: a file may be damaged further on. Text is read to its end, and JSON
    /// up to the first key that decides.
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"GGUF") {
            return Some(Self::Gguf);
        }
        if bytes.trim_ascii_start().starts_with(b"{") {
            return Some(of_json(bytes));
        }
        // In a SentencePiece model, each piece is preceded by its length in one byte. It is a control character unless
        // the piece is long.
        let printable = |&byte: &u8| byte >= b' ' || matches!(byte, b'\n' | b'\r' | b'\t');
        if bytes.iter().all(printable) && str::from_utf8(bytes).is_ok() {
            return Some(Self::Ranks);
        }
        bytes.starts_with(b"\n").then_some(Self::SentencePiece)
    }

    /// Returns the usual name of the format's files, for messages.
    pub(super) fn usual_name(self) -> &'static str {
        match self {
            Self::TokenizerJson => "tokenizer.json",
            Self::Ranks => "tiktoken rank file",
            Self::Gguf => "GGUF model",
            Self::SentencePiece => "SentencePiece model",
            Self::Tekken => "tekken.json",
        }
    }
}

/// Returns the format of a JSON object, by its first key that only one format has. `tokenizer.json` has its vocabulary
/// within `model`, tekken beside `config`.
fn of_json(bytes: &[u8]) -> TokenizerFormat {
    struct Keys<'f>(&'f mut TokenizerFormat);

    impl<'de> Visitor<'de> for Keys<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            while let Some(key) = map.next_key::<String>()? {
                match key.as_str() {
                    "model" | "added_tokens" | "decoder" => break,
                    "config" | "vocab" | "special_tokens" => {
                        *self.0 = TokenizerFormat::Tekken;
                        break;
                    }
                    _ => {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
            }
            Ok(())
        }
    }

    let mut format = TokenizerFormat::TokenizerJson;
    // The visitor stops at the key that decides, which the parser reports as an error.
    let _ = serde_json::Deserializer::from_slice(bytes).deserialize_map(Keys(&mut format));
    format
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_detected_by_their_first_bytes() {
        use TokenizerFormat::*;
        let cases: [(&[u8], Option<TokenizerFormat>); 16] = [
            (b"GGUF", Some(Gguf)),
            (b"YQ== 0\nYg== 1\n", Some(Ranks)),
            (b"", Some(Ranks)),
            (b"\n\x0e\n\x05<unk>\x15\0\0\0\0", Some(SentencePiece)),
            (b"\n\x07\n\x05<unk>", Some(SentencePiece)),
            (b"\x80\x04\x95", None),
            (b"PK\x03\x04", None),
            (b"{", Some(TokenizerJson)),
            (b" {\"version\": \"1.0\", \"model\": {\"vocab\": {}}}", Some(TokenizerJson)),
            (b"{\"added_tokens\": [], \"vocab\": []}", Some(TokenizerJson)),
            (b"{\"config\": {}, \"vocab\": []}", Some(Tekken)),
            (b"{\"vocab\": [", Some(Tekken)),
            (b"{\"special_tokens\": null, \"config\"", Some(Tekken)),
            (b"{\"image\": {\"model\": 1}, \"vocab\": []}", Some(Tekken)),
            (b"{\"x\": \"vocab\", \"decoder\": null}", Some(TokenizerJson)),
            (b"{\"vocab_size\": 3}", Some(TokenizerJson)),
        ];
        for (bytes, format) in cases {
            assert_eq!(TokenizerFormat::detect(bytes), format, "{}", bytes.escape_ascii());
        }
    }
}
