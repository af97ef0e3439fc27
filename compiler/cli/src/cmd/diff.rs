//! `grammarc diff`: compares two JSON Schemas, or two lists of tools.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use grammarc_build::registry;
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::json_schema::relation::{
    Change, Compared, Reason, Relation, RelationOptions, Side, Which, compare,
};
use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;

use crate::failure::{Failure, Problem};
use crate::input::read_source;
use crate::output::Output;

/// Arguments of `diff`.
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The old JSON Schema, or a list of tools as OpenAI, Anthropic or MCP write it; `-` is standard input
    old: PathBuf,
    /// The new JSON Schema or list of tools
    new: PathBuf,
    /// Which values have to stay valid; without it, both have to allow the same values
    #[arg(long, value_name = "WHAT", value_enum)]
    compatible: Option<Compatible>,
    /// Exit with 0 even if a relation was not decided
    #[arg(long)]
    allow_unknown: bool,
    /// Time limit of each question in seconds; beyond it, the answer is unknown
    #[arg(long, value_name = "SECONDS", default_value_t = 2)]
    time_limit: u64,
    /// Schemas that a JSON Schema refers to by URI, as for `compile`. May be given several times
    #[arg(long, value_name = "[URI=]PATH")]
    registry: Vec<OsString>,
}

/// What a change of a schema has to preserve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Compatible {
    /// What was sent before is still accepted: NEW allows all values of OLD
    Input,
    /// What comes now was allowed before: OLD allows all values of NEW
    Output,
    /// Both: OLD and NEW allow the same values
    Both,
}

impl Compatible {
    /// Whether a relation of OLD to NEW preserves this. `None` if that was not decided.
    fn holds(self, compared: &Compared) -> Option<bool> {
        let is_empty = |side: &Side| match side {
            Side::Empty { .. } => Some(true),
            Side::Witness { .. } => Some(false),
            Side::Unknown(_) => None,
        };
        let (input, output) = (is_empty(&compared.left_only), is_empty(&compared.right_only));
        match self {
            Self::Input => input,
            Self::Output => output,
            Self::Both => match (input, output) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (input, output) => Some(input? && output?),
            },
        }
    }
}

/// The difference of two schemas, or of two versions of a tool.
#[derive(Debug, Serialize)]
pub(crate) struct Difference {
    /// Name of the tool. `None` for schemas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool: Option<String>,
    /// `equal`, `within`, `contains`, `overlapping`, `disjoint`, `unknown`; for a tool also `added`
    /// and `removed`.
    pub(crate) relation: &'static str,
    /// Whether the change preserves what was asked for. `None` if that was not decided.
    pub(crate) compatible: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) left_only: Option<SideValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) right_only: Option<SideValue>,
    pub(crate) changes: Vec<ChangeValue>,
    pub(crate) undecided: Vec<ReasonValue>,
    /// Keywords of both documents that the compiler only approximates. The answer assumes that each means what the
    /// compiler made of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) assuming: Vec<ReasonValue>,
}

/// The values that one schema allows and the other does not.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum SideValue {
    /// There are none. It is proved if no keyword is assumed to be exact.
    Empty { empty: bool, proved: bool },
    /// A shortest one.
    Witness { witness: Value, text: String },
    /// It was not decided whether there are any.
    Unknown { unknown: bool },
}

/// A keyword in which the documents differ.
#[derive(Debug, Serialize)]
pub(crate) struct ChangeValue {
    pub(crate) left: Option<String>,
    pub(crate) right: Option<String>,
    pub(crate) keyword: String,
    pub(crate) effect: &'static str,
}

/// Why a question was not decided, in the form in which it is written.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct ReasonValue {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) side: Option<&'static str>,
    pub(crate) pointer: String,
    pub(crate) reason: String,
}

impl From<&Side> for SideValue {
    fn from(side: &Side) -> Self {
        match side {
            Side::Empty { assuming } => Self::Empty { empty: true, proved: assuming.is_empty() },
            Side::Witness { text } => {
                let witness = serde_json::from_str(text).unwrap_or_default();
                Self::Witness { witness, text: text.clone() }
            }
            Side::Unknown(_) => Self::Unknown { unknown: true },
        }
    }
}

impl From<Change> for ChangeValue {
    fn from(Change { left, right, keyword, effect }: Change) -> Self {
        Self { left, right, keyword, effect: effect.name() }
    }
}

impl From<&Reason> for ReasonValue {
    fn from(Reason { side, pointer, text }: &Reason) -> Self {
        let (pointer, reason) = (pointer.clone(), text.clone());
        Self { side: side.map(Which::name), pointer, reason }
    }
}

