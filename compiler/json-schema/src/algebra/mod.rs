//! The algebra: what schemas say, as sets of values with exact union, intersection and complement.
//!
//! A value is judged by a formula over *literals*: schemas (or written-down values) that it must satisfy or must not.
//! This formula splits by type. For null, the booleans, numbers and strings it evaluates to a set ([`types::scalars`]). For
//! objects and arrays it becomes a formula over *atoms*, keywords about members and items ([`types::objects`],
//! [`types::arrays`]), and that formula becomes an automaton that reads one member or item after the other ([`automata::members`],
//! [`automata::items`]): after each, the formula that remains is the next state. Children are again formulas over literals, of
//! which there are finitely many, so recursion of any shape closes into cycles ([`content::graph`]).
//!
//! | room | what it answers |
//! | --- | --- |
//! | [`logic`] | boolean formulas, stored once, and the steps that keep them small |
//! | [`types`] | what each keyword says about one type |
//! | [`automata`] | the automaton over members or items that an object or array formula becomes |
//! | [`content`] | everything reachable from the root, what of it is empty, and why |
//!
//! Why formulas and not unions of conjunctions: `oneOf` over overlapping objects and every `not` multiply out
//! exponentially, while the automaton of a formula only meets the combinations that members in order can make.

pub(crate) mod automata;
pub(crate) mod content;
pub(crate) mod logic;
pub(crate) mod types;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use grammarc_grammar::automata::{StateBudget, StateLimit};
use grammarc_grammar::budget::MemoryUse;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::diagnostics::report::Verdict;

use super::document::{Document, NodeId};
use super::options::TextForm;
use super::read::schema::{Schema, SchemaId, Schemas};
use super::values::numbers::Decimal;
use grammarc_grammar::ir::MOST_REQUIRED_KEYS;

pub(crate) use automata::items::ItemAutomaton;
pub(crate) use automata::members::{MemberAutomaton, MemberName, MemberState};
use content::graph::holds;
pub(crate) use content::graph::{Content, ContentGraph, build};
pub(crate) use content::unsatisfiable_pair::{Cause, Conflict, Member, cause};
pub(crate) use logic::formula::FormulaId;

use logic::formula::Formulas;
use logic::quick_emptiness::Apart;

/// A scalar that no place of the document holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scalar {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A number.
    Number(Decimal),
    /// A string.
    String(Box<str>),
}

/// The subject of a literal of a value formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Subject {
    /// The value satisfies the schema.
    Schema(SchemaId),
    /// The value satisfies one keyword of the schema, by its index.
    Keyword(SchemaId, usize),
    /// The value equals the one at this place.
    Value(NodeId),
    /// The value equals this one.
    Scalar(Scalar),
}

/// Limits on the work of the algebra.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits<'a> {
    /// Most states of one automaton over bytes, members or items, and the budget of all.
    pub(crate) states: StateBudget<'a>,
    /// Most states of all automata over members and items together, with the formulas over values.
    pub(crate) shapes: usize,
    /// Most formulas.
    pub(crate) formulas: usize,
    /// Most work: one for each case, and for each state of the sets of strings that distinguish cases.
    pub(crate) work: usize,
}

/// Work and formulas.
#[derive(Clone, Copy, Debug)]
struct Patience {
    work: usize,
    formulas: usize,
}

impl Patience {
    /// The less of each.
    fn at_most(self, other: Self) -> Self {
        Self { work: self.work.min(other.work), formulas: self.formulas.min(other.formulas) }
    }

    /// Both together.
    fn and(self, other: Self) -> Self {
        Self {
            work: self.work.saturating_add(other.work),
            formulas: self.formulas.saturating_add(other.formulas),
        }
    }

    /// The rest of each without the other.
    fn without(self, other: Self) -> Self {
        Self {
            work: self.work.saturating_sub(other.work),
            formulas: self.formulas.saturating_sub(other.formulas),
        }
    }

    /// A part of each.
    fn part(self, of: usize) -> Self {
        Self { work: self.work / of, formulas: self.formulas / of }
    }

    /// Whether either is more.
    fn exceeds(self, most: Self) -> bool {
        self.work > most.work || self.formulas > most.formulas
    }
}

/// Operands that a formula may have on average before they count for another one.
const OPERANDS: usize = 64;

/// Bytes that a formula takes besides its operands, about.
const BYTES_A_FORMULA: usize = 96;

/// Steps of a budget that telling a case apart takes, about.
const STEPS: usize = 1 << 7;

/// Keywords whose strings and numbers are automata.
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

/// Code of the error where combinations of schemas are too many.
pub(crate) const SHAPE_LIMIT: &str = "json-schema::shape-limit";

/// In which order keys come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Orders {
    /// In the schema's.
    Schema,
    /// In any.
    Any,
    /// In the schema's where any was asked for, entered as narrower. For schemas in which orders multiply.
    GivenUp,
}

