//! `grammarc check`: checks whether the grammar accepts texts. For a rejected text, shows where it
//! fails and what was allowed there.
//!
//! [`text`] reads a text that contains special tokens, and [`tokens`] a sequence of token ids.
//! [`forms`] explains a text that is rejected only because its value is written in another form.

mod forms;
mod text;
mod tokens;
mod verdict;

use std::path::PathBuf;

use clap::Args;
use grammarc_runtime::Grammar;
use grammarc_runtime::error::{BytesError, LimitError};
use serde::Serialize;

use crate::args::ArtifactArgs;
use crate::failure::Failure;
use crate::input::read_input;
use crate::output::Output;
use crate::vocabularies;

use forms::Difference;
pub(crate) use verdict::{Allowed, Place, Verdict};

/// Greatest number of bytes before the rejected byte that an answer quotes.
const QUOTED: usize = 60;

/// Arguments of `check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    artifact: ArtifactArgs,

    /// Texts to check; `-` reads standard input. A special token is written by its name, or by its
    /// id as `<[7]>`
    #[arg(required_unless_present = "tokens")]
    files: Vec<PathBuf>,

    /// Token ids to check instead of a text, separated by commas or spaces
    #[arg(long, value_name = "IDS", conflicts_with = "files")]
    tokens: Option<String>,

    /// Count the line end at the end of a file as part of the text
    ///
    /// Without this, a line end at the very end is ignored if the grammar does not allow it.
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

pub(crate) fn run(args: CheckArgs, output: &mut Output) -> Result<u8, Failure> {
    let grammar = vocabularies::open_grammar(&args.artifact)?;
    if let Some(list) = &args.tokens {
        let ids = tokens::parse(list)?;
        let verdict = tokens::check(&grammar, &ids);
        let code = u8::from(!matches!(verdict, Verdict::Accepted));
        output.answer(&Checked { file: "<tokens>".to_owned(), bytes: ids.len(), verdict })?;
        return Ok(code);
    }
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
    let (mut matcher, read) = text::read(grammar, text);
    let stopped = |at: usize, limit: LimitError| Verdict::Limit {
        place: place(text, at),
        problem: limit.to_string(),
    };
    let line_end = |at: usize| !exact && matches!(&text[at..], b"\n" | b"\r\n");
    let (at, found) = match read {
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
    let allowed = match matcher.allowed_bytes() {
        Ok(allowed_bytes) => {
            let special_tokens = text::expected(grammar, &matcher);
            Allowed { allowed_bytes, special_tokens, may_end }
        }
        Err(limit) => return stopped(at, limit),
    };
    let place = place(text, at);
    match found {
        Some(found) => {
            let differences = forms::differences(grammar, text).unwrap_or_default();
            let compile_with = differences.into_iter().map(Difference::flag).collect();
            Verdict::Refused { place, found, allowed, compile_with }
        }
        None => Verdict::EndsTooEarly { place, allowed },
    }
}

/// Returns the line and column of a byte offset. The column counts characters; each byte of invalid
/// UTF-8 counts as one.
pub(crate) fn place(text: &[u8], offset: usize) -> Place {
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
