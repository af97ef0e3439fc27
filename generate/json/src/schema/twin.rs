//! The wide twin of a schema: the same instances, in every spelling that a repair may choose between.
//!
//! Keys stand in any order, numbers and strings in any form, without white space: the search hands it texts of lexemes. It is
//! compiled for the vocabulary of the 256 bytes, since a search reads bytes. One compiler serves the process: it is made when
//! a twin is first asked for, with the rules that all schemas share.
//!
//! Items that must differ are not compared by the search; what it finds is validated in the end.

use std::num::NonZero;
use std::sync::OnceLock;
use std::time::Duration;

use grammarc_artifacts::VocabularyArtifact;
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::{CompileOptions, Compiler, build_vocabulary};
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::json_schema::{
    JsonSchemaOptions, KeyOrder, TextForm, prelude_grammar,
};
use grammarc_compiler::vocabulary::{TokenEntry, TokenTable};
use grammarc_runtime::Grammar;

/// Most time that a twin may take.
const TIME: Duration = Duration::from_secs(2);
/// Most memory that a twin may take, in bytes.
const MEMORY: usize = 256 << 20;

/// The grammar of a schema's instances in all spellings, over bytes.
#[derive(Debug)]
pub(crate) struct Twin {
    pub(crate) grammar: Grammar,
}

impl Twin {
    /// Compiles the twin of a schema; none where the compiler refuses it or a limit is met.
    /// With `closed`, objects take no keys that the schema does not name, where it names some.
    pub(crate) fn compile(schema: &str, closed: bool) -> Option<Self> {
        let options = JsonSchemaOptions {
            text: TextForm::WIDE,
            key_order: KeyOrder::Any,
            closed,
            ..JsonSchemaOptions::default()
        };
        let front_end = FrontEnd::JsonSchema(options);
        let compiler = compiler()?;
        let budget = Budget::unlimited().time_limit(TIME).memory_limit(MEMORY);
        let lowered = front_end.lower(Source::new("schema", schema), &budget).ok()?;
        let options = CompileOptions::default();
        let compiled = compiler.compile(&lowered, front_end.kind(), &options, &budget).ok()?;
        let artifact = compiled.to_artifact(compiler).ok()?;
        Some(Self { grammar: Grammar::from_artifact(artifact) })
    }

    /// Whether both have the same rules: then a search by one finds what a search by the other does.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let (one, other) = (self.grammar.artifact(), other.grammar.artifact());
        one.start_rule() == other.start_rule() && one.tables() == other.tables()
    }
}

/// The twin of the schema that everything is an instance of.
pub(crate) fn any_json() -> Option<&'static Twin> {
    static ANY: OnceLock<Option<Twin>> = OnceLock::new();
    ANY.get_or_init(|| Twin::compile("true", false)).as_ref()
}

/// The compiler for the vocabulary of bytes.
fn compiler() -> Option<&'static Compiler> {
    static COMPILER: OnceLock<Option<Compiler>> = OnceLock::new();
    let make = || {
        let tokens = (0..=u8::MAX).map(|byte| TokenEntry::text([byte])).collect();
        let table = TokenTable::new("bytes", tokens, Vec::new());
        let shared = prelude_grammar(&[TextForm::WIDE]);
        let data = build_vocabulary(&table, "bytes", &shared, NonZero::new(1)).ok()?;
        let artifact = VocabularyArtifact::from_buffer(data.to_bytes().ok()?).ok()?;
        Some(Compiler::on_threads(artifact, NonZero::new(1)))
    };
    COMPILER.get_or_init(make).as_ref()
}
