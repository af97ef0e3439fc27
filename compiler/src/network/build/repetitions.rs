//! The rules made for repetitions. A rule is built already, is held by the vocabulary, or has still
//! to be built.

use rustc_hash::FxHashMap;

use super::rules::Rules;
use super::source::Source;
use crate::automata::{Dfa, Symbol};
use crate::ir::Expr;
use crate::ir::facts::{Alphabet, Alphabets};
use crate::ir::thompson::{DelimitedRepeat, Repetition};
use crate::network::content_hash::Digest;
use crate::network::error::NetworkErrorKind;
use crate::network::repeat::bodies::Bodies;
use crate::network::repeat::rule::{More, RepeatCall, RepeatRule, Run, TailBytes};
use crate::network::repeat::{automata, bounded_tail};
use crate::network::rule::Label;

/// The fewest bytes of a fixed number, as in `[0-9a-f]{8}`, for which the vocabulary's rule for
/// that number is called. Fewer bytes are unrolled.
const WORTH_A_CALL: u32 = 8;

/// The fewest bytes of a fixed number for which the vocabulary's rule is called if the grammar
/// already calls a rule for the same byte set. Serves the parts of a UUID, which have 8 and 4
/// hexadecimal digits. Fewer bytes are unrolled.
const ENOUGH: u32 = 4;

/// The rules made for repetitions, with what is needed to find and build them.
pub(super) struct Repetitions<'a> {
    /// The inputs of the construction.
    source: &'a Source<'a>,
    /// The repeated expressions by number, with their automata.
    pub(super) bodies: Bodies,
    /// Maps each rule made for a repetition to its number among the network's rules.
    rules_of: FxHashMap<RepeatRule, usize>,
    /// A cache of the bytes that occur in the strings of expressions.
    alphabets: Alphabets,
}

/// The rules that a repetition needs and that are not built yet.
pub(super) struct Missing {
    /// The missing rules. Each calls the next one in tail position.
    pub(super) new: Vec<RepeatCall>,
    /// The label of the call that ends the last missing rule, in tail position. `None` if the last
    /// rule ends without a call.
    pub(super) rest: Option<Label>,
}

impl<'a> Repetitions<'a> {
    /// Returns an empty collection of rules.
    pub(super) fn new(source: &'a Source<'a>) -> Self {
        let rules_of = FxHashMap::default();
        Self { source, bodies: Bodies::default(), rules_of, alphabets: Alphabets::default() }
    }

    /// Returns the bytes that occur in an expression's strings: the first bytes and all bytes.
    pub(super) fn alphabet(&mut self, expr: &Expr) -> Alphabet {
        let Source { grammar, survey, context, .. } = self.source;
        self.alphabets.of_expr(expr, grammar, survey, context.budget).bytes
    }

    /// Returns the most repetitions of a body that one token can begin, at least 1. Returns
    /// `u32::MAX` if registers are not used. `shortest` is the length of the body's shortest string
    /// in bytes.
    pub(super) fn most_repetitions(&mut self, body: &Expr, shortest: u32) -> u32 {
        if !self.source.has_registers() {
            return u32::MAX;
        }
        let Alphabet { first, all } = self.alphabet(body);
        self.source.lexicon.most_repetitions(first, all, shortest).max(1)
    }

    /// Returns the call for a repetition of a body, and the most repetitions that one token can
    /// begin. The body must not derive the empty string, and is repeated at least once even if
    /// `min` is 0. `shortest` is the length of its shortest string in bytes.
    pub(super) fn plan(
        &mut self,
        Repetition { body, min, max }: Repetition<'_>,
        shortest: u32,
    ) -> (RepeatCall, u32) {
        let longest = self.most_repetitions(body, shortest);
        let least = min.max(1);
        let more = match max.map(|max| max - least.min(max)) {
            None => More::Any,
            Some(more) if more < longest => More::UpTo(more),
            Some(more) => More::Counted(more - longest + 1),
        };
        let body = self.bodies.number(body);
        (RepeatRule::of_run(body, Run { least, more }, longest), longest)
    }

    /// Returns the call for a bounded tail, and the most bytes of the tail in one token. A bounded
    /// tail is a bounded run of bytes whose last byte comes from a set of its own. The caller has to
    /// unroll the required bytes before the call.
    pub(super) fn plan_tail(&mut self, run: DelimitedRepeat) -> (RepeatCall, u32) {
        let DelimitedRepeat { any, min, max, last } = run;
        let longest = self.most_repetitions(&Expr::Bytes(any.union(last)), 1);
        let most = (max - min).saturating_add(1);
        (RepeatRule::of_tail(TailBytes { any, last }, most, longest), longest)
    }

