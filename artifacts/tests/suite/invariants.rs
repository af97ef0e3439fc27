//! Each invariant broken on its own, in artifacts with a right checksum: the violation must name it.

use grammarc_artifacts::sections::kinds::SectionKind;
use grammarc_artifacts::sections::masks::{NearBoundMask, NearBoundRecord};
use grammarc_artifacts::sections::network::{CallEdge, NONE, rule_flags, state_flags};
use grammarc_artifacts::validate::{Invariant, Violation};
use grammarc_artifacts::{
    Error, GrammarArtifact, GrammarData, TablesData, TokenKind, TrieData, VocabularyArtifact,
    VocabularyData,
};

use crate::fixtures::*;

fn violation(error: Error) -> Violation {
    match error {
        Error::Invalid(violation) => *violation,
        other => panic!("not a violation: {other:?}"),
    }
}

/// Opens a changed vocabulary, which must break this invariant.
#[track_caller]
fn breaks_vocabulary(invariant: Invariant, change: impl FnOnce(&mut VocabularyData)) {
    let mut data = small_vocabulary();
    change(&mut data);
    let bytes = data.to_bytes().expect("bytes");
    let error = VocabularyArtifact::from_buffer(bytes).expect_err("a broken invariant");
    let violation = violation(error);
    assert_eq!(violation.invariant, invariant, "{violation}");
}

/// Opens a vocabulary whose section was changed in the file, which must break this invariant.
#[track_caller]
fn breaks_section(invariant: Invariant, section: SectionKind, change: impl FnOnce(&mut [u8])) {
    let bytes = small_vocabulary().to_bytes().expect("bytes");
    let error = VocabularyArtifact::from_buffer(patched(&bytes, section, change));
    let violation = violation(error.expect_err("a broken invariant"));
    assert_eq!((violation.invariant, violation.section), (invariant, section), "{violation}");
}

/// Opens a changed grammar, which must break this invariant.
#[track_caller]
fn breaks_grammar(invariant: Invariant, change: impl FnOnce(&mut GrammarData)) {
    let vocabulary = open_vocabulary(&small_vocabulary());
    let mut data = small_grammar(&vocabulary);
    change(&mut data);
    let bytes = data.to_bytes(&vocabulary).expect("bytes");
    let error = GrammarArtifact::from_buffer(bytes, &vocabulary).expect_err("a broken invariant");
    let violation = violation(error);
    assert_eq!(violation.invariant, invariant, "{violation}");
}

/// The same for a change of the tables alone.
#[track_caller]
fn breaks(invariant: Invariant, change: impl FnOnce(&mut TablesData)) {
    breaks_grammar(invariant, |data| change(&mut data.tables));
}

#[test]
fn tokens() {
    use Invariant::*;
    breaks_vocabulary(TokenCount, |v| v.logit_width = 12);
    breaks_section(TokenOffsets, SectionKind::TokenOffsets, |b| b[0] = 1);
    breaks_section(TokenOffsets, SectionKind::TokenOffsets, |b| b[4] = 200);
    breaks_section(TokenOffsets, SectionKind::TokenOffsets, |b| b[13 * 4] -= 1);
    breaks_section(TokenKinds, SectionKind::TokenKinds, |b| b[0] = 3);
    breaks_section(TokenKinds, SectionKind::TokenKinds, |b| b[8] = 0);
    breaks_vocabulary(EndTokens, |v| v.end_tokens = vec![13]);
    breaks_vocabulary(EndTokens, |v| v.end_tokens = vec![9, 9]);
    breaks_section(SpecialTokens, SectionKind::SpecialTokens, |b| b.rotate_left(4));
    breaks_section(SpecialTokens, SectionKind::SpecialTokens, |b| b[0] = 1);
    breaks_section(SpecialTokens, SectionKind::SpecialTokens, |b| b[4] = 9);
    breaks_vocabulary(RuleNames, |v| v.meta.rule_names.truncate(1));
    breaks_vocabulary(Expressions, |v| v.expressions[0].rule = 2);
    breaks_vocabulary(Expressions, |v| v.expressions.swap(0, 1));
    breaks_vocabulary(Expressions, |v| v.expressions[1] = v.expressions[0]);
}