/// The reading of `oneOf` over objects that more than one branch may accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OneOf {
    /// Exactly one, as it says.
    Exact,
    /// At least one, entered as approximate. For schemas in which telling branches apart takes too many combinations.
    AnyOf,
}

/// Formulas over schemas, and what is known of them.
pub(crate) struct Algebra<'a> {
    pub(crate) document: &'a Document<'a>,
    pub(crate) schemas: &'a Schemas,
    pub(crate) limits: Limits<'a>,
    /// Memory of the formulas.
    memory: MemoryUse<'a>,
    /// How values are written.
    text: TextForm,
    orders: Orders,
    one_of: OneOf,
    /// Whether keys in any order come once.
    once: Option<automata::any_order::Once>,
    /// Most required keys of an object that come in any order.
    most_marks: u8,
    subjects: IndexSet<Subject, FxBuildHasher>,
    /// The formulas of schemas, by their index.
    of_schemas: Vec<Option<FormulaId>>,
    values: Formulas,
    scalars: types::scalars::Memo,
    objects: types::objects::Objects,
    arrays: types::arrays::Arrays,
    apart: Apart,
    /// Whether some value satisfies a formula, where that was asked for.
    held: ByFormula<bool>,
    /// The schema whose meaning is being worked out, to blame for a limit.
    at: NodeId,
    /// States of automata built so far.
    shapes: usize,
    /// Cases told apart and states of the sets of strings that this took.
    work: usize,
    /// The work and the formulas that the current attempt may lead to, or all work and all formulas otherwise.
    patience: Patience,
    /// Work and formulas that failed attempts may still take together without counting against the limits.
    spare: Patience,
    /// Formulas of such attempts.
    forgiven: usize,
    /// Occurrences of keywords that are not met in full, with the reason.
    pub(crate) inexact: IndexSet<(NodeId, Verdict, &'static str), FxBuildHasher>,
}

impl<'a> Algebra<'a> {
    /// An algebra over the schemas of a document.
    pub(crate) fn new(
        document: &'a Document<'a>,
        schemas: &'a Schemas,
        limits: Limits<'a>,
        text: TextForm,
        (orders, one_of): (Orders, OneOf),
    ) -> Self {
        // Few schemas say something of arrays, and most say one thing of their values and are asked for all of it.
        let size = schemas.len();
        Self {
            document,
            schemas,
            limits,
            memory: limits.states.held(),
            text,
            orders,
            one_of,
            once: None,
            most_marks: MOST_REQUIRED_KEYS,
            subjects: IndexSet::with_capacity_and_hasher(size, FxBuildHasher),
            of_schemas: vec![None; size],
            values: Formulas::with_capacity(size),
            scalars: types::scalars::Memo::with_capacity(size),
            objects: types::objects::Objects::with_capacity(size),
            arrays: types::arrays::Arrays::with_capacity(size),
            apart: Apart::default(),
            held: ByFormula::default(),
            at: document.root(),
            shapes: 0,
            work: 0,
            patience: Patience { work: limits.work, formulas: limits.formulas },
            spare: Patience { work: limits.work, formulas: limits.formulas },
            forgiven: 0,
            inexact: IndexSet::default(),
        }
    }

    /// The same with keys that come once, as far as their sets are few, where they come in any order.
    pub(crate) fn with_keys_once(mut self, once: bool) -> Self {
        self.once = once.then(automata::any_order::Once::default);
        self
    }

    /// The same with at most so many required keys of an object in any order.
    pub(crate) fn with_most_unordered(mut self, keys: u8) -> Self {
        self.most_marks = keys.min(MOST_REQUIRED_KEYS);
        self
    }

    /// The values of a schema.
    pub(crate) fn schema(&mut self, id: SchemaId) -> FormulaId {
        let id = self.schemas.first_equal(id);
        if let Some(known) = self.of_schemas[id.index()] {
            return known;
        }
        let formula = match self.schemas.get(id) {
            Schema::Boolean(true) => FormulaId::TRUE,
            Schema::Boolean(false) => FormulaId::FALSE,
            Schema::Parts(parts) if parts.is_empty() => FormulaId::TRUE,
            Schema::Parts(_) => self.subject(Subject::Schema(id)),
        };
        self.of_schemas[id.index()] = Some(formula);
        formula
    }

    /// The values that two formulas hold for.
    pub(crate) fn both(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        self.values.and([a, b])
    }

    /// The values that the first of two formulas holds for and the second does not.
    pub(crate) fn without(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        let not = self.values.not(b);
        self.values.and([a, not])
    }

    /// The one value at a place.
    pub(crate) fn value(&mut self, node: NodeId) -> FormulaId {
        self.subject(Subject::Value(node))
    }

    fn subject(&mut self, subject: Subject) -> FormulaId {
        let (atom, _) = self.subjects.insert_full(subject);
        self.values.literal(u32::try_from(atom).expect("subjects take text"), true)
    }

