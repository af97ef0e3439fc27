//! Regular languages of texts: sorted lists if they are finite or cofinite, and shared minimal automata otherwise.
//!
//! Most sets of strings in schemas are keys, constants, or all keys except the declared ones. Operations on these
//! merge sorted lists. Their automata are built only for an operation with a language of another form, or for writing
//! one without lists. Finite languages of at most [`LISTED`] texts are always lists, so equal finite languages are
//! equal. Larger ones that are written as a [set](grammarc_grammar::ir::Texts) stay lists if they were built from
//! one. So do cofinite languages. A pattern with long counts stays a pattern, and gets an automaton for an operation
//! with another language.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHasher;

use super::characters::Characters;
use super::lengths;
use super::literals;
use super::members;
use super::product::{self, Operation};
use super::texts::Texts;
use grammarc_grammar::automata::{Dfa, StateBudget, StateLimit};
use grammarc_grammar::ir::Expr;
use grammarc_patterns::class::all_texts;
use grammarc_patterns::ecma;
use grammarc_patterns::ecma::{CountedPattern, Lengths, WORTH_STATES, class_of};

/// Most texts of a finite language that is always stored as a list. Larger ones are lists only if they are written as a
/// set of literals.
const LISTED: usize = 256;
/// Most states of the automaton of a pattern with long counts, if the automaton is built only to know its lengths or
/// its few texts. Beyond, these are unknown.
const FOR_LENGTHS: usize = 1 << 14;
/// Number of bytes of a list of texts that cost about as much as one state of an automaton.
const LISTED_BYTES: usize = 64;
/// Most texts that a language stored as "all texts but these" excludes. There are more texts of one character, so some
/// of these remain. Beyond, the language is an automaton.
const LEFT_OUT: usize = 1 << 20;

/// A nonempty set of texts (a regular language). Clones share the automaton. Equal sets compare equal, except that long
/// lists and "all but" lists may differ from equal automata.
#[derive(Clone, Debug)]
pub(super) struct Language(Arc<Facts>);

/// The stored facts about a language, shared by its clones.
#[derive(Debug)]
struct Facts {
    /// How the language is stored: a list, the complement of a list, a pattern or an automaton.
    form: Form,
    /// Hash of the stored form. Languages with different hashes compare unequal.
    hash: u64,
    /// Length in characters of the shortest text of the language.
    shortest: u32,
    /// Length in characters of the longest text of the language; `None` if lengths are unbounded.
    longest: Option<u32>,
    /// The minimal automaton of the language over UTF-8 bytes, in canonical numbering, once it is built.
    dfa: OnceLock<Dfa>,
    /// The automaton's state that accepts every text, once it is computed. The inner value is `None` if no state does.
    universal: OnceLock<Option<u32>>,
    /// Name of the format (keyword `format`) from which the language was built; `None` for other languages.
    format: Option<&'static str>,
    /// The pattern with repetition counters from which the automaton was built; `None` for other languages.
    counted: Option<CountedPattern>,
    /// The JSON texts with the shortest escapes, as grammar expressions: without and with calls of shared rules for
    /// classes of characters. Cached only if they call no rule of a grammar.
    written: [OnceLock<Expr>; 2],
}

/// How a language is stored.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Form {
    /// The language is exactly these texts.
    Only(Texts),
    /// The language is all texts except these.
    AllBut(Texts),
    /// The language is that of a pattern with repetition counters. Its automaton would be large and is built only if
    /// needed.
    Counted(Box<Counted>),
    /// The language is that of its automaton.
    Automaton,
}

/// A pattern with repetition counters, as a position automaton. Equality compares positions and transitions.
#[derive(Debug)]
struct Counted {
    /// The source text of the pattern; `None` if it is a combination of several languages.
    text: Option<String>,
    /// The position automaton, whose repetition counts are counters.
    pattern: CountedPattern,
}

impl PartialEq for Counted {
    fn eq(&self, other: &Self) -> bool {
        self.pattern == other.pattern
    }
}

impl Eq for Counted {}

impl Hash for Counted {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.pattern.ways.hash(state);
    }
}

impl Facts {
    /// Creates the stored facts of a language whose lazy parts are not computed yet.
    fn of(form: Form, hash: u64, shortest: u32, longest: Option<u32>) -> Self {
        let (dfa, universal) = (OnceLock::new(), OnceLock::new());
        let (format, counted) = (None, None);
        let written = [OnceLock::new(), OnceLock::new()];
        Self { form, hash, shortest, longest, dfa, universal, format, counted, written }
    }
}

