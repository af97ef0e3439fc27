//! The positions of a text at which a format may end, from each position at which it begins.
//!
//! Free text has no special tokens, and none of some strings is spelled in it. Of the strings that it runs up to (ends of
//! its tag, triggers), the one that is over first ends it. Cost: exponential in the depth of a tree at worst, and texts are
//! short.

use std::collections::BTreeSet;

use super::{Format, Symbol, Tag, symbols};

type Ends = BTreeSet<usize>;

/// Whether a text is one of a format.
pub fn accepts(format: &Format, text: &[Symbol]) -> bool {
    Reading { text, around: Vec::new() }.ends(format, 0).contains(&text.len())
}

/// A text that free text runs up to.
#[derive(Debug, PartialEq, Eq)]
struct Stop {
    symbols: Vec<Symbol>,
    text: String,
}

impl Stop {
    fn new(text: &str) -> Self {
        Self { symbols: symbols(text), text: text.to_owned() }
    }

    /// How a tag begins, as far as its trigger goes, and to the end of the special token that this is in.
    fn of_tag(tag: &Tag, triggers: &[String]) -> Self {
        let trigger = triggers.iter().find(|trigger| tag.begin.starts_with(trigger.as_str()));
        let least = trigger.expect("a tag begins with a trigger").len();
        let all = symbols(&tag.begin);
        let length = |symbol: &Symbol| match *symbol {
            Symbol::Char(c) => c.len_utf8(),
            Symbol::Token(at) => super::SPECIAL[at].len(),
        };
        let mut covered = 0;
        let count = all.iter().take_while(|symbol| {
            let is_needed = covered < least;
            covered += if is_needed { length(symbol) } else { 0 };
            is_needed
        });
        let count = count.count();
        Self { symbols: all[..count].to_vec(), text: tag.begin[..covered].to_owned() }
    }
}

struct Reading<'t> {
    text: &'t [Symbol],
    /// Ends of the tags around the format at hand.
    around: Vec<String>,
}

fn spelled(text: &str) -> Vec<Symbol> {
    text.chars().map(Symbol::Char).collect()
}

