//! Lowers a schema to the part of JSON Schema that a target takes, and decides how both relate.
//!
//! ```text
//! source ── check ──► findings ── rewrite, one place each ──► schema ── check … until nothing is left to do
//!                                                               │
//!            relate(source, schema) ◄── before stand-ins ──────┤
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
//! | `related` | the relation of the whole |
//! | `lost` | what one rewriting gives or takes, with a value |
//!
//! Exact rewritings come first, then those with the effect that the option `keep` prefers, then the others. The
//! compiler decides the relation of the whole schema. It is not assembled from single rewritings, because other
//! keywords may imply a dropped one. The schema is compared before it gets stand-ins, because decoding removes these.
//!
//! Cost: at most [`MOST_ROUNDS`] checks, three questions about the whole, and one for each of the first losses. The
//! rewritings end after [`MOST_TIMES`] times the time limit of a question.
//! Tests: `tests/lower.rs`, `tests/maskbench.rs`.

mod lost;
pub(crate) mod meet;
pub(crate) mod options;
mod related;
mod rewrite;
pub(crate) mod stand_ins;
pub(crate) mod tree;

use std::cell::Cell;

use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::Source;
use grammarc_json_schema::document::{Codes, Document};
use grammarc_json_schema::relation::{Compared, Relation, Side};
use rustc_hash::FxHashSet;
use serde_json::Value;

use crate::check::{Met, check, met};
use crate::counts;
use crate::finding::{Finding, Severity, Treatment};
use crate::pack::Pack;
use crate::places::pointer::join;
use crate::places::{Answers, Places};
use crate::predicates::shape;
use crate::rewritings;
use lost::Losses;
use options::{Gives, Keep, LowerError, LowerOptions, Lowered, Rewritten};
use rewrite::{Outcome, Task};
use stand_ins::StandIn;

/// Most rounds of checking and rewriting. Findings of severity error that remain are then reported as an error.
const MOST_ROUNDS: usize = 200;

/// Most values in a rewritten document. Larger documents are an error.
const MOST_VALUES: usize = 100_000;
const MOST_LEVELS: usize = 120;
/// Time limit of all rewritings, as a multiple of the limit of one question. Beyond it, lowering fails.
const MOST_TIMES: u32 = 10;

/// The state of lowering one schema.
struct Work<'w> {
    root: Value,
    pack: &'w Pack,
    options: &'w LowerOptions,
    rewritten: Vec<Rewritten>,
    losses: Losses,
    /// The cache of answers about overlapping branches.
    answers: Answers,
    /// Number of schemas that the rewriting `printed` has tried.
    tries: Cell<usize>,
    budget: Budget,
}

/// Facts about the document at the start of a round, which all rewritings of the round use.
struct Around<'a> {
    /// The document at the start of the round.
    before: &'a Value,
    /// The keys for which some object allows `null`.
    nullable: &'a FxHashSet<String>,
}

/// Returns a schema that a target takes, and how its values relate to those of the source.
///
/// A source without findings that call for a rewriting is returned unchanged, byte by byte.
///
/// # Errors
///
/// Fails if the source is not JSON or is refused, or if no value satisfies it or its lowered form. Fails if no
/// rewriting satisfies a rule of the target, or if a limit on size or time is met.
///
/// # Cost
///
/// A check for each round, and three questions about the whole schema within the time limit of the options each.
/// Rewritings take at most ten times as long, and write at most 100,000 values and 120 levels.
pub fn lower(source: &Source, pack: &Pack, options: &LowerOptions) -> Result<Lowered, LowerError> {
    let codes = Codes { syntax: "portable::syntax", duplicate_key: "portable::duplicate-key" };
    if let Err(error) = Document::parse(source, codes, &Budget::new()) {
        return Err(LowerError::Source(vec![error]));
    }
    let original: Value = serde_json::from_str(&source.text).unwrap_or_default();
    let losses = Losses::new(options);
    let budget = Budget::new().time_limit(options.relation.time * MOST_TIMES);
    let budget = match &options.relation.cancel {
        Some(flag) => budget.cancel_flag(std::sync::Arc::clone(flag)),
        None => budget,
    };
    let mut work = Work {
        root: original.clone(),
        pack,
        options,
        rewritten: Vec::new(),
        losses,
        answers: Answers::new(options.relation.clone()),
        tries: Cell::new(0),
        budget,
    };
    tree::define_targets(&mut work.root);
    work.rounds()?;
    if work.rewritten.is_empty() {
        work.root = original.clone();
    }
    let absent = work.fewer_optional();
    let plain = work.root.clone();
    let stand_ins = work.stand_ins(absent);
    let left = check(&work.root, pack);
    let errors: Vec<Finding> =
        left.iter().filter(|finding| finding.severity == Severity::Error).cloned().collect();
    if !errors.is_empty() {
        return Err(LowerError::NoRewriting(errors));
    }
    let is_same = work.root == original;
    let compared = related::related(source, &original, &plain, &options.relation)?;
    let compared = (!is_same).then_some(compared);
    Ok(work.finish(source, left, stand_ins, compared))
}

