//! The layout of a source: how far lines are indented.

use crate::scan::trim_space;

/// White space before a place that begins a line; none where it does not begin one.
pub(super) fn indent(source: &[u8], at: usize) -> Option<usize> {
    let start = line_start(source, at);
    (start > 0 && trim_space(source, start, at) == start).then_some(at - start)
}

/// White space at the begin of the line that a place is in.
pub(super) fn line_indent(source: &[u8], at: usize) -> usize {
    let start = line_start(source, at);
    source[start..at].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Where the line begins that a place is in.
fn line_start(source: &[u8], at: usize) -> usize {
    memchr::memrchr(b'\n', &source[..at.min(source.len())]).map_or(0, |end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_their_indents() {
        let source = b"{\n  \"a\": [\n    1\n  ]";
        assert_eq!(indent(source, 4), Some(2));
        assert_eq!(indent(source, 9), None);
        assert_eq!(indent(source, 0), None);
        assert_eq!(line_indent(source, 9), 2);
        assert_eq!(line_indent(source, 16), 4);
    }
}
