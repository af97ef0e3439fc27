//! The options of a front end as artifacts record them, for people: names and values as the command line has them.

use super::FrontEnd;
use super::builtin::{BuiltInOptions, Columns};
use super::gbnf::GbnfOptions;
use super::sources::Sources;
use super::structural_tag::{StructuralTagOptions, Tokens};
use grammarc_json_schema::{
    Escapes, Formats, JsonSchemaOptions, KeyOrder, NumberForm, SchemaDialect, TextForm, Whitespace,
};

impl FrontEnd {
    /// The options as an artifact records them. Options that few sources need are left out if they have their defaults.
    pub fn recorded(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::JsonSchema(options) => json_schema(options),
            Self::StructuralTag(options) => structural_tag(options),
            Self::Gbnf(options) => gbnf(options),
            Self::Lark(options) => {
                let mut recorded = vec![("start", options.start.clone())];
                recorded.extend(json_schema(&options.schemas));
                recorded
            }
            Self::BuiltIn(options) => built_in(options),
            Self::TypeScript(options) => {
                let start = options.start.iter().map(|start| ("start", start.clone()));
                start.chain(json_schema(&options.json_schema)).collect()
            }
            Self::Regex(_) | Self::Choice(_) | Self::Substring(_) => Vec::new(),
        }
    }
}

fn structural_tag(options: &StructuralTagOptions) -> Vec<(&'static str, String)> {
    let mut recorded = json_schema(&options.schemas);
    match options.tokens {
        Tokens::Prefer => {}
        Tokens::Both => recorded.push(("tokens", "both".to_owned())),
        Tokens::Never => recorded.push(("tokens", "never".to_owned())),
    }
    recorded.extend(sources(&options.sources));
    recorded
}

fn gbnf(options: &GbnfOptions) -> Vec<(&'static str, String)> {
    let mut recorded = vec![("start", options.start.clone())];
    recorded.extend(sources(&options.sources));
    recorded
}

fn sources(sources: &Sources) -> Option<(&'static str, String)> {
    let names: Vec<&str> = sources.iter().map(|(name, _)| name).collect();
    (!names.is_empty()).then(|| ("sources", names.join(" ")))
}

fn built_in(options: &BuiltInOptions) -> Vec<(&'static str, String)> {
    let BuiltInOptions {
        line,
        json_schema: schema,
        min_items,
        max_items,
        columns,
        separator,
        names,
        attributes,
    } = options;
    let columns = columns.as_ref().map(|columns| match columns {
        Columns::Count(count) => count.to_string(),
        Columns::Named(names) => names.join(","),
    });
    let list = |names: &[String]| Some(names.join(",")).filter(|names| !names.is_empty());
    let own = [
        ("line", line.as_ref().map(|line| line.name.to_string())),
        ("min-items", min_items.map(|count| count.to_string())),
        ("max-items", max_items.map(|count| count.to_string())),
        ("columns", columns),
        ("separator", separator.map(String::from)),
        ("names", list(names)),
        ("attributes", list(attributes)),
    ];
    let own = own.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let is_default = *schema == JsonSchemaOptions::default();
    own.chain(json_schema(schema).into_iter().filter(|_| !is_default)).collect()
}

fn json_schema(options: &JsonSchemaOptions) -> Vec<(&'static str, String)> {
    let TextForm { whitespace, surround, numbers, escapes, .. } = options.text;
    let numbers = match numbers {
        NumberForm::Natural => "natural",
        NumberForm::Canonical => "canonical",
        NumberForm::Any => "any",
    };
    let escapes = match escapes {
        Escapes::Shortest => "shortest",
        Escapes::Any => "any",
    };
    let order = match options.key_order {
        KeyOrder::Schema => "schema",
        KeyOrder::Any => "any",
        KeyOrder::AnyOnce => "any-once",
    };
    let mut recorded = vec![
        ("whitespace", whitespace.to_string()),
        ("numbers", numbers.to_owned()),
        ("escapes", escapes.to_owned()),
        ("key-order", order.to_owned()),
    ];
    if let Whitespace::Indented(indentation) | Whitespace::Styled(indentation) = whitespace {
        recorded.push(("levels", indentation.levels.to_string()));
    }
    if surround > 0 {
        recorded.push(("surround", surround.to_string()));
    }
    if options.closed {
        recorded.push(("closed", "true".to_owned()));
    }
    if options.dialect == SchemaDialect::OpenApi30 {
        recorded.push(("dialect", "openapi-3.0".to_owned()));
    }
    if options.formats == Formats::Annotated {
        recorded.push(("formats", "annotated".to_owned()));
    }
    recorded
}
