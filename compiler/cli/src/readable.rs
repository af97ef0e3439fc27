//! Bytes, sizes and times as people read them.

/// Returns bytes as text, with escapes for control characters and invalid UTF-8.
pub(crate) fn text(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c.is_control() { out.extend(c.escape_default()) } else { out.push(c) }
        }
        chunk.invalid().iter().for_each(|byte| out.push_str(&format!("\\x{byte:02x}")));
    }
    out
}

/// Describes a set of bytes, given in ascending order. Printable bytes are quoted, and more than
/// three consecutive bytes are a range: `` `0` to `9` ``.
pub(crate) fn byte_set(bytes: &[u8]) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = bytes;
    while let Some(&first) = rest.first() {
        // A run stays within letters, digits or other characters, so that its ends determine its content.
        let class = class(first);
        let mut len = 1;
        while rest.get(len).is_some_and(|&byte| {
            usize::from(byte) == usize::from(first) + len && self::class(byte) == class
        }) {
            len += 1;
        }
        let (run, after) = rest.split_at(len);
        match run {
            [first, .., last] if len > 3 => {
                parts.push(format!("{} to {}", one(*first), one(*last)))
            }
            _ => parts.extend(run.iter().map(|&byte| one(byte))),
        }
        rest = after;
    }
    parts
}

fn class(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => 0,
        b'A'..=b'Z' => 1,
        b'a'..=b'z' => 2,
        b' '..=b'~' => 3,
        0x80.. => 4,
        _ => 5,
    }
}

/// Describes a byte: quoted if it is printable ASCII, by its usual name if it has one, and otherwise by its number.
pub(crate) fn one(byte: u8) -> String {
    match byte {
        b' ' => "a space".to_owned(),
        b'\n' => "a line feed".to_owned(),
        b'\r' => "a carriage return".to_owned(),
        b'\t' => "a tab".to_owned(),
        b'!'..=b'~' => format!("`{}`", char::from(byte)),
        _ => format!("byte 0x{byte:02X}"),
    }
}

/// Joins parts as `a, b or c`. If there are more than `most` parts, the others are counted: `a, b
/// or 12 more`.
pub(crate) fn alternatives(parts: &[String], most: usize) -> String {
    let mut shown: Vec<String> = parts.iter().take(most).cloned().collect();
    if parts.len() > most {
        shown.push(format!("{} more", parts.len() - most));
    }
    match shown.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}

/// Formats a number with its digits in groups of three: `1,234`.
pub(crate) fn number(number: impl Into<u64>) -> String {
    let digits = number.into().to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Formats a length in bytes: `1,234 bytes`, `56.7 KB` or `8.90 MB` (powers of 1000).
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{} bytes", number(bytes)),
        10_000..1_000_000 => format!("{:.1} KB", bytes as f64 / 1e3),
        _ => format!("{:.2} MB", bytes as f64 / 1e6),
    }
}

/// Formats a time that is given in seconds: `1.2 ms` or `3.45 s`.
pub(crate) fn time(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.1} ms", seconds * 1e3) } else { format!("{seconds:.2} s") }
}

/// Formats a count with its noun in the singular or plural: `1 token`, `2 tokens`.
pub(crate) fn count(count: impl Into<u64>, noun: &str) -> String {
    let count = count.into();
    let plural = if noun.ends_with("s") { "es" } else { "s" };
    format!("{} {noun}{}", number(count), if count == 1 { "" } else { plural })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_escapes_what_cannot_be_shown() {
        assert_eq!(text("a\té".as_bytes()), "a\\té");
        assert_eq!(text(b"a\xff\xe2\x82"), "a\\xff\\xe2\\x82");
    }

    #[test]
    fn byte_sets_are_short() {
        assert_eq!(byte_set(b"\"-0123456789{"), ["`\"`", "`-`", "`0` to `9`", "`{`"]);
        assert_eq!(byte_set(b"\t\n abc"), ["a tab", "a line feed", "a space", "`a`", "`b`", "`c`"]);
        assert_eq!(byte_set(&(0..=255).collect::<Vec<u8>>()).len(), 10);
        assert_eq!(byte_set(&[]), [""; 0]);
    }

    #[test]
    fn lists_end_in_or() {
        let parts: Vec<String> = ["a", "b", "c"].map(str::to_owned).to_vec();
        assert_eq!(alternatives(&parts, 9), "a, b or c");
        assert_eq!(alternatives(&parts, 1), "a or 2 more");
        assert_eq!(alternatives(&parts[..1], 1), "a");
        assert_eq!(alternatives(&[], 1), "");
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([0u64, 999, 1000, 1234567].map(number), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(
            (count(1u64, "class"), count(2u64, "class")),
            ("1 class".into(), "2 classes".into())
        );
        assert_eq!((size(12), size(123_456)), ("12 bytes".into(), "123.5 KB".into()));
    }
}
