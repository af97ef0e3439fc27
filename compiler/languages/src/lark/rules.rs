//! Reads rules over lexemes: resolves names, turns terminals into lexemes, and lowers inner sources.

use rustc_hash::FxHashMap;

use super::ast::{Ast, Definition, Item, Node, NodeKind, Value};
use super::attributes::{self, Attributes};
use super::codes;
use super::common;
use super::grammar_options::GrammarOptions;
use super::lexicon::{Lexicon, Opaque, TerminalId, Use};
use super::options::LarkOptions;
use super::terminals::{Origin as Defined, Terminals};
use super::tokens;
use crate::inner::{Outer, Place};
use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::facts::Alphabets;
use grammarc_grammar::ir::{Expr, Lowered, Survey};
use grammarc_json_schema as json_schema;

/// Most errors reported for one source. Reading stops there.
const MAX_ERRORS: usize = 50;

/// Steps of the budget that one node of the syntax tree costs: an estimate of its share of the work.
const STEPS_A_NODE: usize = 1 << 4;

/// The right-hand side of a rule, whose smallest parts are lexemes: terminals and opaque expressions (tokens, schemas,
/// nested grammars).
#[derive(Debug)]
pub(super) enum Body {
    /// A terminal, and whether it matches the empty string. The terminal is `None` if it matches nothing else.
    Lexeme { terminal: Option<TerminalId>, nullable: bool },
    /// An expression without known lexemes (a token, a JSON Schema or a nested grammar), by its index in the lexicon.
    Opaque(u32),
    /// A call of a rule, by the rule's index in the source.
    Call(u32),
    /// Parts in order. An empty sequence denotes the empty string.
    Sequence(Vec<Body>),
    /// Alternatives. An empty alternation denotes the empty language.
    Alternation(Vec<Body>),
    /// Between `min` and `max` strings of the body, both inclusive. Without `max` the number is unbounded.
    Repeat { body: Box<Body>, min: u32, max: Option<u32> },
}

/// A rule whose body is over lexemes, with its definition in the source.
#[derive(Debug)]
pub(super) struct Rule<'a> {
    pub(super) definition: &'a Definition,
    pub(super) body: Body,
}

/// A function that lowers a nested grammar, whose syntax tree is part of the outer one.
pub(super) type LowerNested<'n> =
    &'n dyn Fn(&Ast, &Source, &LarkOptions, &Budget) -> Result<Lowered, Vec<Diagnostic>>;

/// A Lark grammar after its names are resolved: rules whose smallest parts are lexemes.
#[derive(Debug)]
pub(super) struct Rules<'a> {
    /// The rules in source order.
    pub(super) rules: Vec<Rule<'a>>,
    /// Index of the start rule.
    pub(super) start: u32,
    /// The terminals of ignored text, which may follow each lexeme. They do not match the empty string.
    pub(super) ignored: Vec<TerminalId>,
    /// Whether ignored terminals (those of `%ignore`) may precede the first lexeme.
    pub(super) initial_skip: bool,
    /// Whether at most one ignored terminal (of `%ignore`) may follow each lexeme.
    pub(super) ignore_once: bool,
    pub(super) lexicon: Lexicon,
    /// The builder with the lowered inner sources (of other languages), and the findings so far.
    pub(super) outer: Outer,
}

