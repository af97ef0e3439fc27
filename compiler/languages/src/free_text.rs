//! Free text up to patterns: builds the Aho-Corasick automaton of the patterns as a graph of expressions.
//!
//! The text is UTF-8 without special tokens and without an occurrence of a pattern. It ends at the leftmost end of a
//! pattern, however it is tokenized. A pattern that leads to no state is forbidden, except inside a pattern that ends
//! the text: text without `<` may be ended by `</a>`. A pattern is a sequence of [`Symbol`]s, bytes and whole tokens,
//! so a special token in a pattern matches as a token.
//!
//! A state is a node of the patterns' trie with the missing bytes of a character, so text never ends within a
//! character. After a forbidden pattern, the text can only end. Such a state ([`StateKey::Ending`]) has the node of the
//! longest pattern that may be ending the text, and the number of symbols since the forbidden pattern ended. Edges are
//! disjoint sets of bytes, so the graph is deterministic.
//!
//! Cost: O(total length of the patterns · ranges of bytes · length of ending patterns that contain another one).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rustc_hash::FxHashMap;

use grammarc_artifacts::suffix_trie::{ROOT, SuffixTrie};
use grammarc_grammar::ir::{ByteSet, Expr, ExprGraph, TokenRef, TokenSet};
use grammarc_patterns::utf8;
use grammarc_patterns::utf8::Rest;

/// A symbol of a pattern in free text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Symbol {
    /// A byte of a pattern.
    Byte(u8),
    /// A whole token in a pattern, such as a special token.
    Token(TokenRef),
}

impl Symbol {
    /// Returns the expression of a sequence of symbols.
    #[cfg(feature = "structural-tag")]
    pub(crate) fn expr(symbols: &[Self]) -> Expr {
        let runs =
            symbols.chunk_by(|one, other| matches!((one, other), (Self::Byte(_), Self::Byte(_))));
        Expr::seq(runs.map(|run| match run {
            [Self::Token(token)] => Self::token(token),
            bytes => {
                let bytes = bytes.iter().filter_map(|symbol| match symbol {
                    Self::Byte(byte) => Some(*byte),
                    Self::Token(_) => None,
                });
                Expr::literal(bytes.collect::<Vec<u8>>())
            }
        }))
    }

    fn token(token: &TokenRef) -> Expr {
        Expr::Token(TokenSet { tokens: vec![(token.clone(), None)], negated: false })
    }
}

/// A sequence of symbols that ends free text, or that free text may not contain.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    /// The symbols of the pattern, at least one. The bytes between tokens are whole UTF-8 characters.
    pub(crate) symbols: Vec<Symbol>,
    /// The state of the graph after the pattern. `None` if the pattern is forbidden.
    pub(crate) leads_to: Option<u32>,
}

/// Adds free text to a graph, from the state `start` on. Text without a pattern may end wherever a character is
/// complete, and then leads to `end` if given. If several patterns end at one place, the first in the list takes
/// effect.
pub(crate) fn free_text(graph: &mut ExprGraph, start: u32, patterns: &[Pattern], end: Option<u32>) {
    let begin = StateKey::Text(ROOT, None);
    let mut building = Building {
        graph,
        patterns,
        trie: &Trie::new(patterns),
        end,
        states: FxHashMap::from_iter([(begin, start)]),
        open: VecDeque::from([begin]),
    };
    while let Some(place) = building.open.pop_front() {
        let from = building.states[&place];
        match place {
            StateKey::Text(node, rest) => building.text(from, node, rest),
            StateKey::Ending(node, sure) => building.ending(from, node, sure),
        }
    }
}

/// The graph of free text under construction.
struct Building<'a> {
    graph: &'a mut ExprGraph,
    patterns: &'a [Pattern],
    trie: &'a Trie,
    /// The state after text that ends without a pattern. `None` if the text needs a pattern to end.
    end: Option<u32>,
    /// Maps each state of the search to its state in the graph.
    states: FxHashMap<StateKey, u32>,
    /// The worklist of states that have no outgoing edges yet.
    open: VecDeque<StateKey>,
}

