//! Parses a JSON text into the arena of a document.
//!
//! serde_json defines what is JSON, but gives no positions, so this pass finds them. It reports whether it is
//! [sure](Scanner::sure) that the text is JSON. If it is not sure, serde_json decides. For example, `\u` escapes have
//! rules of their own that only serde_json checks. Cost: linear in the text.

use std::borrow::Cow;
use std::ops::Range;

use super::id::NodeId;
use super::members::{Member, Members};
use super::node::{Json, MAX_DEPTH, Node};
use grammarc_grammar::budget::Budget;

/// Number of bytes of text for each value, with its key; most documents have more. Used only for an initial capacity.
const TEXT_OF_NODE: usize = 24;

/// Estimated budget steps for scanning one JSON value.
const STEPS_A_VALUE: usize = 1 << 4;

/// Scans a JSON text into values. The scan of a text that is not JSON ends early, with `sure` set to `false`.
pub(super) struct Scanner<'a, 'b> {
    /// The text that is scanned.
    text: &'a str,
    /// The budget; if it is exhausted, the scan ends.
    budget: &'b Budget,
    /// Byte offset of the next unread byte.
    at: usize,
    /// Number of arrays and objects around the current offset.
    depth: usize,
    /// Whether the text read so far is certainly JSON.
    pub(super) sure: bool,
    /// The JSON values so far, in text order.
    pub(super) nodes: Vec<Node<'a>>,
    /// The repeated key whose second value ends first, if there is one.
    pub(super) duplicate: Option<Duplicate>,
    /// The members so far of all enclosing objects. Each object takes its own members when it ends.
    members: Vec<(Cow<'a, str>, Member)>,
    /// The items so far of all enclosing arrays. Each array takes its own items when it ends.
    items: Vec<NodeId>,
}

/// A key that occurs twice in one object.
pub(super) struct Duplicate {
    /// Byte offset of the end of the value under the second occurrence of the key.
    noticed: usize,
    /// The repeated key, decoded.
    pub(super) key: String,
    /// The byte ranges of the first and the second occurrence of the key.
    pub(super) places: [Range<usize>; 2],
}

impl<'a, 'b> Scanner<'a, 'b> {
    /// Starts a scan at the beginning of a text.
    pub(super) fn new(text: &'a str, budget: &'b Budget) -> Self {
        let nodes = Vec::with_capacity(text.len() / TEXT_OF_NODE);
        let (members, items) = (Vec::new(), Vec::new());
        let (at, depth, sure, duplicate) = (0, 0, true, None);
        Self { text, budget, at, depth, sure, nodes, duplicate, members, items }
    }

    /// Reads the whole text. Anything after the value is an error.
    pub(super) fn document(&mut self) {
        self.value(None);
        self.peek();
        if self.at != self.text.len() {
            self.fail();
        }
    }

    /// Ends the scan, because the text is not JSON or the budget is exhausted.
    fn fail(&mut self) {
        self.sure = false;
        self.at = self.text.len();
    }

    /// Skips whitespace and returns the next byte, or [`END`].
    fn peek(&mut self) -> u8 {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        bytes.get(self.at).copied().unwrap_or(END)
    }

    /// Skips whitespace, and reads `byte` if it comes next. Returns whether it does.
    fn take(&mut self, byte: u8) -> bool {
        let comes = self.peek() == byte;
        self.at += usize::from(comes);
        comes
    }

    /// Reads `byte`, which must come next after whitespace. Otherwise the scan ends.
    fn expect(&mut self, byte: u8) {
        if !self.take(byte) {
            self.fail();
        }
    }

    /// Reads the next value and all values inside it.
    fn value(&mut self, parent: Option<(NodeId, usize)>) -> NodeId {
        let first = self.peek();
        if self.budget.spend(STEPS_A_VALUE).is_err() {
            self.fail();
        }
        let start = self.at;
        let id = NodeId(u32::try_from(self.nodes.len()).expect("a value takes a byte of the text"));
        self.nodes.push(Node { json: Json::Null, span: start..start, parent });
        let json = match first {
            b'{' => self.object(id),
            b'[' => self.array(id),
            b'"' => Json::String(self.string().0),
            _ => self.scalar(),
        };
        self.nodes[id.index()].json = json;
        self.nodes[id.index()].span.end = self.at;
        id
    }

