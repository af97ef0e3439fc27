//! Tokenizer files of every format, by the name that tells it.

use grammarc_artifacts::TokenKind;
use grammarc_compiler::vocabulary::{VocabularyOptions, import};

use crate::input::Input;

/// File names, one for each format.
const NAMES: [&str; 2] = ["tokenizer.json", "ranks.tiktoken"];

/// Imports what the bytes are. The first says under which name.
///
/// # Panics
///
/// If a promise is broken.
#[allow(clippy::disallowed_methods, reason = "a scratch file that nobody maps")]
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let name = NAMES[input.below(NAMES.len())];
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, input.0).expect("a file");
    let Ok(table) = import(&path.to_string_lossy(), &VocabularyOptions::new()) else { return };
    assert!(table.tokens.len() <= table.logit_width as usize, "more tokens than logits");
    let text = table.tokens.iter().filter(|token| token.kind == TokenKind::Text);
    assert!(text.clone().count() > 0, "no text token");
    assert!(text.clone().all(|token| !token.bytes.is_empty()), "a text token without bytes");
    assert!(table.end_tokens.is_sorted(), "end tokens out of order");
}
