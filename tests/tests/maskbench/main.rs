//! Real schemas and a real vocabulary: what comes out of the masks is valid, and what is valid goes through them.
//!
//! The vocabulary is Llama 3.1's and the schemas are MaskBench's, neither of which is in the repository; where they
//! are absent the tests say so and pass. `GRAMMARC_FULL=1` runs everything, the default a part of it.

mod instances;
mod walks;

use std::sync::OnceLock;

use grammarc_benches::inputs::{self, Case, maskbench, spread};
use grammarc_benches::maskbench::Judge;
use grammarc_benches::ours::{Ours, Text};
use grammarc_compiler::compile::CompileOptions;
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::json_schema::{JsonSchemaOptions, KeyOrder, NumberForm, TextForm};
use grammarc_runtime::Grammar;

/// The data that every test needs.
struct Fixture {
    ours: Ours,
    judge: Judge,
    cases: Vec<Case>,
}

/// The inputs; `None`, aloud, where they are absent.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn fixture() -> Option<&'static Fixture> {
    static FIXTURE: OnceLock<Option<Fixture>> = OnceLock::new();
    let fixture = FIXTURE.get_or_init(|| {
        let cases = Some(maskbench()).filter(|cases| !cases.is_empty())?;
        let ours = Ours::llama()?;
        let judge = judge(&ours)?;
        Some(Fixture { ours, judge, cases })
    });
    if fixture.is_none() {
        eprintln!("SKIPPED: no Llama 3.1 tokenizer or no MaskBench; set GRAMMARC_DATA");
    }
    fixture.as_ref()
}

/// Texts as Python writes them, with keys in any order.
fn as_python() -> JsonSchemaOptions {
    JsonSchemaOptions {
        text: TextForm::DUMPS,
        key_order: KeyOrder::Any,
        ..JsonSchemaOptions::default()
    }
}

/// A judge of such texts.
fn judge(ours: &Ours) -> Option<Judge> {
    let folder = inputs::tokenizer_folder(inputs::LLAMA)?;
    Judge::new(ours.artifact().clone(), &folder, as_python(), CompileOptions::default()).ok()
}

impl Fixture {
    /// The first `count` schemas that compile, spread over all of MaskBench: every other one in the default form, the
    /// others as Python writes texts, with canonical numbers.
    fn compiled(&self, count: usize) -> impl Iterator<Item = (&Case, Grammar)> {
        // Draft 4 says of a number's text whether it is an integer, and later drafts of its value, as we do.
        let canonical = TextForm { numbers: NumberForm::Canonical, ..TextForm::DUMPS };
        let python = JsonSchemaOptions { text: canonical, ..as_python() };
        let forms = [JsonSchemaOptions::default(), python];
        let cases = spread(&self.cases, count).zip(forms.into_iter().cycle());
        let compiled = cases.filter_map(|(case, form)| {
            let source = Text::JsonSchema(&case.schema.to_string()).source();
            Some((case, self.ours.grammar_of(FrontEnd::JsonSchema(form), source).ok()?))
        });
        compiled.take(count)
    }
}
