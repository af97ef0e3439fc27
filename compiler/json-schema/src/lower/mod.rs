//! Lowering: the content graph as rules.
//!
//! A formula becomes one rule, and equal formulas the same rule; one that is a few scalars is written where it is used,
//! which saves a frame. Rules are made from a queue and never recursively, so nesting costs no stack.

mod array;
mod keys;
mod object;
mod optional;
mod places;
mod tagged;

use rustc_hash::FxHashMap;

use grammarc_grammar::automata::StateBudget;
use grammarc_grammar::budget::{Budget, MemoryUse};
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::{Expr, Grammar, GrammarBuilder, Origin, RuleId, RuleKind};

use super::algebra::{Algebra, Content, ContentGraph, FormulaId, MemberName};
use super::document::{NodeId, Pointers};
use super::options::{JsonSchemaOptions, TextForm};
use super::text_form::layout::{Gaps, Layout};
use super::text_form::prelude::{MOST_LEAST, Piece, Prelude, space};
use super::text_form::tags::{Root, TagForm};
use super::values::numbers::{NumeralSet, Pieces};
use super::values::strings::{Place, StringRules, StringSet, character, tail};

/// Size of an expression of scalars up to which it is written where it is used.
const INLINE: usize = 128;

/// Bytes that a rule takes, about, and those of expressions that are made in a step of a budget.
const BYTES_A_RULE: usize = 1 << 9;
const BYTES_A_STEP: usize = 1 << 3;

/// A grammar, and the schemas whose containers it holds to be empty where they are as deep as the text form goes.
pub(crate) struct Emitted {
    pub(crate) grammar: Grammar,
    pub(crate) cut: Vec<NodeId>,
}

/// Makes the grammar of a content graph: JSON, or objects whose members are tags of a form.
pub(crate) fn lower(
    algebra: &Algebra<'_>,
    graph: &ContentGraph,
    options: &JsonSchemaOptions,
    wanted: Root<'_>,
    budget: &Budget,
) -> Result<Emitted, Diagnostic> {
    let layouts = Layout::of(options.text.whitespace);
    let mut emitter = Emitter {
        algebra,
        graph,
        options,
        wanted,
        tags: wanted.tags(),
        allowed: StateBudget::new(options.max_states, budget),
        memory: budget.hold(),
        bytes: 0,
        builder: GrammarBuilder::new(),
        prelude: Prelude::new(options.text),
        layout: layouts[0],
        layouts: layouts.clone(),
        any_tagged: None,
        rows: Vec::new(),
        tails: FxHashMap::default(),
        characters: FxHashMap::default(),
        keys: Vec::new(),
        pointers: algebra.document.pointers(),
        room: String::new(),
        strings: Default::default(),
        numbers: FxHashMap::default(),
        queue: Vec::new(),
        count: 0,
        at: algebra.document.root(),
        cut: Vec::new(),
    };
    let start = match wanted {
        Root::Tags { all, .. } => emitter.tagged_document(all)?,
        Root::Value | Root::Object => emitter.document(&layouts)?,
    };
    let mut next = 0;
    while let Some(Queued { formula, layout, rule, origin }) = emitter.queue.get_mut(next) {
        next += 1;
        let (formula, rule, origin) = (*formula, *rule, std::mem::take(origin));
        emitter.layout = *layout;
        emitter.at = algebra.place(formula).unwrap_or(algebra.document.root());
        let content = graph.content(formula);
        let expr = match emitter.layout {
            Layout::Tagged => emitter.tagged_content(content)?,
            _ => emitter.content(content)?,
        };
        emitter.grow(BYTES_A_RULE)?;
        emitter.builder.define(rule, expr, origin);
        if emitter.count > options.max_rules {
            let text = format!("the schema takes more than {} rules", options.max_rules);
            return Err(algebra
                .document
                .error("json-schema::rule-limit", emitter.at, text)
                .with_help("simplify the schema here, or raise `--max-schema-rules` (the option `max-rules`)"));
        }
    }
    let Emitter { builder, mut cut, .. } = emitter;
    // In one of several layouts, what is nested deeper is written in another.
    cut.retain(|_| layouts.len() == 1);
    cut.sort_unstable();
    cut.dedup();
    Ok(Emitted { grammar: builder.finish(start), cut })
}

/// A rule to be defined: what it is of and where that comes from.
struct Queued {
    formula: FormulaId,
    layout: Layout,
    rule: RuleId,
    origin: Origin,
}

/// The rules of formulas in one layout.
struct Row {
    rules: Vec<Option<RuleId>>,
    /// Expressions of formulas that only hold for scalars, or for everything.
    scalars: Vec<Option<Expr>>,
}

