//! The lattice: all readings of the next lexeme at a position of the source.
//!
//! A reading is a step with a cost. Its meaning is a JSON lexeme, and the search takes the step
//! only if the grammar accepts this lexeme. So the keys, enums and types of the schema choose
//! between readings. Readings are generated in bands of cost. Expensive readings at valid positions
//! are generated only if the whole repair is as expensive.

use crate::scan::skip_space;

use super::costs::{self, Cost, Styles};
use super::layout::Layout;
use super::numbers::{digits, goes_on, number};
use super::outside::{self, other_space};
use super::quotes::{prefix_len, quote_at};
use super::spell;
use super::strings::{self, Lack, Priced, StringReading};
use super::wide;

/// The step of a reading: how the next lexeme of the source is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The document starts. The text before it is removed.
    Start,
    /// A valid JSON lexeme is read as it is.
    Read,
    /// A string is read, which may need repairs.
    String(StringReading),
    /// A literal of another language is replaced by this JSON literal.
    Literal(&'static str),
    /// A separator or bracket of another notation is replaced by this JSON character.
    Mark(u8),
    /// A word for a missing value, such as `NaN`, becomes null. Only with `coerce`.
    Nothing,
    /// A number in a form that JSON does not allow is rewritten.
    Number,
    /// A comment is removed.
    Comment,
    /// White space that JSON does not allow is removed.
    Space,
    /// A superfluous separator or bracket is removed.
    Delete,
    /// This missing separator or bracket is inserted.
    Insert(u8),
    /// This closing bracket is inserted at the end of the document.
    Close(u8),
    /// An incomplete item or member at the end of the text is removed.
    Tail,
    /// The document ends. The text after it is removed.
    End,
}

/// A possible step at a position of the source (one reading of the next lexeme), with its end and
/// its cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    pub(super) step: Step,
    /// Byte offset after the lexeme of the step.
    pub(super) end: usize,
    pub(super) cost: Cost,
    /// All styles used so far, including those of this step.
    pub(super) styles: Styles,
}

/// A range of costs: the start is inclusive, the end exclusive.
pub(super) type Band = (Cost, Cost);

/// The bands of costs in which the readings at a position are generated, the cheapest first. A
/// later band is only generated if the search gets that far.
pub(super) const BANDS: [Band; 3] = [(0, 2), (2, 3), (3, Cost::MAX)];

/// Number of bytes within which a tuple must have its first comma. This bounds the cost of many
/// parentheses. A parenthesis without a comma in this range is not read as a tuple.
const TUPLE: usize = 1024;

/// A position of the source, with the state of the document there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) at: usize,
    /// The styles that the document has used before this position.
    pub(super) styles: Styles,
    /// Whether no lexeme of the document was read yet.
    pub(super) is_root: bool,
    /// Maximum cost of a move. More expensive moves are not generated.
    pub(super) most: Cost,
    /// Whether words for a missing value, such as `NaN`, become null.
    pub(super) coerce: bool,
    /// Whether the grammar accepts a string here, but no number.
    pub(super) text: bool,
}

/// Buffers that are reused from one position to the next.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    strings: Vec<Priced>,
}

