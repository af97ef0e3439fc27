//! Parses macro calls of XGrammar's EBNF: `Regex(...)`, `Substring(...)`, `Token(...)`, `ExcludeToken(...)`,
//! `TagDispatch(...)` and `TokenTagDispatch(...)`.
//!
//! A name before a parenthesis is a macro if a macro has that name and no rule has it. Values are strings, numbers,
//! `true` and `false`, names of rules, and tuples of values.

use std::ops::Range;

use super::ast::{Dispatch, Macro, Node, NodeKind, Trigger};
use super::codes;
use super::cursor::{Abandoned, Cursor};
use super::lexer::{Lexeme, LexemeKind};
use grammarc_grammar::diagnostics::Diagnostic;

/// The names of all macros. A rule of the same name takes precedence.
const MACROS: [&str; 6] =
    ["Regex", "Substring", "Token", "ExcludeToken", "TagDispatch", "TokenTagDispatch"];

/// Whether `name` is the name of a macro.
pub(super) fn is_macro(name: &str) -> bool {
    MACROS.contains(&name)
}

/// The value of a macro's argument, with its place.
struct Value {
    kind: ValueKind,
    span: Range<usize>,
}

enum ValueKind {
    Text(String),
    Number(u32),
    Boolean(bool),
    Name(String),
    Tuple(Vec<Value>),
}

/// The arguments of one macro call, before they are checked.
struct Arguments {
    /// The name of the called macro.
    name: String,
    span: Range<usize>,
    values: Vec<Value>,
    named: Vec<(String, Value)>,
}

/// Parses a macro call, from its name to its closing parenthesis. The current lexeme is the name.
pub(super) fn call(cursor: &mut Cursor<'_>, name: &Lexeme) -> Result<Node, Abandoned> {
    let arguments = arguments(cursor, name)?;
    let span = arguments.span.clone();
    match arguments.read() {
        Ok(call) => Ok(Node { kind: NodeKind::Macro(call), span }),
        Err(finding) => Err(cursor.fail(*finding)),
    }
}

fn arguments(cursor: &mut Cursor<'_>, name: &Lexeme) -> Result<Arguments, Abandoned> {
    let start = name.span.start;
    let name = cursor.text_of(name).to_owned();
    let open = cursor.lexemes[cursor.at + 1].span.clone();
    cursor.at += 2;
    cursor.open.push(open);
    let (mut values, mut named) = (Vec::new(), Vec::new());
    while !cursor.peek_mark(b')') {
        let is_named = matches!(
            cursor.lexemes[cursor.at..],
            [
                Lexeme { kind: LexemeKind::Name, .. },
                Lexeme { kind: LexemeKind::Mark(b'='), .. },
                ..
            ]
        );
        if is_named {
            let key = cursor.text_of(&cursor.lexemes[cursor.at]).to_owned();
            cursor.at += 2;
            named.push((key, value(cursor)?));
        } else {
            values.push(value(cursor)?);
        }
        if !cursor.eat_mark(b',') {
            break;
        }
        if cursor.peek_mark(b')') {
            return Err(wrong_argument(cursor, "a value or `name=value` follows `,`"));
        }
    }
    if !cursor.eat_mark(b')') {
        return Err(wrong_argument(cursor, "arguments are separated by `,` and closed with `)`"));
    }
    cursor.open.pop();
    Ok(Arguments { name, span: start..cursor.end(), values, named })
}

fn wrong_argument(cursor: &mut Cursor<'_>, help: &str) -> Abandoned {
    let next = cursor.peek();
    let end = cursor.end();
    let span = next.map_or(end..end, |next| next.span.clone());
    let finding = Diagnostic::error(codes::MACRO, cursor.unexpected(next));
    cursor.fail(finding.with_label(span, "in the arguments of a macro").with_help(help))
}

