//! `grammarc vocab`: imports a tokenizer and writes its vocabulary artifact.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use grammarc_artifacts::{TokenKind, VocabularyArtifact};
use grammarc_compiler::vocabulary::{self, EndToken, VocabularyOptions};
use serde::Serialize;

use crate::args::ThreadArgs;
use crate::cmd::facts::hex;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Progress;
use crate::vocabularies;

/// Arguments of `vocab`.
#[derive(Debug, Args)]
pub(crate) struct VocabArgs {
    /// Tokenizer file, folder that holds one, or built-in name (o200k_base, ...)
    ///
    /// Files are tokenizer.json, SentencePiece's tokenizer.model, tekken.json, tiktoken ranks and
    /// GGUF models, recognized by their content. In a folder they are searched in this order.
    /// tokenizer_config.json, generation_config.json and config.json beside a file state which
    /// tokens end a sequence and how many logits the model has. A GGUF model contains these facts
    /// itself.
    tokenizer: String,

    /// Vocabulary artifact to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Name of the vocabulary [default: that of the file, the folder or the built-in]
    #[arg(long)]
    name: Option<String>,

    /// End-of-sequence token, by id or exact text, in place of the end tokens that the files beside
    /// the tokenizer name; may be given several times
    #[arg(long = "end-token", value_name = "ID|TEXT")]
    end_tokens: Vec<String>,

    /// Number of logits in a row of the model, if it exceeds the number of tokens [default: from
    /// config.json, or from the GGUF model]
    #[arg(long, value_name = "N")]
    logit_width: Option<u32>,

    /// Tokens that are text although they look special: ids, ranges such as `168-237`, or texts such as `<h*>`
    ///
    /// A token that the tokenizer does not flag as special is nevertheless taken for a control
    /// marker if its name is in brackets (`<think>`, `[INST]`). Tags of HTML such as `<b>` and
    /// `</code>` are text.
    #[arg(long = "text-id", value_name = "ID|RANGE|TEXT", value_delimiter = ',')]
    text_ids: Vec<String>,

    /// Tokens that are special although they look like text, given as for --text-id
    #[arg(long = "special-id", value_name = "ID|RANGE|TEXT", value_delimiter = ',')]
    special_ids: Vec<String>,

    /// Tokens that no mask may ever allow, given as for --text-id
    #[arg(long = "unused-id", value_name = "ID|RANGE|TEXT", value_delimiter = ',')]
    unused_ids: Vec<String>,

    /// A special token of a rank file, which itself lists none; may be given several times
    #[arg(long = "special-token", value_name = "TEXT=ID", value_parser = special_token)]
    special_tokens: Vec<(String, u32)>,

    #[command(flatten)]
    threads: ThreadArgs,
}

/// The vocabulary artifact that was built.
#[derive(Debug, Serialize)]
pub(crate) struct Built {
    pub(crate) path: PathBuf,
    pub(crate) name: String,
    pub(crate) fingerprint: String,
    pub(crate) tokens: u32,
    pub(crate) special: usize,
    pub(crate) unused: usize,
    pub(crate) end_tokens: Vec<EndTokenName>,
    pub(crate) logit_width: u32,
    /// Bytes for which the vocabulary has no token of this single byte.
    pub(crate) missing_bytes: Vec<u8>,
    pub(crate) trie_nodes: usize,
    pub(crate) shared: SharedRules,
    pub(crate) bytes: u64,
    pub(crate) seconds: f64,
}

/// An end token: its id and its text.
#[derive(Debug, Serialize)]
pub(crate) struct EndTokenName {
    pub(crate) id: u32,
    pub(crate) text: String,
}

/// Counts about the shared rules, whose masks the vocabulary artifact stores for all grammars.
#[derive(Debug, Serialize)]
pub(crate) struct SharedRules {
    pub(crate) rules: usize,
    pub(crate) states: u32,
    pub(crate) masks: usize,
    pub(crate) rows: u32,
}

pub(crate) fn run(args: VocabArgs, output: &mut Output) -> Result<u8, Failure> {
    let started = Instant::now();
    let progress = Progress::new(output);
    progress.phase(format!("importing {}", args.tokenizer));
    let table = vocabulary::import(&args.tokenizer, &args.options())?;
    vocabularies::findings(&table, &args.tokenizer, output)?;
    let artifact = vocabularies::build(
        &table,
        &args.tokenizer,
        &args.output,
        &progress,
        args.threads.count(),
    )?;
    drop(progress);
    output.answer(&built(&artifact, args.output, started.elapsed().as_secs_f64()))?;
    Ok(0)
}

impl VocabArgs {
    fn options(&self) -> VocabularyOptions {
        let mut options = VocabularyOptions::new()
            .text_ids(self.text_ids.iter().map(String::as_str))
            .special_ids(self.special_ids.iter().map(String::as_str))
            .unused_ids(self.unused_ids.iter().map(String::as_str));
        if let Some(name) = &self.name {
            options = options.name(name);
        }
        if let Some(width) = self.logit_width {
            options = options.logit_width(width);
        }
        if !self.end_tokens.is_empty() {
            options = options.end_tokens(self.end_tokens.iter().map(|token| end_token(token)));
        }
        for (text, id) in &self.special_tokens {
            options = options.special_token(text, *id);
        }
        options
    }
}

/// Parses an end-token argument: a number is a token id, and anything else is the token's text.
fn end_token(token: &str) -> EndToken {
    token.parse().map_or_else(|_| EndToken::from(token), EndToken::Id)
}

fn special_token(text: &str) -> Result<(String, u32), String> {
    let (text, id) = text.rsplit_once('=').ok_or("expected TEXT=ID")?;
    let id = id.parse().map_err(|_| format!("`{id}` is no token id"))?;
    if text.is_empty() { Err("the text is empty".to_owned()) } else { Ok((text.to_owned(), id)) }
}

fn built(artifact: &VocabularyArtifact, path: PathBuf, seconds: f64) -> Built {
    let kinds = |wanted: TokenKind| {
        (0..artifact.token_count()).filter(|&id| artifact.token_kind(id) == wanted).count()
    };
    let end_tokens = artifact.end_tokens().iter().map(|&id| EndTokenName {
        id,
        text: String::from_utf8_lossy(artifact.token_bytes(id)).into_owned(),
    });
    let tables = artifact.tables();
    Built {
        name: artifact.name().to_owned(),
        fingerprint: hex(&artifact.fingerprint()),
        tokens: artifact.token_count(),
        special: kinds(TokenKind::Special),
        unused: kinds(TokenKind::Unused),
        end_tokens: end_tokens.collect(),
        logit_width: artifact.logit_width(),
        missing_bytes: (0..=255).filter(|&byte| artifact.lookup(&[byte]).is_empty()).collect(),
        trie_nodes: artifact.trie().len(),
        shared: SharedRules {
            rules: tables.rules.len(),
            states: tables.state_count(),
            masks: tables.masks.len(),
            rows: tables.row_count(),
        },
        bytes: artifact.container().header().total_length,
        seconds,
        path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_named_by_id_or_text() {
        assert_eq!(end_token("17"), EndToken::Id(17));
        assert_eq!(end_token("</s>"), EndToken::Text("</s>".to_owned()));
        assert_eq!(special_token("<|a=b|>=9"), Ok(("<|a=b|>".to_owned(), 9)));
        for bad in ["<s>", "<s>=x", "=3"] {
            assert!(special_token(bad).is_err(), "{bad}");
        }
    }
}