/// Reads the rules of a source into a grammar over lexemes. `nested` lowers the grammars nested in it.
///
/// # Errors
///
/// Returns the errors of names and of parts of rules, in source order. If the budget is spent, returns that error
/// alone.
pub(super) fn read<'a>(
    ast: &'a Ast,
    source: &'a Source,
    options: &'a LarkOptions,
    nested: LowerNested<'a>,
    budget: &'a Budget,
) -> Result<Rules<'a>, Vec<Diagnostic>> {
    let definitions = ast.items.iter().filter_map(|item| match item {
        Item::Definition(definition) if !NodeKind::is_terminal(&definition.name) => {
            Some(definition)
        }
        _ => None,
    });
    let definitions: Vec<&Definition> = definitions.collect();
    let names = definitions.iter().map(|rule| rule.name.as_str()).collect();
    let mut reader = Reader {
        source,
        options,
        nested,
        budget,
        terminals: Terminals::new(&source.text, budget, names),
        numbers: FxHashMap::default(),
        stops: FxHashMap::default(),
        lexicon: Lexicon::default(),
        outer: Outer::default(),
        errors: Vec::new(),
    };
    reader.names(ast, &definitions);
    reader.terminals_alone(ast);
    let mut rules = Vec::with_capacity(definitions.len());
    for &definition in &definitions {
        if reader.errors.len() < MAX_ERRORS {
            match reader.rule(definition) {
                Ok(body) => rules.push(Rule { definition, body }),
                Err(error) => reader.errors.push(*error),
            }
        }
    }
    let (mut ignored, mut given) = (Vec::new(), GrammarOptions::default());
    for item in &ast.items {
        let outcome = match item {
            Item::Ignore(node) => reader.ignored(node).map(|terminal| ignored.extend(terminal)),
            Item::Options(json) => given.read(&source.text, json, &mut reader.outer.findings),
            _ => Ok(()),
        };
        reader.errors.extend(outcome.err().map(|error| *error));
    }
    let start = reader.numbers.get(options.start.as_str()).copied();
    if start.is_none() {
        let text = format!("there is no start rule `{}`", options.start);
        let mut finding = Diagnostic::error(codes::MISSING_START, text);
        if let Some(first) = definitions.first() {
            finding = finding.with_label(first.span.clone(), "the first rule");
        }
        let help = format!("add `{}: body`, or name another start rule", options.start);
        reader.errors.push(finding.with_help(help));
    }
    reader.outer.findings.append(&mut reader.terminals.findings);
    budget.check_in_source()?;
    match start {
        Some(start) if reader.errors.is_empty() => Ok(Rules {
            rules,
            start,
            ignored,
            initial_skip: given.allow_initial_skip,
            ignore_once: given.ignore_once,
            lexicon: reader.lexicon,
            outer: reader.outer,
        }),
        _ => {
            let mut errors = reader.errors;
            errors.sort_by_key(|error| error.labels.first().map_or(0, |label| label.span.start));
            errors.dedup();
            Err(errors)
        }
    }
}

struct Reader<'a, 'b> {
    source: &'a Source,
    options: &'b LarkOptions,
    nested: LowerNested<'b>,
    budget: &'b Budget,
    terminals: Terminals<'a>,
    /// Maps the name of each rule to its index.
    numbers: FxHashMap<&'a str, u32>,
    /// Maps the name of a rule to its `stop` string. The part after a call of the rule may repeat that string.
    stops: FxHashMap<&'a str, &'a str>,
    lexicon: Lexicon,
    outer: Outer,
    errors: Vec<Diagnostic>,
}

type Read<T> = Result<T, Box<Diagnostic>>;

