//! Builds from the outside: what is written, what is left alone, and what is deleted. All with a vocabulary of some 260
//! tokens, so that a build takes milliseconds.

#![expect(clippy::disallowed_methods, reason = "inputs, and artifacts that are to be damaged")]

mod incremental;
mod layer;
mod patterns;
mod within;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use grammarc_build::{Build, BuildError, Outcome, Stale, Why};
use tempfile::TempDir;

/// A folder with a manifest, a tokenizer `t.tiktoken` and two schemas.
struct Place(TempDir);

const MANIFEST: &str = r#"
output = "masks"
[[vocabulary]]
name = "tiny"
tokenizer = "t.tiktoken"
end-tokens = [256]
special-tokens = [{ text = "<|end|>", id = 256 }]
[[source]]
files = ["schemas/**/*.json"]
"#;

const POINT: &str = r#"{"properties": {"x": {"type": "integer"}}, "required": ["x"]}"#;

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("a folder"));
        place.write("grammarc.toml", MANIFEST);
        place.write("t.tiktoken", &ranks(""));
        place.write("schemas/point.json", POINT);
        place.write("schemas/deep/flag.json", r#"{"type": "boolean"}"#);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder");
        fs::write(path, text).expect("written");
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn remove(&self, name: &str) {
        fs::remove_file(self.path(name)).expect("it was there");
    }

    fn build(&self) -> Build {
        Build::new().manifest(self.path("grammarc.toml"))
    }

    #[track_caller]
    fn run(&self) -> Outcome {
        self.build().run().expect("it can be built")
    }

    /// The entries that are not up to date, as file and reason.
    #[track_caller]
    fn stale(&self) -> Vec<(String, Why)> {
        let stale = self.build().check().expect("it can be checked");
        stale.into_iter().map(|Stale { file, why, .. }| (file, why)).collect()
    }

    /// The files of the output with their bytes.
    fn output(&self) -> BTreeMap<String, Vec<u8>> {
        let mut found = BTreeMap::new();
        let root = self.path("masks");
        let mut open = vec![root.clone()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten() {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    let name = path.strip_prefix(&root).expect("below").display().to_string();
                    found.insert(name, fs::read(path).expect("it can be read"));
                }
            }
        }
        found
    }

    fn files(&self) -> Vec<String> {
        self.output().into_keys().collect()
    }
}

/// A rank file of all bytes, and of one more token where it has bytes.
fn ranks(more: &str) -> String {
    let mut lines: Vec<String> = (0..=255_u8).map(|b| format!("{} {b}", base64(&[b]))).collect();
    if !more.is_empty() {
        lines.push(format!("{} 257", base64(more.as_bytes())));
    }
    lines.join("\n")
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |bits: u32| char::from(DIGITS[bits as usize & 63]);
    let group = |part: &[u8]| -> String {
        let byte = |at: usize| u32::from(part.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        let all = [18, 12, 6, 0].map(|shift| digit(bits >> shift));
        let text: String = all[..=part.len()].iter().collect();
        format!("{text:=<4}")
    };
    bytes.chunks(3).map(group).collect()
}

fn names(outcome: &Outcome) -> Vec<&str> {
    outcome.built.iter().map(|built| built.file.as_str()).collect()
}

/// The messages of errors in a manifest.
fn messages(error: &BuildError) -> Vec<&str> {
    match error {
        BuildError::Manifest { diagnostics, .. } => {
            diagnostics.iter().map(|error| error.message.as_str()).collect()
        }
        other => panic!("{other:?}"),
    }
}

fn is_below(path: &Path, folder: &Path) -> bool {
    path.starts_with(folder)
}
