//! Instances that are given as valid are accepted and those that are not are refused, by the masks, in their real tokens.
//!
//! A wrong verdict is one that no keyword's entry in the report admits: something invalid accepted where a keyword is
//! approximate, or something valid refused where one is narrower, is counted apart.

use grammarc_benches::inputs::{sized, spread};

use crate::fixture;

#[test]
#[expect(clippy::print_stderr, reason = "figures")]
fn instances_are_judged_as_given() {
    let Some(fixture) = fixture() else { return };
    let (mut schemas, mut valid, mut invalid, mut tokens) = (0, 0, 0, 0);
    let (mut admitted, mut wrong) = (Vec::new(), Vec::new());
    let count = sized(100, fixture.cases.len());
    for case in spread(&fixture.cases, count).take(count) {
        let judged = fixture.judge.judge(case);
        let Some(report) = judged.report else { continue };
        schemas += 1;
        for (at, result) in judged.tests.iter().enumerate() {
            *(if result.valid { &mut valid } else { &mut invalid }) += 1;
            tokens += result.tokens;
            if result.accepted == result.valid && result.error.is_none() {
                continue;
            }
            let verdict = if result.valid { "narrower" } else { "approximate" };
            let known = report.inexact.iter().any(|keyword| keyword.verdict == verdict);
            let list = if known { &mut admitted } else { &mut wrong };
            list.push(format!("{}#{at}: {}", case.id, case.tests[at].data));
        }
    }
    eprintln!(
        "{schemas} of {count} schemas, {valid} valid and {invalid} invalid instances, {tokens} tokens, {} wrong, {} \
         admitted by the report",
        wrong.len(),
        admitted.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(valid > 0 && invalid > 0 && schemas * 100 >= count * 98);
    assert!(admitted.len() * 100 <= valid + invalid, "{}", admitted.join("\n"));
}