impl Language {
    /// Returns the language of a minimal automaton in canonical numbering, which must accept only UTF-8. Returns `None`
    /// if the language is empty.
    pub(super) fn new(dfa: Dfa) -> Option<Self> {
        Self::named(dfa, None)
    }

    /// Returns the language of a minimal automaton in canonical numbering, and records the format from which it was
    /// built. Returns `None` if the language is empty.
    pub(super) fn named(dfa: Dfa, format: Option<&'static str>) -> Option<Self> {
        Self::known(dfa, format, None)
    }

    /// Returns the language of a minimal automaton in canonical numbering, and records the pattern with counters from
    /// which it was built, if any. Returns `None` if the language is empty.
    pub(super) fn pattern(dfa: Dfa, counted: Option<CountedPattern>) -> Option<Self> {
        Self::known(dfa, None, counted)
    }

    /// Returns the nonempty language of a pattern with repetition counters, without building its automaton. `text` is
    /// the source of the pattern, if there is one.
    pub(super) fn counted(text: Option<&str>, pattern: CountedPattern) -> Self {
        let Lengths { shortest, longest, .. } = pattern.lengths;
        let counted = Box::new(Counted { text: text.map(str::to_owned), pattern });
        Self::of(Form::Counted(counted), shortest, longest)
    }

    /// Returns the language of a minimal automaton, and records the format or pattern from which it was built. Returns
    /// `None` if the language is empty.
    fn known(
        dfa: Dfa,
        format: Option<&'static str>,
        counted: Option<CountedPattern>,
    ) -> Option<Self> {
        if dfa.is_never() {
            return None;
        }
        if dfa == *all_texts() {
            return Some(Self::all());
        }
        let (shortest, longest) = lengths::of_states(&dfa)[0];
        if let (Some(_), None) = (longest, format) {
            let mut few = Vec::new();
            if members::collect_all(&dfa, LISTED, &mut few).is_some() {
                let listed = Form::Only(Texts::new(few.iter().map(String::as_str)));
                return Some(Self::of(listed, shortest, longest));
            }
        }
        let mut hasher = FxHasher::default();
        dfa.hash(&mut hasher);
        let hash = hasher.finish();
        let facts = Facts::of(Form::Automaton, hash, shortest, longest);
        Some(Self(Arc::new(Facts { dfa: OnceLock::from(dfa), format, counted, ..facts })))
    }

    /// Returns the language that is stored as `form`, with the lengths in characters of its shortest and longest text.
    fn of(form: Form, shortest: u32, longest: Option<u32>) -> Self {
        let mut hasher = FxHasher::default();
        form.hash(&mut hasher);
        let hash = hasher.finish();
        Self(Arc::new(Facts::of(form, hash, shortest, longest)))
    }

    /// Returns whether a list of texts is so long that the grammar writes it as a set of literals.
    fn is_set(texts: &Texts) -> bool {
        grammarc_grammar::ir::Texts::are_many(texts.len(), texts.bytes())
    }

    /// Returns the language of exactly these texts, or `None` if there are none. Fails if an automaton is needed and
    /// the budget is spent.
    pub(super) fn only(texts: Texts, limit: StateBudget<'_>) -> Result<Option<Self>, StateLimit> {
        let is_list = texts.len() <= LISTED || Self::is_set(&texts);
        if !is_list {
            return Ok(Self::new(literals::automaton(texts.iter(), limit)?));
        }
        let lengths = || texts.iter().map(length);
        let ends = lengths().min().zip(lengths().max());
        Ok(ends.map(|(shortest, longest)| Self::of(Form::Only(texts), shortest, Some(longest))))
    }

    /// Returns the language of a single text.
    pub(super) fn one(text: &str) -> Self {
        let length = length(text);
        Self::of(Form::Only(Texts::new([text])), length, Some(length))
    }

    /// Returns the language of all texts except these. Fails if an automaton is needed and the budget is spent.
    pub(super) fn all_but(
        texts: Texts,
        limit: StateBudget<'_>,
    ) -> Result<Option<Self>, StateLimit> {
        if texts.len() > LEFT_OUT {
            return Ok(Self::new(complement(&texts, limit)?));
        }
        // In a sorted list the empty text comes first.
        let shortest = u32::from(!texts.is_empty() && texts.get(0).is_empty());
        Ok(Some(Self::of(Form::AllBut(texts), shortest, None)))
    }