/// The grammar under construction, as the modules for arrays and objects see it.
struct Emitter<'a> {
    algebra: &'a Algebra<'a>,
    graph: &'a ContentGraph,
    options: &'a JsonSchemaOptions,
    wanted: Root<'a>,
    /// How members are written that are tags.
    tags: Option<&'a TagForm>,
    /// The limits of an automaton.
    allowed: StateBudget<'a>,
    /// The expressions made so far, and how many bytes they take, about.
    memory: MemoryUse<'a>,
    bytes: usize,
    builder: GrammarBuilder,
    prelude: Prelude,
    /// The layout of what is being written.
    layout: Layout,
    /// The layouts of JSON.
    layouts: Vec<Layout>,
    /// The rule of any value inside tags.
    any_tagged: Option<RuleId>,
    /// By layout.
    rows: Vec<Option<Row>>,
    tails: FxHashMap<(u32, Option<u32>), RuleId>,
    /// Rules of so many characters.
    characters: FxHashMap<(u32, u32), RuleId>,
    /// Texts of keys, with their quotes, by key.
    keys: Vec<Option<Expr>>,
    /// Pointers to where rules come from.
    pointers: Pointers<'a>,
    /// Room for a text.
    room: String,
    /// Texts of sets of strings, with their quotes.
    strings: [FxHashMap<StringSet, Expr>; 2],
    /// Texts of sets of numbers.
    numbers: FxHashMap<NumeralSet, Expr>,
    queue: Vec<Queued>,
    count: usize,
    /// The node that is being written, to blame for a limit.
    at: NodeId,
    /// Schemas of containers that are held to be empty.
    cut: Vec<NodeId>,
}

