//! Circles between the files of a crate, read from source text.
//!
//! A file uses another where it names an item of it: by a path that begins with `crate`, `super`, `self` or a module
//! that the file declares, in `use` lines and elsewhere. A path is followed through re-exports to the file that defines
//! the item, so that going by way of a facade hides nothing; what a module re-exports is no use of its own. Files that
//! reach each other are in one circle.
//!
//! Methods count, too: where an `impl` of a type is spread over files, a method that calls another by `self.name()` or
//! `Self::name()` uses the file that defines it. Other calls of methods do not show.
//!
//! Cost: O(tokens) for each crate, and O(files · uses) for its circles.

use std::collections::{BTreeMap, BTreeSet};

use crate::layers::{is_name, module_of, tokens};
use crate::methods::{Block, blocks};

/// A path of module and item names from the root of the crate.
type Path = Vec<String>;

/// Longest way through re-exports that is followed.
const MOST_EXPORTS: usize = 16;

/// The modules of a crate by their paths, each with its file.
#[derive(Debug, Default)]
struct Modules {
    files: BTreeMap<Path, File>,
}

/// A file of a crate, and what it says of others.
#[derive(Debug, Default)]
struct File {
    name: String,
    /// Items that are re-exported, by the names that they have here.
    exports: BTreeMap<String, Path>,
    /// Modules of which all items are re-exported.
    globs: Vec<Path>,
    /// Names of the items that are defined here.
    items: BTreeSet<String>,
    /// Paths that are named otherwise.
    uses: Vec<Path>,
    /// The `impl` blocks of types, here defined or elsewhere.
    blocks: Vec<Block>,
}

/// The circles among the files of a crate: sets of two and more files each of which reaches all others. `files` are those
/// below its `src`, with their texts; unit tests within them do not count.
pub fn circles(files: &[(String, String)]) -> Vec<BTreeSet<String>> {
    let modules = Modules::new(files);
    let uses = modules.uses();
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        uses.keys().map(|file| (file.as_str(), reached_from(file, &uses))).collect();
    let mut circles: BTreeSet<BTreeSet<String>> = BTreeSet::new();
    for (file, others) in &reached {
        let circle = others.iter().filter(|other| reached[*other].contains(file));
        let circle: BTreeSet<String> = circle.map(|other| (*other).to_owned()).collect();
        if circle.len() > 1 {
            circles.insert(circle);
        }
    }
    circles.into_iter().collect()
}

/// The files that each file of a crate uses.
pub fn uses(files: &[(String, String)]) -> BTreeMap<String, BTreeSet<String>> {
    Modules::new(files).uses()
}

/// The files that can be reached from a file, the file itself only by way of others.
fn reached_from<'u>(
    file: &'u str,
    uses: &'u BTreeMap<String, BTreeSet<String>>,
) -> BTreeSet<&'u str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = vec![file];
    while let Some(file) = open.pop() {
        let next = uses.get(file).into_iter().flatten();
        open.extend(next.map(String::as_str).filter(|next| reached.insert(*next)));
    }
    reached
}

impl Modules {
    fn new(files: &[(String, String)]) -> Self {
        let owned = |path: Vec<&str>| path.into_iter().map(str::to_owned).collect::<Path>();
        let mut modules = Self::default();
        // A package may have a library beside its program: what both declare belongs to the library.
        let mut files: Vec<&(String, String)> = files.iter().collect();
        files.sort_by_key(|(name, _)| name == "main.rs");
        for (name, text) in files {
            let path = owned(module_of(name));
            let shipped = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let file = File::new(name, &path, shipped);
            if name == "main.rs" && modules.files.contains_key(&path) {
                // The program's root is no module that another names.
                modules.files.insert(vec!["main.rs".to_owned()], file);
            } else {
                modules.files.insert(path, file);
            }
        }
        modules
    }

    fn uses(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for file in self.files.values() {
            let used = file.uses.iter().filter_map(|path| self.file_of(path));
            let used = used.filter(|used| *used != file.name).map(str::to_owned);
            found.insert(file.name.clone(), used.collect());
        }
        for (from, to) in self.calls() {
            found.entry(from.to_owned()).or_default().insert(to.to_owned());
        }
        found
    }

    /// The files that methods call other methods of their type in: from, and to.
    fn calls(&self) -> Vec<(&str, &str)> {
        // By the file of a type and its name: the files of its methods.
        let mut methods: BTreeMap<(&str, &str, &str), &str> = BTreeMap::new();
        let mut blocks = Vec::new();
        for file in self.files.values() {
            for block in &file.blocks {
                let Some(home) = self.home(file, &block.of) else { continue };
                for method in &block.defines {
                    methods.insert((home, &block.of, method), &file.name);
                }
                blocks.push((file, home, block));
            }
        }
        let calls = blocks.iter().flat_map(|(file, home, block)| {
            let methods = &methods;
            block.calls.iter().filter_map(move |name| {
                let to = methods.get(&(home, &*block.of, &**name))?;
                Some((&*file.name, *to))
            })
        });
        calls.filter(|(from, to)| from != to).collect()
    }