    /// Returns the language of all texts.
    pub(super) fn all() -> Self {
        static ALL: OnceLock<Language> = OnceLock::new();
        let all = || Self::of(Form::AllBut(Texts::default()), 0, None);
        ALL.get_or_init(all).clone()
    }

    /// Returns whether the language is stored as the language of all texts.
    pub(super) fn is_all(&self) -> bool {
        self.left_out().is_some_and(Texts::is_empty)
    }

    /// Returns the texts of a language that is stored as a list, or `None` for other languages.
    pub(super) fn listed(&self) -> Option<&Texts> {
        match &self.0.form {
            Form::Only(texts) => Some(texts),
            _ => None,
        }
    }

    /// Returns the texts of a language that is stored as a list and not written as a set of literals. Returns `None`
    /// for other languages.
    pub(super) fn few(&self) -> Option<&Texts> {
        self.listed().filter(|texts| !Self::is_set(texts))
    }

    /// Returns the texts of a language that is stored as a long list and written as a set of literals. Returns `None`
    /// for other languages.
    pub(super) fn many(&self) -> Option<&Texts> {
        self.listed().filter(|texts| Self::is_set(texts))
    }

    /// Returns the excluded texts of a language that is stored as "all texts except these", or `None` for other
    /// languages.
    pub(super) fn left_out(&self) -> Option<&Texts> {
        match &self.0.form {
            Form::AllBut(texts) => Some(texts),
            _ => None,
        }
    }

    /// Returns the minimal automaton of the language, and builds it on first use without a limit on its states.
    pub(super) fn dfa(&self) -> &Dfa {
        let all = StateBudget::of(usize::MAX);
        self.0.dfa.get_or_init(|| self.made(all).expect("all is allowed"))
    }

    /// Returns the minimal automaton of the language, and builds it within `limit` on first use.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if the automaton is not built yet and would exceed `limit`.
    pub(super) fn dfa_within(&self, limit: StateBudget<'_>) -> Result<&Dfa, StateLimit> {
        if self.0.dfa.get().is_none() {
            _ = self.0.dfa.set(self.made(limit)?);
        }
        Ok(self.dfa())
    }

    /// Returns the minimal automaton of the language. Returns `None` for a pattern with long counts whose automaton has
    /// more than [`FOR_LENGTHS`] states.
    pub(super) fn small_dfa(&self) -> Option<&Dfa> {
        match self.counted_form() {
            Some(_) => self.dfa_within(StateBudget::of(FOR_LENGTHS)).ok(),
            None => Some(self.dfa()),
        }
    }

    /// Builds the minimal automaton of a language that is stored as a list or as a pattern with counters. Fails beyond
    /// `limit`.
    fn made(&self, limit: StateBudget<'_>) -> Result<Dfa, StateLimit> {
        match &self.0.form {
            Form::Only(texts) => literals::automaton(texts.iter(), limit),
            Form::AllBut(texts) if texts.is_empty() => Ok(all_texts().clone()),
            Form::AllBut(texts) => complement(texts, limit),
            Form::Counted(counted) => {
                let Some(text) = &counted.text else { return counted.pattern.automaton(limit) };
                ecma::pattern_automaton(text, limit).map_err(|_| limit.error())
            }
            Form::Automaton => Ok(Dfa::never()),
        }
    }

    /// Returns the pattern with repetition counters of a language that is stored as such a pattern, or `None` for other
    /// languages.
    pub(super) fn counted_form(&self) -> Option<&CountedPattern> {
        match &self.0.form {
            Form::Counted(counted) => Some(&counted.pattern),
            _ => None,
        }
    }

    /// Returns the estimated cost of an operation on the language, as a number of automaton states.
    pub(super) fn size(&self) -> usize {
        match &self.0.form {
            Form::Only(texts) | Form::AllBut(texts) => 1 + texts.bytes() / LISTED_BYTES,
            Form::Counted(counted) => counted.pattern.unrolled_places.min(FOR_LENGTHS),
            Form::Automaton => self.dfa().states.len(),
        }
    }

    /// Returns the automaton state that accepts every text, or `None` if there is none. Always `None` for a language
    /// that is stored as a pattern with counters.
    pub(super) fn universal(&self) -> Option<u32> {
        if self.counted_form().is_some() {
            return None;
        }
        *self.0.universal.get_or_init(|| product::universal(self.dfa()))
    }

