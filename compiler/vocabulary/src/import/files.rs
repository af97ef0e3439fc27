//! Files of tokenizers: found in a folder, read within bounds, and named.

use std::fs::{self, File};
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};

use super::companions::Companions;
use super::format::TokenizerFormat;
use super::{Origin, gguf, read_as};
use crate::draft::Draft;
use crate::error::VocabularyError;
use crate::options::VocabularyOptions;

/// The largest file read: ten times the largest tokenizer in use. Of a GGUF model it bounds the part before the tensors.
pub(super) const MAX_FILE_BYTES: u64 = 400 << 20;

/// Files that are looked for by name, in this order; after them come extensions.
const NAMES: [&str; 3] = ["tokenizer.json", "tokenizer.model", "tekken.json"];

/// Extensions of which a folder may have one file.
const EXTENSIONS: [&str; 2] = ["tiktoken", "gguf"];

/// Reads the tokenizer of a model folder.
pub(super) fn read_folder(
    folder: &Path,
    options: &VocabularyOptions,
) -> Result<Draft, VocabularyError> {
    if let Some(path) = NAMES.iter().map(|name| folder.join(name)).find(|path| path.is_file()) {
        return read_tokenizer(&path, options);
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
            return read_tokenizer(only, options);
        }
    }
    let hint = if found.iter().any(|paths| !paths.is_empty()) {
        "; it holds several of these: name the one to import"
    } else {
        ""
    };
    Err(VocabularyError::NoTokenizer { folder: folder.to_owned(), hint })
}

/// Reads a tokenizer file of any format, and what stands beside it.
pub(super) fn read_tokenizer(
    path: &Path,
    options: &VocabularyOptions,
) -> Result<Draft, VocabularyError> {
    let failed = |source| VocabularyError::Read { path: path.to_owned(), source };
    let origin = Origin { name: Some(name_of(path)), file: path.display().to_string() };
    let file = File::open(path).map_err(failed)?;
    let mut magic = Vec::new();
    (&file).take(4).read_to_end(&mut magic).map_err(failed)?;
    if TokenizerFormat::detect(&magic) == Some(TokenizerFormat::Gguf) {
        // A model has gigabytes, and other models may lie beside it: it alone is read, as far as its tensors.
        let input = BufReader::new(magic.as_slice().chain(file));
        return gguf::read(input, origin, &Companions::given(options)?);
    }
    let bytes = read_rest(path, &file, magic)?;
    let companions = Companions::beside(path, options)?;
    read_as(TokenizerFormat::detect(&bytes), &bytes, origin, &companions, options)
}

/// The name by which people know the file: its folder's where it is called as in every folder, otherwise its own.
fn name_of(path: &Path) -> String {
    let full: PathBuf = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let own = full.file_stem();
    let folder = full.parent().and_then(Path::file_name);
    let usual = own.is_some_and(|stem| stem == "tokenizer" || stem == "tekken");
    let name = if usual { folder.or(own) } else { own };
    name.map_or_else(|| "vocabulary".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Reads a whole file, within bounds.
pub(super) fn read_file(path: &Path) -> Result<Vec<u8>, VocabularyError> {
    let failed = |source| VocabularyError::Read { path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    read_rest(path, &file, Vec::new())
}

/// Reads what is left of a file behind its first bytes; a pipe yields these only once.
fn read_rest(path: &Path, file: &File, mut text: Vec<u8>) -> Result<Vec<u8>, VocabularyError> {
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
