//! Texts that are cut at every byte, judged by an oracle of its own: what the document says of what is left of it.
//!
//! The oracle never looks at the cut text. It knows where in the whole text each part of the value stands, and takes the parts
//! that are whole before the cut: an open number, literal or key is dropped, an open string kept to its last whole character.
//!
//! `GRAMMARC_FULL=1` takes 200 documents in place of 24.

use grammarc_json::repair::{OpenStrings, RepairOptions, repair, replay};
use grammarc_test_data::Rng;
use serde_json::{Map, Value};

/// A part of a document and where it stands.
enum Part {
    /// A literal and where it ends.
    Literal(Value, usize),
    /// A number, from and to.
    Number(usize, usize),
    /// A string: its characters with the ends of their spellings, from its quote and to behind the other.
    String(Vec<(char, usize)>, usize, usize),
    Array(Vec<Part>, usize),
    /// Members: the key, where it ends, its value.
    Object(Vec<(String, usize, Part)>, usize),
}

/// Writes a document, and says where its parts stand.
struct Writer {
    rng: Rng,
    text: String,
    /// Compact, with spaces, or with lines.
    form: u64,
}

impl Writer {
    /// White space: some, the line of a level, or none.
    fn space(&mut self, level: Option<usize>) {
        match (self.form, level) {
            (1, _) => self.text.push_str(["", " ", "  "][self.rng.below(3)]),
            (2, Some(level)) => self.text.push_str(&format!("\n{}", "  ".repeat(level))),
            _ => {}
        }
    }

    fn characters(&mut self) -> (Vec<(char, usize)>, String) {
        const CHARACTERS: [(char, &str); 12] = [
            ('a', "a"),
            ('b', "b"),
            (' ', " "),
            (',', ","),
            ('}', "}"),
            ('"', "\\\""),
            ('\\', "\\\\"),
            ('\n', "\\n"),
            ('é', "é"),
            ('日', "\\u65e5"),
            ('🎉', "🎉"),
            ('🎉', "\\ud83c\\udf89"),
        ];
        let mut found = Vec::new();
        let mut value = String::new();
        self.text.push('"');
        for _ in 0..self.rng.below(6) {
            let (character, spelling) = CHARACTERS[self.rng.below(CHARACTERS.len())];
            self.text.push_str(spelling);
            value.push(character);
            found.push((character, self.text.len()));
        }
        self.text.push('"');
        (found, value)
    }

    fn part(&mut self, depth: usize) -> Part {
        let start = self.text.len();
        let kind = match depth {
            0 => 4 + self.rng.below(2),
            4 => self.rng.below(4),
            _ => self.rng.below(6),
        };
        match kind {
            0 => {
                let (value, name) =
                    [(Value::Null, "null"), (true.into(), "true"), (false.into(), "false")]
                        [self.rng.below(3)]
                    .clone();
                self.text.push_str(name);
                Part::Literal(value, self.text.len())
            }
            1 => {
                let number =
                    ["0", "-1", "12", "345", "1.5", "-20.25", "3e5", "1.5E-3"][self.rng.below(8)];
                self.text.push_str(number);
                Part::Number(start, self.text.len())
            }
            2 | 3 => {
                let (characters, _) = self.characters();
                Part::String(characters, start, self.text.len())
            }
            4 => {
                self.text.push('[');
                let mut items = Vec::new();
                for at in 0..self.rng.below(4) {
                    if at > 0 {
                        self.text.push(',');
                    }
                    self.space(Some(depth + 1));
                    items.push(self.part(depth + 1));
                }
                self.space(Some(depth).filter(|_| !items.is_empty()));
                self.text.push(']');
                Part::Array(items, start)
            }
            _ => {
                self.text.push('{');
                let mut members = Vec::new();
                for at in 0..self.rng.below(4) {
                    if at > 0 {
                        self.text.push(',');
                    }
                    self.space(Some(depth + 1));
                    let key = ["a", "b c", "d:e", "é", "f"][at].to_owned();
                    self.text.push_str(&format!("\"{key}\""));
                    let end = self.text.len();
                    self.space(None);
                    self.text.push(':');
                    self.space(None);
                    members.push((key, end, self.part(depth + 1)));
                }
                self.space(Some(depth).filter(|_| !members.is_empty()));
                self.text.push('}');
                Part::Object(members, start)
            }
        }
    }
}

