//! Vocabulary import: from a tokenizer as models ship it to a token table.
//!
//! ```text
//! file or bytes of a tokenizer,  ─┐
//!   and what stands beside it     │
//! tokens that a host lists       ─┼─ import/ ─► Draft ─ resolve_tokens ─► TokenTable ─► token trie, .gvocab
//! built-in name                  ─┘
//! ```
//!
//! An importer in `import/` reads one format and fills a draft: the bytes of each id, and the file's claim about it.
//! A file and its bytes in memory go the same way. `resolve_tokens` alone decides the kind of each token, the end tokens
//! and the logit width. So a rule about tokens is written once, whatever format the token came from.
//!
//! Every [`TokenTable`] keeps these promises:
//!
//! - `tokens[id]` is the token with that id; an id that nothing claims is an unused entry without bytes;
//! - a text token has at least one byte, and there is at least one text token;
//! - the bytes are what the token adds to the text in the middle of a sequence, not what a decoder shows at its start;
//! - several ids may have the same bytes, and bytes need not be valid UTF-8;
//! - `end_tokens` is ascending, without repeats, each id below `tokens.len()` and none of them unused;
//! - `tokens.len() <= logit_width`;
//! - the same input and options give an equal table.
//!
//! The safe choice is made where a file leaves one open: a token that looks like a control marker is special even if
//! its file does not flag it, because a turn marker that matched as text inside a JSON string would let the text
//! forge a turn. Each such choice is among the findings, and an option overrules it.
//!
//! Normalisers, pre-tokenizers and merges decide how text becomes tokens; a mask only needs what tokens spell, so they
//! are not imported. Cost: one pass over the file, of a GGUF model over the part before its tensors; the largest of the
//! usual ones (33 MB) takes well under a second.
//!
//! Tests: `tests/`; `tests/traps.rs` has what real tokenizers hide.

mod byte_level;
mod decoder;
mod draft;
mod error;
mod findings;
mod import;
mod inputs;
mod lexicon;
mod names;
mod options;
mod resolve_tokens;
mod table;
#[cfg(test)]
mod tests;

pub use error::VocabularyError;
pub use import::{Listed, TokenizerFormat, built_in_names};
pub use inputs::inputs;
pub use lexicon::VocabularyLexicon;
pub use options::{Companion, EndToken, Tokens, VocabularyOptions};
pub use table::{TokenEntry, TokenTable};

/// Imports a vocabulary from a file or folder, or by name.
///
/// `spec` is a [built-in name](built_in_names), a tokenizer file of any [`TokenizerFormat`], detected by its first
/// bytes, or a folder that holds one: `tokenizer.json`, else `tokenizer.model`, else `tekken.json`, else the only
/// `.tiktoken` file, else the only `.gguf` file. A built-in name wins over a file of that name; write `./NAME` for the
/// file. Files beside the tokenizer that say more about it ([`Companion`]) are read with it, unless the options give
/// their content; a GGUF model says all itself, and what lies beside it is not read. Of a GGUF model the part before its
/// tensors is read, whatever its size.
///
/// # Errors
///
/// If `spec` names nothing, a file cannot be read or is of a form whose tokens have no fixed bytes (WordPiece, for
/// one), or an option contradicts the vocabulary. See [`VocabularyError`].
pub fn import(spec: &str, options: &VocabularyOptions) -> Result<TokenTable, VocabularyError> {
    resolve_tokens::resolve(import::read(spec, options)?, options)
}

/// Imports a vocabulary from a tokenizer in memory, of a format that is named or else [detected](TokenizerFormat::detect).
///
/// Nothing but the bytes is read: what stands beside a tokenizer on disk goes into the options
/// ([`VocabularyOptions::companion`]). Of a GGUF model the bytes before the tensors are enough. The name is that of the
/// options, or else `vocabulary`; a GGUF model has one of its own.
///
/// # Errors
///
/// As [`import`], but for those of files.
pub fn import_bytes(
    format: impl Into<Option<TokenizerFormat>>,
    bytes: &[u8],
    options: &VocabularyOptions,
) -> Result<TokenTable, VocabularyError> {
    resolve_tokens::resolve(import::read_bytes(format.into(), bytes, options)?, options)
}

/// Makes a vocabulary from a list of tokens: the first has id 0, and one without bytes is an id without a token.
///
/// For hosts that hold a tokenizer in memory whose format is not imported. The rules for end tokens, padding rows, widths
/// and findings are those of every format. The end tokens are those of the options, given there as such or by a
/// [`Companion`].
///
/// # Errors
///
/// If there are more tokens than ids may have, or an option contradicts the list.
pub fn from_tokens<T: AsRef<[u8]>>(
    tokens: impl IntoIterator<Item = (T, Listed)>,
    options: &VocabularyOptions,
) -> Result<TokenTable, VocabularyError> {
    resolve_tokens::resolve(import::read_listed(tokens, options)?, options)
}