impl Emitter<'_> {
    /// The start rule: the root in any of the layouts, with whitespace around it.
    fn document(&mut self, layouts: &[Layout]) -> Result<RuleId, Diagnostic> {
        let (root, around) = (self.graph.root(), space(self.options.text.surround));
        let content = self.graph.content(root);
        let objects;
        let content = match self.wanted {
            Root::Object if !content.has_objects_alone() => {
                self.check_objects(content)?;
                objects = Content { objects: content.objects.clone(), ..Content::none() };
                &objects
            }
            _ if layouts.len() == 1 && around == Expr::Empty => {
                return Ok(self.rule(root, self.layout));
            }
            _ => content,
        };
        let layouts = if has_containers(content) { layouts } else { &layouts[..1] };
        let mut choices = Vec::with_capacity(layouts.len());
        for &layout in layouts {
            // Written out, so that the ways they begin in common are one.
            self.layout = layout;
            choices.push(self.content(content)?);
        }
        self.count += 1;
        let start = self.builder.declare("document");
        let origin = self.origin(root);
        let document = Expr::seq([around.clone(), Expr::alt(choices), around]);
        self.builder.define(start, document, origin);
        Ok(start)
    }

    /// Checks that some values are objects.
    fn check_objects(&self, content: &Content) -> Result<(), Diagnostic> {
        if content.objects.as_ref().is_none_or(|objects| !objects.is_empty()) {
            return Ok(());
        }
        let document = self.algebra.document;
        let text = "no value of the schema is an object, and only objects can be written here";
        let error = document.error("json-schema::no-object", document.root(), text.to_owned());
        Err(error.with_help("allow objects: arguments are one, with a member for each"))
    }

    /// The values of a formula inside a container: a call of its rule, or its content where that is small.
    fn refer(&mut self, formula: FormulaId) -> Result<Expr, Diagnostic> {
        let index = self.graph.index(formula);
        let content = self.graph.content_at(index);
        let is_scalar = !has_containers(content);
        let layout = if is_scalar { self.layout } else { self.layout.inside() };
        if let Some(expr) = &self.row(layout).scalars[index] {
            return Ok(expr.clone());
        }
        if !is_scalar && !content.is_all() {
            return Ok(Expr::Call(self.rule(formula, layout)));
        }
        let outer = std::mem::replace(&mut self.layout, layout);
        let expr = self.content(content);
        self.layout = outer;
        let expr = expr?;
        let expr = match expr.size() {
            ..=INLINE => expr,
            _ => self.helper("scalars", expr),
        };
        self.row(layout).scalars[index] = Some(expr.clone());
        Ok(expr)
    }

    fn row(&mut self, layout: Layout) -> &mut Row {
        let index = layout.index();
        if self.rows.len() <= index {
            self.rows.resize_with(index + 1, || None);
        }
        let formulas = self.graph.len();
        self.rows[index].get_or_insert_with(|| Row {
            rules: vec![None; formulas],
            scalars: vec![None; formulas],
        })
    }

    /// Notes that containers that may hold something are held to be empty.
    fn cut(&mut self) {
        self.cut.push(self.at);
    }

    /// The whitespace between the tokens of a container in the layout at hand.
    fn gaps(&mut self) -> Gaps {
        match self.tags {
            Some(form) if self.layout == Layout::Tagged => self.layout.gaps(space(form.space)),
            _ => self.prelude.gaps(&mut self.builder, self.layout),
        }
    }

    /// The expression for the key of a member in the current layout. With `distinct`, a key of a set becomes an item that the
    /// runtime compares.
    fn member_key(&mut self, name: &MemberName, distinct: bool) -> Result<Expr, Diagnostic> {
        let key = match (self.tags, name) {
            (Some(form), _) if self.layout == Layout::Tagged => self.tagged_key(form, name)?,
            (_, MemberName::Key(key)) => self.key(*key)?,
            (_, MemberName::Names(names)) => self.string(names, Place::Key)?,
        };
        Ok(match name {
            MemberName::Names(_) if distinct => self.helper_of("key", key, RuleKind::Item),
            _ => key,
        })
    }

    /// The value of a member in the layout at hand.
    fn member_value(&mut self, name: &MemberName, formula: FormulaId) -> Result<Expr, Diagnostic> {
        match (self.tags, self.layout) {
            (Some(form), Layout::Tagged) => {
                let value = self.tagged_value(formula)?;
                Ok(Expr::seq([value, self.key_again(form, name)?]))
            }
            _ => self.refer(formula),
        }
    }

    /// An item of an array in the layout at hand.
    fn item(&mut self, formula: FormulaId) -> Result<Expr, Diagnostic> {
        match self.tags {
            Some(form) if self.layout == Layout::Tagged => {
                let value = self.tagged_value(formula)?;
                Ok(Expr::seq([form.before_item.clone(), value, form.after_item.clone()]))
            }
            _ => self.refer(formula),
        }
    }

    /// A call of a new rule.
    fn helper(&mut self, name: &str, expr: Expr) -> Expr {
        self.helper_of(name, expr, RuleKind::Plain)
    }

    /// A call of a new rule of a kind.
    fn helper_of(&mut self, name: &str, expr: Expr, kind: RuleKind) -> Expr {
        self.count += 1;
        let rule = self.builder.declare(name);
        self.builder.define_as(rule, expr, Origin::default(), kind);
        Expr::Call(rule)
    }

    fn rule(&mut self, formula: FormulaId, layout: Layout) -> RuleId {
        let index = self.graph.index(formula);
        if let Some(rule) = self.row(layout).rules[index] {
            return rule;
        }
        self.count += 1;
        let origin = self.origin(formula);
        let name = match origin.pointer.as_deref() {
            None => "any",
            Some("") => "root",
            Some(pointer) => pointer,
        };
        let rule = self.builder.declare(layout.name(name));
        self.row(layout).rules[index] = Some(rule);
        self.queue.push(Queued { formula, layout, rule, origin });
        rule
    }

    fn origin(&mut self, formula: FormulaId) -> Origin {
        let Some(place) = self.algebra.place(formula) else { return Origin::default() };
        self.room.clear();
        self.pointers.write(place, &mut self.room);
        let (span, pointer) = (self.algebra.document.span(place), self.room.clone());
        Origin { span: Some(span), pointer: Some(pointer) }
    }

    fn content(&mut self, content: &Content) -> Result<Expr, Diagnostic> {
        if content.is_all() {
            return Ok(self.any(Piece::Value));
        }
        let Content { scalars, arrays, objects } = content;
        let mut choices = Vec::new();
        choices.extend(scalars.null.then(|| Expr::literal("null")));
        choices.extend(scalars.no.then(|| Expr::literal("false")));
        choices.extend(scalars.yes.then(|| Expr::literal("true")));
        if !scalars.numbers.is_none() {
            choices.push(self.number(&scalars.numbers)?);
        }
        if !scalars.strings.is_none() {
            choices.push(self.string(&scalars.strings, Place::Value)?);
        }
        match arrays {
            None => choices.push(self.any(Piece::Array)),
            Some(arrays) => {
                for automaton in arrays {
                    choices.push(self.array(automaton)?);
                }
            }
        }
        match objects {
            None => choices.push(self.any(Piece::Object)),
            Some(objects) => choices.extend(self.objects(objects)?),
        }
        Ok(Expr::alt(choices))
    }

    /// Any value, array or object in the layout at hand.
    fn any(&mut self, piece: Piece) -> Expr {
        self.prelude.laid_out(&mut self.builder, piece, self.layout)
    }

    /// The texts of the numbers of a set, worked out once.
    fn number(&mut self, numbers: &NumeralSet) -> Result<Expr, Diagnostic> {
        if let Some(known) = self.numbers.get(numbers) {
            return Ok(known.clone());
        }
        let TextForm { digits, numbers: form, .. } = self.options.text;
        let text = numbers.text(form, digits, self.allowed, self);
        let text = text.map_err(|error| self.too_complex("numbers", &error.to_string()))?;
        self.numbers.insert(numbers.clone(), text.clone());
        Ok(text)
    }

    /// The texts of the strings of a set, worked out once.
    fn string(&mut self, strings: &StringSet, place: Place) -> Result<Expr, Diagnostic> {
        if let Some(known) = self.strings[place as usize].get(strings) {
            return Ok(known.clone());
        }
        let limit = self.allowed;
        let rest = tail(self, strings, (place, self.options.text.escapes), limit);
        let rest = rest.map_err(|error| self.too_complex("strings", &error.to_string()))?;
        let quote = Expr::byte(b'"');
        let text = match rest {
            // A token that begins behind the quote then begins where the counts are known.
            Expr::Graph(graph) if !graph.counters().is_empty() => {
                Expr::Graph(graph.behind(quote).into())
            }
            rest => Expr::seq([quote, rest]),
        };
        self.strings[place as usize].insert(strings.clone(), text.clone());
        Ok(text)
    }

    /// Counts an expression of so many bytes, about.
    fn grow(&mut self, bytes: usize) -> Result<(), Diagnostic> {
        self.bytes += bytes;
        let spent = self.allowed.spend(bytes / BYTES_A_STEP);
        let spent = spent.and_then(|()| self.allowed.hold(&mut self.memory, self.bytes));
        spent.map_err(|spent| self.too_complex("values", &spent.to_string()))
    }

    fn too_complex(&self, what: &str, why: &str) -> Diagnostic {
        let text = format!("the {what} allowed here are too complex: {why}");
        self.algebra
            .document
            .error("json-schema::state-limit", self.at, text)
            .with_help("lower the bound on the length, or simplify what it applies to")
    }
}

