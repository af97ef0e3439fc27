//! The beginning of a JSON text, and the place where it ends.

/// A step from a container to one of its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the member with this key.
    Key(String),
    /// To the item with this index.
    Index(usize),
}

/// What the next byte of an open text belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// The value at the path, or what comes before it.
    Value,
    /// A key of the object at the path.
    Key,
    /// What comes behind a value of the container at the path: a comma or its end.
    Behind,
}

/// The place at which a text ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The steps from the outermost value.
    pub path: Vec<Step>,
    /// What the next byte belongs to.
    pub spot: Spot,
}

/// A container that is not closed yet.
#[derive(Clone, Debug)]
struct Container {
    is_object: bool,
    /// The number of values so far.
    values: usize,
    /// The last key.
    key: String,
}

/// What the text has come to.
#[derive(Clone, Debug)]
enum At {
    /// Before a value.
    Value,
    /// In a number, or in `true`, `false` or `null`.
    Word,
    /// In a string. The first flag says whether it is a key, the other whether a backslash stands before.
    String { is_key: bool, is_escaped: bool },
    /// Behind a key.
    BehindKey,
    /// Before a key, or before the end of an object.
    Key,
    /// Behind a value.
    Behind,
}

/// A JSON text that is not at its end yet. It is taken as such without a test.
#[derive(Clone, Debug)]
pub struct OpenJson {
    open: Vec<Container>,
    at: At,
    /// The bytes of the last word or key so far.
    text: Vec<u8>,
}

impl Default for OpenJson {
    fn default() -> Self {
        Self { open: Vec::new(), at: At::Value, text: Vec::new() }
    }
}

impl OpenJson {
    /// Returns the text with these bytes. Cost: O(length of the text).
    pub fn of(text: &[u8]) -> Self {
        let mut open = Self::default();
        text.iter().for_each(|&byte| open.push(byte));
        open
    }

    /// Returns the bytes of a key that the text is in. Empty if it is in none.
    pub fn key_so_far(&self) -> &[u8] {
        match self.at {
            At::String { is_key: true, .. } => &self.text,
            _ => &[],
        }
    }

    /// Ends a number, `true`, `false` or `null`, which could go on else. Returns whether the text was in one.
    pub fn end_word(&mut self) -> bool {
        let is_word = matches!(self.at, At::Word);
        if is_word {
            self.at = At::Behind;
        }
        is_word
    }

    /// Adds a byte to the text.
    pub fn push(&mut self, byte: u8) {
        if let At::String { is_key, is_escaped } = self.at {
            if is_key {
                self.text.push(byte);
            }
            self.at = match byte {
                _ if is_escaped => At::String { is_key, is_escaped: false },
                b'\\' => At::String { is_key, is_escaped: true },
                b'"' if is_key => {
                    if let Some(container) = self.open.last_mut() {
                        container.key = decoded(&self.text);
                    }
                    At::BehindKey
                }
                b'"' => At::Behind,
                _ => At::String { is_key, is_escaped },
            };
            return;
        }
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' => {
                self.end_word();
            }
            b'{' | b'[' => {
                let is_object = byte == b'{';
                self.open.push(Container { is_object, values: 0, key: String::new() });
                self.at = if is_object { At::Key } else { At::Value };
            }
            b'}' | b']' => {
                self.open.pop();
                self.at = At::Behind;
            }
            b',' => {
                if let Some(container) = self.open.last_mut() {
                    container.values += 1;
                }
                self.at = match self.open.last() {
                    Some(container) if container.is_object => At::Key,
                    _ => At::Value,
                };
            }
            b':' => self.at = At::Value,
            b'"' => {
                let is_key = matches!(self.at, At::Key);
                self.text.clear();
                self.text.push(byte);
                self.at = At::String { is_key, is_escaped: false };
            }
            _ => {
                if !matches!(self.at, At::Word) {
                    self.text.clear();
                }
                self.text.push(byte);
                self.at = At::Word;
            }
        }
    }

    /// Returns the place at which the text ends.
    pub fn place(&self) -> Place {
        let (has_value, spot) = match self.at {
            // A number may go on, and a name does not.
            At::Word if [&b"true"[..], b"false", b"null"].contains(&&*self.text) => {
                (false, Spot::Behind)
            }
            At::Value | At::Word | At::BehindKey => (true, Spot::Value),
            At::String { is_key: false, .. } => (true, Spot::Value),
            At::Key | At::String { .. } => (false, Spot::Key),
            At::Behind => (false, Spot::Behind),
        };
        let last = self.open.len().saturating_sub(1);
        let steps = self.open.iter().enumerate().filter(|&(depth, _)| depth < last || has_value);
        let path = steps.map(|(_, container)| match container.is_object {
            true => Step::Key(container.key.clone()),
            false => Step::Index(container.values),
        });
        Place { path: path.collect(), spot }
    }
}

/// Returns the string that a JSON string denotes. Empty if it is malformed.
fn decoded(quoted: &[u8]) -> String {
    serde_json::from_slice(quoted).unwrap_or_default()
}

/// Returns a path as a JSON pointer.
pub fn pointer(path: &[Step]) -> String {
    let mut pointer = String::new();
    for step in path {
        pointer.push('/');
        match step {
            Step::Key(key) => pointer.push_str(&key.replace('~', "~0").replace('/', "~1")),
            Step::Index(index) => pointer.push_str(&index.to_string()),
        }
    }
    pointer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_end_somewhere() {
        use Spot::{Behind, Key, Value};
        let cases = [
            ("", "", Value),
            ("12", "", Value),
            ("12 ", "", Behind),
            ("{", "", Key),
            ("{\"a", "", Key),
            ("{\"a\"", "/a", Value),
            ("{\"a\": [1, {", "/a/1", Key),
            ("{\"a\": [1, {}", "/a", Behind),
            ("{\"a\": [1, {}], \"b/~\\u0041\": \"x\\\"", "/b~1~0A", Value),
            ("[[], tru", "/1", Value),
            ("[[], true", "", Behind),
            ("{\"a\": \"}\",", "", Key),
        ];
        for (text, path, spot) in cases {
            let place = OpenJson::of(text.as_bytes()).place();
            assert_eq!((pointer(&place.path).as_str(), place.spot), (path, spot), "{text}");
        }
    }
}
