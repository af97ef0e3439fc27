//! Follows the beginning of a JSON text to the place where it ends.

/// A step from a container to one of its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// To the member with this key.
    Key(String),
    /// To the item with this index.
    Index(usize),
}

/// What the next byte of an open text belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    /// The value at the path, or what comes before it.
    Value,
    /// A key of the object at the path.
    Key,
    /// What comes behind a value of the container at the path: a comma or its end.
    Behind,
}

/// The place at which a text ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The steps from the outermost value.
    pub(crate) path: Vec<Step>,
    pub(crate) spot: Spot,
}

/// A container that is not closed yet.
struct Container {
    is_object: bool,
    /// The number of values so far.
    values: usize,
    /// The last key.
    key: String,
}

/// What the text has come to.
enum At {
    /// Before a value.
    Value,
    /// In a number, or in `true`, `false` or `null`, from this byte on.
    Word { start: usize },
    /// In a string, from this byte on. The flag says whether it is a key.
    String { start: usize, is_key: bool, is_escaped: bool },
    /// Behind a key.
    BehindKey,
    /// Before a key, or before the end of an object.
    Key,
    /// Behind a value.
    Behind,
}

/// Returns the place at which an open text ends. The text is taken as the beginning of a JSON text without a test.
///
/// Cost: O(length of the text).
pub(crate) fn follow(text: &[u8]) -> Place {
    let mut open: Vec<Container> = Vec::new();
    let mut at = At::Value;
    for (place, &byte) in text.iter().enumerate() {
        if let At::String { start, is_key, is_escaped } = at {
            at = match byte {
                _ if is_escaped => At::String { start, is_key, is_escaped: false },
                b'\\' => At::String { start, is_key, is_escaped: true },
                b'"' if is_key => {
                    if let Some(container) = open.last_mut() {
                        container.key = decoded(&text[start..=place]);
                    }
                    At::BehindKey
                }
                b'"' => At::Behind,
                _ => At::String { start, is_key, is_escaped },
            };
            continue;
        }
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' => {
                if let At::Word { .. } = at {
                    at = At::Behind;
                }
            }
            b'{' | b'[' => {
                let is_object = byte == b'{';
                open.push(Container { is_object, values: 0, key: String::new() });
                at = if is_object { At::Key } else { At::Value };
            }
            b'}' | b']' => {
                open.pop();
                at = At::Behind;
            }
            b',' => {
                if let Some(container) = open.last_mut() {
                    container.values += 1;
                }
                at = match open.last() {
                    Some(container) if container.is_object => At::Key,
                    _ => At::Value,
                };
            }
            b':' => at = At::Value,
            b'"' => {
                let is_key = matches!(at, At::Key);
                at = At::String { start: place, is_key, is_escaped: false };
            }
            _ if matches!(at, At::Word { .. }) => {}
            _ => at = At::Word { start: place },
        }
    }
    let (has_value, spot) = match at {
        // A number may go on, and a name does not.
        At::Word { start } if [&b"true"[..], b"false", b"null"].contains(&&text[start..]) => {
            (false, Spot::Behind)
        }
        At::Value | At::Word { .. } | At::BehindKey => (true, Spot::Value),
        At::String { is_key: false, .. } => (true, Spot::Value),
        At::Key | At::String { .. } => (false, Spot::Key),
        At::Behind => (false, Spot::Behind),
    };
    let last = open.len().saturating_sub(1);
    let steps = open.into_iter().enumerate().filter(|&(depth, _)| depth < last || has_value);
    let path = steps.map(|(_, container)| match container.is_object {
        true => Step::Key(container.key),
        false => Step::Index(container.values),
    });
    Place { path: path.collect(), spot }
}

/// Returns the string that a JSON string denotes. Empty if it is malformed.
fn decoded(quoted: &[u8]) -> String {
    serde_json::from_slice(quoted).unwrap_or_default()
}

/// Returns a path as a JSON pointer.
pub(crate) fn pointer(path: &[Step]) -> String {
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
            let place = follow(text.as_bytes());
            assert_eq!((pointer(&place.path).as_str(), place.spot), (path, spot), "{text}");
        }
    }
}