impl<'a> Reader<'a, 'a> {
    /// Defines the names of all rules, terminals and imports. Duplicate names and unknown imports become errors.
    fn names(&mut self, ast: &'a Ast, rules: &[&'a Definition]) {
        let twice = |name: &str, span: &std::ops::Range<usize>| {
            let finding =
                Diagnostic::error(codes::DUPLICATE_NAME, format!("`{name}` is defined twice"));
            let finding = finding.with_label(span.clone(), "defined again here");
            finding.with_help("rename or remove one, or join them with `|`")
        };
        for (at, rule) in (0..).zip(rules) {
            if self.numbers.insert(&rule.name, at).is_some() {
                self.errors.push(twice(&rule.name, &rule.span));
            }
            let stop = rule.attributes.iter().find(|attribute| attribute.name == "stop");
            if let Some(Value::Node(node)) = stop.and_then(|stop| stop.value.as_ref())
                && let Some(text) = attributes::literal(node)
                && !text.is_empty()
            {
                self.stops.insert(&rule.name, text);
            }
        }
        for item in &ast.items {
            match item {
                Item::Definition(definition) if NodeKind::is_terminal(&definition.name) => {
                    if !self.terminals.add(&definition.name, Defined::Defined(definition)) {
                        self.errors.push(twice(&definition.name, &definition.span));
                    }
                    if let Some(first) = definition.attributes.first() {
                        let text = "a terminal takes no attributes";
                        let finding = Diagnostic::error(codes::BAD_ATTRIBUTE, text);
                        let finding = finding.with_label(first.span.clone(), "");
                        self.errors.push(
                            finding.with_help("give them to a rule, with a name in lower case"),
                        );
                    }
                }
                Item::Import { path, name, span } => match common::pattern(path) {
                    Some(pattern) => {
                        if !self.terminals.add(name, Defined::Common(pattern)) {
                            self.errors.push(twice(name, span));
                        }
                    }
                    None => {
                        let known: Vec<&str> =
                            common::COMMON.iter().map(|(name, _)| *name).collect();
                        let text = format!("`{path}` is not in the library");
                        let finding = Diagnostic::error(codes::UNKNOWN_NAME, text);
                        let help = format!("`common` has {}", known.join(", "));
                        self.errors.push(finding.with_label(span.clone(), "").with_help(help));
                    }
                },
                _ => {}
            }
        }
    }

    /// Lowers each defined terminal, used or not, so that its errors are found.
    fn terminals_alone(&mut self, ast: &'a Ast) {
        for item in &ast.items {
            if let Item::Definition(definition) = item
                && NodeKind::is_terminal(&definition.name)
                && self.errors.len() < MAX_ERRORS
                && let Err(error) = self.terminals.named(&definition.name, &definition.body)
            {
                self.errors.push(*error);
            }
        }
    }

    fn ignored(&mut self, node: &'a Node) -> Read<Option<TerminalId>> {
        let expr = self.terminals.expr(node)?;
        Ok(self.lexicon.terminal(expr, Use::Ignored, &node.span, self.budget).0)
    }

    fn rule(&mut self, rule: &'a Definition) -> Read<Body> {
        let given = attributes::read(rule, &mut self.outer.findings)?;
        let Attributes { lazy, suffix, stop, is_empty, max_chars, is_unit } = given;
        if is_empty {
            return Ok(Body::Sequence(Vec::new()));
        }
        if let Some(stop) = stop {
            let text = "what ends the rule stays in the text: the host takes it out";
            let note =
                Diagnostic::note(codes::FOR_THE_HOST, text).with_label(stop.span.clone(), "");
            self.outer.findings.push(note.with_help("`suffix` says the same of the text"));
        }
        let marker = suffix.or(stop).filter(|node| attributes::literal(node) != Some(""));
        let is_one = self.terminals.is_one(&rule.body);
        if !is_one && (lazy || marker.is_some() || max_chars.is_some()) {
            let text = format!("the rule `{}` has to be a terminal for this attribute", rule.name);
            let finding = Diagnostic::error(codes::NOT_IN_RULES, text);
            let label = "only strings, regular expressions and terminals can stand here";
            let finding = finding.with_label(rule.body.span.clone(), label);
            return Err(Box::new(
                finding.with_help("move the rules and tokens in it to the rule that uses it"),
            ));
        }
        if !(is_one
            && (is_unit || lazy || marker.is_some() || max_chars.is_some() || stop.is_some()))
        {
            return self.body(&rule.body);
        }
        let mut expr = self.terminals.expr(&rule.body)?;
        if let Some(most) = max_chars {
            expr = Expr::And(vec![expr, Expr::scalars([('\0', char::MAX)]).repeat(0, Some(most))]);
        }
        if let Some(marker) = marker {
            expr = Expr::seq([expr, self.terminals.expr(marker)?]);
        }
        let lazy = lazy || marker.is_some();
        self.lexeme(expr, lazy, &rule.body)
    }

    fn lexeme(&mut self, expr: Expr, lazy: bool, node: &Node) -> Read<Body> {
        let how = if lazy { Use::Lazy } else { Use::Greedy };
        let (terminal, nullable) = self.lexicon.terminal(expr, how, &node.span, self.budget);
        if let Some(id) = terminal
            && lazy
            && self.lexicon.terminals[id as usize].dfa.is_none()
        {
            let text = "the automaton of this terminal is too large, and it is needed to see where the terminal ends first";
            let finding =
                Diagnostic::error(codes::TOO_LARGE, text).with_label(node.span.clone(), "");
            return Err(Box::new(finding.with_help("take smaller bounds of repetitions")));
        }
        Ok(Body::Lexeme { terminal, nullable })
    }

    fn body(&mut self, node: &'a Node) -> Read<Body> {
        let _ = self.budget.spend(STEPS_A_NODE);
        Ok(match &node.kind {
            NodeKind::Alternation(choices) => Body::Alternation(
                choices.iter().map(|choice| self.body(choice)).collect::<Read<_>>()?,
            ),
            NodeKind::Sequence(parts) => Body::Sequence(self.sequence(parts)?),
            NodeKind::Conjunction(_) => {
                let text = "`&` is for terminals and not for rules";
                let finding =
                    Diagnostic::error(codes::NOT_IN_RULES, text).with_label(node.span.clone(), "");
                let help = "give the definition a name in upper case, which makes it a terminal";
                return Err(Box::new(finding.with_help(help)));
            }
            NodeKind::Repeat { body, min, max } => {
                Body::Repeat { body: Box::new(self.body(body)?), min: *min, max: *max }
            }
            NodeKind::Name(name) if self.numbers.contains_key(name.as_str()) => {
                Body::Call(self.numbers[name.as_str()])
            }
            NodeKind::Literal { text, .. } if text.is_empty() => Body::Sequence(Vec::new()),
            NodeKind::Token(span) => {
                let set = tokens::set(&self.source.text, span)?;
                let opaque =
                    Opaque { expr: Expr::Token(set), first: Default::default(), nullable: false };
                Body::Opaque(self.lexicon.opaque(opaque))
            }
            NodeKind::Json(json) => {
                let inner = Source::new(self.source.name.clone(), &self.source.text[json.clone()]);
                let lowered = json_schema::lower(inner, &self.options.schemas, self.budget);
                self.inner(lowered, json.start)
            }
            NodeKind::Nested(ast) => {
                let schemas = self.options.schemas.clone();
                let options = LarkOptions { schemas, ..LarkOptions::default() };
                let lowered = (self.nested)(ast, self.source, &options, self.budget);
                self.inner(lowered, 0)
            }
            NodeKind::Literal { .. }
            | NodeKind::Name(_)
            | NodeKind::Not(_)
            | NodeKind::Range(..)
            | NodeKind::Regex { .. }
            | NodeKind::Structured(_) => {
                if let NodeKind::Literal { text, .. } = &node.kind {
                    self.outer.literals.add(text, &node.span);
                }
                let expr = self.terminals.expr(node)?;
                self.lexeme(expr, false, node)?
            }
        })
    }

    /// Reads the parts of a sequence. If a string after a rule begins with the rule's `stop` string, that prefix is
    /// dropped: the rule already matches it.
    fn sequence(&mut self, parts: &'a [Node]) -> Read<Vec<Body>> {
        let mut read = Vec::with_capacity(parts.len());
        let mut ended_by = None;
        for part in parts {
            let again = match (ended_by.take(), attributes::literal(part)) {
                (Some(stop), Some(text)) => text.strip_prefix::<&str>(stop),
                _ => None,
            };
            match again {
                Some("") => {}
                Some(rest) => read.push(self.lexeme(Expr::literal(rest), false, part)?),
                None => read.push(self.body(part)?),
            }
            if let NodeKind::Name(name) = &part.kind {
                ended_by = self.stops.get(name.as_str()).copied();
            }
        }
        Ok(read)
    }

    /// Adds an inner source as an opaque expression (a token, schema or nested grammar). Its text begins at byte offset
    /// `at` of the outer source. If it has errors, they are reported and the body is the empty language.
    fn inner(&mut self, lowered: Result<Lowered, Vec<Diagnostic>>, at: usize) -> Body {
        let span = |span: &std::ops::Range<usize>| span.start + at..span.end + at;
        let place = Place { span: &span, pointer: None };
        match lowered {
            Err(errors) => {
                self.errors.extend(place.diagnostics(errors));
                Body::Alternation(Vec::new())
            }
            Ok(inner) => {
                let start = Expr::Call(inner.grammar.start);
                let survey = Survey::new(&inner.grammar, self.budget);
                let known =
                    Alphabets::default().of_expr(&start, &inner.grammar, &survey, self.budget);
                let expr = Expr::Call(self.outer.add(inner, &place));
                let (first, nullable) = (known.bytes.first, known.nullable);
                Body::Opaque(self.lexicon.opaque(Opaque { expr, first, nullable }))
            }
        }
    }
}