impl Reading<'_> {
    fn has(&self, text: &[Symbol], at: usize) -> Option<usize> {
        self.text.get(at..)?.starts_with(text).then_some(at + text.len())
    }

    fn after(&self, text: &str, at: usize) -> Ends {
        self.has(&symbols(text), at).into_iter().collect()
    }

    fn from_each(starts: &Ends, mut then: impl FnMut(usize) -> Ends) -> Ends {
        starts.iter().flat_map(|&at| then(at)).collect()
    }

    fn ends(&mut self, format: &Format, at: usize) -> Ends {
        match format {
            Format::Const(text) => self.after(text, at),
            Format::AnyText(excludes) => self.free(at, excludes),
            Format::Some(of) => {
                let is_in = |symbol: &&Symbol| matches!(symbol, Symbol::Char(c) if of.contains(*c));
                (1..=self.text[at..].iter().take_while(is_in).count())
                    .map(|length| at + length)
                    .collect()
            }
            Format::Sequence(parts) => parts.iter().fold(Ends::from([at]), |starts, part| {
                Self::from_each(&starts, |at| self.ends(part, at))
            }),
            Format::Or(parts) => parts.iter().flat_map(|part| self.ends(part, at)).collect(),
            Format::Optional(content) => &self.ends(content, at) | &Ends::from([at]),
            Format::Star(content) => {
                let mut all = Ends::from([at]);
                let mut new = all.clone();
                while !new.is_empty() {
                    let next = Self::from_each(&new, |at| self.ends(content, at));
                    new = &next - &all;
                    all.extend(&new);
                }
                all
            }
            Format::Tag(tag) => self.tag(tag, at),
            Format::Separated { tags, separator, least, most } => {
                let one = |this: &mut Self, at| {
                    tags.iter().flat_map(|tag| this.tag(tag, at)).collect::<Ends>()
                };
                let mut all = one(self, at);
                let mut new = if *most { Ends::new() } else { all.clone() };
                while !new.is_empty() {
                    let behind = Self::from_each(&new, |at| self.after(separator, at));
                    let next = Self::from_each(&behind, |at| one(self, at));
                    new = &next - &all;
                    all.extend(&new);
                }
                if !least {
                    all.insert(at);
                }
                all
            }
            Format::Triggered { .. } => self.triggered(format, at, None),
        }
    }

    /// Ends of a format and one of some strings behind it.
    fn closed(&mut self, format: &Format, at: usize, ends: &[String]) -> Ends {
        match format {
            Format::AnyText(excludes) => {
                let ends: Vec<Stop> = ends.iter().map(|end| Stop::new(end)).collect();
                let stop = self.stop(at, &[&ends], excludes);
                stop.map(|(_, end)| end).into_iter().collect()
            }
            Format::Triggered { .. } => self.triggered(format, at, Some(ends)),
            Format::Sequence(parts) => {
                let (last, parts) = parts.split_last().expect("a sequence has parts");
                let starts = parts.iter().fold(Ends::from([at]), |starts, part| {
                    Self::from_each(&starts, |at| self.ends(part, at))
                });
                Self::from_each(&starts, |at| self.closed(last, at, ends))
            }
            Format::Or(parts) => {
                parts.iter().flat_map(|part| self.closed(part, at, ends)).collect()
            }
            Format::Optional(content) => {
                let empty = ends.iter().flat_map(|end| self.after(end, at)).collect();
                &self.closed(content, at, ends) | &empty
            }
            _ => {
                let starts = self.ends(format, at);
                Self::from_each(&starts, |at| {
                    ends.iter().flat_map(|end| self.after(end, at)).collect()
                })
            }
        }
    }

    fn tag(&mut self, tag: &Tag, at: usize) -> Ends {
        let Some(at) = self.has(&symbols(&tag.begin), at) else { return Ends::new() };
        self.inside(tag, at)
    }

    fn inside(&mut self, tag: &Tag, at: usize) -> Ends {
        let around = self.around.len();
        self.around.extend(tag.ends.iter().cloned());
        let ends = self.closed(&tag.content, at, &tag.ends);
        self.around.truncate(around);
        ends
    }

    /// Places up to which free text may go.
    fn free(&self, at: usize, excludes: &[String]) -> Ends {
        let mut ends = Ends::from([at]);
        for end in at + 1..=self.text.len() {
            let is_text = matches!(self.text[end - 1], Symbol::Char(_));
            if !is_text || self.ends_with(at, end, excludes.iter().chain(&self.around)) {
                break;
            }
            ends.insert(end);
        }
        ends
    }

    fn ends_with<'e>(
        &self,
        at: usize,
        end: usize,
        mut of: impl Iterator<Item = &'e String>,
    ) -> bool {
        of.any(|text| self.text[at..end].ends_with(&spelled(text)))
    }

    /// The first of some strings, in lists, that free text runs up to: its list and number, and where it ends.
    fn stop(
        &self,
        at: usize,
        lists: &[&[Stop]],
        excludes: &[String],
    ) -> Option<((usize, usize), usize)> {
        let all = || {
            let lists = lists.iter().enumerate();
            lists.flat_map(|(list, stops)| {
                stops.iter().enumerate().map(move |(number, stop)| ((list, number), stop))
            })
        };
        // The end of the first string that text may not have. It may be a part of what ends the text, and no part of
        // the text before that.
        let mut blocked = None;
        for end in at + 1..=self.text.len() {
            for (which, stop) in all() {
                let start = end.checked_sub(stop.symbols.len()).filter(|&start| start >= at);
                let is_free = |start: usize| {
                    self.text[at..start].iter().all(|symbol| matches!(symbol, Symbol::Char(_)))
                };
                if let Some(start) = start
                    && self.text[start..end] == *stop.symbols
                    && is_free(start)
                    && blocked.is_none_or(|blocked| start < blocked)
                {
                    return Some((which, end));
                }
            }
            // A special token is no text, and may begin or be a part of a string alone.
            let texts = all().map(|(_, stop)| &stop.text).chain(excludes).chain(&self.around);
            if blocked.is_none() && self.ends_with(at, end, texts) {
                blocked = Some(end);
            }
        }
        None
    }

    fn triggered(&mut self, format: &Format, at: usize, ends: Option<&[String]>) -> Ends {
        let Format::Triggered { triggers, tags, excludes, first, last } = format else {
            unreachable!()
        };
        let finish = |this: &Self, at: usize| match ends {
            Some(ends) => ends.iter().flat_map(|end| this.after(end, at)).collect(),
            None => Ends::from([at]),
        };
        let mut found = Ends::new();
        let mut open: Vec<(usize, bool)> = vec![(at, true)];
        let mut seen = BTreeSet::new();
        while let Some((at, is_first)) = open.pop() {
            if !seen.insert((at, is_first)) {
                continue;
            }
            if is_first && *first {
                for tag in tags {
                    open.extend(self.tag(tag, at).into_iter().map(|end| (end, false)));
                }
                continue;
            }
            if !is_first && *last {
                found.extend(finish(self, at));
                continue;
            }
            let blocked: Vec<String> = excludes.iter().chain(triggers).cloned().collect();
            if ends.is_none() {
                found.extend(self.free(at, &blocked));
            }
            let begins: Vec<Stop> = tags.iter().map(|tag| Stop::of_tag(tag, triggers)).collect();
            let ends: Vec<Stop> =
                ends.unwrap_or_default().iter().map(|end| Stop::new(end)).collect();
            match self.stop(at, &[&begins, &ends], &blocked) {
                Some(((0, number), end)) => {
                    // The tag begins where its trigger does.
                    let start = end - begins[number].symbols.len();
                    for (tag, _) in
                        tags.iter().zip(&begins).filter(|(_, stop)| **stop == begins[number])
                    {
                        open.extend(self.tag(tag, start).into_iter().map(|end| (end, false)));
                    }
                }
                Some((_, end)) => _ = found.insert(end),
                None => {}
            }
        }
        found
    }
}
