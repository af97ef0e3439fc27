#![allow(clippy::print_stdout, missing_docs)]
//! scratch
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::json_schema::{JsonSchemaOptions, KeyOrder, lower};
use grammarc_compiler::ir::recognize::accepted_prefixes;
fn main() {
    let mut args = std::env::args().skip(1);
    let any = std::env::var_os("ANY").is_some();
    let options = JsonSchemaOptions {
        key_order: if any { KeyOrder::Any } else { KeyOrder::Schema },
        ..Default::default()
    };
    while let Some(path) = args.next() {
        let case: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let t = std::time::Instant::now();
        let schema = if case["schema"].is_null() { &case } else { &case["schema"] };
        match lower(Source::new("t", schema.to_string()), &options) {
            Err(e) => println!("{path}: ERR {} {:?}", e[0], t.elapsed()),
            Ok(l) => {
                println!(
                    "{path}: {} rules {} nodes {:?}",
                    l.grammar.rules.len(),
                    l.grammar.rules.iter().map(|r| r.expr.size()).sum::<usize>(),
                    t.elapsed()
                );
                if std::env::var_os("SHOW").is_some() {
                    println!("{}", l.grammar);
                }
                for f in &l.findings {
                    println!("  note {f}");
                }
                for e in &l.report.entries {
                    if e.verdict.to_string() == "approximate" || e.verdict.to_string() == "narrower"
                    {
                        println!("  {} {} {}", e.pointer, e.verdict, e.reason);
                    }
                }
                for (i, t) in case["tests"].as_array().into_iter().flatten().enumerate() {
                    let text = t["data"].to_string();
                    let p = accepted_prefixes(&l.grammar, text.as_bytes());
                    let ok = p.contains(&text.len());
                    if ok != (t["valid"] == true) {
                        println!(
                            "  WRONG #{i} valid={} {} :: {}",
                            t["valid"],
                            t["description"],
                            &text[..text.len().min(1500)]
                        );
                    }
                }
            }
        }
    }
}
