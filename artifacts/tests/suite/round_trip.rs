//! Artifacts are read as they were written, byte for byte the same each time.

use grammarc_artifacts::dump::{self, Content};
use grammarc_artifacts::sections::kinds::{ArtifactKind, SectionKind};
use grammarc_artifacts::{
    Bases, GrammarArtifact, TablesData, TokenKind, VocabularyArtifact, VocabularyData,
    VocabularyMeta,
};

use crate::fixtures::*;
use crate::walk;

/// Owned copies of borrowed tables.
fn owned(tables: grammarc_artifacts::Tables<'_>) -> TablesData {
    TablesData {
        bases: tables.bases,
        row_words: tables.row_words,
        rules: tables.rules.to_vec(),
        states: tables.states.to_vec(),
        byte_edges: tables.byte_edges.to_vec(),
        call_edges: tables.call_edges.to_vec(),
        token_edges: tables.token_edges.to_vec(),
        masks: tables.masks.to_vec(),
        rows: tables.rows.to_vec(),
        lists: tables.lists.to_vec(),
        follows: tables.follows.to_vec(),
        classes: tables.classes.to_vec(),
        class_nodes: tables.class_nodes.to_vec(),
        packed_strings: tables.packed_strings.to_vec(),
        high_fanout: tables.high_fanout.to_vec(),
        near_bound: tables.near_bound.to_vec(),
        near_bound_masks: tables.near_bound_masks.to_vec(),
    }
}

#[test]
fn a_vocabulary_reads_as_it_was_written() {
    for data in [small_vocabulary(), large_vocabulary(2000, 3)] {
        let artifact = open_vocabulary(&data);
        assert_eq!(artifact.meta(), &data.meta);
        assert_eq!(artifact.token_count() as usize, data.tokens.len());
        assert_eq!(artifact.logit_width(), data.logit_width);
        assert_eq!(artifact.end_tokens(), data.end_tokens);
        assert_eq!(owned(artifact.tables()), data.tables);
        let trie = artifact.trie();
        assert_eq!(trie.byte, data.trie.byte);
        assert_eq!(trie.end, data.trie.end);
        assert_eq!(trie.rank, data.trie.rank);
        assert_eq!(trie.token_of_rank, data.trie.token_of_rank);
        for (id, (bytes, kind)) in data.tokens.iter().enumerate() {
            assert_eq!(artifact.token_bytes(id as u32), bytes);
            assert_eq!(artifact.token_kind(id as u32), *kind);
            assert_eq!(artifact.lookup(bytes).contains(&(id as u32)), *kind == TokenKind::Text);
        }
        walk::vocabulary(&artifact);
    }
}

#[test]
fn tokens_are_found_by_their_bytes() {
    let artifact = open_vocabulary(&small_vocabulary());
    assert_eq!(artifact.lookup(b"a"), [0, 7]);
    assert_eq!(artifact.lookup(b"}}a"), [12]);
    assert_eq!(artifact.lookup(b"<eos>"), [0; 0], "special tokens are not text");
    assert_eq!(artifact.lookup(b""), [0; 0]);
    assert_eq!(artifact.lookup(b"zzz"), [0; 0]);
    assert_eq!(artifact.special_token(b"<tool>"), Some(10));
    assert_eq!(artifact.special_token(b"a"), None);
    assert_eq!(artifact.special_tokens(), [9, 10]);
    assert_eq!(artifact.usable_tokens(), [0b1_1110_1111_1111]);
    assert_eq!(artifact.token_bytes(13), b"");
    assert_eq!(artifact.token_kind(13), TokenKind::Unused);
}

#[test]
fn a_grammar_reads_as_it_was_written() {
    let vocabulary = open_vocabulary(&small_vocabulary());
    let data = small_grammar(&vocabulary);
    let artifact = open_grammar(&data, &vocabulary);
    assert_eq!(artifact.meta(), &data.meta);
    assert_eq!(artifact.start_rule(), data.start_rule);
    assert_eq!(owned(artifact.tables()), data.tables);
    assert_eq!(artifact.start_state(), vocabulary.tables().totals().states);
    walk::grammar(&artifact);

    let large = open_vocabulary(&large_vocabulary(2000, 3));
    let data = large_grammar(&large, 500);
    let artifact = open_grammar(&data, &large);
    assert_eq!(owned(artifact.tables()), data.tables);
    walk::grammar(&artifact);
}

#[test]
fn files_are_mapped_and_read_alike() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (gvocab, gmask) = (folder.path().join("v.gvocab"), folder.path().join("g.gmask"));
    let data = small_vocabulary();
    data.write(&gvocab).expect("a written vocabulary");
    let vocabulary = VocabularyArtifact::open(&gvocab).expect("a mapped vocabulary");
    let read = VocabularyArtifact::read(&gvocab).expect("a read vocabulary");
    assert_eq!(walk::vocabulary(&vocabulary), walk::vocabulary(&read));
    small_grammar(&vocabulary).write(&gmask, &vocabulary).expect("a written grammar");
    let mapped = GrammarArtifact::open(&gmask, &vocabulary).expect("a mapped grammar");
    let read = GrammarArtifact::read(&gmask, &read).expect("a read grammar");
    assert_eq!(walk::grammar(&mapped), walk::grammar(&read));
    assert_eq!(mapped.checksum(), read.checksum());
}

