//! Findings about a schema, for people: a line each, with what to change.

use std::io::{self, Write};

use grammarc_portable::Severity;

use crate::cmd::lint::Linted;
use crate::readable;
use crate::render::Answer;

impl Answer for Linted {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        for finding in &self.findings {
            let place = match &finding.tool {
                Some(tool) => format!("{tool}: {}", finding.pointer),
                None if finding.pointer.is_empty() => "the whole schema".to_owned(),
                None => finding.pointer.clone(),
            };
            let target = if finding.target.is_empty() { "all" } else { &finding.target };
            let severity = finding.severity.name();
            writeln!(out, "{severity:<9}  {target:<16}  {place}: {}", finding.message)?;
            if let Some(change) = &finding.change {
                writeln!(out, "{:29}{change}", "")?;
            }
        }
        for pointer in &self.silent {
            writeln!(out, "silent     {:<16}  {pointer} changes nothing", "all")?;
        }
        for pointer in &self.dead {
            writeln!(out, "dead       {:<16}  {pointer} adds nothing", "all")?;
        }
        for target in &self.targets {
            let count = |severity| {
                let of = |finding: &&grammarc_portable::Finding| {
                    finding.target == *target && finding.severity == severity
                };
                self.findings.iter().filter(of).count() as u64
            };
            let [errors, losses, uncertain] =
                [Severity::Error, Severity::Loss, Severity::Uncertain].map(count);
            let errors = readable::count(errors, "error");
            writeln!(out, "{target}: {errors}, {losses} losses, {uncertain} uncertain")?;
        }
        Ok(())
    }
}
