//! From what the user names to the importer of its format, and the reading of files.
//!
//! A file's format is told by its first bytes, not by its extension: rank files carry many names.

mod built_in;
mod companions;
mod tiktoken;
mod tokenizer_json;

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::draft::Draft;
use super::error::VocabularyError;
use super::options::VocabularyOptions;

pub use self::built_in::built_in_names;

/// The largest file read: ten times the largest tokenizer in use.
const MAX_FILE_BYTES: u64 = 400 << 20;

/// Reads what `spec` names.
pub(super) fn read(spec: &str, options: &VocabularyOptions) -> Result<Draft, VocabularyError> {
    if let Some(vocabulary) = built_in::find(spec) {
        return vocabulary.read();
    }
    let path = Path::new(spec);
    if path.is_dir() {
        read_folder(path, options)
    } else if path.exists() {
        read_tokenizer(path, options)
    } else {
        Err(VocabularyError::NotFound {
            spec: spec.to_owned(),
            built_in: built_in_names().collect(),
        })
    }
}

/// Reads the tokenizer of a model folder: `tokenizer.json`, or else the only rank file.
fn read_folder(folder: &Path, options: &VocabularyOptions) -> Result<Draft, VocabularyError> {
    let tokenizer = folder.join("tokenizer.json");
    if tokenizer.is_file() {
        return read_tokenizer(&tokenizer, options);
    }
    let failed = |source| VocabularyError::Read { path: folder.to_owned(), source };
    let mut ranks = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "tiktoken") {
            ranks.push(path);
        }
    }
    if let [only] = ranks.as_slice() {
        return read_tokenizer(only, options);
    }
    let hint = if folder.join("tokenizer.model").is_file() {
        "; it holds a tokenizer.model: load it with transformers' AutoTokenizer, and \
         save_pretrained writes a tokenizer.json"
    } else if !ranks.is_empty() {
        "; it holds several .tiktoken files: name the one to import"
    } else {
        ""
    };
    Err(VocabularyError::NoTokenizer { folder: folder.to_owned(), hint })
}

/// Reads a tokenizer file of either format.
fn read_tokenizer(path: &Path, options: &VocabularyOptions) -> Result<Draft, VocabularyError> {
    let text = read_file(path)?;
    let refuse =
        |format, help| Err(VocabularyError::Format { path: path.to_owned(), format, help });
    if text.starts_with(b"GGUF") {
        return refuse("a GGUF model", "pass the tokenizer.json of the model it was made from");
    }
    let draft = Draft::new(name_of(path));
    if text.trim_ascii_start().starts_with(b"{") {
        tokenizer_json::read(draft, path, &text)
    } else if text.contains(&0) || str::from_utf8(&text).is_err() {
        refuse(
            "a binary file, perhaps a SentencePiece model",
            "load it with transformers' AutoTokenizer and save_pretrained writes a tokenizer.json",
        )
    } else {
        tiktoken::read(draft, path, &text, options)
    }
}

/// The name by which people know the file: its folder's for a `tokenizer.json`, otherwise its own.
fn name_of(path: &Path) -> String {
    let full: PathBuf = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let own = full.file_stem();
    let folder = full.parent().and_then(Path::file_name);
    let name = if own.is_some_and(|stem| stem == "tokenizer") { folder.or(own) } else { own };
    name.map_or_else(|| "vocabulary".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Reads a whole file, within bounds.
fn read_file(path: &Path) -> Result<Vec<u8>, VocabularyError> {
    let failed = |source| VocabularyError::Read { path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    let bytes = file.metadata().map_err(failed)?.len();
    let too_large = |bytes| VocabularyError::FileTooLarge {
        path: path.to_owned(),
        bytes,
        limit: MAX_FILE_BYTES,
    };
    if bytes > MAX_FILE_BYTES {
        return Err(too_large(bytes));
    }
    let mut text = Vec::with_capacity(bytes as usize);
    // The size that a pipe or a device states is no bound on what it yields.
    let read = file.take(MAX_FILE_BYTES + 1).read_to_end(&mut text).map_err(failed)?;
    if read as u64 > MAX_FILE_BYTES { Err(too_large(read as u64)) } else { Ok(text) }
}
