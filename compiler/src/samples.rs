//! Small vocabularies and networks for unit tests of several modules.

use crate::budget::Budget;
use grammarc_artifacts::VocabularyArtifact;

use crate::compile::{Compiler, build_vocabulary};
use crate::diagnostics::Source;
use crate::frontend::FrontEnd;
use crate::frontend::json_schema::{TextForm, prelude_grammar};
use crate::network::{Network, NetworkLimits};
use crate::vocabulary::{TokenEntry, TokenTable};

/// Builds a vocabulary of text tokens, with the shared rules of JSON in the given forms of whitespace and numbers.
pub(crate) fn vocabulary(
    texts: impl IntoIterator<Item = Vec<u8>>,
    forms: &[TextForm],
) -> VocabularyArtifact {
    of_tokens(texts.into_iter().map(TokenEntry::text).collect(), forms)
}

/// Builds a vocabulary of tokens, with the shared rules of JSON in the given forms of whitespace and numbers.
pub(crate) fn of_tokens(tokens: Vec<TokenEntry>, forms: &[TextForm]) -> VocabularyArtifact {
    let table = TokenTable::new("test", tokens, Vec::new());
    let data = build_vocabulary(&table, "test", &prelude_grammar(forms), None);
    let bytes = data.expect("builds").to_bytes().expect("fits");
    VocabularyArtifact::from_buffer(bytes).expect("valid")
}

/// Returns a compiler for a vocabulary of all 256 bytes and of `texts`.
pub(crate) fn compiler(texts: impl IntoIterator<Item = Vec<u8>>) -> Compiler {
    let texts = (0..=255).map(|byte| vec![byte]).chain(texts);
    Compiler::new(vocabulary(texts, &TextForm::COMMON))
}

/// Builds the network of a source text, without masks. Panics if the text has errors.
pub(crate) fn network(compiler: &Compiler, front_end: &FrontEnd, text: &str) -> Network {
    let lowered = front_end.lower(Source::new("source", text), &Budget::new());
    let grammar = lowered.expect("it is a grammar").grammar;
    compiler.network(&grammar, NetworkLimits::default(), &Budget::new()).expect("it is small")
}
