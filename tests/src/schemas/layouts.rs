//! Texts of an instance with whitespace, as programs write them, worked out apart from the compiler.

use serde_json::Value;

use super::texts::canonical;

/// The white space between the tokens of a text.
#[derive(Clone, Copy, Debug)]
pub enum Layout<'l> {
    /// These before an item or member that is not the first, and before a value behind a key; nothing elsewhere.
    Separated(&'l str, &'l str),
    /// A line for each item and member, with so many spaces for each level.
    Lines(usize),
    /// Any of these texts wherever JSON allows whitespace inside a document, in turn.
    Anywhere(&'l [&'l str]),
    /// A `,` or `:`, and a space behind every other.
    Mixed,
}

/// How a number is written, given its text.
pub type Numbers<'l> = &'l dyn Fn(&str) -> String;

/// The text of an instance.
pub fn text(value: &Value, layout: Layout<'_>, numbers: Numbers<'_>) -> String {
    let mut writer = Writer { layout, numbers, text: String::new(), turn: 0 };
    writer.value(value, 0);
    writer.text
}

/// A number in digits alone where it is an integer, and otherwise with a zero more.
pub fn loose(text: &str) -> String {
    let plain = canonical(text);
    if plain.contains(['.', 'e', 'E']) { format!("{plain}0") } else { plain }
}

/// A number in scientific notation with six digits behind the point and two in the exponent, as C writes it by `%e`; or
/// in canonical form, where that would lose digits.
pub fn scientific(text: &str) -> String {
    let plain = canonical(text);
    let magnitude = plain.trim_start_matches('-');
    let (whole, fraction) = magnitude.split_once('.').unwrap_or((magnitude, ""));
    let digits = format!("{whole}{fraction}");
    let first = digits.find(|digit| digit != '0');
    let Some(first) = first.filter(|_| digits.bytes().all(|digit| digit.is_ascii_digit())) else {
        return plain;
    };
    let exponent = whole.len() as i64 - 1 - first as i64;
    let mantissa = digits[first..].trim_end_matches('0');
    if mantissa.len() > 7 || exponent.abs() > 22 {
        return plain;
    }
    let sign = if plain.starts_with('-') { "-" } else { "" };
    let rest = &mantissa[1..];
    let direction = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{}.{rest:0<6}e{direction}{:02}", &mantissa[..1], exponent.abs())
}

/// A text with every character outside of ASCII escaped, as Python's `json.dumps` writes it.
pub fn in_ascii(text: &str) -> String {
    let mut ascii = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            ascii.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            ascii += &format!("\\u{unit:04x}");
        }
    }
    ascii
}

struct Writer<'l> {
    layout: Layout<'l>,
    numbers: Numbers<'l>,
    text: String,
    turn: usize,
}

impl Writer<'_> {
    /// Documents are nested as deep as serde_json reads them.
    fn value(&mut self, value: &Value, level: usize) {
        match value {
            Value::Array(items) => {
                self.open('[', items.is_empty());
                for (at, item) in items.iter().enumerate() {
                    self.before(at > 0, level + 1);
                    self.value(item, level + 1);
                }
                self.close(']', items.is_empty(), level);
            }
            Value::Object(members) => {
                self.open('{', members.is_empty());
                for (at, (key, member)) in members.iter().enumerate() {
                    self.before(at > 0, level + 1);
                    self.text += &Value::from(key.as_str()).to_string();
                    self.colon();
                    self.value(member, level + 1);
                }
                self.close('}', members.is_empty(), level);
            }
            Value::Number(number) => self.text += &(self.numbers)(&number.to_string()),
            other => self.text += &other.to_string(),
        }
    }

    fn open(&mut self, bracket: char, is_empty: bool) {
        self.text.push(bracket);
        if is_empty {
            self.space();
        }
    }

    fn close(&mut self, bracket: char, is_empty: bool, level: usize) {
        match self.layout {
            Layout::Lines(spaces) if !is_empty => self.line(spaces * level),
            _ if !is_empty => self.space(),
            _ => {}
        }
        self.text.push(bracket);
    }

    fn before(&mut self, is_more: bool, level: usize) {
        match self.layout {
            Layout::Separated(comma, _) if is_more => self.text += comma,
            Layout::Separated(..) => {}
            Layout::Lines(spaces) => {
                self.text += if is_more { "," } else { "" };
                self.line(spaces * level);
            }
            Layout::Anywhere(_) => {
                if is_more {
                    self.space();
                    self.text.push(',');
                }
                self.space();
            }
            Layout::Mixed if is_more => self.mixed(','),
            Layout::Mixed => {}
        }
    }

    fn colon(&mut self) {
        match self.layout {
            Layout::Separated(_, colon) => self.text += colon,
            Layout::Lines(_) => self.text += ": ",
            Layout::Anywhere(_) => {
                self.space();
                self.text.push(':');
                self.space();
            }
            Layout::Mixed => self.mixed(':'),
        }
    }

    fn mixed(&mut self, mark: char) {
        self.text.push(mark);
        self.turn += 1;
        if self.turn.is_multiple_of(2) {
            self.text.push(' ');
        }
    }

    fn line(&mut self, spaces: usize) {
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n(' ', spaces));
    }

    fn space(&mut self) {
        if let Layout::Anywhere(runs) = self.layout {
            self.text += runs[self.turn % runs.len()];
            self.turn += 1;
        }
    }
}
