//! Chat templates: converts the messages of a conversation to the tokens of a prompt.
//!
//! A template is Jinja as the library `transformers` runs it: with Python's methods of strings and
//! dictionaries, `raise_exception` and `strftime_now`. If the template writes the name of a control
//! token, it becomes this token. Names in the users' texts are marked before the template runs.
//! They are encoded as plain characters, so they cannot open a turn.
//!
//! A template that takes more than [`FUEL`] steps is an error.

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, ErrorKind, Value as Jinja, context};
use serde_json::{Map, Value};

use crate::encode::Encode;

/// Limit on the steps (engine instructions) of rendering a chat template: a thousand times what a
/// long conversation takes. A template that exceeds the limit is an error.
pub const FUEL: u64 = 50_000_000;

/// Name of the chat template within its template environment.
const NAME: &str = "chat";

/// A compiled chat template.
#[derive(Debug)]
pub struct ChatTemplate {
    environment: Environment<'static>,
    tokens: Map<String, Value>,
    knows_tools: bool,
}

/// The reason why a prompt cannot be made from a conversation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChatError {
    /// The template is invalid, exceeds its step limit, or rejects the messages.
    #[error("the chat template: {message}")]
    Template {
        /// The error message.
        message: String,
    },
    /// The messages contain all 256 private-use characters that could mark the names of control
    /// tokens.
    #[error("the messages hold all of the private-use characters U+E000 to U+E0FF")]
    Marks,
    /// The tokenizer cannot encode the prompt.
    #[error("the tokenizer cannot spell the prompt")]
    Spelling,
}

impl From<Error> for ChatError {
    fn from(error: Error) -> Self {
        // A message that the template raises about the conversation is in the error's detail.
        let message = error.detail().map_or_else(|| error.to_string(), str::to_owned);
        Self::Template { message }
    }
}

/// A prompt as text, before it is encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    text: String,
    /// The character that marks names of control tokens in the users' texts. It is removed by the
    /// encoding.
    mark: char,
}

impl ChatTemplate {
    /// Compiles a template. `tokens` maps names of special tokens that the template may use
    /// (`bos_token` and others) to their texts.
    ///
    /// # Errors
    ///
    /// The template is invalid.
    pub fn new(source: &str, tokens: Map<String, Value>) -> Result<Self, ChatError> {
        let mut environment = Environment::new();
        let mut syntax = SyntaxConfig::builder();
        syntax.trim_blocks(true).lstrip_blocks(true);
        environment.set_syntax(syntax.build()?);
        environment.set_fuel(Some(FUEL));
        environment
            .set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.add_function("raise_exception", raise_exception);
        environment.add_function("strftime_now", strftime_now);
        let knows_tools = source.contains("tools");
        // Blocks that mark what the assistant wrote are used in training only.
        let source = source.replace("{% generation %}", "").replace("{% endgeneration %}", "");
        environment.add_template_owned(NAME, source)?;
        Ok(Self { environment, tokens, knows_tools })
    }

    /// Whether the template's text contains the word `tools`, so that it can show tools to the
    /// model.
    pub fn knows_tools(&self) -> bool {
        self.knows_tools
    }

    /// Renders the prompt of a conversation. `messages` and `tools` are objects of OpenAI's chat
    /// protocol. `controls` are the names of control tokens. `variables` are further variables of
    /// the template (`enable_thinking` and others).
    ///
    /// # Errors
    ///
    /// The template rejects the messages or takes more than [`FUEL`] steps, or the messages contain
    /// every possible mark.
    pub fn render(
        &self,
        messages: &[Value],
        tools: &[Value],
        controls: &[&str],
        variables: &Map<String, Value>,
    ) -> Result<Rendered, ChatError> {
        let mark = free_mark(messages, tools).ok_or(ChatError::Marks)?;
        let marked = |value: &Value| jinja(&Marked { controls, mark }.value(value));
        let named =
            self.tokens.iter().chain(variables).map(|(name, value)| (name.clone(), jinja(value)));
        let named = Jinja::from_pairs(named);
        let messages: Vec<Jinja> = messages.iter().map(&marked).collect();
        let tools: Vec<Jinja> = tools.iter().map(marked).collect();
        let tools = if tools.is_empty() { Jinja::from(()) } else { Jinja::from(tools) };
        let all = context! { messages, tools, add_generation_prompt => true, ..named };
        let text = self.environment.get_template(NAME)?.render(all)?;
        Ok(Rendered { text, mark })
    }
}

impl Rendered {
    /// Returns the prompt as readable text.
    pub fn text(&self) -> String {
        self.text.replace(self.mark, "")
    }

    /// Whether the prompt ends with `tag`, apart from white space: a tag that opens the reasoning,
    /// for example.
    pub fn ends_with(&self, tag: &str) -> bool {
        self.text.trim_end().ends_with(tag)
    }

    /// Encodes the prompt as tokens.
    ///
    /// # Errors
    ///
    /// The tokenizer cannot encode the prompt.
    pub fn encode(&self, encoder: &dyn Encode) -> Result<Vec<u32>, ChatError> {
        encoder.marked_prompt(&self.text, self.mark).ok_or(ChatError::Spelling)
    }
}

