//! Lowers a schema to the part of JSON Schema that a target takes, and decides how both relate.
//!
//! ```text
//! source ── check ──► findings ── rewrite, one place each ──► schema ── check … until nothing is left to do
//!                                                               │
//!            compare(source, schema) ◄── before stand-ins ──────┤
//!                                                               └── stand-ins ──► lowered schema
//! ```
//!
//! | file | content |
//! | --- | --- |
//! | `options` | options, results and errors |
//! | `rewrite` | the rewritings, one file each |
//! | `meet` | the conjunction of two schemas as one |
//! | `tree` | references, definitions, and schemas without values |
//! | `stand_ins` | values that denote others, and their decoding |
//! | `lost` | what one rewriting gives or takes, with a value |
//!
//! Exact rewritings come first, then those whose effect the option `keep` prefers, then the others. The relation of the
//! whole is decided by the compiler and never assembled from single rewritings: a keyword that is left out may be
//! implied by others. With stand-ins, the schema before them is compared, because decoding maps one onto the other.
//!
//! Cost: at most [`MOST_ROUNDS`] checks, three questions about the whole, and one for each of the first losses.
//! Tests: `tests/lower.rs`, `tests/rewritings.rs`.

mod lost;
pub(crate) mod meet;
pub(crate) mod options;
mod rewrite;
pub(crate) mod stand_ins;
pub(crate) mod tree;

use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::Source;
use grammarc_json_schema::document::{Codes, Document};
use grammarc_json_schema::relation::{Compared, Relation, RelationOptions, Side, Which, compare};
use rustc_hash::FxHashSet;
use serde_json::Value;

use crate::check::{Met, met};
use crate::finding::{Finding, Severity, Treatment};
use crate::pack::Pack;
use crate::places::Places;
use crate::rewritings;
use lost::Losses;
use options::{Gives, Keep, LowerError, LowerOptions, Lowered, Rewritten};
use rewrite::{Outcome, Task};
use stand_ins::StandIn;

/// Most rounds of findings and rewritings. What is left after that is an error.
const MOST_ROUNDS: usize = 40;

/// The work on one schema.
struct Work<'w> {
    root: Value,
    pack: &'w Pack,
    options: &'w LowerOptions,
    rewritten: Vec<Rewritten>,
    losses: Losses,
}

/// Returns a schema that a target takes, and how its values relate to those of the source.
///
/// A source without findings that a rewriting could meet comes back as it is, byte by byte.
///
/// # Errors
///
/// The source is not JSON or is refused, no value satisfies it, or no rewriting meets a rule of the target.
///
/// # Cost
///
/// A check for each round, and three questions about the whole schema within the time limit of the options each.
pub fn lower(source: &Source, pack: &Pack, options: &LowerOptions) -> Result<Lowered, LowerError> {
    let codes = Codes { syntax: "portable::syntax", duplicate_key: "portable::duplicate-key" };
    if let Err(error) = Document::parse(source, codes, &Budget::new()) {
        return Err(LowerError::Source(vec![error]));
    }
    let original: Value = serde_json::from_str(&source.text).unwrap_or_default();
    let losses = Losses::new(options);
    let mut work = Work { root: original.clone(), pack, options, rewritten: Vec::new(), losses };
    work.rounds();
    let plain = work.root.clone();
    let stand_ins = work.stand_ins();
    let left: Vec<Finding> = {
        let places = Places::of(&work.root);
        met(&places, pack).into_iter().map(|met| met.finding).collect()
    };
    let errors: Vec<Finding> =
        left.iter().filter(|finding| finding.severity == Severity::Error).cloned().collect();
    if !errors.is_empty() {
        return Err(LowerError::NoRewriting(errors));
    }
    let is_same = work.root == original;
    let compared = if is_same { None } else { Some(related(source, &plain, &options.relation)?) };
    Ok(work.finish(source, left, stand_ins, compared))
}