fn value(cursor: &mut Cursor<'_>) -> Result<Value, Abandoned> {
    let help = "a value is a string, a whole number, `true`, `false`, the name of a rule, or a tuple `(value, value)`";
    let Some(lexeme) = cursor.peek() else { return Err(wrong_argument(cursor, help)) };
    let start = lexeme.span.start;
    let kind = match &lexeme.kind {
        LexemeKind::Literal(text) => ValueKind::Text(text.clone()),
        LexemeKind::Name => match cursor.text_of(lexeme) {
            "true" => ValueKind::Boolean(true),
            "false" => ValueKind::Boolean(false),
            text if text.starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
                match text.parse() {
                    Ok(number) => ValueKind::Number(number),
                    Err(_) => {
                        return Err(wrong_argument(
                            cursor,
                            "ids of tokens are from 0 to 4294967295",
                        ));
                    }
                }
            }
            name => ValueKind::Name(name.to_owned()),
        },
        LexemeKind::Mark(b'(') => {
            cursor.open(&lexeme.span)?;
            cursor.at += 1;
            let mut values = Vec::new();
            while !cursor.peek_mark(b')') {
                values.push(value(cursor)?);
                if !cursor.eat_mark(b',') {
                    break;
                }
            }
            if !cursor.peek_mark(b')') {
                return Err(wrong_argument(
                    cursor,
                    "values of a tuple are separated by `,` and closed with `)`",
                ));
            }
            cursor.open.pop();
            ValueKind::Tuple(values)
        }
        _ => return Err(wrong_argument(cursor, help)),
    };
    cursor.at += 1;
    Ok(Value { kind, span: start..cursor.end() })
}

type Read<T> = Result<T, Box<Diagnostic>>;

impl Arguments {
    fn wrong(&self, text: impl Into<String>, span: &Range<usize>) -> Box<Diagnostic> {
        let help = match self.name.as_str() {
            "Regex" => "write `Regex(\"pattern\")`; there are json_string=true and flags=\"isu\"",
            "Substring" => "write `Substring(\"chunk\", \"chunk\")`",
            "Token" | "ExcludeToken" => "write `Token(id, id)` with ids of tokens",
            "TagDispatch" => {
                "write `TagDispatch((\"tag\", rule))`; there are loop_after_dispatch=false and excludes=(\"text\",)"
            }
            _ => {
                "write `TokenTagDispatch((id, rule))`; there are loop_after_dispatch=false and excludes=(id,)"
            }
        };
        Box::new(Diagnostic::error(codes::MACRO, text).with_label(span.clone(), "").with_help(help))
    }

