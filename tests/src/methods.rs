//! Inherent methods, and calls of them, read from source text.
//!
//! An `impl` of a type may be spread over files. A method calls another of its type by `self.name()`, which names no
//! path, so the files of one type can reach each other unseen. This pass finds the blocks of each type and the methods
//! that each block defines and calls.
//!
//! Cost: O(tokens).

use std::collections::BTreeSet;

use crate::layers::is_name;

/// An `impl` block of a type, without a trait.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Block {
    /// The last name of the type's path.
    pub(crate) of: String,
    /// The methods and other functions that the block defines.
    pub(crate) defines: BTreeSet<String>,
    /// Names that the block calls by `self.` or `Self::`.
    pub(crate) calls: BTreeSet<String>,
}

/// The `impl` blocks of types in the tokens of a file.
pub(crate) fn blocks(tokens: &[&str]) -> Vec<Block> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let is_item = tokens[at] == "impl"
            && at
                .checked_sub(1)
                .is_none_or(|before| matches!(tokens[before], "}" | "{" | ";" | "]" | "unsafe"));
        at += 1;
        if !is_item {
            continue;
        }
        let (of, body) = head(tokens, at);
        let end = closing(tokens, body);
        if let Some(of) = of {
            found.push(block(of, &tokens[body.min(end)..end]));
        }
        at = end;
    }
    found
}

/// Reads the head of an `impl` block: the type's name, `None` for a trait's block, and where the body begins.
fn head<'t>(tokens: &[&'t str], mut at: usize) -> (Option<&'t str>, usize) {
    let mut angles = 0_usize;
    let mut of = None;
    let mut is_trait = false;
    let mut bounds = false;
    while let Some(&token) = tokens.get(at) {
        match token {
            "{" if angles == 0 => break,
            "<" => angles += 1,
            // The arrow of a function type closes nothing.
            ">" if tokens[at - 1] != "-" => angles = angles.saturating_sub(1),
            "for" if angles == 0 => is_trait = true,
            "where" if angles == 0 => bounds = true,
            name if angles == 0 && !bounds && is_name(name) && !matches!(name, "dyn" | "mut") => {
                of = Some(name);
            }
            _ => {}
        }
        at += 1;
    }
    (of.filter(|_| !is_trait), at)
}

/// The place behind the brace that closes the one at `open`.
fn closing(tokens: &[&str], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, &token) in tokens.iter().enumerate().skip(open) {
        match token {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

fn block(of: &str, body: &[&str]) -> Block {
    let mut block = Block { of: of.to_owned(), ..Block::default() };
    let mut depth = 0_usize;
    for (at, &token) in body.iter().enumerate() {
        match token {
            "{" => depth += 1,
            "}" => depth -= 1,
            "fn" if depth == 1 => {
                block.defines.extend(body.get(at + 1).map(|name| (*name).to_owned()));
            }
            "self" | "Self" => {
                let (Some(link), Some(name)) = (body.get(at + 1), body.get(at + 2)) else {
                    continue;
                };
                let is_call = matches!(body.get(at + 3), Some(&"(" | &"::"));
                if matches!(*link, "." | "::") && is_name(name) && is_call {
                    block.calls.insert((*name).to_owned());
                }
            }
            _ => {}
        }
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::tokens;

    fn found(source: &str) -> Vec<(String, String, String)> {
        let tokens = tokens(source);
        let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
        let joined = |names: BTreeSet<String>| names.into_iter().collect::<Vec<_>>().join(" ");
        let blocks = blocks(&tokens).into_iter();
        blocks.map(|block| (block.of, joined(block.defines), joined(block.calls))).collect()
    }

    #[test]
    fn blocks_of_types_have_their_methods_and_calls() {
        let source = "struct A; impl<'a, T: Fn(u8) -> u8> super::A<'a, T> where T: Copy { \
            fn f(&self) { self.g(); self.field; Self::h::<u8>(1); fn inner() {} } pub fn g(self) {} }";
        assert_eq!(found(source), [("A".into(), "f g".into(), "g h".into())]);
    }

    #[test]
    fn blocks_of_traits_and_types_in_signatures_are_none() {
        let source = "impl Clone for A { fn clone(&self) { self.f() } } fn f(x: impl Fn()) -> impl Iterator { A {} }";
        assert_eq!(found(source), []);
    }
}
