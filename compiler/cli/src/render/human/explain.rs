//! An explanation, for people: where a text is refused, why, and what may come there.

use std::io::{self, Write};

use crate::cmd::explain::{BlameValue, Explained, SourcePlace};
use crate::readable;
use crate::render::Answer;

/// Most alternatives that are listed. Others are counted.
const ALTERNATIVES: usize = 12;

impl Answer for Explained {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let place = &self.place;
        let before = readable::text(&place.before);
        let what = match self.byte {
            Some(byte) => format!("{} is refused", readable::one(byte)),
            None if self.verdict == "allowed" => "all is allowed".to_owned(),
            None => "the text ends too early".to_owned(),
        };
        writeln!(out, "{}:{}:{}: {what}", self.file, place.line, place.column)?;
        writeln!(out, "  after  {before}")?;
        if let Some(instance) = &self.instance {
            let instance = if instance.is_empty() { "the outermost value" } else { instance };
            writeln!(out, "  at     {instance}")?;
        }
        for SourcePlace { name, position } in &self.places {
            let name = if name.is_empty() { "the whole schema" } else { name };
            writeln!(out, "  by     {name}{}", at(*position))?;
        }
        match self.cause {
            Some("key-order") => writeln!(
                out,
                "  why    the keys come in the order of the schema: see `--key-order`"
            )?,
            Some("text-form") => writeln!(
                out,
                "  why    the form of the text: see `--whitespace`, `--escapes` and `--numbers`"
            )?,
            Some("syntax") => writeln!(out, "  why    it is no JSON")?,
            Some("unknown") => writeln!(out, "  why    not found")?,
            Some("together") => writeln!(out, "  why    these together:")?,
            Some(_) if self.blame.len() > 1 => writeln!(out, "  why    one of these:")?,
            _ => {}
        }
        for BlameValue { pointer, value, position, .. } in &self.blame {
            writeln!(out, "  why    {pointer} {value}{}", at(*position))?;
        }
        let mut next = match self.next.len() {
            256 => vec!["any byte".to_owned()],
            _ => readable::byte_set(&self.next),
        };
        if self.may_end {
            next.insert(0, "the end".to_owned());
        }
        writeln!(out, "  next   {}", readable::alternatives(&next, ALTERNATIVES))?;
        match &self.completion {
            Some(text) if !text.is_empty() => {
                writeln!(out, "  ends   {}", readable::text(text.as_bytes()))
            }
            _ => Ok(()),
        }
    }
}

fn at(position: Option<(usize, usize)>) -> String {
    position.map_or_else(String::new, |(line, column)| format!(" ({line}:{column})"))
}
