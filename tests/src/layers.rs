//! Arrows between rooms, read from source text.
//!
//! Rust keeps crates free of cycles and says nothing about the modules inside one. So the paths that a file names,
//! `crate::a::b` and `super::c`, in `use` lines and elsewhere, are resolved to absolute module paths and held against
//! a written table. Reading tokens is enough for that: comments, strings and characters are passed over, groups in
//! braces are expanded, and nothing else of the language matters. The names that a glob import brings into scope
//! are not followed, because the glob itself is such a path.

/// A room and the rooms it may use. A table's rows stand in order: a room uses rooms of earlier rows only.
pub type Row<'a> = (&'a str, &'a [&'a str]);

/// A use of one room by another that the table does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The room that the file is in.
    pub from: String,
    /// The room that it uses.
    pub to: String,
}

/// The fault of a table: a room listed twice, or one that uses a later room or an unknown one.
pub fn disorder(table: &[Row<'_>]) -> Option<String> {
    for (index, (room, uses)) in table.iter().enumerate() {
        let earlier = &table[..index];
        if earlier.iter().any(|(other, _)| other == room) {
            return Some(format!("{room} is listed twice"));
        }
        let unknown = uses.iter().find(|used| earlier.iter().all(|(other, _)| other != *used));
        if let Some(used) = unknown {
            return Some(format!("{room} may use {used}, which is not above it in the table"));
        }
    }
    None
}

/// The uses in a file of rooms that its own room may not use. `module` is the file's module path, `within` that of the
/// rooms, `&[]` for those of the whole crate.
pub fn violations(
    source: &str,
    module: &[&str],
    within: &[&str],
    table: &[Row<'_>],
) -> Vec<Violation> {
    let Some(from) = module.strip_prefix(within).and_then(|rest| rest.first().copied()) else {
        return Vec::new();
    };
    let listed = |room: &str| table.iter().any(|(other, _)| *other == room);
    let allowed: &[&str] =
        table.iter().find(|(room, _)| *room == from).map_or(&[], |(_, uses)| uses);
    let mut found = Vec::new();
    for path in paths(source, module) {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let Some(to) = path.strip_prefix(within).and_then(|rest| rest.first().copied()) else {
            continue;
        };
        let may = to == from || allowed.contains(&to) || !listed(to);
        let arrow = Violation { from: from.to_owned(), to: to.to_owned() };
        if !may && !found.contains(&arrow) {
            found.push(arrow);
        }
    }
    found
}

/// The module path of a file, from its path below the crate's `src`.
pub fn module_of(file: &str) -> Vec<&str> {
    let stem = file.strip_suffix(".rs").unwrap_or(file);
    let mut parts: Vec<&str> = stem.split('/').collect();
    if matches!(parts.last(), Some(&("mod" | "lib" | "main"))) {
        parts.pop();
    }
    parts
}

/// All paths of a file that begin with `crate` or `super`, as absolute module paths.
///
/// `super` is resolved as it stands at the top of the file. In a module written inline it reaches one module less far,
/// so there a name that is no room may be taken for one only where the two are called the same.
fn paths(source: &str, module: &[&str]) -> Vec<Vec<String>> {
    let tokens = tokens(source);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let path_follows = tokens.get(at + 1).is_some_and(|next| next == "::");
        let begins = at == 0 || tokens[at - 1] != "::";
        match token.as_str() {
            "crate" if path_follows => at = path(&tokens, at + 1, Vec::new(), &mut found),
            "super" if path_follows && begins => {
                let supers = tokens[at..].chunks(2).take_while(|pair| *pair == ["super", "::"]);
                let supers = supers.count();
                let kept = module.len().saturating_sub(supers);
                let base = module[..kept].iter().map(|&part| part.to_owned()).collect();
                at = path(&tokens, at + 2 * supers - 1, base, &mut found);
            }
            _ => at += 1,
        }
    }
    found
}

/// Reads the rest of a path from a `::` on, and returns where it ends.
fn path(
    tokens: &[String],
    mut at: usize,
    mut base: Vec<String>,
    found: &mut Vec<Vec<String>>,
) -> usize {
    while tokens.get(at).is_some_and(|token| token == "::") {
        match tokens.get(at + 1).map(String::as_str) {
            Some("{") => {
                at += 2;
                while tokens.get(at).is_some_and(|token| token != "}") {
                    // Each item is read as if it followed a `::`.
                    let mut item = base.clone();
                    if is_name(&tokens[at]) && tokens[at] != "self" {
                        item.push(tokens[at].clone());
                    }
                    at = path(tokens, at + 1, item, found);
                    while tokens.get(at).is_some_and(|token| token != "," && token != "}") {
                        at += 1;
                    }
                    at += usize::from(tokens.get(at).is_some_and(|token| token == ","));
                }
                return at + 1;
            }
            Some(name) if is_name(name) => {
                base.push(name.to_owned());
                at += 2;
            }
            _ => break,
        }
    }
    found.push(base);
    at
}

/// Whether a token is a name or a keyword.
pub(crate) fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Names, `::` and single other characters; no comments, strings and character literals.
pub(crate) fn tokens(source: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(length) = literal(rest) {
            length
        } else if is_name(rest) {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            let end = end.unwrap_or(rest.len());
            tokens.push(rest[..end].to_owned());
            end
        } else if rest.starts_with("::") {
            tokens.push("::".to_owned());
            2
        } else {
            if !first.is_whitespace() {
                tokens.push(first.to_string());
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    tokens
}

/// The length of the string or character literal at the start of the text.
fn literal(text: &str) -> Option<usize> {
    let raw = text.strip_prefix("br").or_else(|| text.strip_prefix('r'));
    if let Some(raw) = raw {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if raw[hashes..].starts_with('"') {
            let begun = text.len() - raw.len() + hashes + 1;
            let end = format!("\"{}", "#".repeat(hashes));
            let found = text[begun..].find(&end);
            return Some(found.map_or(text.len(), |at| begun + at + end.len()));
        }
    }
    let quote = match text.chars().next()? {
        '"' => '"',
        // A lifetime has no closing quote after one character.
        '\'' if text[1..].starts_with('\\') || text.chars().nth(2) == Some('\'') => '\'',
        _ => return None,
    };
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if !escaped && c == quote {
            return Some(at + 1);
        }
        escaped = !escaped && c == '\\';
    }
    Some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: [Row<'_>; 3] = [("ground", &[]), ("walls", &["ground"]), ("roof", &["walls"])];

    fn arrows(file: &str, source: &str) -> Vec<String> {
        let found = violations(source, &module_of(file), &[], &TABLE);
        found.into_iter().map(|arrow| format!("{} -> {}", arrow.from, arrow.to)).collect()
    }

    #[test]
    fn arrows_down_are_fine_and_arrows_up_are_found() {
        let none: [&str; 0] = [];
        assert_eq!(arrows("roof/tile.rs", "use crate::walls::Wall;"), none);
        assert_eq!(arrows("walls.rs", "use crate::ground;\nuse crate::walls::Brick;"), none);
        assert_eq!(arrows("ground/soil.rs", "use crate::walls::Wall;"), ["ground -> walls"]);
        assert_eq!(arrows("walls/mod.rs", "fn f(x: &crate::roof::Roof) {}"), ["walls -> roof"]);
        // Not up, but not in the table either.
        assert_eq!(arrows("roof/tile.rs", "use crate::ground::Soil;"), ["roof -> ground"]);
    }

    #[test]
    fn every_spelling_of_a_path_is_read() {
        for source in [
            "use crate::{roof, ground};",
            "use crate::{ground::{self, Soil}, roof::{Roof as R}};",
            "use super::super::roof::Roof;",
            "use super::super::{ground, roof::*};",
            "let x = \"//\"; let y = '\"'; let z: crate::roof::Roof<'static>;",
            "let x = r#\"a\"b\"#; crate::roof::f()",
        ] {
            assert_eq!(arrows("walls/brick.rs", source), ["walls -> roof"], "{source}");
        }
        let none: [&str; 0] = [];
        for source in [
            "// use crate::roof;",
            "/* crate::roof */ let x = \"crate::roof\";",
            "let x = r#\"\"crate::roof\"#;",
            "use super::roof; // walls::roof",
            "pub(crate) fn roof() {}",
            "use other::roof;",
            "use crate::{ground, walls::roof};",
        ] {
            assert_eq!(arrows("walls/brick.rs", source), none, "{source}");
        }
    }

    #[test]
    fn rooms_within_a_room_have_a_table_of_their_own() {
        let found = |source| violations(source, &["house", "walls", "a"], &["house"], &TABLE);
        assert_eq!(found("use crate::house::roof::Roof;").len(), 1);
        assert_eq!(found("use super::super::roof::Roof;").len(), 1);
        assert_eq!(found("use crate::roof::Roof;"), []);
    }

    #[test]
    fn a_table_must_be_in_order() {
        assert_eq!(disorder(&TABLE), None);
        assert!(disorder(&[("ground", &["walls"]), ("walls", &[])]).is_some());
        assert!(disorder(&[("ground", &[]), ("ground", &[])]).is_some());
    }
}
