//! Atomic replacement of a file: no reader sees a partly written file.

use std::io::Write;
use std::path::Path;

use crate::error::Error;

/// Writes `bytes` to a temporary file in the same folder, and renames it to `path`.
///
/// A reader sees the old file or the new one. A memory map of the old file keeps its bytes. The content reaches the
/// disk before the rename.
///
/// # Errors
///
/// The file cannot be written or renamed. The old file stays then.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    replace_parts(path, &[bytes])
}

/// Writes several parts to one file, one after the other, as [`replace`] does.
///
/// # Errors
///
/// The file cannot be written or renamed. The old file stays then.
pub fn replace_parts(path: &Path, parts: &[&[u8]]) -> Result<(), Error> {
    let error = |source| Error::io("write", path, source);
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".grammarc-");
    #[cfg(unix)]
    {
        // Temporary files are private by default; an artifact is not, so the umask decides.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder).map_err(error)?;
    parts.iter().try_for_each(|part| file.write_all(part)).map_err(error)?;
    file.as_file().sync_all().map_err(error)?;
    file.persist(path).map_err(|failure| error(failure.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_a_file_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a.gmask");
        replace(&path, b"old").expect("a new file");
        let old = crate::Buffer::open(&path).expect("a map of the old file");
        replace(&path, b"newer").expect("a replaced file");
        assert_eq!(std::fs::read(&path).expect("the new content"), b"newer");
        assert_eq!(&*old, b"old");
        assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 1);
    }

    #[test]
    fn a_folder_that_is_missing_is_an_error() {
        let error = replace(Path::new("/nonexistent/a.gmask"), b"x").expect_err("no such folder");
        assert!(matches!(error, Error::Io { action: "write", .. }), "{error}");
    }
}
