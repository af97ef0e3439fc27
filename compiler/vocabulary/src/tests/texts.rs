//! Varied texts for the round trip, the same on every run.
//!
//! A text is a row of pieces of mixed kinds: code, JSON, scripts, emoji, control characters, runs of white space, any
//! scalar value. Left out are the names of control tokens, which a tokenizer takes as such, and `▁` (U+2581), which
//! SentencePiece's spelling cannot tell from a space.

/// SplitMix64: small, and its stream is fixed for good.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: u32) -> u32 {
        (self.next() % u64::from(limit)) as u32
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u32) as usize]
    }

    /// A character of one of these inclusive ranges.
    fn char_of(&mut self, ranges: &[(u32, u32)]) -> char {
        let (first, last) = ranges[self.below(ranges.len() as u32) as usize];
        char::from_u32(first + self.below(last - first + 1)).filter(|&c| c != '▁').unwrap_or(' ')
    }

    fn run_of(&mut self, ranges: &[(u32, u32)], longest: u32) -> String {
        (0..=self.below(longest)).map(|_| self.char_of(ranges)).collect()
    }
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

/// The text with this number; never empty.
pub(super) fn text(number: u64) -> String {
    let mut random = Random(number.wrapping_mul(0xD129_0D3B_42A3_E8F5));
    let mut text = String::new();
    for _ in 0..=random.below(24) {
        match random.below(13) {
            0 => text.push_str(random.pick(CODE)),
            1 => json(&mut random, &mut text, 3),
            2 => text.push_str(&random.run_of(CJK, 12)),
            3 => (0..=random.below(4)).for_each(|_| text.push_str(random.pick(EMOJI))),
            4 => text.push_str(&random.run_of(CONTROL, 4)),
            5 => text.push_str(&random.pick(SPACES).repeat(1 + random.below(40) as usize)),
            6 => (0..=random.below(6)).for_each(|_| text.push_str(random.pick(SPACES))),
            7 => text.push_str(&random.run_of(SCRIPTS, 10)),
            8 => (0..=random.below(4)).for_each(|_| {
                text.push(random.char_of(LETTERS));
                text.push_str(&random.run_of(COMBINING, 2));
            }),
            9 => text.push_str(&random.run_of(ANY, 6)),
            10 => text.push_str(&random.run_of(PRINTABLE, 30)),
            11 => text.push_str(&random.run_of(DIGITS, 20)),
            _ => (0..=random.below(8)).for_each(|_| {
                text.push_str(&random.run_of(LETTERS, 9));
                text.push(' ');
            }),
        }
    }
    text
}

fn json(random: &mut Random, text: &mut String, depth: u32) {
    match random.below(if depth == 0 { 4 } else { 6 }) {
        0 => text.push_str(
            random.pick(&["true", "false", "null", "-0", "1e-9", "3.25", "[]", "{}", "\"\""]),
        ),
        1 => text.push_str(&random.below(u32::MAX).to_string()),
        2 | 3 => {
            text.push('"');
            text.push_str(&random.run_of(LETTERS, 12));
            text.push_str(random.pick(&["", "\\n", "\\u00e9", "\\\"", " é", "日本"]));
            text.push('"');
        }
        4 => {
            text.push('[');
            for _ in 0..random.below(4) {
                json(random, text, depth - 1);
                text.push_str(random.pick(&[",", ", ", ",\n  "]));
            }
            text.push_str("0]");
        }
        _ => {
            text.push_str("{\n");
            for _ in 0..random.below(4) {
                text.push_str(&"  ".repeat(4 - depth as usize));
                text.push_str(&format!("\"{}\": ", random.run_of(LETTERS, 8)));
                json(random, text, depth - 1);
                text.push_str(",\n");
            }
            text.push_str("\"z\":0}");
        }
    }
}
