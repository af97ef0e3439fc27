//! Digests the sources of the compiler's crates into `GRAMMARC_SOURCES`, which keys of the cache contain: artifacts of two
//! builds with different sources are not taken for each other's, whatever their version says.
//!
//! The crates lie beside each other in the workspace. A published package has its own sources alone, and requires the
//! others in exactly its own version.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

/// The folders of sources, from the folder of this package.
const FOLDERS: [&str; 7] = [
    "src",
    "grammar/src",
    "json-schema/src",
    "languages/src",
    "patterns/src",
    "typescript/src",
    "vocabulary/src",
];

fn main() -> io::Result<()> {
    let mut files = Vec::new();
    for folder in FOLDERS.map(Path::new).into_iter().filter(|folder| folder.exists()) {
        println!("cargo::rerun-if-changed={}", folder.display());
        collect(folder, &mut files)?;
    }
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        file.hash(&mut hasher);
        fs::read(&file)?.hash(&mut hasher);
    }
    println!("cargo::rustc-env=GRAMMARC_SOURCES={:016x}", hasher.finish());
    Ok(())
}

/// The files below a folder.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { collect(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
