//! Parses lexemes to a syntax tree by recursive descent.
//!
//! In GBNF a rule ends with its line, with three exceptions: a parenthesis is open, the line ends with `::=` or `|`, or
//! the next line starts with `|`. The last is refused by llama.cpp, although it is unambiguous. After an error the
//! parser resumes at the next `name ::=`, which no rule contains.
//!
//! Invariant: no tree is more than [`MAX_NESTING`] levels deep. Groups are counted on entry, which bounds the
//! recursion. Repetitions stacked on one item are counted on return. Cost: linear.

use std::ops::Range;

use super::ast::{Ast, InnerSource, MAX_NESTING, Node, NodeKind, RuleDefinition};
use super::codes;
use super::cursor::{Abandoned, Cursor};
use super::findings::Findings;
use super::lexer::{Lexeme, LexemeKind, STEPS_A_LEXEME, lex};
use super::macros;
use super::options::Notation;
use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::other_language::{self, Other};

/// Parses a GBNF source to a syntax tree.
///
/// # Errors
///
/// Returns all syntax errors in source order, 50 at most. If the source is in another language or the budget is spent,
/// returns that error alone.
pub fn parse(source: &Source, notation: Notation, budget: &Budget) -> Result<Ast, Vec<Diagnostic>> {
    let mut findings = Findings::default();
    let lexemes = lex(&source.text, notation, &mut findings, budget);
    budget.check_in_source()?;
    let text = &source.text;
    let cursor = Cursor { text, lexemes: &lexemes, at: 0, open: Vec::new(), findings };
    let mut parser = Parser { cursor, lines: notation == Notation::Gbnf, inner: Vec::new() };
    let ast = parser.rules(budget);
    budget.check_in_source()?;
    let findings = parser.cursor.findings;
    match findings.is_empty() {
        true => Ok(ast),
        false => {
            Err(other_language(text).map_or_else(|| findings.into_sorted(), |error| vec![error]))
        }
    }
}

/// Returns the error for a source of another language. `None` if the text looks like GBNF or like no known language.
fn other_language(text: &str) -> Option<Diagnostic> {
    let code = match other_language::recognize(text)?.language {
        Other::Json => codes::IS_JSON,
        _ => codes::OTHER_LANGUAGE,
    };
    // YAML is exempt: a rule with `:` in place of `::=` looks like a YAML key.
    other_language::error(text, code, "a GBNF grammar", |other| {
        matches!(other, Other::Gbnf | Other::Yaml)
    })
}

/// A node, and the levels of groups and repetitions in it.
struct Tree {
    node: Node,
    height: usize,
}

struct Parser<'a> {
    cursor: Cursor<'a>,
    /// Whether a rule ends with its line, as in llama.cpp's notation.
    lines: bool,
    inner: Vec<InnerSource>,
}

