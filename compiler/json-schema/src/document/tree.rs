//! The document as serde_json reads it. The text is checked if the scanner is not sure, and parsed into values only for
//! the reference library.

use std::cell::OnceCell;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// A JSON text, parsed into values on first use.
#[derive(Debug)]
pub struct Tree<'s> {
    /// The JSON text that is parsed.
    text: &'s str,
    /// The JSON value of the text, once it is parsed.
    value: OnceCell<Value>,
}

impl<'s> Tree<'s> {
    /// Wraps a text that is known to be JSON.
    pub(super) fn new(text: &'s str) -> Self {
        Self { text, value: OnceCell::new() }
    }

    /// Returns the JSON value of the text, and parses the text on first use.
    pub(crate) fn value(&self) -> &Value {
        self.value.get_or_init(|| serde_json::from_str(self.text).unwrap_or_default())
    }
}

/// Checks that a text is JSON, and returns the error of serde_json if it is not.
pub(super) fn check(text: &str) -> Result<(), serde_json::Error> {
    serde_json::from_str(text).map(|Checked| ())
}

/// The result of checking a value without building it. The check takes the same steps as reading a [`Value`], because
/// serde's `IgnoredAny` would accept lone surrogates.
struct Checked;

impl<'de> Deserialize<'de> for Checked {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Checked {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        while members.next_entry::<Self, Self>()?.is_some() {}
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checking accepts exactly the texts that can later be read as values.
    #[test]
    fn texts_are_checked_as_values_are_read() {
        let texts = [
            r#"{"a": [1, -2.5e3, 1e999, "x\u00e9\n", null, true, false], "b": {}}"#,
            r#"{"a": 1, "a": 2}"#,
            r#""\ud800""#,
            r#""\ud83d\ude00""#,
            r#"{"\ud800": 1}"#,
            r#"{"a": 01}"#,
            r#"{1: 2}"#,
            r#"{"a" 1}"#,
            "[1,]",
            "[1",
            "nul",
            "1 2",
            "",
            "123456789012345678901234567890",
            "\"\u{1}\"",
        ];
        let deep = "[".repeat(200);
        for text in texts.into_iter().chain([&*deep]) {
            let read: Result<Value, _> = serde_json::from_str(text);
            match (check(text), read) {
                (Ok(()), Ok(value)) => assert_eq!(*Tree::new(text).value(), value, "{text}"),
                (Err(ours), Err(theirs)) => assert_eq!(ours.to_string(), theirs.to_string()),
                (ours, theirs) => panic!("{text}: {ours:?} and {theirs:?}"),
            }
        }
    }
}
