//! Partial values: the value of an incomplete JSON text, while it arrives.
//!
//! ```text
//! parts ─ reader ─► events ─► the value so far, and what has changed in it
//!                                └─ parts: schemas of members and items ─► choices, violations
//! ```
//!
//! A change is never retracted. Numbers, literals and keys appear when they are complete, because
//! further text may change them. Strings grow by whole characters. A string whose texts the schema
//! lists appears when it is complete. Under a grammar of the schema, it appears when only one text
//! is possible. Containers are validated when they close, and the whole value at its end. The final
//! value equals that of the [strict parser](crate::parse).
//!
//! Cost: linear in the new text, plus one step for each level of its path, plus the validation of
//! closed parts.
//!
//! Tests: `tests.rs`; `tests/truncation.rs` of this crate.

mod parts;
mod reader;
#[cfg(test)]
mod tests;

use rustc_hash::FxHashSet;
use serde_json::{Map, Value};

use crate::scan::pointer_step;
use crate::schema::{JsonSchema, ValidationError};

use parts::{Parts, Step};
pub use reader::PartialError;
use reader::{Read, Reader};

/// A change of a partial value.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// A part was added: a scalar, the beginning of a string, or an empty container.
    Added {
        /// JSON pointer of the added part.
        pointer: String,
        /// The value of the part so far.
        value: Value,
    },
    /// A string has grown.
    Grew {
        /// JSON pointer of the string.
        pointer: String,
        /// The text that was appended to the string.
        delta: String,
    },
    /// A string or a container is complete.
    Closed {
        /// JSON pointer of the string or container.
        pointer: String,
        /// The violations of the part's own schema. `None` if it is valid or no schema is known for
        /// its path.
        violations: Option<ValidationError>,
    },
}

/// The value of an incomplete JSON text, which is read in parts.
///
/// ```
/// use grammarc_json::PartialJson;
///
/// let mut partial = PartialJson::new(None);
/// partial.push(r#"{"name": "Ada Lo"#)?;
/// assert_eq!(partial.value().unwrap()["name"], "Ada Lo");
/// assert!(!partial.is_complete("/name"));
/// partial.push(r#"velace", "born": 18"#)?;
/// assert!(partial.is_complete("/name") && partial.value().unwrap().get("born").is_none());
/// partial.push("15}")?;
/// assert_eq!(partial.finish()?["born"], 1815);
/// # Ok::<(), grammarc_json::PartialError>(())
/// ```
pub struct PartialJson {
    reader: Reader,
    parts: Option<Parts>,
    /// Whether a grammar of the schema constrains the text, so that it always becomes an instance.
    constrained: bool,
    value: Option<Value>,
    /// The path to the innermost open container, and then to its open or next part.
    path: Vec<Step>,
    /// The open containers, from the outermost. `Some` with the keys so far for an object, `None`
    /// for an array.
    open: Vec<Option<FxHashSet<String>>>,
    /// The string that is open. `None` outside of strings.
    string: Option<OpenString>,
    changes: Vec<Change>,
    reads: Vec<Read>,
    error: Option<PartialError>,
}

/// A string whose closing quote was not read yet.
struct OpenString {
    /// Text that was read and is not shown in the value yet.
    held: String,
    /// The texts that the schema lists for the string. `None` if it lists none.
    texts: Option<Vec<String>>,
    shown: bool,
}

impl PartialJson {
    /// Creates the state for an empty text. With a schema, parts of the value are validated when
    /// they are complete.
    pub fn new(schema: Option<JsonSchema>) -> Self {
        Self {
            reader: Reader::new(),
            parts: schema.map(Parts::new),
            constrained: false,
            value: None,
            path: Vec::new(),
            open: Vec::new(),
            string: None,
            changes: Vec::new(),
            reads: Vec::new(),
            error: None,
        }
    }

    /// Creates the state for a text that a grammar of the schema constrains. If the schema lists
    /// the texts of a string, the string is shown completely as soon as only one text is possible.
    /// If it becomes another text, that is an error.
    pub fn constrained(schema: JsonSchema) -> Self {
        Self { constrained: true, ..Self::new(Some(schema)) }
    }

    /// Reads the next part of the text, and returns the changes of the value.
    ///
    /// # Errors
    ///
    /// No JSON text starts with the text so far, a key occurs twice in one object, or a string
    /// contradicts the grammar. The value stays as before the error, and every later call returns
    /// the same error.
    pub fn push(&mut self, part: &str) -> Result<&[Change], PartialError> {
        self.changes.clear();
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        let mut reads = std::mem::take(&mut self.reads);
        let read = self.reader.push(part, &mut reads);
        let applied = reads.drain(..).try_for_each(|read| self.apply(read));
        self.reads = reads;
        if let Err(error) = applied.and(read) {
            self.error = Some(error.clone());
            return Err(error);
        }
        Ok(&self.changes)
    }

    /// Returns the value so far. `None` before its first part.
    pub fn value(&self) -> Option<&Value> {
        self.value.as_ref()
    }

    /// Whether the part at a JSON pointer exists and is complete.
    pub fn is_complete(&self, pointer: &str) -> bool {
        let is_there = self.value.as_ref().is_some_and(|value| value.pointer(pointer).is_some());
        let own = pointer_of(&self.path);
        let is_open = |depth: usize| pointer == pointer_of(&self.path[..depth]);
        let in_string = self.string.is_some() && pointer == own;
        is_there && !in_string && !(0..self.open.len()).any(is_open)
    }

