//! Objects whose members are written as tags, as some families of models write the arguments of a call.
//!
//! ```text
//! <parameter=city>Paris</parameter><parameter=days>3</parameter>
//! before  after   close
//!
//! {city:<|"|>Paris<|"|>,days:3}        with brackets, a separator, and texts around strings
//! ```
//!
//! A [`TagForm`] gives the notation of a member; the schema decides which members exist, as for JSON. Each type of
//! value has one [`ValueForm`]. If the notation includes the type, that text therefore gives the type of the value.
//! Strings are written without quotes and escapes, so they cannot contain the text that ends them. Only families that
//! write calls in Python have quotes.

use crate::text_form::prelude::space;
use crate::values::types::TypeSet;
use grammarc_grammar::ir::Expr;

/// Which values of a schema are written, and whether as JSON or as tags.
#[derive(Clone, Copy, Debug, Default)]
pub enum Root<'a> {
    /// All values of the schema, as JSON.
    #[default]
    Value,
    /// Only the objects of the schema, as JSON.
    Object,
    /// The objects of the schema, with their members as tags.
    Tags {
        /// How members are written as tags.
        form: &'a TagForm,
        /// Whether the values that are no objects are also allowed.
        all: bool,
    },
}

impl<'a> Root<'a> {
    /// Returns how members are written as tags, or `None` for JSON.
    pub(crate) fn tags(self) -> Option<&'a TagForm> {
        match self {
            Self::Tags { form, .. } => Some(form),
            Self::Value | Self::Object => None,
        }
    }
}

/// The notation of objects whose members are written as tags, with one tag for each member.
#[derive(Clone, Debug)]
pub struct TagForm {
    /// How keys are written in tags.
    pub keys: KeyForm,
    /// The texts before and after an item of an array whose items are written as tags.
    pub item: [Expr; 2],
    /// The texts before and after all members of an object.
    pub objects: [Expr; 2],
    /// The texts before and after all items of an array.
    pub arrays: [Expr; 2],
    /// The text between two members or items, without the whitespace around it.
    pub separator: Expr,
    /// How values are written between tags, with one entry for each group of types.
    pub values: Vec<ValueForm>,
    /// The text of `null`.
    pub null: Expr,
    /// The texts of `false` and of `true`, in this order.
    pub booleans: [Expr; 2],
    /// The notation of arrays and objects within a value, if it differs. Their values have the same notation.
    pub within: Option<Box<Self>>,
    /// Whether one line end before a string and one after it are not part of the string, and one may follow the last tag.
    pub lines: bool,
    /// Most characters of a run of whitespace between tags, and around a value other than a string.
    pub space: u32,
}

impl TagForm {
    /// Returns the notation of arrays and objects within a value.
    pub(crate) fn within(&self) -> &Self {
        self.within.as_deref().unwrap_or(self)
    }

    /// Returns the grammar expression of the text between two tags: whitespace, and the separator if there is one.
    pub(crate) fn between(&self) -> Expr {
        match &self.separator {
            Expr::Empty => space(self.space),
            separator => Expr::seq([space(self.space), separator.clone(), space(self.space)]),
        }
    }

    /// Returns the grammar expression of the whitespace after the last tag. If tags stand on lines of their own, the line
    /// end of the last one is allowed beyond the bound on whitespace, because families write it before the end of a call.
    pub(crate) fn end(&self) -> Expr {
        match self.lines {
            true => Expr::seq([space(self.space), Expr::byte(b'\n').optional()]),
            false => space(self.space),
        }
    }
}

/// How keys are written in tags.
#[derive(Clone, Debug)]
pub struct KeyForm {
    /// The text before a key, as a grammar expression.
    pub before: Expr,
    /// The text between a key and the beginning of its value.
    pub after: Expr,
    /// Other texts before and after a key that the schema names.
    pub other: Option<[Expr; 2]>,
    /// The texts before and after the key of an end tag, if values end with one. Then only declared keys are allowed,
    /// because a grammar cannot require two arbitrary keys to be equal.
    pub again: Option<[Expr; 2]>,
    /// Characters that no key written in a tag may contain.
    pub excluded: String,
    /// Characters that are escaped in keys, each with its escape.
    pub escapes: Vec<(char, String)>,
    /// The texts around keys with excluded characters. `None` if such keys cannot be written.
    pub quotes: Option<Quotes>,
}

/// The texts around a key that cannot be written verbatim.
#[derive(Clone, Debug)]
pub struct Quotes {
    /// The text before the key, as a grammar expression.
    pub open: Expr,
    /// The text after the key, as a grammar expression.
    pub close: Expr,
    /// The text after the key. No key contains it.
    pub close_text: String,
}

/// How the values of some types are written between tags.
#[derive(Clone, Debug)]
pub struct ValueForm {
    /// The types whose values are written in this form.
    pub types: TypeSet,
    /// The text that begins a value of these types, after the key.
    pub begin: Expr,
    /// The text that ends a value of these types, such as an end tag.
    pub close: Expr,
    /// The text that ends a value. No string contains it.
    pub close_text: String,
    /// Any string without quotes and escapes, up to and including the text that ends it.
    pub any_string: Expr,
    /// Whether `begin` and `close` belong to the value, and not to the tag of its member. Then a value that is no member
    /// has them as well.
    pub is_delimited: bool,
    /// Whether arrays and objects are written as tags as well, instead of JSON.
    pub nested: bool,
    /// Whether strings are literals of Python, between quotes and with escapes. Then `close` belongs to no string.
    pub is_quoted: bool,
}

impl KeyForm {
    /// Returns the text of a key in a tag, or `None` if the key cannot be written in a tag.
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

    /// Returns the text of a key between quotes, or `None` if the key cannot be written so.
    pub(crate) fn quoted<'k>(&self, key: &'k str) -> Option<(&Quotes, &'k str)> {
        let quotes = self.quotes.as_ref()?;
        (!key.contains(&quotes.close_text)).then_some((quotes, key))
    }

    /// Returns a pattern of the keys that a tag can contain verbatim: without control characters, and without the
    /// characters of `excluded` and `escapes`.
    pub(crate) fn pattern(&self) -> String {
        let escaped = self.escapes.iter().map(|(c, _)| *c);
        let others = self.excluded.chars().chain(escaped);
        let others: String = others.map(|c| format!("\\u{:04x}", c as u32)).collect();
        format!("^[^{others}\\u0000-\\u001f\\u007f-\\u009f]+$")
    }
}
