//! The difference of two schemas, for people: what it means, witnesses, and the changed keywords.

use std::io::{self, Write};

use grammarc_portable::{ChangeValue, Difference, SideValue};

use crate::cmd::diff::meaning;
use crate::render::Answer;

impl Answer for Difference {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(tool) = &self.tool {
            write!(out, "{tool}: ")?;
        }
        writeln!(out, "{}", meaning(self.relation))?;
        for (name, side) in [("only OLD", &self.left_only), ("only NEW", &self.right_only)] {
            match side {
                Some(SideValue::Witness { text, .. }) => writeln!(out, "  {name}  {text}")?,
                Some(SideValue::Empty { proved: true, .. }) => {
                    writeln!(out, "  {name}  nothing, proved")?;
                }
                Some(SideValue::Empty { .. }) => writeln!(out, "  {name}  nothing")?,
                Some(SideValue::Unknown { .. }) => writeln!(out, "  {name}  not decided")?,
                None => {}
            }
        }
        for ChangeValue { left, right, effect, .. } in &self.changes {
            let (place, how) = match (left, right) {
                (Some(_), Some(place)) => (place, "changed"),
                (None, Some(place)) => (place, "added"),
                (Some(place), None) => (place, "removed"),
                (None, None) => continue,
            };
            let effect = if *effect == "none" { "no effect" } else { effect };
            writeln!(out, "  {how:<8}  {place}: {effect}")?;
        }
        for reason in &self.assuming {
            writeln!(out, "  assumed   {} is exact: {}", reason.pointer, reason.reason)?;
        }
        for reason in &self.undecided {
            writeln!(out, "  unknown   {}: {}", reason.pointer, reason.reason)?;
        }
        Ok(())
    }
}
