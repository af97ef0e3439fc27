//! Reading an artifact through every accessor, as the runtime and the compiler may.

use grammarc_artifacts::{GrammarArtifact, Joined, NONE, Tables, VocabularyArtifact, dump};

/// Reads everything in a vocabulary artifact. Returns a sum, so that nothing is optimised away.
pub(crate) fn vocabulary(artifact: &VocabularyArtifact) -> u64 {
    let mut sum = 0;
    for id in (0..artifact.token_count()).chain([artifact.token_count(), NONE]) {
        let bytes = artifact.token_bytes(id);
        sum += bytes.len() as u64 + artifact.token_kind(id) as u64;
        sum += artifact.lookup(bytes).len() as u64;
        sum += u64::from(artifact.special_token(bytes).unwrap_or(0));
    }
    let trie = artifact.trie();
    for node in 0..trie.len() as u32 {
        sum += trie.children(node).map(u64::from).sum::<u64>();
        for rank in trie.tokens_at(node).chain(trie.tokens_below(node)) {
            sum += u64::from(trie.token_of_rank[rank as usize]);
        }
        sum += u64::from(trie.is_leaf(node));
    }
    sum += artifact.end_tokens().iter().chain(artifact.special_tokens()).count() as u64;
    sum += artifact.usable_tokens().len() as u64 + u64::from(artifact.row_words());
    sum += artifact.name().len() as u64 + artifact.meta().rule_names.len() as u64;
    sum += artifact.expressions().iter().map(|e| u64::from(e.rule)).sum::<u64>();
    let own = artifact.tables();
    sum += tables(&Joined { shared: own, own }, &own, artifact);
    sum + dump::inspect(artifact.container().buffer().clone())
        .map_or(0, |i| i.sections.len() as u64)
}

/// Reads everything in a grammar artifact.
pub(crate) fn grammar(artifact: &GrammarArtifact) -> u64 {
    let joined = artifact.joined();
    let mut sum = u64::from(artifact.start_state()) + u64::from(artifact.start_rule());
    sum += u64::from(joined.state(artifact.start_state()).flags);
    sum += artifact.meta().report.entries().len() as u64 + u64::from(artifact.checksum()[0]);
    sum += tables(&joined, &artifact.tables(), artifact.vocabulary());
    sum + dump::inspect(artifact.container().buffer().clone())
        .map_or(0, |i| i.sections.len() as u64)
}

/// Follows every id in the own tables.
fn tables(joined: &Joined<'_>, own: &Tables<'_>, vocabulary: &VocabularyArtifact) -> u64 {
    let trie = vocabulary.trie();
    let mask = |id: u32| {
        let (tables, record) = joined.mask(id);
        let lists = tables.minus(record).iter().chain(tables.plus(record));
        let row = joined.row(record.row).map_or(0, |row| row[row.len() - 1]);
        lists.map(|&token| u64::from(token)).sum::<u64>() + u64::from(row ^ record.count)
    };
    let class = |id: u32| match id.checked_sub(joined.own.bases.classes) {
        Some(index) => (&joined.own, joined.own.classes[index as usize]),
        None => (&joined.shared, joined.shared.classes[id as usize]),
    };
    let nodes = |id: u32| {
        let (tables, class) = class(id);
        // Of a grammar's class there may be the size alone.
        if class.first == NONE {
            return u64::from(class.len);
        }
        let nodes = &tables.class_nodes[class.first as usize..][..class.len as usize];
        nodes.iter().map(|&node| u64::from(trie.end[node as usize])).sum::<u64>()
    };
    let some = |id: u32, read: &dyn Fn(u32) -> u64| if id == NONE { 0 } else { read(id) };
    let state = |id: u32| u64::from(joined.state(id).flags);
    let mut sum = 0;
    for index in 0..own.state_count() as usize {
        let id = own.bases.states + index as u32;
        let record = joined.state(id);
        sum += mask(record.base) + some(record.exits, &nodes) + some(record.count_exit, &state);
        for edge in own.byte_edges_of(index) {
            sum += state(edge.target) + u64::from(edge.lo()) + u64::from(edge.hi());
        }
        for edge in own.token_edges_of(index) {
            sum += state(edge.target) + mask(edge.tokens);
        }
        for edge in own.call_edges_of(index) {
            sum += state(joined.rule(edge.callee).first_state) + some(edge.ret, &state);
        }
        for entry in own.follows_of(index) {
            sum += nodes(entry.class) + mask(entry.mask) + some(entry.next, &nodes);
        }
    }
    sum + u64::from(own.totals().states) + u64::from(own.row_count())
}
