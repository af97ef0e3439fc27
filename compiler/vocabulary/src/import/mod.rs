//! From what the user names or holds to the importer of its format.
//!
//! | room | what it reads |
//! | --- | --- |
//! | `files` | folders and files, within bounds |
//! | `format` | which format bytes are of |
//! | `companions` | what stands beside a tokenizer, as files or as options |
//! | `tokenizer_json`, `tiktoken`, `sentence_piece`, `tekken`, `gguf` | a format each |
//! | `listed` | tokens that a host lists |
//! | `built_in` | vocabularies that are part of the program |
//!
//! A file and its bytes go through the same code: only `files` knows paths. Every importer fills a draft with claims, and
//! refuses what breaks its format with the place; what a token then is, `settle` decides.

#[cfg(feature = "built-in-vocabularies")]
mod built_in;
mod companions;
mod files;
mod format;
mod gguf;
mod listed;
mod sentence_piece;
mod tekken;
mod tiktoken;
mod tokenizer_json;

use std::path::Path;

use super::draft::Draft;
use super::error::VocabularyError;
use super::options::VocabularyOptions;

use companions::Companions;

pub use format::TokenizerFormat;
pub use listed::Listed;
pub(super) use listed::read as read_listed;

/// The origin of a tokenizer.
pub(super) struct Origin {
    /// The name by which people know it, where its place has one.
    name: Option<String>,
    /// The name in messages.
    file: String,
}

impl Origin {
    /// A draft of this name; `own` is what the tokenizer calls itself.
    fn draft(&self, own: Option<&str>) -> Draft {
        let name = self.name.as_deref().or(own).unwrap_or("vocabulary");
        Draft::new(name.to_owned())
    }
}

/// The names of the built-in vocabularies, the default first; none without the feature `built-in-vocabularies`.
pub fn built_in_names() -> impl Iterator<Item = &'static str> {
    #[cfg(feature = "built-in-vocabularies")]
    return built_in::names();
    #[cfg(not(feature = "built-in-vocabularies"))]
    std::iter::empty()
}

/// Reads what `spec` names.
pub(super) fn read(spec: &str, options: &VocabularyOptions) -> Result<Draft, VocabularyError> {
    #[cfg(feature = "built-in-vocabularies")]
    if let Some(vocabulary) = built_in::find(spec) {
        return vocabulary.read();
    }
    let path = Path::new(spec);
    if path.is_dir() {
        files::read_folder(path, options)
    } else if path.exists() {
        files::read_tokenizer(path, options)
    } else {
        Err(VocabularyError::NotFound {
            spec: spec.to_owned(),
            built_in: built_in_names().collect(),
        })
    }
}

/// Reads a tokenizer from its bytes.
pub(super) fn read_bytes(
    format: Option<TokenizerFormat>,
    bytes: &[u8],
    options: &VocabularyOptions,
) -> Result<Draft, VocabularyError> {
    let format = format.or_else(|| TokenizerFormat::detect(bytes));
    let file = format.map_or("tokenizer", TokenizerFormat::usual_name).to_owned();
    let origin = Origin { name: None, file };
    read_as(format, bytes, origin, &Companions::given(options)?, options)
}

/// Reads the bytes of a tokenizer of this format.
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
