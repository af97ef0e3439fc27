//! The lowest layer of the algebra: formulas over the values of a document.
//!
//! Invariant: equal schemas have one formula, since [`Schemas::first_equal`] returns their representative.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashSet};

use grammarc_grammar::automata::StateLimit;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::diagnostics::report::Verdict;

use super::formula::{FormulaId, Formulas};
use super::subject::Subject;
use crate::document::{Document, NodeId};
use crate::read::schema::{Part, Schema, SchemaId, Schemas};

/// Keywords whose sets of strings or numbers are automata. Errors about too large automata name them.
const TEXTUAL: [&str; 11] = [
    "pattern",
    "format",
    "enum",
    "minLength",
    "maxLength",
    "multipleOf",
    "minimum",
    "maximum",
    "patternProperties",
    "propertyNames",
    "not",
];

/// Code of the error for too many combinations of schemas.
pub(crate) const SHAPE_LIMIT: &str = "json-schema::shape-limit";

/// A keyword occurrence that is not exact, with the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Inexact {
    /// The place of the keyword in the schema document.
    pub(crate) place: NodeId,
    /// Whether the grammar accepts less or more than the keyword says.
    pub(crate) verdict: Verdict,
    /// The reason why the keyword is not exact, in words for the report.
    pub(crate) reason: &'static str,
}

/// Boolean formulas over JSON values. Their atoms are conditions on a value ([subjects](Subject)): it satisfies a
/// schema or a keyword, or equals a constant.
pub(crate) struct Logic<'a> {
    /// The schema document.
    pub(crate) document: &'a Document<'a>,
    /// The schemas of the document, read and checked.
    pub(crate) schemas: &'a Schemas,
    /// The conditions on a value (subjects) that formulas use; the index of a condition is the number of its atom.
    subjects: IndexSet<Subject, FxBuildHasher>,
    /// For each schema, by its index, the formula of the values that satisfy it; `None` until it is needed.
    of_schemas: Vec<Option<FormulaId>>,
    /// The arena (store) of the formulas over values.
    pub(crate) values: Formulas,
    /// The place of the schema under evaluation. Errors about an exceeded limit point to it.
    pub(crate) at: NodeId,
    /// The keyword occurrences that are not exact so far.
    pub(crate) inexact: IndexSet<Inexact, FxBuildHasher>,
    /// The places of the keywords that constrained some set of values so far. `None` if they are not recorded.
    pub(crate) used: Option<FxHashSet<NodeId>>,
}

impl<'a> Logic<'a> {
    /// Creates the state of the logic layer for the schemas of a document, without any formula.
    pub(crate) fn new(document: &'a Document<'a>, schemas: &'a Schemas) -> Self {
        let size = schemas.len();
        Self {
            document,
            schemas,
            subjects: IndexSet::with_capacity_and_hasher(size, FxBuildHasher),
            of_schemas: vec![None; size],
            values: Formulas::with_capacity(size),
            at: document.root(),
            inexact: IndexSet::default(),
            used: None,
        }
    }

    /// Returns the formula of the values that satisfy a schema.
    pub(crate) fn schema(&mut self, id: SchemaId) -> FormulaId {
        let id = self.schemas.first_equal(id);
        if let Some(known) = self.of_schemas[id.index()] {
            return known;
        }
        let formula = match self.schemas.get(id) {
            Schema::Boolean(true) => FormulaId::TRUE,
            Schema::Boolean(false) => FormulaId::FALSE,
            Schema::Parts(parts) if parts.is_empty() => FormulaId::TRUE,
            Schema::Parts(_) => self.literal(Subject::Schema(id)),
        };
        self.of_schemas[id.index()] = Some(formula);
        formula
    }

    /// Returns the formula of the values that satisfy both `a` and `b`.
    pub(crate) fn both(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        self.values.and([a, b])
    }

