//! Explains why a JSON text is rejected although the grammar accepts its value: the value is
//! written in another form.
//!
//! To find the difference, the value is written again in a form that the grammar accepts. White
//! space is what the grammar requires. Numbers and strings are unchanged, or canonical and with the
//! shortest escapes. Keys are in their order or in an accepted one. Comparing the lexemes of the
//! two texts gives the difference, and the `compile` flag that permits it.
//!
//! Cost: linear in the text if the keys are in the grammar's order. Otherwise a backtracking
//! search, limited to [`STEPS`] attempts.

use grammarc_runtime::{ByteMatcher, Grammar};
use serde_json::Value;

/// Limit on the attempts to write a lexeme, over the whole search for an accepted form. Beyond it,
/// no explanation is given.
const STEPS: usize = 50_000;
/// Limit on the white space characters that the search inserts before one lexeme, or at the end of
/// the text.
const MOST_SPACE: usize = 256;

/// A kind of difference between two JSON texts of the same value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Difference {
    /// The white space between lexemes differs.
    Whitespace,
    /// The white space before or after the document differs.
    OuterWhitespace,
    /// The order of the keys in an object differs.
    KeyOrder,
    /// The spelling of a number differs: `1.0` and `1`.
    Numbers,
    /// The escapes in a string differ.
    Escapes,
}

impl Difference {
    /// Returns the flag of `compile` that makes the grammar accept the rejected form.
    pub(crate) fn flag(self) -> &'static str {
        match self {
            Self::Whitespace => "--whitespace flexible",
            Self::OuterWhitespace => "--surround",
            Self::KeyOrder => "--key-order any",
            Self::Numbers => "--numbers any",
            Self::Escapes => "--escapes any",
        }
    }
}

/// Returns how `text` differs from an accepted text of the same value. `None` if `text` is not
/// JSON, or no such text was found within the limits.
pub(super) fn differences(grammar: &Grammar, text: &[u8]) -> Option<Vec<Difference>> {
    let text = std::str::from_utf8(text).ok()?;
    serde_json::from_str::<Value>(text).ok()?;
    let lexemes = lexemes(text);
    let mut parser = Parser { lexemes: &lexemes, at: 0 };
    let value = parser.value()?;
    let mut writer = Writer { steps: STEPS };
    let start = Written { matcher: ByteMatcher::new(grammar), text: String::new() };
    let written = writer.value(&start, &value).and_then(ended)?;
    let accepted = self::lexemes(&written);
    let mut found = Vec::new();
    let texts =
        |lexemes: &[Lexeme<'_>]| lexemes.iter().map(|l| l.text.to_owned()).collect::<Vec<_>>();
    let (mut ours, mut theirs) = (texts(&accepted), texts(&lexemes));
    let spaces = |lexemes: &[Lexeme<'_>]| {
        lexemes.iter().skip(1).map(|lexeme| lexeme.before.to_owned()).collect::<Vec<_>>()
    };
    if spaces(&accepted) != spaces(&lexemes) {
        found.push(Difference::Whitespace);
    }
    let around =
        |text: &str| (text.len() - text.trim_start().len(), text.len() - text.trim_end().len());
    if around(text) != around(&written) {
        found.push(Difference::OuterWhitespace);
    }
    if ours != theirs {
        ours.sort_unstable();
        theirs.sort_unstable();
        let of = |texts: &[String], kind: fn(&str) -> bool| {
            texts.iter().filter(|text| kind(text)).cloned().collect::<Vec<_>>()
        };
        let numbers: fn(&str) -> bool =
            |text| text.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        let strings: fn(&str) -> bool = |text| text.starts_with('"');
        let (numbers, strings) = (
            of(&ours, numbers) != of(&theirs, numbers),
            of(&ours, strings) != of(&theirs, strings),
        );
        found.extend(numbers.then_some(Difference::Numbers));
        found.extend(strings.then_some(Difference::Escapes));
        if !numbers && !strings || order_differs(&accepted, &lexemes) {
            found.push(Difference::KeyOrder);
        }
    }
    (!found.is_empty()).then_some(found)
}

/// Whether the lexemes have different values at some index, regardless of how numbers and strings
/// are spelled.
fn order_differs(ours: &[Lexeme<'_>], theirs: &[Lexeme<'_>]) -> bool {
    let meaning = |lexeme: &Lexeme<'_>| serde_json::from_str::<Value>(lexeme.text).ok();
    ours.iter().zip(theirs).any(|(one, other)| match (meaning(one), meaning(other)) {
        (Some(Value::Number(one)), Some(Value::Number(other))) => {
            canonical(&one.to_string()) != canonical(&other.to_string())
        }
        (one, other) => one != other,
    })
}

/// Returns the text, followed by as much white space as the grammar requires at the end. `None` if
/// the text cannot end there.
fn ended(written: Written) -> Option<String> {
    let Written { mut matcher, mut text } = written;
    for _ in 0..MOST_SPACE {
        if matcher.is_accepting() {
            return Some(text);
        }
        let space = space(&mut matcher)?;
        text.push(space);
    }
    None
}

/// A lexeme of a JSON text, with the white space before it.
struct Lexeme<'t> {
    before: &'t str,
    text: &'t str,
}

