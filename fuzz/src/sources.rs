//! Sources of every language, compiled for a vocabulary of single bytes under a small budget.

use std::time::Duration;

use grammarc_artifacts::GrammarArtifact;
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::CompileOptions;
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::gbnf::{GbnfOptions, Notation};
use grammarc_compiler::frontend::json_schema::{JsonSchemaOptions, KeyOrder, TextForm};
use grammarc_compiler::frontend::lark::LarkOptions;
use grammarc_compiler::frontend::regex::PatternOptions;
use grammarc_compiler::frontend::structural_tag::StructuralTagOptions;
use grammarc_compiler::frontend::substring::SubstringOptions;
use grammarc_compiler::frontend::typescript::TypeScriptOptions;
use grammarc_runtime::{Grammar, Matcher};
use grammarc_tests::processor_time;
use grammarc_tests::schemas::compiler;

use crate::input::Input;

/// Time that a source may take.
const TIME: Duration = Duration::from_millis(500);
/// Processor time that it may take beyond this.
const LATE: Duration = Duration::from_secs(4);
/// Memory that a source may take, by the compiler's estimate.
const MEMORY: usize = 256 << 20;
/// The first byte of TypeScript. Other bytes choose the older languages, as in the corpus.
const TYPESCRIPT: u8 = 0xFE;
/// The first byte of a structural tag.
const STRUCTURAL_TAG: u8 = 0xFD;
/// Steps along the masks.
const STEPS: usize = 64;

/// Compiles a source. The first byte chooses the language and its options; the rest is the source.
///
/// # Panics
///
/// If a guarantee is violated.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let (choice, seed) = (input.byte(), input.byte());
    let Ok(text) = std::str::from_utf8(input.0) else { return };
    let front_end = match choice % 4 {
        _ if choice == TYPESCRIPT => FrontEnd::TypeScript(TypeScriptOptions::default()),
        _ if choice == STRUCTURAL_TAG => FrontEnd::StructuralTag(StructuralTagOptions::default()),
        0 if choice & 32 != 0 => FrontEnd::Lark(LarkOptions::default()),
        0 if choice & 64 != 0 => {
            FrontEnd::Gbnf(GbnfOptions { notation: Notation::Xgrammar, ..GbnfOptions::default() })
        }
        0 => FrontEnd::Gbnf(GbnfOptions::default()),
        1 if choice & 32 != 0 => FrontEnd::Substring(SubstringOptions::default()),
        1 => FrontEnd::Regex(PatternOptions::default()),
        _ => {
            let text = if choice & 8 == 0 { TextForm::SHORT } else { TextForm::WIDE };
            let key_order = if choice & 16 == 0 { KeyOrder::Schema } else { KeyOrder::Any };
            FrontEnd::JsonSchema(JsonSchemaOptions { text, key_order, ..Default::default() })
        }
    };
    let budget = Budget::new().time_limit(TIME).memory_limit(MEMORY);
    let started = processor_time::of_thread();
    let source = Source::new("<fuzz>", text);
    let result = front_end.lower(source, &budget).map_err(drop).and_then(|lowered| {
        let options = CompileOptions::default();
        let compiled = compiler().compile(&lowered, front_end.kind(), &options, &budget);
        compiled.map_err(drop)
    });
    let took = processor_time::of_thread().saturating_sub(started);
    assert!(took < TIME + LATE, "{took:?} under a limit of {TIME:?}");
    let Ok(compiled) = result else { return };
    let Ok(buffer) = compiled.to_buffer(compiler()) else { return };
    let artifact = GrammarArtifact::from_buffer(buffer, compiler().vocabulary());
    let grammar = Grammar::from_artifact(artifact.expect("an artifact that was made opens"));
    let mut matcher = Matcher::new(&grammar);
    let mut at = usize::from(seed);
    for _ in 0..STEPS {
        let allowed: Vec<u32> = matcher.mask().iter().take(300).collect();
        if allowed.is_empty() {
            break;
        }
        at = at.wrapping_mul(31).wrapping_add(7);
        // Limits on configurations may end it.
        if matcher.accept(allowed[at % allowed.len()]).is_err() || matcher.is_finished() {
            break;
        }
        let dead = matcher.mask().is_empty() && !matcher.is_accepting();
        assert!(!dead, "a dead end");
    }
}
