//! Finds the tokenizer file of a folder, and reads files up to a limit of bytes.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::error::VocabularyError;

/// Greatest size of a tokenizer file in bytes: ten times the largest in use. A larger file is an error. For a GGUF
/// model, the limit applies to the part before its tensors.
pub(super) const MAX_FILE_BYTES: u64 = 400 << 20;

/// The file names of tokenizers, by precedence. All precede the extensions.
pub(crate) const NAMES: [&str; 3] = ["tokenizer.json", "tokenizer.model", "tekken.json"];

/// The extensions of tokenizer files, by precedence. An extension of which a folder has several files is skipped.
pub(crate) const EXTENSIONS: [&str; 2] = ["tiktoken", "gguf"];

/// Returns the tokenizer file of a model folder. Fails if there is none, or if only several of one extension exist.
pub(super) fn tokenizer_of(folder: &Path) -> Result<PathBuf, VocabularyError> {
    if let Some(path) = NAMES.iter().map(|name| folder.join(name)).find(|path| path.is_file()) {
        return Ok(path);
    }
    let failed = |source| VocabularyError::Read { path: folder.to_owned(), source };
    let mut found: [Vec<PathBuf>; EXTENSIONS.len()] = Default::default();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if let Some(at) = EXTENSIONS.iter().position(|&wanted| extension == Some(wanted)) {
            found[at].push(path);
        }
    }
    for paths in &found {
        if let [only] = paths.as_slice() {
            return Ok(only.clone());
        }
    }
    let hint = if found.iter().any(|paths| !paths.is_empty()) {
        "; it holds several of these: name the one to import"
    } else {
        ""
    };
    Err(VocabularyError::NoTokenizer { folder: folder.to_owned(), hint })
}

/// Reads a whole file. Fails if it is larger than [`MAX_FILE_BYTES`].
pub(super) fn read_file(path: &Path) -> Result<Vec<u8>, VocabularyError> {
    let failed = |source| VocabularyError::Read { path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    read_rest(path, &file, Vec::new())
}

/// Reads the rest of a file, and appends it to `text`, which has the bytes already read. A pipe cannot be read again.
/// Fails beyond [`MAX_FILE_BYTES`].
pub(super) fn read_rest(
    path: &Path,
    file: &File,
    mut text: Vec<u8>,
) -> Result<Vec<u8>, VocabularyError> {
    let failed = |source| VocabularyError::Read { path: path.to_owned(), source };
    let bytes = file.metadata().map_err(failed)?.len();
    let too_large = |bytes| VocabularyError::FileTooLarge {
        path: path.to_owned(),
        bytes,
        limit: MAX_FILE_BYTES,
    };
    if bytes > MAX_FILE_BYTES {
        return Err(too_large(bytes));
    }
    text.reserve(bytes as usize);
    // The size that a pipe or a device reports does not bound its content.
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut text).map_err(failed)?;
    let read = text.len() as u64;
    if read > MAX_FILE_BYTES { Err(too_large(read)) } else { Ok(text) }
}
