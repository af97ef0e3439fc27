//! Reads the texts of random sets of strings back with a JSON parser, and checks the sizes of their expressions.

use proptest::prelude::*;

use smallvec::smallvec;

use super::*;
use crate::options::Escapes;
use crate::values::pieces::Piece;
use crate::values::strings::StringSet;
use crate::values::strings::escaped::escape;
use crate::values::strings::tests::{any_recipe, any_string};
use grammarc_grammar::automata::StateBudget;
use grammarc_grammar::ir::recognize::recognizes;
use grammarc_grammar::ir::{ByteSet, Expr, GrammarBuilder, Origin};
use grammarc_test_data::{Rng, data, files};

const LIMIT: StateBudget<'static> = StateBudget::of(20_000);

/// Shared rules, expanded where they are called.
struct WrittenOut {
    character: Expr,
    special: Option<Expr>,
    tails: usize,
    named: Vec<&'static str>,
}

impl WrittenOut {
    fn new(escapes: Escapes) -> Self {
        let mut speller = spell::Speller::new(escapes);
        let special = [('\0', '\u{1f}'), ('"', '"'), ('\\', '\\'), ('\u{80}', char::MAX)];
        Self {
            character: speller.expr(&smallvec![('\0', char::MAX)]),
            special: (escapes == Escapes::Shortest).then(|| speller.expr(&special.into())),
            tails: 0,
            named: Vec::new(),
        }
    }
}

impl StringRules for WrittenOut {
    fn piece(&mut self, piece: Piece) -> Expr {
        self.tails += 1;
        let any = self.character.clone().star();
        let first = match piece {
            Piece::StringTail => Expr::Empty,
            Piece::NonEmptyStringTail => self.character.clone(),
            Piece::SpecialStringTail => self.special.clone().expect("of the shortest form alone"),
            other => panic!("{other:?} is no part of a string"),
        };
        Expr::seq([first, any, Expr::byte(b'"')])
    }

    fn counted_tail(&mut self, min: u32, max: Option<u32>) -> Expr {
        self.tails += 1;
        Expr::seq([self.character.clone().repeat(min, max), Expr::byte(b'"')])
    }

    fn characters(&mut self, min: u32, max: u32) -> Expr {
        self.character.clone().repeat(min, Some(max))
    }

    fn named_tail(&mut self, name: &'static str, content: impl FnOnce(&mut Self) -> Expr) -> Expr {
        self.named.push(name);
        content(self)
    }
}

fn form(set: &StringSet, escapes: Escapes) -> Expr {
    tail(&mut WrittenOut::new(escapes), set, Place::Value, escapes, LIMIT)
        .expect("within the limit")
}

fn accepts(expr: &Expr, text: &str) -> bool {
    let mut builder = GrammarBuilder::new();
    let root = builder.declare("root");
    builder.define(root, expr.clone(), Origin::default());
    recognizes(&builder.finish(root), text.as_bytes())
}

