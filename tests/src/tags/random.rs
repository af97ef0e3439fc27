//! Random trees of formats, and texts that are nearly of them.

use super::{Format, SPECIAL, Symbol, Tag, symbols};
use crate::random::Rng;

/// Pieces of strings: what special tokens are made of too, so that parts of these are met in free text.
const PIECES: [&str; 9] = ["a", "b", "<", "t>", "é", "/", "<t>", "</t>", "<|x|>"];

fn string(rng: &mut Rng, least: usize, most: usize) -> String {
    (0..least + rng.below(most - least + 1)).map(|_| *rng.pick(&PIECES)).collect()
}

fn strings(rng: &mut Rng, most: usize) -> Vec<String> {
    (0..rng.below(most + 1)).map(|_| string(rng, 1, 3)).collect()
}

fn tag(rng: &mut Rng, begin: String, depth: usize) -> Tag {
    let ends = (0..1 + rng.below(2)).map(|_| string(rng, 1, 2)).collect();
    Tag { begin, content: Box::new(format(rng, depth)), ends }
}

fn tags(rng: &mut Rng, begins: &[String], depth: usize) -> Vec<Tag> {
    (0..1 + rng.below(3))
        .map(|_| {
            let begin = format!("{}{}", rng.pick::<String>(begins), string(rng, 0, 2));
            tag(rng, begin, depth)
        })
        .collect()
}

/// A random format. It may be one that the compiler refuses: triggers in triggers, strings that exclude them.
pub fn format(rng: &mut Rng, depth: usize) -> Format {
    let depth = depth.saturating_sub(1);
    let inner = |rng: &mut Rng| Box::new(format(rng, depth));
    let parts = |rng: &mut Rng| (0..1 + rng.below(3)).map(|_| format(rng, depth)).collect();
    match rng.below(if depth == 0 { 3 } else { 11 }) {
        0 => Format::Const(string(rng, 0, 3)),
        1 => Format::AnyText(strings(rng, 2)),
        2 => Format::Some("ab"),
        3 => Format::Sequence(parts(rng)),
        4 => Format::Or(parts(rng)),
        5 => Format::Optional(inner(rng)),
        6 => Format::Star(inner(rng)),
        7 => {
            let begin = string(rng, 0, 2);
            Format::Tag(tag(rng, begin, depth))
        }
        8 | 9 => {
            let triggers: Vec<String> = (0..1 + rng.below(2)).map(|_| string(rng, 1, 2)).collect();
            let tags = tags(rng, &triggers, depth);
            let excludes = strings(rng, 1);
            Format::Triggered {
                triggers,
                tags,
                excludes,
                first: rng.one_in(3),
                last: rng.one_in(3),
            }
        }
        _ => {
            let begins: Vec<String> = (0..2).map(|_| string(rng, 0, 2)).collect();
            let tags = tags(rng, &begins, depth);
            let separator = string(rng, 0, 2);
            Format::Separated { tags, separator, least: rng.one_in(2), most: rng.one_in(3) }
        }
    }
}

/// A text of a format, as a rule: what comes together in free text is not looked at.
pub fn text(rng: &mut Rng, format: &Format) -> Vec<Symbol> {
    let mut found = Vec::new();
    write(rng, format, &mut found);
    found
}

fn free(rng: &mut Rng, out: &mut Vec<Symbol>) {
    for _ in 0..rng.below(4) {
        match rng.below(12) {
            0 => out.push(Symbol::Token(rng.below(SPECIAL.len()))),
            _ => out.extend(rng.pick(&PIECES[..6]).chars().map(Symbol::Char)),
        }
    }
}

fn write(rng: &mut Rng, format: &Format, out: &mut Vec<Symbol>) {
    let tag = |rng: &mut Rng, tags: &[Tag], out: &mut Vec<Symbol>| {
        let Tag { begin, content, ends } = rng.pick(tags);
        out.extend(symbols(begin));
        write(rng, content, out);
        out.extend(symbols(rng.pick::<String>(ends)));
    };
    match format {
        Format::Const(text) => out.extend(symbols(text)),
        Format::AnyText(_) => free(rng, out),
        Format::Some(of) => {
            let of: Vec<char> = of.chars().collect();
            (0..1 + rng.below(3)).for_each(|_| out.push(Symbol::Char(*rng.pick(&of))));
        }
        Format::Sequence(parts) => parts.iter().for_each(|part| write(rng, part, out)),
        Format::Or(parts) => {
            let part = rng.pick(parts);
            write(rng, part, out);
        }
        Format::Optional(content) => (0..rng.below(2)).for_each(|_| write(rng, content, out)),
        Format::Star(content) => (0..rng.below(3)).for_each(|_| write(rng, content, out)),
        Format::Tag(one) => tag(rng, std::slice::from_ref(one), out),
        Format::Triggered { tags, first, last, .. } => {
            if !first {
                free(rng, out);
            }
            let count = if *last { 1 } else { rng.below(3) };
            for _ in 0..count {
                tag(rng, tags, out);
                if !last {
                    free(rng, out);
                }
            }
        }
        Format::Separated { tags, separator, most, .. } => {
            let count = if *most { rng.below(2) } else { rng.below(4) };
            for at in 0..count {
                if at > 0 {
                    out.extend(symbols(separator));
                }
                tag(rng, tags, out);
            }
        }
    }
}
