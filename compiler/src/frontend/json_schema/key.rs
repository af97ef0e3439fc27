//! Keys of an object that are not declared.
//!
//! The declared keys form a trie over their texts. A key that is none of them leaves the trie somewhere: at a byte
//! with no branch, after which the character is completed and the shared rule for the rest of a string takes over, or
//! at a closing quote where no declared key ends. In shortest-escape form two keys are equal where their texts are,
//! so the exclusion is exact, and its size is the trie's and not that of a string automaton.

use std::collections::BTreeMap;

use crate::ir::{ByteSet, Expr};

use super::lower::Emitter;
use super::prelude::Piece;
use super::string::{CharState, escape, plain};

/// Levels of nesting after which the expression goes on in a rule of its own, so that nothing that recurses over
/// expressions meets the length of a key.
const LEVELS: usize = 32;

struct Branch {
    state: CharState,
    children: BTreeMap<u8, usize>,
    declared: bool,
}

/// A key that is none of `keys`, after its opening quote.
pub(crate) fn other_key(emitter: &mut Emitter<'_>, keys: &[&str]) -> Expr {
    let trie = trie(keys);
    let mut exprs: Vec<(Expr, usize)> = vec![(Expr::Never, 0); trie.len()];
    // Children come after their parents, so backwards every child is finished before its parent.
    for (index, branch) in trie.iter().enumerate().rev() {
        let mut choices = Vec::new();
        let mut taken = ByteSet::EMPTY;
        let mut height = 0;
        for (&byte, &child) in &branch.children {
            taken.insert(byte);
            let (rest, below) = std::mem::replace(&mut exprs[child], (Expr::Never, 0));
            height = height.max(below + 1);
            choices.push(Expr::seq([Expr::byte(byte), rest]));
        }
        let tail = emitter.piece(Piece::StringTail);
        if branch.state == CharState::Boundary && taken.minus(plain()).is_empty() {
            choices.push(Expr::seq([Expr::bytes(plain().minus(taken)), tail]));
            choices.push(emitter.piece(Piece::SpecialStringTail));
        } else {
            choices.push(Expr::seq([branch.state.edges_but(taken), tail]));
        }
        if branch.state == CharState::Boundary && !branch.declared {
            choices.push(Expr::byte(b'"'));
        }
        let expr = Expr::alt(choices);
        exprs[index] =
            if height == LEVELS { (emitter.helper("other-key", expr), 0) } else { (expr, height) };
    }
    exprs.swap_remove(0).0
}

fn trie(keys: &[&str]) -> Vec<Branch> {
    let branch = |state| Branch { state, children: BTreeMap::new(), declared: false };
    let mut trie = vec![branch(CharState::Boundary)];
    for key in keys {
        let mut at = 0;
        for byte in escape(key).bytes() {
            let new = trie.len();
            let next = *trie[at].children.entry(byte).or_insert(new);
            if next == new {
                let state = trie[at].state.next(byte).unwrap_or(CharState::Boundary);
                trie.push(branch(state));
            }
            at = next;
        }
        trie[at].declared = true;
    }
    trie
}
