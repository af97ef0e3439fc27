//! Objects whose members are written as tags, as some families of models write the arguments of a call.
//!
//! ```text
//! <parameter=city>Paris</parameter><parameter=days>3</parameter>
//! before  after   close
//! ```
//!
//! A [`TagForm`] says how a member is written; which members there are is the schema's affair, as for JSON. Of a value's
//! types, each is written in one [`ValueForm`], so that where the family writes the type down, it is that of the value.
//! Strings stand as they are: they cannot hold the text that ends them.

use crate::values::types::TypeSet;
use grammarc_grammar::ir::Expr;

/// The values of a schema that are written, and how.
#[derive(Clone, Copy, Debug)]
pub enum Root<'a> {
    /// All of them, as JSON.
    Value,
    /// The objects, as JSON.
    Object,
    /// Values whose members are tags: the objects; with `all` also what else the schema names.
    Tags {
        /// How members are written.
        form: &'a TagForm,
        /// Whether values may be others than objects.
        all: bool,
    },
}

impl<'a> Root<'a> {
    /// How members are written that are tags.
    pub(crate) fn tags(self) -> Option<&'a TagForm> {
        match self {
            Self::Tags { form, .. } => Some(form),
            Self::Value | Self::Object => None,
        }
    }
}

/// How objects are written as tags.
#[derive(Clone, Debug)]
pub struct TagForm {
    /// Before a key.
    pub before_key: Expr,
    /// Behind a key.
    pub after_key: Expr,
    /// The text before an item of an array whose items are written as tags.
    pub before_item: Expr,
    /// The text behind the end of such an item.
    pub after_item: Expr,
    /// The texts around the key of an end tag, where values end with one. Keys are those that the schema names then: a
    /// grammar cannot say that two others are equal.
    pub key_again: Option<[Expr; 2]>,
    /// How values are written, by their types.
    pub values: Vec<ValueForm>,
    /// `false` and `true`.
    pub booleans: [Expr; 2],
    /// Behind a value.
    pub close: Expr,
    /// Any string up to the text that ends it, and that.
    pub any_string: Expr,
    /// The text that ends a value.
    pub close_text: String,
    /// Whether a string may have a line end before it and one behind it that are no part of it.
    pub lines: bool,
    /// Longest run of whitespace between tags, and around a value that is no string.
    pub space: u32,
    /// Characters that no key may have.
    pub not_in_keys: String,
    /// Characters of keys that others stand for.
    pub key_escapes: Vec<(char, String)>,
}

/// How values of some types are written.
#[derive(Clone, Debug)]
pub struct ValueForm {
    /// The types whose values are written in this form.
    pub types: TypeSet,
    /// Between key and value.
    pub begin: Expr,
    /// Whether arrays and objects are tags again, instead of JSON.
    pub nested: bool,
}

impl TagForm {
    /// A key as it is written; none where it cannot be.
    pub(crate) fn key(&self, key: &str) -> Option<String> {
        let mut written = String::with_capacity(key.len());
        for c in key.chars() {
            match self.key_escapes.iter().find(|(escaped, _)| *escaped == c) {
                Some((_, text)) => written.push_str(text),
                None if self.not_in_keys.contains(c) || c.is_control() => return None,
                None => written.push(c),
            }
        }
        Some(written)
    }

    /// A pattern of keys that no character stands in for.
    pub(crate) fn keys(&self) -> String {
        let escaped = self.key_escapes.iter().map(|(c, _)| *c);
        let others = self.not_in_keys.chars().chain(escaped);
        let others: String = others.map(|c| format!("\\u{:04x}", c as u32)).collect();
        format!("^[^{others}\\u0000-\\u001f\\u007f-\\u009f]+$")
    }
}
