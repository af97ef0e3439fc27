//! The metadata values of a GGUF file by key. Errors name the missing key.

use candle_core::quantized::gguf_file::{Content, Value};

use crate::error::OpenError;

/// The metadata values of a GGUF file.
pub(crate) struct Metadata<'c> {
    content: &'c Content,
    /// Name of the model's architecture. The keys of hyperparameters begin with it.
    pub(crate) architecture: &'c str,
}

impl<'c> Metadata<'c> {
    pub(crate) fn new(content: &'c Content) -> Result<Self, OpenError> {
        let architecture = text(content, "general.architecture")?;
        Ok(Self { content, architecture })
    }

    /// Returns the value of a full key. `None` if it is absent.
    pub(crate) fn get(&self, key: &str) -> Option<&'c Value> {
        self.content.metadata.get(key)
    }

    /// Returns the text with a full key. Fails if it is absent or no text.
    pub(crate) fn text(&self, key: &str) -> Result<&'c str, OpenError> {
        text(self.content, key)
    }

    /// Returns the list with a full key. Fails if it is absent or no list.
    pub(crate) fn list(&self, key: &str) -> Result<&'c [Value], OpenError> {
        let list = self.get(key).and_then(|value| value.to_vec().ok());
        list.map(Vec::as_slice).ok_or_else(|| missing(key, "list"))
    }

    /// Returns the non-negative integer with a full key, such as a token id. `None` if it is absent
    /// or exceeds 32 bits.
    pub(crate) fn index(&self, key: &str) -> Option<u32> {
        self.get(key).and_then(|value| u32::try_from(integer(value)?).ok())
    }

    /// Returns the integer with the key `<architecture>.<key>`. Fails if it is absent or negative.
    pub(crate) fn size(&self, key: &str) -> Result<usize, OpenError> {
        let key = format!("{}.{key}", self.architecture);
        let size = self.get(&key).and_then(|value| usize::try_from(integer(value)?).ok());
        size.ok_or_else(|| missing(&key, "number"))
    }

    /// Returns the number with the key `<architecture>.<key>`. `None` if it is absent.
    pub(crate) fn number(&self, key: &str) -> Option<f32> {
        let value = self.get(&format!("{}.{key}", self.architecture))?;
        value.to_f32().ok().or_else(|| value.to_f64().ok().map(|number| number as f32))
    }

    /// Returns the text with the key `<architecture>.<key>`. `None` if it is absent.
    pub(crate) fn word(&self, key: &str) -> Option<&'c str> {
        let value = self.get(&format!("{}.{key}", self.architecture))?;
        value.to_string().ok().map(String::as_str)
    }
}

fn text<'c>(content: &'c Content, key: &str) -> Result<&'c str, OpenError> {
    let value = content.metadata.get(key).and_then(|value| value.to_string().ok());
    value.map(String::as_str).ok_or_else(|| missing(key, "text"))
}

fn missing(key: &str, kind: &'static str) -> OpenError {
    OpenError::Value { key: key.to_owned(), kind }
}

/// Returns an integer value of any width. `None` if the value is negative or no integer.
fn integer(value: &Value) -> Option<u64> {
    match value {
        Value::U8(number) => Some(u64::from(*number)),
        Value::U16(number) => Some(u64::from(*number)),
        Value::U32(number) => Some(u64::from(*number)),
        Value::U64(number) => Some(*number),
        Value::I8(number) => u64::try_from(*number).ok(),
        Value::I16(number) => u64::try_from(*number).ok(),
        Value::I32(number) => u64::try_from(*number).ok(),
        Value::I64(number) => u64::try_from(*number).ok(),
        _ => None,
    }
}
