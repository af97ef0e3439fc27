//! Reads the constraint on an output, in the forms of several servers. A request may have at most
//! one constraint.
//!
//! | field | defined by |
//! | --- | --- |
//! | `response_format`, `text.format`, `tools` | OpenAI |
//! | `structured_outputs` | vLLM |
//! | `grammar`, `json_schema` | llama.cpp's server |
//! | `grammar` with `type` and `value` | mistral.rs |
//! | `format` | Ollama |
//! | `grammar_id` | this server: a grammar that `/v1/grammars` has compiled |
//! | `artifact` | this server: the digest of an artifact in its folders |

use grammarc_compiler::budget::Budget;
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::json_schema::JsonSchemaOptions;
use grammarc_compiler::frontend::settings::Language;
use grammarc_generate::grammars::COMPILE_TIME;
use grammarc_generate::{EarlyStop, GenerateParams, Grammar, JsonModeConfig};
use grammarc_json::{JsonSchema, SchemaError};
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::artifacts;
use crate::error::ApiError;
use crate::fields::Fields;
use crate::functions::{Tools, written};
use crate::source_limits;

/// A constraint on an output.
#[derive(Clone, Debug)]
pub(crate) enum Constraint {
    /// The output is JSON: an instance of the schema, or any object without a schema. With
    /// `is_strict`, objects accept no undeclared keys by default.
    Json { schema: Option<JsonSchema>, is_strict: bool },
    /// The output matches a grammar.
    Grammar(Grammar),
}

impl Constraint {
    /// Sets the parameters of a generation so that the output satisfies the constraint.
    pub(crate) fn apply(self, params: &mut GenerateParams) {
        match self {
            Self::Grammar(grammar) => params.constraint = Some(grammar),
            Self::Json { schema, is_strict } => {
                let schema = schema.or_else(|| "{\"type\": \"object\"}".parse().ok());
                let options = written(is_strict);
                params.json_mode =
                    Some(JsonModeConfig { schema, options, ..JsonModeConfig::default() });
            }
        }
    }
}

/// A constraint, with the path of the request's field that states it.
#[derive(Clone, Debug)]
pub(crate) struct Constrained {
    pub(crate) field: String,
    pub(crate) constraint: Constraint,
}

impl Constrained {
    fn new(field: impl Into<String>, constraint: Constraint) -> Self {
        Self { field: field.into(), constraint }
    }

    /// Returns the constraint that the output matches `grammar`.
    fn grammar(field: impl Into<String>, grammar: Grammar) -> Self {
        Self::new(field, Constraint::Grammar(grammar))
    }

    /// Returns the constraint that the output is any JSON object.
    fn any_object(field: impl Into<String>) -> Self {
        Self::new(field, Constraint::Json { schema: None, is_strict: false })
    }
}

/// Reads constraints from requests. It uses the server's limits on sources and its stored grammars.
pub(crate) struct Reader<'a> {
    pub(crate) app: &'a App,
}

