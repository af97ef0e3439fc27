//! For the unit tests of this room: the network of a text over a small vocabulary.

use grammarc_artifacts::sections::vocabulary::Trie;

use super::shared::SharedOutcomes;
use crate::compile::Compiler;
use crate::diagnostics::Source;
use crate::frontend::FrontEnd;
use crate::frontend::json_schema::TextForm;
use crate::network::NetworkLimits;
use crate::network::follow::Follow;

/// A compiler for all bytes and these texts.
pub(super) fn compiler(texts: impl IntoIterator<Item = Vec<u8>>) -> Compiler {
    let texts = (0..=255).map(|byte| vec![byte]).chain(texts);
    Compiler::new(crate::samples::vocabulary(texts, &TextForm::COMMON))
}

/// What `look` makes of the network of a text.
pub(super) fn with_network<T>(
    compiler: &Compiler,
    front_end: &FrontEnd,
    text: &str,
    look: impl FnOnce(&Follow<'_>, &SharedOutcomes, Trie<'_>) -> T,
) -> T {
    let lowered = front_end.lower(Source::new("source", text));
    let grammar = lowered.expect("it is a grammar").grammar;
    let network = compiler.network(&grammar, NetworkLimits::default()).expect("it is small");
    let vocabulary = compiler.vocabulary();
    let known = SharedOutcomes::new(vocabulary);
    let joined = network.joined(vocabulary.tables());
    let follow = Follow::new(joined, known.rules(), &network.open);
    look(&follow, &known, vocabulary.trie())
}