impl Building<'_> {
    fn state_at(&mut self, place: StateKey) -> u32 {
        *self.states.entry(place).or_insert_with(|| {
            self.open.push_back(place);
            self.graph.state()
        })
    }

    /// Returns the graph state for a trie node and the missing bytes `rest` of a character. `None` if a forbidden
    /// pattern has ended there that no other pattern can contain.
    fn state_of(&mut self, node: u32, rest: Option<Rest>) -> Option<u32> {
        let place = match self.trie.data(node).ends {
            None => StateKey::Text(node, rest),
            Some(pattern) => match self.patterns[pattern as usize].leads_to {
                Some(state) => return Some(state),
                None => StateKey::Ending(self.trie.ending_from(node, 0).next()?, 0),
            },
        };
        Some(self.state_at(place))
    }

    fn text(&mut self, from: u32, node: u32, rest: Option<Rest>) {
        let trie = self.trie;
        let tokens_before = trie.data(node).token_count;
        let mut targets: BTreeMap<u32, ByteSet> = BTreeMap::new();
        for (byte, next) in bytes_of(rest) {
            let to = trie.0.step(node, &Symbol::Byte(byte));
            if trie.data(to).token_count == tokens_before
                && let Some(state) = self.state_of(to, next)
            {
                targets.entry(state).or_default().insert(byte);
            }
        }
        if rest.is_none() {
            for token in trie.tokens(node) {
                let to = trie.0.step(node, &Symbol::Token(token.clone()));
                if trie.data(to).token_count == tokens_before + 1
                    && let Some(state) = self.state_of(to, None)
                {
                    self.graph.edge(from, Symbol::token(token), state);
                }
            }
            if let Some(end) = self.end.filter(|_| tokens_before == 0) {
                self.graph.edge(from, Expr::Empty, end);
            }
        }
        self.bytes(from, targets);
    }

    fn ending(&mut self, from: u32, node: u32, sure: u32) {
        let mut targets: BTreeMap<u32, ByteSet> = BTreeMap::new();
        for (symbol, after) in self.trie.ending(node, sure) {
            let to = match after {
                After::Ended(pattern) => self.patterns[pattern as usize].leads_to,
                After::Ending(node) => Some(self.state_at(StateKey::Ending(node, sure + 1))),
            };
            let Some(to) = to else { continue };
            match symbol {
                Symbol::Byte(byte) => targets.entry(to).or_default().insert(*byte),
                Symbol::Token(token) => self.graph.edge(from, Symbol::token(token), to),
            }
        }
        self.bytes(from, targets);
    }

    fn bytes(&mut self, from: u32, targets: BTreeMap<u32, ByteSet>) {
        for (state, bytes) in targets {
            self.graph.edge(from, Expr::bytes(bytes), state);
        }
    }
}

/// A state of the search for patterns, which becomes a state of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum StateKey {
    /// Within free text: the trie node of the longest pattern prefix at the end of the text, and the missing bytes of
    /// the current character.
    Text(u32, Option<Rest>),
    /// After a forbidden pattern, within a pattern that ends the text. The first number is the trie node of the longest
    /// such pattern's prefix. The second is the number of symbols since the forbidden pattern ended; the prefix is
    /// longer than that.
    Ending(u32, u32),
}

/// What follows a symbol within a pattern that ends the text.
enum After {
    /// The pattern with this index has ended, and the text with it.
    Ended(u32),
    /// The text continues at this trie node, within the pattern or within one that began later.
    Ending(u32),
}

/// The trie of all patterns, with the suffix links of Aho-Corasick.
struct Trie(SuffixTrie<Symbol, Node>);

/// Facts about a node of the trie. The string of a node is the sequence of symbols from the root to it.
#[derive(Default)]
struct Node {
    /// The first pattern in the list that is a suffix of the string of the trie node. `None` if no pattern is.
    ends: Option<u32>,
    /// The number of tokens in the string of the trie node. Text has no tokens, so they belong to a pattern in
    /// progress.
    token_count: u32,
    /// The first pattern that equals the string of the trie node and leads to a state.
    leading: Option<u32>,
    /// Whether a pattern that leads to a state begins with the string of the trie node.
    leads: bool,
}

impl Trie {
    fn new(patterns: &[Pattern]) -> Self {
        let mut trie = SuffixTrie::<_, Node>::default();
        for (number, pattern) in (0..).zip(patterns) {
            let is_leading = pattern.leads_to.is_some();
            let (mut node, mut token_count) = (ROOT, 0);
            for symbol in &pattern.symbols {
                node = trie.grow(node, symbol);
                token_count += u32::from(matches!(symbol, Symbol::Token(_)));
                let data = trie.data_mut(node);
                data.token_count = token_count;
                data.leads |= is_leading;
            }
            let data = trie.data_mut(node);
            data.ends.get_or_insert(number);
            if is_leading {
                data.leading.get_or_insert(number);
            }
        }
        trie.link(|node, _, suffix| {
            // A token in the string is not text, so a pattern that begins after the token does not end here.
            let within = suffix.ends.filter(|_| suffix.token_count == node.token_count);
            node.ends = [node.ends, within].into_iter().flatten().min();
        });
        Self(trie)
    }

