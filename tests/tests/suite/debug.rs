use grammarc_compiler::compile::Compiler;
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::gbnf::{GbnfOptions, lower};
use grammarc_compiler::network::NetworkLimits;
use grammarc_tests::oracle::Token;

#[test]
fn debug() {
    let source = std::env::var("G").unwrap();
    let tokens: Vec<Token> = std::env::var("T")
        .unwrap()
        .split(' ')
        .map(|t| Token::Text(t.as_bytes().to_vec()))
        .collect();
    let lowered = lower(Source::new("t", source), &GbnfOptions::default()).unwrap();
    let case = grammarc_tests::case::Case {
        tokens,
        end_tokens: vec![],
        rules: lowered.grammar.rules.iter().map(|r| r.expr.clone()).collect(),
        kept: 0,
        shared: false,
    };
    eprintln!("{}", lowered.grammar);
    let mut case = case;
    let start = lowered.grammar.start.index();
    assert_eq!(start, case.rules.len() - 1);
    let _ = &mut case;
    let v = case.vocabulary().unwrap();
    let c = Compiler::new(v);
    let n = c.network(&case.grammar(), NetworkLimits::default()).unwrap();
    eprintln!("{n}");
    let g = case.compile();
    if let Ok(g) = &g {
        let t = g.artifact().tables();
        for (i, s) in t.states.iter().enumerate() {
            eprintln!(
                "{i}: flags {:b} base {} exits {} count_exit {}",
                s.flags, s.base, s.exits, s.count_exit
            );
        }
    }
    let e = grammarc_tests::compare::Effort { positions: 100, walks: 10, steps: 20 };
    eprintln!("{:?}", grammarc_tests::compare::compare(&case, e, 1));
}
