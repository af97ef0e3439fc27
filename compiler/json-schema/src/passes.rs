//! Runs the passes from the text of a schema to a grammar, in order.
//!
//! ```text
//! read ─► close ─► exclude ─► combine ─► check ─► write ─► report
//! ```
//!
//! *Combine* runs the algebra. If it exceeds its limits, it runs again with weaker promises (the order of keys,
//! `oneOf`).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::document::{Codes, Document, NodeId};
use grammarc_grammar::automata::StateBudget;
use grammarc_grammar::budget::{Budget, Phase};
use grammarc_grammar::diagnostics::report::{Report, Verdict};
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::{Grammar, Literals, Lowered};

use super::algebra::automata::layer::Automata;
use super::algebra::content::explore::build;
use super::algebra::content::graph::ContentGraph;
use super::algebra::content::merge::merge;
use super::algebra::content::pruned::pruned;
use super::algebra::content::report::{deep_enough, unsatisfiable};
use super::algebra::logic::layer::{Inexact, SHAPE_LIMIT};
use super::algebra::promises::Promises;
use super::algebra::simplify::layer::Simplifier;
use super::algebra::simplify::steps::{Effort, Steps};
use super::lower::{SchemaGrammar, lower};
use super::options::JsonSchemaOptions;
use super::place_graph::place_graph;
use super::read::schema::{SchemaId, Schemas};
use super::read::survey::{Surveyed, survey};
use super::read::{close_objects, exclude_texts, lint, loosened, share};
use super::source::occurrence::Occurrence;
use super::text_form::tags::Root;

/// Error codes for a text that is no schema document: not JSON, or with a repeated key.
pub const CODES: Codes =
    Codes { syntax: "json-schema::syntax", duplicate_key: "json-schema::duplicate-key" };

/// Estimated budget steps for a keyword occurrence in the report.
const STEPS_AN_OCCURRENCE: usize = 1 << 6;

/// The task of a compilation: which values of the schema to write, and whether as JSON or as tags.
#[derive(Clone, Copy, Default)]
pub(super) struct Task<'t> {
    /// Which values are written (all, or only objects), and whether objects are written as JSON or as tags.
    pub(super) wanted: Root<'t>,
    /// Texts that no string and no key of the values contains.
    pub(super) excluded: &'t [String],
    /// JSON pointers to what does not compile, and so says nothing. Empty if everything has to compile.
    pub(super) loosened: &'t [String],
    /// The steps of the simplifier (of formulas over schemas) that are switched on.
    pub(super) steps: Steps,
}

/// The document and its schemas, as the passes change them.
struct Schema<'s> {
    /// The schema document.
    document: Document<'s>,
    /// The schemas of the document, read and checked.
    schemas: Schemas,
    /// The schema of the whole document.
    root: SchemaId,
    /// The keyword occurrences with their verdicts, for the report.
    occurrences: Vec<Occurrence>,
    /// The warnings and notes so far.
    findings: Vec<Diagnostic>,
    /// The places of the schemas that the option `closed` has closed, ascending.
    closed: Vec<NodeId>,
}

/// The inputs that all compilation passes share.
#[derive(Clone, Copy)]
struct Context<'c> {
    /// The options of the front end.
    options: &'c JsonSchemaOptions,
    /// The limits on time and memory, and the cancellation flag.
    budget: &'c Budget,
}