    /// The file that defines the type that a file calls by a name.
    fn home<'m>(&'m self, file: &'m File, name: &str) -> Option<&'m str> {
        if file.items.contains(name) {
            return Some(&file.name);
        }
        let imported = file.uses.iter().chain(file.exports.values());
        let mut imported = imported.filter(|path| path.last().is_some_and(|last| last == name));
        self.file_of(imported.next()?)
    }

    /// The file that defines what a path names.
    fn file_of(&self, path: &[String]) -> Option<&str> {
        let mut path = path.to_vec();
        for _ in 0..MOST_EXPORTS {
            let longest = (0..=path.len()).rev().find(|&end| self.files.contains_key(&path[..end]));
            let (module, rest) = path.split_at(longest?);
            let file = &self.files[module];
            let Some((item, rest)) = rest.split_first() else { return Some(&file.name) };
            let next = match file.exports.get(item) {
                Some(next) => next.clone(),
                None if file.items.contains(item) => return Some(&file.name),
                None => {
                    let has = |path: &&Path| {
                        self.files.get(*path).is_some_and(|file| file.items.contains(item))
                    };
                    let Some(glob) = file.globs.iter().find(has) else { return Some(&file.name) };
                    [&glob[..], std::slice::from_ref(item)].concat()
                }
            };
            path = [&next[..], rest].concat();
        }
        None
    }
}

impl File {
    fn new(name: &str, module: &[String], source: &str) -> Self {
        let tokens = tokens(source);
        let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
        let mut file = Self { name: name.to_owned(), ..Self::default() };
        let pairs = || tokens.windows(2);
        let children = pairs().filter(|pair| pair[0] == "mod").map(|pair| pair[1]);
        let children: BTreeSet<&str> = children.collect();
        let defines =
            |word| matches!(word, "fn" | "struct" | "enum" | "trait" | "const" | "static" | "type");
        let items = pairs().filter(|pair| defines(pair[0])).map(|pair| pair[1].to_owned());
        file.items = items.collect();
        file.blocks = blocks(&tokens);
        let scope = Scope { module, children };
        let mut at = 0;
        while let Some(&token) = tokens.get(at) {
            let before = at.checked_sub(1).map_or("", |before| tokens[before]);
            if token == "use" {
                let is_export = before == "pub" || (before == ")" && is_visibility(&tokens[..at]));
                let mut named = Vec::new();
                at = tree(&tokens, at + 1, &[], &mut named);
                for (path, name) in named {
                    let Some(path) = scope.absolute(&path) else { continue };
                    match name {
                        _ if !is_export => file.uses.push(path),
                        Some("*") => file.globs.push(path),
                        Some(name) => _ = file.exports.insert(name.to_owned(), path),
                        None => {}
                    }
                }
            } else if is_name(token) && before != "::" && tokens.get(at + 1) == Some(&"::") {
                let mut path = vec![token];
                at += 1;
                while tokens.get(at) == Some(&"::")
                    && tokens.get(at + 1).is_some_and(|t| is_name(t))
                {
                    path.push(tokens[at + 1]);
                    at += 2;
                }
                file.uses.extend(scope.absolute(&path));
            } else {
                at += 1;
            }
        }
        file
    }
}

/// Whether some tokens end with `pub(...)`.
fn is_visibility(tokens: &[&str]) -> bool {
    let open = tokens.iter().rposition(|token| *token == "(");
    open.is_some_and(|open| open > 0 && tokens[open - 1] == "pub")
}

/// A module, and those that it declares.
struct Scope<'s> {
    module: &'s [String],
    children: BTreeSet<&'s str>,
}

impl Scope<'_> {
    /// The path from the root of the crate; none of what is in another crate or in the file itself.
    fn absolute(&self, path: &[&str]) -> Option<Path> {
        let (base, rest) = match path {
            ["crate", rest @ ..] => (&[][..], rest),
            ["self", rest @ ..] => (self.module, rest),
            ["super", ..] => {
                let supers = path.iter().take_while(|part| **part == "super").count();
                let kept = self.module.len().checked_sub(supers)?;
                (&self.module[..kept], &path[supers..])
            }
            [first, ..] if self.children.contains(first) => (self.module, path),
            _ => return None,
        };
        let rest = rest.iter().map(|part| (*part).to_owned());
        Some(base.iter().cloned().chain(rest).collect())
    }
}

