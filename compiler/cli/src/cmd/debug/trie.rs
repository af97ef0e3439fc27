//! `grammarc debug trie`: shows the token trie, one level at a time.

use std::path::PathBuf;

use clap::Args;
use grammarc_artifacts::{Trie, VocabularyArtifact};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::Output;
use crate::vocabularies;

/// Arguments of `debug trie`.
#[derive(Debug, Args)]
pub(crate) struct TrieArgs {
    /// Vocabulary artifact (.gvocab)
    #[arg(long, value_name = "FILE")]
    vocab: PathBuf,

    /// Show the trie node that this text leads to [default: the root]
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    prefix: String,
}

/// A node of the token trie, with its children.
#[derive(Debug, Serialize)]
pub(crate) struct TrieText {
    pub(crate) prefix: String,
    /// Number of the node. `None` if no token begins with the prefix.
    pub(crate) node: Option<u32>,
    /// Ids of the tokens whose bytes equal the prefix.
    pub(crate) tokens: Vec<u32>,
    /// Number of tokens that begin with the prefix, including the tokens that equal it.
    pub(crate) tokens_below: u32,
    pub(crate) nodes_below: u32,
    pub(crate) children: Vec<ChildText>,
}

/// A child of a trie node.
#[derive(Debug, Serialize)]
pub(crate) struct ChildText {
    pub(crate) byte: u8,
    pub(crate) node: u32,
    /// Ids of the tokens whose bytes end at this child.
    pub(crate) tokens: Vec<u32>,
    pub(crate) tokens_below: u32,
}

pub(crate) fn run(args: TrieArgs, output: &mut Output) -> Result<u8, Failure> {
    let vocabulary = vocabularies::open(&args.vocab)?;
    let text = trie_text(&vocabulary, args.prefix);
    let code = u8::from(text.node.is_none());
    output.answer(&text)?;
    Ok(code)
}

fn trie_text(vocabulary: &VocabularyArtifact, prefix: String) -> TrieText {
    let trie = vocabulary.trie();
    let node = prefix.bytes().try_fold(0, |node, byte| {
        trie.children(node).find(|&child| trie.byte[child as usize] == byte)
    });
    let Some(at) = node else {
        let (tokens, children) = (Vec::new(), Vec::new());
        return TrieText { prefix, node, tokens, tokens_below: 0, nodes_below: 0, children };
    };
    let child = |child: u32| ChildText {
        byte: trie.byte[child as usize],
        node: child,
        tokens: tokens_at(trie, child),
        tokens_below: trie.tokens_below(child).len() as u32,
    };
    TrieText {
        prefix,
        node,
        tokens: tokens_at(trie, at),
        tokens_below: trie.tokens_below(at).len() as u32,
        nodes_below: trie.end[at as usize] - at - 1,
        children: trie.children(at).map(child).collect(),
    }
}

fn tokens_at(trie: Trie<'_>, node: u32) -> Vec<u32> {
    let ranks = trie.tokens_at(node);
    trie.token_of_rank[ranks.start as usize..ranks.end as usize].to_vec()
}
