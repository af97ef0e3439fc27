//! The layout of a source: how far lines are indented, and which separators have white space before
//! them.
//!
//! The search needs these facts at every position, so they are collected once, in a pass over the
//! source.

use crate::scan::{is_space, trim_space};

/// Characters before which some sources write white space.
const SEPARATORS: [u8; 4] = [b',', b':', b'}', b']'];

/// The layout of one source.
#[derive(Debug)]
pub(super) struct Layout {
    /// Byte offsets of the starts of all lines except the first.
    lines: Vec<u32>,
    /// For each of [`SEPARATORS`], whether it follows a quote somewhere with white space in
    /// between.
    spaced: [bool; 4],
}

impl Layout {
    pub(super) fn of(source: &[u8]) -> Self {
        let lines = memchr::memchr_iter(b'\n', source).map(|end| end as u32 + 1).collect();
        let mut spaced = [false; 4];
        // The last byte that is not white space, and whether white space followed it.
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

    /// Whether the source has white space between a quote and this separator somewhere.
    pub(super) fn is_spaced(&self, separator: u8) -> bool {
        SEPARATORS.iter().zip(self.spaced).any(|(&at, spaced)| at == separator && spaced)
    }

    /// Returns the indentation in bytes if `at` is the first position of its line that is not white
    /// space. `None` otherwise, and on the first line.
    pub(super) fn indent(&self, source: &[u8], at: usize) -> Option<usize> {
        let start = self.line_start(at);
        (start > 0 && trim_space(source, start, at) == start).then_some(at - start)
    }

    /// Returns the number of spaces and tabs at the start of the line that contains `at`.
    pub(super) fn line_indent(&self, source: &[u8], at: usize) -> usize {
        let start = self.line_start(at);
        source[start..at].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
    }

    /// Returns the byte offset of the start of the line that contains `at`.
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
