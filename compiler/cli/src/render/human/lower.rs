//! A lowered schema, for people: its relation to the source, what was rewritten, and the schema.

use std::io::{self, Write};

use grammarc_portable::{Denotes, Gives};

use crate::cmd::lower::LoweredFile;
use crate::render::Answer;

impl Answer for LoweredFile {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { path, lowered } = self;
        let proof = if lowered.proved { ", proved" } else { "" };
        writeln!(out, "{}: {}{proof}", lowered.target, lowered.relation)?;
        for (what, value) in [("only before", &lowered.missing), ("only after", &lowered.added)] {
            if let Some(value) = value {
                writeln!(out, "  {what:<11} {value}")?;
            }
        }
        for lost in &lowered.lost {
            let effect = match lost.effect {
                Gives::Equal => "equal",
                Gives::Narrower => "narrower",
                Gives::Wider => "wider",
                Gives::Unknown => "not decided",
            };
            let witness = lost.witness.iter().map(|text| format!(", such as {text}"));
            let witness = witness.collect::<String>();
            writeln!(out, "  lost       {}: {effect}{witness}", lost.pointer)?;
        }
        for rewritten in &lowered.rewritten {
            writeln!(out, "  rewritten  {} ({})", rewritten.pointer, rewritten.by)?;
        }
        for stand_in in &lowered.stand_ins {
            let is = match stand_in.is {
                Denotes::NullForAbsent => "`null` denotes an absent member",
                Denotes::Root => "the member `value` denotes the whole",
            };
            writeln!(out, "  stand-in   {}: {is}", stand_in.pointer)?;
        }
        for finding in &lowered.findings {
            writeln!(
                out,
                "  {:<9}  {}: {}",
                finding.severity.name(),
                finding.pointer,
                finding.message
            )?;
        }
        for reason in &lowered.undecided {
            writeln!(out, "  unknown    {reason}")?;
        }
        match path {
            Some(path) => writeln!(out, "written to {}", path.display()),
            None => writeln!(out, "{:#}", lowered.schema),
        }
    }
}
