//! Objects whose members are written as tags, as some families of models write the arguments of a call.
//!
//! ```text
//! <parameter=city>Paris</parameter><parameter=days>3</parameter>
//! before  after   close
//! ```
//!
//! A [`TagForm`] gives the notation of a member; the schema decides which members exist, as for JSON. Each type of
//! value has one [`ValueForm`]. If the family writes the type, it is therefore the type of the value. Strings are
//! written raw: they cannot contain the text that ends them.

use crate::values::types::TypeSet;
use grammarc_grammar::ir::Expr;

/// The values of a schema that are written, and how.
#[derive(Clone, Copy, Debug)]
pub enum Root<'a> {
    /// All of them, as JSON.
    Value,
    /// The objects, as JSON.
    Object,
    /// Objects whose members are tags; with `all`, also the other types that the schema allows.
    Tags {
        /// The notation of members.
        form: &'a TagForm,
        /// Whether values other than objects are allowed.
        all: bool,
    },
}

impl<'a> Root<'a> {
    /// The notation of members that are tags.
    pub(crate) fn tags(self) -> Option<&'a TagForm> {
        match self {
            Self::Tags { form, .. } => Some(form),
            Self::Value | Self::Object => None,
        }
    }
}

/// The notation of objects as tags.
#[derive(Clone, Debug)]
pub struct TagForm {
    /// The notation of keys.
    pub keys: KeyForm,
    /// The texts around an item of an array whose items are written as tags.
    pub item: [Expr; 2],
    /// The notation of values, by type.
    pub values: Vec<ValueForm>,
    /// `false` and `true`.
    pub booleans: [Expr; 2],
    /// After a value.
    pub close: Expr,
    /// Any string up to and including the text that ends it.
    pub any_string: Expr,
    /// The text that ends a value.
    pub close_text: String,
    /// Whether a string may have a line end before it and one after it that are not part of it.
    pub lines: bool,
    /// Longest run of whitespace between tags, and around a value other than a string.
    pub space: u32,
}

/// The notation of keys in tags.
#[derive(Clone, Debug)]
pub struct KeyForm {
    /// Before a key.
    pub before: Expr,
    /// After a key.
    pub after: Expr,
    /// The texts around the key of an end tag, if values end with one. Then only declared keys are allowed, because a
    /// grammar cannot require two other keys to be equal.
    pub again: Option<[Expr; 2]>,
    /// Characters that no key may have.
    pub excluded: String,
    /// Characters that are escaped, with their escapes.
    pub escapes: Vec<(char, String)>,
}

/// The notation of values of some types.
#[derive(Clone, Debug)]
pub struct ValueForm {
    /// The types whose values are written in this form.
    pub types: TypeSet,
    /// Between key and value.
    pub begin: Expr,
    /// Whether arrays and objects are tags as well, instead of JSON.
    pub nested: bool,
}

impl KeyForm {
    /// The text of a key. `None` if the key cannot be written.
    pub(crate) fn text(&self, key: &str) -> Option<String> {
        let mut written = String::with_capacity(key.len());
        for c in key.chars() {
            match self.escapes.iter().find(|(escaped, _)| *escaped == c) {
                Some((_, text)) => written.push_str(text),
                None if self.excluded.contains(c) || c.is_control() => return None,
                None => written.push(c),
            }
        }
        Some(written)
    }

    /// Returns a pattern of the keys without escaped characters.
    pub(crate) fn pattern(&self) -> String {
        let escaped = self.escapes.iter().map(|(c, _)| *c);
        let others = self.excluded.chars().chain(escaped);
        let others: String = others.map(|c| format!("\\u{:04x}", c as u32)).collect();
        format!("^[^{others}\\u0000-\\u001f\\u007f-\\u009f]+$")
    }
}
