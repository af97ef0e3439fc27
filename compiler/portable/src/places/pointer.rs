//! JSON pointers of values.

use serde_json::Value;

/// Appends a key as a segment of a JSON pointer, with `~` and `/` escaped.
pub(crate) fn push(pointer: &mut String, key: &str) {
    pointer.push('/');
    for letter in key.chars() {
        match letter {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            letter => pointer.push(letter),
        }
    }
}

/// Returns a pointer with one more segment.
pub(crate) fn join(pointer: &str, key: &str) -> String {
    let mut joined = pointer.to_owned();
    push(&mut joined, key);
    joined
}

/// Decodes the percent escapes of a URI fragment. Malformed escapes stay as they are.
pub(crate) fn decoded(fragment: &str) -> String {
    let bytes = fragment.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = fragment.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            decoded.push(byte);
            at += 3;
        } else {
            decoded.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8(decoded).unwrap_or_else(|_| fragment.to_owned())
}

/// Splits a pointer into its parent's pointer and its last segment, which is unescaped. `None` for the root.
pub(crate) fn parent(pointer: &str) -> Option<(&str, String)> {
    let (parent, last) = pointer.rsplit_once('/')?;
    Some((parent, last.replace("~1", "/").replace("~0", "~")))
}

/// Removes the value at a pointer from its object or array.
pub(crate) fn remove(document: &mut Value, pointer: &str) -> Option<Value> {
    let (parent, last) = parent(pointer)?;
    match document.pointer_mut(parent)? {
        Value::Object(members) => members.shift_remove(&last),
        Value::Array(items) => {
            let at = last.parse::<usize>().ok().filter(|&at| at < items.len())?;
            Some(items.remove(at))
        }
        _ => None,
    }
}