/// Generates the JSON text of a random string, with each character in one of its texts.
fn any_text() -> impl Strategy<Value = String> {
    (any_string(), prop::collection::vec(0u8..5, 8)).prop_map(|(string, ways)| {
        let texts = string.chars().zip(ways).map(|(c, way)| {
            let units: Vec<u16> = c.encode_utf16(&mut [0; 2]).to_vec();
            match (way, c) {
                (0, _) => units.iter().map(|unit| format!("\\u{unit:04x}")).collect(),
                (1, _) => units.iter().map(|unit| format!("\\u{unit:04X}")).collect(),
                (2, '/' | '"' | '\\') => format!("\\{c}"),
                (_, '\n') => "\\n".to_owned(),
                _ => c.to_string(),
            }
        });
        texts.collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn texts_are_those_of_the_members(
        recipe in any_recipe(),
        strings in prop::collection::vec(any_string(), 8),
        texts in prop::collection::vec(any_text(), 8),
    ) {
        let set = recipe.set();
        let (shortest, any) = (form(&set, Escapes::Shortest), form(&set, Escapes::Any));
        let written = strings.iter().map(|string| {
            let quoted = serde_json::to_string(string).expect("strings can be written");
            quoted[1..quoted.len() - 1].to_owned()
        });
        for text in texts.into_iter().chain(written) {
            let read = serde_json::from_str::<String>(&format!("\"{text}\"")).ok();
            let inside = read.as_deref().is_some_and(|string| recipe.contains(string));
            let again = read.as_ref().and_then(|string| serde_json::to_string(string).ok());
            let is_shortest = again.is_some_and(|again| again[1..again.len() - 1] == text);
            let closed = format!("{text}\"");
            prop_assert_eq!(accepts(&any, &closed), inside, "{} of {:?}", closed, set);
            prop_assert_eq!(
                accepts(&shortest, &closed), inside && is_shortest,
                "{} of {:?}, shortest", closed, set
            );
            prop_assert!(!accepts(&any, &text) || text.ends_with('"'));
        }
    }
}

#[test]
fn plain_sets_are_shared_rules() {
    let mut rules = WrittenOut::new(Escapes::Shortest);
    let mut form =
        |set: StringSet| tail(&mut rules, &set, Place::Value, Escapes::Shortest, LIMIT).unwrap();
    let (all, some) = (form(StringSet::all()), form(StringSet::lengths(1, None)));
    let (many, none) = (form(StringSet::lengths(3, Some(65_535))), form(StringSet::none()));
    assert_eq!(all, rules.piece(Piece::StringTail));
    assert_eq!(some, rules.piece(Piece::NonEmptyStringTail));
    assert_eq!(many, rules.counted_tail(3, Some(65_535)));
    assert_eq!(none, Expr::Never);
}

#[test]
fn literals_are_literals() {
    let expr = form(&StringSet::literal("a\"\n\u{1}é"), Escapes::Shortest);
    assert_eq!(expr, Expr::literal("a\\\"\\n\\u0001é\""));
    assert_eq!(form(&StringSet::literal(""), Escapes::Shortest), Expr::byte(b'"'));
}

/// Shared rules as calls of size one, so that a size is that of the text form alone.
struct Calls;

impl StringRules for Calls {
    fn piece(&mut self, piece: Piece) -> Expr {
        Expr::Bytes(ByteSet::range(0xf8, 0xf8 + piece as u8 % 8))
    }

    fn counted_tail(&mut self, _: u32, _: Option<u32>) -> Expr {
        Expr::byte(0xff)
    }

    fn characters(&mut self, _: u32, _: u32) -> Expr {
        Expr::byte(0xfe)
    }

    fn named_tail(&mut self, _: &'static str, content: impl FnOnce(&mut Self) -> Expr) -> Expr {
        content(self)
    }
}

fn size(set: &StringSet, escapes: Escapes) -> usize {
    tail(&mut Calls, set, Place::Value, escapes, LIMIT).expect("within the limit").size()
}

#[test]
fn other_names_cost_what_the_names_do() {
    let names: Vec<String> = (0..1_000u32).map(|i| format!("property-{:x}", i * 7919)).collect();
    let set = StringSet::literals(names.iter().map(String::as_str), LIMIT).unwrap();
    let rest = set.complement(StateBudget::of(usize::MAX)).unwrap();
    let (states, taken) = (rest.bands[0].language.dfa().states.len(), set.bands[0].language.dfa());
    // Each prefix takes a state with four edges: the next byte, the other plain bytes, and two calls.
    let cost = size(&rest, Escapes::Shortest);
    assert!(cost <= 12 * states, "{cost} for {states} states");
    assert!(size(&set, Escapes::Shortest) <= 6 * taken.states.len());
    let any = size(&rest, Escapes::Any);
    assert!(any <= 100 * states, "{any} for {states} states");
    // Bounds on the length as well, which only the shared rule for the rest of the string counts.
    let bounded =
        rest.intersect(&StringSet::lengths(1, Some(65_535)), StateBudget::of(usize::MAX)).unwrap();
    let bounded = size(&bounded, Escapes::Shortest);
    assert!(bounded <= 70 * states, "{bounded} for {states} states, bounded");
}

#[test]
fn counts_cost_nothing_where_a_loop_takes_them() {
    let patterns = [
        "^[a-z][a-z0-9-]*$",
        "^[^/]+$",
        "^#[^\\s!]*!{3}$",
        "^(?:urn|x):[!-~]+$",
        "^[0-9a-f]*(?:,[xyz])$",
    ];
    for pattern in patterns {
        let set = StringSet::pattern(pattern, LIMIT).unwrap();
        let sizes = [100, 65_535].map(|max| {
            let bounded = set.intersect(&StringSet::lengths(9, Some(max)), LIMIT).unwrap();
            (size(&bounded, Escapes::Shortest), size(&bounded, Escapes::Any))
        });
        assert_eq!(sizes[0], sizes[1], "{pattern}");
    }
    let words = StringSet::pattern("^[a-z]+(?: [a-z]+)*$", LIMIT).unwrap();
    let sizes = [5_000, 65_535].map(|max| {
        let bounded = words.intersect(&StringSet::lengths(0, Some(max)), LIMIT).unwrap();
        size(&bounded, Escapes::Shortest)
    });
    assert_eq!(sizes[0], sizes[1]);
    let bounded = words.intersect(&StringSet::lengths(0, Some(60)), LIMIT).unwrap();
    assert!(size(&bounded, Escapes::Shortest) < 2_000);
}

#[test]
fn rests_of_common_characters_are_shared_in_values_alone() {
    for (pattern, named, accepted, refused) in [
        ("^[A-Z]\\w*$", &["\\w*"][..], ["A\"", "Aa_9\""], ["\"", "A-\""]),
        ("^#?[a-z0-9-]+$", &["[a-z0-9-]*", "[a-z0-9-]+"], ["#a-\"", "0\""], ["#\"", "\""]),
        ("^(?:a[0-9]*|b.*)$", &["[0-9]*", ".*"], ["a7\"", "b a\""], ["ab\"", "b\\n\""]),
        ("^[a-z]+(?:-[a-z]+)*$", &[], ["a-b\"", "ab\""], ["a-\"", "-b\""]),
    ] {
        let set = StringSet::pattern(pattern, LIMIT).unwrap();
        for (place, expected) in [(Place::Value, named), (Place::Key, &[])] {
            let mut rules = WrittenOut::new(Escapes::Shortest);
            let expr = tail(&mut rules, &set, place, Escapes::Shortest, LIMIT).unwrap();
            rules.named.sort_unstable_by_key(|name| named.iter().position(|other| other == name));
            assert_eq!(rules.named, expected, "{pattern}, {place:?}");
            assert!(accepted.iter().all(|text| accepts(&expr, text)), "{pattern}, {place:?}");
            assert!(!refused.iter().any(|text| accepts(&expr, text)), "{pattern}, {place:?}");
        }
    }
}

#[test]
fn patterns_that_count_far_are_as_large_as_they_are_written() {
    let patterns = [
        r"^$|(^(?:\S+\s+){3,70}\S+$)",
        "^(?:[a-f]{2}:){2,60}[a-f]{2}$",
        r#"^(?:[a-z"\\é]{1,40}, ){0,5}x?$"#,
    ];
    let parts = ["a", "ab", "c", "é", " ", ", ", ":", "-", "\n", "x", "\"", "\\"];
    let mut rng = Rng::new(1);
    let mut accepted = 0;
    for pattern in patterns {
        for bounds in [(0, None), (4, Some(30))] {
            let lengths = StringSet::lengths(bounds.0, bounds.1);
            let set =
                StringSet::pattern(pattern, LIMIT).unwrap().intersect(&lengths, LIMIT).unwrap();
            for escapes in [Escapes::Shortest, Escapes::Any] {
                let expr = form(&set, escapes);
                assert!(expr.size() < 1_000, "{pattern}: {}", expr.size());
                for round in 0..36 {
                    let unit: Vec<&str> =
                        (0..1 + rng.below(3)).map(|_| *rng.pick(&parts)).collect();
                    let unit = match round % 6 {
                        0 => "a ".to_owned(),
                        1 => "ab:".to_owned(),
                        2 => "é\"a, ".to_owned(),
                        _ => unit.concat(),
                    };
                    let text = format!("{}{}", unit.repeat(rng.below(12)), parts[rng.below(2)]);
                    let expected = set.contains(&text);
                    accepted += usize::from(expected);
                    let written = format!("{}\"", escape(&text));
                    assert_eq!(accepts(&expr, &written), expected, "{pattern} on {text}");
                }
            }
        }
    }
    assert!(accepted > 30, "{accepted}");
}

#[test]
fn a_fixed_number_of_common_characters_is_a_repetition() {
    let size = |place, pattern: &str| {
        let set = StringSet::pattern(pattern, LIMIT).unwrap();
        tail(&mut Calls, &set, place, Escapes::Shortest, LIMIT).unwrap().size()
    };
    for count in [1, 2, 7, 24, 36, 200] {
        let pattern = format!("^[0-9a-f]{{{count}}}-[A-Za-z0-9]{{{count}}}$");
        assert!(size(Place::Value, &pattern) < 16, "{pattern}");
        assert!(size(Place::Key, &pattern) >= 2 * count, "{pattern} as a key");
        let expr = form(&StringSet::pattern(&pattern, LIMIT).unwrap(), Escapes::Shortest);
        for (first, second) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 1), (1, 2)] {
            let text =
                format!("{}-{}\"", "a".repeat(count + first - 1), "Z".repeat(count + second - 1));
            assert_eq!(accepts(&expr, &text), (first, second) == (1, 1), "{pattern}: {text}");
        }
    }
    // A repetition with another edge into its middle must not be joined.
    let set = StringSet::pattern("^(?:a|[0-9a-f]{4})[0-9a-f]{4}$", LIMIT).unwrap();
    let expr = form(&set, Escapes::Shortest);
    for count in 0..12 {
        let text = format!("{}\"", "a".repeat(count));
        assert_eq!(accepts(&expr, &text), matches!(count, 5 | 8), "{count}");
    }
}