/// Appends the moves at a position whose costs are within a band. Returns the number of bytes that
/// were scanned.
pub(super) fn moves(
    source: &str,
    place: Place,
    band: Band,
    layout: &Layout,
    buffers: &mut Buffers,
    found: &mut Vec<Move>,
) -> usize {
    let bytes = source.as_bytes();
    let Place { at, styles, is_root, most, coerce, text } = place;
    let (least, below) = band;
    let mut add = |step: Step, end: usize, cost: Cost, used: Styles| {
        let price = cost + styles.price(used);
        if (least..below).contains(&price) && price <= most {
            found.push(Move { step, end, cost: price, styles: styles.with(used) });
        }
    };
    let clean = clean(bytes, at);
    let mut looked = clean.map_or(0, |end| end - at);
    if let Some(end) = clean {
        add(Step::Read, end, 0, Styles::NONE);
    }
    let ends = outside::is_end(bytes, at);
    if ends && !is_root {
        for byte in [b'}', b']'].into_iter().filter(|byte| !styles.has_lost(*byte)) {
            add(Step::Close(byte), at, 0, Styles::ENDED);
        }
    }
    if let Some(&byte) = bytes.get(at).filter(|_| !ends) {
        let is_quote = quote_at(bytes, at).is_some();
        // A Python string may have a prefix `u`, for text.
        let (quote, prefix) = match byte {
            b'u' | b'U' if prefix_len(bytes, at) == 1 => (at + 1, Styles::LITERALS),
            _ => (at, Styles::NONE),
        };
        // If the string is valid, every other reading of it is more expensive.
        if (is_quote || quote > at) && (least > 0 || clean.is_none()) {
            buffers.strings.clear();
            looked += strings::quoted(bytes, quote, most, layout, &mut buffers.strings);
            for priced in &buffers.strings {
                let end = priced.reading.end as usize;
                let is_clean = clean == Some(end) && priced.reading.lack == Lack::None;
                if !is_clean && (!is_root || priced.reading.lack != Lack::Close) {
                    let styles = priced.styles.with(prefix);
                    add(Step::String(priced.reading), end, priced.cost, styles);
                }
            }
        }
        if let Some(end) = comment(bytes, at) {
            looked += end - at;
            let data = bytes[at..end].iter().any(|byte| b"\"{}[]".contains(byte));
            // A comment with structure that extends to the end of the source would hide the rest of
            // the document.
            if !(data && end == bytes.len()) {
                let cost = if data { costs::COMMENT_DATA } else { 0 };
                add(Step::Comment, end, cost, Styles::COMMENTS);
            }
        }
        if !byte.is_ascii() {
            let end = other_space(source, at);
            if end > at {
                add(Step::Space, end, 0, Styles::SPACES);
            }
        }
        if let Some((literal, end)) = literal(bytes, at) {
            add(Step::Literal(literal), end, 0, Styles::LITERALS);
        }
        if let Some((mark, end)) = mark(bytes, at)
            && (!is_root || (byte != b'(' && matches!(mark, b'{' | b'[')))
        {
            add(Step::Mark(mark), end, 0, Styles::SEPARATORS);
        }
        if coerce && let Some(end) = nothing(bytes, at) {
            add(Step::Nothing, end, 0, Styles::LITERALS);
        }
        if !is_root && let Some(end) = bare_key(bytes, at) {
            add(Step::String(StringReading::bare(at, end)), end, 0, Styles::BARE_KEYS);
        }
        if below == Cost::MAX {
            if let Some(end) = number(bytes, at) {
                add(Step::Number, end, costs::NUMBER, Styles::NONE);
            }
            let (cost, lost) = match byte {
                b',' | b':' => (Some(costs::DELETE), Styles::NONE),
                b'}' | b']' => (Some(costs::DELETE), Styles::lost(byte)),
                b'{' | b'[' if !styles.has_lost(byte) => (Some(costs::DELETE_OPENER), Styles::NONE),
                _ => (None, Styles::NONE),
            };
            if let Some(cost) = cost.filter(|_| !is_root) {
                add(Step::Delete, at + 1, cost, lost);
            }
            let is_other = is_quote || (byte == b'(' && is_tuple(bytes, at));
            if !is_root && !is_other {
                buffers.strings.clear();
                looked += strings::unquoted(bytes, at, most, text, &mut buffers.strings);
                for priced in &buffers.strings {
                    add(
                        Step::String(priced.reading),
                        priced.reading.end as usize,
                        priced.cost,
                        Styles::NONE,
                    );
                }
            }
        }
    }
    if below == Cost::MAX && !is_root {
        for byte in [b',', b':', b'}', b']'].into_iter().filter(|byte| !styles.has_lost(*byte)) {
            if !(ends && matches!(byte, b'}' | b']' | b',')) {
                add(Step::Insert(byte), at, costs::INSERT, Styles::NONE);
            }
        }
    }
    looked
}

/// Returns the end of the valid JSON lexeme at an offset. `None` if there is none.
fn clean(source: &[u8], at: usize) -> Option<usize> {
    match *source.get(at)? {
        b'{' | b'}' | b'[' | b']' | b',' | b':' => Some(at + 1),
        b'"' => strings::clean(source, at),
        b't' => word(source, at, b"true"),
        b'f' => word(source, at, b"false"),
        b'n' => word(source, at, b"null"),
        b'-' | b'0'..=b'9' => digits(source, at),
        _ => None,
    }
}

