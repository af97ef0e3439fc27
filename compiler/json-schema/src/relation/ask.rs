//! Questions about two schemas: whether some value satisfies one and not the other.
//!
//! An instance is a shortest text of the question's formula. It proves the answer only if both
//! schemas are exact for it, so it is confirmed as a constant. If it is not confirmed, the next
//! shortest is tried.

use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::diagnostics::report::Verdict;
use grammarc_grammar::ir::Survey;
use grammarc_grammar::ir::example::Examples;
use rustc_hash::FxHashSet;
use serde_json::Value;

use super::options::{RelationOptions, Which};
use super::sides::Sides;
use crate::algebra::automata::layer::Automata;
use crate::algebra::content::explore::{build, explored};
use crate::algebra::content::merge::merge;
use crate::algebra::logic::formula::FormulaId;
use crate::algebra::logic::layer::Inexact;
use crate::algebra::promises::{OneOfPromise, OrderPromise, Promises};
use crate::algebra::simplify::steps::Steps;
use crate::document::NodeId;
use crate::lower::lower;
use crate::options::{JsonSchemaOptions, TextForm};
use crate::read::loosened::TESTS;
use crate::text_form::tags::Root;
use crate::values::formats::may_misread;

/// Most random texts of one question. More are not drawn.
const MOST_TEXTS: usize = 1_000;

/// Bytes of a random text from which on its shortest end is taken.
const MOST_RANDOM: usize = 400;

/// Maximum number of instances that are tried until one is confirmed.
const MOST_INSTANCES: usize = 32;

/// The answer to a question about two schemas.
#[derive(Clone, Debug, PartialEq)]
pub enum Side {
    /// No value satisfies the question.
    Empty {
        /// Keywords that are only approximated, and that both documents have with one value. The answer
        /// assumes that each allows just the values that the compiler reads. Without such keywords, the
        /// answer is proved.
        assuming: Vec<Reason>,
    },
    /// Some value satisfies the question. This is one.
    Witness {
        /// The value, as JSON without whitespace. No shorter text denotes such a value.
        text: String,
    },
    /// The question was not decided.
    Unknown(Vec<Reason>),
}

impl Side {
    /// Returns the witness. `None` if there is none.
    pub fn witness(&self) -> Option<&str> {
        match self {
            Self::Witness { text } => Some(text),
            _ => None,
        }
    }
}

/// Why a question was not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The side of the keyword. `None` for a keyword of another document.
    pub side: Option<Which>,
    /// The JSON pointer to the keyword in the document of its side. Empty if no keyword is at fault.
    pub pointer: String,
    /// The reason, in words.
    pub text: String,
}

/// The promises of all questions: exact, and without regard to key order.
pub(super) const EXACT: Promises =
    Promises { key_order: OrderPromise::Schema, one_of: OneOfPromise::Exact };

/// What one attempt to answer a question has found.
enum Found {
    /// No value satisfies the question, apart from what inexact keywords leave out.
    Nothing(Vec<Inexact>),
    /// A text that satisfies the question, if keywords are exact for it.
    Text(String),
    /// Some value satisfies the question, and no text of one was found.
    NoText,
}

