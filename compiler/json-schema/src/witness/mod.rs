//! Witnesses: instances of a schema for tests, each with the keyword that it is about.
//!
//! ```text
//! schema, twice in one arena ── one keyword of the copy changed ── ask ──► an instance of one and not of the other
//! ```
//!
//! - *Near miss*: the keyword says nothing in the copy. An instance of the copy alone is refused for this keyword.
//! - *Boundary*: the keyword lacks one edge in the copy. An instance of the schema alone is at that edge.
//!
//! A keyword without a near miss changes nothing: it is reported as silent.
//!
//! Cost: a question of [`relation`](super::relation) for each keyword, and one for each of its edges.
//!
//! Tests: `tests/witness.rs`; `tests/tests/schemas/witness.rs`.

use std::cmp::Reverse;
use std::time::{Duration, Instant};

use grammarc_grammar::automata::StateBudget;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use rustc_hash::{FxHashMap, FxHashSet};

use super::document::NodeId;
use super::read::schema::{Part, SchemaId};
use super::relation::ask::{ask, random_texts};
use super::relation::sides::{Sides, joined};
use super::relation::{Reason, Refused, RelationOptions, Side, Which};
use super::variant::{Constants, looser, without_edges};

/// Options of [`witnesses`].
#[derive(Clone, Debug)]
pub struct WitnessOptions {
    /// How the schema is read, and the limits of each question.
    pub relation: RelationOptions,
    /// Time limit of all questions together. Keywords that are not reached are undecided.
    pub time: Duration,
    /// Whether to find a shortest instance.
    pub shortest: bool,
    /// Whether to find instances at the edges of each keyword.
    pub boundary: bool,
    /// Whether to find texts that one keyword alone refuses.
    pub near_miss: bool,
    /// Number of random instances, at most 1,000.
    pub random: usize,
    /// The seed of random instances. Equal seeds give equal instances.
    pub seed: u64,
    /// JSON pointer to the part of the document whose keywords are considered.
    pub at: String,
}

impl Default for WitnessOptions {
    fn default() -> Self {
        Self {
            relation: RelationOptions::default(),
            time: Duration::from_secs(60),
            shortest: true,
            boundary: true,
            near_miss: true,
            random: 0,
            seed: 0,
            at: String::new(),
        }
    }
}

/// A JSON text, with the keyword that it is about.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Case {
    /// The text, without whitespace.
    pub text: String,
    /// The keyword, such as `maximum`; or `shortest` or `random`.
    pub why: String,
    /// The JSON pointer to the keyword. Empty for shortest and random instances.
    pub pointer: String,
}

/// Instances of a schema, and texts that are none.
#[derive(Clone, Debug, Default)]
pub struct Witnesses {
    /// Instances.
    pub valid: Vec<Case>,
    /// Texts that are no instances. Without their keyword, they would be.
    pub invalid: Vec<Case>,
    /// JSON pointers to keywords that change nothing: without them, the schema allows the same values.
    pub silent: Vec<String>,
    /// JSON pointers to branches of `anyOf` and `oneOf`, and to values of `enum`, that add nothing: without one of them,
    /// the schema allows the same values.
    pub dead: Vec<String>,
    /// Keywords of which this was not decided.
    pub undecided: Vec<Reason>,
}

/// Returns instances of a schema for tests, and texts that are no instances.
///
/// # Errors
///
/// The schema is not JSON, or has keywords or references that are refused.
pub fn witnesses(source: &Source, options: &WitnessOptions) -> Result<Witnesses, Vec<Diagnostic>> {
    let errors = |refused: Refused| refused.errors;
    let relation = &options.relation;
    let (text, trees) = joined([source, source], relation).map_err(errors)?;
    let budget = relation.budget();
    let sides = Sides::read(&text, &trees, [source, source], relation, &budget).map_err(errors)?;
    let mut search =
        Search { sides, options, found: Witnesses::default(), seen: FxHashSet::default() };
    if options.shortest {
        let side = ask(&mut search.sides, [true, true], relation);
        search.valid(side, "shortest", "");
    }
    if options.random > 0 {
        search.random();
    }
    if options.boundary || options.near_miss {
        search.keywords();
    }
    Ok(search.found)
}

/// A keyword of the schema's copy: the place of its value, and its parts, each by schema and index.
struct Keyword {
    place: NodeId,
    parts: Vec<(SchemaId, usize)>,
}

/// The search in progress.
struct Search<'a, 's> {
    /// The schema, and its copy as the right side.
    sides: Sides<'s>,
    options: &'a WitnessOptions,
    found: Witnesses,
    /// The texts of all cases so far.
    seen: FxHashSet<String>,
}

