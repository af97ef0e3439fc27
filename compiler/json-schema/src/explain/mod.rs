//! Explains why a text is refused: where in the document it stops, and which keywords of the schema refuse it.
//!
//! ```text
//! accepted text ── open_json ──► path ── applies ──► schemas at each value of the path
//!                                                        └─ blame: keywords without which the next byte is accepted
//! ```
//!
//! A keyword is to blame if the grammar of the schema without it accepts the next byte. Keywords of the innermost
//! value come first. Several keywords may each be enough, so the answer is "one of these".
//!
//! Cost: one compilation to a grammar for each keyword that applies at the place, within the budget.
//!
//! Tests: `tests/explain.rs`; `tests/tests/schemas/explain.rs`.

mod applies;
mod blame;
mod open_json;

use std::ops::Range;

use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use rustc_hash::FxHashSet;

use super::document::{Document, NodeId};
use super::options::JsonSchemaOptions;
use super::passes::CODES;
use super::read::share;
use super::read::survey::{Surveyed, survey};
use applies::applies;
use blame::Search;
use open_json::{follow, pointer};

/// A place in the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The JSON pointer to the place. For a schema of another document, the document's URI comes first.
    pub pointer: String,
    /// The byte range of the place in the source, with the key for a keyword. `None` for a place in another document.
    pub span: Option<Range<usize>>,
}

/// A keyword that refuses a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blame {
    /// The place of the keyword.
    pub place: Place,
    /// The keyword, such as `maximum`.
    pub keyword: String,
    /// The value of the keyword, as JSON; cut off after 200 characters.
    pub value: String,
}

/// Why a text is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Any one of these keywords refuses it. There is at least one.
    OneOf(Vec<Blame>),
    /// These keywords refuse it together: it is accepted only without all of them.
    Together(Vec<Blame>),
    /// The keys of an object come in another order than the options ask for.
    KeyOrder,
    /// The options for the text form refuse it: whitespace, escapes or the form of numbers.
    TextForm,
    /// It is no JSON text.
    Syntax,
    /// The cause was not found within the limits.
    Unknown,
}

/// What a schema says about the place at which a text stops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The JSON pointer to the innermost value at which the text stops.
    pub instance: String,
    /// The schemas that may apply to that value.
    pub places: Vec<Place>,
    /// Why the next byte is refused.
    pub cause: Cause,
}

/// Explains why the texts of a schema do not go on with `next` behind the bytes `accepted`. `None` stands for the end of
/// the text.
///
/// # Errors
///
/// The schema does not compile, as for [`lower`](super::lower). Limits that are met later give [`Cause::Unknown`].
pub fn explain(
    source: &Source,
    accepted: &[u8],
    next: Option<u8>,
    options: &JsonSchemaOptions,
    budget: &Budget,
) -> Result<Explanation, Vec<Diagnostic>> {
    let one = |error| vec![budget.blame(error)];
    let (mut document, tree) = Document::parse(source, CODES, budget).map_err(one)?;
    let (roots, none) = ([(document.root(), &tree)], FxHashSet::default());
    let surveyed = survey(&mut document, &roots, options, &none, budget, &mut Vec::new());
    let Surveyed { mut schemas, roots, .. } = surveyed?;
    schemas.share(share::first_equals(&document, &schemas));
    let place = follow(accepted);
    let levels = applies(&schemas, roots[0], &place.path);
    let innermost = levels.last().into_iter().flatten();
    let mut places: Vec<Place> = Vec::new();
    for &id in innermost {
        let place = placed(&document, schemas.node(id));
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let text = &source.text;
    let search = Search { text, document: &document, root: roots[0], options, budget, accepted, next };
    let cause = search.cause(&mut schemas, &levels);
    Ok(Explanation { instance: pointer(&place.path), places, cause })
}

/// Returns the place of a value of the schema document. For a member, its span has the key.
fn placed(document: &Document<'_>, node: NodeId) -> Place {
    let pointer = document.pointer(node);
    let is_own = document.outermost(node, document.root()) == document.root();
    let span = is_own.then(|| document.key_span(node).start..document.span(node).end);
    Place { pointer, span }
}
