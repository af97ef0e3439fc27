//! The texts of a set's members in every notation, with and without an exponent.
//!
//! A text `mE` (a mantissa with an exponent) denotes a member if the mantissa is in the set with its point moved by the
//! exponent. So for each exponent there is a set of mantissas ([`NumberSet::scaled`]), and exponents with equal sets
//! form a *group*. One automaton reads the mantissa for all groups at once. At the end of the mantissa it knows the
//! matching groups, and so the exponents that may follow. Arbitrary points with arbitrary exponents would need too many
//! states. So notation is restricted, but never values:
//!
//! - without an exponent: all notations, with any zeros at the end of a fraction, and `-0`;
//! - exponents of absolute value at most [`SHIFT`]: every mantissa (`15e-1`, `0.2E+2`);
//! - exponents of absolute value at most [`REACH`]: mantissas in scientific notation (`1e+22`, `1.5e-07`, `1.0E10`),
//!   with one nonzero digit before the point; and zero;
//! - larger exponents: mantissas in scientific notation, if they denote members with every larger exponent;
//! - a set that multiplication by ten does not change (`minimum: 0`): every mantissa with every exponent;
//! - a set with more than [`RESIDUES`] states that distinguishes residues: no exponents.
//!
//! The fraction of any mantissa may end in zeros: they change no value, and after one more zero the same texts may
//! follow.

use std::sync::LazyLock;

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use grammarc_grammar::automata::{
    Dfa, DfaState, Edge, Edges, Nfa, StateBudget, StateLimit, minimal, minimize,
};

use super::counted::Part;
use super::decimal::Decimal;
use super::set::NumberSet;
use crate::options::DigitLimits;

/// Largest absolute value of an exponent that may follow every mantissa (the number before `e`).
const SHIFT: i32 = 3;

/// Largest absolute value of an exponent that may follow mantissas (numbers before `e`) in scientific notation. Larger
/// exponents are allowed only if all of them denote members. JavaScript writes exponents from 21 and from -7 on, Python
/// from 16 and from -5 on.
const REACH: u32 = 22;

/// Most automaton states of a set with `multipleOf` for its texts to have exponents. The automaton of these texts has
/// some hundred times as many. Larger sets are written without exponents.
const RESIDUES: usize = 96;

/// Most members of a set for which the texts with exponents are found member by member, without operations on sets.
const FEW: usize = 16;

/// Most digits of an exponent, without leading zeros. The options may set fewer.
const EXPONENT_DIGITS: u32 = 9;

/// The first symbol that denotes a group of exponents in the automaton of mantissas. Symbols of groups lie above all
/// bytes.
const GROUP: u32 = 256;

/// A set of exponents: bit `e` for the exponent `e`, and bit [`REACH`]` + 1` for all larger exponents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Exponents {
    /// The exponents that are not negative: bit `e` for the exponent `e`, the bit after [`REACH`] for all larger ones.
    up: u64,
    /// The exponents that are not positive: bit `e` for the exponent `-e`, the bit after [`REACH`] for all smaller
    /// ones.
    down: u64,
}

impl Exponents {
    /// The set of every exponent.
    const ALL: Self = Self { up: u64::MAX, down: u64::MAX };

    /// Returns the set of the single exponent `exponent`. Its absolute value is at most [`REACH`]` + 1`, which denotes
    /// all greater ones of that sign.
    fn one(exponent: i32) -> Self {
        let bit = |is: bool| u64::from(is) << exponent.unsigned_abs();
        Self { up: bit(exponent >= 0), down: bit(exponent <= 0) }
    }

    /// Returns the union of two sets of exponents.
    fn with(self, other: Self) -> Self {
        Self { up: self.up | other.up, down: self.down | other.down }
    }
}

