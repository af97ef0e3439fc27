//! Assembles the data of a vocabulary artifact from an imported vocabulary and its shared rules.

use grammarc_artifacts::{
    ExpressionRecord, TablesData, TokenKind, TrieData, VocabularyData, VocabularyMeta,
};

use crate::vocabulary::TokenTable;

/// Assembles the data of a vocabulary artifact. `tables` has the shared rules with their masks, `rule_names` their
/// names, and `expressions` the known expressions among them.
pub(crate) fn vocabulary_data(
    table: &TokenTable,
    source: &str,
    trie: TrieData,
    tables: TablesData,
    rule_names: Vec<String>,
    expressions: Vec<ExpressionRecord>,
) -> VocabularyData {
    let count = |kind: TokenKind| table.of_kind(kind).count().to_string();
    let properties = [
        ("text tokens", count(TokenKind::Text)),
        ("special tokens", count(TokenKind::Special)),
        ("unused ids", count(TokenKind::Unused)),
        ("logit width", table.logit_width.to_string()),
        ("trie nodes", trie.byte.len().to_string()),
    ];
    VocabularyData {
        meta: VocabularyMeta {
            name: table.name.clone(),
            source: source.to_owned(),
            compiler: super::program(),
            properties: properties.map(|(key, value)| (key.to_owned(), value)).to_vec(),
            warnings: table.findings.iter().map(ToString::to_string).collect(),
            rule_names,
        },
        tokens: table.tokens.iter().map(|token| (token.bytes.clone(), token.kind)).collect(),
        end_tokens: table.end_tokens.clone(),
        logit_width: table.logit_width,
        trie,
        tables,
        expressions,
    }
}