/// Every pattern with bounds on the length in real schemas has a text form.
#[expect(clippy::print_stderr, reason = "figures, and a skipped test says so")]
#[test]
fn real_bounds_on_real_patterns() {
    let Some(folder) = data("maskbench") else {
        eprintln!("SKIPPED: no MaskBench data; set GRAMMARC_DATA");
        return;
    };
    let mut cases = std::collections::BTreeSet::new();
    for (_, case) in files(&folder) {
        collect(&case["schema"], &mut cases);
    }
    let mut figures = Vec::new();
    for (pattern, min, max) in &cases {
        let start = std::time::Instant::now();
        let set = StringSet::pattern(pattern, LIMIT).expect(pattern);
        let set = set.intersect(&StringSet::lengths(*min, *max), LIMIT).expect(pattern);
        let expr = tail(&mut Calls, &set, Place::Value, Escapes::Shortest, LIMIT);
        let size = expr.expect(pattern).size();
        figures.push((size, start.elapsed(), pattern, *min, *max));
    }
    figures.sort();
    let largest: Vec<_> = figures.iter().rev().take(5).collect();
    eprintln!(
        "{} cases; size p50 {}; largest {largest:#?}",
        figures.len(),
        figures[figures.len() / 2].0
    );
}

fn collect(
    value: &serde_json::Value,
    cases: &mut std::collections::BTreeSet<(String, u32, Option<u32>)>,
) {
    if let Some(text) = value["pattern"].as_str() {
        let bound = |key: &str| value[key].as_u64().and_then(|bound| u32::try_from(bound).ok());
        let (min, max) = (bound("minLength"), bound("maxLength"));
        if min.is_some() || max.is_some() {
            cases.insert((text.to_owned(), min.unwrap_or(0), max));
        }
    }
    match value {
        serde_json::Value::Object(members) => {
            members.values().for_each(|value| collect(value, cases));
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| collect(item, cases)),
        _ => {}
    }
}