#[test]
fn trie() {
    use Invariant::*;
    breaks_vocabulary(TrieLengths, |v| v.trie.byte.clear());
    breaks_vocabulary(TrieLengths, |v| v.trie.byte[0] = 1);
    breaks_vocabulary(TrieLengths, |v| v.trie.end.push(0));
    breaks_vocabulary(TrieLengths, |v| v.trie.rank.push(0));
    breaks_vocabulary(TrieShape, |v| v.trie.end[0] -= 1);
    breaks_vocabulary(TrieShape, |v| v.trie.end[3] = 3);
    breaks_vocabulary(TrieShape, |v| v.trie.end[2] += 2);
    breaks_vocabulary(TrieShape, |v| v.trie.byte[4] = b'1');
    breaks_vocabulary(TrieRanks, |v| v.trie.rank[0] = 1);
    breaks_vocabulary(TrieRanks, |v| v.trie.rank[2] = 9);
    breaks_vocabulary(TrieRanks, |v| v.trie.token_of_rank.truncate(9));
    breaks_vocabulary(TrieTokens, |v| v.trie.token_of_rank[0] = 12);
    breaks_vocabulary(TrieTokens, |v| v.trie.token_of_rank[0] = 13);
    breaks_vocabulary(TrieTokens, |v| v.trie.token_of_rank.swap(1, 2));
    breaks_vocabulary(TrieTokens, |v| {
        v.trie = TrieData::build(&v.tokens[..12]).expect("a trie");
    });
    // Token 11, alone at its node, is taken out of the ranks and the node stays.
    breaks_vocabulary(TrieLeaves, |v| {
        v.tokens[11].1 = TokenKind::Unused;
        v.trie.token_of_rank.remove(0);
        v.trie.rank[2..].iter_mut().for_each(|rank| *rank -= 1);
    });
}

#[test]
fn numbering() {
    use Invariant::*;
    breaks_vocabulary(Bases, |v| v.tables.bases.states = 1);
    breaks(Bases, |t| t.bases.rules = 0);
    breaks(Bases, |t| t.bases.classes += 1);
    breaks(RowWords, |t| t.row_words = 32);
    breaks(RowWords, |t| t.rows.push(0));
    breaks(Sentinel, |t| t.states.clear());
    breaks(Sentinel, |t| t.states[7].byte_edges += 1);
    breaks(Sentinel, |t| t.states[7].flags = 1);
    breaks(Sentinel, |t| t.follows.pop().map_or((), drop));
    breaks(StateRanges, |t| t.states[0].call_edges = 1);
    breaks(StateRanges, |t| t.states[3].byte_edges = 0);
    breaks(RuleStates, |t| t.rules[1].first_state += 1);
    breaks(RuleStates, |t| t.rules[1].state_count = 0);
    breaks(RuleStates, |t| t.rules[1].state_count += 1);
    breaks(RuleStates, |t| t.rules[1].state_count -= 1);
    breaks(RuleFlags, |t| t.rules[1].flags = 32);
    breaks(RuleFlags, |t| t.rules[1].flags |= 1 << rule_flags::REGION);
    breaks(RuleFlags, |t| t.rules[1].flags = rule_flags::COUNTED | rule_flags::DISTINCT);
    breaks(RuleFlags, |t| t.rules[1].flags = rule_flags::MONOTONE);
    breaks_grammar(RuleNames, |g| g.meta.rule_names.push("third".to_owned()));
}

#[test]
fn masks() {
    use Invariant::*;
    breaks(RowTokens, |t| t.rows[0] |= 1 << 8);
    breaks(RowTokens, |t| t.rows[0] |= 1 << 13);
    breaks(RowTokens, |t| t.rows[15] = 1);
    breaks(ListRanges, |t| t.masks[2].plus = 9);
    breaks(ListRanges, |t| t.masks[2].plus_len = u32::MAX);
    breaks(ListRanges, |t| t.masks[0].minus = 99);
    breaks(ListRanges, |t| t.lists.push(1));
    breaks(ListOrder, |t| t.lists.swap(3, 4));
    breaks(ListOrder, |t| t.lists[4] = 3);
    breaks(ListOrder, |t| t.lists[4] = 13);
    breaks(ListOrder, |t| t.lists[4] = 8);
    breaks(MaskRow, |t| t.masks[2].row += 1);
    breaks(MaskMinus, |t| t.lists[1] = 9);
    breaks(MaskMinus, |t| t.masks[1].row = NONE);
    breaks(MaskPlus, |t| t.lists[4] = 9);
    breaks(MaskCount, |t| t.masks[2].count += 1);
    breaks(ClassRanges, |t| t.classes[1].len = 0);
    breaks(ClassRanges, |t| t.classes[1].len = 3);
    breaks(ClassRanges, |t| t.class_nodes.push(1));
    breaks(ClassNodes, |t| t.class_nodes[2] = 3);
    breaks(ClassNodes, |t| t.class_nodes[2] = 10);
}

