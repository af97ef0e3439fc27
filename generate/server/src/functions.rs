//! The tools of a request: functions and custom tools. Prepares them for the chat template and for
//! the grammar.
//!
//! Tools and choices may have either form of OpenAI: `{"type": "function", "function": {"name":
//! …}}` in chat completions, or `{"type": "function", "name": …}` in responses. This file reads
//! what the template and the reply need. The compiler reads the rest, and reports unknown names and
//! choices.

use std::sync::Arc;

use grammarc_calls::TagArguments;
use grammarc_compiler::frontend::settings::Language;
use grammarc_compiler::frontend::structural_tag::OnRefused;
use grammarc_generate::Grammar;
use grammarc_generate::json_mode::compact;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::calls::{Calls, INPUT};
use crate::error::ApiError;
use crate::fields::Fields;
use crate::source_limits;

/// The tools of a request, and which of them may or must be called.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    /// The tools for the chat template. Custom tools are shown as functions.
    pub(crate) shown: Vec<Value>,
    /// The tools for the structural tag, from which the grammar is compiled. A custom tool is a
    /// function whose argument is its text, or a function with a grammar for its text.
    written: Vec<Value>,
    /// Maps the path of each custom tool that has a grammar (`tools.0`) to this grammar.
    sources: Map<String, Value>,
    /// For each custom tool, its name, and whether the model writes its text as `{"input": text}`.
    custom: Vec<(String, bool)>,
    choice: Option<Value>,
    pub(crate) parallel: bool,
    on_refused: OnRefused,
}

impl Tools {
    /// Reads the tools of a request, and its field `on_refused`. If some functions are strict and
    /// others are not, records in `fields` that `strict` has no effect.
    pub(crate) fn read(
        app: &App,
        fields: &mut Fields,
        tools: Vec<Value>,
        choice: Option<Value>,
        parallel: bool,
    ) -> Result<Self, ApiError> {
        let most = app.options.limits.tools;
        if tools.len() > most {
            let message = format!("there are {}; at most {most} are read", tools.len());
            return Err(ApiError::field("tools", message));
        }
        let choice = choice.map(of_functions);
        let wrong = "it is not one of `request`, `exclude` and `loosen`";
        let on_refused = fields.word("on_refused", &OnRefused::NAMED, wrong)?;
        let on_refused = on_refused.unwrap_or(app.options.on_refused);
        let mut this = Self { choice, parallel, on_refused, ..Self::default() };
        for (at, tool) in tools.into_iter().enumerate() {
            match tool.get("type") {
                Some(kind) if kind == "custom" => this.custom(app, at, tool)?,
                kind => this.function(app, at, kind.is_none_or(|kind| kind == "function"), tool)?,
            }
        }
        if this.written.iter().any(is_strict) && !this.are_strict() {
            fields.note_ignored("tools.strict");
        }
        Ok(this)
    }

    /// Whether all functions are strict. Only then do the objects of their schemas reject
    /// undeclared keys.
    fn are_strict(&self) -> bool {
        self.written.iter().all(is_strict)
    }

    /// Adds a function. Adds a tool of another type unchanged. A function without `parameters`
    /// takes no arguments.
    fn function(
        &mut self,
        app: &App,
        at: usize,
        is_function: bool,
        mut tool: Value,
    ) -> Result<(), ApiError> {
        let mut place = format!("tools.{at}.parameters");
        if tool.get("function").is_some() {
            place = format!("tools.{at}.function.parameters");
        } else if let (true, Value::Object(own)) = (is_function, &mut tool) {
            own.shift_remove("type");
            tool = json!({"type": "function", "function": tool});
        }
        self.shown.push(tool.clone());
        let function = match tool.get_mut("function") {
            Some(function) => function,
            None => &mut tool,
        };
        match function.get("parameters").filter(|parameters| !parameters.is_null()) {
            Some(parameters) => source_limits::limit_json(app, &place, &parameters.to_string())?,
            None if function.is_object() => {
                function["parameters"] =
                    json!({"type": "object", "properties": {}, "additionalProperties": false});
            }
            None => {}
        }
        self.written.push(tool);
        Ok(())
    }

