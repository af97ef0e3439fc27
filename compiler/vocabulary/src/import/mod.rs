//! Reads a tokenizer, given by name, path or bytes, with the importer of its format.
//!
//! | room | what it reads |
//! | --- | --- |
//! | `files` | folders and files, within bounds |
//! | `origin` | the names of a tokenizer |
//! | `format` | which format bytes are of |
//! | `companions` | what stands beside a tokenizer, as files or as options |
//! | `tokenizer_json`, `tiktoken`, `sentence_piece`, `tekken`, `gguf` | a format each |
//! | `listed` | tokens that a host lists |
//! | `built_in` | vocabularies that are part of the program |
//!
//! A file and its bytes are read by the same code. Every importer fills a draft with what the source says about each
//! id. An importer refuses what breaks its format, with the place; `resolve_tokens` decides the kind of each token.
//!
//! Tests: `round_trip.rs`, `owners.rs` and a file for each format in `tests/` of this crate.

#[cfg(feature = "built-in-vocabularies")]
mod built_in;
mod companions;
pub(crate) mod files;
mod format;
mod gguf;
mod listed;
mod origin;
mod sentence_piece;
mod tekken;
mod tiktoken;
mod tokenizer_json;

use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::Path;

use super::draft::Draft;
use super::error::VocabularyError;
use super::options::VocabularyOptions;

use companions::Companions;
use origin::Origin;

pub use format::TokenizerFormat;
pub use listed::Listed;
pub(super) use listed::read as read_listed;

/// Returns the names of the built-in vocabularies; the first is the default. Without the feature
/// `built-in-vocabularies` there are none.
pub fn built_in_names() -> impl Iterator<Item = &'static str> {
    #[cfg(feature = "built-in-vocabularies")]
    return built_in::names();
    #[cfg(not(feature = "built-in-vocabularies"))]
    std::iter::empty()
}

/// Reads the built-in vocabulary, folder or file that `spec` names. Fails if there is none, or if it cannot be read.
pub(super) fn read(spec: &str, options: &VocabularyOptions) -> Result<Draft, VocabularyError> {
    #[cfg(feature = "built-in-vocabularies")]
    if let Some(vocabulary) = built_in::find(spec) {
        return vocabulary.read();
    }
    let path = Path::new(spec);
    if path.is_dir() {
        read_file(&files::tokenizer_of(path)?, options)
    } else if path.exists() {
        read_file(path, options)
    } else {
        Err(VocabularyError::NotFound {
            spec: spec.to_owned(),
            built_in: built_in_names().collect(),
        })
    }
}

/// Reads a tokenizer file of any format, and the companion files beside it. Beside a GGUF model no files are read.
fn read_file(path: &Path, options: &VocabularyOptions) -> Result<Draft, VocabularyError> {
    let failed = |source| VocabularyError::Read { path: path.to_owned(), source };
    let origin = Origin::of_file(path);
    let file = File::open(path).map_err(failed)?;
    let mut magic = Vec::new();
    (&file).take(4).read_to_end(&mut magic).map_err(failed)?;
    if TokenizerFormat::detect(&magic) == Some(TokenizerFormat::Gguf) {
        // A model has gigabytes, and other models may be in the folder. So only the model is read, up to its tensors.
        let input = BufReader::new(magic.as_slice().chain(file));
        return gguf::read(input, origin, &Companions::given(options)?);
    }
    let bytes = files::read_rest(path, &file, magic)?;
    let companions = Companions::beside(path, options)?;
    read_as(TokenizerFormat::detect(&bytes), &bytes, origin, &companions, options)
}

/// Reads a tokenizer from its bytes, with the companion files that the options give. Without a format, the format is
/// detected.
pub(super) fn read_bytes(
    format: Option<TokenizerFormat>,
    bytes: &[u8],
    options: &VocabularyOptions,
) -> Result<Draft, VocabularyError> {
    let format = format.or_else(|| TokenizerFormat::detect(bytes));
    let origin = Origin::in_memory(format.map_or("tokenizer", TokenizerFormat::usual_name));
    read_as(format, bytes, origin, &Companions::given(options)?, options)
}

/// Reads the bytes of a tokenizer in a format, with its companion files. Without a format, returns an error.
fn read_as(
    format: Option<TokenizerFormat>,
    bytes: &[u8],
    origin: Origin,
    companions: &Companions,
    options: &VocabularyOptions,
) -> Result<Draft, VocabularyError> {
    match format {
        Some(TokenizerFormat::TokenizerJson) => tokenizer_json::read(bytes, origin, companions),
        Some(TokenizerFormat::Ranks) => tiktoken::read(bytes, origin, companions, options),
        Some(TokenizerFormat::Gguf) => gguf::read(bytes, origin, companions),
        Some(TokenizerFormat::SentencePiece) => sentence_piece::read(bytes, origin, companions),
        Some(TokenizerFormat::Tekken) => tekken::read(bytes, origin, companions),
        None => Err(VocabularyError::Format {
            file: origin.file,
            format: "of no known format".to_owned(),
            help: "tokenizer.json, tokenizer.model, tekken.json, tiktoken ranks and GGUF models are; of any other \
                   tokenizer, list the tokens",
        }),
    }
}
