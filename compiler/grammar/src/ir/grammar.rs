//! Grammars: rules with names, and with their positions in the source.

use std::ops::Range;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use grammarc_artifacts::RegionKind;

use super::{Expr, PlaceGraph, RuleId, TokenRef};
use crate::diagnostics::{Diagnostic, Source, report::Report};

/// The position of a rule in the source, for messages about the rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The byte range in the source text. `None` if the rule has no text of its own.
    pub span: Option<Range<usize>>,
    /// The JSON pointer of the position, if the source is JSON. `None` otherwise.
    pub pointer: Option<String>,
}

/// The role that a rule has besides deriving strings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RuleKind {
    /// An ordinary rule, which may be inlined into its callers.
    #[default]
    Plain,
    /// A rule that is never inlined. Many grammars share it, and the vocabulary artifact holds its
    /// masks.
    Kept,
    /// A rule whose [`Item`](Self::Item)s must differ from each other, such as an array with unique
    /// items. Only the runtime, which sees the text, enforces this. Everything else treats the rule
    /// as its expression alone.
    Distinct,
    /// An item of a [`Distinct`](Self::Distinct) rule. No other rule calls it.
    Item,
    /// A rule whose text is the region with this number in [`Grammar::regions`]. The text of a
    /// region is reported separately from the rest of an output.
    Region(u32),
}

/// A rule of a grammar: a name and an expression, which denotes the strings that the rule derives.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The name, for people. Unique within the grammar if names are unique in the source.
    pub name: String,
    /// The right-hand side: the strings that the rule derives.
    pub expr: Expr,
    /// The position of the rule in the source, for messages.
    pub origin: Origin,
    /// The role of the rule. A rule that is not [plain](RuleKind::Plain) is never inlined into its
    /// callers.
    pub kind: RuleKind,
}

impl Rule {
    /// Whether the rule is [kept](RuleKind::Kept): never inlined, and stored in vocabulary
    /// artifacts.
    pub fn is_kept(&self) -> bool {
        self.kind == RuleKind::Kept
    }
}

/// A region: a part of an output that is reported by itself, such as the arguments of a tool call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Region {
    /// The kind of the region, such as free text, a JSON value or a tag.
    pub kind: RegionKind,
    /// The name of the called tool, or the beginning of the tag. Empty for other kinds of regions.
    pub label: String,
    /// The texts that can end free text in the region's rule. Each is a list of parts.
    pub markers: Vec<Vec<MarkerPart>>,
}

impl Region {
    /// Returns a region without a label and markers.
    pub fn plain(kind: RegionKind) -> Self {
        Self { kind, label: String::new(), markers: Vec::new() }
    }
}

/// A part of a marker, a text that ends free text in a region. A marker is a list of parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MarkerPart {
    /// Bytes, however they are divided into tokens.
    Bytes(Vec<u8>),
    /// A whole token, matched by its id.
    Token(TokenRef),
}

/// A grammar: a list of rules, and the rule to start from.
#[derive(Clone, Debug, PartialEq)]
pub struct Grammar {
    /// The rules. A [`RuleId`] is an index into this list.
    pub rules: Vec<Rule>,
    /// The number of the start rule, which derives the grammar's language.
    pub start: RuleId,
    /// The regions. [`RuleKind::Region`] has an index into this list.
    pub regions: Vec<Region>,
    /// The places in the source for each value of a JSON text of the grammar. `None` if its texts are no JSON, or the
    /// places are not known.
    pub places: Option<Arc<PlaceGraph>>,
}

impl Grammar {
    /// Returns the rule with the number `id`.
    pub fn rule(&self, id: RuleId) -> &Rule {
        &self.rules[id.index()]
    }
}

/// Builds a grammar whose rules may call rules that are not yet defined.
#[derive(Debug, Default)]
pub struct GrammarBuilder {
    /// The rules by number. `None` while a rule is declared and not defined.
    rules: Vec<Option<Rule>>,
    /// For each rule, by its number, its name. Empty once the rule is defined.
    names: Vec<String>,
    /// The regions, each once. The index is the number of the region.
    regions: IndexSet<Region, FxBuildHasher>,
}

