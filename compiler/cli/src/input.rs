//! Reading files and standard input.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use grammarc_compiler::diagnostics::{Source, encoding};

use crate::failure::{Failure, Problem};

/// Reads a file, or standard input if the path is `-`. Returns the name for messages and the bytes.
pub(crate) fn read_input(path: &Path) -> Result<(String, Vec<u8>), Problem> {
    if path == Path::new("-") {
        let name = "<stdin>".to_owned();
        let mut bytes = Vec::new();
        return match io::stdin().lock().read_to_end(&mut bytes) {
            Ok(_) => Ok((name, bytes)),
            Err(source) => Err(Problem::Read { name, source }),
        };
    }
    let name = path.display().to_string();
    match fs::read(path) {
        Ok(bytes) => Ok((name, bytes)),
        Err(source) => Err(Problem::Read { name, source }),
    }
}

/// Reads a source file as text. A byte order mark at the start is not part of the text. Fails if
/// the bytes are not text.
pub(crate) fn read_source(path: &Path) -> Result<Source, Failure> {
    let (name, bytes) = read_input(path)?;
    let text = encoding::text(&bytes)
        .map_err(|source| Failure::Found(Problem::NotText { name: name.clone(), source }))?;
    Ok(Source::new(name, text))
}
