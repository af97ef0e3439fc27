//! Grammars for generations: a source in some language with its options, or a compiled artifact.
//!
//! [`Grammars`](crate::grammars::Grammars) compiles a source for a vocabulary and caches the
//! result. A source is not checked before, so creating a [`Grammar`] never fails.

use grammarc_compiler::frontend::settings::Language;
use grammarc_json::JsonSchema;
use serde_json::{Map, Value, json};

use crate::unions::discriminator_first;

/// A grammar that an output has to match.
#[derive(Clone, Debug)]
pub struct Grammar {
    pub(crate) form: Form,
}

#[derive(Clone, Debug)]
pub(crate) enum Form {
    Source(GrammarSource),
    Artifact(grammarc_runtime::Grammar),
}

/// The source text of a grammar, with its language and options.
#[derive(Clone, Debug, PartialEq)]
pub struct GrammarSource {
    /// The language of the source.
    pub language: Language,
    /// The text of the source.
    pub text: String,
    /// Maps names of the language's options to values. See
    /// [`Settings::read`](grammarc_compiler::frontend::settings::Settings::read).
    pub options: Map<String, Value>,
}

impl GrammarSource {
    /// Returns the source as an entry of the option `sources`, through which other sources include
    /// it.
    pub(crate) fn named(&self) -> Value {
        let Self { language, text, options } = self;
        json!({"language": language.name(), "text": text, "options": options})
    }
}

impl Grammar {
    /// Creates a grammar from a source in any language of the compiler.
    pub fn new(language: Language, text: impl Into<String>) -> Self {
        let source = GrammarSource { language, text: text.into(), options: Map::new() };
        Self { form: Form::Source(source) }
    }

    /// Returns the grammar of any JSON value.
    pub fn json() -> Self {
        Self::new(Language::BuiltIn, "json")
    }

    /// Returns the grammar of JSON lines: one JSON value on each line. With `line`, each value is
    /// an instance of this schema. If the schema is a union, the member that distinguishes its
    /// branches comes first.
    pub fn jsonl(line: Option<&JsonSchema>) -> Self {
        let line = line.map(|schema| ("line".to_owned(), discriminator_first(schema.value())));
        Self::new(Language::BuiltIn, "jsonl").with_options(line)
    }

    /// Returns the same grammar as [`Self::jsonl`], as GBNF text for servers that take a grammar
    /// over HTTP.
    pub fn jsonl_gbnf(line: Option<&JsonSchema>) -> String {
        let line = line.map(|schema| discriminator_first(schema.value()));
        let line = match line {
            Some(line @ Value::Object(_)) => line,
            // GBNF can only embed schemas that are objects. A boolean schema accepts every value or
            // none.
            Some(Value::Bool(false)) => json!({"not": {}}),
            _ => json!({}),
        };
        format!("root ::= line (\"\\n\" line)* \"\\n\"?\nline ::= @json-schema{line}\n")
    }

    /// Returns the grammar of comma-separated records. `columns` fixes the number of fields in a
    /// record.
    pub fn csv(columns: Option<u32>) -> Self {
        let columns = columns.map(|columns| ("columns".to_owned(), json!(columns)));
        Self::new(Language::BuiltIn, "csv").with_options(columns)
    }

    /// Returns the grammar of an XML element, with its content, whose name is one of `names`. If
    /// `names` is empty, any name is allowed, and the end tag may differ from the start tag.
    pub fn xml(names: &[&str]) -> Self {
        let names = (!names.is_empty()).then(|| ("names".to_owned(), json!(names)));
        Self::new(Language::BuiltIn, "xml").with_options(names)
    }

    /// Returns the grammar of the JSON texts that are instances of a schema.
    pub fn schema(schema: &JsonSchema) -> Self {
        Self::new(Language::JsonSchema, schema.text())
    }

    /// Returns a grammar in GBNF, the notation of llama.cpp.
    pub fn from_gbnf(source: &str) -> Self {
        Self::new(Language::Gbnf, source)
    }

    /// Returns the grammar of a regular expression. The whole output has to match it.
    pub fn from_regex(pattern: &str) -> Self {
        Self::new(Language::Regex, pattern)
    }

    /// Returns the grammar of a structural tag: free text mixed with tool calls.
    pub fn from_tags(tag: &Value) -> Self {
        Self::new(Language::StructuralTag, tag.to_string())
    }

    /// Returns a grammar that was already compiled. It has to be compiled for the model's
    /// vocabulary.
    pub fn artifact(grammar: grammarc_runtime::Grammar) -> Self {
        Self { form: Form::Artifact(grammar) }
    }

