//! Small vocabularies and networks for unit tests of several rooms.

use crate::budget::Budget;
use grammarc_artifacts::VocabularyArtifact;

use crate::compile::{Compiler, build_vocabulary};
use crate::diagnostics::Source;
use crate::frontend::FrontEnd;
use crate::frontend::json_schema::{TextForm, prelude_grammar};
use crate::network::{Network, NetworkLimits};
use crate::vocabulary::{TokenEntry, TokenTable};

/// A vocabulary of these texts, with the shared rules of JSON in these forms.
pub(crate) fn vocabulary(
    texts: impl IntoIterator<Item = Vec<u8>>,
    forms: &[TextForm],
) -> VocabularyArtifact {
    of_tokens(texts.into_iter().map(TokenEntry::text).collect(), forms)
}

/// A vocabulary of these tokens, with the shared rules of JSON in these forms.
pub(crate) fn of_tokens(tokens: Vec<TokenEntry>, forms: &[TextForm]) -> VocabularyArtifact {
    let table = TokenTable::new("test", tokens, Vec::new());
    let data = build_vocabulary(&table, "test", &prelude_grammar(forms), None);
    let bytes = data.expect("builds").to_bytes().expect("fits");
    VocabularyArtifact::from_buffer(bytes).expect("valid")
}

/// A compiler for all bytes and these texts.
pub(crate) fn compiler(texts: impl IntoIterator<Item = Vec<u8>>) -> Compiler {
    let texts = (0..=255).map(|byte| vec![byte]).chain(texts);
    Compiler::new(vocabulary(texts, &TextForm::COMMON))
}

/// The network of a text.
pub(crate) fn network(compiler: &Compiler, front_end: &FrontEnd, text: &str) -> Network {
    let lowered = front_end.lower(Source::new("source", text), &Budget::new());
    let grammar = lowered.expect("it is a grammar").grammar;
    compiler.network(&grammar, NetworkLimits::default(), &Budget::new()).expect("it is small")
}
