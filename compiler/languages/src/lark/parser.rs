//! Parses lexemes to a syntax tree by recursive descent, up to the first error.
//!
//! A definition ends with its line, unless a group is open or the next line starts with `|`. The levels of nesting are
//! counted, and a repetition directly on a repetition is a syntax error, so the recursion is bounded. Cost: linear.

use std::ops::Range;

use super::ast::{Ast, Attribute, Definition, Item, MAX_NESTING, Node, NodeKind, Value};
use super::codes;
use super::lexer::{Lexeme, LexemeKind, lex};
use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::other_language;
use grammarc_grammar::other_language::Other;

/// Parses a Lark source to a syntax tree.
///
/// # Errors
///
/// Returns the first error of the syntax, or that the budget is spent. If the text seems to be another language, the
/// error says so.
pub(super) fn parse(source: &Source, budget: &Budget) -> Result<Ast, Vec<Diagnostic>> {
    let text = &source.text;
    let refused = |finding: Diagnostic| {
        let is_lark = |other| matches!(other, Other::Lark | Other::Yaml);
        let other = other_language::error(text, codes::OTHER_LANGUAGE, "a Lark grammar", is_lark);
        vec![other.unwrap_or(finding)]
    };
    let lexemes = lex(text, budget).map_err(refused)?;
    budget.check_in_source()?;
    let mut parser = Parser { text, lexemes: &lexemes, at: 0, depth: 0, groups: 0 };
    parser.items(false).map_err(|finding| refused(*finding))
}

type Parsed<T> = Result<T, Box<Diagnostic>>;

