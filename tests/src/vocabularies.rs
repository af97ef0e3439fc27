//! Vocabularies to compile for: small ones, the built-in one, and one from the data folder. Each with the masks of
//! the JSON rules that schemas share, built once in a process.

use std::sync::OnceLock;

use grammarc_artifacts::{TokenKind, VocabularyArtifact};
use grammarc_compiler::compile::build_vocabulary;
use grammarc_compiler::frontend::json_schema::{TextForm, prelude_grammar};
use grammarc_compiler::vocabulary::{
    TokenEntry, TokenTable, VocabularyOptions, built_in_names, import,
};

/// A table of these texts and special tokens, the last of which ends a sequence.
pub fn table<T: AsRef<[u8]>>(texts: impl IntoIterator<Item = T>, special: &[&str]) -> TokenTable {
    let mut tokens: Vec<TokenEntry> =
        texts.into_iter().map(|text| TokenEntry::text(text.as_ref())).collect();
    tokens.extend(
        special
            .iter()
            .map(|name| TokenEntry { bytes: name.as_bytes().to_vec(), kind: TokenKind::Special }),
    );
    let end = if special.is_empty() { Vec::new() } else { vec![tokens.len() as u32 - 1] };
    TokenTable::new("test", tokens, end)
}

/// The artifact of a table.
///
/// # Panics
///
/// If it cannot be built.
pub fn artifact(table: &TokenTable) -> VocabularyArtifact {
    let shared = prelude_grammar(&TextForm::COMMON);
    let data = build_vocabulary(table, "test", &shared, None).expect("the vocabulary builds");
    let bytes = data.to_bytes().expect("the vocabulary fits its format");
    VocabularyArtifact::from_buffer(bytes).expect("the artifact is valid")
}

/// Every byte, and the words of this text with and without a space before them: a vocabulary in which tokens run
/// across the borders of what a grammar knows.
pub fn of_words(text: &str) -> TokenTable {
    let mut words: Vec<Vec<u8>> = text
        .split_whitespace()
        .flat_map(|word| [word.as_bytes().to_vec(), format!(" {word}").into_bytes()])
        .filter(|word| word.len() > 1)
        .collect();
    words.sort();
    words.dedup();
    let bytes = (0..=u8::MAX).map(|byte| vec![byte]);
    table(bytes.chain(words), &["<pad>", "<eos>"])
}

/// Words that the grammars of the folder use, joined as tokenizers join them.
const WORDS: &str = r#"
    { } [ ] {} [] {" "} [" "] [{ }] [[ ]] }} }}} "}} ": ":" ":{ ":[ , ", "," ," ],[ },{ "},{" : \" \\ \n \u \u00 \uD
    true false null 0 1 12 123 2024 0.5 1e 1e+ -1 - . .0 00 the and of name id a b x ab abc é 日本 😀 ht http ://
    "name "id "a "b items total price date currency vendor arguments query limit unit city search get_weather
    ( ) () (( )) )+ (x x) + - * / % ^ == != <= >= && || ; ); }; { fn let if else while return letx iff = =1 ,, "" ,"
    """,""" // //x
"#;

/// Some two hundred words and every byte.
pub fn small() -> &'static VocabularyArtifact {
    static BUILT: OnceLock<VocabularyArtifact> = OnceLock::new();
    BUILT.get_or_init(|| artifact(&of_words(WORDS)))
}

/// The table of the vocabulary that is built in.
///
/// # Panics
///
/// If it is not there.
pub fn built_in_table() -> TokenTable {
    let name = built_in_names().next().expect("a vocabulary is built in");
    import(name, &VocabularyOptions::new()).expect("it can be imported")
}

/// The vocabulary that is built in: o200k_base.
pub fn built_in() -> &'static VocabularyArtifact {
    static BUILT: OnceLock<VocabularyArtifact> = OnceLock::new();
    BUILT.get_or_init(|| artifact(&built_in_table()))
}

/// The vocabulary of Llama 3.1, where the full tests are asked for by `GRAMMARC_FULL=1` and the data folder has it.
/// Says aloud why it is not there.
///
/// # Panics
///
/// If it is there and cannot be built.
pub fn llama() -> Option<&'static VocabularyArtifact> {
    static BUILT: OnceLock<Option<VocabularyArtifact>> = OnceLock::new();
    BUILT.get_or_init(|| of_data("Llama 3.1", "llama3_1")).as_ref()
}

/// The vocabulary of Qwen 3, as that of [`llama`].
///
/// # Panics
///
/// If it is there and cannot be built.
pub fn qwen() -> Option<&'static VocabularyArtifact> {
    static BUILT: OnceLock<Option<VocabularyArtifact>> = OnceLock::new();
    BUILT.get_or_init(|| of_data("Qwen 3", "qwen3")).as_ref()
}

fn of_data(name: &str, folder: &str) -> Option<VocabularyArtifact> {
    if !full() {
        return skipped(name, "GRAMMARC_FULL is not 1");
    }
    let folder = grammarc_test_data::root().join("tokenizers").join(folder);
    if !folder.is_dir() {
        return skipped(name, &format!("{} is not there", folder.display()));
    }
    let table = import(&folder.to_string_lossy(), &VocabularyOptions::new());
    Some(artifact(&table.unwrap_or_else(|error| panic!("{name} cannot be imported: {error}"))))
}

/// Whether the full tests are asked for.
pub fn full() -> bool {
    std::env::var("GRAMMARC_FULL").is_ok_and(|value| value == "1")
}

#[expect(clippy::print_stderr, reason = "what a test leaves out is said aloud")]
fn skipped(name: &str, reason: &str) -> Option<VocabularyArtifact> {
    eprintln!("SKIPPED: nothing is done with the vocabulary of {name}, because {reason}");
    None
}
