//! JSON Schema: the text of a schema as a grammar of the texts of its instances.
//!
//! ```text
//! text ── document, resolve ── survey, read ──► schemas ── algebra ──► graph ── merge, lower ──► rules
//!         (arena, references)   (keywords, report)        (formulas)   (automata, emptiness)
//! ```
//!
//! | room | what it does |
//! | --- | --- |
//! | [`options`] | the text form of accepted documents, and limits |
//! | [`source`] | the draft, references, and resources that the user gives |
//! | [`values`] | sets of strings and numbers, exact under union, intersection and complement |
//! | [`read`] | visits every schema that applies, checks keywords and reads them; the table of support |
//! | [`text_form`] | how values are written: whitespace, shared rules, members as tags |
//! | [`algebra`] | what a formula over schemas says of each type, as automata; what is empty, and why |
//! | [`lower`] | rules of the grammar, one for each content and layout |
//!
//! Tests: `tests/` here, `tests/tests/suite/members.rs`, and `tests/tests/schemas/` against the judges of the suite.
//!
//! Nothing is left out in silence: a keyword occurrence is exact, an annotation, narrower or approximate in the report,
//! or the schema is refused. Cost follows the combinations of facts that matter at one place, and has budgets.

pub mod document;

mod algebra;
mod lower;
mod options;
mod read;
mod rust_type;
mod source;
mod text_form;
mod values;

#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;

use document::{Codes, Document};
use grammarc_grammar::automata::StateBudget;
use grammarc_grammar::budget::{Budget, Phase};
use grammarc_grammar::diagnostics::report::{Report, Verdict};
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::{Literals, Lowered};

use algebra::{OneOf, Orders, SHAPE_LIMIT};
use source::occurrence::Occurrence;

pub use options::{
    DigitLimits, Escapes, Formats, Indentation, JsonSchemaOptions, KeyOrder, NumberForm,
    SchemaDialect, Separator, SeparatorError, TextForm, Whitespace, WhitespaceError,
};
pub use read::keyword::is_unknown as is_unknown_keyword;
pub use read::lint::unknown_help;
pub use read::table::{SupportRow, support_table};
pub use rust_type::Schema;
pub use source::resources::{ResourceError, Resources};
pub use text_form::prelude::{Piece, Prelude, prelude_grammar};
pub use text_form::tags::{Root, TagForm, ValueForm};
pub use values::types::TypeSet;

/// Codes of a text that is no schema document.
pub const CODES: Codes =
    Codes { syntax: "json-schema::syntax", duplicate_key: "json-schema::duplicate-key" };

/// Steps of a budget that an occurrence of a keyword takes in the report, about.
const STEPS_AN_OCCURRENCE: usize = 1 << 6;

/// The grammar of a schema's instances.
///
/// # Errors
///
/// Everything that stops the compile, in source order: text that is not JSON, keywords that are refused or malformed,
/// references that lead nowhere, a schema that nothing satisfies, a limit or the budget exceeded.
pub fn lower(
    source: Source,
    options: &JsonSchemaOptions,
    budget: &Budget,
) -> Result<Lowered, Vec<Diagnostic>> {
    lower_as(source, options, Root::Value, &[], budget)
}