    fn read(mut self) -> Read<Macro> {
        let given = std::mem::take(&mut self.named);
        for (at, (name, value)) in given.iter().enumerate() {
            let known: &[&str] = match self.name.as_str() {
                "Regex" => &["json_string", "flags"],
                "TagDispatch" | "TokenTagDispatch" => &["loop_after_dispatch", "excludes"],
                _ => &[],
            };
            if !known.contains(&name.as_str()) || given[..at].iter().any(|other| other.0 == *name) {
                let text =
                    format!("`{}` has no argument `{name}`, or it is given twice", self.name);
                return Err(self.wrong(text, &value.span));
            }
        }
        let named = |name: &str| given.iter().find(|given| given.0 == name).map(|given| &given.1);
        let boolean = |name: &str, default: bool| match named(name) {
            None => Ok(default),
            Some(Value { kind: ValueKind::Boolean(value), .. }) => Ok(*value),
            Some(Value { span, .. }) => {
                Err(self.wrong(format!("`{name}` is `true` or `false`"), span))
            }
        };
        match self.name.as_str() {
            "Regex" => {
                let [Value { kind: ValueKind::Text(pattern), .. }] = &self.values[..] else {
                    return Err(self.wrong("`Regex` takes one string", &self.span));
                };
                let flags = match named("flags") {
                    None => None,
                    Some(Value { kind: ValueKind::Text(flags), span }) => {
                        if let Some(flag) = flags.chars().find(|flag| !"isu".contains(*flag)) {
                            return Err(self.wrong(format!("there is no flag `{flag}`"), span));
                        }
                        Some(flags.clone())
                    }
                    Some(Value { span, .. }) => return Err(self.wrong("`flags` is a string", span)),
                };
                let json_string = boolean("json_string", false)?;
                Ok(Macro::Regex { pattern: pattern.clone(), flags, json_string })
            }
            "Substring" => {
                let text = |value: &Value| match &value.kind {
                    ValueKind::Text(text) => Ok(text.clone()),
                    _ => Err(self.wrong("`Substring` takes strings", &value.span)),
                };
                Ok(Macro::Substring(self.values.iter().map(text).collect::<Read<_>>()?))
            }
            "Token" | "ExcludeToken" => {
                let id = |value: &Value| match value.kind {
                    ValueKind::Number(id) => Ok(id),
                    _ => {
                        Err(self.wrong(format!("`{}` takes ids of tokens", self.name), &value.span))
                    }
                };
                if self.values.is_empty() {
                    return Err(self.wrong("there is no token in the set", &self.span));
                }
                let ids = self.values.iter().map(id).collect::<Read<_>>()?;
                Ok(Macro::Tokens { ids, negated: self.name == "ExcludeToken" })
            }
            _ => {
                let loops = boolean("loop_after_dispatch", true)?;
                let excludes = match named("excludes") {
                    None => Vec::new(),
                    // A value in parentheses is a tuple of one, with or without a comma.
                    Some(Value { kind: ValueKind::Tuple(values), .. }) => {
                        values.iter().map(|value| self.trigger(value)).collect::<Read<_>>()?
                    }
                    Some(Value { span, .. }) => {
                        return Err(self.wrong("`excludes` is a tuple", span));
                    }
                };
                let tags =
                    self.values.iter().map(|value| self.tag(value)).collect::<Read<Vec<_>>>()?;
                self.check_excludes(&tags, &excludes)?;
                let of_tokens = self.name == "TokenTagDispatch";
                Ok(Macro::Dispatch(Dispatch { tags, excludes, loops, of_tokens }))
            }
        }
    }

    fn trigger(&self, value: &Value) -> Read<Trigger> {
        match (&value.kind, self.name.as_str()) {
            (ValueKind::Text(text), "TagDispatch") if !text.is_empty() => {
                Ok(Trigger::Text(text.clone()))
            }
            (ValueKind::Number(id), "TokenTagDispatch") => Ok(Trigger::Token(*id)),
            (_, "TagDispatch") => {
                Err(self.wrong("a tag is a string that is not empty", &value.span))
            }
            _ => Err(self.wrong("a tag is the id of a token", &value.span)),
        }
    }

    fn tag(&self, value: &Value) -> Read<(Trigger, String, Range<usize>)> {
        match &value.kind {
            ValueKind::Tuple(pair) => match &pair[..] {
                [trigger, Value { kind: ValueKind::Name(rule), span }] => {
                    Ok((self.trigger(trigger)?, rule.clone(), span.clone()))
                }
                _ => Err(self.wrong("a tag comes with the name of its rule", &value.span)),
            },
            _ => Err(self.wrong("each tag is a pair of what begins it and a rule", &value.span)),
        }
    }

    /// Returns an error if a tag begins with an excluded text: the tag could never be written.
    fn check_excludes(
        &self,
        tags: &[(Trigger, String, Range<usize>)],
        excludes: &[Trigger],
    ) -> Read<()> {
        for (trigger, _, span) in tags {
            let is_hidden = |exclude: &Trigger| match (exclude, trigger) {
                (Trigger::Text(exclude), Trigger::Text(trigger)) => trigger.starts_with(&**exclude),
                (exclude, trigger) => exclude == trigger,
            };
            if excludes.iter().any(is_hidden) {
                return Err(self.wrong(
                    "what is excluded begins this tag, which could never be written",
                    span,
                ));
            }
        }
        Ok(())
    }
}