#[test]
fn an_artifact_of_this_process_has_the_bytes_of_one_that_is_written() {
    let vocabulary = open_vocabulary(&small_vocabulary());
    let data = small_grammar(&vocabulary);
    let written = open_grammar(&data, &vocabulary);
    let checksum_first = data.to_artifact(&vocabulary).expect("an artifact");
    assert_eq!(checksum_first.checksum(), written.checksum());
    let bytes_first = data.to_artifact(&vocabulary).expect("an artifact");
    let sealed = data.to_sealed_artifact(&vocabulary).expect("an artifact");
    for artifact in [checksum_first, bytes_first, sealed] {
        assert_eq!(walk::grammar(&artifact), walk::grammar(&written));
        assert_eq!(&**artifact.container().buffer(), &**written.container().buffer());
        assert_eq!(artifact.container().header(), written.container().header());
        assert_eq!(artifact.checksum(), written.checksum());
        let alone = artifact.to_standalone().expect("the same with its vocabulary");
        assert_eq!(&*alone, &*written.to_standalone().expect("the same with its vocabulary"));
    }
}

#[test]
fn the_same_data_gives_the_same_bytes() {
    let vocabulary = open_vocabulary(&small_vocabulary());
    for _ in 0..3 {
        let again = small_vocabulary().to_bytes().expect("bytes");
        assert_eq!(&*again, &**vocabulary.container().buffer());
        let bytes = small_grammar(&vocabulary).to_bytes(&vocabulary).expect("bytes");
        // Allocated again over other garbage, so that padding that was never written would show.
        drop(vec![0xa5u8; bytes.len()]);
        let again = small_grammar(&vocabulary).to_bytes(&vocabulary).expect("bytes");
        assert_eq!(&*again, &*bytes);
    }
}

#[test]
fn an_empty_vocabulary_is_one() {
    let data = VocabularyData {
        meta: VocabularyMeta::default(),
        tokens: vec![],
        end_tokens: vec![],
        logit_width: 0,
        trie: grammarc_artifacts::TrieData::build(&[]).expect("a trie"),
        tables: TablesData::empty(Bases::default(), 0),
        expressions: vec![],
    };
    let artifact = open_vocabulary(&data);
    assert!(artifact.trie().is_empty());
    walk::vocabulary(&artifact);
}

#[test]
fn rows_are_rounded_up_to_64_bytes() {
    let words = grammarc_artifacts::tables::row_words;
    let cases = [(0, 0), (1, 16), (512, 16), (513, 32), (128_256, 4016), (u32::MAX, 1 << 27)];
    for (width, expected) in cases {
        assert_eq!(words(width), expected, "logit width {width}");
    }
}

#[test]
fn inspection_counts_what_is_there() {
    let (vocabulary, grammar) = small_pair();
    let inspection = dump::inspect(grammar.container().buffer().clone()).expect("an inspection");
    assert_eq!(inspection.header.artifact, ArtifactKind::Grammar);
    assert_eq!(inspection.tables.states, 7);
    assert_eq!(inspection.tables.tail_calls, 1);
    assert_eq!(inspection.tables.dense_masks, 2);
    assert_eq!(inspection.tables.sparse_masks, 1);
    assert_eq!(inspection.tables.bases, vocabulary.tables().totals());
    assert!(matches!(&inspection.content, Content::Grammar { meta, .. } if meta == grammar.meta()));
    let states = inspection.sections.iter().find(|s| s.kind == SectionKind::States as u32);
    assert_eq!(states.map(|s| (s.name, s.records, s.bytes)), Some(("STATES", 8, 256)));

    let inspection = dump::inspect(vocabulary.container().buffer().clone()).expect("an inspection");
    let Content::Vocabulary { token_count, trie_nodes, special_tokens, .. } = inspection.content
    else {
        panic!("a vocabulary");
    };
    assert_eq!((token_count, trie_nodes, special_tokens), (13, 10, 2));
}

#[test]
fn regions_are_a_section_where_there_are_any() {
    let vocabulary = open_vocabulary(&small_vocabulary());
    let mut data = small_grammar(&vocabulary);
    let has_section = |grammar: &GrammarArtifact| {
        grammar.container().directory().get(SectionKind::Regions).is_some()
    };
    assert!(!has_section(&open_grammar(&data, &vocabulary)));
    data.meta.regions = vec![region()];
    let grammar = open_grammar(&data, &vocabulary);
    assert!(has_section(&grammar));
    assert_eq!(grammar.meta(), &data.meta);
}
