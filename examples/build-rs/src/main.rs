//! Reads a text from standard input and says whether it is a point, by a grammar that the build script has compiled.
//!
//! The artifacts are part of the program. A program with large ones names their files instead, by `GRAMMARC_OUT`, and
//! opens them: then processes share their pages.

use std::io::{self, Read, Write};
use std::process::ExitCode;

use grammarc_artifacts::{Buffer, Error, GrammarArtifact, VocabularyArtifact};
use grammarc_runtime::{Grammar, Matcher};

static VOCABULARY: &[u8] = include_bytes!(concat!(env!("GRAMMARC_OUT"), "/bytes.gvocab"));
static POINT: &[u8] = include_bytes!(concat!(env!("GRAMMARC_OUT"), "/bytes/schemas/point.gmask"));

/// The grammar of points.
fn point() -> Result<Grammar, Error> {
    let vocabulary = VocabularyArtifact::from_buffer(Buffer::from_bytes(VOCABULARY))?;
    GrammarArtifact::from_buffer(Buffer::from_bytes(POINT), &vocabulary).map(Grammar::from)
}

/// Whether the tokens of a text, which are its bytes here, are accepted to the end.
fn is_point(grammar: &Grammar, text: &str) -> bool {
    let mut matcher = Matcher::new(grammar);
    text.bytes().all(|byte| matcher.accept(byte.into()).is_ok()) && matcher.is_accepting()
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let accepted = is_point(&point()?, text.trim_end());
    writeln!(io::stdout(), "{}", if accepted { "a point" } else { "no point" })?;
    Ok(ExitCode::from(u8::from(!accepted)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_told() {
        let grammar = point().expect("the build script has made it");
        assert!(is_point(&grammar, r#"{"x": 1, "y":-2}"#));
        for text in [r#"{"x": 1}"#, r#"{"x": 1, "y": 2.5}"#, r#"{"x": 1, "y": 2"#, "[]"] {
            assert!(!is_point(&grammar, text), "{text}");
        }
    }
}
