//! Two schema documents in one arena. Each has its own base URI, identifiers and dialect, so that
//! two versions of a schema with one `$id` do not clash.

use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::{Diagnostic, Source};

use rustc_hash::FxHashSet;

use super::options::{Refused, RelationOptions, Which};
use crate::document::{Document, Json, NodeId, Tree};
use crate::passes::CODES;
use crate::read::schema::{SchemaId, Schemas};
use crate::read::share;
use crate::read::survey::{Surveyed, survey};
use crate::source::occurrence::Occurrence;

/// The schemas of both documents.
pub(crate) struct Sides<'s> {
    /// The JSON array of both documents. Values of other documents, to which one of them refers, are copied
    /// behind it.
    pub(crate) document: Document<'s>,
    /// The schemas of both documents. Equal schemas of the two are shared.
    pub(crate) schemas: Schemas,
    /// The places of the outermost schemas.
    pub(crate) places: [NodeId; 2],
    /// The outermost schemas.
    pub(crate) roots: [SchemaId; 2],
    /// All keywords of both documents. The verdict of each is whether its values are read exactly.
    pub(crate) occurrences: Vec<Occurrence>,
}

/// Joins two documents to one, so that one compilation reads both. Returns the text of an array of both, and each document
/// as parsed for the library that resolves references.
///
/// # Errors
///
/// A document is not JSON.
pub(crate) fn joined<'t>(
    sides: [&'t Source; 2],
    options: &RelationOptions,
) -> Result<(Source, [Tree<'t>; 2]), Refused> {
    let tree = |side: Which| {
        let budget = options.budget();
        let parsed = Document::parse(sides[side.index()], CODES, &budget);
        let parsed = parsed.map(|(_, tree)| tree);
        parsed.map_err(|error| Refused { side, errors: vec![budget.blame(error)] })
    };
    let trees = [tree(Which::Left)?, tree(Which::Right)?];
    let [left, right] = sides;
    Ok((Source::new("<both>", format!("[{},{}]", left.text, right.text)), trees))
}

impl<'s> Sides<'s> {
    /// Reads both documents. `source` and `trees` are those of [`joined`].
    ///
    /// # Errors
    ///
    /// A document has keywords or references that are refused, or the budget is spent.
    pub(crate) fn read(
        source: &'s Source,
        trees: &[Tree<'_>; 2],
        sides: [&Source; 2],
        options: &RelationOptions,
        budget: &Budget,
    ) -> Result<Self, Refused> {
        let unsided = |error: Diagnostic| {
            let errors = vec![placeless(budget.blame(error))];
            Refused { side: Which::Left, errors }
        };
        let (mut document, _) = Document::parse(source, CODES, budget).map_err(unsided)?;
        let &[left, right] = (match document.json(document.root()) {
            Json::Array(items) => &items[..],
            _ => &[],
        }) else {
            let text = "the schemas nest too deep to be compared".to_owned();
            return Err(unsided(document.error(CODES.syntax, document.root(), text)));
        };
        let roots = [(left, &trees[0]), (right, &trees[1])];
        let (mut findings, none) = (Vec::new(), FxHashSet::default());
        let surveyed =
            survey(&mut document, &roots, &options.schemas, &none, budget, &mut findings);
        let surveyed = surveyed.map_err(|errors| refused(sides, options, errors, budget))?;
        let Surveyed { schemas, roots, occurrences } = surveyed;
        let roots = [roots[0], roots[1]];
        let mut sides = Self { document, schemas, places: [left, right], roots, occurrences };
        sides.share();
        Ok(sides)
    }

    /// Marks schemas that have equal keywords as one, within a side and across both. So their parts cancel in questions.
    pub(crate) fn share(&mut self) {
        self.schemas.share(share::first_equals(&self.document, &self.schemas));
    }

    /// Returns the side that a value belongs to. `None` for a value of another document.
    pub(crate) fn side_of(&self, node: NodeId) -> Option<Which> {
        Which::BOTH.into_iter().find(|side| {
            let place = self.places[side.index()];
            self.document.outermost(node, place) == place
        })
    }

    /// Returns the JSON pointer to a value within the document of its side.
    pub(crate) fn pointer(&self, node: NodeId) -> String {
        let pointer = self.document.pointer(node);
        match self.side_of(node) {
            // The pointer begins with the index of the side: `/0` or `/1`.
            Some(_) => pointer[2..].to_owned(),
            None => pointer,
        }
    }
}

/// Returns the errors of the first side that has errors by itself, with the places of its own text.
/// If an error occurs only for the joined text, returns it as the left side's, without its place.
fn refused(
    sides: [&Source; 2],
    options: &RelationOptions,
    errors: Vec<Diagnostic>,
    budget: &Budget,
) -> Refused {
    for (side, source) in Which::BOTH.into_iter().zip(sides) {
        let Ok((mut document, tree)) = Document::parse(source, CODES, budget) else { continue };
        let roots = [(document.root(), &tree)];
        let (mut findings, none) = (Vec::new(), FxHashSet::default());
        if let Err(errors) =
            survey(&mut document, &roots, &options.schemas, &none, budget, &mut findings)
        {
            return Refused { side, errors };
        }
    }
    let errors = errors.into_iter().map(|error| placeless(budget.blame(error)));
    Refused { side: Which::Left, errors: errors.collect() }
}

/// Returns an error without its place in the joined text.
fn placeless(error: Diagnostic) -> Diagnostic {
    Diagnostic { pointer: None, labels: Vec::new(), ..error }
}
