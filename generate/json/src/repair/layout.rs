//! The layout of a source: how far lines are indented, and where white space stands before separators.
//!
//! Answers that a search asks for at every place are found once, in a pass over the source.

use crate::scan::{is_space, trim_space};

/// Separators that white space may stand before.
const SEPARATORS: [u8; 4] = [b',', b':', b'}', b']'];

/// The layout of one source.
#[derive(Debug)]
pub(super) struct Layout {
    /// Beginnings of lines, but for the first.
    lines: Vec<u32>,
    /// For each of [`SEPARATORS`]: whether one follows a quote with white space in between.
    spaced: [bool; 4],
}

impl Layout {
    pub(super) fn of(source: &[u8]) -> Self {
        let lines = memchr::memchr_iter(b'\n', source).map(|end| end as u32 + 1).collect();
        let mut spaced = [false; 4];
        // The last byte that is no white space, and whether some followed it.
        let (mut last, mut space) = (0, false);
        for &byte in source {
            if is_space(byte) {
                space = true;
                continue;
            }
            if space && matches!(last, b'"' | b'\'') {
                for (spaced, _) in spaced.iter_mut().zip(SEPARATORS).filter(|(_, at)| *at == byte) {
                    *spaced = true;
                }
            }
            (last, space) = (byte, false);
        }
        Self { lines, spaced }
    }

    /// Whether white space stands between a quote and this separator somewhere.
    pub(super) fn is_spaced(&self, separator: u8) -> bool {
        SEPARATORS.iter().zip(self.spaced).any(|(&at, spaced)| at == separator && spaced)
    }

    /// Returns the white space before a place that starts a line. `None` if it does not start one.
    pub(super) fn indent(&self, source: &[u8], at: usize) -> Option<usize> {
        let start = self.line_start(at);
        (start > 0 && trim_space(source, start, at) == start).then_some(at - start)
    }

    /// White space at the begin of the line that a place is in.
    pub(super) fn line_indent(&self, source: &[u8], at: usize) -> usize {
        let start = self.line_start(at);
        source[start..at].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
    }

    /// Beginning of the line that a place is in.
    fn line_start(&self, at: usize) -> usize {
        let before = self.lines.partition_point(|&start| start as usize <= at);
        before.checked_sub(1).map_or(0, |line| self.lines[line] as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_their_indents() {
        let source = b"{\n  \"a\": [\n    1\n  ]";
        let layout = Layout::of(source);
        assert_eq!(layout.indent(source, 4), Some(2));
        assert_eq!(layout.indent(source, 9), None);
        assert_eq!(layout.indent(source, 0), None);
        assert_eq!(layout.line_indent(source, 9), 2);
        assert_eq!(layout.line_indent(source, 16), 4);
    }

    #[test]
    fn white_space_before_separators() {
        let layout = Layout::of(b"{\"a\" : 1, \"b\":\"c\",\"d\": 1 }");
        assert!(layout.is_spaced(b':') && !layout.is_spaced(b',') && !layout.is_spaced(b'}'));
    }
}
