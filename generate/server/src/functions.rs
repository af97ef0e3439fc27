//! The tools of a request: functions and custom tools, for the chat template and for the grammar.

use std::sync::Arc;

use grammarc_compiler::frontend::settings::Language;
use grammarc_generate::Grammar;
use grammarc_generate::arguments::TagArguments;
use grammarc_generate::json_mode::compact;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::calls::{Calls, INPUT};
use crate::error::ApiError;
use crate::fields::Fields;
use crate::source_limits;

/// The tools of a request, and the choice of those to call.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    /// The tools for the chat template: all are functions.
    pub(crate) shown: Vec<Value>,
    /// The tools for the structural tag: functions, and those whose text has a grammar.
    written: Vec<Value>,
    /// Grammars of custom tools by name.
    sources: Map<String, Value>,
    /// Names of custom tools. The flag says whether the tool's text is wrapped as `{"input": text}`.
    custom: Vec<(String, bool)>,
    choice: Option<Value>,
    pub(crate) parallel: bool,
}

impl Tools {
    /// Reads tools in the form of chats.
    pub(crate) fn read(
        app: &App,
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
        let mut this = Self { choice, parallel, ..Self::default() };
        for (at, tool) in tools.into_iter().enumerate() {
            if tool.get("type").is_some_and(|kind| kind == "custom") {
                this.custom(app, at, tool)?;
            } else {
                let (place, function) = match tool.get("function") {
                    Some(function) => (format!("tools.{at}.function.parameters"), function),
                    None => (format!("tools.{at}.parameters"), &tool),
                };
                match function.get("parameters") {
                    Some(parameters) if !parameters.is_null() => {
                        source_limits::limit_json(app, &place, &parameters.to_string())?;
                    }
                    _ => {}
                }
                this.shown.push(tool.clone());
                this.written.push(with_parameters(tool));
            }
        }
        this.check_choice()?;
        Ok(this)
    }

    /// Refuses a `tool_choice` of an unknown form, and one that demands a call without any tool. The compiler checks names.
    fn check_choice(&self) -> Result<(), ApiError> {
        let Some(choice) = &self.choice else { return Ok(()) };
        let mode = choice.pointer("/allowed_tools/mode").unwrap_or(choice);
        let is_choice = match mode {
            Value::String(mode) => ["none", "auto", "required"].contains(&mode.as_str()),
            named => named.pointer("/function/name").is_some_and(Value::is_string),
        };
        if !is_choice {
            let message = "it is none of `none`, `auto`, `required`, a tool by its type and name, and `allowed_tools`";
            return Err(ApiError::field("tool_choice", message));
        }
        if self.written.is_empty() && self.must_be_called() {
            return Err(ApiError::field(
                "tool_choice",
                "a call is demanded, and there are no `tools`",
            ));
        }
        Ok(())
    }

    /// Whether all functions are strict. Only then are the objects of their schemas closed.
    fn are_strict(&self) -> bool {
        let is_strict = |tool: &Value| {
            let function = tool.get("function").unwrap_or(tool);
            function.get("strict").is_some_and(|strict| *strict == true)
        };
        self.written.iter().all(is_strict)
    }

    /// Whether `strict` has no effect, because some functions are strict and others are not.
    pub(crate) fn ignores_strict(&self) -> bool {
        let is_strict =
            |tool: &Value| tool.pointer("/function/strict").is_some_and(|it| *it == true);
        self.written.iter().any(is_strict) && !self.are_strict()
    }

    /// Adds a custom tool.
    fn custom(&mut self, app: &App, at: usize, tool: Value) -> Result<(), ApiError> {
        let mut tool = Fields::of(&format!("tools.{at}"), tool)?;
        tool.text("type")?;
        let missing = tool.wrong("custom", "it is missing");
        let mut custom = tool.object("custom")?.ok_or(missing)?;
        tool.finish()?;
        let missing = custom.wrong("name", "it is missing");
        let name = custom.text("name")?.ok_or(missing)?;
        let description = custom.text("description")?.unwrap_or_default();
        let mut about = "any text".to_owned();
        let mut input = None;
        if let Some(mut format) = custom.object("format")? {
            let kind = format.text("type")?;
            let grammar = format.object("grammar")?;
            match (kind.as_deref(), grammar) {
                (None | Some("text"), None) => {}
                (Some("grammar"), Some(mut grammar)) => {
                    let wrong = "it is neither `lark` nor `regex`";
                    let syntaxes = [("lark", Language::Lark), ("regex", Language::Regex)];
                    let missing = grammar.wrong("syntax", "it is missing");
                    let syntax = grammar.word("syntax", &syntaxes, wrong)?.ok_or(missing)?;
                    let missing = grammar.wrong("definition", "it is missing");
                    let text = grammar.text("definition")?.ok_or(missing)?;
                    source_limits::limit(app, &grammar.path("definition"), &text)?;
                    grammar.finish()?;
                    about = format!("a text of this {} grammar:\n{text}", syntax.name());
                    input = Some((syntax, text));
                }
                _ => {
                    return Err(format.wrong("type", "it is neither `text` nor `grammar` with one"));
                }
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

    /// Returns the form of tool calls in replies.
    pub(crate) fn calls(&self, app: &App) -> Calls {
        let tags = TagArguments::new(&app.options.tool_style, &self.written);
        Calls { tags, custom: Arc::from(self.custom.clone()) }
    }

    /// Whether a call may be in the output.
    pub(crate) fn may_be_called(&self) -> bool {
        !self.written.is_empty() && self.choice.as_ref().is_none_or(|choice| choice != "none")
    }

    /// Whether a call has to be in the output.
    pub(crate) fn must_be_called(&self) -> bool {
        self.choice.as_ref().is_some_and(|choice| {
            let mode = choice.pointer("/allowed_tools/mode").unwrap_or(choice);
            mode != "auto" && mode != "none"
        })
    }

    /// Returns the grammar of calls in the model's style. With `demanded`, there has to be a call; otherwise text is
    /// allowed too.
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
        if demanded {
            // Who demands a call wants no text before it.
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

/// Returns the options of JSON: compact, and with closed objects if the schema is strict.
pub(crate) fn written(is_strict: bool) -> Map<String, Value> {
    let mut options = compact();
    if is_strict {
        options.insert("closed".to_owned(), Value::Bool(true));
    }
    options
}

/// Adds the schema of the empty object to a function without `parameters`.
fn with_parameters(mut tool: Value) -> Value {
    let function = match tool.get_mut("function") {
        Some(function) => function,
        None => &mut tool,
    };
    if function.get("parameters").is_none_or(Value::is_null) && function.is_object() {
        function["parameters"] =
            json!({"type": "object", "properties": {}, "additionalProperties": false});
    }
    tool
}

/// Converts a choice of custom tools to functions; each name belongs to one tool.
fn of_functions(mut choice: Value) -> Value {
    let rename = |one: &mut Value| {
        if let Some(object) = one.as_object_mut()
            && object.get("type").is_some_and(|kind| kind == "custom")
            && let Some(custom) = object.shift_remove("custom")
        {
            *one = json!({"type": "function", "function": custom});
        }
    };
    rename(&mut choice);
    if let Some(Value::Array(tools)) = choice.pointer_mut("/allowed_tools/tools") {
        tools.iter_mut().for_each(rename);
    }
    choice
}