impl Search<'_, '_> {
    /// Adds the answer to a question as an instance.
    fn valid(&mut self, side: Side, why: &str, pointer: &str) {
        match side {
            Side::Witness { text } if self.seen.insert(text.clone()) => {
                let [why, pointer] = [why, pointer].map(str::to_owned);
                self.found.valid.push(Case { text, why, pointer });
            }
            Side::Unknown(reasons) => self.undecided(reasons),
            Side::Witness { .. } | Side::Empty { .. } => {}
        }
    }

    fn undecided(&mut self, reasons: Vec<Reason>) {
        for reason in reasons {
            // Both sides are the same document.
            let reason = Reason { side: None, ..reason };
            if !self.found.undecided.contains(&reason) {
                self.found.undecided.push(reason);
            }
        }
    }

    fn random(&mut self) {
        let mut state = self.options.seed;
        // SplitMix64, by Steele, Lea and Flood (2014).
        let mut below = |most: usize| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = state;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((mixed ^ (mixed >> 31)) % most as u64) as usize
        };
        let (count, relation) = (self.options.random, &self.options.relation);
        match random_texts(&mut self.sides, [true, true], count, &mut below, relation) {
            Ok(texts) => {
                for text in texts {
                    self.valid(Side::Witness { text }, "random", "");
                }
            }
            Err(reason) => self.undecided(vec![reason]),
        }
    }

    /// Asks about each keyword of the copy.
    fn keywords(&mut self) {
        let root = self.sides.places[Which::Right.index()];
        let constants = Constants::add(&mut self.sides.schemas, root);
        let end = Instant::now() + self.options.time;
        let keywords = self.of_copy();
        let pointers = keywords.iter().map(|keyword| self.sides.pointer(keyword.place));
        let pointers: Vec<String> = pointers.collect();
        // Of a keyword and one within its value, the inner one is named for an instance.
        let mut order: Vec<usize> = (0..keywords.len()).collect();
        order.sort_by_key(|&at| Reverse(pointers[at].matches('/').count()));
        for at in order {
            let (keyword, pointer) = (&keywords[at], pointers[at].clone());
            if Instant::now() > end {
                let text = "the time limit of all keywords is met".to_owned();
                self.undecided(vec![Reason { side: None, pointer, text }]);
                break;
            }
            if self.options.boundary {
                self.edges(keyword, &pointer, constants);
            }
            if self.options.near_miss {
                self.near_misses(keyword, &pointer, constants);
            }
        }
        let ranks: FxHashMap<&str, usize> =
            pointers.iter().enumerate().map(|(at, pointer)| (pointer.as_str(), at + 1)).collect();
        let rank = |pointer: &str| ranks.get(pointer).copied().unwrap_or(0);
        let Witnesses { valid, invalid, silent, .. } = &mut self.found;
        valid.sort_by_key(|case| rank(&case.pointer));
        invalid.sort_by_key(|case| rank(&case.pointer));
        silent.sort_by_key(|pointer| rank(pointer));
    }

    /// Returns the keywords of the copy that constrain values, in source order.
    fn of_copy(&self) -> Vec<Keyword> {
        let Sides { schemas, document, .. } = &self.sides;
        let mut keywords: Vec<Keyword> = Vec::new();
        for id in schemas.iter() {
            for (index, (place, _)) in schemas.parts(id).iter().enumerate() {
                if self.sides.side_of(*place) != Some(Which::Right) {
                    continue;
                }
                match keywords.iter_mut().rfind(|known| known.place == *place) {
                    Some(known) => known.parts.push((id, index)),
                    None => keywords.push(Keyword { place: *place, parts: vec![(id, index)] }),
                }
            }
        }
        let at = &self.options.at;
        keywords.retain(|keyword| {
            let pointer = self.sides.pointer(keyword.place);
            let rest = pointer.strip_prefix(at.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        keywords.sort_by_key(|keyword| document.span(keyword.place).start);
        keywords
    }

    /// Returns what the copy allows and the schema does not, or the other way round, if parts of the copy are replaced.
    fn changed(&mut self, parts: Vec<(SchemaId, usize, Part)>, question: [bool; 2]) -> Side {
        let before: Vec<(SchemaId, usize, Part)> = parts
            .into_iter()
            .map(|(id, index, part)| (id, index, self.sides.schemas.replace_part(id, index, part)))
            .collect();
        self.sides.share();
        let side = ask(&mut self.sides, question, &self.options.relation);
        for (id, index, part) in before {
            self.sides.schemas.replace_part(id, index, part);
        }
        side
    }

    /// Looks for instances at the edges of a keyword. A branch or value without which the schema is the same is dead.
    fn edges(&mut self, keyword: &Keyword, pointer: &str, constants: Constants) {
        let why = self.sides.document.key(keyword.place).to_owned();
        let may_be_dead = matches!(why.as_str(), "anyOf" | "oneOf" | "enum");
        let mut indices: Vec<usize> = keyword.parts.iter().map(|&(_, index)| index).collect();
        indices.sort_unstable();
        indices.dedup();
        for index in indices {
            // A schema in several dynamic scopes has the part once in each: it is changed in all of them.
            let variants = self.without_edges(keyword, index, constants);
            for at in 0..variants.iter().map(|(_, of)| of.len()).max().unwrap_or(0) {
                let of = |(id, of): &(SchemaId, Vec<Part>)| Some((*id, index, of.get(at)?.clone()));
                let changes: Vec<_> = variants.iter().filter_map(of).collect();
                let side = self.changed(changes.clone(), [true, false]);
                if may_be_dead && is_proved_empty(&side) {
                    let other = self.changed(changes, [false, true]);
                    if is_proved_empty(&other) {
                        self.found.dead.push(format!("{pointer}/{at}"));
                    }
                }
                self.valid(side, &why, pointer);
            }
        }
    }

    /// Returns a keyword's variants that exclude its edges: `minimum: 3` becomes `exclusiveMinimum: 3`, which excludes 3. A
    /// value of the old keyword alone just meets it. The keyword is the part at `index` of each schema that is returned.
    fn without_edges(
        &self,
        keyword: &Keyword,
        index: usize,
        constants: Constants,
    ) -> Vec<(SchemaId, Vec<Part>)> {
        let Sides { document, schemas, .. } = &self.sides;
        let budget = self.options.relation.budget();
        let limit = StateBudget::new(self.options.relation.schemas.max_states, &budget);
        let ids = keyword.parts.iter().filter(|&&(_, at)| at == index).map(|&(id, _)| id);
        let of = |id| {
            let part = &schemas.parts(id)[index].1;
            (id, without_edges(part, document, keyword.place, constants, limit))
        };
        ids.map(of).collect()
    }

    /// Looks for texts that a keyword alone refuses. Without one, the keyword is silent.
    fn near_misses(&mut self, keyword: &Keyword, pointer: &str, constants: Constants) {
        let why = self.sides.document.key(keyword.place).to_owned();
        let parts: Vec<Vec<(SchemaId, usize, Part)>> = keyword
            .parts
            .iter()
            .map(|&(id, index)| {
                let part = &self.sides.schemas.parts(id)[index].1;
                looser(part, constants).into_iter().map(|looser| (id, index, looser)).collect()
            })
            .collect();
        let mut is_silent = true;
        for at in 0..parts.iter().map(Vec::len).max().unwrap_or(0) {
            let changes: Vec<_> = parts.iter().filter_map(|of| of.get(at).cloned()).collect();
            match self.changed(changes.clone(), [false, true]) {
                Side::Witness { text } => {
                    is_silent = false;
                    if self.seen.insert(text.clone()) {
                        let (why, pointer) = (why.clone(), pointer.to_owned());
                        self.found.invalid.push(Case { text, why, pointer });
                    }
                }
                Side::Empty { assuming } if assuming.is_empty() => {
                    // What a keyword evaluates may be refused elsewhere, so a looser one may allow less as well.
                    let less = self.changed(changes, [true, false]);
                    is_silent &= less == Side::Empty { assuming };
                }
                Side::Empty { assuming: reasons } | Side::Unknown(reasons) => {
                    is_silent = false;
                    self.undecided(reasons);
                }
            }
        }
        if parts.iter().any(|of| of.len() > 1) && is_silent {
            // Each required key may follow from the others.
            let none = |&(id, at): &(SchemaId, usize)| (id, at, Part::Required(Vec::new()));
            let changes: Vec<_> = keyword.parts.iter().map(none).collect();
            is_silent = [[false, true], [true, false]].into_iter().all(|question| {
                self.changed(changes.clone(), question) == Side::Empty { assuming: Vec::new() }
            });
        }
        if is_silent && parts.iter().any(|of| !of.is_empty()) {
            self.found.silent.push(pointer.to_owned());
        }
    }
}

/// Whether a question has no value, without an assumption.
fn is_proved_empty(side: &Side) -> bool {
    matches!(side, Side::Empty { assuming } if assuming.is_empty())
}
