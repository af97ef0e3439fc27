//! The engines, built once for all tests of the binary.

use std::sync::OnceLock;

use grammarc_benches::inputs;
use grammarc_benches::ours::Ours;
use grammarc_benches::peer::{Cut, Peer};
use tokenizers::Tokenizer;

/// The data that every test needs.
pub(crate) struct Fixture {
    pub(crate) ours: Ours,
    pub(crate) peer: Peer,
    pub(crate) tokenizer: Tokenizer,
    /// Mask words of the text tokens, the only ones that are compared: the engines differ in what special tokens are.
    pub(crate) text_tokens: Vec<u32>,
}

/// The engines; `None`, aloud, where the data is absent.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
pub(crate) fn fixture() -> Option<&'static Fixture> {
    static FIXTURE: OnceLock<Option<Fixture>> = OnceLock::new();
    let fixture = FIXTURE.get_or_init(|| {
        let ours = Ours::llama()?;
        let peer = Peer::new(ours.artifact(), Cut::Never);
        let text_tokens = ours.text_tokens();
        Some(Fixture { peer, tokenizer: inputs::tokenizer()?, text_tokens, ours })
    });
    if fixture.is_none() {
        eprintln!("SKIPPED: no Llama 3.1 tokenizer; set GRAMMARC_DATA");
    }
    fixture.as_ref()
}

impl Fixture {
    /// The real tokens of a text.
    pub(crate) fn tokens(&self, text: &str) -> Vec<u32> {
        inputs::tokens(&self.tokenizer, text)
    }

    /// The bytes of a token, to be read.
    pub(crate) fn shown(&self, token: u32) -> String {
        self.ours.artifact().token_bytes(token).escape_ascii().to_string()
    }
}
