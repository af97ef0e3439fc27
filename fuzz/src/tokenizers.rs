//! Tokenizers of every format, named or recognized by content.

use grammarc_artifacts::TokenKind;
use grammarc_compiler::vocabulary::{TokenizerFormat, VocabularyOptions, import_bytes};

use crate::input::Input;

/// Imports a tokenizer. The first byte chooses the format, or its recognition.
///
/// # Panics
///
/// If a guarantee is violated.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let formats = TokenizerFormat::ALL;
    let format = formats.get(input.below(formats.len() + 1)).copied();
    let Ok(table) = import_bytes(format, input.0, &VocabularyOptions::new()) else { return };
    assert!(table.tokens.len() <= table.logit_width as usize, "more tokens than logits");
    let text = table.tokens.iter().filter(|token| token.kind == TokenKind::Text);
    assert!(text.clone().count() > 0, "no text token");
    assert!(text.clone().all(|token| !token.bytes.is_empty()), "a text token without bytes");
    assert!(table.end_tokens.is_sorted(), "end tokens out of order");
}