/// Returns the automaton of all JSON texts of the numbers of a set, with and without exponents. `digits` limits only
/// the digits of exponents: those of a mantissa (the number before `e`) are not limited.
///
/// # Errors
///
/// [`StateLimit`] if an automaton exceeds the budget `limit`.
pub(super) fn spellings(
    set: &NumberSet,
    digits: DigitLimits,
    limit: StateBudget<'_>,
) -> Result<Dfa, StateLimit> {
    let longest = digits.exponent.min(EXPONENT_DIGITS);
    let plain = set.dfa(limit)?;
    let with_exponents = longest > 0 && (plain.states.len() <= RESIDUES || !has_residues(set));
    let groups = match set.finite(FEW) {
        _ if !with_exponents => Groups::default(),
        Some(members) => groups_of_few(set, &members),
        None => groups(set, limit)?,
    };
    let mut nfa = Nfa::new();
    let (start, end) = (nfa.start, nfa.end);
    spell(&mut nfa, &plain, start, end);
    for (symbol, mantissas) in (GROUP..).zip(groups.keys()) {
        let fits = nfa.state();
        spell(&mut nfa, &mantissas.dfa(limit)?, start, fits);
        nfa.edge(fits, symbol, symbol, end);
    }
    let mantissas = minimal(&nfa, limit)?;
    let mut writer =
        Writer { states: mantissas.states.clone(), longest, known: FxHashMap::default() };
    for (at, state) in mantissas.states.iter().enumerate() {
        let fitting = state.edges.iter().filter(|edge| edge.lo >= GROUP);
        let symbols = fitting.flat_map(|edge| edge.lo..=edge.hi);
        let exponents = symbols
            .fold(Exponents::default(), |all, symbol| all.with(groups[(symbol - GROUP) as usize]));
        writer.states[at].edges.retain(|edge| edge.lo < GROUP);
        if exponents != Exponents::default() {
            let target = writer.exponent(exponents);
            for byte in [b'E', b'e'].map(u32::from) {
                writer.states[at].edges.push(Edge { lo: byte, hi: byte, target });
            }
        }
    }
    Ok(minimize(&Dfa { states: writer.states }.trimmed()))
}

/// The groups of exponents of a set. A group has the exponents with which the same mantissas (numbers before `e`)
/// denote members. The key is the set of these mantissas.
type Groups = IndexMap<NumberSet, Exponents, FxBuildHasher>;

/// Adds exponents to the group of a set of mantissas (numbers before `e`). Does nothing if that set is empty.
fn add(groups: &mut Groups, mantissas: NumberSet, exponents: Exponents) {
    if !mantissas.is_none() {
        let known = groups.entry(mantissas).or_default();
        *known = known.with(exponents);
    }
}

/// Returns the groups of exponents of a set with few members, as [`groups`] does, but computed number by number. Each
/// member has one exponent in scientific notation, and zero has all.
fn groups_of_few(set: &NumberSet, members: &[Decimal]) -> Groups {
    let mut found = Groups::default();
    if members.iter().all(Decimal::is_zero) {
        add(&mut found, set.clone(), Exponents::ALL);
        return found;
    }
    for exponent in -SHIFT..=SHIFT {
        let moved: Vec<_> = members.iter().map(|member| member.moved(-exponent)).collect();
        add(&mut found, NumberSet::literals(&moved), Exponents::one(exponent));
    }
    let reach = REACH as i32;
    for exponent in (-reach - 1..=reach + 1).filter(|exponent| exponent.abs() > SHIFT) {
        let fits = |member: &&Decimal| match member.scientific() {
            None => true,
            Some(power) => power == exponent && power.abs() <= reach,
        };
        let moved: Vec<_> =
            members.iter().filter(fits).map(|member| member.moved(-exponent)).collect();
        add(&mut found, NumberSet::literals(&moved), Exponents::one(exponent));
    }
    found
}

/// Sets of numbers by magnitude. Intersections with them select the mantissas (numbers before `e`) of scientific
/// notation.
struct Magnitudes {
    /// Zero, and the numbers of magnitude one or more. Dividing a number outside this set by ten gives a number outside
    /// it.
    whole: NumberSet,
    /// The numbers of magnitude below ten. Multiplying a number outside this set by ten gives a number outside it.
    below_ten: NumberSet,
    /// Zero, and the numbers with one digit before the point that is not zero.
    scientific: NumberSet,
}

/// The sets of numbers by magnitude, built on first use. Intersections with them select the mantissas (numbers before
/// `e`) of scientific notation.
static MAGNITUDES: LazyLock<Magnitudes> = LazyLock::new(|| {
    let zero = NumberSet::literal(&Decimal::zero());
    let below = |bound: &Decimal| {
        let (low, high) =
            (NumberSet::at_least(&bound.negated(), true), NumberSet::at_most(bound, true));
        low.intersect(&high, StateBudget::of(usize::MAX))
    };
    let sets = || {
        let one = Decimal::one();
        let whole = below(&one)?.complement().union(&zero, StateBudget::of(usize::MAX))?;
        let below_ten = below(&one.moved(1))?;
        let scientific = whole.intersect(&below_ten, StateBudget::of(usize::MAX))?;
        Ok::<_, StateLimit>(Magnitudes { whole, below_ten, scientific })
    };
    sets().expect("without a limit none is met")
});

