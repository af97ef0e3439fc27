//! Verdicts on texts, for people: one line each, and an excerpt if a text is rejected.

use std::io::{self, Write};

use crate::cmd::check::{Allowed, Checked, Place, Verdict};
use crate::readable;
use crate::render::Answer;

/// Number of allowed alternatives that are listed. Further alternatives are counted.
const ALTERNATIVES: usize = 12;

impl Answer for Checked {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let file = &self.file;
        match &self.verdict {
            Verdict::Accepted => {
                writeln!(out, "{file}: accepted, {}", readable::size(self.bytes as u64))
            }
            Verdict::Refused { place, found, allowed, compile_with } => {
                let found = readable::one(*found);
                writeln!(out, "{file}:{}: refused, {found} is not allowed here", spot(place))?;
                excerpt(out, place, allowed)?;
                match &compile_with[..] {
                    [] => Ok(()),
                    flags => {
                        let flags = flags.join(" ");
                        writeln!(
                            out,
                            "    its value is accepted in another form: compile with {flags}"
                        )
                    }
                }
            }
            Verdict::TokenRefused { index, token, text, allowed_tokens, may_end } => {
                let text = readable::text(text.as_bytes());
                let end = if *may_end { ", or the end" } else { "" };
                let allowed = readable::count(*allowed_tokens as u64, "token");
                writeln!(
                    out,
                    "{file}: refused, token {token} `{text}` at {index}; {allowed} may come there{end}"
                )
            }
            Verdict::EndsTooEarlyInTokens { index, allowed_tokens } => {
                let tokens = readable::count(*index as u64, "token");
                let allowed = readable::count(*allowed_tokens as u64, "token");
                writeln!(out, "{file}: ends too early, after {tokens}; {allowed} may come there")
            }
            Verdict::EndsTooEarly { place, allowed } => {
                writeln!(out, "{file}:{}: ends too early", spot(place))?;
                excerpt(out, place, allowed)
            }
            Verdict::Limit { place, problem } => {
                writeln!(out, "{file}:{}: not decided, {problem}", spot(place))
            }
        }
    }
}

/// Formats a position as line, column and byte offset: `3:14 (byte 1,234)`.
fn spot(place: &Place) -> String {
    format!("{}:{} (byte {})", place.line, place.column, readable::number(place.offset as u64))
}

fn excerpt(out: &mut dyn Write, place: &Place, allowed: &Allowed) -> io::Result<()> {
    let before = readable::text(&place.before);
    writeln!(out, "    {before}")?;
    writeln!(out, "    {}^ expected {}", " ".repeat(before.chars().count()), expected(allowed))
}

fn expected(allowed: &Allowed) -> String {
    let mut parts = match allowed.allowed_bytes.len() {
        256 => vec!["any byte".to_owned()],
        _ => readable::byte_set(&allowed.allowed_bytes),
    };
    for name in allowed.special_tokens.iter().rev() {
        parts.insert(0, format!("the special token `{}`", readable::text(name.as_bytes())));
    }
    if allowed.may_end {
        parts.insert(0, "the end".to_owned());
    }
    readable::alternatives(&parts, ALTERNATIVES)
}
