//! Numbers read off the front of an input; zeros once it is spent.

/// The rest of an input.
pub(crate) struct Input<'b>(pub(crate) &'b [u8]);

impl Input<'_> {
    /// The next byte.
    pub(crate) fn byte(&mut self) -> u8 {
        match self.0 {
            [first, rest @ ..] => {
                self.0 = rest;
                *first
            }
            [] => 0,
        }
    }

    /// The next four bytes as a number.
    pub(crate) fn word(&mut self) -> u32 {
        u32::from_le_bytes([self.byte(), self.byte(), self.byte(), self.byte()])
    }

    /// Returns a number below `count`, or 0 if `count` is 0.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        match count {
            0 => 0,
            1..=256 => usize::from(self.byte()) % count,
            _ => self.word() as usize % count,
        }
    }

    /// Whether nothing is left.
    pub(crate) fn is_spent(&self) -> bool {
        self.0.is_empty()
    }
}
