//! Schemas of MaskBench, lowered for three targets: nothing that a target refuses is left, and witnesses are instances.

#![expect(clippy::print_stderr, reason = "says aloud what is skipped and how schemas fare")]

use grammarc_grammar::diagnostics::Source;
use grammarc_portable::{LowerError, LowerOptions, Severity, check, lower, pack};
use grammarc_test_data::{data, files};
use serde_json::Value;

/// The number of schemas.
const MOST: usize = 200;

#[test]
fn nothing_refused_is_left() {
    let Some(folder) = data("maskbench") else {
        eprintln!("skipped: there is no maskbench");
        return;
    };
    let most =
        std::env::var("GRAMMARC_MASKBENCH").ok().and_then(|text| text.parse().ok()).unwrap_or(MOST);
    let all = files(&folder);
    let step = (all.len() / most).max(1);
    let chosen: Vec<_> = all.iter().step_by(step).take(most).collect();
    let mut failures = Vec::new();
    for target in ["openai-strict", "anthropic-strict", "llguidance"] {
        let pack = pack(target).unwrap();
        let mut shares = std::collections::BTreeMap::<&str, usize>::new();
        let (mut kept, mut times) = (0, Vec::new());
        for (path, file) in &chosen {
            let schema = &file["schema"];
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let source = Source::new(name.clone(), schema.to_string());
            let begun = std::time::Instant::now();
            let result = lower(&source, &pack, &LowerOptions::default());
            let took = begun.elapsed();
            times.push(took);
            if std::env::var_os("GRAMMARC_SHOW").is_some() && took.as_millis() > 1000 {
                eprintln!("{target} {name} took {} ms", took.as_millis());
            }
            let lowered = match result {
                Ok(lowered) => lowered,
                Err(LowerError::Source(_)) => {
                    *shares.entry("refused by us").or_default() += 1;
                    continue;
                }
                Err(LowerError::NoInstances) => {
                    *shares.entry("no instances").or_default() += 1;
                    continue;
                }
                Err(LowerError::NothingLeft) => {
                    *shares.entry("nothing left").or_default() += 1;
                    continue;
                }
                Err(LowerError::Stopped(_)) => {
                    *shares.entry("too large or too slow").or_default() += 1;
                    continue;
                }
                Err(LowerError::NoRewriting(findings)) => {
                    let counts = [
                        "depth",
                        "enum-characters",
                        "enum-values",
                        "name-characters",
                        "optional",
                        "properties",
                        "unions",
                    ];
                    let is_limit = findings.iter().all(|finding| counts.contains(&&*finding.rule));
                    *shares
                        .entry(if is_limit { "limit of the target" } else { "failed" })
                        .or_default() += 1;
                    if !is_limit {
                        let rules: Vec<_> =
                            findings.iter().map(|one| (&one.rule, &one.pointer)).collect();
                        failures.push(format!("{target} {name}: {rules:?}"));
                    }
                    continue;
                }
            };
            *shares.entry(lowered.relation).or_default() += 1;
            kept += usize::from(lowered.kept);
            if std::env::var_os("GRAMMARC_SHOW").is_some() && lowered.relation != "equal" {
                eprintln!("{target} {name} {} {:?}", lowered.relation, lowered.undecided);
                for lost in &lowered.lost {
                    eprintln!(
                        "    {} {} {:?} {:?}",
                        lost.pointer, lost.keyword, lost.effect, lost.witness
                    );
                }
            }
            let errors = check(&lowered.schema, &pack)
                .into_iter()
                .filter(|one| one.severity == Severity::Error);
            failures.extend(
                errors.map(|error| format!("{target} {name}: {} at {}", error.rule, error.pointer)),
            );
            failures.extend(judge(target, &name, file, &lowered));
            let again = lower(
                &Source::new("<again>", lowered.text.clone()),
                &pack,
                &LowerOptions::default(),
            );
            if !again.as_ref().is_ok_and(|again| again.text == lowered.text) {
                failures.push(format!("{target} {name}: lowered again, the schema changes"));
            }
        }
        times.sort_unstable();
        let at = |part: usize| times[(times.len() - 1) * part / 100].as_millis();
        eprintln!("{target}: {shares:?}, kept {kept} of {}", chosen.len());
        eprintln!("    p50 {} ms, p90 {} ms, most {} ms", at(50), at(90), at(100));
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// Judges the instances of the file: with a narrower or an equal schema, a valid output is an instance of the source
/// after decoding; with a wider or an equal one, an instance is valid, apart from stand-ins.
fn judge(
    target: &str,
    name: &str,
    file: &Value,
    lowered: &grammarc_portable::Lowered,
) -> Vec<String> {
    let mut failures = Vec::new();
    let validator =
        |schema: &Value| jsonschema::options().should_validate_formats(true).build(schema).ok();
    // Some sources are no schemas of the draft that the validator takes them for.
    if validator(&file["schema"]).is_none() {
        return failures;
    }
    let written = match jsonschema::options().should_validate_formats(true).build(&lowered.schema) {
        Ok(written) => written,
        Err(error) => {
            return vec![format!(
                "{target} {name}: the lowered schema is no schema: {error} at {}",
                error.instance_path()
            )];
        }
    };
    for test in file["tests"].as_array().into_iter().flatten() {
        let (data, is_valid) = (&test["data"], test["valid"] == true);
        let passes = written.is_valid(data);
        let holds = match lowered.relation {
            _ if !lowered.stand_ins.is_empty() => continue,
            "equal" => passes == is_valid,
            "narrower" => is_valid || !passes,
            "wider" => passes || !is_valid,
            _ => true,
        };
        if !holds {
            failures.push(format!("{target} {name}: {} and {data}", lowered.relation));
        }
    }
    failures
}