/// Returns the groups of exponents: for each set of mantissas (numbers before `e`), the exponents with which they
/// denote numbers of `set`.
fn groups(set: &NumberSet, limit: StateBudget<'_>) -> Result<Groups, StateLimit> {
    let mut found = Groups::default();
    let mut add = |set: NumberSet, exponents: Exponents| add(&mut found, set, exponents);
    if set.scaled(1) == *set {
        add(set.clone(), Exponents::ALL);
        return Ok(found);
    }
    let Magnitudes { whole, below_ten, scientific } = &*MAGNITUDES;
    let reach = REACH as i32;
    add(set.clone(), Exponents::one(0));
    for (sign, kept) in [(1, whole), (-1, below_ten)] {
        let mut moved = set.clone();
        for exponent in 1..=SHIFT {
            moved = moved.scaled(-sign);
            add(moved.clone(), Exponents::one(sign * exponent));
        }
        // The mantissas that are kept here are a subset of those kept before, so the others are not needed. Once two
        // steps agree, all later steps do.
        moved = moved.intersect(kept, limit)?;
        for exponent in SHIFT + 1..=reach + 1 {
            let next = moved.scaled(-sign).intersect(kept, limit)?;
            if next == moved {
                let rest = (exponent..=reach + 1).map(|exponent| Exponents::one(sign * exponent));
                let rest = rest.fold(Exponents::default(), Exponents::with);
                add(moved.intersect(scientific, limit)?, rest);
                break;
            }
            moved = next;
            let fitting = match exponent > reach {
                true => beyond(&moved, sign, limit)?,
                false => moved.clone(),
            };
            add(fitting.intersect(scientific, limit)?, Exponents::one(sign * exponent));
        }
    }
    Ok(found)
}

/// Returns the mantissas (numbers before `e`) that denote members with every exponent of one sign beyond [`REACH`].
/// `set` has those of the first such exponent. Returns `set` if it contains its numbers times ten to the power `sign`.
/// Otherwise returns zero alone, or nothing if `set` has no zero.
fn beyond(set: &NumberSet, sign: i32, limit: StateBudget<'_>) -> Result<NumberSet, StateLimit> {
    if set.scaled(sign).is_subset(set) {
        return Ok(set.clone());
    }
    set.intersect(&NumberSet::literal(&Decimal::zero()), limit)
}

/// Returns whether membership of arbitrarily large numbers depends on divisors, as with `multipleOf`.
fn has_residues(set: &NumberSet) -> bool {
    !set.first().is_constant() || !set.last().is_constant()
}

/// Adds the texts of mantissas (numbers before `e`) between the states `from` and `to`. These are the canonical texts,
/// which `dfa` accepts, the same texts with zeros at the end of a fraction, and `-0`.
fn spell(nfa: &mut Nfa, dfa: &Dfa, from: u32, to: u32) {
    let count = dfa.states.len() as u32;
    let [whole, fraction] = [(); 2].map(|()| {
        let base = nfa.len() as u32;
        (0..count).for_each(|_| _ = nfa.state());
        base
    });
    let (point, zeros) = (nfa.state(), nfa.state());
    nfa.edge(point, b'0'.into(), b'0'.into(), zeros);
    nfa.edge(zeros, b'0'.into(), b'0'.into(), zeros);
    nfa.empty(zeros, to);
    nfa.empty(from, whole);
    for (at, state) in (0..).zip(&dfa.states) {
        for edge in &state.edges {
            let behind = match Part::Whole.after(edge.lo) {
                Part::Whole => whole,
                _ => fraction,
            };
            nfa.edge(whole + at, edge.lo, edge.hi, behind + edge.target);
            nfa.edge(fraction + at, edge.lo, edge.hi, fraction + edge.target);
        }
        if state.accepting {
            nfa.empty(whole + at, to);
            nfa.edge(whole + at, b'.'.into(), b'.'.into(), point);
            nfa.empty(fraction + at, to);
            nfa.edge(fraction + at, b'0'.into(), b'0'.into(), zeros);
        }
    }
    if dfa.accepts(b"0") {
        let (minus, zero) = (nfa.state(), nfa.state());
        nfa.edge(from, b'-'.into(), b'-'.into(), minus);
        nfa.edge(minus, b'0'.into(), b'0'.into(), zero);
        nfa.edge(zero, b'.'.into(), b'.'.into(), point);
        nfa.empty(zero, to);
    }
}