impl Parser<'_> {
    /// Returns the number of lexemes of `name ::=` (2) or `name[attributes] ::=` (3). `None` if no definition starts at
    /// the current lexeme.
    fn definition_length(&self) -> Option<usize> {
        match (self.cursor.kind(0), self.cursor.kind(1), self.cursor.kind(2)) {
            (Some(LexemeKind::Name), Some(LexemeKind::Define), _) => Some(2),
            (Some(LexemeKind::Name), Some(LexemeKind::Class(_)), Some(LexemeKind::Define)) => {
                Some(3)
            }
            _ => None,
        }
    }

    /// Whether a definition, `name ::=` or `name[attributes] ::=`, starts at the current lexeme.
    fn at_definition(&self) -> bool {
        self.definition_length().is_some()
    }

    /// Whether the source has a definition `name ::=`. Cost: linear in the lexemes.
    fn is_defined(&self, name: &str) -> bool {
        self.cursor.lexemes.windows(2).any(|pair| {
            matches!(pair, [Lexeme { kind: LexemeKind::Name, span, .. }, Lexeme { kind: LexemeKind::Define, .. }]
                if &self.cursor.text[span.clone()] == name)
        })
    }

    fn rules(&mut self, budget: &Budget) -> Ast {
        let mut rules = Vec::new();
        let mut last = 0;
        while let Some(lexeme) = self.cursor.peek() {
            let lexemes = self.cursor.at - std::mem::replace(&mut last, self.cursor.at);
            if self.cursor.findings.are_full() || budget.spend(STEPS_A_LEXEME * lexemes).is_err() {
                break;
            }
            let outcome = if self.at_definition() {
                self.rule(lexeme).map(|rule| rules.push(rule))
            } else {
                Err(self.unexpected_at_top_level(lexeme))
            };
            if outcome.is_err() {
                self.cursor.open.clear();
                self.skip_to_definition();
            }
        }
        Ast { rules, inner: std::mem::take(&mut self.inner) }
    }

    fn skip_to_definition(&mut self) {
        while self.cursor.at < self.cursor.lexemes.len() && !self.at_definition() {
            self.cursor.at += 1;
        }
    }

    fn rule(&mut self, name: &Lexeme) -> Result<RuleDefinition, Abandoned> {
        if !name.first_of_line {
            let finding =
                Diagnostic::error(codes::UNEXPECTED, "a rule starts in the middle of a line")
                    .with_label(name.span.clone(), "")
                    .with_help("start each rule on a line of its own");
            self.cursor.findings.push(finding);
        }
        let length = self.definition_length().unwrap_or(2);
        let attributes =
            (length == 3).then(|| self.cursor.lexemes[self.cursor.at + 1].span.clone());
        self.cursor.at += length;
        let body = self.alternation()?.node;
        let lookahead = if self.at_lookahead() { Some(self.lookahead()?) } else { None };
        let name_text = self.cursor.text_of(name).to_owned();
        Ok(RuleDefinition { name: name_text, span: name.span.clone(), body, attributes, lookahead })
    }

    /// Whether a lookahead assertion `(=...)` starts at the current lexeme.
    fn at_lookahead(&self) -> bool {
        matches!(
            self.cursor.lexemes[self.cursor.at..],
            [
                Lexeme { kind: LexemeKind::Mark(b'('), .. },
                Lexeme { kind: LexemeKind::Mark(b'='), .. },
                ..
            ]
        )
    }

    /// Parses a lookahead assertion `(=...)` at the end of a rule.
    fn lookahead(&mut self) -> Result<Node, Abandoned> {
        let open = &self.cursor.lexemes[self.cursor.at];
        self.cursor.at += 2;
        self.cursor.open.push(open.span.clone());
        let mut node = self.alternation()?.node;
        if !self.cursor.eat_mark(b')') {
            return Err(self.unclosed_group(open));
        }
        self.cursor.open.pop();
        node.span = open.span.start..self.cursor.end();
        Ok(node)
    }

    /// Reports a lexeme at the top level that starts no definition.
    fn unexpected_at_top_level(&mut self, lexeme: &Lexeme) -> Abandoned {
        let first_of_source = self.cursor.at == 0;
        let finding = Diagnostic::error(codes::UNEXPECTED, self.cursor.unexpected(Some(lexeme)));
        let (label, help) = match (&lexeme.kind, lexeme.first_of_line) {
            (LexemeKind::Mark(b')'), _) => {
                ("no parenthesis is open", "remove it, or open one with `(`")
            }
            (LexemeKind::Define, _) => {
                ("the name is missing", "a rule's name is of letters, digits, `-` and `_`")
            }
            (LexemeKind::Name, true) => ("no `::=` follows", "a rule is written `name ::= body`"),
            (_, true) if !first_of_source => (
                "the rule before ended with its line",
                "to go on with the rule, put its body in parentheses, or end the line before with `|`",
            ),
            _ => ("", "a rule is written `name ::= body`"),
        };
        self.cursor.fail(finding.with_label(lexeme.span.clone(), label).with_help(help))
    }

    /// Parses alternatives separated by `|`. Line ends after `::=`, `(` and `|` are skipped.
    fn alternation(&mut self) -> Result<Tree, Abandoned> {
        let mut choices = Vec::new();
        let mut height = 0;
        let start = self.cursor.end();
        loop {
            let choice = self.sequence()?;
            height = height.max(choice.height);
            choices.push(choice.node);
            if !self.cursor.eat_mark(b'|') {
                break;
            }
        }
        let node = if choices.len() == 1 {
            choices.remove(0)
        } else {
            let first = choices.first().map_or(start, |choice| choice.span.start);
            Node { kind: NodeKind::Alternation(choices), span: first..self.cursor.end() }
        };
        Ok(Tree { node, height })
    }

    fn sequence(&mut self) -> Result<Tree, Abandoned> {
        let mut parts: Vec<Node> = Vec::new();
        let mut height = 0;
        let empty_at = self.cursor.end();
        while let Some(lexeme) = self.cursor.peek() {
            let line_ended = self.lines
                && lexeme.first_of_line
                && self.cursor.open.is_empty()
                && !self.at_fresh_start();
            let rule_ended = line_ended || self.cursor.open.is_empty() && self.at_lookahead();
            if rule_ended || self.at_definition() {
                break;
            }
            if matches!(lexeme.kind, LexemeKind::Mark(b'|' | b')')) {
                break;
            }
            let item = self.item(lexeme)?;
            height = height.max(item.height);
            parts.push(item.node);
        }
        let span = match (parts.first(), parts.last()) {
            (Some(first), Some(last)) => first.span.start..last.span.end,
            _ => empty_at..empty_at,
        };
        let node = if parts.len() == 1 {
            parts.remove(0)
        } else {
            Node { kind: NodeKind::Sequence(parts), span }
        };
        Ok(Tree { node, height })
    }

    /// Whether the previous lexeme is `::=` or `|`, after which a line end is skipped.
    fn at_fresh_start(&self) -> bool {
        self.cursor.at.checked_sub(1).is_some_and(|last| {
            matches!(self.cursor.lexemes[last].kind, LexemeKind::Define | LexemeKind::Mark(b'|'))
        })
    }

    /// Parses one atom with the repetition operators after it.
    fn item(&mut self, first: &Lexeme) -> Result<Tree, Abandoned> {
        let mut tree = self.atom(first)?;
        while let Some(lexeme) = self.cursor.peek() {
            if self.lines && lexeme.first_of_line && self.cursor.open.is_empty() {
                break;
            }
            let LexemeKind::Mark(mark) = lexeme.kind else { break };
            let (min, max) = match mark {
                b'*' => (0, None),
                b'+' => (1, None),
                b'?' => (0, Some(1)),
                b'{' => (0, None),
                _ => break,
            };
            self.cursor.at += 1;
            let (min, max) = if mark == b'{' { self.bounds(&lexeme.span)? } else { (min, max) };
            tree.height += 1;
            if self.cursor.open.len() + tree.height > MAX_NESTING {
                return Err(self.cursor.too_deep(&lexeme.span));
            }
            let span = tree.node.span.start..self.cursor.end();
            let kind = NodeKind::Repeat { body: Box::new(tree.node), min, max };
            tree.node = Node { kind, span };
        }
        Ok(tree)
    }

    fn atom(&mut self, lexeme: &Lexeme) -> Result<Tree, Abandoned> {
        let kind = match &lexeme.kind {
            LexemeKind::Mark(b'(') => return self.group(lexeme),
            LexemeKind::Name => {
                let name = self.cursor.text_of(lexeme);
                let is_called = matches!(
                    self.cursor.lexemes[self.cursor.at..],
                    [_, Lexeme { kind: LexemeKind::Mark(b'('), .. }, ..]
                );
                if is_called && macros::is_macro(name) && !self.is_defined(name) {
                    let node = macros::call(&mut self.cursor, lexeme)?;
                    return Ok(Tree { node, height: 0 });
                }
                NodeKind::Call(name.to_owned())
            }
            LexemeKind::Literal(text) => NodeKind::Literal(text.clone()),
            LexemeKind::Class(class) => NodeKind::Class(class.clone()),
            LexemeKind::Inner(kind) => {
                self.inner.push(InnerSource { kind: kind.clone(), span: lexeme.span.clone() });
                NodeKind::Inner(self.inner.len() - 1)
            }
            LexemeKind::Token { token, negated } => {
                NodeKind::Token { token: token.clone(), negated: *negated }
            }
            LexemeKind::Mark(b'.') => NodeKind::Any,
            LexemeKind::Mark(b'*' | b'+' | b'?' | b'{') => {
                let finding =
                    Diagnostic::error(codes::NOTHING_TO_REPEAT, "there is nothing to repeat")
                        .with_label(lexeme.span.clone(), "nothing stands before this")
                        .with_help("a repetition follows what it repeats, on the same line");
                return Err(self.cursor.fail(finding));
            }
            LexemeKind::Define | LexemeKind::Mark(_) => {
                let finding =
                    Diagnostic::error(codes::UNEXPECTED, self.cursor.unexpected(Some(lexeme)))
                        .with_label(lexeme.span.clone(), "")
                        .with_help("text to be matched stands in double quotes");
                return Err(self.cursor.fail(finding));
            }
        };
        self.cursor.at += 1;
        Ok(Tree { node: Node { kind, span: lexeme.span.clone() }, height: 0 })
    }

    fn group(&mut self, open: &Lexeme) -> Result<Tree, Abandoned> {
        if self.at_lookahead() {
            let text = "a lookahead assertion `(=...)` stands at the end of a rule alone";
            let error = Diagnostic::error(codes::LOOKAHEAD, text)
                .with_label(open.span.clone(), "the assertion starts here")
                .with_help("give what is before it a rule of its own, or leave it out");
            return Err(self.cursor.fail(error));
        }
        self.cursor.at += 1;
        self.cursor.open(&open.span)?;
        let mut tree = self.alternation()?;
        if !self.cursor.eat_mark(b')') {
            return Err(self.unclosed_group(open));
        }
        self.cursor.open.pop();
        tree.node.span = open.span.start..self.cursor.end();
        tree.height += 1;
        Ok(tree)
    }

    fn unclosed_group(&mut self, open: &Lexeme) -> Abandoned {
        let mut finding =
            Diagnostic::error(codes::UNCLOSED_GROUP, "the parenthesis is never closed")
                .with_label(open.span.clone(), "opened here");
        if let Some(next) = self.cursor.peek() {
            finding = finding.with_label(next.span.clone(), "the next rule starts here");
        }
        self.cursor.fail(finding.with_help("close it with `)`"))
    }

    /// Parses the bounds of a repetition after `{`: `m}`, `m,}`, `m,n}` or `,n}`.
    fn bounds(&mut self, open: &Range<usize>) -> Result<(u32, Option<u32>), Abandoned> {
        let min = self.bound()?;
        let comma = self.cursor.eat_mark(b',');
        let max =
            if comma && !self.eat_unbounded() { self.bound()? } else { min.filter(|_| !comma) };
        if !self.cursor.eat_mark(b'}') || (min.is_none() && max.is_none()) {
            let end = self.cursor.peek().map_or(self.cursor.text.len(), |lexeme| lexeme.span.start);
            let finding =
                Diagnostic::error(codes::BAD_BOUNDS, "the braces do not hold a repetition")
                    .with_label(open.start..self.cursor.end().min(end).max(open.end), "")
                    .with_help("write `{m}`, `{m,}`, `{m,n}` or `{,n}`, with numbers for m and n");
            return Err(self.cursor.fail(finding));
        }
        match (min.unwrap_or(0), max) {
            (min, Some(max)) if max < min => {
                let finding = Diagnostic::error(
                    codes::REVERSED_BOUNDS,
                    format!("the repetition allows at most {max} and asks for at least {min}"),
                )
                .with_label(open.start..self.cursor.end(), "")
                .with_help(format!("swap the bounds: `{{{max},{min}}}`"));
                self.cursor.findings.push(finding);
                Ok((max, Some(min)))
            }
            bounds => Ok(bounds),
        }
    }

    /// Consumes `-1`, XGrammar's notation for no upper bound. Returns whether it was there.
    fn eat_unbounded(&mut self) -> bool {
        let found = self.cursor.peek().is_some_and(|lexeme| self.cursor.text_of(lexeme) == "-1");
        self.cursor.at += usize::from(found);
        found
    }

    /// Parses the number at the current lexeme. `None` if there is no number. A number of 4294967295 or more is an
    /// error.
    fn bound(&mut self) -> Result<Option<u32>, Abandoned> {
        let Some(lexeme) = self.cursor.peek().filter(|lexeme| lexeme.kind == LexemeKind::Name)
        else {
            return Ok(None);
        };
        self.cursor.at += 1;
        match self.cursor.text_of(lexeme).parse::<u32>() {
            // The largest number is excluded, so that one more than a bound still fits 32 bits.
            Ok(number) if number < u32::MAX => Ok(Some(number)),
            _ => {
                let finding =
                    Diagnostic::error(codes::BAD_BOUNDS, "the bound is not a number in range")
                        .with_label(lexeme.span.clone(), "")
                        .with_help(format!("bounds are whole numbers from 0 to {}", u32::MAX - 1));
                Err(self.cursor.fail(finding))
            }
        }
    }
}
