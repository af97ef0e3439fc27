//! The fields of a request, read one by one, so that none is overlooked.
//!
//! Fields are removed from the object as they are read. A field that is left at the end is unknown and refused, with
//! the nearest known name. Fields that other servers have and that change no output here are accepted and listed.
//! `null` is the same as an absent field.
//!
//! Requests are read from plain values and not by derived types: with numbers of any precision, serde's flattened and
//! untagged types accept no numbers.

use serde_json::{Map, Number, Value};

use crate::error::ApiError;

/// An object of a request.
#[derive(Debug)]
pub(crate) struct Fields {
    /// The path of the object, empty or ending with a point.
    path: String,
    left: Map<String, Value>,
    /// Names that were read.
    known: Vec<&'static str>,
    /// Names of fields in the request without effect.
    ignored: Vec<&'static str>,
}

impl Fields {
    /// Returns the fields of a whole request.
    pub(crate) fn of_body(body: &[u8]) -> Result<Self, ApiError> {
        match serde_json::from_slice(body) {
            Ok(Value::Object(left)) => Ok(Self::new(String::new(), left)),
            Ok(_) => Err(ApiError::request("the body is no JSON object")),
            Err(error) => Err(ApiError::request(format!("the body is no JSON: {error}"))),
        }
    }

    /// Returns the fields of a nested object.
    pub(crate) fn of(path: &str, value: Value) -> Result<Self, ApiError> {
        match value {
            Value::Object(left) => Ok(Self::new(format!("{path}."), left)),
            _ => Err(ApiError::field(path, "it is no object")),
        }
    }

    fn new(path: String, left: Map<String, Value>) -> Self {
        Self { path, left, known: Vec::new(), ignored: Vec::new() }
    }

    /// Returns the path of a field.
    pub(crate) fn path(&self, name: &str) -> String {
        format!("{}{name}", self.path)
    }

    /// Returns an error at a field.
    pub(crate) fn wrong(&self, name: &str, message: impl Into<String>) -> ApiError {
        ApiError::field(self.path(name), message)
    }

    /// Takes a value.
    pub(crate) fn value(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        self.left.shift_remove(name).filter(|value| !value.is_null())
    }

    /// Takes an object.
    pub(crate) fn object(&mut self, name: &'static str) -> Result<Option<Self>, ApiError> {
        let path = self.path(name);
        self.value(name).map(|value| Self::of(&path, value)).transpose()
    }

    /// Takes a list.
    pub(crate) fn list(&mut self, name: &'static str) -> Result<Option<Vec<Value>>, ApiError> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::Array(items)) => Ok(Some(items)),
            Some(_) => Err(self.wrong(name, "it is no list")),
        }
    }

    /// Takes a text.
    pub(crate) fn text(&mut self, name: &'static str) -> Result<Option<String>, ApiError> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(name, "it is no string")),
        }
    }

    /// Takes a flag.
    pub(crate) fn flag(&mut self, name: &'static str) -> Result<Option<bool>, ApiError> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(_) => Err(self.wrong(name, "it is neither true nor false")),
        }
    }

    /// Takes a number.
    pub(crate) fn number(&mut self, name: &'static str) -> Result<Option<f32>, ApiError> {
        match self.value(name) {
            None => Ok(None),
            Some(value) => match value.as_f64() {
                Some(number) => Ok(Some(number as f32)),
                None => Err(self.wrong(name, "it is no number")),
            },
        }
    }

    /// Takes a whole number that is not negative.
    pub(crate) fn whole(&mut self, name: &'static str) -> Result<Option<u64>, ApiError> {
        match self.value(name) {
            None => Ok(None),
            Some(value) => match value.as_u64() {
                Some(number) => Ok(Some(number)),
                None => Err(self.wrong(name, "it is no whole number from 0 on")),
            },
        }
    }

    /// Takes an integer.
    pub(crate) fn integer(&mut self, name: &'static str) -> Result<Option<i128>, ApiError> {
        match self.value(name) {
            None => Ok(None),
            Some(value) => match value.as_number().and_then(Number::as_i128) {
                Some(number) => Ok(Some(number)),
                None => Err(self.wrong(name, "it is no integer")),
            },
        }
    }

    /// Returns a value without removing it.
    pub(crate) fn peek(&self, name: &str) -> Option<&Value> {
        self.left.get(name).filter(|value| !value.is_null())
    }

    /// Notes that a part of the request has no effect.
    pub(crate) fn note_ignored(&mut self, name: &'static str) {
        self.ignored.push(name);
    }

    /// Takes one of some words and returns its value. `wrong` is the message for any other word.
    pub(crate) fn word<T: Copy>(
        &mut self,
        name: &'static str,
        words: &[(&str, T)],
        wrong: &str,
    ) -> Result<Option<T>, ApiError> {
        let Some(given) = self.text(name)? else { return Ok(None) };
        let found = words.iter().find(|(word, _)| *word == given).map(|(_, meant)| *meant);
        found.map(Some).ok_or_else(|| self.wrong(name, wrong))
    }

    /// Takes fields that have no effect, and notes them as ignored.
    pub(crate) fn ignore(&mut self, names: &[&'static str]) {
        for &name in names {
            if self.value(name).is_some() {
                self.ignored.push(name);
            }
        }
    }

    /// Refuses fields that were replaced by others, and names the replacement.
    pub(crate) fn refuse(
        &mut self,
        names: &[(&'static str, &'static str)],
    ) -> Result<(), ApiError> {
        for &(name, successor) in names {
            if self.value(name).is_some() {
                return Err(self.wrong(name, format!("it has a successor: use `{successor}`")));
            }
        }
        Ok(())
    }

    /// Refuses fields that were not taken, and returns the names of those that were ignored.
    pub(crate) fn finish(self) -> Result<Vec<&'static str>, ApiError> {
        let Some((name, _)) = self.left.iter().find(|(_, value)| !value.is_null()) else {
            return Ok(self.ignored);
        };
        let nearest = self
            .known
            .iter()
            .max_by(|a, b| strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)));
        let near = nearest.filter(|near| strsim::jaro_winkler(near, name) > 0.8);
        let message = match near {
            Some(near) => format!("there is no such field; did you mean `{near}`?"),
            None => "there is no such field".to_owned(),
        };
        Err(self.wrong(name, message))
    }
}

/// Reads token ids below `count`. Fails with the reason for the first value that is not one.
pub(crate) fn ids(values: &[Value], count: u32) -> Result<Vec<u32>, String> {
    let id = |value: &Value| {
        let id = value.as_u64().and_then(|id| u32::try_from(id).ok()).filter(|id| *id < count);
        id.ok_or_else(|| format!("{value} is no token; the model's are 0 to {}", count.max(1) - 1))
    };
    values.iter().map(id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_taken_is_refused_with_the_nearest_name() {
        let mut fields =
            Fields::of_body(br#"{"temprature": 1, "user": "me", "seed": null}"#).unwrap();
        assert_eq!(fields.number("temperature"), Ok(None));
        fields.ignore(&["user"]);
        let error = fields.finish().unwrap_err().to_json();
        assert_eq!(error["error"]["param"], "temprature");
        assert!(error["error"]["message"].as_str().unwrap().contains("`temperature`"));
    }

    #[test]
    fn a_value_of_another_type_is_refused_at_its_path() {
        let mut fields = Fields::of_body(br#"{"a": {"b": "x"}}"#).unwrap();
        let mut inner = fields.object("a").unwrap().unwrap();
        let error = inner.whole("b").unwrap_err().to_json();
        assert_eq!(error["error"]["param"], "a.b");
    }
}
