//! Grammars: rules with names and positions in the source.

use std::ops::Range;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use grammarc_artifacts::RegionKind;

use super::{Expr, RuleId, TokenRef};
use crate::diagnostics::{Diagnostic, Source, report::Report};

/// The origin of a rule, for messages about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Byte range in the source text.
    pub span: Option<Range<usize>>,
    /// JSON pointer, for sources that are JSON.
    pub pointer: Option<String>,
}

/// The kind of a rule besides its strings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RuleKind {
    /// An ordinary rule, which may be inlined into its callers.
    #[default]
    Plain,
    /// A rule that is never inlined, because many grammars share it and the vocabulary artifact holds its masks.
    Kept,
    /// The strings of the [`Item`](Self::Item)s that it calls differ from each other. Only the runtime, which sees
    /// the text, holds sequences to that: to all else the rule is as its expression says.
    Distinct,
    /// An item of a [`Distinct`](Self::Distinct) rule, which is its only caller.
    Item,
    /// The rule is a [`Region`] with this number. Its text is reported apart from the rest of an output.
    Region(u32),
}

/// One rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Name, unique within the grammar if the source has unique names; only for people.
    pub name: String,
    /// Right-hand side.
    pub expr: Expr,
    /// Its origin.
    pub origin: Origin,
    /// Its kind. A rule that is not [plain](RuleKind::Plain) is never written into its callers.
    pub kind: RuleKind,
}

impl Rule {
    /// Whether it is a [kept](RuleKind::Kept) rule.
    pub fn is_kept(&self) -> bool {
        self.kind == RuleKind::Kept
    }
}

/// Region of an output that a rule is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Region {
    /// Its kind.
    pub kind: RegionKind,
    /// The name of the tool that is called, or how the tag begins; empty for the others.
    pub label: String,
    /// Texts that end free text of the same rule.
    pub markers: Vec<Vec<MarkerPart>>,
}

impl Region {
    /// A region of a kind that needs no more.
    pub fn plain(kind: RegionKind) -> Self {
        Self { kind, label: String::new(), markers: Vec::new() }
    }
}

/// A part of a text that ends free text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MarkerPart {
    /// Bytes, however they are cut into tokens.
    Bytes(Vec<u8>),
    /// A whole token.
    Token(TokenRef),
}

/// Rules and the one to start from.
#[derive(Clone, Debug, PartialEq)]
pub struct Grammar {
    /// The rules; [`RuleId`] is an index into them.
    pub rules: Vec<Rule>,
    /// The start rule.
    pub start: RuleId,
    /// The regions that rules are, by number.
    pub regions: Vec<Region>,
}

impl Grammar {
    /// The rule with this id.
    pub fn rule(&self, id: RuleId) -> &Rule {
        &self.rules[id.index()]
    }
}

/// Builds a grammar whose rules may call rules that are not yet defined.
#[derive(Debug, Default)]
pub struct GrammarBuilder {
    rules: Vec<Option<Rule>>,
    /// Names of rules that are not defined yet.
    names: Vec<String>,
    /// Regions, each once.
    regions: IndexSet<Region, FxBuildHasher>,
}

impl GrammarBuilder {
    /// A builder without rules.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reserves a rule, to be defined later; calls of it may be built at once.
    pub fn declare(&mut self, name: impl Into<String>) -> RuleId {
        self.rules.push(None);
        self.names.push(name.into());
        RuleId::new(self.rules.len() - 1)
    }

    /// The number of a region, for rules that are it: equal regions have one.
    pub fn region(&mut self, region: Region) -> u32 {
        let (number, _) = self.regions.insert_full(region);
        u32::try_from(number).expect("a grammar has fewer than 2^32 regions")
    }

    /// Number of rules, including rules without a definition.
    pub(super) fn len(&self) -> usize {
        self.rules.len()
    }

    /// Defines a declared rule.
    ///
    /// # Panics
    ///
    /// If the rule is defined already.
    pub fn define(&mut self, id: RuleId, expr: Expr, origin: Origin) {
        self.define_as(id, expr, origin, RuleKind::Plain);
    }

    /// Defines a declared rule that stays a rule (see [`RuleKind::Kept`]).
    ///
    /// # Panics
    ///
    /// If the rule is defined already.
    pub fn define_kept(&mut self, id: RuleId, expr: Expr, origin: Origin) {
        self.define_as(id, expr, origin, RuleKind::Kept);
    }

    /// Defines a declared rule of a kind.
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

    /// The finished grammar.
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
        Grammar { rules, start, regions: self.regions.into_iter().collect() }
    }
}

/// The result of a front end: the grammar, the verdict on each keyword, and findings that do not stop the compile.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The source the spans point into.
    pub source: Source,
    /// The grammar.
    pub grammar: Grammar,
    /// The verdict on each keyword of the source; empty for sources without keywords.
    pub report: Report,
    /// Warnings and notes, in source order.
    pub findings: Vec<Diagnostic>,
    /// The literal strings of the source, to be compared with the vocabulary's special tokens. Empty for sources that
    /// do not write strings as they are matched.
    pub literals: Literals,
}

/// Strings of a source, each with its first position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Literals(IndexMap<Box<str>, Range<usize>, FxBuildHasher>);

impl Literals {
    /// Adds a string at a position.
    pub fn add(&mut self, text: &str, span: &Range<usize>) {
        if !self.0.contains_key(text) {
            self.0.insert(text.into(), span.clone());
        }
    }

    /// Adds the strings of an inner source.
    pub fn extend(&mut self, inner: Self) {
        for (text, span) in inner.0 {
            self.0.entry(text).or_insert(span);
        }
    }

    /// The strings, in source order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Range<usize>)> {
        self.0.iter().map(|(text, span)| (&**text, span))
    }
}
