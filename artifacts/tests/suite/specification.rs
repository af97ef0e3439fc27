//! A reader written from README.md alone, without the types of the crate: what the page says is what the bytes are.

use crate::fixtures::*;

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// The bytes of a section, and its record size.
fn section(file: &[u8], kind: u32) -> (&[u8], u32) {
    let entries = (0..u32_at(file, 60) as usize).map(|index| 192 + 32 * index);
    let entry = entries.clone().find(|&at| u32_at(file, at) == kind).expect("the section");
    let (offset, length) = (u64_at(file, entry + 8) as usize, u64_at(file, entry + 16) as usize);
    assert_eq!(offset % 64, 0);
    (&file[offset..offset + length], u32_at(file, entry + 24))
}

/// The target of a relative pointer at `field`, counted from `origin`.
fn relative(meta: &[u8], field: usize, origin: usize) -> usize {
    (origin as i64 + i64::from(u32_at(meta, field) as i32)) as usize
}

fn string(meta: &[u8], at: usize) -> String {
    let bytes = if meta[at] >> 6 != 0b10 {
        let inline = &meta[at..at + 8];
        &inline[..inline.iter().position(|&byte| byte == 0xff).unwrap_or(8)]
    } else {
        let n = u32_at(meta, at);
        let length = ((n & 0x3f) | ((n & !0xff) >> 2)) as usize;
        &meta[relative(meta, at + 4, at)..][..length]
    };
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// Places of the elements of a list.
fn list(meta: &[u8], at: usize, element: usize) -> Vec<usize> {
    let first = relative(meta, at, at);
    (0..u32_at(meta, at + 4) as usize).map(|index| first + index * element).collect()
}

fn strings(meta: &[u8], at: usize) -> Vec<String> {
    list(meta, at, 8).into_iter().map(|at| string(meta, at)).collect()
}

/// Texts that go on from the ones before them, by their places.
fn texts(meta: &[u8], places: impl Iterator<Item = usize>) -> impl Iterator<Item = String> {
    places.scan(String::new(), |last, at| {
        let steps = last.split_inclusive('/').take(u32_at(meta, at) as usize);
        *last = steps.collect::<String>() + &string(meta, at + 4);
        Some(last.clone())
    })
}

fn pairs(meta: &[u8], at: usize) -> Vec<(String, String)> {
    let pair = |at| (string(meta, at), string(meta, at + 8));
    list(meta, at, 16).into_iter().map(pair).collect()
}

#[test]
fn the_header_and_the_section_table() {
    let (vocabulary, grammar) = small_pair();
    for (file, kind) in [(vocabulary.container(), 1), (grammar.container(), 2)] {
        let file = file.buffer();
        assert_eq!(file[..16], *b"\x89grammarc\r\n\x1a\n\0\0\0");
        assert_eq!(file[16..48], *blake3::hash(&file[48..]).as_bytes());
        assert_eq!(u32_at(file, 48), 0x0a0b_0c0d);
        assert_eq!(u32_at(file, 52), 0x1_0002, "version 2.1");
        assert_eq!(u32_at(file, 56), kind);
        assert_eq!(u64_at(file, 64), file.len() as u64);
        assert_eq!(file[72..104], vocabulary.fingerprint());
        assert_eq!(file[104..136], vocabulary.shared_digest());
        let sizes = [(64, 24), (65, 96), (66, 32), (67, 8), (68, 12), (69, 8), (70, 24), (71, 4)];
        for (kind, size) in sizes.into_iter().chain([(72, 4), (73, 12), (74, 8), (75, 4)]) {
            assert_eq!(section(file, kind).1, size, "section {kind}");
        }
    }
}

#[test]
fn the_digests() {
    let (vocabulary, grammar) = small_pair();
    let file = vocabulary.container().buffer();
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"grammarc vocabulary").update(section(file, 16).0);
    hasher.update(&(section(file, 20).0.len() as u32 / 4).to_le_bytes());
    for kind in [20, 17, 19, 18] {
        hasher.update(section(file, kind).0);
    }
    assert_eq!(*hasher.finalize().as_bytes(), vocabulary.fingerprint());

    let mut hasher = blake3::Hasher::new();
    for kind in 64u32..=75 {
        let bytes = section(file, kind).0;
        hasher.update(&kind.to_le_bytes()).update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    }
    assert_eq!(*hasher.finalize().as_bytes(), vocabulary.shared_digest());

    let mix = |d: u64, word: u64| {
        let product = (d ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        product ^ (product >> 29)
    };
    let (offsets, bytes, kinds) = (section(file, 17).0, section(file, 18).0, section(file, 19).0);
    let mut digest = 0;
    let mut expected = Vec::new();
    for (token, &kind) in kinds.iter().enumerate() {
        let (from, to) = (u32_at(offsets, token * 4), u32_at(offsets, token * 4 + 4));
        digest = mix(digest, u64::from(kind) << 32 | u64::from(to - from));
        for chunk in bytes[from as usize..to as usize].chunks(8) {
            let word = chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
            digest = mix(digest, word);
        }
        expected.push((mix(digest, 0) >> 56) as u8);
    }
    assert_eq!(section(grammar.container().buffer(), 33).0, expected);
}

#[test]
fn the_expressions() {
    let (vocabulary, _) = small_pair();
    let (records, size) = section(vocabulary.container().buffer(), 26);
    assert_eq!((records.len(), size), (40, 20));
    let record = |at| [0usize, 4, 8, 12, 16].map(|field| u32_at(records, at + field));
    assert_eq!([record(0), record(20)], [[1, 0, 0, 9, 1], [1, 2, 0, 0, 0]]);
}

#[test]
fn the_trie_of_the_example() {
    let token = |bytes: &str| (bytes.as_bytes().to_vec(), grammarc_artifacts::TokenKind::Text);
    let tokens = [token("a"), token("b"), token("ab"), token("a")];
    let trie = grammarc_artifacts::TrieData::build(&tokens).expect("a trie");
    assert_eq!(trie.byte, [0, b'a', b'b', b'b']);
    assert_eq!(trie.end, [4, 3, 3, 4]);
    assert_eq!(trie.rank, [0, 0, 2, 3, 4]);
    assert_eq!(trie.token_of_rank, [0, 3, 2, 1]);
}

#[test]
fn the_meta_section_of_a_vocabulary() {
    let (vocabulary, _) = small_pair();
    let expected = vocabulary.meta();
    let (meta, _) = section(vocabulary.container().buffer(), 1);
    let root = meta.len() - 48;
    assert_eq!(string(meta, root), expected.name);
    assert_eq!(string(meta, root + 8), expected.source);
    assert_eq!(string(meta, root + 16), expected.compiler);
    assert_eq!(pairs(meta, root + 24), expected.properties);
    assert_eq!(strings(meta, root + 32), expected.warnings);
    assert_eq!(strings(meta, root + 40), expected.rule_names);
}

#[test]
fn the_meta_section_of_a_grammar() {
    let vocabulary = open_vocabulary(&small_vocabulary());
    let mut data = small_grammar(&vocabulary);
    // Lengths on both sides of where the layout of a string and of its length change.
    data.meta.options = [0, 1, 7, 8, 9, 63, 64, 65, 255, 256, 5000]
        .map(|length| ("k".repeat(length), "ü".repeat(length)))
        .to_vec();
    let grammar = open_grammar(&data, &vocabulary);
    let expected = grammar.meta();
    assert_eq!(expected, &data.meta);
    let (meta, _) = section(grammar.container().buffer(), 1);
    let root = meta.len() - 128;
    assert_eq!(string(meta, root), expected.source_name);
    assert_eq!(string(meta, root + 8), expected.source_kind);
    assert_eq!(meta[root + 16..root + 48], expected.source_hash);
    assert_eq!(string(meta, root + 48), expected.compiler);
    assert_eq!(string(meta, root + 56), expected.vocabulary_name);
    assert_eq!(pairs(meta, root + 64), expected.options);
    let report = list(meta, root + 72, 32);
    assert_eq!(report.len(), expected.report.entries().len());
    let pointers: Vec<String> = texts(meta, report.iter().copied()).collect();
    for ((at, pointer), entry) in report.into_iter().zip(pointers).zip(expected.report.entries()) {
        assert_eq!(pointer, entry.pointer);
        assert_eq!(string(meta, at + 12), entry.keyword);
        assert_eq!(meta[at + 20], entry.verdict as u8);
        assert_eq!(string(meta, at + 24), entry.reason);
    }
    let statistics: Vec<(String, u64)> = list(meta, root + 80, 16)
        .into_iter()
        .map(|at| (string(meta, at), u64_at(meta, at + 8)))
        .collect();
    assert_eq!(statistics, expected.statistics);
    assert_eq!(u32_at(meta, root + 88), expected.work.longest_chain);
    assert_eq!(strings(meta, root + 92), expected.work.chain_rules);
    assert_eq!(u32_at(meta, root + 100), expected.work.most_configurations);
    assert_eq!(strings(meta, root + 104), expected.work.configuration_rules);
    assert_eq!(u64_at(meta, root + 112), expected.work.state_bytes);
    let names = list(meta, root + 120, 12);
    assert_eq!(texts(meta, names.into_iter()).collect::<Vec<_>>(), expected.rule_names);
}

#[test]
fn the_tables_of_a_grammar() {
    let (vocabulary, grammar) = small_pair();
    let file = grammar.container().buffer();
    let (tables, _) = section(file, 64);
    let totals = vocabulary.tables().totals();
    let bases = [totals.rules, totals.states, totals.masks, totals.rows, totals.classes, 16];
    assert!(bases.iter().enumerate().all(|(i, &base)| u32_at(tables, i * 4) == base));
    assert_eq!(u32_at(section(file, 32).0, 0), grammar.start_rule());
    // State 1 of the grammar has no byte edge and two call edges, and returns to state 2.
    let (states, _) = section(file, 66);
    let edges = |state: usize, field: usize| {
        u32_at(states, state * 32 + field)..u32_at(states, (state + 1) * 32 + field)
    };
    assert_eq!((edges(1, 0).len(), edges(1, 4).len()), (0, 2));
    let (calls, _) = section(file, 68);
    assert_eq!(u32_at(calls, edges(1, 4).start as usize * 12 + 4), totals.states + 2);
    assert_eq!(u32_at(states, 3 * 32 + 28) & 3, 3, "state 3 is final and pop-only");
}