impl Difference {
    fn new(tool: Option<String>, compared: Compared, compatible: Compatible) -> Self {
        let [mut undecided, mut assuming] = [Vec::new(), Vec::new()];
        for side in [&compared.left_only, &compared.right_only, &compared.both] {
            let (reasons, list) = match side {
                Side::Unknown(reasons) => (reasons, &mut undecided),
                Side::Empty { assuming: reasons } => (reasons, &mut assuming),
                Side::Witness { .. } => continue,
            };
            for reason in reasons.iter().map(ReasonValue::from) {
                if !list.contains(&reason) {
                    list.push(reason);
                }
            }
        }
        Self {
            tool,
            relation: compared.relation.name(),
            compatible: compatible.holds(&compared),
            left_only: Some(SideValue::from(&compared.left_only)),
            right_only: Some(SideValue::from(&compared.right_only)),
            changes: compared.changes.into_iter().map(ChangeValue::from).collect(),
            undecided,
            assuming,
        }
    }

    /// Returns the difference for a tool that only one list has.
    fn alone(tool: String, relation: &'static str, compatible: bool) -> Self {
        Self {
            tool: Some(tool),
            relation,
            compatible: Some(compatible),
            left_only: None,
            right_only: None,
            changes: Vec::new(),
            undecided: Vec::new(),
            assuming: Vec::new(),
        }
    }
}

/// Compares two schemas or lists of tools. Returns exit code 0 if all is compatible, otherwise 1.
pub(crate) fn run(args: DiffArgs, output: &mut Output) -> Result<u8, Failure> {
    let time = Duration::from_secs(args.time_limit);
    let mut options = RelationOptions { time, ..RelationOptions::default() };
    if !args.registry.is_empty() {
        let read = registry::read(Path::new(""), &args.registry).map_err(Problem::Registry)?;
        options.schemas.resources = read.resources;
    }
    let sources = [read_source(&args.old)?, read_source(&args.new)?];
    let compatible = args.compatible.unwrap_or(Compatible::Both);
    let [old, new] = [0, 1].map(|at| tools(&sources[at]));
    let mut code = 0;
    let mut answer = |difference: Difference| {
        if !difference.compatible.unwrap_or(args.allow_unknown) {
            code = 1;
        }
        output.answer(&difference)
    };
    match (old, new) {
        (Some(old), Some(mut new)) => {
            for (name, schema) in old {
                let difference = match new.shift_remove(&name) {
                    Some(other) => {
                        let sources =
                            [schema, other].map(|schema| Source::new(name.clone(), schema));
                        Difference::new(Some(name), related(sources, &options)?, compatible)
                    }
                    None => Difference::alone(name, "removed", compatible == Compatible::Output),
                };
                answer(difference)?;
            }
            for name in new.into_keys() {
                answer(Difference::alone(name, "added", compatible == Compatible::Input))?;
            }
        }
        (None, None) => answer(Difference::new(None, related(sources, &options)?, compatible))?,
        _ => {
            let problem = "and NEW are of different kinds: a schema, and a list of tools";
            let problem = Problem::Option { option: "OLD", problem: problem.to_owned() };
            return Err(Failure::Tool(problem));
        }
    }
    Ok(code)
}

fn related(sources: [Source; 2], options: &RelationOptions) -> Result<Compared, Failure> {
    let [old, new] = &sources;
    compare(old, new, options).map_err(|refused| {
        let [old, new] = sources.clone();
        let source = if refused.side == Which::Left { old } else { new };
        Failure::Refused { source, diagnostics: refused.errors }
    })
}

/// Returns the tools of a list by name, each with the text of its schema. `None` if the source is no
/// list of tools. Of tools with one name, the last counts.
fn tools(source: &Source) -> Option<IndexMap<String, String>> {
    let parsed: Value = serde_json::from_str(&source.text).ok()?;
    let list = parsed.as_array().or_else(|| parsed.get("tools")?.as_array())?;
    list.iter().map(tool).collect()
}

/// Returns the name of a tool and the text of its schema. `None` if the value is no tool.
fn tool(tool: &Value) -> Option<(String, String)> {
    let tool = tool.get("function").unwrap_or(tool);
    let name = tool.get("name")?.as_str()?.to_owned();
    let keys = ["parameters", "input_schema", "inputSchema"];
    let schema = keys.into_iter().find_map(|key| tool.get(key));
    Some((name, schema.map_or_else(|| "{}".to_owned(), Value::to_string)))
}

/// Returns what a relation of OLD to NEW means, for people.
pub(crate) fn meaning(relation: &str) -> &'static str {
    match relation {
        name if name == Relation::Equal.name() => "the same values are allowed",
        name if name == Relation::Within.name() => "NEW allows more",
        name if name == Relation::Contains.name() => {
            "NEW allows less: values of before are refused"
        }
        name if name == Relation::Overlapping.name() => "each allows values that the other refuses",
        name if name == Relation::Disjoint.name() => "no value is allowed by both",
        "added" => "the tool is new",
        "removed" => "the tool is gone",
        _ => "it was not decided",
    }
}
