//! JSON Lines from models: one value on each line, possibly with other lines in between.
//!
//! A line is complete when its LF was read. Then it is validated once, independently of other
//! lines. So a truncated text loses only its last line, and a stream yields an item as soon as its
//! line ends. White space at the ends of a line is ignored, including a CR before the LF.
//!
//! | line | result |
//! | --- | --- |
//! | blank, or starts with three backticks | none; but text after the first fence, on the same line, counts as a line |
//! | JSON that the schema accepts | an item |
//! | anything else | skipped, with its number, byte range and the reason |
//! | the last line, without LF, if it is not JSON | skipped, and the text counts as truncated |
//!
//! Some models write an array instead of lines. If the whole text is an array with more items than
//! its lines give, the items of the array are returned. An array on one line that is itself an item
//! stays one item.
//!
//! Cost: linear in the text, plus the validation of each line.

use std::ops::Range;

use serde_json::Value;

use crate::repair::{Edit, RepairError, RepairLimits, Repaired};
use crate::schema::JsonSchema;
use crate::strict;
use crate::validator::JsonValidator;

/// Options for reading JSON Lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JsonlOptions {
    /// Whether to repair a line that does not parse, if every edit is certain.
    pub repair: bool,
    /// Whether to convert scalars to the type that the schema requires, also in lines that parse.
    /// See [`RepairOptions::coerce`](crate::repair::RepairOptions::coerce).
    pub coerce: bool,
    /// Limits on the repair of one line.
    pub limits: RepairLimits,
    /// Whether the text is known to be truncated, for example by a limit on tokens.
    pub cut: bool,
}

/// An item: the JSON value of one line.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The JSON value of the item.
    pub value: Value,
    /// Number of the item's line, from 1.
    pub line: usize,
    /// Byte range of the item's line in the text, without white space at its ends.
    pub range: Range<usize>,
    /// The edits that repaired the line. Their byte ranges are relative to the line. Empty without
    /// a repair.
    pub edits: Vec<Edit>,
}

/// A line that was skipped because it is not an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Number of the line, from 1.
    pub line: usize,
    /// Byte range of the line in the text, without white space at its ends.
    pub range: Range<usize>,
    /// The reason why the line is not an item.
    pub reason: String,
}

/// The result of reading a text of JSON Lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Jsonl {
    /// The items, in the order of their lines.
    pub items: Vec<Item>,
    /// The skipped lines: those that are neither items nor blank.
    pub skipped: Vec<Skipped>,
    /// Whether the text ended within a line, or was [known to be truncated](JsonlOptions::cut).
    /// Items may be missing at the end.
    pub truncated: bool,
    /// Whether the items are those of one array that is the whole text. The array spans several
    /// lines, or is not an item itself.
    pub from_array: bool,
    /// A message for people if there are no items. `None` otherwise.
    pub warning: Option<String>,
}

/// Parses a text of JSON Lines. Never fails: lines that are not items are listed in the result.
///
/// ```
/// use grammarc_json::parse_jsonl;
///
/// let found = parse_jsonl("```json\n{\"a\": 1}\nnone\n{\"a\": 2}\n{\"a\": ", None, &Default::default());
/// assert_eq!(found.items.len(), 2);
/// assert_eq!(found.skipped.iter().map(|skipped| skipped.line).collect::<Vec<_>>(), [3, 5]);
/// assert!(found.truncated);
/// ```
pub fn parse_jsonl(text: &str, schema: Option<&JsonSchema>, options: &JsonlOptions) -> Jsonl {
    let mut stream = JsonlStream::new(schema.cloned(), *options);
    let mut found = Jsonl::default();
    found.take(stream.push(text));
    found.take(stream.finish());
    found.truncated = stream.truncated;
    // If the only line is an item, it stays one item, even if it is an array.
    let in_one_line = found.items.len() == 1 && found.skipped.is_empty();
    if let Some(array) = of_array(text, &stream)
        && array.items.len() > found.items.len()
        && !in_one_line
    {
        found = array;
    }
    if found.items.is_empty() {
        found.warning = Some(format!("no line is an item; {} were skipped", found.skipped.len()));
    }
    found
}

