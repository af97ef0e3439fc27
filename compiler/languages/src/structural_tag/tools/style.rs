//! Styles of calls: the notation of calls, text and reasoning of a family of models.
//!
//! A style is a file of `styles`, read once. The sources of its texts are the chat templates of the family, XGrammar
//! 0.2.8 (`builtin_structural_tag.py`) and mistral-common (`instruct.py`). `{name}` is replaced by the name of a tool.
//! Three arrangements cover the families: text with calls in it, alone or within a section; messages with a separator
//! (gpt-oss); one response and then a section (Kimi K3).

use std::sync::LazyLock;

use indexmap::IndexMap;

/// The notation of calls.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Style {
    /// The models, for readers.
    #[expect(dead_code, reason = "read by people, and by the documentation's test")]
    models: String,
    /// Other names of the style.
    aliases: Vec<String>,
    /// Forms of a call to a function; a model may use any.
    pub(super) calls: Vec<Call>,
    /// Forms of a call to a tool that is no function.
    #[serde(default)]
    pub(super) built_in: Vec<Call>,
    /// The notation of arguments: JSON, or a style of members.
    #[serde(default = "json")]
    pub(super) arguments: String,
    /// Markup around all calls.
    pub(super) section: Option<Section>,
    /// Messages, instead of text in which calls stand.
    pub(super) messages: Option<Messages>,
    /// A response in tags, instead of text in which calls stand.
    pub(super) response: Option<Response>,
    /// Tags around text, where the family has such.
    #[serde(default)]
    pub(super) text: Vec<Message>,
    /// Whether nothing but calls may follow the first call.
    #[serde(default)]
    pub(super) calls_end: bool,
    /// Texts that free text may not have.
    #[serde(default)]
    pub(super) excludes: Vec<String>,
    /// Markup around reasoning before the text.
    pub(super) reasoning: Option<Reasoning>,
}

fn json() -> String {
    "json".to_owned()
}

/// A form of a call.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    /// The common beginning of calls of all tools, in text.
    #[serde(default)]
    pub(super) trigger: String,
    /// Before the arguments. The first part is a text.
    pub(super) begin: Vec<Part>,
    /// Behind the arguments. The last part is a text.
    pub(super) end: Vec<Part>,
}

/// A part of what is written.
#[derive(Debug, serde::Deserialize)]
#[serde(untagged)]
pub(super) enum Part {
    /// A text.
    Text(String),
    /// A text that a pattern matches.
    Pattern {
        /// The pattern.
        pattern: String,
    },
}

/// Markup around all calls.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Section {
    /// Whitespace that the family writes before a section without text.
    #[serde(default)]
    pub(super) lead: String,
    /// The beginning in text. By default, the beginning of the section.
    #[serde(default)]
    pub(super) trigger: String,
    pub(super) begin: Vec<Part>,
    #[serde(default)]
    pub(super) separator: String,
    pub(super) end: Vec<Part>,
}

/// Messages, some of them calls.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Messages {
    pub(super) separator: String,
    /// End of a call after which another message follows.
    pub(super) end: String,
    /// Ends of the last message, at which hosts end the turn.
    pub(super) last: Vec<String>,
    pub(super) text: Vec<Message>,
    pub(super) reasoning: Vec<Message>,
}

/// A message of text.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Message {
    pub(super) begin: String,
    pub(super) end: Vec<String>,
}

/// A response in tags.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Response {
    pub(super) begin: String,
    pub(super) end: String,
    /// Text after the calls.
    pub(super) finish: String,
}

/// Markup around reasoning.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reasoning {
    pub(super) begin: String,
    pub(super) end: String,
    /// Text after `end`.
    #[serde(default)]
    pub(super) behind: String,
    /// Texts that reasoning may not have.
    #[serde(default)]
    pub(super) excludes: Vec<String>,
    /// Text of an empty reasoning, optional in an output without reasoning: some models write it, for others the prompt
    /// has it.
    #[serde(default)]
    pub(super) none: String,
}