/// Returns the end of `word` at an offset. `None` if the source has another word there, or a longer
/// one.
fn word(source: &[u8], at: usize, word: &[u8]) -> Option<usize> {
    let end = at + word.len();
    (source[at..].starts_with(word) && !goes_on(source, end)).then_some(end)
}

/// Returns the JSON literal for a literal of another language, and the end of that literal. `None`
/// if there is none at the offset.
fn literal(source: &[u8], at: usize) -> Option<(&'static str, usize)> {
    const OTHERS: [(&str, &str); 7] = [
        ("True", "true"),
        ("False", "false"),
        ("None", "null"),
        ("TRUE", "true"),
        ("FALSE", "false"),
        ("NULL", "null"),
        ("Null", "null"),
    ];
    if !source[at].is_ascii_alphabetic() {
        return None;
    }
    OTHERS.iter().find_map(|(other, literal)| Some((*literal, word(source, at, other.as_bytes())?)))
}

/// Returns the JSON character for a separator or bracket of another notation, and the end of that
/// one. `None` if there is none at the offset.
fn mark(source: &[u8], at: usize) -> Option<(u8, usize)> {
    match source[at] {
        b';' => Some((b',', at + 1)),
        b'=' => Some((b':', at + 1 + usize::from(source.get(at + 1) == Some(&b'>')))),
        b'(' if is_tuple(source, at) => Some((b'[', at + 1)),
        b')' => Some((b']', at + 1)),
        _ => wide::mark(source, at).map(|(mark, len)| (mark, at + len)),
    }
}

/// Whether the parenthesis at `at` opens a Python tuple. A tuple starts like a value and has a
/// comma at its top level, or is empty. Prose in parentheses starts with a word.
fn is_tuple(source: &[u8], at: usize) -> bool {
    let source = &source[..source.len().min(at + TUPLE)];
    let begins = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'[' | b'{' | b'(' | b'"' | b'\'');
    match source.get(skip_space(source, at + 1)) {
        Some(b')') => return true,
        Some(byte) if begins(byte) => {}
        _ => return false,
    }
    let (mut depth, mut from) = (0_usize, at);
    while let Some(&byte) = source.get(from) {
        match byte {
            b'"' | b'\'' => {
                let Some(close) = memchr::memchr(byte, &source[from + 1..]) else { return false };
                from += close + 1;
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return false;
                }
            }
            b',' if depth == 1 => return true,
            _ => {}
        }
        from += 1;
    }
    false
}

/// Returns the end of a word of another language for NaN, infinity or a missing value. `None` if
/// there is none at the offset.
fn nothing(source: &[u8], at: usize) -> Option<usize> {
    const WORDS: [&[u8]; 4] = [b"NaN", b"nan", b"Infinity", b"undefined"];
    let from = at + usize::from(source[at] == b'-');
    WORDS.iter().find_map(|known| word(source, from, known))
}

/// Returns the end of an unquoted key: a name or a number before a colon. `None` if there is none
/// at the offset.
fn bare_key(source: &[u8], at: usize) -> Option<usize> {
    let rest = &source[at..];
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let end = at + spell::name_len(rest).max(digits);
    let is_key = end > at
        && quote_at(source, at).is_none()
        && wide::any_mark(source, skip_space(source, end)).is_some_and(|(mark, _)| mark == b':');
    is_key.then_some(end)
}

/// Returns the end of a comment: the end of the line, or the offset after `*/`. `None` if no
/// comment starts at `at`. A `//` directly after a colon is not a comment, because it may belong to
/// a URL without an opening quote.
fn comment(source: &[u8], at: usize) -> Option<usize> {
    let rest = &source[at..];
    if rest.starts_with(b"/*") {
        return rest[2..].windows(2).position(|two| two == b"*/").map(|found| at + 2 + found + 2);
    }
    let is_address = at > 0 && source[at - 1] == b':';
    let opens = !is_address && (rest.starts_with(b"//") || rest.starts_with(b"#"));
    opens.then(|| memchr::memchr(b'\n', rest).map_or(source.len(), |end| at + end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lexemes_end_where_nothing_goes_on_with_them() {
        for (text, end) in [
            ("12,", Some(2)),
            ("12a", None),
            ("-0.5e+3]", Some(7)),
            ("truely", None),
            ("true}", Some(4)),
            ("01", None),
            ("\"a\\\"\":", Some(5)),
        ] {
            assert_eq!(clean(text.as_bytes(), 0), end, "{text}");
        }
    }
}
