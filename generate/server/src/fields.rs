//! Reads the fields of a request one by one, so that none is overlooked.
//!
//! A field is removed from the object when it is read. A field that remains at the end is unknown,
//! so the request is rejected, with the most similar known name. Fields of other servers that would
//! not change the output are accepted and listed. The value `null` counts as an absent field.
//!
//! Requests are not read by derived types. With numbers of arbitrary precision, serde's flattened
//! and untagged types do not accept numbers.

use serde_json::{Map, Number, Value};

use crate::error::ApiError;

/// A JSON object of a request whose fields are read one by one.
#[derive(Debug)]
pub(crate) struct Fields {
    /// Path of the object in the request. Empty for the whole request, otherwise it ends with a
    /// dot.
    path: String,
    left: Map<String, Value>,
    /// The names of the fields that were asked for.
    known: Vec<&'static str>,
    /// The names of the fields that are present and have no effect.
    ignored: Vec<&'static str>,
}

impl Fields {
    /// Parses the body of a request. Fails if it is not a JSON object.
    pub(crate) fn of_body(body: &[u8]) -> Result<Self, ApiError> {
        match serde_json::from_slice(body) {
            Ok(Value::Object(left)) => Ok(Self::new(String::new(), left)),
            Ok(_) => Err(ApiError::request("the body is no JSON object")),
            Err(error) => Err(ApiError::request(format!("the body is no JSON: {error}"))),
        }
    }

    /// Returns the fields of a nested object at `path`. Fails if the value is not an object.
    pub(crate) fn of(path: &str, value: Value) -> Result<Self, ApiError> {
        match value {
            Value::Object(left) => Ok(Self::new(format!("{path}."), left)),
            _ => Err(ApiError::field(path, "it is no object")),
        }
    }

    fn new(path: String, left: Map<String, Value>) -> Self {
        Self { path, left, known: Vec::new(), ignored: Vec::new() }
    }

    /// Returns the path of a field in the request.
    pub(crate) fn path(&self, name: &str) -> String {
        format!("{}{name}", self.path)
    }

    /// Returns the error for a wrong field.
    pub(crate) fn wrong(&self, name: &str, message: impl Into<String>) -> ApiError {
        ApiError::field(self.path(name), message)
    }

    /// Removes and returns the value of a field. `None` if it is absent or null.
    pub(crate) fn value(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        self.left.shift_remove(name).filter(|value| !value.is_null())
    }

    /// Removes and returns an object. `None` if it is absent or null. Fails for other values.
    pub(crate) fn object(&mut self, name: &'static str) -> Result<Option<Self>, ApiError> {
        let path = self.path(name);
        self.value(name).map(|value| Self::of(&path, value)).transpose()
    }

    /// Removes and returns a list. `None` if it is absent or null. Fails for other values.
    pub(crate) fn list(&mut self, name: &'static str) -> Result<Option<Vec<Value>>, ApiError> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::Array(items)) => Ok(Some(items)),
            Some(_) => Err(self.wrong(name, "it is no list")),
        }
    }

    /// Removes and returns a text. `None` if it is absent or null. Fails for other values.
    pub(crate) fn text(&mut self, name: &'static str) -> Result<Option<String>, ApiError> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(name, "it is no string")),
        }
    }

    /// Removes and returns a boolean. `None` if it is absent or null. Fails for other values.
    pub(crate) fn flag(&mut self, name: &'static str) -> Result<Option<bool>, ApiError> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(_) => Err(self.wrong(name, "it is neither true nor false")),
        }
    }

    /// Removes and returns a number. `None` if it is absent or null. Fails for other values.
    pub(crate) fn number(&mut self, name: &'static str) -> Result<Option<f32>, ApiError> {
        match self.value(name) {
            None => Ok(None),
            Some(value) => match value.as_f64() {
                Some(number) => Ok(Some(number as f32)),
                None => Err(self.wrong(name, "it is no number")),
            },
        }
    }

    /// Removes and returns a non-negative integer of at most 64 bits. `None` if it is absent or
    /// null. Fails for other values.
    pub(crate) fn whole(&mut self, name: &'static str) -> Result<Option<u64>, ApiError> {
        match self.value(name) {
            None => Ok(None),
            Some(value) => match value.as_u64() {
                Some(number) => Ok(Some(number)),
                None => Err(self.wrong(name, "it is no whole number from 0 on")),
            },
        }
    }

    /// Removes and returns an integer. `None` if it is absent or null. Fails for other values.
    pub(crate) fn integer(&mut self, name: &'static str) -> Result<Option<i128>, ApiError> {
        match self.value(name) {
            None => Ok(None),
            Some(value) => match value.as_number().and_then(Number::as_i128) {
                Some(number) => Ok(Some(number)),
                None => Err(self.wrong(name, "it is no integer")),
            },
        }
    }

    /// Returns the value of a field without removing it. `None` if it is absent or null.
    pub(crate) fn peek(&self, name: &str) -> Option<&Value> {
        self.left.get(name).filter(|value| !value.is_null())
    }

    /// Records that a field of the request has no effect.
    pub(crate) fn note_ignored(&mut self, name: &'static str) {
        self.ignored.push(name);
    }

    /// Removes a field that has to be one of `words`, and returns the value paired with this word.
    /// `None` if it is absent or null. Fails with the message `wrong` for any other word.
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

    /// Removes fields that have no effect, and records those that are present.
    pub(crate) fn ignore(&mut self, names: &[&'static str]) {
        for &name in names {
            if self.value(name).is_some() {
                self.ignored.push(name);
            }
        }
    }

    /// Fails if a field is present that was replaced by another one. Each pair has the old name and
    /// its replacement, which the error names.
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

    /// Fails if fields remain that were not read. Otherwise returns the names of the fields that
    /// have no effect.
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

/// Reads a list of token ids, which have to be below `count`. Fails at the first value that is
/// none, with the reason.
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
