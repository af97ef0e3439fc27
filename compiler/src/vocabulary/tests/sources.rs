//! x
use super::*;
#[test]
fn probe() {
    for name in ["llama2","llama3_1","qwen3","gptoss","gemma3"] {
        if let Some(f) = real(name) {
        let t = std::time::Instant::now();
        let table = import(f.to_str().unwrap(), &VocabularyOptions::new()).unwrap();
        use std::io::Write as _;
        writeln!(std::io::stderr(), "{name} {:?} {} ids width {} ends {:?}", t.elapsed(), table.tokens.len(), table.logit_width, table.end_tokens);
        for f in &table.findings { writeln!(std::io::stderr(), "   {f}"); }
        }
    }
    for name in super::super::built_in_names() {
        let t = std::time::Instant::now();
        let table = import(name, &VocabularyOptions::new()).unwrap();
        use std::io::Write as _;
        writeln!(std::io::stderr(), "{name} {:?} {} ids width {} ends {:?}", t.elapsed(), table.tokens.len(), table.logit_width, table.end_tokens);
        for f in &table.findings { writeln!(std::io::stderr(), "   {f}"); }
    }
}
