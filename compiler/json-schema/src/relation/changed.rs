//! The keywords in which two documents differ, each with its effect on the values.
//!
//! Both documents are walked together, along properties, items and branches. A keyword that both have with
//! different values is compared alone. A member that only one document has is compared by the
//! schemas around it.
//!
//! Cost: linear in the documents, and two questions for each difference, at most [`MOST_EFFECTS`].

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::diagnostics::report::Verdict;
use rustc_hash::FxHashMap;

use super::ask::EXACT;
use super::options::RelationOptions;
use super::sides::Sides;
use crate::algebra::automata::layer::Automata;
use crate::algebra::content::explore::explored;
use crate::algebra::logic::formula::FormulaId;
use crate::algebra::logic::subject::Subject;
use crate::algebra::simplify::steps::Steps;
use crate::document::{Json, NodeId};
use crate::read::schema::SchemaId;

/// Maximum number of differences whose effect is determined. The effect of others is unknown.
const MOST_EFFECTS: usize = 256;

/// The effect of a difference on the values of its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// The same values are allowed.
    None,
    /// The right document allows fewer values here.
    Narrower,
    /// The right document allows more values here.
    Wider,
    /// Each document allows values here that the other does not.
    Different,
    /// The effect was not determined.
    Unknown,
}

impl Effect {
    /// Returns the name of the effect, such as `narrower`.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Narrower => "narrower",
            Self::Wider => "wider",
            Self::Different => "different",
            Self::Unknown => "unknown",
        }
    }
}

/// A difference of two documents: a keyword, or a schema as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The JSON pointer in the left document. `None` if it does not have the keyword.
    pub left: Option<String>,
    /// The JSON pointer in the right document. `None` if it does not have the keyword.
    pub right: Option<String>,
    /// The keyword. Empty for a schema as a whole.
    pub keyword: String,
    /// The effect on the values of the schema that has the keyword.
    pub effect: Effect,
}

/// The kind of value that a keyword has, as far as the walk goes into it.
enum Holds {
    /// The keyword's value is a schema, as for `items`.
    Schema,
    /// The keyword's value is an object of schemas by name, as for `properties`.
    Named,
    /// The keyword's value is a list of schemas, as for `allOf`.
    List,
    /// The keyword's value contains no schema that is compared by itself.
    Other,
}

fn holds(keyword: &str) -> Holds {
    match keyword {
        "additionalProperties"
        | "additionalItems"
        | "items"
        | "contains"
        | "not"
        | "if"
        | "then"
        | "else"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Holds::Schema,
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
            Holds::Named
        }
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Holds::List,
        _ => Holds::Other,
    }
}

/// Returns the differences of two documents.
pub(super) fn changes(sides: &Sides<'_>, options: &RelationOptions) -> Vec<Change> {
    let Sides { document, schemas, .. } = sides;
    let budget = options.budget();
    let automata =
        Automata::new(document, schemas, EXACT, Steps::default(), &options.schemas, &budget);
    let mut of_places = FxHashMap::default();
    for id in schemas.iter() {
        of_places.entry(schemas.node(id)).or_insert(id);
    }
    let verdicts = sides.occurrences.iter().map(|one| (one.value, one.verdict)).collect();
    let mut walk = Walk { sides, automata, of_places, verdicts, effects: 0, found: Vec::new() };
    let [left, right] = sides.places;
    let mut open = vec![(left, right)];
    while let Some((left, right)) = open.pop() {
        let from = open.len();
        walk.schemas(left, right, &mut open);
        open[from..].reverse();
    }
    walk.found
}

struct Walk<'a, 's> {
    sides: &'a Sides<'s>,
    automata: Automata<'a>,
    /// For each place of a schema that applies, the schema.
    of_places: FxHashMap<NodeId, SchemaId>,
    /// For each keyword by its place, whether it is exact.
    verdicts: FxHashMap<NodeId, Verdict>,
    /// Number of effects that were determined.
    effects: usize,
    found: Vec<Change>,
}

impl Walk<'_, '_> {
    /// Compares two schemas keyword by keyword. Adds pairs of schemas below them to `open`.
    fn schemas(&mut self, left: NodeId, right: NodeId, open: &mut Vec<(NodeId, NodeId)>) {
        let document = &self.sides.document;
        let (Json::Object(lefts), Json::Object(rights)) =
            (document.json(left), document.json(right))
        else {
            if !document.is_same(left, right) {
                let [a, b] = [left, right].map(|node| self.schema(node));
                self.add(Some(left), Some(right), "", [a, b]);
            }
            return;
        };
        for (keyword, member) in lefts.iter() {
            match rights.get(keyword) {
                Some(other) => {
                    self.keyword(keyword, [left, right], [member.value, other.value], open)
                }
                None => {
                    let formulas = self.formulas([left, right], [Some(member.value), None]);
                    self.add(Some(member.value), None, keyword, formulas);
                }
            }
        }
        for (keyword, member) in rights.iter().filter(|(keyword, _)| lefts.get(keyword).is_none()) {
            let formulas = self.formulas([left, right], [None, Some(member.value)]);
            self.add(None, Some(member.value), keyword, formulas);
        }
    }