/// Returns the items of a text that is one array, with or without a fence. Each item is validated
/// alone and has the number of its line. `None` if the text is not an array, or if no item
/// satisfies the schema.
fn of_array(text: &str, judge: &JsonlStream) -> Option<Jsonl> {
    let start = text.len() - text.trim_start().len();
    let fenced = text[start..].starts_with("```");
    let start = if fenced { start + text[start..].find('\n')? + 1 } else { start };
    let body = text[start..].trim_end();
    let body = if fenced { body.strip_suffix("```")? } else { body };
    let start = start + body.len() - body.trim_start().len();
    let body = body.trim();
    let Value::Array(values) = strict::parse(body).ok()? else { return None };
    let mut found = Jsonl { from_array: true, truncated: judge.cut, ..Jsonl::default() };
    let mut at = 1;
    let mut line = 1 + text[..start].matches('\n').count();
    for value in values {
        let rest = &body[at..];
        let space = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n', ',']).len();
        let mut read = serde_json::Deserializer::from_str(&rest[space..]).into_iter::<Value>();
        read.next()?.ok()?;
        let range = start + at + space..start + at + space + read.byte_offset();
        line += rest[..space].matches('\n').count();
        let number = line;
        line += text[range.clone()].matches('\n').count();
        at = range.end - start;
        match judge.judged(&text[range.clone()], value) {
            Ok((value, edits)) => found.items.push(Item { value, line: number, range, edits }),
            Err(reason) => found.skipped.push(Skipped { line: number, range, reason }),
        }
    }
    (!found.items.is_empty()).then_some(found)
}

impl Jsonl {
    /// Returns the values of the items, in the order of their lines.
    pub fn into_values(self) -> Vec<Value> {
        self.items.into_iter().map(|item| item.value).collect()
    }

    fn take(&mut self, lines: Vec<Result<Item, Skipped>>) {
        for line in lines {
            match line {
                Ok(item) => self.items.push(item),
                Err(skipped) => self.skipped.push(skipped),
            }
        }
    }
}

/// Reads a text of JSON Lines in parts, as it arrives.
#[derive(Debug)]
pub struct JsonlStream {
    validator: JsonValidator,
    /// The text of the line that is not complete yet.
    pending: String,
    /// Number of lines before the pending line.
    lines: usize,
    /// Number of bytes before the pending line.
    bytes: usize,
    /// Whether a line that is not blank was already read.
    begun: bool,
    cut: bool,
    truncated: bool,
}

impl JsonlStream {
    /// Creates a reader at the start of a text.
    pub fn new(schema: Option<JsonSchema>, options: JsonlOptions) -> Self {
        let JsonlOptions { repair, coerce, limits, cut } = options;
        let validator =
            JsonValidator { schema, repair, coerce, limits, ..JsonValidator::default() };
        let pending = String::new();
        Self { validator, pending, lines: 0, bytes: 0, begun: false, cut, truncated: false }
    }

    /// Reads the next part of the text. Returns the items and skipped lines whose lines end in this
    /// part, in order.
    pub fn push(&mut self, part: &str) -> Vec<Result<Item, Skipped>> {
        let mut found = Vec::new();
        for piece in part.split_inclusive('\n') {
            self.pending.push_str(piece);
            if piece.ends_with('\n') {
                found.extend(self.line());
            }
        }
        found
    }

    /// Sets [`JsonlOptions::cut`], for a stream that learns only at its end that the text is
    /// truncated.
    pub fn set_cut(&mut self, cut: bool) {
        self.cut = cut;
    }