/// Reads a tree of a `use` line, and returns where it ends. Each leaf is named with the path before it and the name that
/// it has from then on.
fn tree<'t>(
    tokens: &[&'t str],
    mut at: usize,
    base: &[&'t str],
    named: &mut Vec<(Vec<&'t str>, Option<&'t str>)>,
) -> usize {
    let mut path = base.to_vec();
    loop {
        match tokens.get(at) {
            Some(&"::") => at += 1,
            Some(&"{") => {
                at += 1;
                while tokens.get(at).is_some_and(|token| *token != "}") {
                    at = tree(tokens, at, &path, named);
                    at += usize::from(tokens.get(at) == Some(&","));
                }
                return at + 1;
            }
            Some(&"*") => {
                named.push((path, Some("*")));
                return at + 1;
            }
            Some(&"as") => {
                named.push((path, tokens.get(at + 1).copied()));
                return at + 2;
            }
            // The module itself, in a group.
            Some(&"self") if !path.is_empty() => at += 1,
            Some(&name) if is_name(name) => {
                path.push(name);
                at += 1;
            }
            _ => {
                let name = path.last().copied();
                named.push((path, name));
                return at;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let files = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        let circles = circles(&files.collect::<Vec<_>>());
        let joined = |circle: &BTreeSet<String>| {
            circle.iter().map(String::as_str).collect::<Vec<_>>().join(" ")
        };
        circles.iter().map(joined).collect()
    }

    #[test]
    fn files_that_reach_each_other_are_in_a_circle() {
        let three = [
            ("lib.rs", "mod a; mod b; mod c; mod d;"),
            ("a.rs", "use crate::b::B; pub struct A;"),
            ("b.rs", "fn f() -> crate::c::C {} pub struct B;"),
            ("c.rs", "pub struct C; impl C { fn f(self) { super::a::A; } }"),
            ("d.rs", "use super::{a::A, b::{self, B as Other}};"),
        ];
        assert_eq!(found(&three), ["a.rs b.rs c.rs"]);
        let open =
            three.map(|(name, text)| (name, if name == "c.rs" { "pub struct C;" } else { text }));
        assert_eq!(found(&open), [""; 0]);
    }

    #[test]
    fn methods_of_one_type_in_several_files_are_in_a_circle_where_they_call_each_other() {
        let files = |b: &str| {
            let rooms = [
                ("lib.rs", "mod a; mod b;"),
                ("a.rs", "pub struct A; impl A { fn f(&self) { self.g() } }"),
                ("b.rs", b),
            ];
            found(&rooms)
        };
        assert_eq!(files("use crate::a::A; impl A { fn g(&self) {} }"), ["a.rs b.rs"]);
        // Another type of that name, and a method that nothing below calls.
        assert_eq!(files("struct A; impl A { fn g(&self) {} }"), [""; 0]);
        assert_eq!(files("use crate::a::A; impl A { fn h(&self) { self.f() } }"), [""; 0]);
    }

    #[test]
    fn a_facade_hides_nothing_and_is_in_no_circle_itself() {
        let facade =
            "mod x; mod y; pub use x::X; pub(crate) use y::{Y as Z, f}; pub use self::x::*;";
        let x = "use super::Z; pub struct X; pub const ONE: u8 = 1;";
        let files = |y: &str| {
            let rooms = [("room/mod.rs", facade), ("room/x.rs", x), ("room/y.rs", y)];
            found(&[&[("lib.rs", "mod room;")], &rooms[..]].concat())
        };
        assert_eq!(files("pub struct Y; pub fn f() {}"), [""; 0]);
        for y in ["use crate::room::X;", "use super::ONE;", "fn f(x: super::super::room::X) {}"] {
            assert_eq!(files(&format!("{y} pub struct Y;")), ["room/x.rs room/y.rs"], "{y}");
        }
    }

    #[test]
    fn a_module_that_uses_its_children_and_is_used_by_them_is_in_a_circle() {
        let child = ("a/child.rs", "use super::Parent; pub fn f() {}");
        for uses in ["use child::f;", "fn g() { child::f() }", "fn g() { self::child::f() }"] {
            let parent = format!("mod child; {uses} pub struct Parent;");
            assert_eq!(found(&[("a.rs", &parent), child]), ["a.rs a/child.rs"], "{uses}");
        }
        assert_eq!(found(&[("a.rs", "mod child; pub struct Parent;"), child]), [""; 0]);
    }

    #[test]
    fn unit_tests_texts_and_other_crates_do_not_count() {
        let tests = "#[cfg(test)]\nmod tests { use crate::b::B; }";
        for a in [tests, "// crate::b::B\n", "const A: &str = \"crate::b::B\";", "use other::b::B;"]
        {
            let a = format!("pub struct A; {a}");
            assert_eq!(found(&[("a.rs", &a), ("b.rs", "use crate::a::A; pub struct B;")]), [""; 0]);
        }
    }
}