#[test]
fn network() {
    use Invariant::*;
    breaks(StateBase, |t| t.states[0].base = 5);
    breaks(StateBase, |t| t.states[0].base = NONE);
    breaks(StateExits, |t| t.states[0].exits = 3);
    breaks(StateFlags, |t| t.states[0].flags |= state_flags::CLEARS);
    breaks(StateFlags, |t| t.states[0].flags |= 32);
    breaks(StateFlags, |t| t.states[0].flags |= 1 << state_flags::CLEARED);
    breaks(StateFlags, |t| t.states[0].flags |= state_flags::POP_ONLY);
    breaks(StateFlags, |t| t.states[3].flags &= !state_flags::POP_ONLY);
    breaks(CountExit, |t| t.states[0].count_exit = t.bases.states + 1);
    breaks_vocabulary(CountExit, |v| v.tables.states[3].count_exit = 0);
    breaks(ByteRange, |t| t.byte_edges[0].range |= 1 << 16);
    breaks(ByteRange, |t| t.byte_edges[0].range = 0x0102);
    breaks(ByteOrder, |t| t.byte_edges[4].range = 0x7a61);
    breaks(EdgeTarget, |t| t.byte_edges[0].target = t.bases.states + 4);
    breaks(EdgeTarget, |t| t.byte_edges[0].target = 0);
    breaks(EdgeTarget, |t| t.token_edges[0].target = t.bases.states + 7);
    breaks(CallTarget, |t| t.call_edges[0].callee = 4);
    breaks(CallReturn, |t| t.call_edges[0].ret = t.bases.states + 4);
    breaks(CallCount, |t| t.call_edges[0].count = 0);
    breaks(CallCount, |t| t.call_edges[1].count = 1);
    breaks(CallItem, |t| t.rules[0].flags |= rule_flags::ITEM);
    breaks(TailCall, |t| t.call_edges[0].ret = t.bases.states + 3);
    // The callee of a region returns to it.
    breaks_grammar(TailCall, |g| {
        g.meta.regions = vec![region()];
        for rule in &mut g.tables.rules {
            rule.flags |= 1 << rule_flags::REGION;
        }
        g.tables.call_edges[0].ret = NONE;
    });
    breaks(TokenSet, |t| t.token_edges[0].tokens = 5);
    breaks(FollowOrder, |t| t.follows.swap(0, 1));
    breaks(FollowOrder, |t| t.follows[1].class = 0);
    breaks(FollowIds, |t| t.follows[1].class = 3);
    breaks(FollowIds, |t| t.follows[0].mask = 5);
    breaks(FollowIds, |t| t.follows[0].next = 3);
    breaks(FollowState, |t| t.states[2].follows = 2);
}

/// NearBound of the first state by two counters.
fn with_near_bound(tables: &mut TablesData) {
    let state = tables.bases.states;
    tables.states[0].flags |= state_flags::COUNT_DEPENDENT;
    let record = |field, first, len| NearBoundRecord { state, field, first, len };
    tables.near_bound =
        vec![record(8 << 8, 0, 2), record(8 | 24 << 8 | NearBoundRecord::WITHOUT, 1, 1)];
    let mask = |most, base| NearBoundMask { most, base, exits: NONE };
    tables.near_bound_masks = vec![mask(1, 0), mask(3, 1)];
}