    fn object(&mut self, id: NodeId) -> Json<'a> {
        let before = self.members.len();
        self.open();
        while self.peek() == b'"' {
            let (key, key_span) = self.string();
            self.expect(b':');
            let value = self.value(Some((id, self.members.len() - before)));
            self.members.push((key, Member { key_span, value }));
            if !self.take(b',') {
                break;
            }
            if self.peek() != b'"' {
                self.fail();
            }
        }
        self.close(b'}');
        let (members, repeated) = Members::new(self.members.drain(before..));
        if let Some((first, second)) = repeated
            && let (Some((key, first)), Some((_, second))) = (members.at(first), members.at(second))
        {
            let noticed = self.nodes[second.value.index()].span.end;
            if self.duplicate.as_ref().is_none_or(|known| noticed < known.noticed) {
                let places = [&first.key_span, &second.key_span].map(Clone::clone);
                self.duplicate = Some(Duplicate { noticed, key: key.to_owned(), places });
            }
        }
        Json::Object(members)
    }

    fn array(&mut self, id: NodeId) -> Json<'a> {
        let before = self.items.len();
        self.open();
        let mut more = self.peek() != b']';
        while more {
            let item = self.value(Some((id, self.items.len() - before)));
            self.items.push(item);
            more = self.take(b',');
        }
        self.close(b']');
        Json::Array(self.items.drain(before..).collect())
    }

    /// Enters an array or object. Ends the scan if serde_json's limit on depth is reached.
    fn open(&mut self) {
        self.at += 1;
        self.depth += 1;
        if self.depth >= MAX_DEPTH {
            self.fail();
        }
    }

    fn close(&mut self, bracket: u8) {
        self.depth -= 1;
        self.expect(bracket);
    }

    fn string(&mut self) -> (Cow<'a, str>, Range<usize>) {
        let start = self.at;
        let bytes = self.text.as_bytes();
        self.at += 1;
        let mut escaped = false;
        loop {
            let rest = bytes.get(self.at..).unwrap_or_default();
            let Some(stop) = stop(rest) else {
                self.fail();
                break;
            };
            self.at += stop + 1;
            match (rest[stop], rest.get(stop + 1)) {
                (b'"', _) => break,
                (b'\\', Some(letter)) => {
                    escaped = true;
                    self.sure &= SHORT_ESCAPES.contains(letter);
                    self.at += 1;
                }
                _ => {
                    self.fail();
                    break;
                }
            }
        }
        let raw = self.text.get(start..self.at).unwrap_or("\"\"");
        let text = match escaped {
            true => Cow::Owned(serde_json::from_str(raw).unwrap_or_default()),
            false => Cow::Borrowed(raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default()),
        };
        (text, start..self.at)
    }

    fn scalar(&mut self) -> Json<'a> {
        let start = self.at;
        let rest = self.text.get(start..).unwrap_or_default();
        let length = rest.find([',', ']', '}', ' ', '\t', '\n', '\r']).unwrap_or(rest.len());
        self.at += length;
        match &rest[..length] {
            "null" => Json::Null,
            "true" => Json::Bool(true),
            "false" => Json::Bool(false),
            number => {
                if !is_number(number.as_bytes()) {
                    self.fail();
                }
                Json::Number(number.into())
            }
        }
    }
}

/// Returns the offset of the first byte that needs attention in a string: a control character, a quote or a backslash.
fn stop(bytes: &[u8]) -> Option<usize> {
    let (words, rest) = bytes.as_chunks();
    for (at, &word) in words.iter().enumerate() {
        let stops = stops(u64::from_le_bytes(word));
        if stops != 0 {
            return Some(8 * at + stops.trailing_zeros() as usize / 8);
        }
    }
    let stop = rest.iter().position(|byte| matches!(byte, ..b' ' | b'"' | b'\\'))?;
    Some(8 * words.len() + stop)
}

/// Sets the highest bit of each byte of a word that is a control character, a quote or a backslash. The subtraction
/// borrows from the next byte, so only the lowest such bit is reliable.
fn stops(word: u64) -> u64 {
    const EACH: u64 = u64::from_le_bytes([1; 8]);
    let below = |bytes: u64, limit: u8| bytes.wrapping_sub(u64::from(limit) * EACH) & !bytes;
    let is = |byte: u8| below(word ^ (u64::from(byte) * EACH), 1);
    (below(word, b' ') | is(b'"') | is(b'\\')) & (EACH << 7)
}

/// The value that denotes the end of the text, in place of a next byte.
const END: u8 = 0;

/// The bytes that may follow a backslash, except `u`.
const SHORT_ESCAPES: &[u8; 8] = b"\"\\/bfnrt";