struct Parser<'a> {
    text: &'a str,
    lexemes: &'a [Lexeme],
    at: usize,
    /// The current number of open groups, complements and nested grammars.
    depth: usize,
    /// The number of open groups in the current definition. Within a group, line ends are skipped.
    groups: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a Lexeme> {
        self.lexemes.get(self.at)
    }

    fn text_of(&self, lexeme: &Lexeme) -> &'a str {
        &self.text[lexeme.span.clone()]
    }

    fn skip_line_ends(&mut self) {
        while self.peek().is_some_and(|lexeme| lexeme.kind == LexemeKind::LineEnd) {
            self.at += 1;
        }
    }

    /// Returns the next lexeme without consuming it. Within a group, line ends before it are skipped.
    fn next(&mut self) -> Option<&'a Lexeme> {
        if self.groups > 0 {
            self.skip_line_ends();
        }
        self.peek()
    }

    fn at_mark(&mut self, mark: &str) -> bool {
        self.next().is_some_and(|next| next.kind == LexemeKind::Mark && self.text_of(next) == mark)
    }

    fn eat(&mut self, mark: &str) -> bool {
        let found = self.at_mark(mark);
        self.at += usize::from(found);
        found
    }

    /// Returns the end of the last consumed lexeme, in bytes.
    fn end(&self) -> usize {
        self.at.checked_sub(1).map_or(0, |last| self.lexemes[last].span.end)
    }

    fn error(
        code: &'static str,
        text: impl Into<String>,
        span: Range<usize>,
        help: &str,
    ) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(code, text).with_label(span, "").with_help(help))
    }

    fn unexpected(&self, help: &str) -> Box<Diagnostic> {
        let end = self.text.len();
        let (what, span) = match self.peek() {
            Some(next) if next.kind == LexemeKind::LineEnd => {
                ("end of the line".to_owned(), next.span.clone())
            }
            Some(next) => {
                let written: String = self.text_of(next).chars().take(20).collect();
                (format!("`{written}`"), next.span.clone())
            }
            None => ("end of the grammar".to_owned(), end..end),
        };
        Self::error(codes::UNEXPECTED, format!("unexpected {what}"), span, help)
    }

    fn expect(&mut self, mark: &str, help: &str) -> Parsed<()> {
        if self.eat(mark) { Ok(()) } else { Err(self.unexpected(help)) }
    }

    fn unsupported(text: &str, span: Range<usize>, help: &str) -> Box<Diagnostic> {
        Self::error(codes::UNSUPPORTED, text, span, help)
    }

    fn deeper(&mut self, span: &Range<usize>) -> Parsed<()> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            let text = format!("groups and grammars are nested more than {MAX_NESTING} deep");
            let help = "give the inner part a rule of its own";
            return Err(Self::error(codes::NESTED_TOO_DEEP, text, span.clone(), help));
        }
        Ok(())
    }

    /// Parses definitions and directives up to the end of the source, or up to the brace that closes a nested grammar.
    fn items(&mut self, is_nested: bool) -> Parsed<Ast> {
        let mut ast = Ast::default();
        loop {
            self.skip_line_ends();
            let Some(lexeme) = self.peek() else {
                return if is_nested {
                    Err(self.unexpected("close the grammar with `}`"))
                } else {
                    Ok(ast)
                };
            };
            if is_nested && self.at_mark("}") {
                return Ok(ast);
            }
            match &lexeme.kind {
                LexemeKind::Directive { json } => {
                    self.at += 1;
                    self.statement(lexeme, json.as_ref(), &mut ast)?;
                }
                _ => ast.items.push(Item::Definition(self.definition()?)),
            }
            let closes = |next: &Lexeme| {
                next.kind == LexemeKind::LineEnd || is_nested && self.text_of(next) == "}"
            };
            if !self.peek().is_none_or(closes) {
                return Err(self.unexpected("start each definition on a line of its own"));
            }
        }
    }

    fn statement(
        &mut self,
        directive: &Lexeme,
        json: Option<&Range<usize>>,
        ast: &mut Ast,
    ) -> Parsed<()> {
        // The lexeme contains the JSON.
        let text = self.text_of(directive);
        let name = text.split(|c: char| c.is_whitespace() || c == '{').next().unwrap_or(text);
        match (name, json) {
            ("%ignore", _) => ast.items.push(Item::Ignore(self.expansions()?)),
            ("%llguidance" | "%grammar_options", Some(json)) => {
                ast.items.push(Item::Options(json.clone()));
            }
            ("%import", _) => self.imports(ast)?,
            ("%declare", _) => {
                let text = "`%declare` names terminals that code of the host makes, such as the indents of Lark's `Indenter`";
                let help = "here every terminal has a definition: write `NAME: body`; how deep lines are indented is no \
                            context-free language";
                let span = directive.span.start..self.line_end();
                return Err(Self::error(codes::DECLARED, text, span, help));
            }
            ("%override", _) => {
                let text = format!("`{name}` is not supported");
                let help = "it is for grammars in several files; write the definition out";
                return Err(Self::unsupported(&text, directive.span.clone(), help));
            }
            _ => {
                let text = format!("there is no directive `{name}` on the top level");
                let help = "there are %ignore, %import, %llguidance and %grammar_options; %json, %regex and %lark stand in rules";
                return Err(Self::error(
                    codes::UNKNOWN_DIRECTIVE,
                    text,
                    directive.span.clone(),
                    help,
                ));
            }
        }
        Ok(())
    }

    /// Returns the end of the current line, in bytes.
    fn line_end(&self) -> usize {
        let rest = self.lexemes[self.at..].iter();
        rest.take_while(|next| next.kind != LexemeKind::LineEnd)
            .last()
            .map_or(self.end(), |last| last.span.end)
    }

    fn name(&mut self, help: &str) -> Parsed<&'a Lexeme> {
        match self.peek() {
            Some(next) if next.kind == LexemeKind::Name => {
                self.at += 1;
                Ok(next)
            }
            _ => Err(self.unexpected(help)),
        }
    }

    fn imports(&mut self, ast: &mut Ast) -> Parsed<()> {
        let help = "write `%import common.NAME`, `%import common.NAME -> ALIAS` or `%import common (NAME, NAME)`";
        let first = self.name(help)?;
        let (mut path, mut last) = (self.text_of(first).to_owned(), first.span.clone());
        while self.eat(".") {
            let name = self.name(help)?;
            path = format!("{path}.{}", self.text_of(name));
            last = name.span.clone();
        }
        let mut add = |path: String, name: &str, span| {
            ast.items.push(Item::Import { path, name: name.to_owned(), span });
        };
        if self.eat("->") {
            let alias = self.name(help)?;
            add(path, self.text_of(alias), alias.span.clone());
        } else if self.eat("(") {
            loop {
                self.skip_line_ends();
                let name = self.name(help)?;
                let text = self.text_of(name);
                add(format!("{path}.{text}"), text, name.span.clone());
                self.skip_line_ends();
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")", help)?;
        } else {
            let name = path.rsplit('.').next().unwrap_or_default().to_owned();
            add(path, &name, last);
        }
        Ok(())
    }

    fn definition(&mut self) -> Parsed<Definition> {
        // `!` and `?` change Lark's syntax tree only, and not the accepted texts.
        while self.eat("!") || self.eat("?") {}
        let help = "a rule is written `name: body`, and a terminal `NAME: body`";
        let name = self.name(help)?;
        let span = name.span.clone();
        if self.at_mark("::") {
            let text = "rules with parameters are not supported";
            return Err(Self::unsupported(text, span, PARAMETERS));
        }
        if self.at_mark("{") {
            let text = "templates are not supported";
            return Err(Self::unsupported(text, span, "write a rule for each use"));
        }
        if self.at_mark(".") {
            let text = "priorities are not supported: no text is preferred to another";
            let help = "leave the priority out; where two terminals match a text, either reading is allowed";
            return Err(Self::unsupported(text, span, help));
        }
        let mut attributes = Vec::new();
        if self.eat("[") {
            while !self.at_mark("]") {
                attributes.push(self.attribute()?);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect("]", "attributes are separated by `,` and closed with `]`")?;
        }
        self.expect(":", help)?;
        self.groups = 0;
        let body = self.expansions()?;
        Ok(Definition { name: self.text_of(name).to_owned(), span, attributes, body })
    }

    fn attribute(&mut self) -> Parsed<Attribute> {
        let name = self.name("an attribute is written `name` or `name=value`")?;
        let mut value = None;
        if self.eat("=") {
            value = Some(match self.peek() {
                Some(next) if next.kind == LexemeKind::Number => {
                    self.at += 1;
                    Value::Number(self.text_of(next).to_owned())
                }
                _ => Value::Node(self.atom()?),
            });
        }
        let span = name.span.start..self.end();
        Ok(Attribute { name: self.text_of(name).to_owned(), value, span })
    }

    /// Parses alternatives. A line that starts with `|` continues the line before.
    fn expansions(&mut self) -> Parsed<Node> {
        let start = self.end();
        let mut choices = vec![self.alternative()?];
        loop {
            let line = self.at;
            self.skip_line_ends();
            if !self.eat("|") {
                self.at = line;
                break;
            }
            choices.push(self.alternative()?);
        }
        Ok(self.node(choices, NodeKind::Alternation, start))
    }

    /// Returns a single part unchanged, and several parts as one node of kind `of`.
    fn node(&self, mut parts: Vec<Node>, of: fn(Vec<Node>) -> NodeKind, start: usize) -> Node {
        if parts.len() == 1 {
            return parts.remove(0);
        }
        let first = parts.first().map_or(start, |part| part.span.start);
        Node { kind: of(parts), span: first..self.end().max(first) }
    }

    fn alternative(&mut self) -> Parsed<Node> {
        let start = self.end();
        let mut conjuncts = vec![self.sequence()?];
        while self.eat("&") {
            conjuncts.push(self.sequence()?);
        }
        if self.eat("->") {
            // The name of an alternative changes Lark's syntax tree only.
            self.name("the name of an alternative follows `->`")?;
        }
        if let Some(next) = self.peek()
            && matches!(next.kind, LexemeKind::Directive { .. })
            && self.text_of(next) == "%if"
        {
            let text = "conditions on parameters are not supported";
            return Err(Self::unsupported(text, next.span.clone(), PARAMETERS));
        }
        Ok(self.node(conjuncts, NodeKind::Conjunction, start))
    }

    fn sequence(&mut self) -> Parsed<Node> {
        let start = self.end();
        let mut parts = Vec::new();
        while let Some(next) = self.next() {
            let text = self.text_of(next);
            let ends = match next.kind {
                LexemeKind::LineEnd => true,
                LexemeKind::Mark => matches!(text, "|" | "->" | "}" | ")" | "]" | "&"),
                LexemeKind::Directive { .. } => text == "%if",
                _ => false,
            };
            if ends {
                break;
            }
            parts.push(self.repeated()?);
        }
        Ok(self.node(parts, NodeKind::Sequence, start))
    }

    /// Parses an atom with an optional repetition after it.
    fn repeated(&mut self) -> Parsed<Node> {
        let body = self.atom()?;
        let start = body.span.start;
        let from = self.end();
        let (min, max) = if self.eat("*") {
            (0, None)
        } else if self.eat("+") {
            (1, None)
        } else if self.eat("?") {
            (0, Some(1))
        } else if self.eat("~") {
            let min = self.bound()?;
            let max = if self.eat("..") { self.bound()? } else { min };
            self.bounds(min, Some(max), from)?
        } else if self.eat("{") {
            let min = if self.at_mark(",") { 0 } else { self.bound()? };
            let max = match self.eat(",") {
                true if self.at_mark("}") => None,
                true => Some(self.bound()?),
                false => Some(min),
            };
            self.expect("}", "a repetition is written `{m}`, `{m,}`, `{m,n}` or `{,n}`")?;
            self.bounds(min, max, from)?
        } else {
            return Ok(body);
        };
        let kind = NodeKind::Repeat { body: Box::new(body), min, max };
        Ok(Node { kind, span: start..self.end() })
    }

    fn bound(&mut self) -> Parsed<u32> {
        let help = "bounds are whole numbers from 0 to 4294967294";
        let Some(next) = self.peek() else { return Err(self.unexpected(help)) };
        let text = self.text_of(next);
        if next.kind == LexemeKind::Name {
            let text = "templates are not supported";
            return Err(Self::unsupported(text, next.span.clone(), "write a rule for each use"));
        }
        // The largest number is excluded, so that one more than a bound still fits 32 bits.
        match text.parse::<u32>() {
            Ok(number) if next.kind == LexemeKind::Number && number < u32::MAX => {
                self.at += 1;
                Ok(number)
            }
            _ => {
                let text = format!("`{text}` is no bound of a repetition");
                Err(Self::error(codes::BAD_BOUNDS, text, next.span.clone(), help))
            }
        }
    }

    fn bounds(&self, min: u32, max: Option<u32>, from: usize) -> Parsed<(u32, Option<u32>)> {
        match max {
            Some(max) if max < min => {
                let text =
                    format!("the repetition allows at most {max} and asks for at least {min}");
                let span = from..self.end();
                Err(Self::error(codes::BAD_BOUNDS, text, span, "swap the bounds"))
            }
            max => Ok((min, max)),
        }
    }

    fn atom(&mut self) -> Parsed<Node> {
        let expected =
            "a part of a rule is a string, a regular expression, a name, a token or a group";
        let Some(next) = self.next() else { return Err(self.unexpected(expected)) };
        let start = next.span.start;
        if self.eat("~") {
            self.deeper(&next.span)?;
            let body = self.atom()?;
            self.depth -= 1;
            let span = start..body.span.end;
            return Ok(Node { kind: NodeKind::Not(Box::new(body)), span });
        }
        for (open, close) in [("(", ")"), ("[", "]")] {
            if self.eat(open) {
                self.deeper(&next.span)?;
                self.groups += 1;
                let body = self.expansions()?;
                self.expect(close, &format!("close the group with `{close}`"))?;
                self.groups -= 1;
                self.depth -= 1;
                let kind = match open {
                    "[" => NodeKind::Repeat { body: Box::new(body), min: 0, max: Some(1) },
                    _ => body.kind,
                };
                return Ok(Node { kind, span: start..self.end() });
            }
        }
        let span = next.span.clone();
        let kind = match &next.kind {
            LexemeKind::Literal { text, insensitive } => {
                self.at += 1;
                if self.eat("..") {
                    return self.range(text, *insensitive, span);
                }
                NodeKind::Literal { text: text.clone(), insensitive: *insensitive }
            }
            LexemeKind::Regex { pattern, flags } => {
                self.at += 1;
                NodeKind::Regex { pattern: pattern.clone(), flags: flags.clone() }
            }
            LexemeKind::Token => {
                self.at += 1;
                NodeKind::Token(span.clone())
            }
            LexemeKind::Name => {
                self.at += 1;
                if self.at_mark("::") {
                    let text = "rules with parameters are not supported";
                    return Err(Self::unsupported(text, span, PARAMETERS));
                }
                NodeKind::Name(self.text_of(next).to_owned())
            }
            LexemeKind::Reference => {
                let text = "grammars of other sources are not supported";
                let help = "write the grammar out: `%lark { ... }` or `%json { ... }`";
                return Err(Self::unsupported(text, span, help));
            }
            LexemeKind::Directive { json } => {
                self.at += 1;
                return self.inner(next, json.clone());
            }
            LexemeKind::Number | LexemeKind::LineEnd | LexemeKind::Mark => {
                return Err(self.unexpected(expected));
            }
        };
        Ok(Node { kind, span })
    }

    /// Parses the rest of `%json`, `%regex` or `%lark`, whose directive is already consumed. Other directives are an
    /// error.
    fn inner(&mut self, directive: &Lexeme, json: Option<Range<usize>>) -> Parsed<Node> {
        let start = directive.span.start;
        let kind = match (self.text_of(directive), json) {
            (text, Some(json)) if text.starts_with("%json") => NodeKind::Json(json),
            (text, Some(json)) if text.starts_with("%regex") => NodeKind::Structured(json),
            ("%lark", None) => {
                self.expect("{", "a nested grammar is written `%lark { ... }`")?;
                self.deeper(&directive.span)?;
                let groups = std::mem::take(&mut self.groups);
                let ast = self.items(true)?;
                self.groups = groups;
                self.depth -= 1;
                self.expect("}", "close the grammar with `}`")?;
                NodeKind::Nested(ast)
            }
            (text, _) => {
                let text = format!(
                    "`{}` cannot stand in a rule",
                    text.split_whitespace().next().unwrap_or(text)
                );
                let help = "in rules there are %json, %regex and %lark";
                return Err(Self::error(
                    codes::UNKNOWN_DIRECTIVE,
                    text,
                    directive.span.clone(),
                    help,
                ));
            }
        };
        Ok(Node { kind, span: start..self.end() })
    }

    /// Parses the end of a range `"a".."z"`, after the two points. Its place begins with `span`. Both ends must be
    /// single characters.
    fn range(&mut self, first: &str, insensitive: bool, span: Range<usize>) -> Parsed<Node> {
        let help = "a range is written `\"a\"..\"z\"`, of one character each and without flags";
        let Some(Lexeme { kind: LexemeKind::Literal { text: last, insensitive: other }, .. }) =
            self.peek()
        else {
            return Err(self.unexpected(help));
        };
        self.at += 1;
        let span = span.start..self.end();
        let only = |text: &str| {
            let mut characters = text.chars();
            characters.next().filter(|_| characters.next().is_none())
        };
        match (only(first), only(last)) {
            _ if insensitive || *other => Err(Self::error(
                codes::BAD_RANGE,
                "a range of characters takes no flags",
                span,
                help,
            )),
            (Some(first), Some(last)) if first <= last => {
                Ok(Node { kind: NodeKind::Range(first, last), span })
            }
            (Some(_), Some(_)) => {
                let text = "the range ends before it starts";
                Err(Self::error(codes::BAD_RANGE, text, span, "swap its ends"))
            }
            _ => {
                let text = "an end of a range is not a single character";
                Err(Self::error(codes::BAD_RANGE, text, span, help))
            }
        }
    }
}

/// The help for rules with parameters: what to write instead.
const PARAMETERS: &str =
    "write the cases as rules; for members in any order, compile a JSON Schema or a GBNF grammar";
