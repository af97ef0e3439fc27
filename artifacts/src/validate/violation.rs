//! The invariants by name, and the report of a violated one.

use std::fmt;

use crate::sections::kinds::SectionKind;

macro_rules! invariants {
    ($($(#[$doc:meta])* $name:ident = $sentence:literal,)*) => {
        /// An invariant of the sections of an artifact. The documentation of each is its sentence in messages.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Invariant {
            $(#[doc = $sentence] $name,)*
        }

        impl fmt::Display for Invariant {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Self::$name => $sentence,)* })
            }
        }
    };
}

invariants! {
    TokenCount = "ids fit in 32 bits and the logit width is at least the token count",
    TokenOffsets = "token offsets begin at 0, ascend, end at the last byte, and are one more than the tokens",
    TokenKinds = "there is one known kind per token, and a text token has bytes",
    EndTokens = "end tokens are tokens, ascending, without repetition",
    SpecialTokens = "all special tokens are listed once, by bytes and then by id",
    RuleNames = "there is a name for each own rule or for none",
    Expressions = "expressions ascend by digest, without repetition, and name rules",
    TrieLengths = "the trie's arrays agree in length, and there is a root",
    TrieShape = "a subtree ends within its parent's, and siblings ascend by byte",
    TrieRanks = "ranks ascend from 0 to the number of ranked tokens",
    TrieTokens = "every text token is ranked once, at the node that spells its bytes, by id within the node",
    TrieLeaves = "every leaf of the trie has a token",
    Bases = "the numbering continues the vocabulary's, or begins at 0 in a vocabulary",
    RowWords = "a dense row has the vocabulary's logit width, rounded up to 64 bytes, and rows are whole",
    Totals = "the ids of each numbered thing stay below 2^32 - 1",
    Sentinel = "the state table ends in a record with the lengths of the edge tables and nothing else",
    StateRanges = "the ranges of the states begin at 0 and ascend",
    RuleStates = "the rules' states follow on each other in the order of the rules, and each rule has one",
    RuleFlags = "the flags of a rule are known ones, only a counted rule is monotone, and none is counted and distinct; its region is one that there is",
    RowTokens = "a dense row holds text and special tokens only",
    ListRanges = "a list is within the list table, and the lists have no entry in common or left over",
    ListOrder = "a list holds text and special tokens, ascending, without repetition",
    MaskRow = "the row of a mask is a dense row or none",
    MaskMinus = "the minus list of a mask is a subset of its row",
    MaskPlus = "the plus list of a mask is disjoint from its row",
    MaskCount = "the count of a mask is the number of its tokens",
    ClassRanges = "a class has nodes, within the node table, and the classes have no entry in common or left over",
    ClassNodes = "the nodes of a class are trie nodes, ascending, without repetition",
    StateBase = "the base mask of a state is a mask",
    StateExits = "the exits of a state are an exit class or none",
    StateFlags = "the flags of a state are known ones, only one with a count exit lowers, clears or sets anything, and pop-only says that it is final and has no edges",
    CountExit = "a count exit is a state of the same rule, which is counted",
    Field = "the field of a register that a state lowers or sets is within it, a number that it is set to within the field, and a next state within the rule",
    ArrivalEnds = "an arrival lowers or sets counters one after the other and ends",
    ByteRange = "a byte edge has a range from low to high and nothing else",
    ByteOrder = "the byte edges of a state ascend and are disjoint",
    EdgeTarget = "the target of an edge is a state of the same rule",
    CallTarget = "a call edge calls a rule",
    CallItem = "an item is called by a distinct rule alone, and returns to it",
    CallReturn = "a call returns to a state of the caller's rule, or nowhere",
    CallCount = "a call of a counted rule, and no other, has a countdown",
    TailCall = "a call in tail position returns nowhere, not to a state that can only return; those of a region do not",
    TokenSet = "the token set of a token edge is a mask",
    FollowOrder = "the follow entries of a state ascend by class, without repetition",
    FollowIds = "a follow entry names an exit class, a mask, and an exit class or none",
    FollowState = "only a state that a call returns to has follow entries",
    StartRule = "the start rule is a rule and is not counted",
    EmptyRule = "no rule accepts the empty string, save the start rule where nothing calls it",
    LeftRecursion = "no rule begins with a call that leads back to it",
    FirstBytes = "the first bytes and tokens of a rule are those of its initial state",
    PackedNodes = "the nodes of packed string sets are whole, lead to nodes, ascend by byte, and end somewhere",
    PackedRule = "a rule that is a packed string set is counted and nothing else, and has its three states; there are packed nodes where there is such a rule",
    PackedCall = "a call of a packed string set begins at a node that is not final, with the first bytes of the rule",
    HighFanout = "nodes with stored masks are nodes of packed string sets, ascending, with a mask and an exit class or none",
    NearBound = "near-bound records are of count-dependent states of the grammar's own, ascending by state and field, each with masks ascending by count, which have an exit class or none, and none where they are subtracted",
    DeadState = "every state reaches a final state of its rule",
}