    /// Ends the text. Returns its last line if that has no LF. If the text is truncated, a number
    /// on this line is not an item.
    pub fn finish(&mut self) -> Vec<Result<Item, Skipped>> {
        let last = match self.line() {
            // Numbers are the only values that can be continued to another value.
            Some(Ok(Item { value: Value::Number(_), line, range, .. })) if self.cut => {
                let reason = "the text was cut, and the number may go on".to_owned();
                Some(Err(Skipped { line, range, reason }))
            }
            last => last,
        };
        self.truncated = self.cut || matches!(last, Some(Err(_)));
        last.into_iter().collect()
    }

    /// Whether the text ended within a line or was known to be truncated. Valid after
    /// [`finish`](Self::finish).
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// Converts the pending line to an item, or to a skipped line with the reason. `None` for a
    /// blank line or a fence.
    fn line(&mut self) -> Option<Result<Item, Skipped>> {
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return None;
        }
        self.lines += 1;
        let start = self.bytes + pending.len() - pending.trim_start().len();
        self.bytes += pending.len();
        let line = pending.trim();
        if line.is_empty() {
            return None;
        }
        let is_first = !std::mem::replace(&mut self.begun, true);
        let (offset, text) = unfenced(line, is_first)?;
        let start = start + offset;
        let (line, range) = (self.lines, start..start + text.len());
        Some(match self.value(text) {
            Ok((value, edits)) => Ok(Item { value, line, range, edits }),
            Err(reason) => Err(Skipped { line, range, reason }),
        })
    }

    /// Parses a whole line as JSON, and repairs it if that is enabled. JSON within a line of other
    /// text is not extracted.
    fn value(&self, text: &str) -> Result<(Value, Vec<Edit>), String> {
        let value = match strict::parse(text) {
            Ok(value) => value,
            Err(error) if !self.validator.repair => return Err(error.to_string()),
            Err(_) => {
                let repaired = self.repaired(text)?;
                return Ok((repaired.value, repaired.edits));
            }
        };
        self.judged(text, value)
    }

    /// Validates the value of a line, and coerces its scalars if that is enabled. The error is the
    /// reason why the line is not an item.
    fn judged(&self, text: &str, value: Value) -> Result<(Value, Vec<Edit>), String> {
        match self.validator.schema.as_ref().map_or(Ok(()), |schema| schema.validate(&value)) {
            Ok(()) => Ok((value, Vec::new())),
            Err(error) if !self.validator.coerce => Err(error.to_string()),
            Err(error) => match self.repaired(text) {
                Ok(repaired) => Ok((repaired.value, repaired.edits)),
                Err(_) => Err(error.to_string()),
            },
        }
    }

    /// Repairs a line. Fails unless there is only one best reading, and each of its edits is
    /// certain or an enabled coercion.
    fn repaired(&self, text: &str) -> Result<Repaired, String> {
        let repaired = match self.validator.repair_json(text) {
            Ok(repaired) => repaired,
            Err(RepairError::Uncertain { repaired }) => *repaired,
            Err(error) => return Err(error.to_string()),
        };
        match repaired.is_certain_but_for_types() {
            true => Ok(repaired),
            false => Err(RepairError::Uncertain { repaired: Box::new(repaired) }.to_string()),
        }
    }
}