/// The options of a cut.
#[derive(Clone, Copy)]
struct Asked {
    cut: usize,
    /// Open strings are dropped.
    drop: bool,
    /// A number at the cut is taken for what there is of it.
    numbers: bool,
}

/// The rest of a part of a text in front of a cut; none if nothing is left.
fn left(text: &str, part: &Part, asked: Asked) -> Option<Value> {
    let Asked { cut, drop, numbers } = asked;
    let is_whole = |end: usize| end <= cut;
    match part {
        Part::Literal(value, end) => is_whole(*end).then(|| value.clone()),
        Part::Number(start, end) => {
            let is_there = *end < cut || (numbers && *start < cut);
            is_there.then(|| serde_json::from_str(&text[*start..*end.min(&cut)]).ok()).flatten()
        }
        Part::String(characters, start, end) => {
            if *start >= cut || (drop && !is_whole(*end)) {
                return None;
            }
            let whole = characters.iter().filter(|(_, end)| is_whole(*end));
            Some(whole.map(|(character, _)| *character).collect::<String>().into())
        }
        Part::Array(items, start) => {
            let items = items.iter().filter_map(|item| left(text, item, asked));
            (*start < cut).then(|| items.collect())
        }
        Part::Object(members, start) => (*start < cut).then(|| {
            let found = members.iter().filter(|(_, end, _)| is_whole(*end));
            let found =
                found.filter_map(|(key, _, part)| Some((key.clone(), left(text, part, asked)?)));
            Value::Object(found.collect::<Map<_, _>>())
        }),
    }
}

/// Whether a number that may go on ends at the cut.
fn ends_in_number(text: &str) -> bool {
    text.ends_with(|c: char| c.is_ascii_digit())
}

#[test]
fn every_cut_is_read_as_the_document_says() {
    let documents = if std::env::var_os("GRAMMARC_FULL").is_some() { 200 } else { 24 };
    let (mut cuts, mut refused) = (0_u64, 0_u64);
    for seed in 0..documents {
        let mut writer = Writer { rng: Rng::new(seed), text: String::new(), form: seed % 3 };
        let document = writer.part(0);
        let text = writer.text;
        assert!(serde_json::from_str::<Value>(&text).is_ok(), "{text}");
        for cut in (0..text.len()).filter(|&cut| text.is_char_boundary(cut)) {
            for (strings, known) in
                [(OpenStrings::Keep, true), (OpenStrings::Drop, true), (OpenStrings::Keep, false)]
            {
                let source = &text[..cut];
                // If it is not known to be cut, a string may lack its quote before a mark.
                if !known && open_string(source).is_some_and(|open| open.contains([',', '}'])) {
                    continue;
                }
                let options = RepairOptions { strings, cut: known, ..RepairOptions::default() };
                let drop = strings == OpenStrings::Drop;
                let expected = left(&text, &document, Asked { cut, drop, numbers: !known });
                cuts += 1;
                match (repair(source, None, &options), expected) {
                    (Ok(repaired), Some(expected)) => {
                        assert_eq!(
                            repaired.value, expected,
                            "{source}, {strings:?}, known {known}: {}",
                            repaired.text
                        );
                        assert_eq!(replay(source, &repaired.edits), repaired.text);
                        assert!(repaired.truncated || source.trim_end() != source, "{source}");
                        // A text that is not known to be cut may have been whole: then its last number says that it may
                        // go on.
                        assert!(
                            known
                                || repaired.ambiguous
                                || !ends_in_number(source)
                                || open_string(source).is_some(),
                            "{source}"
                        );
                    }
                    (Err(_), None) => refused += 1,
                    (result, expected) => panic!(
                        "{source:?}, {strings:?}, known {known}: {result:?} and not {expected:?}"
                    ),
                }
            }
        }
    }
    assert!(cuts > 10 * documents, "{cuts} cuts");
    // Nothing is left before the first byte alone.
    assert_eq!(refused, 3 * documents);
}

/// The string that is open at the end of the beginning of a JSON text.
fn open_string(text: &str) -> Option<&str> {
    let (mut open, mut escaped) = (None, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = open.is_some(),
            b'"' => open = if open.is_some() { None } else { Some(at + 1) },
            _ => {}
        }
    }
    Some(&text[open?..])
}