/// What a checked number should have been.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Exactly this number.
    Equal(u64),
    /// A number less than the limit.
    Below(u64),
    /// The limit or a larger number.
    AtLeast(u64),
    /// Not a number but the condition in the invariant's sentence.
    Stated,
}

/// A violated invariant, with the record that violates it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Name of the invariant that does not hold.
    pub invariant: Invariant,
    /// Section that contains the record.
    pub section: SectionKind,
    /// Index of the record in its section.
    pub record: usize,
    /// Number in the record that violates the invariant.
    pub found: u64,
    /// What the number should have been.
    pub expected: Expected,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { invariant, section, record, found, expected } = self;
        write!(f, "section {}, record {record}: found {found}", section.name())?;
        match expected {
            Expected::Equal(number) => write!(f, ", expected {number}")?,
            Expected::Below(number) => write!(f, ", expected less than {number}")?,
            Expected::AtLeast(number) => write!(f, ", expected at least {number}")?,
            Expected::Stated => {}
        }
        write!(f, ", but {invariant}")
    }
}

/// The record that is being checked, by section and index. A failed check reports it.
#[derive(Clone, Copy)]
pub(super) struct At {
    section: SectionKind,
    record: usize,
}

/// Returns the place of a record: its section and its index there.
pub(super) fn at(section: SectionKind, record: usize) -> At {
    At { section, record }
}

impl At {
    #[cold]
    #[inline(never)]
    fn violation(self, invariant: Invariant, found: u64, expected: Expected) -> Check {
        let At { section, record } = self;
        Err(Box::new(Violation { invariant, section, record, found, expected }))
    }

    /// Returns a violation unless `found` is less than `limit`.
    #[inline]
    pub(super) fn below(self, invariant: Invariant, found: u32, limit: u32) -> Check {
        if found < limit {
            return Ok(());
        }
        self.violation(invariant, found.into(), Expected::Below(limit.into()))
    }

    /// Returns a violation unless `found` is equal to `expected`.
    #[inline]
    pub(super) fn equal(self, invariant: Invariant, found: usize, expected: usize) -> Check {
        if found == expected {
            return Ok(());
        }
        self.violation(invariant, found as u64, Expected::Equal(expected as u64))
    }

    /// Returns a violation unless `found` is at least `least`.
    #[inline]
    pub(super) fn at_least(self, invariant: Invariant, found: u32, least: u32) -> Check {
        if found >= least {
            return Ok(());
        }
        self.violation(invariant, found.into(), Expected::AtLeast(least.into()))
    }

    /// Returns a violation unless `holds` is true. `found` is the number to report.
    #[inline]
    pub(super) fn require(self, invariant: Invariant, holds: bool, found: u32) -> Check {
        if holds {
            return Ok(());
        }
        self.violation(invariant, found.into(), Expected::Stated)
    }
}

/// The result of a check: the first violation, or nothing.
pub(super) type Check = Result<(), Box<Violation>>;
