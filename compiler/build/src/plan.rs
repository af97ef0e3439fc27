//! Expands the patterns of a manifest to the source files, and derives the artifact's file for
//! each.
//!
//! An artifact has the path that its source has relative to the manifest. This path is below the
//! folder of the vocabulary, and below the folder of the group if the group has one. A file of the
//! output folder is never a source.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use glob::{MatchOptions, Pattern};
use grammarc_compiler::diagnostics::Diagnostic;
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::settings::Language;

use crate::manifest::{Group, Manifest, wrong};

/// Rules for patterns: `*` matches within a name, and `**` also across folders. Hidden files match
/// only if a pattern names their dot.
const MATCH: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

/// A source to compile.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) path: PathBuf,
    /// Path of the source relative to the manifest's folder, with `/` between the parts.
    pub(crate) name: String,
    /// Index of the source's group in the manifest.
    pub(crate) group: usize,
    pub(crate) front_end: FrontEnd,
    /// Path of the source's artifact within the folder of a vocabulary.
    stem: String,
}

impl Item {
    /// Returns the path of the source's artifact for a vocabulary, relative to the output folder.
    /// The index names the artifact by this path.
    pub(crate) fn file(&self, vocabulary: &str) -> String {
        format!("{vocabulary}/{}", self.stem)
    }
}

/// All sources of a manifest, and the folders in which further sources would be found.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The sources, ordered by group and then by name.
    pub(crate) items: Vec<Item>,
    /// The folders that the patterns search.
    pub(crate) folders: BTreeSet<PathBuf>,
}

/// Expands the patterns of a manifest to a plan. `root` and `output` are absolute paths.
///
/// # Errors
///
/// A pattern matches nothing, a file has no known language, an option does not apply to a file, or
/// two sources have the same artifact.
pub(crate) fn plan(
    manifest: &Manifest,
    root: &Path,
    output: &Path,
) -> Result<Plan, Vec<Diagnostic>> {
    let mut plan = Plan { items: Vec::new(), folders: BTreeSet::new() };
    let mut errors = Vec::new();
    for (number, group) in manifest.groups.iter().enumerate() {
        let mut found = BTreeMap::new();
        for (pattern, span) in &group.files {
            let expanded = expand(root, output, group, pattern, &mut plan.folders);
            if expanded.is_empty() {
                let problem = format!("{pattern:?} matches no file");
                errors.push(wrong("files", span.clone(), problem));
            }
            for path in expanded {
                found.entry(path).or_insert_with(|| span.clone());
            }
        }
        for (path, span) in found {
            match item(root, number, group, path, span) {
                Ok(item) => plan.items.push(item),
                Err(error) => errors.push(error),
            }
        }
    }
    let mut taken: BTreeMap<(usize, &str), &Item> = BTreeMap::new();
    for item in &plan.items {
        let group = &manifest.groups[item.group];
        let mut others =
            group.vocabularies.iter().filter_map(|&one| taken.insert((one, &item.stem), item));
        if let Some(other) = others.next() {
            let problem =
                format!("{} and {} would both be compiled to {}", other.name, item.name, item.stem);
            let error = Diagnostic::error("manifest::collision", problem)
                .with_label(group.span.clone(), "")
                .with_help("give one of their [[source]] tables a `folder` of its own");
            errors.push(error);
        }
    }
    if errors.is_empty() { Ok(plan) } else { Err(errors) }
}

/// Returns the files that a pattern of a group matches. Adds the folders that the pattern searches
/// to `folders`.
fn expand(
    root: &Path,
    output: &Path,
    group: &Group,
    pattern: &str,
    folders: &mut BTreeSet<PathBuf>,
) -> BTreeSet<PathBuf> {
    let whole = match Path::new(pattern).is_absolute() {
        true => pattern.to_owned(),
        false => format!("{}/{pattern}", Pattern::escape(&root.to_string_lossy())),
    };
    let is_wild = |part: &str| part.contains(['*', '?', '[']);
    if is_wild(pattern) {
        let fixed: PathBuf = pattern.split('/').take_while(|part| !is_wild(part)).collect();
        let base = root.join(fixed);
        if pattern.contains("**") {
            below(&base, output, folders);
        }
        folders.insert(base);
    }
    // A folder that cannot be read is treated as empty.
    let paths = glob::glob_with(&whole, MATCH).into_iter().flatten().flatten();
    let is_source = |path: &PathBuf| {
        let name = path.strip_prefix(root).unwrap_or(path);
        let excluded = group.exclude.iter().any(|one| one.matches_path_with(name, MATCH));
        !excluded && !path.starts_with(output) && path.is_file()
    };
    let paths: BTreeSet<PathBuf> = paths.filter(is_source).collect();
    if is_wild(pattern) {
        folders.extend(paths.iter().filter_map(|path| Some(path.parent()?.to_owned())));
    }
    paths
}

/// Adds all folders below `folder` to `folders`, except the output folder and hidden folders.
fn below(folder: &Path, output: &Path, folders: &mut BTreeSet<PathBuf>) {
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            let path = entry.path();
            if is_folder && !hidden && !path.starts_with(output) && folders.insert(path.clone()) {
                open.push(path);
            }
        }
    }
}

fn item(
    root: &Path,
    number: usize,
    group: &Group,
    path: PathBuf,
    span: Range<usize>,
) -> Result<Item, Diagnostic> {
    let relative = path.strip_prefix(root).unwrap_or(&path);
    let name = with_slashes(relative);
    let from_name = || Language::of_file_name(path.file_name().and_then(OsStr::to_str)?);
    let kind = group.kind.or_else(from_name);
    let kind = kind.ok_or_else(|| {
        wrong("files", span, format!("cannot tell the language of {name} from its name")).with_help(
            "give the [[source]] a `kind`: json-schema, gbnf, ebnf, lark, regex, choice, substring, structural-tag or typescript",
        )
    })?;
    let front_end = group.front_end(kind, &name)?;
    let parts = relative.components().filter(|part| matches!(part, Component::Normal(_)));
    let stem: PathBuf = parts.collect();
    let stem = with_slashes(&group.folder.join(stem.with_extension("gmask")));
    Ok(Item { path, name, group: number, front_end, stem })
}

fn with_slashes(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    // The root of an absolute path is itself a slash, so joining gives two.
    parts.join("/").replace("//", "/")
}
