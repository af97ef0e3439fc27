//! Styles of tool calls: how a family of models writes calls, text and reasoning.
//!
//! A style is a file of `styles`, read once. The sources of its texts are the chat templates of the family, XGrammar
//! 0.2.8 (`builtin_structural_tag.py`) and mistral-common (`instruct.py`). `{name}` is replaced by the name of a tool.
//!
//! Three arrangements cover the families:
//!
//! - text with calls in it, alone or within a section;
//! - messages with a separator (gpt-oss);
//! - one response and then a section (Kimi K3).

use std::sync::LazyLock;

use indexmap::IndexMap;

/// How a family of models writes tool calls, and the text and reasoning around them.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Style {
    /// The models of the family, as a note for people.
    #[expect(dead_code, reason = "read by people, and by the documentation's test")]
    models: String,
    /// Other names of the style, one for each model or version.
    aliases: Vec<String>,
    /// A marker with `{suffix}`, by which the suffix of the vocabulary's markers is found. `None` if markers have no
    /// suffix. In all other texts, `{suffix}` is replaced by the suffix.
    #[serde(default)]
    pub(super) suffix: Option<String>,
    /// The forms of a call to a function. A model may use any of them.
    pub(super) calls: Vec<Call>,
    /// The forms of a call to a built-in tool, which is no function. Empty if the family has none.
    #[serde(default)]
    pub(super) built_in: Vec<Call>,
    /// The notation of arguments: `json`, or the name of a style that writes members as tags.
    #[serde(default = "json")]
    pub(super) arguments: String,
    /// The markup around all calls. `None` if calls stand in the text directly.
    pub(super) section: Option<Section>,
    /// The notation of messages, for families whose outputs consist of messages. `None` for others.
    pub(super) messages: Option<Messages>,
    /// The tags around the text before the calls, for families that put the text in tags. `None` for others.
    pub(super) response: Option<Response>,
    /// Tags within which text may also stand, for families that have them.
    #[serde(default)]
    pub(super) text: Vec<Message>,
    /// A text with `{name}` that begins the calls, for families whose outputs are a text or calls, and not both. Then text
    /// cannot contain the beginning of a call. `None` for other families.
    #[serde(default)]
    pub(super) alone: Option<String>,
    /// Whether only calls may follow the first call.
    #[serde(default)]
    pub(super) calls_end: bool,
    /// Texts that free text may not contain.
    #[serde(default)]
    pub(super) excludes: Vec<String>,
    /// The markup of reasoning before the text. `None` if the family has none.
    pub(super) reasoning: Option<Reasoning>,
}

fn json() -> String {
    "json".to_owned()
}

/// A form of a tool call: the markup before and after the arguments.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    /// The text by which free text leads to the call; `begin` starts with it. Empty if calls are in a section or in
    /// messages.
    #[serde(default)]
    pub(super) trigger: String,
    /// The parts before the arguments. The first part is a fixed text, in which `{name}` is the name of the tool.
    pub(super) begin: Vec<Part>,
    /// The parts after the arguments. The last part is a fixed text.
    pub(super) end: Vec<Part>,
}

/// A part of the markup of a call or section.
#[derive(Debug, serde::Deserialize)]
#[serde(untagged)]
pub(super) enum Part {
    /// A fixed text of the markup.
    Text(String),
    /// A text of the markup that a regular expression matches.
    Pattern {
        /// The regular expression that the text matches.
        pattern: String,
    },
}

/// A section: the markup around all calls of an output.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Section {
    /// Whitespace that the family may write before a section if the output has no text before it.
    #[serde(default)]
    pub(super) lead: String,
    /// The text by which free text leads to the section. If it is empty, the first part of `begin`.
    #[serde(default)]
    pub(super) trigger: String,
    pub(super) begin: Vec<Part>,
    #[serde(default)]
    pub(super) separator: String,
    pub(super) end: Vec<Part>,
}

/// The notation of a family whose outputs consist of messages; some messages are calls.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Messages {
    pub(super) separator: String,
    /// The end of a call after which another message follows.
    pub(super) end: String,
    /// The ends of the last message, at which hosts end the turn.
    pub(super) last: Vec<String>,
    pub(super) text: Vec<Message>,
    pub(super) reasoning: Vec<Message>,
}

/// The markup of a message that contains text: its beginning and its possible ends.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Message {
    pub(super) begin: String,
    pub(super) end: Vec<String>,
}

/// The tags in which a family writes the text of a response, before the calls.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Response {
    pub(super) begin: String,
    pub(super) end: String,
    /// The text after the calls, at the end of the output.
    pub(super) finish: String,
}

/// The markup that a family of models writes around reasoning.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reasoning {
    pub(super) begin: String,
    pub(super) end: String,
    /// The text between `end` and the rest of the output.
    #[serde(default)]
    pub(super) behind: String,
    /// Texts that reasoning may not contain.
    #[serde(default)]
    pub(super) excludes: Vec<String>,
    /// The text of an empty reasoning, or an empty string. It is optional in an output without reasoning: some models
    /// write it, and other prompts contain it.
    #[serde(default)]
    pub(super) none: String,
}

/// Makes a table of the names of styles with the texts of their files.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../styles/", $name, ".json")))),*]
    };
}

const FILES: [(&str, &str); 42] = files![
    "llama",
    "qwen_3",
    "qwen_3_coder",
    "nemotron_3",
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
    "pythonic",
    "lfm_2",
    "olmo_3",
    "hunyuan_a13b",
    "minimax",
    "minimax_m3",
    "hy_v3",
    "cohere",
    "exaone",
    "mimo",
    "seed_oss",
    "longcat",
    "gemma_4",
    "functiongemma",
    "granite_3",
    "phi_4_mini",
    "nemotron_v2",
    "apertus",
    "apriel",
    "functionary_v3_1",
    "minimax_m1",
    "command_r7b",
    "gigachat_3",
    "gigachat_3_1",
    "plain",
];

static STYLES: LazyLock<IndexMap<&'static str, Style>> = LazyLock::new(|| {
    let read = |text| serde_json::from_str(text).expect("the files of styles are read by a test");
    FILES.into_iter().map(|(name, text)| (name, read(text))).collect()
});

impl Style {
    /// Returns the style with a name or alias. Case and punctuation are ignored: `Qwen-3` and `qwen3` are `qwen_3`.
    /// `None` if there is no such style.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        let name: String = letters(name).collect();
        let is_named = |known: &str| letters(known).eq(name.chars());
        STYLES.iter().find_map(|(known, style)| {
            let mut aliases = style.aliases.iter();
            (is_named(known) || aliases.any(|alias| is_named(alias))).then_some(style)
        })
    }

    /// Returns the names of all styles of tool calls, without aliases.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        FILES.into_iter().map(|(name, _)| name)
    }

    /// Returns the styles and aliases of other versions of the same family of models, such as `llama_3_1` for
    /// `llama_4`. Names are of one family if they differ only in digits, `v`, `p` and punctuation.
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

/// Returns the letters and digits of a name in lower case.
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
                assert!(matches!(section.end.last(), Some(Part::Text(_))), "{name}");
            }
        }
    }
}
