//! The origin of a tokenizer: its names for people and for messages.

use std::path::{Path, PathBuf};

use crate::draft::Draft;

/// The origin of a tokenizer.
pub(super) struct Origin {
    /// Name that people know the tokenizer by; `None` for bytes in memory.
    name: Option<String>,
    /// Name in messages.
    pub(super) file: String,
}

impl Origin {
    /// Returns the origin of a file.
    pub(super) fn of_file(path: &Path) -> Self {
        Self { name: Some(name_of(path)), file: path.display().to_string() }
    }

    /// Returns the origin of bytes in memory, which messages call `file`.
    pub(super) fn in_memory(file: &str) -> Self {
        Self { name: None, file: file.to_owned() }
    }

    /// Returns an empty draft; `own` is the name that the tokenizer gives itself.
    pub(super) fn draft(&self, own: Option<&str>) -> Draft {
        let name = self.name.as_deref().or(own).unwrap_or("vocabulary");
        Draft::new(name.to_owned())
    }
}

/// Returns the stem of the file's name, or the folder's name where every folder's file has that stem.
fn name_of(path: &Path) -> String {
    let full: PathBuf = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let own = full.file_stem();
    let folder = full.parent().and_then(Path::file_name);
    let usual = own.is_some_and(|stem| stem == "tokenizer" || stem == "tekken");
    let name = if usual { folder.or(own) } else { own };
    name.map_or_else(|| "vocabulary".to_owned(), |name| name.to_string_lossy().into_owned())
}
