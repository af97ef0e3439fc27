//! A schema and an instance, one line of JSON each: our verdict against that of the `jsonschema` crate.

use grammarc_compiler::diagnostics::report::Verdict;
use grammarc_compiler::frontend::json_schema::{JsonSchemaOptions, KeyOrder, TextForm};
use grammarc_tests::schemas::layouts::{self, Layout};
use grammarc_tests::schemas::{Refusal, compile};
use serde_json::Value;

/// Compares the verdicts on an instance, the second line, by a schema, the first line.
///
/// # Panics
///
/// If the verdicts differ, and the report does not announce this.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Some((schema, instance)) = text.split_once('\n') else { return };
    let Ok(instance) = serde_json::from_str::<Value>(instance) else { return };
    let Ok(parsed) = serde_json::from_str::<Value>(schema) else { return };
    // Other drafts, other documents and formats are tested against other validators.
    let foreign = ["$schema", "$id", "id", "format", "$vocabulary", "$ref\":\"h", "content"];
    if foreign.iter().any(|word| schema.contains(word))
        || has_long_number(&parsed)
        || has_long_number(&instance)
    {
        return;
    }
    let Ok(validator) = jsonschema::draft202012::new(&parsed) else { return };
    let (text, key_order) = (TextForm::WIDE, KeyOrder::Any);
    let options = JsonSchemaOptions { text, key_order, ..JsonSchemaOptions::default() };
    let compiled = match compile(schema, &options) {
        Ok(compiled) => Some(compiled),
        Err(Refusal::Unsatisfiable) => None,
        Err(_) => return,
    };
    let valid = validator.is_valid(&instance);
    let text = layouts::text(&instance, Layout::Separated(",", ":"), &str::to_owned);
    let accepted = compiled.as_ref().is_some_and(|compiled| compiled.accepts(&text));
    let verdict = if valid { Verdict::Narrower } else { Verdict::Approximate };
    let admitted = compiled.as_ref().is_some_and(|compiled| compiled.has(verdict));
    assert!(
        accepted == valid || admitted,
        "{instance} is {valid} by {schema}, and accepted: {accepted}"
    );
}

/// Whether some number has more digits than arithmetic on binary fractions keeps.
fn has_long_number(value: &Value) -> bool {
    let mut open = vec![value];
    while let Some(next) = open.pop() {
        match next {
            Value::Number(number) => {
                let text = number.to_string();
                if text.len() > 9 || text.contains(['e', 'E']) {
                    return true;
                }
            }
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values()),
            _ => {}
        }
    }
    false
}