    /// Returns the JSON texts with the shortest escapes, as `write` writes them. With `alphabets`, they may call shared
    /// rules for classes of characters. The result is cached if it calls no rule of a grammar.
    pub(super) fn written(&self, alphabets: bool, write: impl FnOnce() -> Expr) -> Expr {
        let written = &self.0.written[usize::from(alphabets)];
        if let Some(known) = written.get() {
            return known.clone();
        }
        let made = write();
        let mut calls = false;
        made.for_each_call(&mut |_| calls = true);
        match calls {
            true => made,
            false => written.get_or_init(|| made).clone(),
        }
    }

    /// Returns the name of the format from which the language was built, or `None` for other languages.
    pub(super) fn format(&self) -> Option<&'static str> {
        self.0.format
    }

    /// Returns the pattern with repetition counters from which the language was built, or `None` for other languages.
    pub(super) fn counted_pattern(&self) -> Option<&CountedPattern> {
        self.counted_form().or(self.0.counted.as_ref())
    }

    /// Length in characters of the shortest text.
    pub(super) fn shortest(&self) -> u32 {
        self.0.shortest
    }

    /// Returns the length in characters of the longest text of the language, or `None` if lengths are unbounded.
    pub(super) fn longest(&self) -> Option<u32> {
        self.0.longest
    }

    /// Returns whether a text is in the language.
    pub(super) fn contains(&self, text: &str) -> bool {
        match &self.0.form {
            Form::Only(texts) => texts.contains(text),
            Form::AllBut(texts) => !texts.contains(text),
            Form::Counted(counted) => counted.pattern.matches(text),
            Form::Automaton => self.dfa().accepts(text.as_bytes()),
        }
    }

    /// Returns whether some text of the language has `min` to `max` characters (inclusive). The result may be wrongly
    /// `true` in two cases: for automata whose lengths have a period of more than a million, and for patterns with long
    /// counts and gaps in their lengths.
    pub(super) fn some_between(&self, min: u32, max: u32) -> bool {
        match &self.0.form {
            Form::Only(texts) => texts.iter().any(|text| (min..=max).contains(&length(text))),
            // For every length except zero there are more texts than the language excludes.
            Form::AllBut(_) => max >= min.max(self.0.shortest),
            Form::Counted(counted) => {
                let meets =
                    self.0.shortest <= max && self.0.longest.is_none_or(|longest| min <= longest);
                let within = |dfa: &Dfa| lengths::some_between(dfa, min, max);
                meets && (!counted.pattern.lengths.may_gap || self.small_dfa().is_none_or(within))
            }
            Form::Automaton => lengths::some_between(self.dfa(), min, max),
        }
    }

    /// Returns the intersection, union or difference of two languages, or `None` if the result is empty. Fails beyond
    /// `limit`.
    pub(super) fn combine(
        &self,
        other: &Self,
        operation: Operation,
        limit: StateBudget<'_>,
    ) -> Result<Option<Self>, StateLimit> {
        use Form::{AllBut, Only};
        use Operation::{And, Minus, Or};

        let same = self == other;
        match operation {
            And if same || other.is_all() => return Ok(Some(self.clone())),
            And if self.is_all() => return Ok(Some(other.clone())),
            Or if same || self.is_all() => return Ok(Some(self.clone())),
            Or if other.is_all() => return Ok(Some(other.clone())),
            Minus if same || other.is_all() => return Ok(None),
            _ => {}
        }
        let (either, only_ours) = (|_, _| true, |ours: bool, theirs: bool| ours && !theirs);
        match (operation, &self.0.form, &other.0.form) {
            (And, Only(ours), _) => {
                return Self::only(ours.retained(|text| other.contains(text)), limit);
            }
            (And, _, Only(theirs)) => {
                return Self::only(theirs.retained(|text| self.contains(text)), limit);
            }
            (Minus, Only(ours), _) => {
                return Self::only(ours.retained(|text| !other.contains(text)), limit);
            }
            (Or, Only(ours), Only(theirs)) => {
                return Self::only(ours.merged(theirs, either), limit);
            }
            (And, AllBut(ours), AllBut(theirs)) if theirs.is_part_of(ours) => {
                return Ok(Some(self.clone()));
            }
            (And, AllBut(ours), AllBut(theirs)) if ours.is_part_of(theirs) => {
                return Ok(Some(other.clone()));
            }
            (And, AllBut(ours), AllBut(theirs)) | (Minus, AllBut(ours), Only(theirs)) => {
                return Self::all_but(ours.merged(theirs, either), limit);
            }
            (Or, AllBut(ours), AllBut(theirs)) => {
                return Self::all_but(ours.merged(theirs, |ours, theirs| ours && theirs), limit);
            }
            (Minus, AllBut(ours), AllBut(theirs)) => {
                return Self::only(theirs.retained(|text| !ours.contains(text)), limit);
            }
            (Or, AllBut(out), Only(texts)) | (Or, Only(texts), AllBut(out)) => {
                return Self::all_but(out.merged(texts, only_ours), limit);
            }
            _ => {}
        }
        if self.counted_form().is_some() || other.counted_form().is_some() {
            let few = limit.states(limit.states.min(WORTH_STATES));
            match self.combine_automata(other, operation, few) {
                Err(_) if limit.spend(1).is_ok() => {}
                combined => return combined,
            }
            if let Some(combined) = self.combine_positions(other, operation, limit)? {
                return Ok(combined);
            }
        }
        self.combine_automata(other, operation, limit)
    }

    /// Combines two languages as position automata, whose repetition counters remain counters. Returns `Ok(None)` if
    /// that takes too many states, and `Ok(Some(None))` if the result is empty.
    fn combine_positions(
        &self,
        other: &Self,
        operation: Operation,
        limit: StateBudget<'_>,
    ) -> Result<Option<Option<Self>>, StateLimit> {
        let others = match operation {
            Operation::Minus => {
                let Ok(dfa) = other.dfa_within(limit) else { return Ok(None) };
                let Some(rest) = Self::new(product::complement((dfa, None), limit)?) else {
                    return Ok(Some(None));
                };
                rest.positions().map(|rest| Cow::Owned(rest.into_owned()))
            }
            Operation::And | Operation::Or => other.positions(),
        };
        let Some((ours, others)) = self.positions().zip(others) else { return Ok(None) };
        let combined = match operation {
            Operation::Or => ours.union(&others),
            Operation::And | Operation::Minus => ours.intersect(&others, limit)?,
        };
        Ok(combined.map(|pattern| (!pattern.is_never()).then(|| Self::counted(None, pattern))))
    }

    /// Returns the language as a position automaton with counters. Returns `None` if this automaton is too large.
    fn positions(&self) -> Option<Cow<'_, CountedPattern>> {
        if let Some(pattern) = self.counted_form() {
            return Some(Cow::Borrowed(pattern));
        }
        let dfa = self.dfa();
        let mut characters = Characters::new(dfa);
        let lengths = Lengths { shortest: self.shortest(), longest: self.longest(), may_gap: true };
        let pattern = CountedPattern::of_states(lengths, |state| {
            let moves = characters.moves(state).into_iter();
            let moves = moves.map(|(target, ranges)| (class_of(ranges), target));
            (dfa.states[state as usize].accepting, moves.collect())
        });
        pattern.map(Cow::Owned)
    }

    /// Combines two languages as deterministic automata, in which counts are unrolled into states. Returns `None` if
    /// the result is empty.
    fn combine_automata(
        &self,
        other: &Self,
        operation: Operation,
        limit: StateBudget<'_>,
    ) -> Result<Option<Self>, StateLimit> {
        let dfas = [self.dfa_within(limit)?, other.dfa_within(limit)?];
        let operands = [(dfas[0], self.universal()), (dfas[1], other.universal())];
        Ok(Self::new(match operation {
            Operation::Minus if self.is_all() => product::complement(operands[1], limit)?,
            _ => product::combine(operands, operation, limit)?,
        }))
    }
}

/// Returns the number of characters of a text, saturated at `u32::MAX`.
fn length(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}

/// Returns the minimal automaton of all texts except `texts`. The number of its states is not limited, only the budget.
fn complement(texts: &Texts, limit: StateBudget<'_>) -> Result<Dfa, StateLimit> {
    let automaton = literals::automaton(texts.iter(), limit)?;
    product::complement((&automaton, None), limit.states(usize::MAX))
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&self.0, &other.0);
        let same = || match (&a.form, &b.form) {
            (Form::Automaton, Form::Automaton) => self.dfa() == other.dfa(),
            (a, b) => a == b,
        };
        Arc::ptr_eq(a, b) || a.hash == b.hash && same()
    }
}

impl Eq for Language {}

impl Hash for Language {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}