    /// Returns the union of two grammars. `None` if one of them is an artifact, which has no source
    /// to compose. An output that matches `other` is sent as text, even if `self` has tool calls.
    pub fn either(&self, other: &Self) -> Option<Self> {
        let (first, second) = (self.source()?, other.as_content()?);
        let sources = json!({"first": first.named(), "second": second.source()?.named()});
        let grammar = Self::from_gbnf("root ::= @\"first\" | @\"second\"");
        Some(grammar.with_options([("sources".to_owned(), sources)]))
    }

    /// Returns the same grammar as the content of a structural tag, so that no markup is recognized
    /// in its texts. `None` for an artifact.
    fn as_content(&self) -> Option<Self> {
        let sources = json!({"content": self.source()?.named()});
        let format = json!({"type": "grammar", "grammar": "root ::= @\"content\""});
        let tag = Self::from_tags(&json!({"type": "structural_tag", "format": format}));
        Some(tag.with_options([("sources".to_owned(), sources)]))
    }

    /// Sets options of the source; options with the same names are replaced. An artifact has no
    /// options and does not change.
    #[must_use]
    pub fn with_options(mut self, options: impl IntoIterator<Item = (String, Value)>) -> Self {
        if let Form::Source(source) = &mut self.form {
            source.options.extend(options);
        }
        self
    }

