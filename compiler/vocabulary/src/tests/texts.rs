//! Generates varied texts for the round trip, the same on every run.
//!
//! A text is a sequence of mixed pieces: code, JSON, scripts, emoji, control characters, runs of white space, any
//! scalar value. Names of control tokens are left out, since a tokenizer treats them as such. So is `▁` (U+2581), which
//! SentencePiece's spelling cannot distinguish from a space.

use grammarc_test_data::Rng;

fn word<'a>(rng: &mut Rng, words: &[&'a str]) -> &'a str {
    words[rng.below(words.len())]
}

/// Returns a character of one of the ranges, whose ends are inclusive.
fn char_of(rng: &mut Rng, ranges: &[(u32, u32)]) -> char {
    let &(first, last) = rng.pick(ranges);
    let code = first + rng.below((last - first + 1) as usize) as u32;
    char::from_u32(code).filter(|&c| c != '▁').unwrap_or(' ')
}

fn run_of(rng: &mut Rng, ranges: &[(u32, u32)], longest: usize) -> String {
    (0..=rng.below(longest)).map(|_| char_of(rng, ranges)).collect()
}

const CODE: &[&str] = &[
    "fn main() {\n    let x: Vec<u8> = vec![0; 10];\n    println!(\"{x:?}\");\n}\n",
    "def f(a, *b, **c):\n\treturn [i**2 for i in a if i % 2 == 0]  # even\n",
    "for(int i=0;i<n;++i){sum+=a[i]<<2|0xFFu;}\r\n",
    "const re = /^\\s*(?:\\d+|[a-z_]\\w*)\\s*$/giu;\n",
    "SELECT COUNT(*) FROM t WHERE a <> 'it''s' AND b IS NOT NULL;",
    "<table class=\"x\"><tr><td>&nbsp;1</td></tr></table><br/>\n",
    "$ grep -rn 'a|b' src/ | awk '{print $1}' >> out.txt\n",
    "\\begin{align} \\frac{1}{2} &= \\int_0^1 x\\,dx \\\\ \\end{align}",
    "----\n====\n****\n||||\n####\n",
    "can't we'll THEY'RE I'd You'Ve",
];

const EMOJI: &[&str] = &["😀", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "👍🏽", "🇩🇪🇯🇵", "1️⃣", "🧑🏿‍🚀", "❤️‍🔥", "☺︎", "🫨", "‍"];

const SPACES: &[&str] = &[
    " ", "\t", "\n", "\r\n", "\r", "\u{a0}", "\u{3000}", "\u{2028}", "\u{2029}", "\u{b}", "\u{c}",
    "\u{200b}", "\u{feff}",
];

const CJK: &[(u32, u32)] = &[
    (0x4E00, 0x9FFF),
    (0x3040, 0x30FF),
    (0xAC00, 0xD7A3),
    (0x20000, 0x2A6DF),
    (0xFF01, 0xFF5E),
    (0x3000, 0x303F),
];
const SCRIPTS: &[(u32, u32)] = &[
    (0x00A1, 0x024F),
    (0x0370, 0x03FF),
    (0x0400, 0x04FF),
    (0x0590, 0x05F4),
    (0x0600, 0x06FF),
    (0x0900, 0x097F),
    (0x0E01, 0x0E5B),
    (0x1E00, 0x1EFF),
    (0x10A0, 0x10FF),
    (0x1D400, 0x1D7FF),
];
const COMBINING: &[(u32, u32)] = &[(0x0300, 0x036F), (0x1100, 0x11FF), (0x3099, 0x309A)];
const CONTROL: &[(u32, u32)] = &[(0x00, 0x1F), (0x7F, 0x9F)];
const PRINTABLE: &[(u32, u32)] = &[(0x20, 0x3B), (0x3D, 0x7E)];
const LETTERS: &[(u32, u32)] = &[(0x41, 0x5A), (0x61, 0x7A)];
const DIGITS: &[(u32, u32)] = &[(0x30, 0x39)];
const ANY: &[(u32, u32)] = &[(0x00, 0xD7FF), (0xE000, 0xFFFF), (0x10000, 0x10FFFF)];

/// Returns the text with this number, which is never empty.
pub(super) fn text(number: u64) -> String {
    let mut rng = Rng::new(number);
    let mut text = String::new();
    for _ in 0..=rng.below(24) {
        match rng.below(13) {
            0 => text.push_str(word(&mut rng, CODE)),
            1 => json(&mut rng, &mut text, 3),
            2 => text.push_str(&run_of(&mut rng, CJK, 12)),
            3 => (0..=rng.below(4)).for_each(|_| text.push_str(word(&mut rng, EMOJI))),
            4 => text.push_str(&run_of(&mut rng, CONTROL, 4)),
            5 => text.push_str(&word(&mut rng, SPACES).repeat(1 + rng.below(40))),
            6 => (0..=rng.below(6)).for_each(|_| text.push_str(word(&mut rng, SPACES))),
            7 => text.push_str(&run_of(&mut rng, SCRIPTS, 10)),
            8 => (0..=rng.below(4)).for_each(|_| {
                text.push(char_of(&mut rng, LETTERS));
                text.push_str(&run_of(&mut rng, COMBINING, 2));
            }),
            9 => text.push_str(&run_of(&mut rng, ANY, 6)),
            10 => text.push_str(&run_of(&mut rng, PRINTABLE, 30)),
            11 => text.push_str(&run_of(&mut rng, DIGITS, 20)),
            _ => (0..=rng.below(8)).for_each(|_| {
                text.push_str(&run_of(&mut rng, LETTERS, 9));
                text.push(' ');
            }),
        }
    }
    text
}

fn json(rng: &mut Rng, text: &mut String, depth: u32) {
    match rng.below(if depth == 0 { 4 } else { 6 }) {
        0 => text.push_str(word(
            rng,
            &["true", "false", "null", "-0", "1e-9", "3.25", "[]", "{}", "\"\""],
        )),
        1 => text.push_str(&rng.below(u32::MAX as usize).to_string()),
        2 | 3 => {
            text.push('"');
            text.push_str(&run_of(rng, LETTERS, 12));
            text.push_str(word(rng, &["", "\\n", "\\u00e9", "\\\"", " é", "日本"]));
            text.push('"');
        }
        4 => {
            text.push('[');
            for _ in 0..rng.below(4) {
                json(rng, text, depth - 1);
                text.push_str(word(rng, &[",", ", ", ",\n  "]));
            }
            text.push_str("0]");
        }
        _ => {
            text.push_str("{\n");
            for _ in 0..rng.below(4) {
                text.push_str(&"  ".repeat(4 - depth as usize));
                text.push_str(&format!("\"{}\": ", run_of(rng, LETTERS, 8)));
                json(rng, text, depth - 1);
                text.push_str(",\n");
            }
            text.push_str("\"z\":0}");
        }
    }
}
