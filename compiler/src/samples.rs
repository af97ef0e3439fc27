//! Small vocabularies for unit tests of several rooms.

use grammarc_artifacts::VocabularyArtifact;

use crate::compile::build_vocabulary;
use crate::frontend::json_schema::{TextForm, prelude_grammar};
use crate::vocabulary::{TokenEntry, TokenTable};

/// A vocabulary of these texts, with the shared rules of JSON in these forms.
pub(crate) fn vocabulary(
    texts: impl IntoIterator<Item = Vec<u8>>,
    forms: &[TextForm],
) -> VocabularyArtifact {
    let tokens = texts.into_iter().map(TokenEntry::text).collect();
    let table = TokenTable::new("test", tokens, Vec::new());
    let data = build_vocabulary(&table, "test", &prelude_grammar(forms));
    let bytes = data.expect("builds").to_bytes().expect("fits");
    VocabularyArtifact::from_buffer(bytes).expect("valid")
}