/// Compares the source with the lowered schema before stand-ins. `None` in the answer: the lowered schema is refused.
fn related(
    source: &Source,
    plain: &Value,
    options: &RelationOptions,
) -> Result<Result<Compared, String>, LowerError> {
    let lowered = Source::new("<lowered>", plain.to_string());
    match compare(source, &lowered, options) {
        Ok(compared) => {
            let is_empty = |side: &Side| matches!(side, Side::Empty { assuming } if assuming.is_empty());
            if is_empty(&compared.left_only) && is_empty(&compared.both) {
                return Err(LowerError::NoInstances);
            }
            Ok(Ok(compared))
        }
        Err(refused) if refused.side == Which::Left => Err(LowerError::Source(refused.errors)),
        Err(refused) => {
            let text = refused.errors.first().map_or_else(String::new, |error| error.to_string());
            Ok(Err(format!("the lowered schema is refused: {text}")))
        }
    }
}

impl Work<'_> {
    /// Rewrites places until no rewriting applies.
    fn rounds(&mut self) {
        for _ in 0..MOST_ROUNDS {
            if !self.round() {
                break;
            }
        }
    }

    /// Rewrites every place with findings once, those inside others first. Returns whether something changed.
    fn round(&mut self) -> bool {
        let before = self.root.clone();
        let places = Places::of(&before);
        let mut findings = met(&places, self.pack);
        findings.retain(|met| self.is_wanted(met));
        // Later places come first, so that pointers to earlier ones stay valid. At one place, keywords of the schema
        // as a whole come last.
        findings.sort_by_key(|met| (std::cmp::Reverse(met.place), met.finding.keyword.is_empty()));
        let mut moved: FxHashSet<usize> = FxHashSet::default();
        let mut changed = false;
        for met in findings {
            let place = &places.all[met.place];
            let is_gone = self.root.pointer(&place.pointer).is_none();
            if is_gone || moved.contains(&met.place) {
                continue;
            }
            let Some((name, outcome)) = self.rewrite(&before, &places, &met) else { continue };
            changed = true;
            let equal = outcome.gives == Gives::Equal;
            let (pointer, keyword) = (place.pointer.clone(), met.finding.keyword.clone());
            if !equal {
                let after = &self.root;
                self.losses.add((&before, after), &place.pointer, &keyword, outcome.gives);
            }
            self.rewritten.push(Rewritten { pointer, keyword, by: name, equal });
            if outcome.moved {
                moved.insert(met.place);
                moved.extend(place.parent);
            }
            if name == "references" && outcome.moved {
                // Definitions elsewhere may have changed.
                break;
            }
        }
        changed && self.root != before
    }

    /// Whether a finding is to be met by a rewriting.
    fn is_wanted(&self, met: &Met<'_>) -> bool {
        match met.finding.treatment {
            Treatment::Enforced => false,
            Treatment::Refused | Treatment::Ignored => true,
            Treatment::Narrower => !met.entry.instead.is_empty(),
            Treatment::Undocumented => !self.options.keep_undocumented,
        }
    }

    /// Applies the first rewriting that meets a finding.
    fn rewrite(&mut self, before: &Value, places: &Places<'_>, met: &Met<'_>) -> Option<(&'static str, Outcome)> {
        let place = &places.all[met.place];
        let own = met.entry.instead.iter().map(String::as_str);
        let usual: &[&str] = match (&*met.finding.keyword, met.finding.treatment) {
            ("", _) | (_, Treatment::Narrower) => &[],
            (keyword, _) if crate::places::keywords::is_known(keyword) => rewritings::of_keyword(keyword),
            _ => &["drop"],
        };
        for name in own.chain(usual.iter().copied()) {
            let name = rewritings::NAMES.iter().find(|known| **known == name)?;
            let mut task = Task {
                root: &mut self.root,
                before,
                pointer: &place.pointer,
                keyword: &met.finding.keyword,
                held_by: place.keyword,
                pack: self.pack,
                options: self.options,
            };
            if let Some(outcome) = rewrite::apply(name, &mut task) {
                return Some((name, outcome));
            }
        }
        None
    }

    /// Applies the stand-ins for what is left.
    fn stand_ins(&mut self) -> Vec<StandIn> {
        let asks = |root: &Value, name: &str| -> Vec<String> {
            let places = Places::of(root);
            let findings = met(&places, self.pack).into_iter();
            let asking = findings.filter(|met| {
                met.finding.severity == Severity::Error && met.entry.instead.iter().any(|one| one == name)
            });
            asking.map(|met| places.all[met.place].pointer.clone()).collect()
        };
        let mut stand_ins = Vec::new();
        if self.options.wrap_root && asks(&self.root, "root").iter().any(String::is_empty) {
            let closes = self.pack.rules.iter().any(|rule| {
                rule.entry.is == Treatment::Refused && rule.entry.instead.iter().any(|one| one == "closed")
            });
            stand_ins.push(stand_ins::wrap_root(&mut self.root, closes));
        }
        if self.options.null_for_absent {
            let wanting = asks(&self.root, "required");
            let found = stand_ins::null_for_absent(&mut self.root, |pointer| wanting.iter().any(|one| one == pointer));
            stand_ins.extend(found);
        }
        stand_ins
    }

    /// Returns the result. `compared` is `None` if nothing changed.
    fn finish(
        self,
        source: &Source,
        findings: Vec<Finding>,
        stand_ins: Vec<StandIn>,
        compared: Option<Result<Compared, String>>,
    ) -> Lowered {
        let (relation, proved, undecided) = match &compared {
            None => ("equal", true, Vec::new()),
            Some(Err(reason)) => ("unknown", false, vec![reason.clone()]),
            Some(Ok(compared)) => (name(compared.relation), is_proved(compared), reasons(compared)),
        };
        let has = |treatment: Treatment| findings.iter().any(|finding| finding.treatment == treatment);
        let kept = match self.options.keep {
            Keep::Narrower => matches!(relation, "equal" | "narrower") && !has(Treatment::Ignored),
            Keep::Wider => matches!(relation, "equal" | "wider") && !has(Treatment::Narrower),
            Keep::Equal => relation == "equal" && !has(Treatment::Ignored) && !has(Treatment::Narrower),
        };
        let text = match compared {
            None => source.text.to_string(),
            Some(_) => serde_json::to_string_pretty(&self.root).unwrap_or_default(),
        };
        Lowered {
            target: self.pack.target.clone(),
            relation,
            proved,
            kept,
            minimal: "local",
            schema: self.root,
            text,
            stand_ins,
            lost: self.losses.found(relation == "equal"),
            rewritten: self.rewritten,
            findings,
            undecided,
        }
    }
}

/// Returns the name of a relation, as that of the lowered schema to the source.
fn name(relation: Relation) -> &'static str {
    match relation {
        Relation::Equal => "equal",
        Relation::Within => "wider",
        Relation::Contains => "narrower",
        Relation::Overlapping => "overlapping",
        Relation::Disjoint => "disjoint",
        Relation::Unknown => "unknown",
    }
}

fn is_proved(compared: &Compared) -> bool {
    let is_assumed = |side: &Side| matches!(side, Side::Empty { assuming } if !assuming.is_empty());
    compared.relation != Relation::Unknown
        && ![&compared.left_only, &compared.right_only].into_iter().any(is_assumed)
}

fn reasons(compared: &Compared) -> Vec<String> {
    if compared.relation != Relation::Unknown {
        return Vec::new();
    }
    let mut all = Vec::new();
    for side in [&compared.left_only, &compared.right_only, &compared.both] {
        let Side::Unknown(reasons) = side else { continue };
        for reason in reasons {
            let text = format!("{} (at {})", reason.text, reason.pointer);
            if !all.contains(&text) {
                all.push(text);
            }
        }
    }
    all
}