impl Reader<'_> {
    /// Reads the constraint of a request, apart from its tools. `None` if there is none. Fails if
    /// there are several.
    pub(crate) fn read(&self, fields: &mut Fields) -> Result<Option<Constrained>, ApiError> {
        fields.refuse(&[
            ("guided_json", "structured_outputs.json"),
            ("guided_regex", "structured_outputs.regex"),
            ("guided_choice", "structured_outputs.choice"),
            ("guided_grammar", "structured_outputs.grammar"),
            ("guided_decoding_backend", "structured_outputs"),
        ])?;
        let mut found: Vec<(&str, Constrained)> = Vec::new();
        if let Some(format) = fields.value("response_format") {
            let constraint = self.format(&fields.path("response_format"), format)?;
            found.extend(constraint.map(|constraint| ("response_format", constraint)));
        }
        if let Some(outputs) = fields.object("structured_outputs")? {
            found.extend(
                self.structured(outputs)?.map(|constraint| ("structured_outputs", constraint)),
            );
        }
        if let Some(grammar) = fields.value("grammar") {
            found.push(("grammar", self.grammar(&fields.path("grammar"), grammar)?));
        }
        if let Some(schema) = fields.value("json_schema") {
            found.push(("json_schema", self.schema(&fields.path("json_schema"), schema, false)?));
        }
        if let Some(format) = fields.value("format") {
            let constraint = match format {
                Value::String(name) if name == "json" => {
                    Constrained::any_object(fields.path("format"))
                }
                schema => self.schema(&fields.path("format"), schema, false)?,
            };
            found.push(("format", constraint));
        }
        if let Some(id) = fields.text("grammar_id")? {
            let grammar = self.app.kept(&id);
            let grammar =
                grammar.ok_or_else(|| fields.wrong("grammar_id", "no grammar has this id"))?;
            let constraint = Constrained::grammar(fields.path("grammar_id"), grammar);
            found.push(("grammar_id", constraint));
        }
        if let Some(digest) = fields.text("artifact")? {
            let path = fields.path("artifact");
            let grammar = artifacts::grammar(self.app, &path, &digest)?;
            found.push(("artifact", Constrained::grammar(path, grammar)));
        }
        if let [(first, _), (second, _), ..] = &found[..] {
            return Err(fields.wrong(
                second,
                format!("`{first}` constrains the output already; give one of them"),
            ));
        }
        Ok(found.pop().map(|(_, constraint)| constraint))
    }

    /// Reads a format from a field that only one endpoint has. `before` is the constraint that was
    /// already read. Fails if there would be two constraints.
    pub(crate) fn own_format(
        &self,
        before: Option<Constrained>,
        fields: &mut Fields,
        name: &'static str,
    ) -> Result<Option<Constrained>, ApiError> {
        let Some(format) = fields.value(name) else { return Ok(before) };
        let found = self.format(&fields.path(name), format)?;
        if found.is_some() && before.is_some() {
            let message = "the output is constrained otherwise already; give one of them";
            return Err(fields.wrong(name, message));
        }
        Ok(found.or(before))
    }

    /// Reads a format of OpenAI. The schema has a key of its own in chat completions, and is beside
    /// the type in responses. `None` for plain text.
    fn format(&self, path: &str, value: Value) -> Result<Option<Constrained>, ApiError> {
        let mut fields = Fields::of(path, value)?;
        let kind = fields.text("type")?;
        match kind.as_deref() {
            None | Some("text") => fields.finish().map(|_| None),
            Some("json_object") => {
                let schema = fields.value("schema");
                let place = fields.path("schema");
                fields.finish()?;
                match schema {
                    Some(schema) => self.schema(&place, schema, false).map(Some),
                    None => Ok(Some(Constrained::any_object(path))),
                }
            }
            Some("json_schema") => {
                if let Some(inner) = fields.object("json_schema")? {
                    fields.finish()?;
                    fields = inner;
                }
                fields.ignore(&["name", "description"]);
                let is_strict = fields.flag("strict")?.unwrap_or(false);
                let schema = fields.value("schema");
                let schema = schema.ok_or_else(|| fields.wrong("schema", "it is missing"))?;
                let path = fields.path("schema");
                fields.finish()?;
                self.schema(&path, schema, is_strict).map(Some)
            }
            Some("structural_tag") => {
                let mut tag = Map::new();
                tag.insert("type".to_owned(), json!("structural_tag"));
                for name in ["format", "structures", "triggers"] {
                    if let Some(value) = fields.value(name) {
                        tag.insert(name.to_owned(), value);
                    }
                }
                fields.finish()?;
                let tag = Value::Object(tag);
                source_limits::limit_json(self.app, path, &tag.to_string())?;
                Ok(Some(Constrained::grammar(path, Grammar::from_tags(&tag))))
            }
            Some(other) => {
                let message = format!(
                    "`{other}` is none of text, json_object, json_schema and structural_tag"
                );
                Err(fields.wrong("type", message))
            }
        }
    }

    /// Reads the object `structured_outputs` of vLLM.
    fn structured(&self, mut fields: Fields) -> Result<Option<Constrained>, ApiError> {
        let mut found = Vec::new();
        if let Some(schema) = fields.value("json") {
            let schema = match schema {
                Value::String(text) => serde_json::from_str(&text)
                    .map_err(|error| fields.wrong("json", format!("it is no JSON: {error}")))?,
                schema => schema,
            };
            found.push(self.schema(&fields.path("json"), schema, false)?);
        }
        let texts = [
            ("regex", Language::Regex),
            ("grammar", Language::Ebnf),
            ("structural_tag", Language::StructuralTag),
        ];
        for (name, language) in texts {
            let text = match fields.value(name) {
                None => continue,
                Some(tag) if tag["type"] == "grammarc" => {
                    let mut tag = Fields::of(&fields.path(name), tag)?;
                    tag.ignore(&["type"]);
                    let digest = tag.text("artifact")?;
                    let digest = digest.ok_or_else(|| tag.wrong("artifact", "it is missing"))?;
                    let path = tag.path("artifact");
                    tag.finish()?;
                    let grammar = artifacts::grammar(self.app, &path, &digest)?;
                    found.push(Constrained::grammar(path, grammar));
                    continue;
                }
                Some(Value::String(text)) => text,
                Some(value @ Value::Object(_)) if language == Language::StructuralTag => {
                    value.to_string()
                }
                Some(_) => return Err(fields.wrong(name, "it is no string")),
            };
            match language {
                Language::StructuralTag => {
                    source_limits::limit_json(self.app, &fields.path(name), &text)?
                }
                _ => source_limits::limit(self.app, &fields.path(name), &text)?,
            }
            // vLLM's users also write Lark grammars here, which have a colon after the name of a
            // rule.
            let language = if language == Language::Ebnf && !text.contains("::=") {
                Language::Lark
            } else {
                language
            };
            found.push(Constrained::grammar(fields.path(name), Grammar::new(language, text)));
        }
        if let Some(choices) = fields.list("choice")? {
            let text = Value::Array(choices).to_string();
            source_limits::limit(self.app, &fields.path("choice"), &text)?;
            let grammar = Grammar::new(Language::Choice, text);
            found.push(Constrained::grammar(fields.path("choice"), grammar));
        }
        if fields.flag("json_object")? == Some(true) {
            found.push(Constrained::any_object(fields.path("json_object")));
        }
        fields.ignore(&["disable_any_whitespace", "disable_fallback"]);
        let error = fields.wrong("", "it gives more than one constraint");
        fields.finish()?;
        if found.len() > 1 { Err(error) } else { Ok(found.pop()) }
    }

    /// Reads a grammar in the form of llama.cpp's server or of mistral.rs.
    fn grammar(&self, path: &str, value: Value) -> Result<Constrained, ApiError> {
        if let Value::String(text) = value {
            source_limits::limit(self.app, path, &text)?;
            return Ok(Constrained::grammar(path, Grammar::from_gbnf(&text)));
        }
        let mut fields = Fields::of(path, value)?;
        let kind = fields.text("type")?.unwrap_or_default();
        let value = fields.value("value").ok_or_else(|| fields.wrong("value", "it is missing"))?;
        let place = fields.path("value");
        let language = match kind.as_str() {
            "regex" => Language::Regex,
            "lark" => Language::Lark,
            "gbnf" => Language::Gbnf,
            "json_schema" => {
                fields.finish()?;
                return self.schema(&place, value, false);
            }
            _ => {
                return Err(fields.wrong("type", "it is none of regex, lark, gbnf and json_schema"));
            }
        };
        fields.finish()?;
        let Value::String(text) = value else {
            return Err(ApiError::field(place, "it is no string"));
        };
        source_limits::limit(self.app, &place, &text)?;
        Ok(Constrained::grammar(place, Grammar::new(language, text)))
    }

    fn schema(&self, path: &str, schema: Value, is_strict: bool) -> Result<Constrained, ApiError> {
        let text = schema.to_string();
        source_limits::limit_json(self.app, path, &text)?;
        let schema = JsonSchema::from_value(schema).map_err(|error| refused(path, text, &error))?;
        let is_strict = is_strict || self.app.options.closed;
        let constraint = Constraint::Json { schema: Some(schema), is_strict };
        Ok(Constrained::new(path, constraint))
    }
}