#[test]
fn near_bound_masks() {
    let vocabulary = open_vocabulary(&small_vocabulary());
    let mut data = small_grammar(&vocabulary);
    with_near_bound(&mut data.tables);
    let artifact = open_grammar(&data, &vocabulary);
    let tables = artifact.tables();
    assert_eq!(
        (tables.near_bound, tables.near_bound_masks),
        (&data.tables.near_bound[..], &data.tables.near_bound_masks[..])
    );
    let found = |register| {
        let of = NearBoundRecord::of_state(tables.near_bound, tables.bases.states).iter();
        of.map(|record| record.find(tables.near_bound_masks, register).map(|mask| mask.most))
            .collect::<Vec<_>>()
    };
    assert_eq!(found(1 << 8), [Some(1), Some(3)]);
    assert_eq!(found(2 | 4 << 8), [Some(3), None]);
    assert_eq!(NearBoundRecord::of_state(tables.near_bound, tables.bases.states + 1), []);

    let broken = |change: fn(&mut TablesData)| {
        breaks(Invariant::NearBound, |tables| {
            with_near_bound(tables);
            change(tables);
        });
    };
    broken(|t| t.states[0].flags &= !state_flags::COUNT_DEPENDENT);
    broken(|t| t.near_bound[0].state = 0);
    broken(|t| t.near_bound.swap(0, 1));
    broken(|t| t.near_bound[1] = t.near_bound[0]);
    broken(|t| {
        t.near_bound =
            (1..10).map(|width| NearBoundRecord { field: width << 8, ..t.near_bound[0] }).collect()
    });
    broken(|t| t.near_bound[0].field = 0);
    broken(|t| t.near_bound[0].field = 25 | 8 << 8);
    broken(|t| t.near_bound[1].field |= 1 << 17);
    broken(|t| t.near_bound[1].len = 2);
    broken(|t| t.near_bound[0].len = 0);
    broken(|t| t.near_bound[0].first = u32::MAX);
    broken(|t| t.near_bound_masks[1].most = 1);
    broken(|t| t.near_bound_masks[0].base = 5);
    broken(|t| t.near_bound_masks[0].exits = 3);
    broken(|t| t.near_bound_masks[1].exits = 0);
}

#[test]
fn normal_form() {
    use Invariant::*;
    breaks_grammar(StartRule, |g| g.start_rule = 4);
    breaks_grammar(StartRule, |g| g.start_rule = 1);
    let make_final = |t: &mut TablesData, state: usize| t.states[state].flags |= state_flags::FINAL;
    breaks(EmptyRule, |t| make_final(t, 4));
    breaks(EmptyRule, |t| make_final(t, 0));
    breaks_vocabulary(EmptyRule, |v| make_final(&mut v.tables, 0));
    // The tail call of state 5 moves to the initial state of its rule: start -> inner -> start.
    breaks(LeftRecursion, |t| {
        t.states[5].call_edges += 1;
        t.call_edges[2].callee = 2;
        t.call_edges[0] = CallEdge { callee: 3, ret: NONE, count: 0 };
    });
    breaks(LeftRecursion, |t| t.call_edges[0] = CallEdge { callee: 2, ret: NONE, count: 0 });
    breaks(FirstBytes, |t| t.rules[0].first_bytes[0] ^= 1);
    breaks(FirstBytes, |t| t.rules[0].first_tokens = 0);
    breaks(FirstBytes, |t| t.rules[1].first_tokens = 1);
    // Without its final flag, state 6 goes nowhere; nor does a rule whose every way on is to call itself.
    breaks(DeadState, |t| t.states[6].flags = 0);
    breaks(DeadState, |t| {
        t.byte_edges[3].target = t.bases.states + 5;
        t.call_edges[3].callee = 3;
    });
    breaks_vocabulary(DeadState, |v| {
        v.tables.states[4].flags = 0;
        v.tables.states[3].flags = 0;
    });
}

#[test]
fn an_empty_start_rule_that_nothing_calls_is_fine() {
    let vocabulary = open_vocabulary(&small_vocabulary());
    let mut data = small_grammar(&vocabulary);
    data.tables.states[0].flags |= state_flags::FINAL;
    data.tables.call_edges[3].callee = data.start_rule + 1;
    open_grammar(&data, &vocabulary);
}

#[test]
fn a_violation_says_where_and_what() {
    let vocabulary = open_vocabulary(&small_vocabulary());
    let mut data = small_grammar(&vocabulary);
    data.tables.states[1].base = 99;
    let bytes = data.to_bytes(&vocabulary).expect("bytes");
    let error = GrammarArtifact::from_buffer(bytes, &vocabulary).expect_err("no mask 99");
    assert!(
        error.to_string().starts_with(
            "section STATES, record 1: found 99, expected less than 5, but the base mask of a state is a mask"
        ),
        "{error}"
    );
}
