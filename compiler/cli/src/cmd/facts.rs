//! Facts about an artifact as data. `inspect` shows them, and `compile` ends with them.

use grammarc_artifacts::dump::{Content, Inspection, TableCounts};
use grammarc_artifacts::{GrammarMeta, ReportEntry, Verdict, VocabularyMeta, WorkBound};
use serde::{Serialize, Serializer};

/// The facts about one artifact.
#[derive(Debug, Serialize)]
pub(crate) struct Facts {
    /// Version of the file format, `major.minor`.
    pub(crate) format: String,
    /// Length of the file in bytes.
    pub(crate) bytes: u64,
    pub(crate) checksum: String,
    /// Fingerprint of the vocabulary's tokens, in hexadecimal.
    pub(crate) fingerprint: String,
    /// Digest of the vocabulary's shared rules, in hexadecimal.
    pub(crate) shared_digest: String,
    /// The facts that only this kind of artifact (grammar or vocabulary) has.
    #[serde(flatten)]
    pub(crate) content: ContentFacts,
    pub(crate) tables: TableFacts,
    pub(crate) sections: Vec<SectionFacts>,
}

/// The facts that one kind of artifact has and the other kind does not have.
#[derive(Debug, Serialize)]
#[serde(tag = "artifact", rename_all = "lowercase")]
pub(crate) enum ContentFacts {
    /// Facts that only a grammar artifact has.
    Grammar(Box<GrammarFacts>),
    /// Facts that only a vocabulary artifact has.
    Vocabulary(VocabularyFacts),
}

/// Facts that only a grammar artifact has.
#[derive(Debug, Serialize)]
pub(crate) struct GrammarFacts {
    pub(crate) source: SourceFacts,
    pub(crate) vocabulary: String,
    pub(crate) compiler: String,
    pub(crate) options: Pairs<String>,
    pub(crate) report: ReportFacts,
    pub(crate) bound: BoundFacts,
    pub(crate) statistics: Pairs<u64>,
    pub(crate) rule_names: Vec<String>,
    /// Number of strings in packed string sets: rules that store a large set of strings as an
    /// acyclic automaton.
    #[serde(skip)]
    pub(crate) packed_texts: u64,
}

/// The source that a grammar was compiled from.
#[derive(Debug, Serialize)]
pub(crate) struct SourceFacts {
    pub(crate) name: String,
    pub(crate) kind: String,
    /// blake3 hash of the source text, in hexadecimal.
    pub(crate) hash: String,
}

/// The exactness report: for each verdict, the number of keywords with it, and the verdict on each
/// keyword.
#[derive(Debug, Serialize)]
pub(crate) struct ReportFacts {
    pub(crate) exact: usize,
    pub(crate) annotation: usize,
    pub(crate) approximate: usize,
    /// Number of keywords for which the grammar accepts fewer texts than the keyword allows.
    pub(crate) narrower: usize,
    pub(crate) keywords: Vec<KeywordFacts>,
}

/// The verdict of the exactness report on one keyword of the source.
#[derive(Debug, Serialize)]
pub(crate) struct KeywordFacts {
    pub(crate) pointer: String,
    pub(crate) keyword: String,
    pub(crate) verdict: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) reason: String,
}

/// Bounds on the work of one decoding step. A quantity that grows with the output has no bound:
/// `None`.
#[derive(Debug, Serialize)]
pub(crate) struct BoundFacts {
    pub(crate) longest_chain: Option<u32>,
    pub(crate) chain_rules: Vec<String>,
    pub(crate) most_configurations: Option<u32>,
    pub(crate) configuration_rules: Vec<String>,
    /// Bytes that the state of a sequence takes at nesting depth zero.
    pub(crate) state_bytes: u64,
    /// Whether array items must differ from earlier items. If so, a sequence stores its text, and
    /// computing a mask searches that text.
    pub(crate) remembers_items: bool,
}

/// Facts that only a vocabulary artifact has.
#[derive(Debug, Serialize)]
pub(crate) struct VocabularyFacts {
    pub(crate) name: String,
    pub(crate) source: String,
    pub(crate) compiler: String,
    pub(crate) tokens: u32,
    pub(crate) special: u32,
    pub(crate) logit_width: u32,
    pub(crate) trie_nodes: u32,
    pub(crate) properties: Pairs<String>,
    pub(crate) warnings: Vec<String>,
    pub(crate) shared_rules: Vec<String>,
}

/// Number of entries in each of the artifact's own tables. Tables of the vocabulary's shared rules
/// do not count.
#[derive(Debug, Serialize)]
pub(crate) struct TableFacts {
    pub(crate) rules: u32,
    pub(crate) states: u32,
    pub(crate) byte_edges: u32,
    pub(crate) call_edges: u32,
    pub(crate) tail_calls: u32,
    pub(crate) token_edges: u32,
    pub(crate) masks: MaskFacts,
    pub(crate) exit_classes: u32,
    pub(crate) exit_class_nodes: u32,
    pub(crate) follow_entries: u32,
}