/// Returns the error for a schema that the validator rejects. If the compiler also rejects it, the
/// error has the compiler's diagnostics, which name the position and the remedy.
fn refused(path: &str, text: String, error: &SchemaError) -> ApiError {
    let front_end = FrontEnd::JsonSchema(JsonSchemaOptions::default());
    let source = Source::new("<json-schema>", text);
    let budget = Budget::new().time_limit(COMPILE_TIME);
    match front_end.lower(source.clone(), &budget) {
        Err(found) => ApiError::refused(path, &source, &found),
        Ok(_) => ApiError::field(path, error.to_string()),
    }
}

/// Facts about a constraint that the parameters do not contain. They are needed to check the output
/// and to report errors.
#[derive(Debug, Default)]
pub(crate) struct Held {
    /// The schema that an output without tool calls has to satisfy. `None` without a schema.
    pub(crate) schema: Option<JsonSchema>,
    /// Path of the request's field to which errors of the grammar belong. `None` without a
    /// constraint.
    pub(crate) field: Option<String>,
}

/// Sets the parameters for a constraint and tools. With both, the output either has tool calls or
/// satisfies the constraint. If a call is required, the constraint has no effect.
pub(crate) fn resolve(
    app: &App,
    constraint: Option<Constrained>,
    tools: &Tools,
    params: &mut GenerateParams,
) -> Result<Held, ApiError> {
    if !tools.may_be_called() {
        let Some(Constrained { field, constraint }) = constraint else {
            return Ok(Held::default());
        };
        constraint.apply(params);
        let schema = params.json_mode.as_ref().and_then(|mode| mode.schema.clone());
        return Ok(Held { schema, field: Some(field) });
    }
    let demanded = tools.must_be_called();
    let both = constraint.filter(|_| !demanded);
    let calls = tools.grammar(app, demanded || both.is_some())?;
    if demanded && !tools.parallel {
        params.early_stop = EarlyStop::First;
    }
    let Some(Constrained { field, constraint }) = both else {
        params.constraint = Some(calls);
        return Ok(Held { schema: None, field: Some("tools".to_owned()) });
    };
    let (other, schema) = match constraint {
        Constraint::Grammar(grammar) => (grammar, None),
        Constraint::Json { schema, is_strict } => {
            let any = || Grammar::new(Language::BuiltIn, "json-object");
            let grammar = schema.as_ref().map_or_else(any, Grammar::schema);
            (grammar.with_options(written(is_strict)), schema)
        }
    };
    let either = calls.either(&other);
    let refused = || {
        ApiError::field("tools", "they go with the source of a grammar, and not with an artifact")
    };
    params.constraint = Some(either.ok_or_else(refused)?);
    Ok(Held { schema, field: Some(field) })
}