impl GrammarBuilder {
    /// Creates a builder without rules.
    pub fn new() -> Self {
        Self::default()
    }

    /// Declares a rule that is defined later. Expressions may call the rule at once. Returns its
    /// id.
    pub fn declare(&mut self, name: impl Into<String>) -> RuleId {
        self.rules.push(None);
        self.names.push(name.into());
        RuleId::new(self.rules.len() - 1)
    }

    /// Adds a region, and returns its number, for [`RuleKind::Region`]. Equal regions have the same
    /// number.
    pub fn region(&mut self, region: Region) -> u32 {
        let (number, _) = self.regions.insert_full(region);
        u32::try_from(number).expect("a grammar has fewer than 2^32 regions")
    }

    /// Returns the number of rules, including rules that are not defined yet.
    pub(super) fn len(&self) -> usize {
        self.rules.len()
    }

    /// Defines a declared rule as a plain rule, which may be inlined into its callers.
    ///
    /// # Panics
    ///
    /// If the rule is defined already.
    pub fn define(&mut self, id: RuleId, expr: Expr, origin: Origin) {
        self.define_as(id, expr, origin, RuleKind::Plain);
    }

    /// Defines a declared rule that is never inlined (see [`RuleKind::Kept`]).
    ///
    /// # Panics
    ///
    /// If the rule is defined already.
    pub fn define_kept(&mut self, id: RuleId, expr: Expr, origin: Origin) {
        self.define_as(id, expr, origin, RuleKind::Kept);
    }

    /// Defines a declared rule with a kind: plain, kept, distinct, an item or a region. Kinds other
    /// than plain keep the rule from being inlined.
    ///
    /// # Panics
    ///
    /// If the rule is defined already.
    pub fn define_as(&mut self, id: RuleId, expr: Expr, origin: Origin, kind: RuleKind) {
        let slot = &mut self.rules[id.index()];
        if let Some(Rule { name, .. }) = slot {
            panic!("rule {name:?} is defined twice");
        }
        let name = std::mem::take(&mut self.names[id.index()]);
        *slot = Some(Rule { name, expr, origin, kind });
    }

    /// Returns the finished grammar, which starts from the rule `start`.
    ///
    /// # Panics
    ///
    /// If a declared rule was never defined.
    pub fn finish(self, start: RuleId) -> Grammar {
        let rules = self
            .rules
            .into_iter()
            .zip(self.names)
            .map(|(rule, name)| rule.unwrap_or_else(|| panic!("rule {name:?} is not defined")))
            .collect();
        Grammar { rules, start, regions: self.regions.into_iter().collect(), places: None }
    }
}

/// The result of a front end: the grammar, the verdict on each keyword of the source, and problems
/// that do not stop the compilation.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The compiled source. All byte ranges of the result are ranges of its text.
    pub source: Source,
    /// The grammar that the source was translated to.
    pub grammar: Grammar,
    /// The verdict on each keyword of the source: exact, annotation, narrower or approximate. Empty
    /// if the source language has no keywords.
    pub report: Report,
    /// Warnings and notes, in the order of their positions in the source.
    pub findings: Vec<Diagnostic>,
    /// The string literals of the source, to be compared with the vocabulary's special tokens.
    /// Empty for source languages whose literals differ from the matched strings.
    pub literals: Literals,
}

/// The string literals of a source, each once: maps a string to the byte range of its first
/// occurrence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Literals(IndexMap<Box<str>, Range<usize>, FxBuildHasher>);

impl Literals {
    /// Adds a string literal that occurs at a byte range of the source. If the string is known, its
    /// first range is kept.
    pub fn add(&mut self, text: &str, span: &Range<usize>) {
        if !self.0.contains_key(text) {
            self.0.insert(text.into(), span.clone());
        }
    }

    /// Adds the string literals of an inner source after those of this one. If a string is known,
    /// its first range is kept.
    pub fn extend(&mut self, inner: Self) {
        for (text, span) in inner.0 {
            self.0.entry(text).or_insert(span);
        }
    }

    /// Returns the string literals, each with the byte range of its first occurrence, in the order
    /// of the source.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Range<usize>)> {
        self.0.iter().map(|(text, span)| (&**text, span))
    }
}