/// Answers whether some value satisfies the schemas whose flag is set in `question`, and none of
/// the others.
pub(crate) fn ask(sides: &mut Sides<'_>, question: [bool; 2], options: &RelationOptions) -> Side {
    let schemas = JsonSchemaOptions { text: TextForm::SHORT, ..options.schemas.clone() };
    let mut tried: Vec<NodeId> = Vec::new();
    let budget = options.budget();
    while tried.len() < MOST_INSTANCES {
        let text = match attempt(sides, question, &tried, &schemas, &budget) {
            Ok(Found::Nothing(notes)) if tried.is_empty() => {
                let Doubts { shared, own } = doubts(sides, question, &notes);
                return match own.is_empty() {
                    true => Side::Empty { assuming: shared },
                    false => Side::Unknown(own),
                };
            }
            Ok(Found::Nothing(_)) => break,
            Ok(Found::Text(text)) => text,
            Ok(Found::NoText) => {
                let text = "some value satisfies the question, and no short text of one was found";
                return unknown(sides, None, text.to_owned());
            }
            Err(error) => return limit(sides, &budget.blame(error)),
        };
        // What the text itself shows counts if no plainer text proves the answer.
        let mut last = None;
        for text in [plainer(&text), Some(text)].into_iter().flatten() {
            let Ok(value) = serde_json::from_str::<Value>(&text) else {
                return unknown(sides, None, format!("{text:?} was found, and is no JSON"));
            };
            let node = sides.document.graft("instance:", &value, sides.document.root());
            match confirm(sides, question, node, &schemas, &budget) {
                Ok(Some(confirmed)) => {
                    let doubtful = confirmed.doubtful(sides, question, &text);
                    if doubtful.is_empty() {
                        return Side::Witness { text };
                    }
                    last = Some((node, doubtful));
                }
                Ok(None) => last = Some((node, Vec::new())),
                Err(error) => return limit(sides, &budget.blame(error)),
            }
        }
        let Some((node, doubtful)) = last else { break };
        if !doubtful.is_empty() {
            return Side::Unknown(reasons(sides, doubtful));
        }
        tried.push(node);
    }
    let text = "keywords that are not exact here admit values that no value confirms";
    unknown(sides, None, text.to_owned())
}

/// Returns the builder of automata for a question, and the question's formula.
fn begin<'a>(
    sides: &'a Sides<'_>,
    question: [bool; 2],
    options: &JsonSchemaOptions,
    budget: &'a Budget,
) -> (Automata<'a>, FormulaId) {
    let Sides { document, schemas, roots, .. } = sides;
    let mut automata = Automata::new(document, schemas, EXACT, Steps::default(), options, budget);
    let logic = automata.logic();
    let mut asked = FormulaId::TRUE;
    for (&root, holds) in roots.iter().zip(question) {
        let schema = logic.schema(root);
        asked = if holds { logic.both(asked, schema) } else { logic.without(asked, schema) };
    }
    (automata, asked)
}

/// Returns random texts of values that satisfy all schemas whose flag is set in `question`, and none of the others. Each
/// is confirmed, so there may be fewer than `count`. `below` returns a random number below its argument.
///
/// # Errors
///
/// The question has no answer: a limit is met, or keywords that are not exact matter.
pub(crate) fn random_texts(
    sides: &mut Sides<'_>,
    question: [bool; 2],
    count: usize,
    below: &mut dyn FnMut(usize) -> usize,
    options: &RelationOptions,
) -> Result<Vec<String>, Reason> {
    let schemas = JsonSchemaOptions { text: TextForm::SHORT, ..options.schemas.clone() };
    let budget = options.budget();
    let limit = |sides: &Sides<'_>, error| match limit(sides, &budget.blame(error)) {
        Side::Unknown(mut reasons) => reasons.swap_remove(0),
        _ => Reason { side: None, pointer: String::new(), text: String::new() },
    };
    let drawn = |sides: &Sides<'_>, below: &mut dyn FnMut(usize) -> usize| {
        let (mut automata, asked) = begin(sides, question, &schemas, &budget);
        let mut graph = build(&mut automata, asked)?;
        if !graph.holds(asked) {
            return Ok(Vec::new());
        }
        merge(&mut graph, &budget);
        let types = &automata.simplifier.types;
        let grammar = lower(types, &graph, &schemas, Root::Value, &budget)?.grammar;
        let survey = Survey::new(&grammar, &budget);
        let Some(mut examples) = Examples::new(&grammar, &survey, &budget) else {
            return Ok(Vec::new());
        };
        let mut texts = Vec::new();
        for _ in 0..count.min(MOST_TEXTS) {
            if budget.spend(MOST_RANDOM).is_err() {
                break;
            }
            texts.extend(String::from_utf8(examples.random(MOST_RANDOM, below)).ok());
        }
        Ok(texts)
    };
    let mut texts = drawn(sides, below).map_err(|error| limit(sides, error))?;
    let mut error = None;
    texts.retain(|text| {
        let Ok(value) = serde_json::from_str::<Value>(text) else { return false };
        let node = sides.document.graft("instance:", &value, sides.document.root());
        match confirm(sides, question, node, &schemas, &budget) {
            Ok(Some(confirmed)) => confirmed.doubtful(sides, question, text).is_empty(),
            Ok(None) => false,
            Err(limit) => {
                error.get_or_insert(limit);
                false
            }
        }
    });
    match error {
        Some(error) => Err(limit(sides, error)),
        None => Ok(texts),
    }
}

