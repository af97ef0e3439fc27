//! The tags that agents wrote before they wrote JSON: `<search>…</search>` and others.
//!
//! The contents of a turn in JSON are data, also where the turn is refused: a search for the text `<search>x</search>` is one search. So
//! marks within an object that has the fields of an action are none. If such an object is broken, nobody knows which of the
//! text behind it stands in its strings, so that no tag is read from there on; an object within a tag is text of the tag.

use std::ops::Range;

use memchr::memmem;

use super::extract::{Turn, turns};

/// The names of the tags.
pub const TAGS: [&str; 5] = ["answer", "search", "think", "bbox", "tools_call"];

/// A tag with what stands in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag<'t> {
    /// Its name.
    pub name: &'static str,
    /// The text up to its end, without white space around it.
    pub content: &'t str,
}

/// The tags of a text from left to right, each up to the next end of its name; what stands within one is no tag, and neither is
/// what stands in a turn in JSON. Linear in the text for each name, besides reading its objects.
pub fn tags(text: &str) -> impl Iterator<Item = Tag<'_>> {
    let mut names = TAGS.map(|name| {
        let next = |mark: String| Next { mark, found: None };
        (name, next(format!("<{name}>")), next(format!("</{name}>")))
    });
    let data = Data::of(text);
    let mut from = 0;
    std::iter::from_fn(move || {
        let (at, inside, end, behind, name) = names
            .iter_mut()
            .filter_map(|(name, open, close)| {
                let at = open.find(text, from, &data)?;
                let inside = at + open.mark.len();
                let end = close.find(text, inside, &data)?;
                Some((at, inside, end, end + close.mark.len(), *name))
            })
            .min_by_key(|(at, ..)| *at)?;
        if data.is_broken(from..at) {
            return None;
        }
        from = behind;
        Some(Tag { name, content: text[inside..end].trim() })
    })
}

/// The places of turns in a text, from left to right.
struct Data {
    whole: Vec<Range<usize>>,
    /// The starts of the others.
    broken: Vec<usize>,
}

impl Data {
    fn of(text: &str) -> Self {
        let (mut whole, mut broken) = (Vec::new(), Vec::new());
        for turn in turns(text) {
            match turn {
                Turn::Whole { at, raw, .. } => whole.push(at..at + raw.len()),
                Turn::Broken { at } => broken.push(at),
            }
        }
        Self { whole, broken }
    }

    /// The end of the whole turn that a place is in.
    fn end_around(&self, at: usize) -> Option<usize> {
        let turn = self.whole.get(self.whole.partition_point(|turn| turn.end <= at))?;
        turn.contains(&at).then_some(turn.end)
    }

    /// Whether a turn that is not whole begins within these places.
    fn is_broken(&self, places: Range<usize>) -> bool {
        let first = self.broken.partition_point(|&at| at < places.start);
        self.broken.get(first).is_some_and(|&at| at < places.end)
    }
}

/// The place at which a mark stands next. It is asked from places that never go back, so what was found holds until a
/// place is behind it, and nothing holds for good.
struct Next {
    mark: String,
    /// The place that was found, once it was looked for.
    found: Option<Option<usize>>,
}

impl Next {
    fn find(&mut self, text: &str, from: usize, data: &Data) -> Option<usize> {
        match self.found {
            Some(found) if found.is_none_or(|at| at >= from) => found,
            _ => *self.found.insert(self.look(text, from, data)),
        }
    }

    /// The next place that is in no turn.
    fn look(&self, text: &str, mut from: usize, data: &Data) -> Option<usize> {
        loop {
            let at = from + memmem::find(&text.as_bytes()[from..], self.mark.as_bytes())?;
            match data.end_around(at) {
                Some(end) => from = end,
                None => return Some(at),
            }
        }
    }
}
