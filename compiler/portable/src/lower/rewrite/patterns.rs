//! Patterns in plain form: anchored as a whole, with classes in brackets and without names of groups.
//!
//! Exact. Patterns with lookaround, backreferences, word boundaries or inner anchors are not rewritten.

use serde_json::{Map, Value, json};

use super::task::{Outcome, Task};
use crate::lower::options::Gives;
use crate::predicates::pattern::{Token, is_anchored, scan, uses};

pub(super) fn rewrite(task: &mut Task<'_>) -> Option<Outcome> {
    let keeps_escapes = !task.pack.rules.iter().any(|rule| rule.id == "pattern-dropped");
    let keyword = task.keyword.to_owned();
    let schema = task.schema()?;
    match schema.get_mut(&keyword)? {
        Value::String(pattern) => {
            let written = plain(pattern, keeps_escapes)?;
            if written == *pattern {
                return None;
            }
            *pattern = written;
        }
        Value::Object(named) => {
            let mut renamed = Map::new();
            for (pattern, schema) in named.iter() {
                let written = plain(pattern, keeps_escapes)?;
                if renamed.contains_key(&written) {
                    return None;
                }
                renamed.insert(written, schema.clone());
            }
            if renamed.keys().eq(named.keys()) {
                return None;
            }
            schema.insert(keyword, json!(renamed));
        }
        _ => return None,
    }
    Outcome::keyword(Gives::Equal)
}

/// Returns an equivalent pattern in plain form. `None` if there is none.
fn plain(pattern: &str, keeps_escapes: bool) -> Option<String> {
    let none = ["lookaround", "backreference", "word-boundary"].map(str::to_owned);
    if uses(pattern, &none) {
        return None;
    }
    let anchored = if is_anchored(pattern) { pattern.to_owned() } else { anchored(pattern)? };
    if keeps_escapes {
        return Some(anchored);
    }
    if uses(&anchored, &["property-escape".to_owned(), "not-ascii".to_owned()]) {
        return None;
    }
    without_escapes(&anchored)
}

/// Returns the pattern with `^` and `$` for the whole of it. `None` if it has other anchors.
fn anchored(pattern: &str) -> Option<String> {
    let (mut depth, mut cuts, mut inner) = (0usize, vec![], false);
    let mut anchors = Vec::new();
    scan(pattern, |at, token| match token {
        Token::Open(_) => depth += 1,
        Token::Close => depth = depth.saturating_sub(1),
        Token::Letter('|') if depth == 0 => cuts.push(at),
        Token::Letter('^' | '$') if depth > 0 => inner = true,
        Token::Letter('^' | '$') => anchors.push(at),
        _ => {}
    });
    if inner {
        return None;
    }
    cuts.push(pattern.len());
    let (mut start, mut alternatives) = (0, Vec::new());
    for end in cuts {
        let alternative = &pattern[start..end];
        let begins = alternative.starts_with('^');
        let ends = anchors.contains(&(end.wrapping_sub(1)))
            && end > start
            && !(begins && end - start == 1);
        let own = anchors.iter().filter(|&&at| (start..end).contains(&at)).count();
        if own != usize::from(begins) + usize::from(ends) {
            return None;
        }
        let text = &alternative[usize::from(begins)..alternative.len() - usize::from(ends)];
        let (before, after) =
            (if begins { "" } else { r"[\s\S]*" }, if ends { "" } else { r"[\s\S]*" });
        alternatives.push(format!("{before}{text}{after}"));
        start = end + 1;
    }
    Some(match &alternatives[..] {
        [one] => format!("^{one}$"),
        several => format!("^({})$", several.join("|")),
    })
}

/// Returns the pattern without escapes of classes, lazy repetitions and names of groups.
fn without_escapes(pattern: &str) -> Option<String> {
    let (mut written, mut fails) = (String::new(), false);
    let mut after_repeat = false;
    let mut skip_name = false;
    let mut starts = Vec::new();
    scan(pattern, |at, _| starts.push(at));
    starts.push(pattern.len());
    let mut index = 0;
    scan(pattern, |at, token| {
        let end = starts[index + 1];
        index += 1;
        let text = &pattern[at..end];
        if skip_name {
            skip_name = !matches!(token, Token::Letter('>'));
            return;
        }
        match token {
            Token::Escape { letter, in_class } => match (letter, in_class) {
                ('d', true) => written.push_str("0-9"),
                ('d', false) => written.push_str("[0-9]"),
                ('w', true) => written.push_str("A-Za-z0-9_"),
                ('w', false) => written.push_str("[A-Za-z0-9_]"),
                ('D', false) => written.push_str("[^0-9]"),
                ('W', false) => written.push_str("[^A-Za-z0-9_]"),
                // White space beyond ASCII is not written without escapes of code points.
                ('s' | 'S' | 'D' | 'W', _) => fails = true,
                (letter, false)
                    if letter.is_ascii_punctuation() && !r"^$\.*+?()[]{}|".contains(letter) =>
                {
                    written.push(letter);
                }
                (letter, true) if letter.is_ascii_punctuation() => {
                    written.push_str(&format!("\\x{:02X}", letter as u32));
                }
                _ => written.push_str(text),
            },
            Token::Repeat("?") if after_repeat => {}
            Token::Open("?<") => {
                written.push('(');
                skip_name = true;
            }
            Token::Open(_) => written.push_str(if text.starts_with("(?:") { "(" } else { text }),
            _ => written.push_str(text),
        }
        after_repeat = matches!(token, Token::Repeat(_));
    });
    (!fails).then_some(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_anchored() {
        let cases = [
            ("b", Some(r"^[\s\S]*b[\s\S]*$")),
            ("^ab", Some(r"^ab[\s\S]*$")),
            ("ab$", Some(r"^[\s\S]*ab$")),
            ("^a|b$", Some(r"^(a[\s\S]*|[\s\S]*b)$")),
            (r"a\$", Some(r"^[\s\S]*a\$[\s\S]*$")),
            ("(^a|b)", None),
            ("a^b", None),
            ("^", Some(r"^[\s\S]*$")),
            ("$", Some(r"^[\s\S]*$")),
        ];
        for (pattern, expected) in cases {
            assert_eq!(anchored(pattern).as_deref(), expected, "{pattern}");
        }
    }

    #[test]
    fn escapes_are_written_out() {
        let cases = [
            (r"^\d{3}[\w.]\/(?<n>a+?)(?:b)$", Some(r"^[0-9]{3}[A-Za-z0-9_.]/(a+)(b)$")),
            (r"^[\-\]]$", Some(r"^[\x2D\x5D]$")),
            (r"^\s$", None),
        ];
        for (pattern, expected) in cases {
            assert_eq!(without_escapes(pattern).as_deref(), expected, "{pattern}");
        }
    }
}
