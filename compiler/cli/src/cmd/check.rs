//! `grammarc check`: whether texts are accepted, and if not, where they go wrong and what was allowed there.

use std::path::PathBuf;

use clap::Args;
use grammarc_runtime::error::{BytesError, LimitError};
use grammarc_runtime::{ByteMatcher, Grammar};
use serde::Serialize;

use crate::args::ArtifactArgs;
use crate::failure::Failure;
use crate::frontend::read_input;
use crate::output::Output;
use crate::vocabularies;

/// Bytes before the refused one that an answer quotes.
const QUOTED: usize = 60;

/// Arguments of `check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    artifact: ArtifactArgs,

    /// Texts to check; `-` reads standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,

    /// Take the line end at the end of a file for a part of the text
    ///
    /// Without this, a line end at the very end that the grammar does not take is the file's and not the text's.
    #[arg(long)]
    exact: bool,
}

/// The answer for one text.
#[derive(Debug, Serialize)]
pub(crate) struct Checked {
    pub(crate) file: String,
    pub(crate) bytes: usize,
    #[serde(flatten)]
    pub(crate) verdict: Verdict,
}

/// What became of a text.
#[derive(Debug, Serialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub(crate) enum Verdict {
    /// The grammar accepts it.
    Accepted,
    /// A byte is not allowed.
    Refused {
        #[serde(flatten)]
        place: Place,
        /// The byte.
        found: u8,
        #[serde(flatten)]
        allowed: Allowed,
    },
    /// It ends where the grammar goes on.
    EndsTooEarly {
        #[serde(flatten)]
        place: Place,
        #[serde(flatten)]
        allowed: Allowed,
    },
    /// A limit of the runtime was met.
    Limit {
        #[serde(flatten)]
        place: Place,
        problem: String,
    },
}

/// A place in a text.
#[derive(Debug, Serialize)]
pub(crate) struct Place {
    /// Byte offset.
    pub(crate) offset: usize,
    /// From 1.
    pub(crate) line: usize,
    /// From 1, in characters.
    pub(crate) column: usize,
    /// The end of the line up to here.
    #[serde(skip)]
    pub(crate) before: Vec<u8>,
}

/// What may come next.
#[derive(Debug, Serialize)]
pub(crate) struct Allowed {
    /// Bytes, ascending.
    pub(crate) allowed_bytes: Vec<u8>,
    /// Whether special tokens may come too.
    pub(crate) special_tokens: bool,
    /// Whether the text may end.
    pub(crate) may_end: bool,
}

pub(crate) fn run(args: CheckArgs, output: &mut Output) -> Result<u8, Failure> {
    let grammar = vocabularies::open_grammar(&args.artifact)?;
    let mut code = 0;
    for path in &args.files {
        let (file, text) = read_input(path)?;
        let verdict = check(&grammar, &text, args.exact);
        if !matches!(verdict, Verdict::Accepted) {
            code = 1;
        }
        output.answer(&Checked { file, bytes: text.len(), verdict })?;
    }
    Ok(code)
}

fn check(grammar: &Grammar, text: &[u8], exact: bool) -> Verdict {
    let mut matcher = ByteMatcher::new(grammar);
    let stopped = |at: usize, limit: LimitError| Verdict::Limit {
        place: place(text, at),
        problem: limit.to_string(),
    };
    let line_end = |at: usize| !exact && matches!(&text[at..], b"\n" | b"\r\n");
    let (at, found) = match matcher.accept(text) {
        Ok(()) if matcher.is_accepting() => return Verdict::Accepted,
        Ok(()) => (text.len(), None),
        Err(BytesError::Refused { at }) if line_end(at) && matcher.is_accepting() => {
            return Verdict::Accepted;
        }
        Err(BytesError::Refused { at }) if line_end(at) => (at, None),
        Err(BytesError::Refused { at }) => (at, text.get(at).copied()),
        Err(BytesError::Limit { at, limit }) => return stopped(at, limit),
        Err(other) => {
            return Verdict::Limit { place: place(text, text.len()), problem: other.to_string() };
        }
    };
    let may_end = matcher.is_accepting();
    let allowed = matcher.allowed_bytes().and_then(|bytes| Ok((bytes, matcher.tokens_allowed()?)));
    let allowed = match allowed {
        Ok((allowed_bytes, special_tokens)) => Allowed { allowed_bytes, special_tokens, may_end },
        Err(limit) => return stopped(at, limit),
    };
    let place = place(text, at);
    match found {
        Some(found) => Verdict::Refused { place, found, allowed },
        None => Verdict::EndsTooEarly { place, allowed },
    }
}

/// Line and column of an offset. The column counts characters, and every byte that is part of none.
fn place(text: &[u8], offset: usize) -> Place {
    let before = &text[..offset];
    let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let in_line = &before[line_start..];
    let characters: usize = in_line
        .utf8_chunks()
        .map(|chunk| chunk.valid().chars().count() + chunk.invalid().len())
        .sum();
    let mut from = in_line.len().saturating_sub(QUOTED);
    while in_line.get(from).is_some_and(|byte| byte & 0xC0 == 0x80) {
        from += 1;
    }
    Place {
        offset,
        line: before.iter().filter(|&&byte| byte == b'\n').count() + 1,
        column: characters + 1,
        before: in_line[from..].to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters() {
        let at = |text: &[u8], offset| {
            let place = place(text, offset);
            (place.line, place.column)
        };
        assert_eq!(at(b"", 0), (1, 1));
        assert_eq!(at("é\nüx".as_bytes(), 5), (2, 2));
        assert_eq!(at(b"a\xff\xffb", 3), (1, 4));
        assert_eq!(place(&[b'x'; 100], 100).before.len(), QUOTED);
    }
}