/// Splits a JSON text into its lexemes.
fn lexemes(text: &str) -> Vec<Lexeme<'_>> {
    let is_space = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r');
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        let trimmed = rest.trim_start_matches(is_space);
        let before = &rest[..rest.len() - trimmed.len()];
        let Some(first) = trimmed.chars().next() else { return found };
        let length = match first {
            '"' => {
                let mut escaped = false;
                let end = trimmed.char_indices().skip(1).find(|&(_, c)| {
                    let closes = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    closes
                });
                end.map_or(trimmed.len(), |(at, _)| at + 1)
            }
            '{' | '}' | '[' | ']' | ',' | ':' => 1,
            _ => trimmed
                .find(|c: char| is_space(c) || "{}[],:\"".contains(c))
                .unwrap_or(trimmed.len()),
        };
        let (text, after) = trimmed.split_at(length);
        found.push(Lexeme { before, text });
        rest = after;
    }
}

/// A JSON value whose scalars keep their original spelling.
enum Tree<'t> {
    Scalar(&'t str),
    Array(Vec<Tree<'t>>),
    Object(Vec<(&'t str, Tree<'t>)>),
}

/// Builds a [`Tree`] from the lexemes of a JSON text. The depth is bounded, because serde_json has
/// parsed the text before.
struct Parser<'l, 't> {
    lexemes: &'l [Lexeme<'t>],
    at: usize,
}

impl<'t> Parser<'_, 't> {
    fn next(&mut self) -> Option<&'t str> {
        self.at += 1;
        self.lexemes.get(self.at - 1).map(|lexeme| lexeme.text)
    }

    fn value(&mut self) -> Option<Tree<'t>> {
        match self.next()? {
            "[" => {
                let mut items = Vec::new();
                if self.lexemes.get(self.at)?.text == "]" {
                    self.at += 1;
                    return Some(Tree::Array(items));
                }
                loop {
                    items.push(self.value()?);
                    if self.next()? == "]" {
                        return Some(Tree::Array(items));
                    }
                }
            }
            "{" => {
                let mut members = Vec::new();
                if self.lexemes.get(self.at)?.text == "}" {
                    self.at += 1;
                    return Some(Tree::Object(members));
                }
                loop {
                    let key = self.next()?;
                    self.next()?;
                    members.push((key, self.value()?));
                    if self.next()? == "}" {
                        return Some(Tree::Object(members));
                    }
                }
            }
            scalar => Some(Tree::Scalar(scalar)),
        }
    }
}

/// The text that was written so far, and a matcher that has accepted it.
struct Written {
    matcher: ByteMatcher,
    text: String,
}

struct Writer {
    steps: usize,
}

impl Writer {
    /// Appends a lexeme, preceded by as much white space as the grammar requires. `None` if the
    /// grammar does not accept it, or a limit is exceeded.
    fn lexeme(&mut self, from: &Written, lexeme: &str) -> Option<Written> {
        let (mut matcher, mut text) = (from.matcher.fork(), from.text.clone());
        for _ in 0..MOST_SPACE {
            self.steps = self.steps.checked_sub(1)?;
            let mut tried = matcher.fork();
            if tried.accept(lexeme.as_bytes()).is_ok() {
                text.push_str(lexeme);
                return Some(Written { matcher: tried, text });
            }
            text.push(space(&mut matcher)?);
        }
        None
    }

