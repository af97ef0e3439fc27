//! Words the findings of an import. Long sets of tokens are listed in short form.

use std::fmt::Write as _;

use indexmap::IndexMap;

use grammarc_grammar::diagnostics::Diagnostic;

/// Most entries that one finding lists. The rest is counted.
const LISTED: usize = 80;

/// Most characters of a token that a message shows. A longer token is cut, with `…` at the end.
const SHOWN: usize = 40;

/// Returns a token as readable text: in backquotes, with control characters and invalid bytes escaped, cut after 40
/// characters.
pub(super) fn readable(bytes: &[u8]) -> String {
    let mut text = String::from("`");
    for (count, c) in String::from_utf8_lossy(bytes).chars().enumerate() {
        if count == SHOWN {
            text.push('…');
            break;
        }
        if c.is_control() { text.extend(c.escape_default()) } else { text.push(c) }
    }
    text.push('`');
    text
}

/// Returns the note that the decoder drops a space at the start of a text.
pub(super) fn dummy_prefix() -> Diagnostic {
    Diagnostic::note(
        "vocabulary::dummy-prefix",
        "the decoder drops a space at the start of a text, so the first token may show without its leading space; \
         masks take the space as real",
    )
}

/// Returns the note that a normaliser, which changes text before it becomes tokens, is ignored.
pub(super) fn normaliser(name: &str) -> Diagnostic {
    Diagnostic::note(
        "vocabulary::normalizer",
        format!(
            "the normaliser ({name}) is ignored: it changes text that is encoded, never what tokens spell"
        ),
    )
}

/// Returns ascending ids as a list of ranges: `3, 7-9 and 12 more`. At most 80 ranges are listed.
pub(super) fn ranges(ids: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &id in ids {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(id) => *last = id,
            _ => runs.push((id, id)),
        }
    }
    let shown = runs.iter().take(LISTED).map(|&(first, last)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    });
    let mut text = shown.collect::<Vec<_>>().join(", ");
    let rest: u64 =
        runs.iter().skip(LISTED).map(|&(first, last)| u64::from(last - first) + 1).sum();
    if rest > 0 {
        let _ = write!(text, " and {rest} more");
    }
    text
}

/// Returns tokens as a list of families. Names that differ only in a number are one family: `<unused#>` for `<unused0>`
/// to `<unused6241>`. So a list of thousands stays readable. At most 80 families are listed.
pub(super) fn families<'a>(tokens: impl Iterator<Item = (u32, &'a [u8])>) -> String {
    let mut families: IndexMap<String, Vec<u32>> = IndexMap::new();
    let mut names: IndexMap<String, String> = IndexMap::new();
    for (id, bytes) in tokens {
        let name = readable(bytes);
        let family = numbers_hidden(&name);
        names.entry(family.clone()).or_insert(name);
        families.entry(family).or_default().push(id);
    }
    let total = families.len();
    let shown = families.iter().zip(names.values()).take(LISTED).map(|((family, ids), name)| {
        let name = if ids.len() == 1 { name } else { family };
        format!("{name} ({})", ranges(ids))
    });
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if total > LISTED {
        let rest: usize = families.values().skip(LISTED).map(Vec::len).sum();
        let _ = write!(text, " and {rest} more");
    }
    text
}

/// Returns a name in which each run of digits is replaced by `#`.
fn numbers_hidden(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    let mut in_number = false;
    for c in name.chars() {
        let digit = c.is_ascii_digit();
        if !digit {
            text.push(c);
        } else if !in_number {
            text.push('#');
        }
        in_number = digit;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_joined() {
        assert_eq!(ranges(&[]), "");
        assert_eq!(ranges(&[3, 7, 8, 9, 12]), "3, 7-9, 12");
        let odd: Vec<u32> = (0..130).map(|n| n * 2 + 1).collect();
        assert!(ranges(&odd).ends_with(" and 50 more"), "{}", ranges(&odd));
        assert_eq!(ranges(&[u32::MAX]), u32::MAX.to_string());
    }

    #[test]
    fn numbered_names_are_one_family() {
        let tokens: [(u32, &[u8]); 4] =
            [(4, b"<mask>"), (6, b"<unused0>"), (7, b"<unused1>"), (9, b"<h1>")];
        assert_eq!(families(tokens.into_iter()), "`<mask>` (4), `<unused#>` (6-7), `<h1>` (9)");
    }

    #[test]
    fn tokens_are_escaped_and_cut() {
        assert_eq!(readable(b"a\n"), "`a\\n`");
        assert_eq!(readable(b"\xff"), "`\u{fffd}`");
        assert!(readable(&[b'x'; 1000]).ends_with("x…`"));
    }
}