    /// Returns the formula of the values that satisfy `a` and not `b`.
    pub(crate) fn without(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        let not = self.values.not(b);
        self.values.and([a, not])
    }

    /// Returns the formula of the single value that the document has at `node`.
    pub(crate) fn value(&mut self, node: NodeId) -> FormulaId {
        self.literal(Subject::Value(node))
    }

    /// Returns the formula that states the condition `subject` about a value, as one atom without negation.
    pub(crate) fn literal(&mut self, subject: Subject) -> FormulaId {
        let (atom, _) = self.subjects.insert_full(subject);
        self.values.literal(u32::try_from(atom).expect("subjects take text"), true)
    }

    /// Returns the condition that the atom with this number states about a value, such as "satisfies this schema".
    pub(crate) fn subject(&self, atom: u32) -> &Subject {
        &self.subjects[atom as usize]
    }

    /// Returns the conditions on a value (subjects) that a formula uses, in the order of their first occurrence. Each
    /// comes with `false` if the formula negates it, otherwise `true`.
    pub(crate) fn subjects(&self, id: FormulaId) -> impl Iterator<Item = (&Subject, bool)> {
        let literals = self.values.literals(id);
        (0..).map_while(move |at| {
            let literal = literals.get(at)?;
            Some((&self.subjects[literal.atom as usize], literal.positive))
        })
    }

    /// Returns the place in the schema document of the first condition (schema, keyword or constant) in a formula over
    /// values. Returns `None` if all conditions are about scalars that are not in the document.
    pub(crate) fn place(&self, id: FormulaId) -> Option<NodeId> {
        self.subjects(id).find_map(|(subject, _)| match subject {
            Subject::Schema(id) | Subject::Keyword(id, _) => Some(self.schemas.node(*id)),
            Subject::Value(node) => Some(*node),
            Subject::Scalar(_) => None,
        })
    }

    /// Records keywords of a formula's schemas as not exact, with a verdict and a reason. `applies` selects the
    /// keywords; schemas that apply to the same value are searched too.
    pub(crate) fn note(
        &mut self,
        value: FormulaId,
        verdict: Verdict,
        reason: &'static str,
        applies: impl Fn(&Part) -> bool,
    ) {
        let mut open: Vec<SchemaId> = self
            .subjects(value)
            .filter_map(|(subject, _)| match subject {
                Subject::Schema(id) | Subject::Keyword(id, _) => Some(*id),
                _ => None,
            })
            .collect();
        let mut seen = FxHashSet::default();
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            for (place, part) in self.schemas.parts(id) {
                open.extend(part.in_place());
                if applies(part) {
                    self.inexact.insert(Inexact { place: *place, verdict, reason });
                }
            }
        }
    }

    /// Returns the error for too many combinations of schemas, at the schema under evaluation.
    pub(crate) fn too_much(&self, text: String) -> Diagnostic {
        self.document.error(SHAPE_LIMIT, self.at, text).with_help(
            "here schemas multiply: merge branches, distinguish them by a required property with distinct constants, or raise \
             `--max-shapes` (the option `max-shapes`)",
        )
    }

    /// Turns an exceeded limit of an automaton over bytes into an error that names the keywords at fault.
    pub(crate) fn limited<T>(&self, result: Result<T, StateLimit>) -> Result<T, Diagnostic> {
        result.map_err(|limit| {
            let there = TEXTUAL.iter().filter(|keyword| self.document.get(self.at, keyword).is_some());
            let named: Vec<String> = there.map(|keyword| format!("`{keyword}`")).collect();
            let what = match &named[..] {
                [] => "the strings or numbers allowed here are".to_owned(),
                _ => format!("what {} allows here is", named.join(" with ")),
            };
            self.document
                .error("json-schema::state-limit", self.at, format!("{what} too complex: {limit}"))
                .with_help(
                    "simplify the pattern, lower its counts and bounds on lengths, or raise `--max-automaton-states` (the \
                     option `max-states`)",
                )
        })
    }
}
