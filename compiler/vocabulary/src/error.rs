//! Why a vocabulary cannot be imported, with what to do about it.

use std::io;
use std::path::PathBuf;

/// The built-in names that would have worked.
fn named(built_in: &[&str]) -> String {
    match built_in {
        [] => "there are no built-in ones here".to_owned(),
        names => format!("the built-in ones are {}", names.join(", ")),
    }
}

/// Why a vocabulary cannot be imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VocabularyError {
    /// The name is nothing we can find.
    #[error(
        "`{spec}` is neither a file, nor a folder, nor a built-in vocabulary; {}",
        named(built_in)
    )]
    NotFound {
        /// The name that was asked for.
        spec: String,
        /// The names that would have worked.
        built_in: Vec<&'static str>,
    },
    /// The folder holds no tokenizer.
    #[error(
        "`{}` holds no tokenizer.json, tokenizer.model or tekken.json, and no single .tiktoken or .gguf file{hint}",
        folder.display()
    )]
    NoTokenizer {
        /// The folder.
        folder: PathBuf,
        /// Advice, with its own punctuation; may be empty.
        hint: &'static str,
    },
    /// The operating system refused to read a file.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file is larger than any tokenizer.
    #[error("`{}` has {bytes} bytes, and a tokenizer file may have {limit} at most", path.display())]
    FileTooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The largest size that is read.
        limit: u64,
    },
    /// A JSON file is not JSON, or not of the expected shape.
    #[error("`{file}` is not a {expected}: {source}")]
    Json {
        /// The file, or a placeholder if bytes were given.
        file: String,
        /// The content that it should have.
        expected: &'static str,
        /// The parser's error, with line and column.
        source: serde_json::Error,
    },
    /// A file is of a format, or holds a kind of vocabulary, that is not imported.
    #[error("`{file}` is {format}, which is not imported; {help}")]
    Format {
        /// The file, or a placeholder if bytes were given.
        file: String,
        /// The format that it is.
        format: String,
        /// The way out.
        help: &'static str,
    },
    /// A file of a known format breaks that format's rules.
    #[error("`{file}` is not a {expected} that can be read: {problem}")]
    Damaged {
        /// The file, or a placeholder if bytes were given.
        file: String,
        /// The content that it should have.
        expected: &'static str,
        /// The fault, with the field or token.
        problem: String,
    },
    /// The tokenizer's model gives tokens no fixed bytes.
    #[error(
        "`{file}`: {problem} (at /model); byte-level BPE, BPE or Unigram with byte fallback, and \
         tiktoken ranks can be imported"
    )]
    Model {
        /// The file, or a placeholder if bytes were given.
        file: String,
        /// The obstacle in words.
        problem: String,
    },
    /// The tokenizer's decoder is not one whose effect on a single token is known.
    #[error(
        "`{file}`: {problem} (at {pointer}); decoders made of ByteLevel, Metaspace, Replace, \
         ByteFallback, Fuse and a closing Strip can be imported"
    )]
    Decoder {
        /// The file, or a placeholder if bytes were given.
        file: String,
        /// JSON pointer to the part.
        pointer: String,
        /// The obstacle in words.
        problem: String,
    },
    /// A line of a rank file is not `base64 rank`.
    #[error("`{file}`, line {line}: {problem}; every line is a base64 token, a space and its rank")]
    RankFile {
        /// The file, or a placeholder if bytes were given.
        file: String,
        /// Line, from 1.
        line: usize,
        /// The fault in words.
        problem: String,
    },
    /// A built-in vocabulary could not be built.
    #[error("the built-in vocabulary `{name}` cannot be read: {problem}")]
    BuiltIn {
        /// Its name.
        name: &'static str,
        /// The crate's message.
        problem: String,
    },
    /// A token id is larger than any real vocabulary's.
    #[error("token `{token}` has id {id}, and ids may go up to {limit}; is the file damaged?")]
    IdTooLarge {
        /// The token as far as it is readable.
        token: String,
        /// Its id.
        id: u32,
        /// The largest id that is accepted.
        limit: u32,
    },
    /// No token spells text.
    #[error("vocabulary `{name}` has no text token, so no grammar can be matched with it")]
    NoText {
        /// The vocabulary.
        name: String,
    },
    /// An option names tokens by a text that none has.
    #[error("{option} names {pattern:?}, and no added token of {name} has such a text")]
    NothingLike {
        /// The option.
        option: &'static str,
        /// The text, with its stars.
        pattern: String,
        /// The vocabulary.
        name: String,
    },
    /// An option names an id that the vocabulary does not have.
    #[error("{option} names id {id}, and vocabulary `{name}` has ids 0 to {last}")]
    UnknownId {
        /// The option.
        option: &'static str,
        /// The id it names.
        id: u32,
        /// The vocabulary.
        name: String,
        /// Its last id.
        last: u32,
    },
    /// An option gives an id a kind that it cannot have.
    #[error("id {id} cannot be made {kind}: {problem}")]
    Kind {
        /// The id.
        id: u32,
        /// The kind that was asked for.
        kind: &'static str,
        /// Why it cannot have it.
        problem: &'static str,
    },
    /// An option names an end token that no token spells.
    #[error(
        "no token of vocabulary `{name}` is spelled `{text}`; \
         name the end token by its id, or by its exact text"
    )]
    UnknownEndToken {
        /// The text that was asked for.
        text: String,
        /// The vocabulary.
        name: String,
    },
    /// An end token is unused: it has no text.
    #[error("id {id} cannot end a sequence: it is unused in vocabulary `{name}`")]
    UnusedEndToken {
        /// The id.
        id: u32,
        /// The vocabulary.
        name: String,
    },
    /// The logit row is wider than any real model's.
    #[error("the logit width {width} from {origin} is more than {limit}; is it damaged?")]
    WidthTooLarge {
        /// The width.
        width: u32,
        /// Who said so.
        origin: String,
        /// The largest width that is accepted.
        limit: u32,
    },
    /// The logit row has no place for a token that is needed.
    #[error(
        "the logit width {width} from {origin} leaves no logit for {what} {id}; \
         pass the width of the model's output layer, at least {}",
        u64::from(*.id) + 1
    )]
    WidthTooSmall {
        /// The width.
        width: u32,
        /// Who said so.
        origin: String,
        /// The sort of token that falls off.
        what: &'static str,
        /// The largest id of that sort.
        id: u32,
    },
}
