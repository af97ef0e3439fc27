//! Scratch.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]
use grammarc_artifacts::{GrammarArtifact, VocabularyArtifact};
use grammarc_compiler::{
    compile::{CompileOptions, Compiler, build_vocabulary},
    diagnostics::Source,
    frontend::{gbnf, json_schema},
    vocabulary,
};
use grammarc_runtime::{Grammar as RGrammar, Matcher};
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let t = Instant::now();
    let table = vocabulary::import(&args[1], &vocabulary::VocabularyOptions::new()).unwrap();
    println!("import {:?}", t.elapsed());
    let t = Instant::now();
    let shared = json_schema::prelude_grammar(json_schema::TextForm::default());
    let data = build_vocabulary(&table, &args[1], &shared).unwrap();
    println!("build {:?}", t.elapsed());
    let tb = &data.tables;
    println!(
        "rules {} states {} masks {} rows {} lists {} classes {} nodes {} follows {}",
        tb.rules.len(),
        tb.states.len(),
        tb.masks.len(),
        tb.rows.len() / tb.row_words as usize,
        tb.lists.len(),
        tb.classes.len(),
        tb.class_nodes.len(),
        tb.follows.len()
    );
    let buffer = data.to_bytes().unwrap();
    println!("bytes {}", buffer.len());
    let t = Instant::now();
    let vocab = VocabularyArtifact::from_buffer(buffer).unwrap();
    println!("open vocab {:?} nodes {}", t.elapsed(), vocab.trie().len());
    let compiler = Compiler::new(vocab.clone());
    for path in &args[2..] {
        let text = std::fs::read_to_string(path).unwrap();
        println!("== {path}");
        for round in 0..3 {
            let t = Instant::now();
            let source = Source::new(path.as_str(), text.as_str());
            let lowered = if path.ends_with(".json") {
                json_schema::lower(source, &json_schema::JsonSchemaOptions::default()).unwrap()
            } else {
                gbnf::lower(source, &gbnf::GbnfOptions::default()).unwrap()
            };
            let lo = t.elapsed();
            let t = Instant::now();
            let _network = compiler.network(&lowered.grammar, Default::default()).unwrap();
            let net = t.elapsed();
            let t = Instant::now();
            let compiled = compiler.compile(&lowered, "gbnf", &CompileOptions::default()).unwrap();
            let c = t.elapsed();
            let t = Instant::now();
            let buffer = compiled.to_buffer(&compiler).unwrap();
            let e = t.elapsed();
            let len = buffer.len();
            let t = Instant::now();
            let artifact = GrammarArtifact::from_buffer(buffer, &vocab).unwrap();
            println!(
                "lower {lo:?} network {net:?} compile {c:?} emit {e:?} open {:?} bytes {len}",
                t.elapsed()
            );
            if round == 0 {
                println!("{:?} {:?}", artifact.meta().statistics, artifact.meta().work);
            }
            if round < 2 {
                continue;
            }
            let grammar = RGrammar::from_artifact(artifact);
            let mut m = Matcher::new(&grammar);
            let mut seed = 12345u64;
            let mut out = Vec::new();
            for _ in 0..40 {
                let mask = m.mask();
                let n = mask.len();
                if n == 0 {
                    println!("EMPTY");
                    break;
                }
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let k = (seed >> 33) as usize % n;
                let tok = mask.iter().nth(k).unwrap();
                m.accept(tok).unwrap();
                out.extend_from_slice(vocab.token_bytes(tok));
                if m.is_finished() {
                    break;
                }
            }
            println!("{}", String::from_utf8_lossy(&out));
        }
    }
}
