//! Lowering: the shape graph as rules.
//!
//! A conjunction becomes one rule, and equal conjunctions the same rule; one that is a few scalars is written where it
//! is used, which saves a frame. Rules are made from a queue and never recursively, so nesting costs no stack.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostics::Diagnostic;
use crate::ir::{Expr, Grammar, GrammarBuilder, Origin, RuleId};

use super::array::array;
use super::document::Document;
use super::graph::ShapeGraph;
use super::literal::literal;
use super::object::{object, told_apart};
use super::options::JsonSchemaOptions;
use super::prelude::{Piece, Prelude};
use super::schema::Bounds;
use super::shape::{ConjunctionId, Union};
use super::string::character;
use super::types::TypeSet;

/// Bytes of enumerated values up to which they are written where they are used.
const INLINE_BYTES: usize = 128;

/// Object shapes of a union up to which they share one rule, where their automata become one. Shapes that overlap can
/// multiply in it, by two for each; above this each has a rule, and the parse position follows several.
const TOGETHER: usize = 4;

/// Makes the grammar of a shape graph.
pub(crate) fn lower(
    document: &Document,
    graph: &ShapeGraph,
    options: &JsonSchemaOptions,
) -> Result<Grammar, Diagnostic> {
    let mut emitter = Emitter {
        document,
        graph,
        builder: GrammarBuilder::new(),
        prelude: Prelude::new(options.text),
        rules: vec![None; graph.len()],
        tails: FxHashMap::default(),
        queue: Vec::new(),
        count: 0,
    };
    let start = emitter.rule(graph.root());
    let mut next = 0;
    while let Some(&id) = emitter.queue.get(next) {
        next += 1;
        let expr = emitter.union(graph.union(id));
        let origin = emitter.origin(id);
        let rule = emitter.rule(id);
        emitter.builder.define(rule, expr, origin);
        if emitter.count > options.max_rules {
            let place = graph.schemas(id).first().copied().unwrap_or(document.root());
            let text = format!("the schema takes more than {} rules", options.max_rules);
            return Err(document
                .error("json-schema::rule-limit", place, text)
                .with_help("simplify the schema here, or raise the limit on rules"));
        }
    }
    Ok(emitter.builder.finish(start))
}

/// The grammar under construction, as the modules for arrays, objects and keys see it.
pub(crate) struct Emitter<'a> {
    document: &'a Document,
    graph: &'a ShapeGraph,
    builder: GrammarBuilder,
    prelude: Prelude,
    rules: Vec<Option<RuleId>>,
    tails: FxHashMap<Bounds, RuleId>,
    queue: Vec<ConjunctionId>,
    count: usize,
}

