//! The errors of a vocabulary import, with what to do about them.

use std::io;
use std::path::PathBuf;

/// Returns a phrase that lists the built-in vocabularies.
fn named(built_in: &[&str]) -> String {
    match built_in {
        [] => "there are no built-in ones here".to_owned(),
        names => format!("the built-in ones are {}", names.join(", ")),
    }
}

/// The reason why a vocabulary cannot be imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VocabularyError {
    /// The name is neither a file, nor a folder, nor a built-in vocabulary.
    #[error(
        "`{spec}` is neither a file, nor a folder, nor a built-in vocabulary; {}",
        named(built_in)
    )]
    NotFound {
        /// The name that was given to the import.
        spec: String,
        /// The names of the built-in vocabularies.
        built_in: Vec<&'static str>,
    },
    /// The folder contains no tokenizer, or several `.tiktoken` or `.gguf` files and no other.
    #[error(
        "`{}` holds no tokenizer.json, tokenizer.model or tekken.json, and no single .tiktoken or .gguf file{hint}",
        folder.display()
    )]
    NoTokenizer {
        /// The folder that was given.
        folder: PathBuf,
        /// A hint that is appended to the message, or an empty text.
        hint: &'static str,
    },
    /// The operating system reported an error while a file was read.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// The path of the file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A file is larger than any tokenizer.
    #[error("`{}` has {bytes} bytes, and a tokenizer file may have {limit} at most", path.display())]
    FileTooLarge {
        /// The path of the file.
        path: PathBuf,
        /// The size of the file in bytes.
        bytes: u64,
        /// The greatest allowed size in bytes.
        limit: u64,
    },
    /// A file is not JSON, or its JSON does not have the expected form.
    #[error("`{file}` is not a {expected}: {source}")]
    Json {
        /// The path of the file, or the format's usual file name if bytes were given.
        file: String,
        /// The kind of file that was expected.
        expected: &'static str,
        /// The error of the JSON parser, with line and column.
        source: serde_json::Error,
    },
    /// A file is of a format, or has a kind of vocabulary, that is not imported.
    #[error("`{file}` is {format}, which is not imported; {help}")]
    Format {
        /// The path of the file, or the format's usual file name if bytes were given.
        file: String,
        /// The format of the file, in words.
        format: String,
        /// The help for the error: what to import instead.
        help: &'static str,
    },
    /// A file of a known format breaks the rules of the format.
    #[error("`{file}` is not a {expected} that can be read: {problem}")]
    Damaged {
        /// The path of the file, or the format's usual file name if bytes were given.
        file: String,
        /// The kind of file that was expected.
        expected: &'static str,
        /// What is wrong with the file, with the field or token.
        problem: String,
    },
    /// The tokenizer's model does not give tokens fixed bytes.
    #[error(
        "`{file}`: {problem} (at /model); byte-level BPE, BPE or Unigram with byte fallback, and \
         tiktoken ranks can be imported"
    )]
    Model {
        /// The path of the file, or the format's usual file name if bytes were given.
        file: String,
        /// The reason why the tokens have no fixed bytes, in words.
        problem: String,
    },
    /// The effect of the tokenizer's decoder on a single token is not known.
    #[error(
        "`{file}`: {problem} (at {pointer}); decoders made of ByteLevel, Metaspace, Replace, \
         ByteFallback, Fuse and a closing Strip can be imported"
    )]
    Decoder {
        /// The path of the file, or the format's usual file name if bytes were given.
        file: String,
        /// The JSON pointer to the decoder or its step.
        pointer: String,
        /// The reason why the tokens have no fixed bytes, in words.
        problem: String,
    },
    /// A line of a rank file does not have the form `base64 rank`.
    #[error("`{file}`, line {line}: {problem}; every line is a base64 token, a space and its rank")]
    RankFile {
        /// The path of the file, or the format's usual file name if bytes were given.
        file: String,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with the line, in words.
        problem: String,
    },
    /// A built-in vocabulary could not be built.
    #[error("the built-in vocabulary `{name}` cannot be read: {problem}")]
    BuiltIn {
        /// The name of the built-in vocabulary.
        name: &'static str,
        /// The message of the crate `tiktoken-rs`.
        problem: String,
    },
    /// A token id is larger than that of any real vocabulary.
    #[error("token `{token}` has id {id}, and ids may go up to {limit}; is the file damaged?")]
    IdTooLarge {
        /// The token as readable text: quoted, escaped, and cut after 40 characters.
        token: String,
        /// The id of the token.
        id: u32,
        /// The greatest accepted token id.
        limit: u32,
    },
    /// The vocabulary has no text token.
    #[error("vocabulary `{name}` has no text token, so no grammar can be matched with it")]
    NoText {
        /// The name of the vocabulary.
        name: String,
    },
    /// An option selects tokens by a text pattern that no token matches.
    #[error("{option} names {pattern:?}, and no added token of {name} has such a text")]
    NothingLike {
        /// The option that names the token, in words.
        option: &'static str,
        /// The pattern of the option, in which `*` matches any text.
        pattern: String,
        /// The name of the vocabulary.
        name: String,
    },
    /// An option names an id that the vocabulary does not have.
    #[error("{option} names id {id}, and vocabulary `{name}` has ids 0 to {last}")]
    UnknownId {
        /// The option that names the token, in words.
        option: &'static str,
        /// The id that the option names.
        id: u32,
        /// The name of the vocabulary.
        name: String,
        /// The greatest id of the vocabulary.
        last: u32,
    },
    /// An option gives a token a kind that the token cannot have.
    #[error("id {id} cannot be made {kind}: {problem}")]
    Kind {
        /// The id of the token.
        id: u32,
        /// The kind that the option gives the token: `text`, `special` or `unused`.
        kind: &'static str,
        /// Why the token cannot have the kind.
        problem: &'static str,
    },
    /// An option names an end token by a text that no token has.
    #[error(
        "no token of vocabulary `{name}` is spelled `{text}`; \
         name the end token by its id, or by its exact text"
    )]
    UnknownEndToken {
        /// The text that the option names.
        text: String,
        /// The name of the vocabulary.
        name: String,
    },
    /// An option names an unused id as an end token.
    #[error("id {id} cannot end a sequence: it is unused in vocabulary `{name}`")]
    UnusedEndToken {
        /// The id that the option names.
        id: u32,
        /// The name of the vocabulary.
        name: String,
    },
    /// The logit row is wider than that of any real model.
    #[error("the logit width {width} from {origin} is more than {limit}; is it damaged?")]
    WidthTooLarge {
        /// The stated width of the logit row, in logits.
        width: u32,
        /// The option or file that states the logit width.
        origin: String,
        /// The greatest accepted width, in logits.
        limit: u32,
    },
    /// The logit row has no logit for a text token or an end token.
    #[error(
        "the logit width {width} from {origin} leaves no logit for {what} {id}; \
         pass the width of the model's output layer, at least {}",
        u64::from(*.id) + 1
    )]
    WidthTooSmall {
        /// The stated width of the logit row, in logits.
        width: u32,
        /// The option or file that states the logit width.
        origin: String,
        /// The kind of token without a logit: `text token` or `end token`.
        what: &'static str,
        /// The greatest id of a token of that kind.
        id: u32,
    },
}