/// Runs all passes, from the text of a schema to a grammar. Returns the grammar with its report, and the work that
/// combining the schemas took.
///
/// # Errors
///
/// All errors that stop the compilation, in source order.
pub(super) fn run(
    source: Source,
    options: &JsonSchemaOptions,
    Task { wanted, excluded, loosened, steps }: Task<'_>,
    budget: &Budget,
) -> Result<(Lowered, Effort), Vec<Diagnostic>> {
    let context = Context { options, budget };
    // Once the budget is exhausted, the error reported is the budget's. Other errors only say where that happened.
    let blame = |error| vec![budget.blame(error)];
    budget.begin(Phase::Reading);
    let mut schema = read(&source, loosened, context)?;
    budget.check_in_source()?;
    budget.begin(Phase::Combining);
    if options.closed {
        close(&mut schema);
    }
    exclude(&mut schema, excluded, context).map_err(blame)?;
    schema.schemas.share(share::first_equals(&schema.document, &schema.schemas));
    let Combined { mut automata, mut graph, effort } =
        combine(&schema, steps, context).map_err(blame)?;
    budget.check_in_source()?;
    budget.begin(Phase::Lowering);
    let inexact = std::mem::take(&mut automata.logic().inexact).into_iter().collect();
    let notes = check(&mut automata, &graph, &schema.closed)?;
    merge(&mut graph, budget);
    let emitted = lower(&automata.simplifier.types, &graph, options, wanted, budget);
    let SchemaGrammar { mut grammar, cut } = emitted.map_err(blame)?;
    budget.check_in_source()?;
    drop(automata);
    if wanted.tags().is_none() {
        let Schema { document, schemas, root, .. } = &schema;
        grammar.places = place_graph(document, schemas, *root, budget).map(Arc::new);
    }
    schema.findings.extend(notes);
    note_depth(&mut schema, &grammar, cut, context).map_err(blame)?;
    let report = report(&mut schema, inexact, budget);
    budget.check_in_source()?;
    let findings = schema.findings;
    let literals = Literals::default();
    Ok((Lowered { source, grammar, report, findings, literals }, effort))
}

/// Reads the document: its schemas, the verdict on each keyword, and warnings.
fn read<'s>(
    source: &'s Source,
    not_enforced: &[String],
    Context { options, budget }: Context<'_>,
) -> Result<Schema<'s>, Vec<Diagnostic>> {
    let all = |errors: Vec<Diagnostic>| match budget.error() {
        Some(_) => errors.into_iter().take(1).map(|error| budget.blame(error)).collect(),
        None => errors,
    };
    let parsed = Document::parse(source, CODES, budget);
    let (mut document, tree) = parsed.map_err(|error| vec![budget.blame(error)])?;
    budget.check_in_source()?;
    let mut findings = Vec::new();
    let roots = [(document.root(), &tree)];
    let places = loosened::loosened(&document, not_enforced);
    let surveyed = survey(&mut document, &roots, options, &places, budget, &mut findings);
    let Surveyed { schemas, roots, occurrences } = surveyed.map_err(all)?;
    let root = roots[0];
    findings.extend(lint::lint(&document, &occurrences));
    Ok(Schema { document, schemas, root, occurrences, findings, closed: Vec::new() })
}

/// Closes objects: an object with declared keys then accepts no other keys, unless a keyword allows them.
fn close(schema: &mut Schema<'_>) {
    let closed = close_objects::close(&schema.schemas, schema.root);
    (schema.schemas, schema.root) = (closed.schemas, closed.root);
    schema.closed.clone_from(&closed.places);
    let reason = "says nothing of other keys, and takes none by the options given";
    let verdict = Verdict::Narrower;
    let places = closed.places.into_iter();
    schema.occurrences.extend(places.map(|value| Occurrence { value, verdict, reason }));
}

/// Restricts the schema to values whose strings and keys contain no text of `excluded`.
fn exclude(
    schema: &mut Schema<'_>,
    excluded: &[String],
    Context { options, budget }: Context<'_>,
) -> Result<(), Diagnostic> {
    if excluded.is_empty() {
        return Ok(());
    }
    let limit = StateBudget::new(options.max_states, budget);
    let root = exclude_texts::exclude(&mut schema.schemas, schema.root, excluded, limit);
    schema.root = root.map_err(|error| {
        let document = &schema.document;
        let text = format!("the excluded texts are too complex: {error}");
        document.error("json-schema::state-limit", document.root(), text)
    })?;
    Ok(())
}

