//! Files of tokenizers: found in a folder, and read up to a limit of bytes.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::error::VocabularyError;

/// Limit in bytes of a file: ten times the largest tokenizer in use. A larger file is refused. For a GGUF model, the limit
/// holds for the part before the tensors.
pub(super) const MAX_FILE_BYTES: u64 = 400 << 20;

/// File names of tokenizers, by precedence; all go before the extensions.
pub(crate) const NAMES: [&str; 3] = ["tokenizer.json", "tokenizer.model", "tekken.json"];

/// Extensions of tokenizers. A folder with several files of one extension is refused.
pub(crate) const EXTENSIONS: [&str; 2] = ["tiktoken", "gguf"];

/// Finds the tokenizer of a model folder.
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

/// Reads a whole file.
pub(super) fn read_file(path: &Path) -> Result<Vec<u8>, VocabularyError> {
    let failed = |source| VocabularyError::Read { path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    read_rest(path, &file, Vec::new())
}

/// Reads the rest of a file and appends it to `text`, its first bytes: a pipe yields these only once.
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
    // The size that a pipe or a device states is no bound on what it yields.
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut text).map_err(failed)?;
    let read = text.len() as u64;
    if read > MAX_FILE_BYTES { Err(too_large(read)) } else { Ok(text) }
}