/// Removes a Markdown fence from the start or the end of a line. Returns the offset of the rest and
/// the rest, or `None` if nothing is left. Models put the first item on the line of the opening
/// fence, and the closing fence after the last item.
fn unfenced(line: &str, is_first: bool) -> Option<(usize, &str)> {
    let text = match line.strip_prefix("```") {
        Some(rest) if is_first => {
            let rest = rest.strip_prefix("jsonl").or(rest.strip_prefix("json")).unwrap_or(rest);
            let rest = rest.trim_start();
            // Otherwise the rest is the name of another language.
            let is_name =
                rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-_".contains(&byte));
            Some(rest).filter(|rest| !is_name || strict::parse(rest).is_ok())?
        }
        Some(_) => return None,
        None => line,
    };
    let offset = line.len() - text.len();
    let text = text.strip_suffix("```").unwrap_or(text).trim_end();
    (!text.is_empty()).then_some((offset, text))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn values(text: &str) -> Vec<Value> {
        parse_jsonl(text, None, &JsonlOptions::default())
            .items
            .into_iter()
            .map(|item| item.value)
            .collect()
    }

    #[test]
    fn types_are_changed_where_that_is_asked_for() {
        let schema = JsonSchema::from_value(json!({"properties": {"n": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "s": {"type": "string"}}})).unwrap();
        let text = "{\"n\": \"1\"}\n{\"s\": 2.50}\n{\"n\": \"x\"}\n{'n': '3',}\n{\"n\": NaN}";
        let read = |repair, coerce| {
            let options = JsonlOptions { repair, coerce, ..JsonlOptions::default() };
            let found = parse_jsonl(text, Some(&schema), &options);
            found.items.iter().map(|item| (item.line, item.value.clone())).collect::<Vec<_>>()
        };
        let (one, two) = ((1, json!({"n": 1})), (2, json!({"s": "2.50"})));
        assert_eq!(read(false, false), []);
        assert_eq!(read(true, false), []);
        assert_eq!(read(false, true), [one.clone(), two.clone()]);
        let (four, five) = ((4, json!({"n": 3})), (5, json!({"n": null})));
        assert_eq!(read(true, true), [one, two, four, five]);
        // Other edits still have to be certain.
        let unsure = "{\"n\": \"1\", \"s\": bare}";
        let options = JsonlOptions { repair: true, coerce: true, ..JsonlOptions::default() };
        assert!(parse_jsonl(unsure, Some(&schema), &options).items.is_empty());
        let array = "[\n{\"n\": \"1\"},\n{\"n\": \"x\"}\n]";
        let options = JsonlOptions { coerce: true, ..JsonlOptions::default() };
        let found = parse_jsonl(array, Some(&schema), &options);
        assert!(
            found.from_array && found.items[0].edits[0].at == (6..9) && found.skipped.len() == 1
        );
    }

    #[test]
    fn blank_lines_and_fences_are_nothing() {
        let found = parse_jsonl(
            "```jsonl\r\n{\"a\":1}\r\n\r\n  \n[2]\n```",
            None,
            &JsonlOptions::default(),
        );
        assert_eq!(found.items.iter().map(|item| item.line).collect::<Vec<_>>(), [2, 5]);
        assert!(found.skipped.is_empty() && !found.truncated && found.warning.is_none());
    }

    #[test]
    fn lines_of_a_union_are_judged_one_by_one() {
        let schema: JsonSchema = r#"{"oneOf": [
            {"type": "object", "required": ["type", "n"], "properties": {"type": {"const": "a"}, "n": {"type": "integer"}}},
            {"type": "object", "required": ["type", "s"], "properties": {"type": {"const": "b"}, "s": {"type": "string"}}}]}"#
            .parse()
            .unwrap();
        let text =
            "{\"type\":\"a\",\"n\":1}\n{\"type\":\"b\",\"n\":1}\n{\"type\":\"b\",\"s\":\"x\"}\n";
        let found = parse_jsonl(text, Some(&schema), &JsonlOptions::default());
        assert_eq!(found.items.len(), 2);
        assert_eq!(found.skipped[0].line, 2);
        assert_eq!(&text[found.skipped[0].range.clone()], "{\"type\":\"b\",\"n\":1}");
    }

    #[test]
    fn a_text_without_items_says_so() {
        let found = parse_jsonl("NaN\n{'a': 1}\n", None, &JsonlOptions::default());
        assert!(found.items.is_empty() && found.warning.is_some() && !found.truncated);
        let repair = JsonlOptions { repair: true, ..JsonlOptions::default() };
        assert_eq!(parse_jsonl("NaN\n{'a': 1}\n", None, &repair).items[0].value, json!({"a": 1}));
    }

    #[test]
    fn a_number_at_the_end_of_a_cut_text_is_no_item() {
        let cut = JsonlOptions { cut: true, ..JsonlOptions::default() };
        for (text, expected) in [
            ("1\n27", vec![json!(1)]),
            ("1\n27\n", vec![json!(1), json!(27)]),
            ("1\n{\"a\": 27}", vec![json!(1), json!({"a": 27})]),
            ("1\n\"27", vec![json!(1)]),
        ] {
            let found = parse_jsonl(text, None, &cut);
            assert!(found.truncated, "{text}");
            assert_eq!(found.into_values(), expected, "{text}");
            let mut stream = JsonlStream::new(None, JsonlOptions::default());
            let mut items: Vec<_> = stream.push(text);
            stream.set_cut(true);
            items.extend(stream.finish());
            assert_eq!(items.iter().filter(|item| item.is_ok()).count(), expected.len());
            assert!(stream.is_truncated(), "{text}");
        }
        assert_eq!(values("1\n27"), [json!(1), json!(27)]);
    }

    #[test]
    fn an_array_in_place_of_lines_is_taken_apart() {
        let schema: JsonSchema = r#"{"type": "object", "required": ["a"]}"#.parse().unwrap();
        let text = "```json\n[\n  {\"a\": 1},\n  {\"b\": 2},\n  {\"a\":\n 3}\n]\n```\n";
        let found = parse_jsonl(text, Some(&schema), &JsonlOptions::default());
        assert!(found.from_array && !found.truncated && found.warning.is_none());
        assert_eq!(found.items.iter().map(|item| item.line).collect::<Vec<_>>(), [3, 5]);
        assert_eq!(&text[found.items[1].range.clone()], "{\"a\":\n 3}");
        assert_eq!(
            (found.skipped[0].line, &text[found.skipped[0].range.clone()]),
            (4, "{\"b\": 2}")
        );
        let last_alone = "[\n{\"a\": 1},\n{\"a\": 2}\n]";
        assert_eq!(values(last_alone), [json!({"a": 1}), json!({"a": 2})]);
        let one_line = "[{\"a\": 1}, {\"a\": 2}]";
        assert_eq!(parse_jsonl(one_line, Some(&schema), &JsonlOptions::default()).items.len(), 2);
        // Without a schema every JSON line is an item.
        assert_eq!(values(one_line), [json!([{"a": 1}, {"a": 2}])]);
    }

    /// Returns the items as TrustGraph's prompt manager finds them, according to its documentation
    /// and code. It removes the fences at the start and end of the text, and keeps the lines that
    /// are JSON.
    fn upstream(text: &str, schema: Option<&JsonSchema>) -> Vec<Value> {
        let mut text = text.trim();
        if let Some(rest) = text.strip_prefix("```") {
            text = rest.strip_prefix("json").unwrap_or(rest).trim_start();
        }
        text = text.strip_suffix("```").unwrap_or(text);
        let lines = text.split('\n').map(str::trim).filter(|line| !line.starts_with("```"));
        let values = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        values.filter(|value| schema.is_none_or(|schema| schema.is_valid(value))).collect()
    }

    /// The texts of TrustGraph's tests by topic, each truncated at every position.
    #[test]
    fn every_cut_is_read_as_upstream_reads_it() {
        let union: JsonSchema = r#"{"oneOf": [
            {"type": "object", "required": ["type", "entity"], "properties": {"type": {"const": "definition"}, "entity": {"type": "string"}}},
            {"type": "object", "required": ["type", "subject"], "properties": {"type": {"const": "relationship"}, "subject": {"type": "string"}}}]}"#
            .parse()
            .unwrap();
        let one = "{\"type\": \"definition\", \"entity\": \"Kühe\"}";
        let other = "{\"type\": \"relationship\", \"subject\": \"x\"}";
        let texts = [
            ("lines", format!("{one}\n{other}\n")),
            ("blank lines", format!("\n\n{one}\n\n  \n{other}\n\n")),
            ("carriage returns", format!("{one}\r\n{other}\r\n")),
            ("a fence", format!("```\n{one}\n{other}\n```")),
            ("a fence with a name", format!("```json\n{one}\n{other}\n```\n")),
            ("an item beside a fence", format!("```json {one}\n{other}```")),
            ("a fence in between", format!("{one}\n```\n{other}\n```\n{one}")),
            ("a truncated last line", format!("{one}\n{other}\n{{\"type\": \"defin")),
            ("invalid lines between", format!("{one}\nnot JSON\n{{\"a\": }}\n{other}\n")),
            ("lines of neither", format!("{one}\n{{\"type\": \"other\"}}\n{other}\n5\n")),
            ("nothing", "no line here is one".to_owned()),
        ];
        for (name, text) in texts {
            for cut in (0..=text.len()).filter(|&cut| text.is_char_boundary(cut)) {
                let text = &text[..cut];
                for schema in [None, Some(&union)] {
                    let found = parse_jsonl(text, schema, &JsonlOptions::default());
                    let found: Vec<Value> =
                        found.items.into_iter().map(|item| item.value).collect();
                    assert_eq!(found, upstream(text, schema), "{name}: {text:?}");
                }
            }
        }
    }

    proptest! {
        /// A text that is truncated at any byte keeps all items of the lines before the truncation.
        #[test]
        fn a_cut_loses_the_last_line_alone(lines in prop::collection::vec("(\\{\"a\": ?[0-9]{1,3}\\}|\\[\"é\"\\]|no|)", 1..6)) {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let whole = values(&text);
            let expected: Vec<Value> = lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
            prop_assert_eq!(&whole, &expected);
            for cut in (0..text.len()).filter(|&cut| text.is_char_boundary(cut)) {
                let before = text[..cut].matches('\n').count();
                let kept = lines[..before].iter().filter(|line| serde_json::from_str::<Value>(line).is_ok()).count();
                let found = values(&text[..cut]);
                prop_assert!(found.len() == kept || found.len() == kept + 1);
                prop_assert_eq!(&found[..], &whole[..found.len()]);
            }
        }

        /// A text without arrays in place of lines gives the same items as TrustGraph's code.
        /// (Here, a fence after an item that is not the last is also removed, because a stream does
        /// not know which item is the last.)
        #[test]
        fn texts_are_read_as_upstream_reads_them(lines in prop::collection::vec("(\\{\"a\":1\\}|\\[\\]|\"é\"|x|```|```json|7|\\{\"a\":|)", 0..7), tail in "(```| )?") {
            let text = lines.join("\n") + &tail;
            let found = parse_jsonl(&text, None, &JsonlOptions::default());
            if !found.from_array {
                let found: Vec<Value> = found.items.into_iter().map(|item| item.value).collect();
                prop_assert_eq!(found, upstream(&text, None), "{:?}", text);
            }
        }

        /// Reading in parts of any length gives the same result as reading the whole text.
        #[test]
        fn a_stream_gives_what_the_text_gives(text in "[\\[\\]{}\"1a`\n\ré ]{0,60}", at in prop::collection::vec(any::<prop::sample::Index>(), 0..4)) {
            let whole = parse_jsonl(&text, None, &JsonlOptions::default());
            let mut cuts: Vec<usize> = at.iter().map(|at| at.index(text.len() + 1)).filter(|&cut| text.is_char_boundary(cut)).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let mut stream = JsonlStream::new(None, JsonlOptions::default());
            let mut found = Jsonl::default();
            for pair in cuts.windows(2) {
                found.take(stream.push(&text[pair[0]..pair[1]]));
            }
            found.take(stream.finish());
            // A stream does not wait for the end of an array.
            if whole.from_array {
                return Ok(());
            }
            prop_assert_eq!(found.items, whole.items);
            prop_assert_eq!(found.skipped, whole.skipped);
            prop_assert_eq!(stream.is_truncated(), whole.truncated);
        }
    }
}