    /// The subjects of a formula over values that it needs and that it excludes, in order.
    pub(crate) fn subjects(&self, id: FormulaId) -> impl Iterator<Item = (&Subject, bool)> {
        let literals = self.values.literals(id);
        (0..).map_while(move |at| {
            let literal = literals.get(at)?;
            Some((&self.subjects[literal.atom as usize], literal.positive))
        })
    }

    /// The place that a formula over values comes from, where it comes from one.
    pub(crate) fn place(&self, id: FormulaId) -> Option<NodeId> {
        self.subjects(id).find_map(|(subject, _)| match subject {
            Subject::Schema(id) | Subject::Keyword(id, _) => Some(self.schemas.node(*id)),
            Subject::Value(node) => Some(*node),
            Subject::Scalar(_) => None,
        })
    }

    /// Counts work, so that no schema keeps the compiler busy for ever.
    fn spend(&mut self) -> Result<(), Diagnostic> {
        self.work += 1;
        let Patience { work, formulas } = self.patience;
        if self.work > work {
            return Err(self.too_much(format!(
                "telling the schema's combinations apart takes more than {work} steps"
            )));
        }
        if self.formulas() > formulas {
            return Err(self.too_much(format!(
                "the schema's combinations take more than {formulas} formulas"
            )));
        }
        let (formulas, operands) = self.arenas();
        let bytes = BYTES_A_FORMULA * formulas + size_of::<u32>() * operands;
        let allowed = self.limits.states;
        let may_go_on = allowed.spend(STEPS).and_then(|()| allowed.hold(&mut self.memory, bytes));
        may_go_on.map_err(|spent| self.too_much(spent.to_string()))
    }

    /// The formulas so far; those with many operands count for more.
    fn formulas(&self) -> usize {
        let (formulas, operands) = self.arenas();
        formulas.max(operands / OPERANDS).saturating_sub(self.forgiven)
    }

    /// All formulas, and the operands of all.
    fn arenas(&self) -> (usize, usize) {
        let arenas = [&self.values, &self.objects.formulas, &self.arrays.formulas];
        let formulas = arenas.iter().map(|arena| arena.len()).sum();
        (formulas, arenas.iter().map(|arena| arena.operands()).sum())
    }

    /// The result of an attempt that may take so much, `None` where it takes more. An attempt that fails does not count
    /// against the limits on all of the schema as long as there is something to spare.
    fn attempt<T>(
        &mut self,
        most: Patience,
        attempt: impl FnOnce(&mut Self) -> Result<Option<T>, Diagnostic>,
    ) -> Result<Option<T>, Diagnostic> {
        let outer = self.patience;
        let before = Patience { work: self.work, formulas: self.formulas() };
        self.patience = outer.at_most(before.and(most));
        let result = attempt(self);
        let used = Patience { work: self.work, formulas: self.formulas() };
        let is_over = used.exceeds(self.patience) && !used.exceeds(outer);
        self.patience = outer;
        let failed = is_over || matches!(result, Ok(None));
        if failed {
            let wasted = used.without(before).at_most(self.spare);
            self.spare = self.spare.without(wasted);
            self.work -= wasted.work;
            self.forgiven += wasted.formulas;
        }
        if is_over { Ok(None) } else { result }
    }

    /// Counts a state of an automaton.
    fn grow(&mut self) -> Result<(), Diagnostic> {
        self.grow_by(1)
    }

    /// Counts states of an automaton.
    fn grow_by(&mut self, states: usize) -> Result<(), Diagnostic> {
        self.shapes += states;
        if self.shapes > self.limits.shapes {
            return Err(self.too_much(format!(
                "the schema unfolds to more than {} shapes",
                self.limits.shapes
            )));
        }
        self.spend()
    }

    fn too_much(&self, text: String) -> Diagnostic {
        self.document.error(SHAPE_LIMIT, self.at, text).with_help(
            "here schemas multiply: merge branches, tell them apart by a required property with distinct constants, or raise \
             `--max-shapes` (the option `max-shapes`)",
        )
    }

    /// A limit on an automaton over bytes, met by a set of strings or numbers.
    fn limited<T>(&self, result: Result<T, StateLimit>) -> Result<T, Diagnostic> {
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

/// Results by subject.
#[derive(Debug)]
pub(crate) struct BySubject<T>(Vec<Option<T>>);

impl<T> Default for BySubject<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> BySubject<T> {
    /// With room for so many subjects.
    fn with_capacity(subjects: usize) -> Self {
        Self(Vec::with_capacity(subjects))
    }

    /// The result of a subject, where it is known.
    fn get(&self, subject: u32) -> Option<&T> {
        self.0.get(subject as usize)?.as_ref()
    }

    /// Notes the result of a subject.
    fn insert(&mut self, subject: u32, result: T) {
        let index = subject as usize;
        if self.0.len() <= index {
            self.0.resize_with(index + 1, || None);
        }
        self.0[index] = Some(result);
    }
}

/// Results by formula over values.
type ByFormula<T> = FxHashMap<FormulaId, T>;