    /// Adds a custom tool, which takes a text.
    fn custom(&mut self, app: &App, at: usize, tool: Value) -> Result<(), ApiError> {
        let mut custom = Fields::of(&format!("tools.{at}"), tool)?;
        custom.text("type")?;
        if let Some(own) = custom.object("custom")? {
            custom.finish()?;
            custom = own;
        }
        let missing = custom.wrong("name", "it is missing");
        let name = custom.text("name")?.ok_or(missing)?;
        let description = custom.text("description")?.unwrap_or_default();
        let mut about = "any text".to_owned();
        let mut input = None;
        if let Some(mut format) = custom.object("format")? {
            match format.text("type")?.as_deref() {
                None | Some("text") => {}
                Some("grammar") => {
                    let mut own = format.object("grammar")?;
                    let grammar = own.as_mut().unwrap_or(&mut format);
                    let wrong = "it is neither `lark` nor `regex`";
                    let syntaxes = [("lark", Language::Lark), ("regex", Language::Regex)];
                    let missing = grammar.wrong("syntax", "it is missing");
                    let syntax = grammar.word("syntax", &syntaxes, wrong)?.ok_or(missing)?;
                    let missing = grammar.wrong("definition", "it is missing");
                    let text = grammar.text("definition")?.ok_or(missing)?;
                    source_limits::limit(app, &grammar.path("definition"), &text)?;
                    own.map(Fields::finish).transpose()?;
                    about = format!("a text of this {} grammar:\n{text}", syntax.name());
                    input = Some((syntax, text));
                }
                _ => return Err(format.wrong("type", "it is neither `text` nor `grammar`")),
            }
            format.finish()?;
        }
        custom.finish()?;
        let member = json!({"type": "string", "description": about});
        let parameters = json!({"type": "object", "properties": {INPUT: member}, "required": [INPUT],
            "additionalProperties": false});
        let mut function =
            json!({"name": name, "description": description, "parameters": parameters});
        self.shown.push(json!({"type": "function", "function": function}));
        self.custom.push((name.clone(), input.is_none()));
        if let Some((language, text)) = input {
            let source = format!("tools.{at}");
            function["input_grammar"] = Value::from(format!("root ::= @\"{source}\""));
            let named = json!({"language": language.name(), "text": text});
            self.sources.insert(source, named);
        }
        self.written.push(json!({"type": "function", "function": function}));
        Ok(())
    }

    /// Returns how replies write the tool calls.
    pub(crate) fn calls(&self, app: &App) -> Calls {
        let tags = TagArguments::new(&app.options.tool_style, &self.written);
        let functions = match self.on_refused {
            OnRefused::Loosen => Arc::from(self.written.clone()),
            OnRefused::Request | OnRefused::Exclude => Arc::default(),
        };
        Calls { tags, custom: Arc::from(self.custom.clone()), functions }
    }

    /// Whether the output may contain a tool call. If a call is required but there are no tools,
    /// this is true, and the grammar reports the error.
    pub(crate) fn may_be_called(&self) -> bool {
        let is_allowed = self.choice.as_ref().is_none_or(|choice| choice != "none");
        self.must_be_called() || !self.written.is_empty() && is_allowed
    }

    /// Whether the output has to contain a tool call.
    pub(crate) fn must_be_called(&self) -> bool {
        self.choice.as_ref().is_some_and(|choice| {
            if choice.get("type").is_none_or(|kind| kind != "allowed_tools") {
                return choice != "auto" && choice != "none";
            }
            let allowed = choice.get("allowed_tools").unwrap_or(choice);
            allowed.get("mode").is_some_and(|mode| !mode.is_null() && mode != "auto")
        })
    }

    /// Returns the grammar of tool calls in the model's notation. With `demanded`, the output has
    /// to be a call. Otherwise it may also be text.
    pub(crate) fn grammar(&self, app: &App, demanded: bool) -> Result<Grammar, ApiError> {
        let choice = self.choice.clone().unwrap_or_else(|| json!("auto"));
        let choice = if demanded && choice == "auto" { json!("required") } else { choice };
        let mut tag = json!({
            "type": "tools",
            "style": app.options.tool_style,
            "tools": self.written,
            "tool_choice": choice,
            "parallel_tool_calls": self.parallel,
        });
        if self.on_refused != OnRefused::Request {
            tag["on_refused"] = json!(self.on_refused.name());
        }
        if demanded {
            // A client that requires a call wants no text before it.
            tag["text_before"] = json!(false);
        }
        let text = tag.to_string();
        source_limits::limit(app, "tools", &text)?;
        let mut options = written(self.are_strict() || app.options.closed);
        if !self.sources.is_empty() {
            options.insert("sources".to_owned(), Value::Object(self.sources.clone()));
        }
        Ok(Grammar::new(Language::StructuralTag, text).with_options(options))
    }
}

/// Returns the options for the form of JSON: compact. If the schema is strict, objects reject
/// undeclared keys.
pub(crate) fn written(is_strict: bool) -> Map<String, Value> {
    let mut options = compact();
    if is_strict {
        options.insert("closed".to_owned(), Value::Bool(true));
    }
    options
}

/// Whether a tool is a function with `strict` set.
fn is_strict(tool: &Value) -> bool {
    tool.pointer("/function/strict").is_some_and(|strict| *strict == true)
}

/// Converts a `tool_choice` of custom tools to one of functions. This is unambiguous, because tool
/// names are unique.
fn of_functions(mut choice: Value) -> Value {
    let rename = |one: &mut Value| {
        if let Some(object) = one.as_object_mut()
            && object.get("type").is_some_and(|kind| kind == "custom")
        {
            object.insert("type".to_owned(), json!("function"));
            if let Some(custom) = object.shift_remove("custom") {
                object.insert("function".to_owned(), custom);
            }
        }
    };
    rename(&mut choice);
    for tools in ["/allowed_tools/tools", "/tools"] {
        if let Some(Value::Array(tools)) = choice.pointer_mut(tools) {
            tools.iter_mut().for_each(rename);
        }
    }
    choice
}