impl Work<'_> {
    /// Rewrites places until no rewriting applies.
    fn rounds(&mut self) -> Result<(), LowerError> {
        for _ in 0..MOST_ROUNDS {
            if !self.round()? {
                break;
            }
        }
        Ok(())
    }

    /// Fails if the time is spent, or if the document is too large.
    fn check(&self) -> Result<(), LowerError> {
        let spent = |_| self.budget.error().map_or_else(String::new, ToString::to_string);
        self.budget.check().map_err(spent).map_err(LowerError::Stopped)?;
        if !tree::is_within(&self.root, MOST_VALUES, MOST_LEVELS) {
            return Err(LowerError::Stopped(format!(
                "copies in place of references make more than {MOST_VALUES} values or {MOST_LEVELS} levels"
            )));
        }
        Ok(())
    }

    /// Rewrites every place with findings once, inner places first. Returns whether the document changed.
    fn round(&mut self) -> Result<bool, LowerError> {
        let before = self.root.clone();
        let places = Places::with_answers(&before, self.answers.clone());
        let mut findings = met(&places, self.pack);
        findings.retain(|met| self.is_wanted(met));
        // Later places come first, so that pointers to earlier ones stay valid. At one place, keywords of the schema
        // as a whole come last.
        findings.sort_by_key(|met| (std::cmp::Reverse(met.place), met.finding.keyword.is_empty()));
        let mut moved: FxHashSet<usize> = FxHashSet::default();
        let mut changed = false;
        let around = Around { before: &before, nullable: &stand_ins::nullable_keys(&places) };
        for met in findings {
            let place = &places.all[met.place];
            let is_gone = self.root.pointer(&place.pointer).is_none();
            if is_gone || moved.contains(&met.place) {
                continue;
            }
            self.check()?;
            let Some((name, outcome)) = self.rewrite(&around, &places, &met) else { continue };
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
            if name == "references" && definitions(&self.root) != definitions(&before) {
                // Definitions elsewhere may have changed.
                break;
            }
        }
        self.check()?;
        Ok(changed && self.root != before)
    }

    /// Whether a finding calls for a rewriting.
    fn is_wanted(&self, met: &Met<'_>) -> bool {
        match met.finding.treatment {
            Treatment::Enforced => false,
            Treatment::Refused | Treatment::Ignored | Treatment::Narrower => true,
            Treatment::Undocumented => !self.options.keep_undocumented,
        }
    }

    /// Applies the first exact rewriting for a finding, or else the one with the preferred effect. Returns its name and
    /// effect.
    fn rewrite(
        &mut self,
        around: &Around<'_>,
        places: &Places<'_>,
        met: &Met<'_>,
    ) -> Option<(&'static str, Outcome)> {
        let place = &places.all[met.place];
        let own = met.entry.instead.iter().map(String::as_str);
        let usual: &[&str] = match &*met.finding.keyword {
            "" => &[],
            keyword if crate::places::keywords::is_known(keyword) => {
                rewritings::of_keyword(keyword)
            }
            _ => &["drop"],
        };
        let is_narrower = met.finding.treatment == Treatment::Narrower;
        // A keyword that only loses values at the target is better than none.
        let names = own.chain(usual.iter().copied()).filter(|name| !is_narrower || *name != "drop");
        let names: Vec<&'static str> = names
            .filter_map(|name| rewritings::NAMES.iter().find(|known| **known == name).copied())
            .collect();
        let mut best: Option<(&'static str, Outcome, Value)> = None;
        for (at, &name) in names.iter().enumerate() {
            // The document before is kept if another rewriting may be better, or if this one may change nothing.
            let may_lose = matches!(name, "unions" | "logic" | "tuples" | "references" | "printed");
            let kept =
                (may_lose && (is_narrower || at + 1 < names.len())).then(|| self.root.clone());
            let mut task = Task {
                root: &mut self.root,
                before: around.before,
                pointer: &place.pointer,
                keyword: &met.finding.keyword,
                held_by: place.keyword,
                nullable: around.nullable,
                tries: &self.tries,
                answers: &self.answers,
                pack: self.pack,
                options: self.options,
            };
            let Some(outcome) = rewrite::apply(name, &mut task) else { continue };
            let Some(kept) = kept else {
                if best
                    .as_ref()
                    .is_none_or(|(_, found, _)| self.rank(outcome.gives) < self.rank(found.gives))
                {
                    return Some((name, outcome));
                }
                break;
            };
            let is_refused =
                is_narrower && outcome.gives == Gives::Wider && self.options.keep != Keep::Wider;
            let is_changed = self.root != kept;
            if outcome.gives == Gives::Equal && is_changed {
                return Some((name, outcome));
            }
            let root = std::mem::replace(&mut self.root, kept);
            let is_better = best
                .as_ref()
                .is_none_or(|(_, found, _)| self.rank(outcome.gives) < self.rank(found.gives));
            if is_changed && !is_refused && is_better {
                best = Some((name, outcome, root));
            }
        }
        let (name, outcome, root) = best?;
        self.root = root;
        Some((name, outcome))
    }

    /// Returns the rank of an effect, the best first: exact, then the direction that the options prefer.
    fn rank(&self, gives: Gives) -> u8 {
        match (gives, self.options.keep) {
            (Gives::Equal, _) => 0,
            (Gives::Narrower, Keep::Narrower) | (Gives::Wider, Keep::Wider | Keep::Equal) => 1,
            (Gives::Narrower | Gives::Wider, _) => 2,
            (Gives::Unknown, _) => 3,
        }
    }

    /// Makes optional members required until the target's limit on them holds. Returns the pointers to members that are
    /// left for stand-ins. Their number is bounded by the target's limit on unions.
    fn fewer_optional(&mut self) -> FxHashSet<String> {
        let most = |name: &str| {
            let limits = self.pack.rules.iter().filter_map(|rule| rule.limit.as_ref());
            limits.into_iter().find(|limit| limit.count == name).map(|limit| limit.most)
        };
        let Some(limit) = most("optional") else { return FxHashSet::default() };
        let now = self.root.clone();
        let places = Places::of(&now);
        let mut excess = counts::count("optional", &places).saturating_sub(limit);
        let mut room =
            most("unions").unwrap_or(u64::MAX).saturating_sub(counts::count("unions", &places));
        let nullable = stand_ins::nullable_keys(&places);
        let mut absent = FxHashSet::default();
        for place in places.all.iter().filter(|place| place.used) {
            let Some(object) = place.members() else { continue };
            for key in shape::optional(place) {
                if excess == 0 {
                    return absent;
                }
                excess -= 1;
                let stands =
                    self.options.null_for_absent && stand_ins::can_stand(&nullable, object, key);
                let pointer = join(&join(&place.pointer, "properties"), key);
                if stands && room > 0 {
                    room -= 1;
                    absent.insert(pointer);
                    continue;
                }
                let before = self.root.clone();
                stand_ins::require(&mut self.root, &place.pointer, key);
                self.losses.add((&before, &self.root), &place.pointer, "required", Gives::Narrower);
                let keyword = "required".to_owned();
                self.rewritten.push(Rewritten { pointer, keyword, by: "required", equal: false });
            }
        }
        absent
    }

    /// Adds stand-ins where findings ask for them, and for the optional members in `absent`.
    fn stand_ins(&mut self, mut absent: FxHashSet<String>) -> Vec<StandIn> {
        let asks = |root: &Value, name: &str| -> Vec<String> {
            let places = Places::of(root);
            let findings = met(&places, self.pack).into_iter();
            let asking = findings.filter(|met| {
                met.finding.severity == Severity::Error
                    && met.entry.instead.iter().any(|one| one == name)
            });
            asking.map(|met| places.all[met.place].pointer.clone()).collect()
        };
        let mut stand_ins = Vec::new();
        if self.options.wrap_root && asks(&self.root, "root").iter().any(String::is_empty) {
            let closes = self.pack.rules.iter().any(|rule| {
                rule.entry.is == Treatment::Refused
                    && rule.entry.instead.iter().any(|one| one == "closed")
            });
            let (stand_in, moved) = stand_ins::wrap_root(&mut self.root, closes);
            stand_ins.push(stand_in);
            absent = absent.iter().map(|pointer| moved.pointer(pointer)).collect();
        }
        if self.options.null_for_absent {
            let wanting = asks(&self.root, "required");
            let found = stand_ins::null_for_absent(&mut self.root, |pointer, member| {
                wanting.iter().any(|one| one == pointer) || absent.contains(member)
            });
            stand_ins.extend(found);
        }
        stand_ins
    }

    /// Returns the lowered schema with its losses. `compared` is the relation of the source to it, or the reason why it was
    /// not found. `None` if nothing changed.
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
        let found = compared.as_ref().and_then(|compared| compared.as_ref().ok());
        let of = |side: fn(&Compared) -> &Side| {
            found.and_then(|found| side(found).witness()).map(str::to_owned)
        };
        let (missing, added) = (of(|found| &found.left_only), of(|found| &found.right_only));
        let has =
            |treatment: Treatment| findings.iter().any(|finding| finding.treatment == treatment);
        let kept = match self.options.keep {
            Keep::Narrower => matches!(relation, "equal" | "narrower") && !has(Treatment::Ignored),
            Keep::Wider => matches!(relation, "equal" | "wider") && !has(Treatment::Narrower),
            Keep::Equal => {
                relation == "equal" && !has(Treatment::Ignored) && !has(Treatment::Narrower)
            }
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
            missing,
            added,
            lost: self.losses.found(relation == "equal"),
            rewritten: self.rewritten,
            findings,
            undecided,
        }
    }
}

fn definitions(root: &Value) -> [Option<&Value>; 2] {
    ["$defs", "definitions"].map(|keyword| root.get(keyword))
}

/// Returns the name of a relation, seen from the lowered schema to the source.
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
