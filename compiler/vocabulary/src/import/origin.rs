//! Where a tokenizer comes from: its name for people, and its name in messages.

use std::path::{Path, PathBuf};

use crate::draft::Draft;

/// Where a tokenizer comes from.
pub(super) struct Origin {
    /// The name of the tokenizer for people. `None` for bytes in memory.
    name: Option<String>,
    /// The name of the file in messages.
    pub(super) file: String,
}

impl Origin {
    /// Returns the origin of a tokenizer file.
    pub(super) fn of_file(path: &Path) -> Self {
        Self { name: Some(name_of(path)), file: path.display().to_string() }
    }

    /// Returns the origin of a tokenizer in memory, which messages call `file`.
    pub(super) fn in_memory(file: &str) -> Self {
        Self { name: None, file: file.to_owned() }
    }

    /// Returns an empty draft. Its name is that of the origin, or else `own`, which the tokenizer gives itself.
    pub(super) fn draft(&self, own: Option<&str>) -> Draft {
        let name = self.name.as_deref().or(own).unwrap_or("vocabulary");
        Draft::new(name.to_owned())
    }
}

/// Returns the name of a file without its extension. For a usual file name such as `tokenizer.json`, returns the name
/// of the folder.
fn name_of(path: &Path) -> String {
    let full: PathBuf = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let own = full.file_stem();
    let folder = full.parent().and_then(Path::file_name);
    let usual = own.is_some_and(|stem| stem == "tokenizer" || stem == "tekken");
    let name = if usual { folder.or(own) } else { own };
    name.map_or_else(|| "vocabulary".to_owned(), |name| name.to_string_lossy().into_owned())
}