    /// Whether the vocabulary holds a rule for this repetition. Only a fixed number of at least
    /// [`ENOUGH`] bytes of one set can be stored, such as `[0-9a-f]{8}`. Adds the rule to `rules`
    /// if it is found. `shortest` is the length of the body's shortest string in bytes.
    ///
    /// # Errors
    ///
    /// [`NetworkErrorKind::Limit`] if there are too many rules.
    pub(super) fn is_stored(
        &mut self,
        rules: &mut Rules<'_>,
        repetition: &Repetition<'_>,
        shortest: u32,
    ) -> Result<bool, NetworkErrorKind> {
        let &Repetition { body, min, max } = repetition;
        if min < ENOUGH || max != Some(min) || !matches!(body, Expr::Bytes(_)) {
            return Ok(false);
        }
        let longest = self.most_repetitions(body, shortest);
        let run = Run { least: min, more: More::UpTo(0) };
        let body = self.bodies.number(body);
        if min < WORTH_A_CALL && !self.bodies.is_fixed(body) {
            return Ok(false);
        }
        let found = self.find(rules, RepeatRule::of_run(body, run, longest).rule)?;
        let is_stored = found.is_some_and(|rule| rules.is_stored(rule));
        if is_stored {
            self.bodies.note_fixed(body);
        }
        Ok(is_stored)
    }

    /// Returns the number of a rule made for a repetition, if the rule was built before or the
    /// vocabulary holds it. Returns `None` otherwise.
    ///
    /// # Errors
    ///
    /// [`NetworkErrorKind::Limit`] if there are too many rules.
    pub(super) fn find(
        &mut self,
        rules: &mut Rules<'_>,
        rule: RepeatRule,
    ) -> Result<Option<usize>, NetworkErrorKind> {
        if let Some(&number) = self.rules_of.get(&rule) {
            return Ok(Some(number));
        }
        let known = self.source.wanted.stored;
        let digest = known.and_then(|_| self.bodies.digest(rule, self.source.grammar));
        let Some(stored) = digest.and_then(|digest| self.source.stored(&digest)) else {
            return Ok(None);
        };
        let number = rules.add_stored(stored)?;
        self.rules_of.insert(rule, number);
        Ok(Some(number))
    }

    /// Follows a call through its tail calls, and returns the rules that are not built yet.
    /// `longest` is the most repetitions that one token can begin.
    ///
    /// # Errors
    ///
    /// [`NetworkErrorKind::Limit`] if there are too many rules.
    pub(super) fn missing(
        &mut self,
        rules: &mut Rules<'_>,
        mut call: RepeatCall,
        longest: u32,
    ) -> Result<Missing, NetworkErrorKind> {
        let limit = self.source.wanted.limits.rules;
        let mut new = Vec::new();
        loop {
            if let Some(rule) = self.find(rules, call.rule)? {
                let rest = Some(Label::Call { rule, count: call.count });
                return Ok(Missing { new, rest });
            }
            new.push(call);
            if new.len() > limit {
                return Err(NetworkErrorKind::Limit { what: "rules of a repetition", limit });
            }
            match call.rule.rest(longest) {
                Some(rest) => call = rest,
                None => return Ok(Missing { new, rest: None }),
            }
        }
    }

    /// Builds and adds a rule for a repetition. `body` is the automaton of its body, which a
    /// bounded tail (byte run with a last byte of its own) does not have. `rest` is the symbol of
    /// the call that ends the rule, in tail position. Returns the number of the rule.
    pub(super) fn add(
        &mut self,
        rules: &mut Rules<'_>,
        rule: RepeatRule,
        body: Option<Dfa>,
        rest: Option<Symbol>,
    ) -> Result<usize, NetworkErrorKind> {
        let body = || body.expect("the rule has a body");
        let (dfa, counted, suffix) = match rule {
            RepeatRule::Body(_) => (body(), None, "body".to_owned()),
            RepeatRule::Chain(_, run) => {
                let dfa = automata::chain(body(), run, rest, self.source.bounds());
                (dfa.map_err(|_| self.source.too_large())?, None, run.to_string())
            }
            RepeatRule::Loop { prefix, end, is_optional, .. } => {
                let rest = rest.expect("a loop ends in a chain");
                let (dfa, counted) = automata::counted_loop(&body(), prefix, rest, is_optional);
                let least = if is_optional { prefix + 1 } else { end.least };
                (dfa, Some(counted), format!("{{{least},n}}"))
            }
            RepeatRule::TailChain(bytes, most) => {
                (bounded_tail::chain(bytes, rest), None, format!("{{1,{most}}}"))
            }
            RepeatRule::TailLoop(bytes) => {
                let rest = rest.expect("a loop ends in a chain");
                let (dfa, counted) = bounded_tail::counted_loop(bytes, rest);
                (dfa, Some(counted), "{1,n}".to_owned())
            }
        };
        let number = rules.add_part(&suffix, &dfa, counted)?;
        self.rules_of.insert(rule, number);
        Ok(number)
    }

    /// Returns the digests of all rules made for repetitions, with their numbers. Rules without a
    /// digest are left out.
    pub(super) fn sources(&mut self) -> Vec<(Digest, usize)> {
        let (bodies, grammar) = (&mut self.bodies, self.source.grammar);
        let rules = self.rules_of.iter();
        rules.filter_map(|(&rule, &number)| Some((bodies.digest(rule, grammar)?, number))).collect()
    }
}
