//! A reader of one call that converts its members to JSON.
//!
//! The stack of open containers is on the heap, so nested calls cause no recursion. Each step reads one whole lexeme
//! (a member up to its value, a value with its end, the end of a container) or waits for more text.

use grammarc_compiler::frontend::structural_tag::{MemberStyle, ValueStyle};
use memchr::memmem;
use serde_json::Value;

use super::types::{Member, Types};

/// An open container.
#[derive(Clone, Copy, Debug)]
struct Open {
    is_object: bool,
    /// Whether it has no member or item yet.
    is_empty: bool,
}

/// The next lexeme.
#[derive(Clone, Debug)]
enum Next {
    /// A member or an item, or the end of the container.
    Member,
    /// The value of the member with that key. `None` for an item.
    Value { key: Option<String>, style: &'static ValueStyle },
}

/// Reads one call.
#[derive(Debug)]
pub(super) struct Reader {
    style: &'static MemberStyle,
    text: String,
    /// Number of bytes that were read.
    at: usize,
    /// Number of bytes after them that were searched for the end of the value.
    searched: usize,
    open: Vec<Open>,
    next: Next,
    /// The members of the arguments, if they are written together.
    together: Option<Vec<Member>>,
}

impl Reader {
    /// Returns a reader before the first byte of a call.
    pub(super) fn new(style: &'static MemberStyle, together: bool) -> Self {
        // Styles whose values are tags write their types down, so nothing of theirs depends on a schema.
        let together = together && !style.values.iter().any(|value| value.nested);
        Self {
            style,
            text: String::new(),
            at: 0,
            searched: 0,
            open: Vec::new(),
            next: Next::Member,
            together: together.then(Vec::new),
        }
    }

    /// Reads more text, and returns the JSON that no further text can change.
    pub(super) fn push(&mut self, text: &str, types: Option<&Types>) -> String {
        self.text.push_str(text);
        let mut json = String::new();
        if self.open.is_empty() && self.together.is_none() {
            json.push('{');
        }
        if self.open.is_empty() {
            self.open.push(Open { is_object: true, is_empty: true });
        }
        while self.step(types, &mut json).is_some() {}
        self.text.drain(..self.at);
        self.at = 0;
        json
    }

    /// Ends the call, and returns the rest of its JSON.
    pub(super) fn finish(mut self, types: Option<&Types>) -> String {
        match self.together.take() {
            Some(members) => {
                let any = Types::new(None);
                Value::Object(types.unwrap_or(&any).together(&members)).to_string()
            }
            None if self.open.is_empty() => "{}".to_owned(),
            None => "}".to_owned(),
        }
    }

    /// Reads the next lexeme. `None` if more text is needed.
    fn step(&mut self, types: Option<&Types>, json: &mut String) -> Option<()> {
        match self.next.clone() {
            Next::Member => self.member(json),
            Next::Value { key, style } if style.nested => self.container(key, style, json),
            Next::Value { key, style } => self.value(key, style, types, json),
        }
    }

    /// Returns the text that was not read.
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Reads a member up to its value, or the end of the container.
    fn member(&mut self, json: &mut String) -> Option<()> {
        let rest = self.rest();
        let space = rest.len() - rest.trim_start().len();
        let rest = &rest[space..];
        let style = self.style;
        let open = *self.open.last()?;
        if self.open.len() > 1
            && let Some(behind) = rest.strip_prefix(style.close.as_str())
        {
            self.at = self.text.len() - behind.len();
            self.open.pop();
            json.push(if open.is_object { '}' } else { ']' });
            return Some(());
        }
        let (key, behind) = match open.is_object {
            true => {
                let named = rest.strip_prefix(style.member.0.as_str())?;
                let (key, behind) = named.split_once(style.member.1[0].as_str())?;
                let behind = style.member.1[1..].iter().try_fold(behind, |behind, part| {
                    behind.trim_start().strip_prefix(part.as_str())
                })?;
                (Some(unescaped(key, style)), behind)
            }
            false => (None, rest.strip_prefix(style.item.0.as_str())?),
        };
        let value = value_style(style, behind)?;
        self.at = self.text.len() - (behind.len() - value.begin.len());
        self.searched = 0;
        self.next = Next::Value { key, style: value };
        Some(())
    }