/// Looks for a shortest text of a question other than the values at `tried`.
fn attempt(
    sides: &Sides<'_>,
    question: [bool; 2],
    tried: &[NodeId],
    options: &JsonSchemaOptions,
    budget: &Budget,
) -> Result<Found, Diagnostic> {
    let (mut automata, mut asked) = begin(sides, question, options, budget);
    for &node in tried {
        let value = automata.logic().value(node);
        asked = automata.logic().without(asked, value);
    }
    let mut graph = build(&mut automata, asked)?;
    if !graph.holds(asked) {
        let notes = std::mem::take(&mut automata.logic().inexact);
        return Ok(Found::Nothing(notes.into_iter().collect()));
    }
    merge(&mut graph, budget);
    let types = &automata.simplifier.types;
    let grammar = lower(types, &graph, options, Root::Value, budget)?.grammar;
    let survey = Survey::new(&grammar, budget);
    let text = Examples::new(&grammar, &survey, budget).map(|mut examples| examples.shortest());
    Ok(text.and_then(|text| String::from_utf8(text).ok()).map_or(Found::NoText, Found::Text))
}

/// What the test of a constant has shown, if it satisfies the schemas of a question.
struct Confirmed {
    /// The keywords that were not exact in the test.
    notes: Vec<Inexact>,
    /// The places of all keywords on which the test depends.
    used: FxHashSet<NodeId>,
}

impl Confirmed {
    /// Returns the keywords that may make the answer wrong that the constant satisfies the question. `text` is that of the
    /// constant.
    fn doubtful(
        &self,
        sides: &Sides<'_>,
        question: [bool; 2],
        text: &str,
    ) -> Vec<(NodeId, &'static str)> {
        let mut doubtful = inexact(sides, question, &self.notes, Answer::Some);
        doubtful.retain(|&(place, reason)| self.used.contains(&place) && may_misread(reason, text));
        doubtful
    }
}

/// Returns a text with dates that all validators take: no year 0, and no leap second. `None` if the text is such a one.
fn plainer(text: &str) -> Option<String> {
    let plain = text.replace("\"0000-", "\"2000-").replace(":59:60", ":59:59");
    (plain != text).then_some(plain)
}

/// Tests whether the constant at `node` satisfies the schemas of a question. `None` if it does not, by the algebra of
/// schemas.
fn confirm(
    sides: &Sides<'_>,
    question: [bool; 2],
    node: NodeId,
    options: &JsonSchemaOptions,
    budget: &Budget,
) -> Result<Option<Confirmed>, Diagnostic> {
    let (mut automata, asked) = begin(sides, question, options, budget);
    automata.logic().used = Some(FxHashSet::default());
    let value = automata.logic().value(node);
    let both = automata.logic().both(value, asked);
    let (graph, _) = explored(&mut automata, both)?;
    let notes: Vec<Inexact> = std::mem::take(&mut automata.logic().inexact).into_iter().collect();
    let mut used = automata.logic().used.take().unwrap_or_default();
    used.extend(notes.iter().map(|note| note.place));
    let equals = sides.schemas.equal_places().filter(|(first, _)| used.contains(first));
    let equals: Vec<NodeId> = equals.map(|(_, other)| other).collect();
    used.extend(equals);
    Ok(graph.holds[0].then_some(Confirmed { notes, used }))
}

/// Keywords that are only approximated, so that the values found for a question may lack some. An empty
/// result proves nothing then.
struct Doubts {
    /// Keywords that both documents have, with one value.
    shared: Vec<Reason>,
    /// All other such keywords.
    own: Vec<Reason>,
}