    /// Compares a keyword that both schemas have.
    fn keyword(
        &mut self,
        keyword: &str,
        around: [NodeId; 2],
        values: [NodeId; 2],
        open: &mut Vec<(NodeId, NodeId)>,
    ) {
        let document = &self.sides.document;
        let [left, right] = values;
        if document.is_same(left, right) {
            return;
        }
        match (holds(keyword), document.json(left), document.json(right)) {
            (Holds::Named, Json::Object(lefts), Json::Object(rights)) => {
                let whole = around.map(|node| self.schema(node));
                for (name, member) in lefts.iter() {
                    match rights.get(name) {
                        Some(other) => open.push((member.value, other.value)),
                        None => self.add(Some(member.value), None, keyword, whole),
                    }
                }
                for (_, member) in rights.iter().filter(|(name, _)| lefts.get(name).is_none()) {
                    self.add(None, Some(member.value), keyword, whole);
                }
            }
            (Holds::List, Json::Array(lefts), Json::Array(rights))
                if lefts.len() == rights.len() =>
            {
                open.extend(lefts.iter().copied().zip(rights.iter().copied()));
            }
            (Holds::Schema, Json::Object(_) | Json::Bool(_), Json::Object(_) | Json::Bool(_)) => {
                open.push((left, right));
            }
            _ => {
                let formulas = self.formulas(around, values.map(Some));
                self.add(Some(left), Some(right), keyword, formulas);
            }
        }
    }

    /// Returns the formula of the schema at a place. `None` if no schema there applies.
    fn schema(&mut self, node: NodeId) -> Option<FormulaId> {
        let id = *self.of_places.get(&node)?;
        Some(self.automata.logic().schema(id))
    }

    /// Returns the formulas of a keyword in two schemas, whose values are at `values`. If a schema does not have the
    /// keyword, its formula is true. A keyword without a formula of its own, such as `then`, changes what another one
    /// says: then these are the formulas of the schemas.
    fn formulas(
        &mut self,
        around: [NodeId; 2],
        values: [Option<NodeId>; 2],
    ) -> [Option<FormulaId>; 2] {
        let own = [0, 1].map(|at| match values[at] {
            Some(value) => self.keyword_formula(around[at], value),
            None => Some(Some(FormulaId::TRUE)),
        });
        match own {
            [Some(Some(left)), Some(Some(right))] => [Some(left), Some(right)],
            [None, _] | [_, None] => [None, None],
            _ => around.map(|node| self.schema(node)),
        }
    }

    /// Returns the formula of the keyword whose value is at `value`, in the schema at `schema`. It
    /// is true for an annotation. `None` if the schema does not apply. `None` inside if the keyword
    /// has no formula of its own.
    fn keyword_formula(&mut self, schema: NodeId, value: NodeId) -> Option<Option<FormulaId>> {
        let id = *self.of_places.get(&schema)?;
        let is_annotation =
            self.verdicts.get(&value).is_none_or(|&verdict| verdict == Verdict::Annotation);
        let logic = self.automata.logic();
        let parts = (0..).zip(logic.schemas.parts(id));
        let own: Vec<usize> =
            parts.filter(|(_, (place, _))| *place == value).map(|(at, _)| at).collect();
        if own.is_empty() && !is_annotation {
            return Some(None);
        }
        let literals: Vec<FormulaId> =
            own.into_iter().map(|at| logic.literal(Subject::Keyword(id, at))).collect();
        Some(Some(logic.values.and(literals)))
    }

    /// Adds a difference with the effect of going from one formula to the other.
    fn add(
        &mut self,
        left: Option<NodeId>,
        right: Option<NodeId>,
        keyword: &str,
        formulas: [Option<FormulaId>; 2],
    ) {
        let verdict = |node: NodeId| self.verdicts.get(&node).copied();
        let is_exact = [left, right]
            .into_iter()
            .flatten()
            .all(|node| !matches!(verdict(node), Some(Verdict::Narrower | Verdict::Approximate)));
        let effect = match formulas {
            // A set that is too small or too large proves nothing by having no value.
            [Some(_), Some(_)] if !is_exact => Effect::Unknown,
            [Some(a), Some(b)] => self.effect(a, b).unwrap_or(Effect::Unknown),
            // The schema does not apply to any value.
            _ => Effect::None,
        };
        let pointer = |node: NodeId| self.sides.pointer(node);
        let (left, right) = (left.map(pointer), right.map(pointer));
        self.found.push(Change { left, right, keyword: keyword.to_owned(), effect });
    }

    fn effect(&mut self, left: FormulaId, right: FormulaId) -> Result<Effect, Diagnostic> {
        if left == right {
            return Ok(Effect::None);
        }
        self.effects += 1;
        if self.effects > MOST_EFFECTS {
            return Ok(Effect::Unknown);
        }
        let mut has_only = |one, other| {
            let asked = self.automata.logic().without(one, other);
            explored(&mut self.automata, asked).map(|(graph, _)| graph.holds[0])
        };
        Ok(match (has_only(left, right)?, has_only(right, left)?) {
            (false, false) => Effect::None,
            (true, false) => Effect::Narrower,
            (false, true) => Effect::Wider,
            (true, true) => Effect::Different,
        })
    }
}