impl Emitter<'_> {
    /// Whether some value satisfies the conjunction.
    pub(crate) fn holds(&self, id: ConjunctionId) -> bool {
        self.graph.holds(id)
    }

    /// The values of a conjunction: a call of its rule, or its content where that is small.
    pub(crate) fn refer(&mut self, id: ConjunctionId) -> Expr {
        let graph = self.graph;
        let union = graph.union(id);
        let bytes: usize = union.values.iter().map(|&value| self.document.span(value).len()).sum();
        if union.arrays.is_empty() && union.objects.is_empty() && bytes <= INLINE_BYTES {
            self.union(union)
        } else {
            Expr::Call(self.rule(id))
        }
    }

    /// A call of a rule of the prelude.
    pub(crate) fn piece(&mut self, piece: Piece) -> Expr {
        self.prelude.call(&mut self.builder, piece)
    }

    /// Whitespace between two tokens of a document.
    pub(crate) fn whitespace(&mut self) -> Expr {
        self.prelude.whitespace(&mut self.builder)
    }

    /// A byte with whitespace on both sides.
    pub(crate) fn spaced(&mut self, byte: u8) -> Expr {
        self.prelude.spaced(&mut self.builder, byte)
    }

    /// A call of a new rule, for an expression that would nest too deep.
    pub(crate) fn helper(&mut self, name: &str, expr: Expr) -> Expr {
        self.count += 1;
        let rule = self.builder.declare(name);
        self.builder.define(rule, expr, Origin::default());
        Expr::Call(rule)
    }

    fn rule(&mut self, id: ConjunctionId) -> RuleId {
        if let Some(rule) = self.rules[id.index()] {
            return rule;
        }
        self.count += 1;
        let name = match self.origin(id).pointer {
            None => "any".to_owned(),
            Some(pointer) if pointer.is_empty() => "root".to_owned(),
            Some(pointer) => pointer,
        };
        let rule = self.builder.declare(name);
        self.rules[id.index()] = Some(rule);
        self.queue.push(id);
        rule
    }

    fn origin(&self, id: ConjunctionId) -> Origin {
        let first = self.graph.schemas(id).first();
        Origin {
            span: first.map(|&node| self.document.span(node)),
            pointer: first.map(|&node| self.document.pointer(node)),
        }
    }

    fn union(&mut self, union: &Union) -> Expr {
        if union.whole == TypeSet::ALL {
            return self.piece(Piece::Value);
        }
        let has = |kind| union.whole.contains(kind);
        let mut choices = Vec::new();
        if has(TypeSet::NULL) {
            choices.push(Expr::literal("null"));
        }
        if has(TypeSet::BOOLEAN) {
            choices.extend([Expr::literal("true"), Expr::literal("false")]);
        }
        if has(TypeSet::NUMBER) {
            choices.push(self.piece(Piece::Number));
        } else if has(TypeSet::INTEGER) {
            choices.push(self.piece(Piece::Integer));
        }
        if has(TypeSet::STRING) {
            choices.push(self.prelude.string(&mut self.builder));
        }
        for &bounds in &union.strings {
            choices.push(self.bounded_string(bounds));
        }
        let mut texts = FxHashSet::default();
        for &value in &union.values {
            let text = literal(self, self.document, value);
            if texts.insert(text.to_string()) {
                choices.push(text);
            }
        }
        if has(TypeSet::ARRAY) {
            choices.push(self.piece(Piece::Array));
        }
        for shape in &union.arrays {
            choices.push(array(self, shape));
        }
        if has(TypeSet::OBJECT) {
            choices.push(self.piece(Piece::Object));
        }
        let apart = union.objects.len() > TOGETHER
            && !told_apart(self.document, self.graph, &union.objects);
        for shape in &union.objects {
            let expr = object(self, shape);
            choices.push(if apart { self.helper("branch", expr) } else { expr });
        }
        Expr::alt(choices)
    }

    /// A string of so many characters. The two lengths that need no count call rules of the prelude; any other is a
    /// kept rule of its own, so that the count is in one place however often the length is used.
    fn bounded_string(&mut self, bounds: Bounds) -> Expr {
        let tail = match bounds {
            Bounds { min: 0, max: None } => self.piece(Piece::StringTail),
            Bounds { min: 1, max: None } => self.piece(Piece::NonEmptyStringTail),
            bounds => Expr::Call(self.counted_tail(bounds)),
        };
        Expr::seq([Expr::byte(b'"'), tail])
    }

    fn counted_tail(&mut self, bounds: Bounds) -> RuleId {
        if let Some(&rule) = self.tails.get(&bounds) {
            return rule;
        }
        let Bounds { min, max } = bounds;
        let (characters, end) = match max {
            Some(_) => (character().repeat(min, max), Expr::byte(b'"')),
            None => (character().repeat(min, Some(min)), self.piece(Piece::StringTail)),
        };
        let most = max.map_or_else(String::new, |max| max.to_string());
        let rule = self.builder.declare(format!("string-tail{{{min},{most}}}"));
        self.builder.define_kept(rule, Expr::seq([characters, end]), Origin::default());
        self.tails.insert(bounds, rule);
        self.count += 1;
        rule
    }
}