    /// Returns the source of the grammar. `None` for an artifact.
    pub fn source(&self) -> Option<&GrammarSource> {
        match &self.form {
            Form::Source(source) => Some(source),
            Form::Artifact(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use grammarc_json::JsonSchema;
    use grammarc_runtime::ByteMatcher;
    use serde_json::json;

    use super::Grammar;
    use crate::testing::grammars;

    /// Compiles a grammar for the small vocabulary, and says of each text whether it is one of the grammar's.
    fn judge(grammar: &Grammar, accepted: &[&str], refused: &[&str]) {
        let compiled = grammars().compile(grammar, None).unwrap_or_else(|error| panic!("{error}"));
        for (texts, expected) in [(accepted, true), (refused, false)] {
            for text in texts {
                let mut matcher = ByteMatcher::new(&compiled);
                let is_text = matcher.accept(text.as_bytes()).is_ok() && matcher.is_accepting();
                assert_eq!(is_text, expected, "{text:?} of {:?}", grammar.source());
            }
        }
    }

    #[test]
    fn json_is_any_value_and_one() {
        let accepted = ["null", "-1.5e3", r#"{"a": [true, "é\n"]}"#, "[]"];
        judge(
            &Grammar::json(),
            &accepted,
            &["", "{", "nul", "01", "[1,]", "{} {}", "{'a': 1}", r#""\u00e9""#],
        );
        let compact = Grammar::json().with_options(crate::json_mode::compact());
        judge(&compact, &[r#"{"a":[1,2]}"#], &[r#"{"a": [1, 2]}"#]);
    }

    #[test]
    fn lines_of_json_are_values_of_their_schema() {
        let accepted = ["1", "1\n2", "{\"a\": 1}\n[]\n\"x\\ny\"", "1\n2\n"];
        judge(&Grammar::jsonl(None), &accepted, &["1 2", "1\n\n2", "{\n}", "1,\n2"]);
        let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": false});
        let schema = JsonSchema::from_value(schema).unwrap();
        let lines = Grammar::jsonl(Some(&schema));
        judge(
            &lines,
            &[r#"{"a": 1}"#, "{\"a\": 1}\n{\"a\": 2}"],
            &["1", "{}", "{\"a\": 1}\n{\"a\": \"x\"}"],
        );
        let branch = |kind: &str| json!({"type": "object", "properties": {"a": {"type": "integer"}, "type": {"const": kind}}, "required": ["a", "type"], "additionalProperties": false});
        let union = JsonSchema::from_value(json!({"oneOf": [branch("x"), branch("y")]})).unwrap();
        let (first, last) = (r#"{"type": "y", "a": 1}"#, r#"{"a": 1, "type": "y"}"#);
        judge(&Grammar::jsonl(Some(&union)), &[first], &[last]);
        let two = lines
            .with_options([("min-items".to_owned(), json!(2)), ("max-items".to_owned(), json!(2))]);
        judge(
            &two,
            &["{\"a\": 1}\n{\"a\": 2}"],
            &["{\"a\": 1}", "{\"a\": 1}\n{\"a\": 2}\n{\"a\": 3}"],
        );
    }

    #[test]
    fn lines_of_json_are_the_same_in_gbnf() {
        let branch = |kind: &str| json!({"type": "object", "properties": {"a": {"type": "integer"}, "type": {"const": kind}}, "required": ["a", "type"], "additionalProperties": false});
        let schemas = [
            None,
            Some(json!(true)),
            Some(json!({})),
            Some(json!({"type": "integer"})),
            Some(json!({"oneOf": [branch("x"), branch("y")]})),
        ];
        let texts = [
            "",
            "1",
            "1\n",
            "1\n2",
            "1\n\n2",
            "1 2",
            "{\n}",
            "{}\n[1, 2]",
            "[1,2]",
            "\n1",
            "x",
            "\"1\\n\"\n",
            "{\"type\": \"y\", \"a\": 1}",
            "{\"a\": 1, \"type\": \"y\"}",
            "{\"type\":\"x\",\"a\":1}\n",
            "{\"type\": \"y\", \"a\": 1}\n{\"type\": \"x\", \"a\": 2}",
        ];
        for schema in schemas {
            let schema = schema.map(|schema| JsonSchema::from_value(schema).unwrap());
            let gbnf = Grammar::jsonl_gbnf(schema.as_ref());
            let [own, gbnf] =
                [Grammar::jsonl(schema.as_ref()), Grammar::from_gbnf(&gbnf)].map(|grammar| {
                    grammars().compile(&grammar, None).unwrap_or_else(|error| panic!("{error}"))
                });
            for text in texts {
                // Byte by byte, so that a difference within a text is found as well.
                let read = |grammar| {
                    let mut matcher = ByteMatcher::new(grammar);
                    let bytes = text.bytes().map(|byte| matcher.accept(&[byte]).is_ok());
                    let bytes: Vec<bool> = bytes.collect();
                    (bytes, matcher.is_accepting())
                };
                assert_eq!(read(&own), read(&gbnf), "{text:?} of {schema:?}");
            }
        }
        // A schema that takes nothing has no text in either form.
        let none = JsonSchema::from_value(json!(false)).unwrap();
        for grammar in
            [Grammar::jsonl(Some(&none)), Grammar::from_gbnf(&Grammar::jsonl_gbnf(Some(&none)))]
        {
            assert!(grammars().compile(&grammar, None).is_err());
        }
    }

    #[test]
    fn records_have_as_many_fields_as_is_said() {
        judge(
            &Grammar::csv(None),
            &["a,b\nc", "\"a,\"\"\n\",b", "a\r\nb\r\n"],
            &["\"a", "a\"b", "\"a\"b"],
        );
        judge(&Grammar::csv(Some(2)), &["a,b", ",\nc,\"d,e\""], &["a", "a,b\nc", "a,b,c"]);
        let names = json!(["id", "name"]);
        let named = Grammar::csv(None).with_options([("columns".to_owned(), names)]);
        judge(&named, &["id,name", "id,name\n1,x\n"], &["1,x", "name,id\n1,x", "id,name\n1"]);
        let tabs = Grammar::csv(Some(2)).with_options([("separator".to_owned(), json!("\t"))]);
        judge(&tabs, &["a\tb,c"], &["a,b"]);
    }

    #[test]
    fn elements_have_the_names_that_are_given() {
        let named = Grammar::xml(&["a", "b"]);
        let accepted = ["<a></a>", "<a>x &lt; y<b>z</b></a>", "<b/>"];
        judge(
            &named,
            &accepted,
            &["<c></c>", "<a></b>", "<a>", "<a>x & y</a>", "x", "<a></a><b></b>"],
        );
        // Without names an end tag may differ, which the report says.
        judge(&Grammar::xml(&[]), &["<any><other/></any>", "<a></b>"], &["<a>", "<1></1>"]);
        let with = named.with_options([("attributes".to_owned(), json!(["id"]))]);
        judge(&with, &["<a id=\"1\"></a>", "<a></a>"], &["<a no=\"1\"></a>", "<a id=1></a>"]);
    }

    #[test]
    fn options_that_a_grammar_does_not_have_are_refused() {
        let wrong = [
            Grammar::csv(Some(0)),
            Grammar::xml(&["1"]),
            Grammar::xml(&["a"]).with_options([("columns".to_owned(), json!(2))]),
            Grammar::jsonl(None).with_options([("line".to_owned(), json!({"type": "frob"}))]),
            Grammar::json().with_options([("frob".to_owned(), json!(1))]),
        ];
        for grammar in wrong {
            let refused = grammars().compile(&grammar, None);
            assert!(refused.is_err(), "{:?}", grammar.source());
        }
    }
}
