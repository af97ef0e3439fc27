//! Scratch.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]
use grammarc_artifacts::{GrammarArtifact, VocabularyArtifact};
use grammarc_compiler::ir::{Expr, Grammar, Origin, Rule, RuleId};
use grammarc_compiler::{
    compile::{CompileOptions, Compiler, build_vocabulary},
    diagnostics::Source,
    frontend::gbnf,
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
    let shared = Grammar {
        rules: vec![Rule {
            name: "x".into(),
            expr: Expr::Empty,
            origin: Origin::default(),
            keep: false,
        }],
        start: RuleId::new(0),
    };
    let data = build_vocabulary(&table, &args[1], &shared).unwrap();
    println!("build {:?}", t.elapsed());
    let buffer = data.to_bytes().unwrap();
    println!("bytes {}", buffer.len());
    let t = Instant::now();
    let vocab = VocabularyArtifact::from_buffer(buffer).unwrap();
    println!("open vocab {:?} nodes {}", t.elapsed(), vocab.trie().len());
    let text = std::fs::read_to_string(&args[2]).unwrap();
    let lowered =
        gbnf::lower(Source::new(args[2].as_str(), text.as_str()), &gbnf::GbnfOptions::default())
            .unwrap();
    let compiler = Compiler::new(vocab.clone());
    for _ in 0..3 {
        let t = Instant::now();
        let compiled = compiler.compile(&lowered, "gbnf", &CompileOptions::default()).unwrap();
        println!("compile {:?}", t.elapsed());
        let t = Instant::now();
        let buffer = compiled.to_buffer(&compiler).unwrap();
        println!("emit {:?} {} bytes", t.elapsed(), buffer.len());
        let t = Instant::now();
        let artifact = GrammarArtifact::from_buffer(buffer, &vocab).unwrap();
        println!(
            "open {:?} {:?} {:?}",
            t.elapsed(),
            artifact.meta().statistics,
            artifact.meta().work
        );
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