/// Counts of the entries in the artifact's tables of stored masks.
#[derive(Debug, Serialize)]
pub(crate) struct MaskFacts {
    /// Number of masks that refer to a dense row (one bit for each token).
    pub(crate) dense: u32,
    /// Number of masks that are stored as a list of token ids only.
    pub(crate) sparse: u32,
    /// Number of dense rows (one bit for each token).
    pub(crate) rows: u32,
    /// Total number of token ids in all lists.
    pub(crate) listed_tokens: u32,
}

/// Facts about one section of the artifact's file.
#[derive(Debug, Serialize)]
pub(crate) struct SectionFacts {
    pub(crate) kind: u32,
    pub(crate) name: &'static str,
    pub(crate) records: u64,
    pub(crate) bytes: u64,
}

/// Pairs of a key and a value. Serialized as a map that keeps their order.
#[derive(Debug)]
pub(crate) struct Pairs<T>(pub(crate) Vec<(String, T)>);

impl<T: Serialize> Serialize for Pairs<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// Returns a digest in hexadecimal, two lower-case digits for each byte.
pub(crate) fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Facts {
    /// Collects the facts from the inspection of an artifact.
    pub(crate) fn new(inspection: Inspection) -> Self {
        let Inspection { header, sections, tables, content } = inspection;
        let sections = sections.into_iter().map(|section| SectionFacts {
            kind: section.kind,
            name: section.name,
            records: section.records,
            bytes: section.bytes,
        });
        Self {
            format: format!("{}.{}", header.version.0, header.version.1),
            bytes: header.total_length,
            checksum: hex(&header.checksum),
            fingerprint: hex(&header.fingerprint),
            shared_digest: hex(&header.shared_digest),
            tables: table_facts(tables),
            sections: sections.collect(),
            content: match content {
                Content::Grammar { meta, .. } => {
                    ContentFacts::Grammar(Box::new(grammar_facts(meta)))
                }
                Content::Vocabulary {
                    meta,
                    token_count,
                    logit_width,
                    trie_nodes,
                    special_tokens,
                } => {
                    let VocabularyMeta { name, source, compiler, properties, warnings, rule_names } =
                        meta;
                    ContentFacts::Vocabulary(VocabularyFacts {
                        name,
                        source,
                        compiler,
                        tokens: token_count,
                        special: special_tokens,
                        logit_width,
                        trie_nodes,
                        properties: Pairs(properties),
                        warnings,
                        shared_rules: rule_names,
                    })
                }
            },
        }
    }
}

fn grammar_facts(meta: GrammarMeta) -> GrammarFacts {
    let report = ReportFacts {
        exact: meta.report.count(Verdict::Exact),
        annotation: meta.report.count(Verdict::Annotation),
        narrower: meta.report.count(Verdict::Narrower),
        approximate: meta.report.count(Verdict::Approximate),
        keywords: meta.report.entries().map(keyword_facts).collect(),
    };
    let remembers_items = meta.statistics.iter().any(|(name, _)| name == "distinct rules");
    let packed_texts = meta.statistics.iter().find(|(name, _)| name == "packed texts");
    let packed_texts = packed_texts.map_or(0, |(_, count)| *count);
    let bounded = |number: u32| (number != WorkBound::UNBOUNDED).then_some(number);
    GrammarFacts {
        source: SourceFacts {
            name: meta.source_name,
            kind: meta.source_kind,
            hash: hex(&meta.source_hash),
        },
        vocabulary: meta.vocabulary_name,
        compiler: meta.compiler,
        options: Pairs(meta.options),
        report,
        bound: BoundFacts {
            longest_chain: bounded(meta.work.longest_chain),
            chain_rules: meta.work.chain_rules,
            most_configurations: bounded(meta.work.most_configurations),
            configuration_rules: meta.work.configuration_rules,
            state_bytes: meta.work.state_bytes,
            remembers_items,
        },
        statistics: Pairs(meta.statistics),
        rule_names: meta.rule_names,
        packed_texts,
    }
}

fn keyword_facts(entry: ReportEntry<'_>) -> KeywordFacts {
    KeywordFacts {
        pointer: entry.pointer.to_owned(),
        keyword: entry.keyword.to_owned(),
        verdict: entry.verdict.name(),
        reason: entry.reason.to_owned(),
    }
}

fn table_facts(counts: TableCounts) -> TableFacts {
    TableFacts {
        rules: counts.rules,
        states: counts.states,
        byte_edges: counts.byte_edges,
        call_edges: counts.call_edges,
        tail_calls: counts.tail_calls,
        token_edges: counts.token_edges,
        masks: MaskFacts {
            dense: counts.dense_masks,
            sparse: counts.sparse_masks,
            rows: counts.rows,
            listed_tokens: counts.listed_tokens,
        },
        exit_classes: counts.classes,
        exit_class_nodes: counts.class_nodes,
        follow_entries: counts.follows,
    }
}
