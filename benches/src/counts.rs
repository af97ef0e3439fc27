//! Sums over the masks of known texts, in `counts.json`. They reveal an engine that allows too much or too little,
//! and may therefore be fast, before it is measured.
//!
//! A text is one instance of a MaskBench schema. Its count is the number of its tokens, and the number of tokens
//! allowed by all masks before them. The numbers change with the meaning of grammars. `GRAMMARC_BLESS=1` rewrites the
//! file, so that the change can be reviewed.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use grammarc_artifacts::write;
use grammarc_runtime::error::AcceptError;
use grammarc_runtime::{Grammar, Matcher};
use serde::{Deserialize, Serialize};

/// Sums over the masks of one text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// Number of its tokens.
    pub tokens: usize,
    /// Number of tokens allowed, summed over the positions before each.
    pub allowed: usize,
}

impl Count {
    /// The count of some tokens.
    ///
    /// # Errors
    ///
    /// If the grammar does not accept them.
    pub fn of(grammar: &Grammar, tokens: &[u32]) -> Result<Self, AcceptError> {
        let mut matcher = Matcher::new(grammar);
        let mut allowed = 0;
        for &token in tokens {
            allowed += matcher.mask().len();
            matcher.accept(token)?;
        }
        Ok(Self { tokens: tokens.len(), allowed })
    }
}

/// The expected counts, by the name of the schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(BTreeMap<String, Count>);

impl Counts {
    /// The counts of the file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn expected() -> io::Result<Self> {
        Ok(Self(serde_json::from_str(&std::fs::read_to_string(file())?)?))
    }

    /// Compares counts with the expected ones, and returns how many were expected. With `GRAMMARC_BLESS`, writes them
    /// to the file instead.
    ///
    /// # Errors
    ///
    /// If a count differs; the error names it.
    pub fn check(&self, found: &BTreeMap<String, Count>) -> io::Result<usize> {
        if std::env::var_os("GRAMMARC_BLESS").is_some() {
            let mut all = self.0.clone();
            all.extend(found.iter().map(|(id, &count)| (id.clone(), count)));
            write::replace(&file(), text(&all)?.as_bytes()).map_err(io::Error::other)?;
            return Ok(found.len());
        }
        let mut met = 0;
        for (id, count) in found {
            let Some(expected) = self.0.get(id) else { continue };
            if expected != count {
                let text = format!("{id}: {count:?}, and expected is {expected:?}");
                return Err(io::Error::other(text));
            }
            met += 1;
        }
        Ok(met)
    }
}

/// JSON with a line for each text.
fn text(counts: &BTreeMap<String, Count>) -> io::Result<String> {
    let line = |(id, count)| {
        let (id, count) = (serde_json::to_string(id)?, serde_json::to_string(count)?);
        Ok(format!("  {id}: {count}"))
    };
    let lines = counts.iter().map(line).collect::<io::Result<Vec<String>>>()?;
    Ok(format!("{{\n{}\n}}\n", lines.join(",\n")))
}

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("counts.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_as_expected_is_named() {
        let count = Count { tokens: 3, allowed: 70 };
        let expected = Counts(BTreeMap::from([("a".to_owned(), count)]));
        let found = |allowed| {
            let count = Count { allowed, ..count };
            BTreeMap::from([("a".to_owned(), count), ("new".to_owned(), count)])
        };
        assert_eq!(expected.check(&found(70)).expect("as expected"), 1);
        let error = expected.check(&found(71)).expect_err("one too many");
        assert!(error.to_string().starts_with("a: "), "{error}");
    }

    #[test]
    fn the_file_is_there_and_can_be_read() {
        assert!(!Counts::expected().expect("it can be read").0.is_empty());
    }
}