    fn data(&self, node: u32) -> &Node {
        &self.0.node(node).data
    }

    /// Returns a trie node and all nodes on its chain of suffix links, the longest string first. The last is the root.
    fn suffixes(&self, node: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(Some(node), |&node| (node != ROOT).then(|| self.0.node(node).suffix))
    }

    /// Returns the prefixes of patterns that may be ending the text at a node, the longest first. Only prefixes of more
    /// than `sure` symbols count.
    fn ending_from(&self, node: u32, sure: u32) -> impl Iterator<Item = u32> {
        self.suffixes(node)
            .take_while(move |&node| self.0.node(node).depth > sure)
            .filter(|&node| self.data(node).leads)
    }

    /// Returns the symbols that continue the patterns of [`Self::ending_from`], each with what follows.
    fn ending(&self, node: u32, sure: u32) -> BTreeMap<&Symbol, After> {
        let mut found: BTreeMap<&Symbol, After> = BTreeMap::new();
        for node in self.ending_from(node, sure) {
            for &(ref symbol, child) in &self.0.node(node).children {
                let Node { leading: pattern, leads, .. } = *self.data(child);
                match (found.get(symbol), pattern) {
                    // The pattern that ends first takes effect; of several that end at one place, the first in the
                    // list.
                    (Some(After::Ended(other)), Some(pattern)) if pattern >= *other => {}
                    (_, Some(pattern)) => {
                        found.insert(symbol, After::Ended(pattern));
                    }
                    // The node of the longest prefix has the shorter ones as suffixes.
                    (None, None) if leads => {
                        found.insert(symbol, After::Ending(child));
                    }
                    _ => {}
                }
            }
        }
        found
    }

    /// Returns the tokens that continue some pattern at a trie node.
    fn tokens(&self, node: u32) -> BTreeSet<&TokenRef> {
        let children = self.suffixes(node).flat_map(|node| &self.0.node(node).children);
        let tokens = children.filter_map(|(symbol, _)| match symbol {
            Symbol::Token(token) => Some(token),
            Symbol::Byte(_) => None,
        });
        tokens.collect()
    }
}

