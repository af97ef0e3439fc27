//! The text form of grammars and expressions, for `grammarc debug ir` and for test failures.

use std::fmt;

use super::{ByteSet, Expr, Grammar, RuleKind, Step, TokenRef, TokenSet};

/// The most texts of a set of texts that are shown. The others are only counted.
const SHOWN: usize = 8;

impl fmt::Display for Grammar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, rule) in self.rules.iter().enumerate() {
            let mark = if index == self.start.index() { "*" } else { " " };
            let kind = match rule.kind {
                RuleKind::Plain => "",
                RuleKind::Kept => " (kept)",
                RuleKind::Distinct => " (distinct)",
                RuleKind::Item => " (item)",
                RuleKind::Region(_) => " (region)",
            };
            writeln!(f, "{mark} r{index} {}{kind} = {}", rule.name, rule.expr)?;
        }
        Ok(())
    }
}

/// Returns how strongly an expression's operator binds: 0 for alternation and intersection, 1 for
/// sequence, 2 for everything else.
fn strength(expr: &Expr) -> u8 {
    match expr {
        Expr::Alt(_) | Expr::And(_) => 0,
        Expr::Seq(_) => 1,
        _ => 2,
    }
}

/// Writes an expression, in parentheses if its operator binds less strongly than `least` (see
/// [`strength`]).
fn operand(f: &mut fmt::Formatter<'_>, expr: &Expr, least: u8) -> fmt::Result {
    if strength(expr) < least { write!(f, "({expr})") } else { write!(f, "{expr}") }
}

/// Writes expressions with `separator` between them. An expression whose operator binds less
/// strongly than `least` is in parentheses.
fn joined(f: &mut fmt::Formatter<'_>, parts: &[Expr], separator: &str, least: u8) -> fmt::Result {
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            f.write_str(separator)?;
        }
        operand(f, part, least)?;
    }
    Ok(())
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Never => f.write_str("never"),
            Self::Empty => f.write_str("\"\""),
            Self::Bytes(set) => write!(f, "{set}"),
            Self::Literal(bytes) => write!(f, "\"{}\"", bytes.escape_ascii()),
            Self::Token(set) => write!(f, "{set}"),
            Self::Call(rule) => write!(f, "r{}", rule.index()),
            Self::Seq(parts) => joined(f, parts, " ", 2),
            Self::Alt(parts) => joined(f, parts, " | ", 1),
            Self::And(parts) => joined(f, parts, " & ", 1),
            Self::Not(body) => {
                f.write_str("~")?;
                operand(f, body, 2)
            }
            Self::Repeat { body, min, max } => {
                operand(f, body, 2)?;
                match (min, max) {
                    (0, None) => f.write_str("*"),
                    (1, None) => f.write_str("+"),
                    (0, Some(1)) => f.write_str("?"),
                    (min, None) => write!(f, "{{{min},}}"),
                    (min, Some(max)) => write!(f, "{{{min},{max}}}"),
                }
            }
            Self::Texts(texts) => {
                f.write_str("texts[")?;
                for (index, text) in texts.iter().take(SHOWN).enumerate() {
                    let between = if index > 0 { " | " } else { "" };
                    write!(f, "{between}\"{}\"", text.escape_ascii())?;
                }
                match texts.len().checked_sub(SHOWN + 1) {
                    Some(more) => write!(f, " | {} more]", more + 1),
                    None => f.write_str("]"),
                }
            }
            Self::Regular(dfa) => write!(f, "regular[{} states]", dfa.states.len()),
            Self::Graph(graph) => {
                write!(f, "graph[")?;
                for (index, (from, part, to)) in graph.edges().enumerate() {
                    write!(f, "{}{from}: {part} -> {to}", if index > 0 { "; " } else { "" })?;
                }
                for (state, key) in graph.required_key_states() {
                    write!(f, "; required {key} at {state}")?;
                }
                for (number, counter) in graph.counters().iter().enumerate() {
                    write!(f, "; counter {number} from {}", counter.min)?;
                    counter.max.map_or(Ok(()), |max| write!(f, " to {max}"))?;
                }
                for (state, step) in graph.steps() {
                    let (name, counter) = match step {
                        Step::Reset(counter) => ("reset", counter),
                        Step::Increment(counter) => ("increment", counter),
                        Step::Check(counter) => ("check", counter),
                    };
                    write!(f, "; {name} {counter} at {state}")?;
                }
                write!(f, "; end {}]", graph.end())
            }
        }
    }
}

impl fmt::Display for ByteSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (lo, hi) in self.ranges() {
            write!(f, "{}", lo.escape_ascii())?;
            if lo < hi {
                write!(f, "-{}", hi.escape_ascii())?;
            }
        }
        f.write_str("]")
    }
}

impl fmt::Display for TokenSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.negated { "!<" } else { "<" })?;
        for (index, (token, _)) in self.tokens.iter().enumerate() {
            if index > 0 {
                f.write_str("|")?;
            }
            match token {
                TokenRef::Id(id) => write!(f, "[{id}]")?,
                TokenRef::Text(text) => f.write_str(text)?,
            }
        }
        f.write_str(">")
    }
}
