//! Lowers character classes to expressions over the bytes of UTF-8.
//!
//! A class with few UTF-8 byte sequences becomes an alternation of them, with its one-byte sequences in a single set. A
//! class with many sequences (`\w` has over a thousand) becomes an [`Expr::Regular`]: their prefix tree, with equal
//! subtrees shared. These automata are cached by class, so a pattern with ten thousand `\w` has one.
//!
//! Cost: linear in the ranges of the class, once per distinct class.

use std::sync::{Arc, OnceLock};

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};
use regex_syntax::utf8::{Utf8Range, Utf8Sequences};
use rustc_hash::FxHashMap;

use grammarc_grammar::automata::{Dfa, DfaState, Edge, Edges, minimize};
use grammarc_grammar::ir::{ByteSet, Expr};

/// Most multi-byte sequences of a class that becomes an alternation. A class with more becomes an automaton. The
/// complement of a few ASCII characters, the most common large class, has at most eleven.
const MAX_SEQUENCES: usize = 16;

/// Lowers character classes to expressions, and caches the automata of large classes.
#[derive(Debug, Default)]
pub struct Classes {
    automata: FxHashMap<Vec<(char, char)>, Arc<Dfa>>,
}

impl Classes {
    /// Returns the expression of one character of the class, encoded in UTF-8.
    pub fn expr(&mut self, class: &ClassUnicode) -> Expr {
        let mut ascii = ByteSet::EMPTY;
        let mut longer = Vec::new();
        for sequence in sequences(class) {
            match sequence.as_slice() {
                [range] => ascii = ascii.union(ByteSet::range(range.start, range.end)),
                ranges if longer.len() < MAX_SEQUENCES => longer.push(concatenation(ranges)),
                _ => return Expr::Regular(self.automaton(class)),
            }
        }
        Expr::alt(std::iter::once(Expr::bytes(ascii)).chain(longer))
    }

    /// Returns the automaton of one character of the class, encoded in UTF-8. It has a single accepting state, which
    /// has no edges.
    pub(crate) fn automaton(&mut self, class: &ClassUnicode) -> Arc<Dfa> {
        let key = class.iter().map(|range| (range.start(), range.end())).collect();
        let dfa = self.automata.entry(key).or_insert_with(|| {
            let mut tree = Tree::default();
            sequences(class).for_each(|sequence| tree.insert(sequence.as_slice()));
            Arc::new(tree.into_dfa())
        });
        Arc::clone(dfa)
    }
}

/// Returns the minimal automaton of all UTF-8 texts. Its initial state is also the only accepting one.
pub fn all_texts() -> &'static Dfa {
    static ALL: OnceLock<Dfa> = OnceLock::new();
    ALL.get_or_init(|| {
        let any = ClassUnicode::new([ClassUnicodeRange::new('\0', char::MAX)]);
        let one = Classes::default().automaton(&any);
        let mut states: Vec<DfaState> = one.states.clone();
        for edge in states.iter_mut().flat_map(|state| &mut state.edges) {
            if one.states[edge.target as usize].accepting {
                edge.target = 0;
            }
        }
        states[0].accepting = true;
        minimize(&Dfa { states }.trimmed())
    })
}

/// Returns the UTF-8 byte sequences of a class in ascending order. Each is a sequence of byte ranges.
fn sequences(class: &ClassUnicode) -> impl Iterator<Item = regex_syntax::utf8::Utf8Sequence> + '_ {
    class.iter().flat_map(|range| Utf8Sequences::new(range.start(), range.end()))
}

fn concatenation(ranges: &[Utf8Range]) -> Expr {
    Expr::seq(ranges.iter().map(|range| Expr::bytes(ByteSet::range(range.start, range.end))))
}

/// A prefix tree of the UTF-8 byte sequences of a class. Sequences are inserted in ascending order.
///
/// Invariant: at every depth, the byte range of a sequence equals that of the sequence before it, or lies above it. The
/// sequences of ascending ranges of characters have this property. The depth is at most four.
struct Tree {
    nodes: Vec<Vec<Branch>>,
}

#[derive(Clone, Copy)]
struct Branch {
    range: (u8, u8),
    child: usize,
}

impl Default for Tree {
    fn default() -> Self {
        Self { nodes: vec![Vec::new()] }
    }
}

impl Tree {
    fn insert(&mut self, sequence: &[Utf8Range]) {
        let mut node = 0;
        for range in sequence {
            let range = (range.start, range.end);
            node = match self.nodes[node].last() {
                Some(last) if last.range == range => last.child,
                _ => {
                    let child = self.nodes.len();
                    self.nodes.push(Vec::new());
                    self.nodes[node].push(Branch { range, child });
                    child
                }
            };
        }
    }

