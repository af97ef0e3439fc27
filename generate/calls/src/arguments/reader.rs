//! Reads the arguments of one tool call in tags, and converts its members to JSON.
//!
//! In some notations, brackets are around members and items, and separators between them. Other notations have tags
//! alone, and the arguments have no brackets.
//!
//! The stack of open containers is on the heap, so nested values need no recursion. Each step reads
//! one whole lexeme or waits for more text. A lexeme is a member up to its value, a value with its
//! end, or the end of a container.

use std::sync::Arc;

use grammarc_compiler::frontend::structural_tag::{MemberStyle, ValueStyle};
use memchr::memmem;
use serde_json::Value;

use super::elements::Elements;
use super::literals;
use super::types::{Member, Types};

/// An object or array whose end was not read yet.
#[derive(Clone, Copy, Debug)]
struct Open {
    is_object: bool,
    /// Whether the container has no member or item yet.
    is_empty: bool,
}

/// The kind of lexeme that the reader expects next.
#[derive(Clone, Debug)]
enum Next {
    /// The bracket before the members of the arguments, if the notation has brackets.
    Begin,
    /// The start of a member or an item, or the end of the container.
    Member,
    /// A value: of the member with the key `key`, or of an item if `key` is `None`. `style` is the index of its notation.
    Value { key: Option<Arc<str>>, style: usize },
    /// Nothing: the arguments have ended.
    End,
}

/// A reader of the arguments of one tool call.
#[derive(Debug)]
pub(super) struct Reader {
    style: Arc<MemberStyle>,
    text: String,
    /// Number of bytes of `text` that were read.
    at: usize,
    /// Number of unread bytes that were searched for the end of the value, without success.
    searched: usize,
    open: Vec<Open>,
    next: Next,
    /// Whether the JSON of a string was begun whose end was not read yet.
    in_string: bool,
    /// The members that were read, if all are written at the end of the call. `None` if each member
    /// is written at once.
    together: Option<Vec<Member>>,
    /// The elements of the arguments, in notations whose values are elements at any depth. `None` in other notations.
    elements: Option<Elements>,
}

impl Reader {
    /// Creates a reader before the first byte of the arguments. `together` defers the members to
    /// the end of the call.
    pub(super) fn new(style: Arc<MemberStyle>, together: bool) -> Self {
        let elements = style.key_again.is_some().then(|| Elements::new(together));
        // Other notations whose values are tags state the types, so no value depends on a schema.
        let together = together && !style.values.iter().any(|value| value.nested);
        Self {
            style,
            text: String::new(),
            at: 0,
            searched: 0,
            open: Vec::new(),
            next: Next::Begin,
            in_string: false,
            together: together.then(Vec::new),
            elements,
        }
    }