/// Whether some values are arrays or objects.
fn has_containers(content: &Content) -> bool {
    !(content.arrays.as_ref().is_some_and(Vec::is_empty)
        && content.objects.as_ref().is_some_and(Vec::is_empty))
}

impl StringRules for Emitter<'_> {
    fn piece(&mut self, piece: Piece) -> Expr {
        self.prelude.call(&mut self.builder, piece)
    }

    /// A kept rule of its own for each length, so that the count is in one place however often the length is used.
    fn counted_tail(&mut self, min: u32, max: Option<u32>) -> Expr {
        if let Some(&rule) = self.tails.get(&(min, max)) {
            return Expr::Call(rule);
        }
        if max.is_none() && min <= MOST_LEAST {
            return self.prelude.at_least(&mut self.builder, min);
        }
        let characters = character(self.options.text.escapes).repeat(min, max);
        let tail = Expr::seq([characters, Expr::byte(b'"')]);
        let most = max.map_or_else(String::new, |max| max.to_string());
        let rule = self.builder.declare(format!("string-tail{{{min},{most}}}"));
        self.builder.define_kept(rule, tail, Origin::default());
        self.tails.insert((min, max), rule);
        self.count += 1;
        Expr::Call(rule)
    }

    fn characters(&mut self, min: u32, max: u32) -> Expr {
        let (builder, text) = (&mut self.builder, self.options.text);
        let rule = self.characters.entry((min, max)).or_insert_with(|| {
            let rule = builder.declare(format!("characters{{{min},{max}}}"));
            let characters = character(text.escapes).repeat(min, Some(max));
            builder.define(rule, characters, Origin::default());
            rule
        });
        Expr::Call(*rule)
    }

    fn named_tail(&mut self, name: &'static str, content: impl FnOnce(&mut Self) -> Expr) -> Expr {
        if let Some(call) = self.prelude.named(name) {
            return call;
        }
        let tail = content(self);
        self.count += 1;
        self.prelude.add_named(&mut self.builder, name, tail)
    }
}

impl Pieces for Emitter<'_> {
    fn piece(&mut self, piece: Piece) -> Expr {
        self.prelude.call(&mut self.builder, piece)
    }
}