    fn into_dfa(self) -> Dfa {
        let mut shared = Shared::default();
        shared.add(&self, 0);
        // Children are numbered before their parents, so the root is last. It must become state 0.
        let last = shared.states.len() as u32 - 1;
        let mut states = shared.states;
        states.reverse();
        for edge in states.iter_mut().flat_map(|state| &mut state.edges) {
            edge.target = last - edge.target;
        }
        Dfa { states }
    }
}

/// An interner of automaton states: equal states get one number.
#[derive(Default)]
struct Shared {
    states: Vec<DfaState>,
    numbers: FxHashMap<DfaState, u32>,
}

impl Shared {
    fn add(&mut self, tree: &Tree, node: usize) -> u32 {
        let branches = &tree.nodes[node];
        // A node without branches ends a sequence, since no sequence is a prefix of another.
        let edges = Edges::with_capacity(branches.len());
        let mut state = DfaState { edges, accepting: branches.is_empty() };
        for branch in branches {
            let target = self.add(tree, branch.child);
            let (lo, hi) = (u32::from(branch.range.0), u32::from(branch.range.1));
            state.add(Edge { lo, hi, target });
        }
        let next = self.states.len() as u32;
        let number = *self.numbers.entry(state.clone()).or_insert(next);
        if number == next {
            self.states.push(state);
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use grammarc_grammar::ir::recognize::recognizes;
    use grammarc_grammar::ir::{GrammarBuilder, Origin};

    fn accepts(expr: &Expr, bytes: &[u8]) -> bool {
        let mut grammar = GrammarBuilder::new();
        let root = grammar.declare("root");
        grammar.define(root, expr.clone(), Origin::default());
        recognizes(&grammar.finish(root), bytes)
    }

    fn class(ranges: &[(char, char)]) -> ClassUnicode {
        ClassUnicode::new(ranges.iter().map(|&(a, b)| ClassUnicodeRange::new(a.min(b), a.max(b))))
    }

    #[test]
    fn ascii_is_one_set() {
        let expr = Classes::default().expr(&class(&[('a', 'z'), ('0', '9'), ('_', '_')]));
        assert!(matches!(expr, Expr::Bytes(set) if set.len() == 37), "{expr}");
    }

    #[test]
    fn the_empty_class_is_never() {
        assert_eq!(Classes::default().expr(&class(&[])), Expr::Never);
    }

    #[test]
    fn all_texts_are_all_of_utf8() {
        let all = all_texts();
        let texts: [&[u8]; 4] =
            [b"", "aß水\u{10ffff}".as_bytes(), b"\xed\x9f\xbf", b"\xee\x80\x80"];
        let others: [&[u8]; 4] = [b"\xc3", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80"];
        assert!(texts.iter().all(|text| all.accepts(text)));
        assert!(!others.iter().any(|text| all.accepts(text)));
    }

    #[test]
    fn large_classes_are_shared() {
        let ranges: Vec<_> =
            (0..500u32).filter_map(|i| char::from_u32(0x300 + 3 * i).map(|c| (c, c))).collect();
        let mut classes = Classes::default();
        let (Expr::Regular(first), Expr::Regular(second)) =
            (classes.expr(&class(&ranges)), classes.expr(&class(&ranges)))
        else {
            panic!("a class of 500 ranges is an automaton");
        };
        assert!(Arc::ptr_eq(&first, &second));
        // Every third block of 64 code points has the same ranges.
        assert!(first.states.len() < 16, "{} states", first.states.len());
    }

    proptest! {
        #[test]
        fn accepts_exactly_the_scalars_of_the_class(
            ranges in prop::collection::vec((any::<char>(), any::<char>()), 0..40),
            negate in any::<bool>(),
            probes in prop::collection::vec(any::<char>(), 20),
        ) {
            let mut class = class(&ranges);
            if negate {
                class.negate();
            }
            let expr = Classes::default().expr(&class);
            let ends = ranges.iter().flat_map(|&(a, b)| [a, b]);
            for probe in probes.into_iter().chain(ends) {
                let inside = class.iter().any(|r| (r.start()..=r.end()).contains(&probe));
                let mut buffer = [0; 4];
                let bytes = probe.encode_utf8(&mut buffer).as_bytes();
                prop_assert_eq!(accepts(&expr, bytes), inside);
                prop_assert!(!accepts(&expr, &bytes[..bytes.len() - 1]));
            }
        }
    }
}