/// A table of the files of some styles.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../styles/", $name, ".json")))),*]
    };
}

const FILES: [(&str, &str); 21] = files![
    "llama",
    "qwen_3",
    "qwen_3_coder",
    "mistral_v3",
    "mistral_v11",
    "mistral_v13",
    "deepseek_r1",
    "deepseek_v3_1",
    "deepseek_v3_2",
    "deepseek_v4",
    "deepseek_v4_1",
    "harmony",
    "kimi",
    "kimi_k3",
    "glm_4_5",
    "glm_4_7",
    "minimax",
    "cohere",
    "exaone",
    "mimo",
    "plain",
];

static STYLES: LazyLock<IndexMap<&'static str, Style>> = LazyLock::new(|| {
    let read = |text| serde_json::from_str(text).expect("the files of styles are read by a test");
    FILES.into_iter().map(|(name, text)| (name, read(text))).collect()
});

impl Style {
    /// Returns the style of a name or of an alias. Case and punctuation do not count: `Qwen-3` and `qwen3` are
    /// `qwen_3`.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        let name: String = letters(name).collect();
        let is_named = |known: &str| letters(known).eq(name.chars());
        STYLES.iter().find_map(|(known, style)| {
            let mut aliases = style.aliases.iter();
            (is_named(known) || aliases.any(|alias| is_named(alias))).then_some(style)
        })
    }

    /// Returns the names of all styles.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        FILES.into_iter().map(|(name, _)| name)
    }

    /// Returns the styles and aliases for other versions of the same family of models, such as `llama_3_1` for
    /// `llama_4`.
    pub(super) fn other_versions(name: &str) -> Vec<&'static str> {
        let family = |name: &str| {
            let is_version = |c: &char| c.is_ascii_digit() || *c == 'v' || *c == 'p';
            letters(name).filter(|c| !is_version(c)).collect::<String>()
        };
        let own = family(name);
        let aliases = STYLES.values().flat_map(|style| style.aliases.iter().map(String::as_str));
        Self::names().chain(aliases).filter(|known| family(known) == own).collect()
    }
}

/// Returns the letters and digits of a name, in lower case.
fn letters(name: &str) -> impl Iterator<Item = char> + '_ {
    name.chars().filter(|c| c.is_alphanumeric()).map(|c| c.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structural_tag::members;

    #[test]
    fn the_files_are_styles() {
        let aliases = STYLES.values().flat_map(|style| &style.aliases).map(String::as_str);
        let names = Style::names().chain(aliases);
        let mut names: Vec<String> = names.map(|name| letters(name).collect()).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "names are of one style each");
        for (name, style) in &*STYLES {
            let known = style.arguments == "json" || members::named(&style.arguments).is_some();
            assert!(known, "{name}");
            for call in style.calls.iter().chain(&style.built_in) {
                let Some(Part::Text(begin)) = call.begin.first() else {
                    panic!("{name}: begins with a pattern")
                };
                assert!(!matches!(call.end.last(), Some(Part::Pattern { .. })), "{name}");
                let in_text = style.section.is_none() && style.messages.is_none();
                assert_eq!(!call.trigger.is_empty(), in_text, "{name}");
                assert!(begin.starts_with(&call.trigger), "{name}");
            }
            for call in &style.calls {
                let texts = call
                    .begin
                    .iter()
                    .filter(|part| matches!(part, Part::Text(text) if text.contains("{name}")));
                assert_eq!(texts.count(), 1, "{name}");
            }
            if let Some(section) = &style.section {
                let Some(Part::Text(begin)) = section.begin.first() else {
                    panic!("{name}: begins with a pattern")
                };
                assert!(begin.starts_with(&section.trigger), "{name}");
                assert!(matches!(section.end[..], [Part::Text(_)]), "{name}");
            }
        }
    }
}
