//! Explains why a text is refused: the place where it stops, and the keywords of the schema that refuse it.
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

mod blame;
mod found;

use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::ByteSet;
use grammarc_grammar::ir::recognize::behind_within;
use grammarc_grammar::open_json::{OpenJson, pointer};
use rustc_hash::FxHashSet;

use super::document::Document;
use super::options::JsonSchemaOptions;
use super::passes::CODES;
use super::read::applies::{Applying, applies};
use super::read::schema::{SchemaId, Schemas};
use super::read::share;
use super::read::survey::{Surveyed, survey};
use blame::Search;
use found::placed;

pub use found::{Blame, Cause, Place};

/// The explanation of a refused text: its innermost value, the schemas for that value, and the cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The JSON pointer to the innermost value at which the text stops.
    pub instance: String,
    /// The schemas for that value, from all branches.
    pub places: Vec<Place>,
    /// The cause why the next byte is refused.
    pub cause: Cause,
}

/// Explains why no text of a schema continues with the byte `next` after the bytes `accepted`. `None` denotes the end
/// of the text.
///
/// # Errors
///
/// Fails if the schema does not compile, as for [`lower`](super::lower()). Limits that are met later give
/// [`Cause::Unknown`].
pub fn explain(
    source: &Source,
    accepted: &[u8],
    next: Option<u8>,
    options: &JsonSchemaOptions,
    budget: &Budget,
) -> Result<Explanation, Vec<Diagnostic>> {
    let mut read = Reading::new(source, options, budget)?;
    let place = OpenJson::of(accepted).place();
    let levels = applies(&read.schemas, read.root, &place.path);
    let places = read.places(&levels);
    let Reading { document, schemas, root } = &mut read;
    let text = &source.text;
    let search = Search { text, document, root: *root, options, budget, accepted, next };
    let cause = search.cause(schemas, &levels);
    Ok(Explanation { instance: pointer(&place.path), places, cause })
}

/// Returns the schemas that may apply to the innermost value at the end of a text, in all branches. This is [`explain`]
/// without the search for a cause.
///
/// # Errors
///
/// Fails if the schema does not compile, as for [`lower`](super::lower()).
pub fn places(
    source: &Source,
    accepted: &[u8],
    options: &JsonSchemaOptions,
    budget: &Budget,
) -> Result<Vec<Place>, Vec<Diagnostic>> {
    let read = Reading::new(source, options, budget)?;
    let place = OpenJson::of(accepted).place();
    Ok(read.places(&applies(&read.schemas, read.root, &place.path)))
}

/// A schema document after reading, with its root schema.
struct Reading<'s> {
    document: Document<'s>,
    schemas: Schemas,
    root: SchemaId,
}

impl<'s> Reading<'s> {
    fn new(
        source: &'s Source,
        options: &JsonSchemaOptions,
        budget: &Budget,
    ) -> Result<Self, Vec<Diagnostic>> {
        let one = |error| vec![budget.blame(error)];
        let (mut document, tree) = Document::parse(source, CODES, budget).map_err(one)?;
        let (roots, none) = ([(document.root(), &tree)], FxHashSet::default());
        let surveyed = survey(&mut document, &roots, options, &none, budget, &mut Vec::new());
        let Surveyed { mut schemas, roots, .. } = surveyed?;
        schemas.share(share::first_equals(&document, &schemas));
        let root = roots[0];
        Ok(Self { document, schemas, root })
    }

    /// Returns the places of the schemas that apply to the innermost value.
    fn places(&self, levels: &[Applying]) -> Vec<Place> {
        let mut places: Vec<Place> = Vec::new();
        for &id in levels.last().into_iter().flatten() {
            let place = placed(&self.document, self.schemas.node(id));
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places
    }
}

/// The explanation of a text up to its first refused byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedText {
    /// Number of bytes that are accepted.
    pub accepted: usize,
    /// The byte that is refused. `None` if all are accepted.
    pub byte: Option<u8>,
    /// The bytes that may follow the accepted bytes.
    pub next: ByteSet,
    /// Whether the text may end after the accepted bytes.
    pub may_end: bool,
    /// The schemas that apply there, and the keywords that refuse the byte.
    pub explanation: Explanation,
}

/// Finds the first refused byte of a text, and explains the refusal. If all bytes are accepted, describes what may
/// follow. If `end` is set, then explains why the text may not end there.
///
/// Cost: that of [`explain`], and O(log length) recognitions of a prefix of the text.
///
/// # Errors
///
/// Fails if the schema does not compile, as for [`lower`](super::lower()), or if the budget is spent before the byte is
/// found.
pub fn explain_text(
    source: &Source,
    text: &[u8],
    end: bool,
    options: &JsonSchemaOptions,
    budget: &Budget,
) -> Result<ExplainedText, Vec<Diagnostic>> {
    let grammar = super::lower(source.clone(), options, budget)?.grammar;
    let behind = |length: usize| {
        let found = behind_within(&grammar, &text[..length], budget);
        found.ok_or_else(|| budget.check_in_source().err().unwrap_or_default())
    };
    let (mut accepted, mut refused) = (0, text.len());
    while accepted < refused {
        let middle = accepted.midpoint(refused);
        match behind(middle)?.bytes.contains(text[middle]) {
            true => accepted = middle + 1,
            false => refused = middle,
        }
    }
    let (byte, found) = (text.get(accepted).copied(), behind(accepted)?);
    let explanation = match byte.is_some() || end && !found.may_end {
        true => explain(source, &text[..accepted], byte, options, budget)?,
        false => {
            let places = places(source, text, options, budget)?;
            let instance = pointer(&OpenJson::of(text).place().path);
            Explanation { instance, places, cause: Cause::None }
        }
    };
    let (next, may_end) = (found.bytes, found.may_end);
    Ok(ExplainedText { accepted, byte, next, may_end, explanation })
}