/// An automaton of mantissas (numbers before `e`) to which states for exponents are added.
struct Writer {
    /// The states of the automaton so far.
    states: Vec<DfaState>,
    /// Most digits of an exponent, without leading zeros.
    longest: u32,
    /// Maps each set of exponents to the automaton state after the `e` that precedes one of these exponents.
    known: FxHashMap<Exponents, u32>,
}

impl Writer {
    /// Adds a state without edges and returns its index.
    fn add(&mut self, accepting: bool) -> u32 {
        self.states.push(DfaState { edges: Edges::new(), accepting });
        (self.states.len() - 1) as u32
    }

    /// Returns the state after the `e` that reads the sign and the digits of exactly these exponents. A new state is
    /// added for each new set.
    fn exponent(&mut self, exponents: Exponents) -> u32 {
        if let Some(&state) = self.known.get(&exponents) {
            return state;
        }
        let [up, down] = [exponents.up, exponents.down].map(|bits| self.magnitudes(bits));
        let start = self.add(false);
        let unsigned = self.states[up as usize].edges.clone();
        let signs = [(b'+', up), (b'-', down)];
        let signs = signs.map(|(sign, target)| Edge { lo: sign.into(), hi: sign.into(), target });
        self.states[start as usize].edges = [&signs[..], &unsigned].concat().into();
        self.known.insert(exponents, start);
        start
    }

    /// Returns the state that reads the digits of the exponents in `bits`: bit `e` for the absolute value `e`. An
    /// exponent has at most `longest` digits, after at most as many leading zeros.
    fn magnitudes(&mut self, bits: u64) -> u32 {
        // For each value read so far, its state, in one layer for each number of digits still allowed.
        let mut below: Vec<u32> = Vec::new();
        for digits in 0..self.longest {
            let mut layer = Vec::new();
            for value in 0..=REACH + 1 {
                let state = self.add(bits >> value & 1 == 1);
                if digits > 0 {
                    self.digits(state, 0, value, &below);
                }
                layer.push(state);
            }
            below = layer;
        }
        // The states of leading zeros are added from the last zero back to the state before the first.
        let is_zero = bits & 1 == 1;
        let mut zeros = self.add(is_zero);
        for read in (0..=self.longest).rev() {
            let state = self.add(read > 0 && is_zero);
            let zero = u32::from(b'0');
            self.states[state as usize].edges.push(Edge { lo: zero, hi: zero, target: zeros });
            self.digits(state, 1, 0, &below);
            zeros = state;
        }
        zeros
    }

    /// Adds edges on the digits from `least` to 9. A digit `d` after the value `v` leads to the state of `10 * v + d`
    /// in `below`.
    fn digits(&mut self, state: u32, least: u32, value: u32, below: &[u32]) {
        for digit in least..10 {
            let byte = u32::from(b'0') + digit;
            let target = below[(10 * value + digit).min(REACH + 1) as usize];
            self.states[state as usize].edges.push(Edge { lo: byte, hi: byte, target });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_members_have_the_groups_of_their_set() {
        let sets: [&[&str]; 8] = [
            &["0"],
            &["7"],
            &["-120"],
            &["0", "5"],
            &["0.00012", "1e21", "1e22", "1e23"],
            &["1e-22", "1e-23", "12e-24", "-1"],
            &["1000", "1000.5", "10", "1", "0.1"],
            &["123456789012345678901234567890", "0"],
        ];
        for texts in sets {
            let members: Vec<_> = texts.iter().flat_map(|text| Decimal::parse(text)).collect();
            assert_eq!(members.len(), texts.len());
            let set = NumberSet::literals(&members);
            assert_eq!(
                groups_of_few(&set, &members),
                groups(&set, StateBudget::of(10_000)).unwrap(),
                "{texts:?}"
            );
        }
    }
}