/// Returns whether a text is a JSON number.
fn is_number(text: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let integer = digits(text);
    if integer == 0 || (integer > 1 && text[0] == b'0') {
        return false;
    }
    let mut text = &text[integer..];
    if let Some(fraction) = text.strip_prefix(b".") {
        text = &fraction[digits(fraction)..];
        if text.len() == fraction.len() {
            return false;
        }
    }
    if let [b'e' | b'E', exponent @ ..] = text {
        let exponent = match exponent {
            [b'+' | b'-', exponent @ ..] => exponent,
            exponent => exponent,
        };
        text = &exponent[digits(exponent)..];
        return text.is_empty() && !exponent.is_empty();
    }
    text.is_empty()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    /// Texts that are JSON, and some that nearly are.
    fn texts() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("{"),
            Just("}"),
            Just("["),
            Just("]"),
            Just(","),
            Just(":"),
            Just(" "),
            Just("\n"),
            Just("\"a\""),
            Just("\"b\":"),
            Just("\"\\n\""),
            Just("\"\\u00e9\""),
            Just("\"\\ud800\""),
            Just("\"é"),
            Just("\\"),
            Just("\""),
            Just("\t\""),
            Just("null"),
            Just("true"),
            Just("-"),
            Just("0"),
            Just("12"),
            Just("1.5"),
            Just("."),
            Just("e+3"),
            Just("E"),
            Just("\u{1}"),
        ];
        proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    fn tree() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[a\"\\\\\n\u{1}é]{0,3}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map("[ab\"]{0,2}", inner, 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    fn check(text: &str) {
        let budget = Budget::new();
        let mut scanner = Scanner::new(text, &budget);
        scanner.document();
        let read: Result<Value, _> = serde_json::from_str(text);
        assert!(!scanner.sure || read.is_ok(), "{text}");
        if let Ok(value) = read {
            assert_eq!(scanner.at, text.len(), "{text}");
            let codes = text.contains("\\u");
            assert!(scanner.sure || codes, "{text}");
            if scanner.duplicate.is_none() {
                assert_eq!(value_of(&scanner, NodeId(0)), value, "{text}");
            }
        }
    }

    fn value_of(scanner: &Scanner<'_, '_>, node: NodeId) -> Value {
        match &scanner.nodes[node.index()].json {
            Json::Null => Value::Null,
            Json::Bool(value) => (*value).into(),
            Json::Number(text) => serde_json::from_str(text).unwrap(),
            Json::String(text) => (**text).into(),
            Json::Array(items) => items.iter().map(|&item| value_of(scanner, item)).collect(),
            Json::Object(members) => {
                let members = members.iter();
                members
                    .map(|(key, member)| (key.to_owned(), value_of(scanner, member.value)))
                    .collect()
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// Texts that the walk is sure of are accepted by serde_json, and read to the same values.
        #[test]
        fn sure_texts_are_json(text in texts()) {
            check(&text);
        }

        #[test]
        fn json_is_read(value in tree(), pretty in any::<bool>()) {
            let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
            check(&text.unwrap());
        }

        #[test]
        fn damaged_json_is_noticed(value in tree(), at in any::<prop::sample::Index>(), with in "[\\[\\]{},:\"\\\\0.eé ]?") {
            let text = value.to_string();
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let at = places[at.index(places.len())];
            let after = text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
            check(&format!("{}{with}{}", &text[..at], &text[after..]));
        }
    }

    #[test]
    fn every_byte_stops_or_is_plain() {
        for byte in 0..=u8::MAX {
            for length in [1, 7, 8, 9, 24] {
                for at in 0..length {
                    // Neighbours that nearly stop.
                    for around in [b' ', b'!', b'#', b'[', b']', 0x80, 0xa2, 0xff] {
                        let mut bytes = vec![around; length];
                        bytes[at] = byte;
                        let found = matches!(byte, ..b' ' | b'"' | b'\\').then_some(at);
                        assert_eq!(stop(&bytes), found, "{bytes:?}");
                        bytes[at..].fill(byte);
                        assert_eq!(stop(&bytes), found, "{bytes:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn depth_is_that_of_serde_json() {
        for depth in 120..140 {
            for text in [
                format!("{}{}", "[".repeat(depth), "]".repeat(depth)),
                format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth)),
            ] {
                check(&text);
            }
        }
        check(&"[".repeat(100_000));
    }

    #[test]
    fn numbers_are_those_of_serde_json() {
        for text in [
            "0", "-0", "00", "01", "-", "1.", "1.0", ".5", "1e", "1e+", "1e-07", "1E5", "1.5e",
            "+1", "1a", "--1",
        ] {
            check(text);
        }
    }
}