/// The same as [`lower`] for the values that are asked for, and in the way that is; no string and no key of them holds one of
/// the excluded texts, none of which is empty or has a backslash.
///
/// # Errors
///
/// As those of [`lower`]; also a schema without objects where these are asked for, and keys that cannot be in tags.
pub fn lower_as(
    source: Source,
    options: &JsonSchemaOptions,
    wanted: Root<'_>,
    excluded: &[String],
    budget: &Budget,
) -> Result<Lowered, Vec<Diagnostic>> {
    // Other errors that are found once the budget is spent only say where.
    let one = |error| vec![budget.blame(error)];
    let all = |errors: Vec<Diagnostic>| match budget.error() {
        Some(_) => errors.into_iter().take(1).map(|error| budget.blame(error)).collect(),
        None => errors,
    };
    budget.begin(Phase::Reading);
    let (mut document, tree) = Document::parse(&source, CODES, budget).map_err(one)?;
    budget.check_in_source()?;
    let mut findings = Vec::new();
    let read::survey::Surveyed { mut schemas, mut root, mut occurrences } =
        read::survey::survey(&mut document, &tree, options, budget, &mut findings).map_err(all)?;
    findings.extend(read::lint::lint(&document, &occurrences));
    budget.check_in_source()?;
    budget.begin(Phase::Combining);
    let mut closed_places = Vec::new();
    if options.closed {
        let closed = read::close_objects::close(&schemas, root);
        (schemas, root) = (closed.schemas, closed.root);
        closed_places.clone_from(&closed.places);
        let reason = "says nothing of other keys, and takes none by the options given";
        let verdict = Verdict::Narrower;
        occurrences.extend(closed.places.into_iter().map(|value| Occurrence {
            value,
            verdict,
            reason,
        }));
    }
    if !excluded.is_empty() {
        let limit = StateBudget::new(options.max_states, budget);
        root =
            read::exclude_texts::exclude(&mut schemas, root, excluded, limit).map_err(|error| {
                let text = format!("the excluded texts are too complex: {error}");
                one(document.error("json-schema::state-limit", document.root(), text))
            })?;
    }
    schemas.share(read::share::first_equals(&document, &schemas));
    let size = document.len();
    let limits = algebra::Limits {
        states: StateBudget::new(options.max_states, budget),
        shapes: options.max_shapes.saturating_add(size.saturating_mul(4)),
        formulas: options.max_shapes.saturating_mul(10).saturating_add(size.saturating_mul(8)),
        work: options.max_shapes.saturating_mul(100).saturating_add(size.saturating_mul(100)),
    };
    let build = |orders: (Orders, OneOf)| {
        let algebra = algebra::Algebra::new(&document, &schemas, limits, options.text, orders);
        let algebra = algebra.with_keys_once(options.key_order == KeyOrder::AnyOnce);
        let mut algebra = algebra.with_most_unordered(options.max_unordered);
        let root = algebra.schema(root);
        algebra::build(&mut algebra, root).map(|graph| (algebra, graph))
    };
    // With less than what is asked for where the budget is met, so that what is accepted stays right as long as it can.
    let (first, others): (_, &[_]) = match options.key_order {
        KeyOrder::Any | KeyOrder::AnyOnce => (
            (Orders::Any, OneOf::Exact),
            &[(Orders::GivenUp, OneOf::Exact), (Orders::GivenUp, OneOf::AnyOf)],
        ),
        KeyOrder::Schema => ((Orders::Schema, OneOf::Exact), &[(Orders::Schema, OneOf::AnyOf)]),
    };
    let mut built = build(first);
    for &other in others {
        if built.as_ref().is_err_and(|error| error.code == SHAPE_LIMIT) {
            built = build(other);
        }
    }
    let (mut algebra, mut graph) = built.map_err(one)?;
    budget.check_in_source()?;
    budget.begin(Phase::Lowering);
    let mut inexact: Vec<_> = std::mem::take(&mut algebra.inexact).into_iter().collect();
    if let Some(error) =
        algebra::content::report::unsatisfiable(&mut algebra, &graph, &closed_places)
    {
        return Err(vec![error]);
    }
    findings.extend(algebra::content::pruned::pruned(&mut algebra, &graph));
    algebra::content::merge::merge(&mut graph);
    let lowered = lower::lower(&algebra, &graph, options, wanted, budget).map_err(one)?;
    let lower::Emitted { grammar, cut } = lowered;
    budget.check_in_source()?;
    drop(algebra);
    algebra::content::report::deep_enough(&document, &grammar, &cut, options.text, budget)
        .map_err(one)?;
    let too_deep = cut.into_iter().map(|value| Occurrence {
        value,
        verdict: Verdict::Narrower,
        reason: "values nested deeper than the levels of indented text are left out",
    });
    occurrences.extend(too_deep);
    occurrences.sort_by_key(|occurrence| occurrence.value);
    // Of a keyword for which both are true, the report says that it accepts too much.
    inexact.sort_by_key(|(_, verdict, _)| *verdict == Verdict::Approximate);
    let mut inexact: FxHashMap<_, _> =
        inexact.into_iter().map(|(place, verdict, reason)| (place, (verdict, reason))).collect();
    if !inexact.is_empty() {
        for (first, other) in schemas.equal_places() {
            if let Some(&known) = inexact.get(&first) {
                inexact.entry(other).or_insert(known);
            }
        }
    }
    let mut pointers = document.pointers();
    let mut report = Report::with_capacity(occurrences.len());
    for Occurrence { value, verdict, reason } in occurrences {
        if budget.spend(STEPS_AN_OCCURRENCE).is_err() {
            break;
        }
        let (verdict, reason) = inexact.get(&value).copied().unwrap_or((verdict, reason));
        let pointer = |text: &mut String| pointers.write(value, text);
        report.add(pointer, document.key(value), verdict, reason.into());
    }
    budget.check_in_source()?;
    Ok(Lowered { source, grammar, report, findings, literals: Literals::default() })
}
