//! Attributes of rules. Some restrict the texts of a rule; the others are instructions to the host.

use super::ast::{Attribute, Definition, Node, NodeKind, Value};
use super::codes;
use grammarc_grammar::diagnostics::Diagnostic;

/// The attributes of a rule that change which texts it accepts.
#[derive(Debug, Default)]
pub(super) struct Attributes<'a> {
    /// Whether the rule has the attribute `lazy`, by which it ends at its shortest match.
    pub(super) lazy: bool,
    /// The marker that ends the rule, which stays part of the text.
    pub(super) suffix: Option<&'a Node>,
    /// The marker that ends the rule. It stays in the text too, and the host may remove it.
    pub(super) stop: Option<&'a Node>,
    /// Whether the rule accepts only the empty string, because of `max_tokens=0`.
    pub(super) is_empty: bool,
    /// The most characters of a text of the rule, inclusive. `None` if unlimited.
    pub(super) max_chars: Option<u32>,
    /// Whether the rule is one terminal, if its body can be. Set by `max_tokens` above zero and
    /// `temperature`.
    pub(super) is_unit: bool,
}

/// Returns the text of a string node. `None` if the node is another part, or a string that ignores
/// case.
pub(super) fn literal(node: &Node) -> Option<&str> {
    match &node.kind {
        NodeKind::Literal { text, insensitive: false } => Some(text),
        _ => None,
    }
}

/// Reads the attributes of a rule. Attributes that change no text become notes in `findings`. An
/// unknown attribute, a repeated one or a bad value is an error.
pub(super) fn read<'a>(
    rule: &'a Definition,
    findings: &mut Vec<Diagnostic>,
) -> Result<Attributes<'a>, Box<Diagnostic>> {
    let mut read = Attributes::default();
    let mut stop_capture = None;
    for (at, attribute) in rule.attributes.iter().enumerate() {
        let Attribute { name, value, span } = attribute;
        let wrong = |text: String, help: &str| {
            let finding =
                Diagnostic::error(codes::BAD_ATTRIBUTE, text).with_label(span.clone(), "");
            Box::new(finding.with_help(help))
        };
        if rule.attributes[..at].iter().any(|before| before.name == *name) {
            return Err(wrong(format!("`{name}` is given twice"), "leave one of them out"));
        }
        let count = |most: u32| match value {
            Some(Value::Number(text)) => text.parse::<u32>().ok().filter(|count| *count <= most),
            _ => None,
        };
        let text = match value {
            Some(Value::Node(node)) => literal(node),
            _ => None,
        };
        let marker = match value {
            Some(Value::Node(node)) => Some(node),
            _ => None,
        };
        let mut for_the_host = |what: String, help: &str| {
            let note = Diagnostic::note(codes::FOR_THE_HOST, what).with_label(span.clone(), "");
            findings.push(note.with_help(help));
        };
        match name.as_str() {
            "lazy" if value.is_none() => read.lazy = true,
            "suffix" if marker.is_some() => read.suffix = marker,
            "stop" if marker.is_some() => read.stop = marker,
            "capture" if value.is_none() || text.is_some_and(|text| !text.is_empty()) => {
                for_the_host(
                    format!(
                        "`capture` changes no text: the host finds the part of `{}`",
                        rule.name
                    ),
                    "take the part out of the text with the grammar's own markers around it",
                );
            }
            "stop_capture" if text.is_some_and(|text| !text.is_empty()) => {
                stop_capture = Some(span)
            }
            "max_tokens" => match count(u32::MAX) {
                Some(0) => read.is_empty = true,
                Some(count) => {
                    read.is_unit = true;
                    for_the_host(
                        format!(
                            "`max_tokens` changes no text: the host ends `{}` after {count} tokens",
                            rule.name
                        ),
                        "for a limit in the grammar, bound the repetition, as in `/(.|\\n){0,1000}/`, or give `max_chars`",
                    );
                }
                None => {
                    return Err(wrong(
                        "`max_tokens` takes a whole number".to_owned(),
                        "as in `max_tokens=50`",
                    ));
                }
            },
            "temperature" => match value {
                Some(Value::Number(text))
                    if text.parse().is_ok_and(|t: f32| t.is_finite() && t >= 0.0) =>
                {
                    read.is_unit = true;
                    for_the_host(
                        format!(
                            "`temperature` changes no text: the host samples `{}` at {text}",
                            rule.name
                        ),
                        "leave it out where the host has one temperature for all",
                    );
                }
                _ => {
                    return Err(wrong(
                        "`temperature` takes a number from 0 on".to_owned(),
                        "as in `temperature=0.7`",
                    ));
                }
            },
            "max_chars" => match count(u32::MAX - 1) {
                Some(count) => read.max_chars = Some(count),
                None => {
                    return Err(wrong(
                        "`max_chars` takes a whole number".to_owned(),
                        "as in `max_chars=200`",
                    ));
                }
            },
            "lazy" | "suffix" | "stop" | "capture" | "stop_capture" => {
                let text = format!("the value of `{name}` is of another kind");
                let help = "`lazy` takes none, `capture` and `stop_capture` a string that is not empty, `suffix` and `stop` a terminal";
                return Err(wrong(text, help));
            }
            _ => {
                let help = "there are lazy, suffix, stop, stop_capture, capture, max_tokens, max_chars and temperature";
                return Err(wrong(format!("there is no attribute `{name}`"), help));
            }
        }
    }
    if let (Some(_), Some(_)) = (read.suffix, read.stop) {
        let text = "`suffix` and `stop` cannot be used together";
        let finding =
            Diagnostic::error(codes::BAD_ATTRIBUTE, text).with_label(rule.span.clone(), "");
        return Err(Box::new(finding.with_help("`suffix` keeps what ends the rule in the text")));
    }
    if let Some(span) = stop_capture
        && read.suffix.or(read.stop).is_none()
    {
        let finding =
            Diagnostic::error(codes::BAD_ATTRIBUTE, "`stop_capture` needs `stop` or `suffix`");
        return Err(Box::new(
            finding.with_label(span.clone(), "").with_help("leave it out, or add one"),
        ));
    }
    Ok(read)
}
