//! Vocabulary import: reads a tokenizer as models ship it, and returns a table of its tokens.
//!
//! ```text
//! file or bytes of a tokenizer,  ─┐
//!   and what stands beside it     │
//! tokens that a host lists       ─┼─ import/ ─► Draft ─ resolve_tokens ─► TokenTable ─► token trie, .gvocab
//! built-in name                  ─┘
//! ```
//!
//! An importer in `import/` reads one format and fills a draft: the bytes of each id, and what the file says about the
//! id. A file and its bytes in memory are read by the same code. Only `resolve_tokens` decides the kind of each token,
//! the end tokens and the logit width. So a rule about tokens is written once for all formats.
//!
//! Every [`TokenTable`] keeps these promises:
//!
//! - `tokens[id]` is the token with that id; an id without a token is an unused entry without bytes;
//! - a text token has at least one byte, and there is at least one text token;
//! - the bytes are what the token adds to the text in the middle of a sequence, not what a decoder shows at its start;
//! - several ids may have the same bytes, and bytes need not be valid UTF-8;
//! - `end_tokens` is ascending, without repeats, each id below `tokens.len()` and none of them unused;
//! - `tokens.len() <= logit_width`;
//! - the same input and options give an equal table.
//!
//! Where a file leaves a choice open, the safe one is made. A token that looks like a control marker is special even if
//! its file does not flag it. Otherwise a turn marker could match as text inside a JSON string, and forge a turn. Each
//! such choice is among the findings, and an option overrules it.
//!
//! Normalisers, pre-tokenizers and merges decide how text becomes tokens. A mask only needs the bytes of tokens, so
//! they are not imported. Cost: one pass over the file, or of a GGUF model over the part before its tensors. The
//! largest of the usual files (33 MB) takes well under a second.
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

/// Imports a vocabulary from a file or folder, or by its built-in name.
///
/// `spec` is a [built-in name](built_in_names), a tokenizer file of any [`TokenizerFormat`], or a folder that contains
/// one. The format of a file is recognized by its first bytes. In a folder, the first of these is read:
/// `tokenizer.json`, `tokenizer.model`, `tekken.json`, the only `.tiktoken` file, the only `.gguf` file. A built-in
/// name takes precedence over a file of that name; write `./NAME` for the file.
///
/// Files beside the tokenizer with more facts about its tokens ([`Companion`]) are read too, unless the options give
/// their content. Beside a GGUF model no file is read. Of a GGUF model only the part before its tensors is read,
/// whatever its size.
///
/// # Errors
///
/// `spec` names nothing, a file cannot be read, its tokens have no fixed bytes (as in WordPiece), or an option
/// contradicts the vocabulary. See [`VocabularyError`].
pub fn import(spec: &str, options: &VocabularyOptions) -> Result<TokenTable, VocabularyError> {
    resolve_tokens::resolve(import::read(spec, options)?, options)
}

/// Imports a vocabulary from the bytes of a tokenizer. The format is given, or else
/// [detected](TokenizerFormat::detect).
///
/// No files are read: the content of companion files is given in the options ([`VocabularyOptions::companion`]). Of a
/// GGUF model, the bytes before the tensors are enough. The vocabulary has the name of the options, or else that of a
/// GGUF model, or else `vocabulary`.
///
/// # Errors
///
/// As [`import`], except those of files.
pub fn import_bytes(
    format: impl Into<Option<TokenizerFormat>>,
    bytes: &[u8],
    options: &VocabularyOptions,
) -> Result<TokenTable, VocabularyError> {
    resolve_tokens::resolve(import::read_bytes(format.into(), bytes, options)?, options)
}

/// Makes a vocabulary from a list of tokens. The first token has id 0; an entry without bytes is an id without a token.
///
/// This is for hosts whose tokenizer is in memory, in a format that is not imported. The rules for end tokens, padding
/// rows, widths and findings are those of every format. The end tokens are those of the options, given directly or by a
/// [`Companion`].
///
/// # Errors
///
/// There are more tokens than ids may exist, or an option contradicts the list.
pub fn from_tokens<T: AsRef<[u8]>>(
    tokens: impl IntoIterator<Item = (T, Listed)>,
    options: &VocabularyOptions,
) -> Result<TokenTable, VocabularyError> {
    resolve_tokens::resolve(import::read_listed(tokens, options)?, options)
}