/// Returns the bytes that may come next in UTF-8, each with what is then missing of its character. `rest` is what is
/// missing now; `None` at the start of a character.
fn bytes_of(rest: Option<Rest>) -> impl Iterator<Item = (u8, Option<Rest>)> {
    let sets = match rest {
        Some(rest) => vec![(rest.bytes(), rest.next())],
        None => {
            let several = utf8::leads().map(|(set, rest)| (set, Some(rest)));
            [(ByteSet::range(0x00, 0x7f), None)].into_iter().chain(several).collect()
        }
    };
    sets.into_iter().flat_map(|(set, next)| set.iter().map(move |byte| (byte, next)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use grammarc_grammar::ir::recognize::recognizes;
    use grammarc_grammar::ir::{Grammar, GrammarBuilder, Origin};

    fn bytes(text: &str) -> Vec<Symbol> {
        text.bytes().map(Symbol::Byte).collect()
    }

    fn grammar(graph: ExprGraph) -> Grammar {
        let mut builder = GrammarBuilder::new();
        let root = builder.declare("root");
        builder.define(root, Expr::Graph(graph.into()), Origin::default());
        builder.finish(root)
    }

    fn any_text() -> impl Strategy<Value = String> {
        prop::collection::vec(prop::sample::select(vec!["a", "b", "é", "è", "日", "😀"]), 0..8)
            .prop_map(|parts| parts.concat())
    }

    fn any_pattern() -> impl Strategy<Value = String> {
        any_text().prop_filter("not empty", |text| !text.is_empty() && text.chars().count() < 5)
    }

    proptest! {
        #[test]
        fn text_is_what_has_no_pattern(patterns in prop::collection::vec(any_pattern(), 0..4), texts in prop::collection::vec(any_text(), 1..20)) {
            let mut graph = ExprGraph::new();
            let end = graph.end();
            let list = patterns.iter().map(|pattern| Pattern { symbols: bytes(pattern), leads_to: None });
            free_text(&mut graph, ExprGraph::START, &list.collect::<Vec<_>>(), Some(end));
            let grammar = grammar(graph);
            for text in texts {
                let expected = !patterns.iter().any(|pattern| text.contains(pattern.as_str()));
                prop_assert_eq!(recognizes(&grammar, text.as_bytes()), expected, "{:?}", text);
            }
        }

        #[test]
        fn a_pattern_ends_the_text_where_it_first_ends(patterns in prop::collection::vec(any_pattern(), 1..4), text in any_text()) {
            let mut graph = ExprGraph::new();
            let end = graph.end();
            let list = patterns.iter().map(|pattern| Pattern { symbols: bytes(pattern), leads_to: Some(end) });
            free_text(&mut graph, ExprGraph::START, &list.collect::<Vec<_>>(), None);
            let first = text.char_indices().map(|(at, c)| at + c.len_utf8());
            let first = first.into_iter().find(|&end| patterns.iter().any(|pattern| text[..end].ends_with(pattern.as_str())));
            prop_assert_eq!(recognizes(&grammar(graph), text.as_bytes()), first == Some(text.len()), "{:?}", text);
        }
    }

    proptest! {
        #[test]
        fn an_end_may_have_what_the_text_may_not(
            ends in prop::collection::vec(any_pattern(), 1..4),
            excludes in prop::collection::vec(any_pattern(), 1..3),
            texts in prop::collection::vec(any_text(), 1..20),
        ) {
            let mut graph = ExprGraph::new();
            let end = graph.end();
            let leading = ends.iter().map(|text| Pattern { symbols: bytes(text), leads_to: Some(end) });
            let others = excludes.iter().map(|text| Pattern { symbols: bytes(text), leads_to: None });
            free_text(&mut graph, ExprGraph::START, &leading.chain(others).collect::<Vec<_>>(), None);
            let grammar = grammar(graph);
            // Appends an end to each text, so that more texts are ended.
            let texts = texts.iter().flat_map(|text| ends.iter().map(move |end| format!("{text}{end}")));
            for text in texts {
                let mut places = text.char_indices().map(|(at, c)| &text[..at + c.len_utf8()]);
                let is_ended = |text: &str| {
                    let mut before = ends.iter().filter_map(|end| text.strip_suffix(end.as_str()));
                    before.any(|text| !excludes.iter().any(|no| text.contains(no.as_str())))
                };
                let expected = places.find(|text| is_ended(text)).is_some_and(|first| first == text);
                prop_assert_eq!(recognizes(&grammar, text.as_bytes()), expected, "{:?} {:?} {:?}", text, ends, excludes);
            }
        }
    }

    #[test]
    fn a_token_that_the_text_may_not_have_may_begin_its_end() {
        let mut graph = ExprGraph::new();
        let end = graph.end();
        let close = vec![Symbol::Token(TokenRef::Id(7))];
        let patterns = [
            Pattern { symbols: [close.clone(), bytes("x")].concat(), leads_to: Some(end) },
            Pattern { symbols: close, leads_to: None },
        ];
        free_text(&mut graph, ExprGraph::START, &patterns, None);
        let tokens: Vec<_> =
            graph.edges().filter(|(_, expr, _)| matches!(expr, Expr::Token(_))).collect();
        assert_eq!(tokens.len(), 1);
        let on = graph.edges().filter(|edge| edge.0 == tokens[0].2);
        assert!(on.map(|(_, expr, to)| (expr.clone(), to)).eq([(Expr::byte(b'x'), end)]));
    }

    #[test]
    fn a_special_token_is_met_as_a_token() {
        let mut graph = ExprGraph::new();
        let end = graph.end();
        let token = Symbol::Token(TokenRef::Id(7));
        let symbols = [bytes("\n"), vec![token], bytes("x")].concat();
        let pattern = Pattern { symbols, leads_to: Some(end) };
        free_text(&mut graph, ExprGraph::START, &[pattern], None);
        // Inside free text, after a line end, after the token, and inside characters.
        let tokens: Vec<_> =
            graph.edges().filter(|(_, expr, _)| matches!(expr, Expr::Token(_))).collect();
        assert_eq!(tokens.len(), 1);
        let behind = tokens[0].2;
        let on =
            graph.edges().filter(|edge| edge.0 == behind).map(|(_, expr, to)| (expr.clone(), to));
        assert!(on.eq([(Expr::byte(b'x'), end)]));
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        let mut graph = ExprGraph::new();
        let end = graph.end();
        free_text(&mut graph, ExprGraph::START, &[], Some(end));
        let grammar = grammar(graph);
        for text in [&b"\xc0\x80"[..], b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe3\x81", b"\x80"] {
            assert!(!recognizes(&grammar, text), "{text:x?}");
        }
        assert!(recognizes(
            &grammar,
            "\0a\u{7f}\u{80}\u{7ff}\u{800}\u{d7ff}\u{e000}\u{10ffff}".as_bytes()
        ));
    }
}
