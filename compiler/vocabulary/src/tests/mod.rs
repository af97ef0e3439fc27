//! Tests the import: traps of real vocabularies, each source, and the round trip of real tokenizers.

#[cfg(feature = "built-in-vocabularies")]
mod built_in;
mod gguf;
mod given;
mod made;
mod owners;
mod round_trip;
mod sentence_piece;
mod sources;
mod tekken;
mod texts;
mod traps;

use std::path::PathBuf;

use grammarc_artifacts::sections::vocabulary::TokenKind;
use serde_json::{Value, json};
use tempfile::TempDir;

use grammarc_test_data::root;

use super::{Companion, TokenTable, VocabularyError, VocabularyOptions, import};

/// A model folder that is removed after the test.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder for the test"))
    }

    /// Returns a folder with this `tokenizer.json`.
    fn with(tokenizer: &Value) -> Self {
        Self::new().file("tokenizer.json", tokenizer.to_string())
    }

    /// Adds a file to the folder.
    #[expect(clippy::disallowed_methods, reason = "an input and not an artifact")]
    fn file(self, name: &str, text: impl AsRef<[u8]>) -> Self {
        std::fs::write(self.0.path().join(name), text).expect("written");
        self
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().expect("a path in UTF-8").to_owned()
    }

    fn import_with(&self, options: &VocabularyOptions) -> Result<TokenTable, VocabularyError> {
        import(&self.path(""), options)
    }

    fn import(&self) -> TokenTable {
        self.import_with(&VocabularyOptions::new()).expect("imports")
    }

    fn refusal(&self) -> VocabularyError {
        self.import_with(&VocabularyOptions::new()).expect_err("is refused")
    }
}

/// Returns a byte-level tokenizer with this vocabulary and these added tokens.
fn byte_level(vocab: Value, added: Value) -> Value {
    json!({
        "added_tokens": added,
        "normalizer": null,
        "decoder": {"type": "ByteLevel", "add_prefix_space": true},
        "model": {"type": "BPE", "vocab": vocab, "merges": []},
    })
}

/// Returns a tokenizer in SentencePiece's spelling, like Llama 2's.
fn sentence_piece(vocab: Value, added: Value) -> Value {
    json!({
        "added_tokens": added,
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "Prepend", "prepend": "▁"},
            {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        ]},
        "decoder": {"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
            {"type": "ByteFallback"},
            {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        ]},
        "model": {"type": "BPE", "unk_token": "<unk>", "byte_fallback": true, "vocab": vocab, "merges": []},
    })
}

fn added(id: u32, content: &str, special: bool) -> Value {
    json!({"id": id, "content": content, "special": special})
}

fn bytes(table: &TokenTable, id: usize) -> &[u8] {
    &table.tokens[id].bytes
}

fn kind(table: &TokenTable, id: usize) -> TokenKind {
    table.tokens[id].kind
}

fn kinds(table: &TokenTable) -> Vec<TokenKind> {
    table.tokens.iter().map(|token| token.kind).collect()
}

/// Returns the message of the only finding with this code.
fn finding<'a>(table: &'a TokenTable, code: &str) -> &'a str {
    let found: Vec<_> = table.findings.iter().filter(|finding| finding.code == code).collect();
    assert_eq!(found.len(), 1, "{code} in {:?}", table.findings);
    &found[0].message
}

fn has_finding(table: &TokenTable, code: &str) -> bool {
    table.findings.iter().any(|finding| finding.code == code)
}

/// Returns the folder of a real tokenizer. If the data is missing, prints that and returns `None`.
fn real(name: &str) -> Option<PathBuf> {
    let folder = root().join("tokenizers").join(name);
    if folder.join("tokenizer.json").is_file() {
        return Some(folder);
    }
    let mut err = std::io::stderr();
    std::io::Write::write_fmt(
        &mut err,
        format_args!("skipped {name}: no tokenizer at {}; set GRAMMARC_DATA\n", folder.display()),
    )
    .expect("stderr");
    None
}