    /// Reads more text. Returns the JSON that is certain, whatever text follows.
    pub(super) fn push(&mut self, text: &str, types: Option<&Types>) -> String {
        self.text.push_str(text);
        let mut json = String::new();
        let are_kept = self.elements.as_ref().is_some_and(Elements::are_kept);
        if self.open.is_empty() && self.together.is_none() && !are_kept {
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

    /// Ends the call. Returns the rest of its JSON.
    pub(super) fn finish(mut self, types: Option<&Types>) -> String {
        let any = Types::new(None);
        let types = types.unwrap_or(&any);
        if let Some(elements) = self.elements.take().filter(Elements::are_kept) {
            return Value::Object(elements.object(types, &self.style)).to_string();
        }
        match self.together.take() {
            Some(members) => Value::Object(types.together(&members)).to_string(),
            None if self.open.is_empty() => "{}".to_owned(),
            None if self.style.is_python() => literals::word(self.rest().trim()) + "}",
            None => "}".to_owned(),
        }
    }

    /// Reads the next lexeme. `None` if more text is needed.
    fn step(&mut self, types: Option<&Types>, json: &mut String) -> Option<()> {
        if self.style.suffix.is_some() {
            // The first marker has the suffix of all markers.
            self.style = Arc::new(self.style.with_suffix_of(self.rest().trim_start())?);
        }
        let style = Arc::clone(&self.style);
        if self.elements.is_some() {
            return self.element(types, json);
        }
        if style.is_python() {
            let lexeme = literals::next(&self.text[self.at..], &mut self.searched)?;
            self.at += lexeme.length;
            json.push_str(&lexeme.json);
            return Some(());
        }
        match self.next.clone() {
            Next::Begin => self.begin_arguments(),
            Next::End => None,
            Next::Member => self.member(&style, json),
            Next::Value { key, style: value } => {
                let value = &style.values[value];
                match value.nested {
                    true => self.container(key, value, json),
                    false => self.value(&style, value, key, types, json),
                }
            }
        }
    }

    /// Returns the text that was not read yet.
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Reads the text up to the next start or end tag of an element, with the tag. Appends the JSON
    /// of a member that the tag closes to `json`. `types` are those of the tool's schema. `None` if
    /// more text is needed.
    fn element(&mut self, types: Option<&Types>, json: &mut String) -> Option<()> {
        let elements = self.elements.as_mut()?;
        match elements.step(&self.text[self.at..], self.searched, &self.style) {
            Err(searched) => {
                self.searched = searched;
                None
            }
            Ok((read, member)) => {
                self.at += read;
                self.searched = 0;
                let any = Types::new(None);
                let member = member.map(|member| member.member(types.unwrap_or(&any), &self.style));
                for (key, value) in member.into_iter().flatten() {
                    self.begin(Some(&key), json);
                    json.push_str(&value.to_string());
                }
                Some(())
            }
        }
    }

    /// Reads the bracket before the members of the arguments. `None` if more text is needed.
    fn begin_arguments(&mut self) -> Option<()> {
        let rest = self.rest().trim_start();
        let behind = rest.strip_prefix(self.style.objects[0].as_str())?;
        self.at = self.text.len() - behind.len();
        self.next = Next::Member;
        Some(())
    }

    /// Reads the start of a member up to its value, or the end of the container. `None` if more
    /// text is needed.
    fn member(&mut self, style: &MemberStyle, json: &mut String) -> Option<()> {
        let unread = self.text.len() - self.at;
        if !self.may_end_key(style) {
            self.searched = unread;
            return None;
        }
        let rest = self.rest().trim_start();
        let open = *self.open.last()?;
        if let Some(behind) =
            end(style, open, self.open.len()).and_then(|end| rest.strip_prefix(end))
        {
            self.at = self.text.len() - behind.len();
            if self.open.len() == 1 {
                // The JSON of the arguments is closed at the end of the call.
                self.next = Next::End;
                return Some(());
            }
            self.open.pop();
            json.push(if open.is_object { '}' } else { ']' });
            return Some(());
        }
        let rest = match open.is_empty {
            true => rest,
            false => rest.strip_prefix(style.separator.as_str())?.trim_start(),
        };
        let (key, behind) = match open.is_object {
            true => {
                let named = rest.strip_prefix(style.member.0.as_str())?;
                let Some((key, behind)) = key(named, style) else {
                    if !named.is_empty() {
                        self.searched = unread;
                    }
                    return None;
                };
                let behind = style.member.1[1..].iter().try_fold(behind, |behind, part| {
                    behind.trim_start().strip_prefix(part.as_str())
                })?;
                (Some(Arc::from(key)), behind)
            }
            false => (None, rest.strip_prefix(style.item.0.as_str())?),
        };
        let behind = match style.has_brackets() {
            true => behind.trim_start(),
            false => behind,
        };
        let value = value_style(style, behind)?;
        self.at = self.text.len() - (behind.len() - style.values[value].begin.len());
        self.searched = 0;
        self.next = Next::Value { key, style: value };
        Some(())
    }

    /// Whether the unread text may contain the end of the key that is being read. Searches only the
    /// bytes that no earlier call has searched. If `false`, more text is needed.
    fn may_end_key(&self, style: &MemberStyle) -> bool {
        let quote = style.key_quotes.as_ref().map(|[_, close]| close);
        let mut ends = [&style.member.1[0]].into_iter().chain(quote);
        self.searched == 0
            || ends.any(|end| {
                let from = self.searched.saturating_sub(end.len());
                memmem::find(&self.rest().as_bytes()[from..], end.as_bytes()).is_some()
            })
    }

    /// Opens an object or an array, which is the value of the member `key` or an item.
    fn container(
        &mut self,
        key: Option<Arc<str>>,
        style: &ValueStyle,
        json: &mut String,
    ) -> Option<()> {
        self.begin(key.as_deref(), json);
        let is_object = match self.style.has_brackets() {
            true => self.rest().starts_with(self.style.objects[0].as_str()),
            false => style.types == "object",
        };
        if self.style.has_brackets() {
            let [objects, arrays] = [&self.style.objects[0], &self.style.arrays[0]];
            self.at += if is_object { objects.len() } else { arrays.len() };
        }
        json.push(if is_object { '{' } else { '[' });
        self.open.push(Open { is_object, is_empty: true });
        self.next = Next::Member;
        Some(())
    }

    /// Reads a value through its end. `of` is the notation of the arguments, and `style` that of the
    /// value. `None` if more text is needed.
    fn value(
        &mut self,
        of: &MemberStyle,
        style: &ValueStyle,
        key: Option<Arc<str>>,
        types: Option<&Types>,
        json: &mut String,
    ) -> Option<()> {
        let close = style.close.as_ref().unwrap_or(&of.close).as_bytes();
        let rest = &self.text.as_bytes()[self.at..];
        let from = self.searched.saturating_sub(close.len());
        let end = match close.is_empty() {
            // The separator or bracket behind the value ends it.
            true => rest[from..].iter().position(|byte| of.ends_value(*byte)),
            false => memmem::find(&rest[from..], close),
        };
        let Some(end) = end else {
            self.searched = rest.len();
            if self.streams(key.as_deref(), style, types) {
                self.begin_string(key.as_deref(), json);
                let to = self.at + self.certain(close);
                self.string(to, json);
            }
            return None;
        };
        let end = from + end;
        if self.in_string {
            let text = &self.text[self.at..self.at + end];
            let own = if of.lines { text.strip_suffix('\n').unwrap_or(text) } else { text };
            let behind = self.at + end + close.len();
            self.string(self.at + own.len(), json);
            json.push('"');
            (self.at, self.searched, self.in_string) = (behind, 0, false);
            self.next = Next::Member;
            return Some(());
        }
        let readings = readings(&self.text[self.at..self.at + end], style, of);
        self.at += end + close.len();
        self.searched = 0;
        self.next = Next::Member;
        let member = Member { key: key.as_deref().unwrap_or_default().to_owned(), readings };
        match &mut self.together {
            Some(members) => members.push(member),
            None => {
                let any = Types::new(None);
                // Only direct members of the arguments have texts whose type the notation does not
                // state.
                let value = types.unwrap_or(&any).alone(member);
                self.begin(key.as_deref(), json);
                json.push_str(&value.to_string());
            }
        }
        Some(())
    }

    /// Whether the value in progress is a string, whatever its text is, and may be written before
    /// its end is read.
    fn streams(&self, key: Option<&str>, style: &ValueStyle, types: Option<&Types>) -> bool {
        let is_direct = self.open.len() == 1;
        let by_schema = || {
            let key = key.filter(|_| is_direct && style.types == "any");
            key.is_some_and(|key| types.is_some_and(|types| types.is_string(key)))
        };
        self.in_string || (self.together.is_none() && (style.types == "string" || by_schema()))
    }

    /// Begins the JSON of a string, unless it has begun or no text of it was read. Skips a line end
    /// before the string that is not part of it.
    fn begin_string(&mut self, key: Option<&str>, json: &mut String) {
        if self.in_string || self.rest().is_empty() {
            return;
        }
        self.in_string = true;
        if self.style.lines && self.rest().starts_with('\n') {
            self.at += 1;
        }
        self.begin(key, json);
        json.push('"');
    }

    /// Returns the number of unread bytes that are certain to belong to the string in progress. The
    /// others may begin its end, or the line end before that.
    fn certain(&self, close: &[u8]) -> usize {
        let rest = self.rest().as_bytes();
        let may_end = |held: &[u8]| {
            let held = match self.style.lines {
                true => held.strip_prefix(b"\n").unwrap_or(held),
                false => held,
            };
            close.starts_with(held)
        };
        let from = rest.len().saturating_sub(close.len());
        (from..rest.len()).find(|&at| may_end(&rest[at..])).unwrap_or(rest.len())
    }

    /// Writes the unread text up to `to` as text of the string in progress.
    fn string(&mut self, to: usize, json: &mut String) {
        let quoted = Value::from(&self.text[self.at..to]).to_string();
        json.push_str(&quoted[1..quoted.len() - 1]);
        self.searched = self.searched.saturating_sub(to - self.at);
        self.at = to;
    }

    /// Writes the JSON that precedes the value of a member or an item: comma, key and colon.
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

/// Returns the text that ends a container, of `depth` open ones the innermost. `None` for arguments without brackets.
fn end(style: &MemberStyle, open: Open, depth: usize) -> Option<&str> {
    match (style.has_brackets(), open.is_object) {
        (true, true) => Some(&style.objects[1]),
        (true, false) => Some(&style.arrays[1]),
        (false, _) => (depth > 1).then_some(style.close.as_str()),
    }
}

/// Reads a key, quoted or not, and the delimiter after it. Returns the key with its escapes resolved, and the text after the
/// delimiter. `None` if more text is needed.
fn key<'t>(text: &'t str, style: &MemberStyle) -> Option<(String, &'t str)> {
    let quoted = style.key_quotes.as_ref().and_then(|[open, close]| {
        let quoted = text.strip_prefix(open.as_str())?;
        Some(quoted.split_once(close.as_str()))
    });
    let Some(quoted) = quoted else {
        let (key, behind) = text.split_once(style.member.1[0].as_str())?;
        return Some((unescaped(key, style), behind));
    };
    let (key, behind) = quoted?;
    let behind = behind.trim_start().strip_prefix(style.member.1[0].as_str())?;
    Some((key.to_owned(), behind))
}

/// Returns a key with its escapes resolved.
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

/// Returns the index of the notation of the value at the start of a text. `None` if more text is needed.
fn value_style(style: &MemberStyle, text: &str) -> Option<usize> {
    if !style.has_brackets() {
        return style.values.iter().position(|value| text.starts_with(value.begin.as_str()));
    }
    let is_container = [&style.objects[0], &style.arrays[0]]
        .into_iter()
        .any(|bracket| text.starts_with(bracket.as_str()));
    if is_container {
        return style.values.iter().position(|value| value.nested);
    }
    let is_begun =
        |value: &ValueStyle| !value.begin.is_empty() && text.starts_with(value.begin.as_str());
    if let Some(value) = style.values.iter().position(is_begun) {
        return Some(value);
    }
    // The text may still become the beginning of a value.
    let may_begin = style.values.iter().any(|value| value.begin.starts_with(text));
    let other = style.values.iter().position(|value| value.begin.is_empty() && !value.nested);
    other.filter(|_| !may_begin)
}

/// Returns the JSON values that a text may denote, the likelier first. There is at least one.
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
    // A string whose type is not stated is never written as JSON, so `""` is a string of two
    // quotes.
    let parsed = grammarc_json::parse(literal).ok().filter(|value| !(any && value.is_string()));
    let text = (any || parsed.is_none()).then(string);
    parsed.into_iter().chain(text).collect()
}