    /// Ends the text and returns its value, which equals that of the strict parser.
    ///
    /// # Errors
    ///
    /// The text is not JSON.
    pub fn finish(mut self) -> Result<Value, PartialError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let mut reads = Vec::new();
        self.reader.finish(&mut reads)?;
        reads.into_iter().try_for_each(|read| self.apply(read))?;
        let missing = PartialError { at: 0, message: "the text has no value".to_owned() };
        self.value.ok_or(missing)
    }

    fn apply(&mut self, read: Read) -> Result<(), PartialError> {
        match read {
            Read::Open { is_object } => {
                let empty =
                    if is_object { Value::Object(Map::new()) } else { Value::Array(Vec::new()) };
                self.add(empty);
                self.open.push(is_object.then(FxHashSet::default));
                self.path.push(Step::Index(0));
            }
            Read::Close => {
                self.open.pop();
                self.path.pop();
                self.close();
                self.advance();
            }
            Read::Key(key) => {
                if let Some(Some(keys)) = self.open.last_mut()
                    && !keys.insert(key.clone())
                {
                    let message = format!("the key {key:?} occurs twice in one object");
                    return Err(PartialError { at: self.reader.at(), message });
                }
                if let Some(step) = self.path.last_mut() {
                    *step = Step::Key(key);
                }
            }
            Read::Begin => {
                let texts = self.parts.as_ref().and_then(|parts| parts.texts(&self.path));
                let shown = texts.is_none();
                self.string = Some(OpenString { held: String::new(), texts, shown });
                if shown {
                    self.add(Value::String(String::new()));
                }
            }
            Read::Text(text) => self.grow(text)?,
            Read::End => {
                match self.string.take() {
                    Some(OpenString { held, shown: false, .. }) => self.add(Value::String(held)),
                    Some(OpenString { held, texts: Some(texts), .. }) if !texts.contains(&held) => {
                        return Err(self.contradicted());
                    }
                    _ => {}
                }
                self.close();
                self.advance();
            }
            Read::Scalar(value) => {
                self.add(value);
                self.advance();
            }
        }
        Ok(())
    }

    /// Adds a value at the current path.
    fn add(&mut self, value: Value) {
        self.changes.push(Change::Added { pointer: pointer_of(&self.path), value: value.clone() });
        let Some((last, before)) = self.path.split_last() else {
            self.value = Some(value);
            return;
        };
        match (self.value.as_mut().and_then(|root| part_of(root, before)), last) {
            (Some(Value::Object(members)), Step::Key(key)) => {
                members.insert(key.clone(), value);
            }
            (Some(Value::Array(items)), Step::Index(_)) => items.push(value),
            // The reader opens a container before it reads its parts, so this case does not occur.
            _ => {}
        }
    }

    fn grow(&mut self, delta: String) -> Result<(), PartialError> {
        let Some(string) = &mut self.string else { return Ok(()) };
        if let Some(texts) = &string.texts {
            string.held.push_str(&delta);
            if !self.constrained {
                return Ok(());
            }
            let mut left = texts.iter().filter(|text| text.starts_with(&string.held));
            let only = left.next().filter(|_| left.next().is_none()).cloned();
            match only {
                Some(text) if !string.shown => {
                    string.shown = true;
                    self.add(Value::String(text));
                }
                None if string.shown => return Err(self.contradicted()),
                _ => {}
            }
            return Ok(());
        }
        if let Some(Value::String(text)) =
            self.value.as_mut().and_then(|root| part_of(root, &self.path))
        {
            text.push_str(&delta);
        }
        self.changes.push(Change::Grew { pointer: pointer_of(&self.path), delta });
        Ok(())
    }

    /// Returns the error for a string that differs from the text that was already shown.
    fn contradicted(&self) -> PartialError {
        let message =
            format!("the text at {:?} is none that its schema lists", pointer_of(&self.path));
        PartialError { at: self.reader.at(), message }
    }

    /// Records that the part at the current path is complete, with the violations of its schema.
    fn close(&mut self) {
        let value = self.value.as_mut().and_then(|root| part_of(root, &self.path));
        let violations = match (value, &mut self.parts) {
            (Some(value), Some(parts)) => parts.violations(&self.path, value),
            _ => None,
        };
        self.changes.push(Change::Closed { pointer: pointer_of(&self.path), violations });
    }

    /// Advances the path to the next item, if the innermost open container is an array.
    fn advance(&mut self) {
        if let (Some(None), Some(Step::Index(index))) = (self.open.last(), self.path.last_mut()) {
            *index += 1;
        }
    }
}

/// Returns the part of a value at a path. `None` if there is none.
fn part_of<'v>(root: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    path.iter().try_fold(root, |value, step| match step {
        Step::Key(key) => value.get_mut(key),
        Step::Index(index) => value.get_mut(*index),
    })
}

/// Returns the JSON pointer of a path.
fn pointer_of(path: &[Step]) -> String {
    let mut pointer = String::new();
    for step in path {
        pointer.push('/');
        match step {
            Step::Key(key) => pointer.push_str(&pointer_step(key)),
            Step::Index(index) => pointer.push_str(&index.to_string()),
        }
    }
    pointer
}
