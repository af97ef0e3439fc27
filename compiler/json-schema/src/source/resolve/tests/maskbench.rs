//! MaskBench: every reference in real schemas leads somewhere.

use grammarc_test_data::{data, files};

use super::outcome;
use crate::source::resources::Resources;

#[test]
#[expect(clippy::print_stderr, reason = "figures, and a skipped test says so")]
fn real_references_lead_somewhere() {
    let Some(folder) = data("maskbench") else {
        eprintln!("SKIPPED: no MaskBench data; set GRAMMARC_DATA");
        return;
    };
    let cases = files(&folder);
    // All schemas with `GRAMMARC_ALL`, and a tenth of them without it.
    let step = if std::env::var_os("GRAMMARC_ALL").is_some() { 1 } else { 11 };
    let (mut failed, mut warned) = (Vec::new(), Vec::new());
    for (path, case) in cases.iter().step_by(step) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        match outcome(&case["schema"].to_string(), &Resources::default()) {
            Ok(outcome) if outcome.warnings.is_empty() => {}
            Ok(outcome) => warned.push(format!("{name} {:?}", outcome.warnings)),
            Err(errors) => failed.extend(
                errors
                    .iter()
                    .filter(|error| {
                        error.code.contains("reference") || error.code.contains("identifier")
                    })
                    .map(|error| format!("{name} {} {error}", error.code)),
            ),
        }
    }
    eprintln!(
        "MaskBench: {} schemas, one in {step}; reference errors {failed:#?}, warnings {warned:#?}",
        cases.len()
    );
    assert!(failed.is_empty());
}
