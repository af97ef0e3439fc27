//! The text form of a network, for `grammarc debug network` and for test failures.

use std::fmt;

use grammarc_artifacts::sections::network::{NONE, state_flags};

use super::normal_form::Network;

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tables = self.tables.as_tables();
        let bases = tables.bases;
        for (index, (rule, (name, _))) in tables.rules.iter().zip(&self.rules).enumerate() {
            let id = bases.rules + index as u32;
            let mark = if self.roots.contains(&id) { "*" } else { " " };
            writeln!(f, "{mark} rule {id} {name}")?;
            for state in rule.first_state..rule.first_state + rule.state_count {
                let at = (state - bases.states) as usize;
                let record = &tables.states[at];
                write!(f, "    {state}")?;
                let flags = [
                    (state_flags::FINAL, " final"),
                    (state_flags::POP_ONLY, " pop-only"),
                    (state_flags::ABSORBING, " absorbing"),
                ];
                for (bit, text) in flags {
                    f.write_str(if record.flags & bit != 0 { text } else { "" })?;
                }
                if record.flags & state_flags::RESTS == 0 {
                    f.write_str(" no-rest")?;
                }
                if record.count_exit != NONE {
                    let bits = record.flags >> state_flags::SHIFT & 31;
                    let width = record.flags >> state_flags::WIDTH & 31;
                    let exit = record.count_exit;
                    match record.flags & (state_flags::CLEARS | state_flags::LOADS) {
                        state_flags::LOADS => write!(f, " sets {bits}+{width} to {exit}")?,
                        state_flags::CLEARS => write!(f, " clears {bits} down-to {exit}")?,
                        _ if width == 0 => write!(f, " counts-down-to {exit}")?,
                        _ => write!(f, " counts {bits}+{width} down-to {exit}")?,
                    }
                    f.write_str(if record.flags & state_flags::THEN != 0 { " then" } else { "" })?;
                }
                writeln!(f)?;
                for edge in tables.byte_edges_of(at) {
                    let (lo, hi) = (edge.lo(), edge.hi());
                    write!(f, "        {}", lo.escape_ascii())?;
                    if lo < hi {
                        write!(f, "..{}", hi.escape_ascii())?;
                    }
                    writeln!(f, " -> {}", edge.target)?;
                }
                for call in tables.call_edges_of(at) {
                    write!(f, "        call {}", call.callee)?;
                    if call.count > 0 {
                        write!(f, " (countdown {})", call.count)?;
                    }
                    match call.ret {
                        NONE => writeln!(f, " and return")?,
                        ret => writeln!(f, " -> {ret}")?,
                    }
                }
                for edge in tables.token_edges_of(at) {
                    writeln!(f, "        tokens {} -> {}", edge.tokens, edge.target)?;
                }
            }
        }
        Ok(())
    }
}