    /// Opens an object or an array.
    fn container(
        &mut self,
        key: Option<String>,
        style: &'static ValueStyle,
        json: &mut String,
    ) -> Option<()> {
        self.begin(key.as_deref(), json);
        let is_object = style.types == "object";
        json.push(if is_object { '{' } else { '[' });
        self.open.push(Open { is_object, is_empty: true });
        self.next = Next::Member;
        Some(())
    }

    /// Reads a value with its end.
    fn value(
        &mut self,
        key: Option<String>,
        style: &'static ValueStyle,
        types: Option<&Types>,
        json: &mut String,
    ) -> Option<()> {
        let close = self.style.close.as_bytes();
        let rest = &self.text.as_bytes()[self.at..];
        let from = self.searched.saturating_sub(close.len());
        let Some(end) = memmem::find(&rest[from..], close) else {
            self.searched = rest.len();
            return None;
        };
        let end = from + end;
        let readings = readings(&self.text[self.at..self.at + end], style, self.style);
        self.at += end + close.len();
        self.searched = 0;
        self.next = Next::Member;
        let member = Member { key: key.clone().unwrap_or_default(), readings };
        match &mut self.together {
            Some(members) => members.push(member),
            None => {
                let any = Types::new(None);
                // Only members of the arguments themselves have texts whose type is not written down.
                let value = types.unwrap_or(&any).alone(member);
                self.begin(key.as_deref(), json);
                json.push_str(&value.to_string());
            }
        }
        Some(())
    }

    /// Writes the JSON before the value of a member or an item.
    fn begin(&mut self, key: Option<&str>, json: &mut String) {
        if let Some(open) = self.open.last_mut()
            && !std::mem::replace(&mut open.is_empty, false)
        {
            json.push(',');
        }
        if let Some(key) = key {
            json.push_str(&Value::from(key).to_string());
            json.push(':');
        }
    }
}

/// Returns a key without its escapes.
fn unescaped(key: &str, style: &MemberStyle) -> String {
    let mut text = String::new();
    let mut rest = key;
    while let Some(c) = rest.chars().next() {
        let escape = style.key_escapes.iter().find(|(_, escape)| rest.starts_with(escape.as_str()));
        let (c, length) = escape.map_or((c, c.len_utf8()), |(c, escape)| (*c, escape.len()));
        text.push(c);
        rest = &rest[length..];
    }
    text
}

/// Returns the style of the value at the start of a text. `None` if more text is needed.
fn value_style(style: &'static MemberStyle, text: &str) -> Option<&'static ValueStyle> {
    style.values.iter().find(|value| text.starts_with(value.begin.as_str()))
}

/// Returns the values that a text may denote, the likelier first.
fn readings(text: &str, value: &ValueStyle, style: &MemberStyle) -> Vec<Value> {
    let string = || {
        let mut own = text;
        if style.lines {
            own = own.strip_prefix('\n').unwrap_or(own);
            own = own.strip_suffix('\n').unwrap_or(own);
        }
        Value::from(own)
    };
    if value.types == "string" {
        return vec![string()];
    }
    let trimmed = text.trim();
    let literal = match &style.booleans {
        Some([no, _]) if trimmed == no => "false",
        Some([_, yes]) if trimmed == yes => "true",
        _ => trimmed,
    };
    let any = value.types == "any";
    // A string that may stand as its text never stands as JSON: `""` is two quotes.
    let parsed = grammarc_json::parse(literal).ok().filter(|value| !(any && value.is_string()));
    let text = (any || parsed.is_none()).then(string);
    parsed.into_iter().chain(text).collect()
}
