//! Finds stop strings: texts that end an output. A stop string may start and end inside a token.

use memchr::memmem;

/// The search for the stop strings of one output.
#[derive(Debug)]
pub(super) struct Stops {
    texts: Vec<String>,
    longest: usize,
    /// Number of bytes of the output that were already searched.
    searched: usize,
}

impl Stops {
    pub(super) fn new(texts: &[String]) -> Self {
        let longest = texts.iter().map(String::len).max().unwrap_or(0);
        Self { texts: texts.to_vec(), longest, searched: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Finds a stop string that ends in bytes which were not searched before, and before which the
    /// output may end (`may_end` of its offset). Returns the lowest offset and the stop string
    /// there, of several the shortest. `None` if there is none.
    pub(super) fn search(
        &mut self,
        bytes: &[u8],
        mut may_end: impl FnMut(usize) -> bool,
    ) -> Option<(usize, &str)> {
        let from = self.searched.saturating_sub(self.longest.saturating_sub(1));
        let searched = std::mem::replace(&mut self.searched, bytes.len());
        let found = self.texts.iter().filter_map(|text| {
            let all = memmem::find_iter(&bytes[from..], text.as_bytes()).map(|at| from + at);
            let mut new = all.filter(|at| at + text.len() > searched);
            Some((new.find(|&at| may_end(at))?, text.as_str()))
        });
        found.min_by_key(|(at, text)| (*at, text.len()))
    }

    /// Returns the greatest number of last bytes that may be the start of a stop string. 0 if there
    /// are none.
    pub(super) fn held_back(&self, bytes: &[u8]) -> usize {
        let most = bytes.len().min(self.longest.saturating_sub(1));
        let held = (1..=most).rev().find(|&len| {
            let tail = &bytes[bytes.len() - len..];
            self.texts.iter().any(|text| text.len() > len && text.as_bytes().starts_with(tail))
        });
        held.unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_stop_string_is_found_however_the_text_is_cut(
            text in "[ab]{0,24}",
            texts in prop::collection::vec("[ab]{1,4}", 1..4),
            cuts in prop::collection::vec(1_usize..5, 24),
        ) {
            let mut stops = Stops::new(&texts);
            let mut end = 0;
            let mut found = None;
            let mut sent = 0;
            for step in cuts {
                end = (end + step).min(text.len());
                let bytes = &text.as_bytes()[..end];
                found = stops.search(bytes, |_| true).map(|(at, _)| at);
                if found.is_some() || end == text.len() {
                    break;
                }
                sent = end - stops.held_back(bytes);
            }
            let bytes = &text.as_bytes()[..end];
            let whole = texts.iter().filter_map(|stop| memmem::find(bytes, stop.as_bytes())).min();
            prop_assert_eq!(found, whole);
            // Nothing that is cut was sent.
            prop_assert!(found.is_none_or(|at| sent <= at));
        }
    }

    #[test]
    fn a_stop_string_where_the_output_may_not_end_is_text() {
        let mut stops = Stops::new(&["\n".to_owned()]);
        assert_eq!(stops.search(b"a\nb\n", |at| at == 3), Some((3, "\n")));
    }
}
