//! The features that a regular expression of ECMA-262 uses, found by one scan of its text.

/// The features that conditions can name.
pub(crate) const FEATURES: [&str; 17] = [
    "anchor",
    "anchored-alternatives",
    "backreference",
    "class-escape",
    "dot",
    "lazy",
    "lookahead",
    "lookaround",
    "lookbehind",
    "named-group",
    "needless-escape",
    "not-ascii",
    "property-escape",
    "quotation-mark",
    "unanchored",
    "word-boundary",
    "open-end",
];

/// A token of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'p> {
    /// An escape outside or inside of a class, with the letter after the backslash.
    Escape { letter: char, in_class: bool },
    /// `(`, with what follows it: empty, or `?:`, `?=`, `?!`, `?<=`, `?<!`, `?<`.
    Open(&'p str),
    /// `)`.
    Close,
    /// A quantifier: `*`, `+`, `?` or a count in braces.
    Repeat(&'p str),
    /// Any other character outside of classes.
    Letter(char),
    /// A character inside a class, including its brackets.
    InClass(char),
}

/// Calls `visit` with the byte offset of each token of a pattern, and the token.
pub(crate) fn scan(pattern: &str, mut visit: impl FnMut(usize, Token<'_>)) {
    let mut in_class = false;
    let mut rest = pattern.char_indices().peekable();
    while let Some((at, letter)) = rest.next() {
        match letter {
            '\\' => {
                let letter = rest.next().map_or('\\', |(_, letter)| letter);
                visit(at, Token::Escape { letter, in_class });
                continue;
            }
            ']' if in_class => {
                in_class = false;
                visit(at, Token::InClass(letter));
            }
            _ if in_class => visit(at, Token::InClass(letter)),
            '[' => {
                in_class = true;
                visit(at, Token::InClass(letter));
            }
            '(' => {
                let after = &pattern[at + 1..];
                let kinds = ["?:", "?=", "?!", "?<=", "?<!", "?<"];
                let kind = kinds.iter().find(|kind| after.starts_with(**kind)).unwrap_or(&"");
                for _ in 0..kind.len() {
                    rest.next();
                }
                visit(at, Token::Open(kind));
            }
            ')' => visit(at, Token::Close),
            '*' | '+' | '?' => visit(at, Token::Repeat(&pattern[at..=at])),
            '{' => {
                let end = pattern[at..].find('}').map(|end| at + end);
                match end.filter(|&end| is_count(&pattern[at + 1..end])) {
                    Some(end) => {
                        while rest.peek().is_some_and(|&(next, _)| next <= end) {
                            rest.next();
                        }
                        visit(at, Token::Repeat(&pattern[at..=end]));
                    }
                    None => visit(at, Token::Letter(letter)),
                }
            }
            letter => visit(at, Token::Letter(letter)),
        }
    }
}

/// Whether a text between braces is a count, such as `2` or `1,`.
fn is_count(text: &str) -> bool {
    let mut parts = text.split(',');
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let first = parts.next().is_some_and(|part| !part.is_empty() && digits(part));
    first && parts.next().is_none_or(digits) && parts.next().is_none()
}

/// Returns the features of a token. `after_repeat` is whether the token before is a quantifier.
fn features_of(token: Token<'_>, after_repeat: bool) -> &'static [&'static str] {
    const SYNTAX: &str = r"^$\.*+?()[]{}|";
    match token {
        Token::Open("?=" | "?!") => &["lookaround", "lookahead"],
        Token::Open("?<=" | "?<!") => &["lookaround", "lookbehind"],
        Token::Open("?<") => &["named-group"],
        Token::Escape { letter: '1'..='9' | 'k', in_class: false } => &["backreference"],
        Token::Escape { letter: 'b' | 'B', in_class: false } => &["word-boundary"],
        Token::Escape { letter: 'p' | 'P', .. } => &["property-escape"],
        Token::Escape { letter: 'd' | 'D' | 'w' | 'W' | 's' | 'S', .. } => &["class-escape"],
        Token::Escape { letter, .. }
            if letter.is_ascii_punctuation() && !SYNTAX.contains(letter) =>
        {
            &["needless-escape"]
        }
        Token::Letter('^' | '$') => &["anchor"],
        Token::Letter('.') => &["dot"],
        Token::Letter('"') | Token::InClass('"') => &["quotation-mark"],
        Token::Letter(letter) | Token::InClass(letter) if !letter.is_ascii() => &["not-ascii"],
        Token::Repeat("?") if after_repeat => &["lazy"],
        _ => &[],
    }
}

/// Whether a pattern uses one of the features.
pub(crate) fn uses(pattern: &str, features: &[String]) -> bool {
    let wants = |name: &&str| features.iter().any(|feature| feature == name);
    let found = match anchors(pattern) {
        Anchors::Both => false,
        Anchors::OfAlternatives => wants(&"anchored-alternatives") || wants(&"unanchored"),
        Anchors::One => wants(&"open-end") || wants(&"unanchored"),
        Anchors::None => wants(&"unanchored"),
    };
    let (mut found, mut after_repeat) = (found, false);
    scan(pattern, |_, token| {
        found |= features_of(token, after_repeat).iter().any(&wants);
        after_repeat = matches!(token, Token::Repeat(_));
    });
    found
}

/// The anchors at the ends of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchors {
    /// `^` and `$`, for the whole pattern.
    Both,
    /// `^` and `$`, each in only one of several alternatives.
    OfAlternatives,
    /// Only `^`, or only `$`.
    One,
    /// None.
    None,
}

fn anchors(pattern: &str) -> Anchors {
    let (mut depth, mut alternatives, mut last) = (0usize, false, false);
    scan(pattern, |_, token| {
        match token {
            Token::Open(_) => depth += 1,
            Token::Close => depth = depth.saturating_sub(1),
            Token::Letter('|') if depth == 0 => alternatives = true,
            _ => {}
        }
        last = token == Token::Letter('$');
    });
    match (pattern.starts_with('^'), last, alternatives) {
        (true, true, false) => Anchors::Both,
        (true, true, true) => Anchors::OfAlternatives,
        (false, false, _) => Anchors::None,
        _ => Anchors::One,
    }
}

/// Whether `^` and `$` anchor the whole pattern, and not single alternatives.
pub(crate) fn is_anchored(pattern: &str) -> bool {
    anchors(pattern) == Anchors::Both
}

/// Returns the greatest number in a count of the pattern, such as 3 for `a{1,3}`. 0 without counts.
pub(crate) fn greatest_count(pattern: &str) -> u64 {
    let mut greatest = 0;
    scan(pattern, |_, token| {
        if let Token::Repeat(text) = token {
            let numbers = text.split(|letter: char| !letter.is_ascii_digit());
            let numbers = numbers.filter(|digits| !digits.is_empty());
            let most = numbers.map(|digits| digits.parse().unwrap_or(u64::MAX)).max();
            greatest = greatest.max(most.unwrap_or(0));
        }
    });
    greatest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_found_outside_of_classes_and_escapes() {
        let uses = |pattern: &str, feature: &str| uses(pattern, &[feature.to_owned()]);
        let cases = [
            ("lookaround", "^(?=a)", "^[(?=a)]$"),
            ("lookaround", "(?<!a)b", r"\(?<!a"),
            ("backreference", r"(a)\1", r"[\1]"),
            ("backreference", r"(?<n>a)\k<n>", r"\\1"),
            ("word-boundary", r"\ba", r"[\b]"),
            ("property-escape", r"[\p{L}]", r"\\p"),
            ("class-escape", r"[\d]", "d"),
            ("anchor", "a$", r"a\$"),
            ("lazy", "a*?b", "a?b"),
            ("unanchored", "^a|b$", "^(a|b)$"),
            ("unanchored", r"^a\$", "^a$"),
            ("unanchored", "a", "^[$]$"),
            ("open-end", "^a", "a"),
            ("anchored-alternatives", "^a|b$", "^a"),
            ("needless-escape", r"\/", r"\."),
            ("named-group", "(?<n>a)", "(?<=a)"),
        ];
        for (feature, with, without) in cases {
            assert!(uses(with, feature), "{feature} in {with}");
            assert!(!uses(without, feature), "{feature} in {without}");
        }
    }

    #[test]
    fn counts_are_read() {
        assert_eq!(greatest_count("a{2,300}b{7}"), 300);
        assert_eq!(greatest_count(r"[{9}]\{8}{x}"), 0);
        assert_eq!(greatest_count("a{99999999999999999999}"), u64::MAX);
    }
}
