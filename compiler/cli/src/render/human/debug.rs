//! Results of the `debug` verbs, for people.

use std::io::{self, Write};

use crate::cmd::debug::ir::IrText;
use crate::cmd::debug::mask::{MaskText, StateText, TokenText};
use crate::cmd::debug::network::NetworkText;
use crate::cmd::debug::trie::TrieText;
use crate::readable::{self, count};
use crate::render::Answer;

impl Answer for IrText {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.text.as_bytes())
    }
}

impl Answer for NetworkText {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.text.as_bytes())
    }
}

impl Answer for TrieText {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let prefix = readable::text(self.prefix.as_bytes());
        let Some(node) = self.node else {
            return writeln!(out, "no token begins with `{prefix}`");
        };
        writeln!(
            out,
            "node {node} `{prefix}`: {} below, {} from here on{}",
            count(self.nodes_below, "node"),
            count(self.tokens_below, "token"),
            ids(&self.tokens)
        )?;
        for child in &self.children {
            let byte = readable::one(child.byte);
            let below = count(child.tokens_below, "token");
            writeln!(out, "  {byte:18} node {:<8} {below:>16}{}", child.node, ids(&child.tokens))?;
        }
        Ok(())
    }
}

/// Formats the ids of the tokens that end at a trie node. Empty if no token ends there.
fn ids(tokens: &[u32]) -> String {
    let ids: Vec<String> = tokens.iter().map(u32::to_string).collect();
    if ids.is_empty() { String::new() } else { format!(", is token {}", ids.join(", ")) }
}

impl Answer for MaskText {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "after `{}`", readable::text(self.after.as_bytes()))?;
        if !self.spelled.is_empty() {
            writeln!(out, "  spelled        {}", tokens(&self.spelled))?;
        }
        for configuration in &self.configurations {
            let stack: Vec<String> = configuration.stack.iter().map(state).collect();
            write!(out, "  configuration  {}", state(&configuration.at))?;
            if !stack.is_empty() {
                write!(out, ", returning to {}", stack.join(", "))?;
            }
            writeln!(out)?;
        }
        let may_end = if self.may_end { ", and the text may end" } else { "" };
        writeln!(
            out,
            "  mask           {} in {}{may_end}",
            count(self.count as u64, "token"),
            count(self.parts as u64, "part")
        )?;
        if !self.tokens.is_empty() {
            let more = self.count.saturating_sub(self.tokens.len());
            let more = if more > 0 {
                format!(" and {}", readable::number(more as u64))
            } else {
                String::new()
            };
            let more = if more.is_empty() { more } else { format!("{more} more") };
            writeln!(out, "  allowed        {}{more}", tokens(&self.tokens))?;
        }
        Ok(())
    }
}

fn state(state: &StateText) -> String {
    let countdown = state.countdown.map(|count| format!(", {count} to go")).unwrap_or_default();
    format!("{} (rule {}{countdown})", state.state, state.rule)
}

fn tokens(tokens: &[TokenText]) -> String {
    let tokens: Vec<String> = tokens
        .iter()
        .map(|token| format!("{} `{}`", token.id, readable::text(&token.bytes)))
        .collect();
    tokens.join(", ")
}
