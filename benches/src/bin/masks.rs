//! Serves the masks of this engine over standard input and output, for `benches/peers/draws.py`, which draws from
//! every engine with the same code.
//!
//! Each line of input is a JSON value ([`Request`]), and so is each answer. The first is a vocabulary, followed by
//! schemas. Each schema is followed by draws: a start, and the drawn tokens. A grammar is opened from the bytes of
//! its artifact, as in a server.

use std::io::{self, BufRead, Write};
use std::num::NonZero;

use grammarc_artifacts::{TokenKind, Verdict, VocabularyArtifact};
use grammarc_benches::ours::Ours;
use grammarc_compiler::compile::build_vocabulary;
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::json_schema::{
    JsonSchemaOptions, KeyOrder, TextForm, prelude_grammar,
};
use grammarc_compiler::vocabulary::{TokenEntry, TokenTable};
use grammarc_runtime::{Grammar, Matcher};
use serde::Deserialize;
use serde_json::{Value, json};

/// A request, as a line of JSON.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Request {
    /// Sets the vocabulary: tokens as hexadecimal bytes by id, and the end token, which has no bytes.
    Vocabulary { tokens: Vec<String>, end_token: u32 },
    /// Compiles the next schema. The answer has the report's approximate keywords, as `/pointer: reason`.
    Compile { schema: Value, any_order: bool },
    /// Requests the mask at the start of a text.
    Start,
    /// Requests the mask after one more token.
    Accept(u32),
}

/// The state between requests.
#[derive(Default)]
struct Session {
    ours: Option<Ours>,
    grammar: Option<Grammar>,
    matcher: Option<Matcher>,
}

fn main() -> io::Result<()> {
    let mut session = Session::default();
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let answer = serde_json::from_str(&line?)
            .map_err(|error| error.to_string())
            .and_then(|request| session.answer(request));
        let answer = answer.unwrap_or_else(|error| json!({ "error": error }));
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}

impl Session {
    fn answer(&mut self, request: Request) -> Result<Value, String> {
        match request {
            Request::Vocabulary { tokens, end_token } => {
                self.ours = Some(vocabulary(&tokens, end_token)?);
                Ok(json!({}))
            }
            Request::Compile { schema, any_order } => {
                let ours = self.ours.as_ref().ok_or("no vocabulary")?;
                let key_order = if any_order { KeyOrder::Any } else { KeyOrder::Schema };
                let options = JsonSchemaOptions { key_order, ..Default::default() };
                let source = Source::new("probe", schema.to_string());
                let grammar = ours.grammar_of(FrontEnd::JsonSchema(options), source)?;
                let report = &grammar.artifact().meta().report;
                let wide = report.entries().filter(|entry| entry.verdict == Verdict::Approximate);
                let wide = wide.map(|entry| format!("{}: {}", entry.pointer, entry.reason));
                let answer = json!({ "approximate": wide.collect::<Vec<_>>() });
                self.grammar = Some(grammar);
                Ok(answer)
            }
            Request::Start => {
                self.matcher = Some(Matcher::new(self.grammar.as_ref().ok_or("no schema")?));
                self.mask()
            }
            Request::Accept(token) => {
                let matcher = self.matcher.as_mut().ok_or("no start")?;
                matcher.accept(token).map_err(|error| error.to_string())?;
                self.mask()
            }
        }
    }

    /// The allowed tokens as words in hexadecimal, lowest token last.
    fn mask(&mut self) -> Result<Value, String> {
        let matcher = self.matcher.as_mut().ok_or("no start")?;
        let mut words = vec![0; matcher.logit_width().div_ceil(u32::BITS) as usize];
        matcher.mask().fill(&mut words).map_err(|error| error.to_string())?;
        let mask: String = words.iter().rev().map(|word| format!("{word:08x}")).collect();
        Ok(json!({ "mask": mask }))
    }
}

fn vocabulary(tokens: &[String], end_token: u32) -> Result<Ours, String> {
    let entries = (0..).zip(tokens).map(|(id, hex)| {
        if id == end_token {
            return Ok(TokenEntry { bytes: b"<end>".to_vec(), kind: TokenKind::Special });
        }
        let digits = hex.as_bytes().chunks(2).map(|pair| str::from_utf8(pair).unwrap_or_default());
        let bytes = digits.map(|pair| u8::from_str_radix(pair, 16)).collect::<Result<Vec<_>, _>>();
        bytes.map(TokenEntry::text).map_err(|error| format!("token {id}: {error}"))
    });
    let entries = entries.collect::<Result<Vec<_>, String>>()?;
    let table = TokenTable::new("draws", entries, vec![end_token]);
    let data =
        build_vocabulary(&table, "draws", &prelude_grammar(&TextForm::COMMON), NonZero::new(1));
    let bytes = data.and_then(|data| Ok(data.to_bytes()?)).map_err(|error| error.to_string())?;
    let artifact = VocabularyArtifact::from_buffer(bytes).map_err(|error| error.to_string())?;
    Ok(Ours::new(artifact, 1))
}