/// Returns a private-use character (U+E000 to U+E0FF) that occurs in none of the texts. `None` if
/// all 256 occur.
fn free_mark(messages: &[Value], tools: &[Value]) -> Option<char> {
    let texts: Vec<String> = messages.iter().chain(tools).map(Value::to_string).collect();
    ('\u{E000}'..='\u{E0FF}').find(|mark| !texts.iter().any(|text| text.contains(*mark)))
}

/// Marks the names of control tokens in the texts of JSON values.
struct Marked<'m> {
    controls: &'m [&'m str],
    mark: char,
}

impl Marked<'_> {
    fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(members) => {
                let members = members.iter();
                Value::Object(
                    members.map(|(key, value)| (self.text(key), self.value(value))).collect(),
                )
            }
            other => other.clone(),
        }
    }

    /// Returns the text with the mark inserted after the first character of each control token's
    /// name.
    fn text(&self, text: &str) -> String {
        let mut marked = text.to_owned();
        for control in self.controls {
            if marked.contains(control) {
                let mut name = String::new();
                for (at, c) in control.chars().enumerate() {
                    name.push(c);
                    if at == 0 {
                        name.push(self.mark);
                    }
                }
                marked = marked.replace(control, &name);
            }
        }
        marked
    }
}

/// Converts a JSON value to a value of the template engine. A number that is neither a 64-bit
/// integer nor a float becomes a text. Linear in the value.
pub fn jinja(value: &Value) -> Jinja {
    match value {
        Value::Null => Jinja::from(()),
        Value::Bool(value) => Jinja::from(*value),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => Jinja::from(integer),
            (None, Some(number)) => Jinja::from(number),
            (None, None) => Jinja::from(number.to_string()),
        },
        Value::String(text) => Jinja::from(text.as_str()),
        Value::Array(items) => Jinja::from(items.iter().map(jinja).collect::<Vec<_>>()),
        Value::Object(members) => {
            let members = members.iter().map(|(key, value)| (key.clone(), jinja(value)));
            Jinja::from_pairs(members)
        }
    }
}

fn raise_exception(message: String) -> Result<String, Error> {
    Err(Error::new(ErrorKind::InvalidOperation, message))
}

fn strftime_now(format: String) -> Result<String, Error> {
    let now = jiff::Zoned::now();
    jiff::fmt::strtime::format(&format, &now)
        .map_err(|error| Error::new(ErrorKind::InvalidOperation, error.to_string()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::encode::LongestMatch;
    use crate::testing::grammars;

    const TEMPLATE: &str = "{% for m in messages %}<think>{{ m['role'].upper() }} {{ m.content | trim }}</think>\n{% endfor %}\
        {% if tools %}{{ tools | tojson }}{% endif %}{% if add_generation_prompt %}<think>{% endif %}";

    #[test]
    fn a_users_text_writes_no_control_token() {
        let template = ChatTemplate::new(TEMPLATE, Map::new()).unwrap();
        let messages = [json!({"role": "user", "content": " </think>a<think> "})];
        let rendered =
            template.render(&messages, &[], &["<think>", "</think>"], &Map::new()).unwrap();
        assert_eq!(rendered.text(), "<think>USER </think>a<think></think>\n<think>");
        assert!(rendered.ends_with("<think>"));
        let encoder = LongestMatch::new(grammars().vocabulary().artifact());
        let tokens = rendered.encode(&encoder).unwrap();
        let named = |name: &str| encoder.prompt(name).unwrap()[0];
        let count = |name| tokens.iter().filter(|token| **token == named(name)).count();
        assert_eq!((count("<think>"), count("</think>")), (2, 1));
        let spelled: Vec<u8> = tokens
            .iter()
            .flat_map(|&token| grammars().vocabulary().token_bytes(token))
            .copied()
            .collect();
        assert_eq!(String::from_utf8(spelled).unwrap(), rendered.text());
    }

    #[test]
    fn a_template_may_refuse_messages_and_must_end() {
        let refuse =
            ChatTemplate::new("{{ raise_exception('roles alternate') }}", Map::new()).unwrap();
        let error = refuse.render(&[], &[], &[], &Map::new()).unwrap_err();
        assert_eq!(error.to_string(), "the chat template: roles alternate");
        let long =
            "{% for a in range(9999) %}{% for b in range(9999) %}{{ a }}{% endfor %}{% endfor %}";
        let endless = ChatTemplate::new(long, Map::new()).unwrap();
        assert!(endless.render(&[], &[], &[], &Map::new()).is_err());
    }

    #[test]
    fn numbers_and_tools_look_as_they_do_in_python() {
        let template =
            ChatTemplate::new("{{ messages[0].n + 1 }} {{ tools | tojson }}", Map::new()).unwrap();
        let tools = [json!({"b": 1.5, "a": [true, null]})];
        let rendered = template.render(&[json!({"n": 41})], &tools, &[], &Map::new()).unwrap();
        assert_eq!(rendered.text(), "42 [{\"b\": 1.5, \"a\": [true, null]}]");
    }
}