/// Returns the keywords for which an empty answer may be wrong.
fn doubts(sides: &Sides<'_>, question: [bool; 2], notes: &[Inexact]) -> Doubts {
    let inexact = inexact(sides, question, notes, Answer::None);
    if inexact.is_empty() {
        return Doubts { shared: Vec::new(), own: Vec::new() };
    }
    // If both sides have to hold, a keyword of both does not cancel.
    let may_cancel = question != [true, true];
    let equal = sides.schemas.equal_places().filter(|_| may_cancel);
    let mut shared: FxHashSet<NodeId> = equal
        .filter(|&(first, other)| sides.side_of(first) != sides.side_of(other))
        .flat_map(|(first, other)| [first, other])
        .collect();
    // The other document has the keyword with the same value at the same place, in a schema that differs in other keywords.
    let document = &sides.document;
    let is_same = |node: NodeId, other: NodeId| {
        sides.side_of(node) != sides.side_of(other)
            && document.is_same(node, other)
            && sides.pointer(node) == sides.pointer(other)
    };
    for &(node, _) in inexact.iter().filter(|_| may_cancel) {
        if inexact.iter().any(|&(other, _)| is_same(node, other)) {
            shared.insert(node);
        }
    }
    let (shared, own) = inexact.into_iter().partition(|(node, _)| shared.contains(node));
    Doubts { shared: reasons(sides, shared), own: reasons(sides, own) }
}

/// An answer to a question about values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// No value satisfies the question.
    None,
    /// Some value satisfies the question.
    Some,
}

/// Returns the keywords that are only approximated and may make an answer wrong, each with its place and the reason.
/// Too small a set may have no value, and too large a set may have a value that is none.
fn inexact(
    sides: &Sides<'_>,
    question: [bool; 2],
    notes: &[Inexact],
    answer: Answer,
) -> Vec<(NodeId, &'static str)> {
    let own = sides.occurrences.iter().map(|one| (one.value, one.verdict, one.reason));
    let found = notes.iter().map(|note| (note.place, note.verdict, note.reason));
    let mut inexact: Vec<_> = own.chain(found).collect();
    inexact.retain(|(_, verdict, _)| matches!(verdict, Verdict::Narrower | Verdict::Approximate));
    if inexact.is_empty() {
        return Vec::new();
    }
    // The schema that a reference names is a test if the reference is.
    let refers = |node: &NodeId| sides.document.key(*node).ends_with("ef") && is_test(sides, *node);
    let tests_refer = sides.document.nodes().any(|node| refers(&node));
    inexact.retain(|&(node, verdict, _)| {
        // The set of values and that of all others are both too large.
        if verdict == Verdict::Approximate {
            return true;
        }
        let is_asked = sides.side_of(node).map(|side| question[side.index()]);
        let is_tested = tests_refer || is_asked.is_none() || is_test(sides, node);
        is_tested || (is_asked == Some(true)) == (answer == Answer::None)
    });
    inexact.into_iter().map(|(node, _, reason)| (node, reason)).collect()
}

fn reasons(sides: &Sides<'_>, inexact: Vec<(NodeId, &'static str)>) -> Vec<Reason> {
    let reason = |(node, text): (NodeId, &str)| Reason {
        side: sides.side_of(node),
        pointer: sides.pointer(node),
        text: text.to_owned(),
    };
    let mut reasons: Vec<Reason> = Vec::new();
    for reason in inexact.into_iter().map(reason) {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    reasons
}

/// Whether a place of a document is within a schema that only tests values: that of `not`, `if`, `oneOf` or `contains`.
/// References are not followed.
fn is_test(sides: &Sides<'_>, node: NodeId) -> bool {
    let mut at = node;
    while let Some(parent) = sides.document.parent(at) {
        if TESTS.contains(&sides.document.key(at)) {
            return true;
        }
        at = parent;
    }
    false
}

/// Returns the unknown answer for a limit that was met.
fn limit(sides: &Sides<'_>, error: &Diagnostic) -> Side {
    // Pointers of the joined document begin with the index of the side.
    let place = error
        .pointer
        .as_deref()
        .and_then(|pointer| sides.document.walk(sides.document.root(), pointer));
    unknown(sides, place, error.message.clone())
}

fn unknown(sides: &Sides<'_>, place: Option<NodeId>, text: String) -> Side {
    let side = place.and_then(|node| sides.side_of(node));
    let pointer = place.map(|node| sides.pointer(node)).unwrap_or_default();
    Side::Unknown(vec![Reason { side, pointer, text }])
}