/// The result of combining the schemas of a document: automata and a graph of the values that they allow.
struct Combined<'s> {
    /// The builder of automata over members and items, with the formulas from which they are built.
    automata: Automata<'s>,
    /// The content graph: for each formula that the root schema reaches, its scalars, and automata of its arrays and
    /// objects.
    graph: ContentGraph,
    /// The work that combining the schemas took.
    effort: Effort,
}

/// Combines the schemas into a content graph, which has the allowed values of each formula. Makes the strongest
/// promises (about the order of keys and `oneOf`) that the limits allow.
fn combine<'s>(
    schema: &'s Schema<'_>,
    steps: Steps,
    Context { options, budget }: Context<'s>,
) -> Result<Combined<'s>, Diagnostic> {
    let Schema { document, schemas, root, .. } = schema;
    let (first, weaker) = Promises::attempts(options.key_order);
    let attempt = |promises: Promises| {
        let mut automata = Automata::new(document, schemas, promises, steps, options, budget);
        let root = automata.logic().schema(*root);
        let graph = build(&mut automata, root)?;
        let Simplifier { types, counts, .. } = &automata.simplifier;
        let effort = Effort {
            steps: *counts,
            shapes: types.meter.shapes,
            work: types.meter.work,
            is_weaker: promises != first,
        };
        Ok(Combined { automata, graph, effort })
    };
    let mut built: Result<_, Diagnostic> = attempt(first);
    for &promises in weaker {
        if built.as_ref().is_err_and(|error| error.code == SHAPE_LIMIT) {
            built = attempt(promises);
        }
    }
    built
}

/// Checks that some value satisfies the schema, and fails otherwise. Returns notes on parts of the schema that nothing
/// satisfies.
fn check(
    automata: &mut Automata<'_>,
    graph: &ContentGraph,
    closed: &[NodeId],
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    match unsatisfiable(automata, graph, closed) {
        Some(error) => Err(vec![error]),
        None => Ok(pruned(automata, graph)),
    }
}

/// Reports schemas whose values are cut off at the last level of indented text. Fails if no document fits.
fn note_depth(
    schema: &mut Schema<'_>,
    grammar: &Grammar,
    cut: Vec<NodeId>,
    Context { options, budget }: Context<'_>,
) -> Result<(), Diagnostic> {
    deep_enough(&schema.document, grammar, &cut, options.text, budget)?;
    let verdict = Verdict::Narrower;
    let reason = "values nested deeper than the levels of indented text are left out";
    let cut = cut.into_iter().map(|value| Occurrence { value, verdict, reason });
    schema.occurrences.extend(cut);
    Ok(())
}

/// Returns the report: the verdict on each keyword occurrence, in source order.
fn report(schema: &mut Schema<'_>, mut inexact: Vec<Inexact>, budget: &Budget) -> Report {
    let Schema { document, schemas, occurrences, .. } = schema;
    occurrences.sort_by_key(|occurrence| occurrence.value);
    // If a keyword is both narrower and approximate, the report calls it approximate.
    inexact.sort_by_key(|inexact| inexact.verdict == Verdict::Approximate);
    let inexact = inexact.into_iter();
    let mut inexact: FxHashMap<_, _> =
        inexact.map(|Inexact { place, verdict, reason }| (place, (verdict, reason))).collect();
    if !inexact.is_empty() {
        for (first, other) in schemas.equal_places() {
            if let Some(&known) = inexact.get(&first) {
                inexact.entry(other).or_insert(known);
            }
        }
    }
    let mut pointers = document.pointers();
    let mut report = Report::with_capacity(occurrences.len());
    for Occurrence { value, verdict, reason } in occurrences.drain(..) {
        if budget.spend(STEPS_AN_OCCURRENCE).is_err() {
            break;
        }
        let (verdict, reason) = inexact.get(&value).copied().unwrap_or((verdict, reason));
        let pointer = |text: &mut String| pointers.write(value, text);
        report.add(pointer, document.key(value), verdict, reason.into());
    }
    report
}