    /// Appends a value. `None` if the grammar does not accept the value at this point, or a limit
    /// is exceeded.
    fn value(&mut self, from: &Written, value: &Tree<'_>) -> Option<Written> {
        match value {
            Tree::Scalar(text) => {
                self.lexeme(from, text).or_else(|| self.lexeme(from, &plain(text)?))
            }
            Tree::Array(items) => {
                let mut at = self.lexeme(from, "[")?;
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        at = self.lexeme(&at, ",")?;
                    }
                    at = self.value(&at, item)?;
                }
                self.lexeme(&at, "]")
            }
            Tree::Object(members) => {
                let at = self.lexeme(from, "{")?;
                self.members(&at, members, &mut (0..members.len()).collect::<Vec<_>>(), true)
            }
        }
    }

    /// Appends the members with the indices `left` and the closing brace, in the first order that
    /// the grammar accepts. `None` if it accepts no order, or a limit is exceeded.
    fn members(
        &mut self,
        from: &Written,
        members: &[(&str, Tree<'_>)],
        left: &mut Vec<usize>,
        first: bool,
    ) -> Option<Written> {
        if left.is_empty() {
            return self.lexeme(from, "}");
        }
        for place in 0..left.len() {
            let index = left.remove(place);
            let (key, value) = &members[index];
            let written = self.member(from, key, value, first);
            let rest = written.and_then(|at| self.members(&at, members, left, false));
            left.insert(place, index);
            if rest.is_some() || self.steps == 0 {
                return rest;
            }
        }
        None
    }

    fn member(
        &mut self,
        from: &Written,
        key: &str,
        value: &Tree<'_>,
        first: bool,
    ) -> Option<Written> {
        let comma;
        let from = match first {
            true => from,
            false => {
                comma = self.lexeme(from, ",")?;
                &comma
            }
        };
        let key = self.lexeme(from, key).or_else(|| self.lexeme(from, &plain(key)?))?;
        let colon = self.lexeme(&key, ":")?;
        self.value(&colon, value)
    }
}

/// Accepts one character of white space and returns it: a space if allowed, else a line feed, else
/// a tab. `None` if none is allowed.
fn space(matcher: &mut ByteMatcher) -> Option<char> {
    [' ', '\n', '\t'].into_iter().find(|&c| matcher.accept(&[c as u8]).is_ok())
}

/// Returns a number in canonical form, or a string with the shortest escapes. `None` for other
/// scalars.
fn plain(scalar: &str) -> Option<String> {
    match serde_json::from_str(scalar).ok()? {
        Value::Number(number) => Some(canonical(&number.to_string())),
        Value::String(text) => Some(Value::String(text).to_string()),
        _ => None,
    }
}

/// Returns a number without an exponent, trailing zeros of the fraction, or the sign of zero. A
/// number whose exponent exceeds 100 in magnitude is unchanged.
fn canonical(text: &str) -> String {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let Some(exponent) = exponent.parse::<i64>().ok().filter(|exponent| exponent.abs() <= 100)
    else {
        return text.to_owned();
    };
    let (sign, magnitude) = match mantissa.strip_prefix('-') {
        Some(magnitude) => ("-", magnitude),
        None => ("", mantissa),
    };
    let (whole, fraction) = magnitude.split_once('.').unwrap_or((magnitude, ""));
    let digits = format!("{}{whole}{fraction}{}", "0".repeat(100), "0".repeat(100));
    let point = (100 + whole.len() as i64 + exponent) as usize;
    let (whole, fraction) = digits.split_at(point);
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    match (whole, fraction) {
        ("", "") => "0".to_owned(),
        ("", fraction) => format!("{sign}0.{fraction}"),
        (whole, "") => format!("{sign}{whole}"),
        (whole, fraction) => format!("{sign}{whole}.{fraction}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_canonical_form() {
        for (text, expected) in [
            ("1.0", "1"),
            ("-0.0", "0"),
            ("1e2", "100"),
            ("12.50", "12.5"),
            ("5E-3", "0.005"),
            ("1e200", "1e200"),
        ] {
            assert_eq!(canonical(text), expected);
        }
    }

    #[test]
    fn lexemes_keep_their_white_space() {
        let text = " {\"a\\\"\" : [1e5,\ttrue]}\n";
        let found: Vec<_> = lexemes(text).into_iter().map(|l| (l.before, l.text)).collect();
        assert_eq!(
            found,
            [
                (" ", "{"),
                ("", "\"a\\\"\""),
                (" ", ":"),
                (" ", "["),
                ("", "1e5"),
                ("", ","),
                ("\t", "true"),
                ("", "]"),
                ("", "}")
            ]
        );
    }
}
