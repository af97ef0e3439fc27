//! The packs of this crate, by name and alias.

use std::sync::{Arc, LazyLock};

use grammarc_grammar::suggest::nearest;

use super::{Pack, own};

/// The texts of the packs, in the order in which targets are listed.
const TEXTS: [&str; 13] = [
    include_str!("../../packs/openai-strict.json"),
    include_str!("../../packs/anthropic-strict.json"),
    include_str!("../../packs/anthropic-tools.json"),
    include_str!("../../packs/gemini.json"),
    include_str!("../../packs/gemini-openapi.json"),
    include_str!("../../packs/bedrock.json"),
    include_str!("../../packs/cohere.json"),
    include_str!("../../packs/mistral.json"),
    include_str!("../../packs/llama.cpp.json"),
    include_str!("../../packs/ollama.json"),
    include_str!("../../packs/xgrammar.json"),
    include_str!("../../packs/llguidance.json"),
    include_str!("../../packs/outlines.json"),
];

/// An error of [`pack()`]: no pack has the name of a target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no target `{name}`{}; the targets are {}", near(nearest), .known.join(", "))]
pub struct UnknownTarget {
    /// The name that was asked for.
    pub name: String,
    /// The nearest known name.
    pub nearest: Option<String>,
    /// All known names and aliases.
    pub known: Vec<String>,
}

fn near(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |near| format!(": did you mean `{near}`?"))
}

/// Returns all packs of this crate.
pub fn packs() -> &'static [Arc<Pack>] {
    static PACKS: LazyLock<Vec<Arc<Pack>>> = LazyLock::new(|| {
        // A test parses every text, so none is left out here.
        let parsed = TEXTS.iter().filter_map(|text| Pack::parse(text).ok());
        parsed.chain([own::pack()]).map(Arc::new).collect()
    });
    &PACKS
}

/// Returns the pack of a target by its name or an alias. Case does not matter.
///
/// # Errors
///
/// No pack has the name. The error has the nearest name and all names.
pub fn pack(name: &str) -> Result<Arc<Pack>, UnknownTarget> {
    let wanted = name.to_ascii_lowercase();
    let names = |pack: &'static Arc<Pack>| [&pack.target].into_iter().chain(&pack.aliases);
    if let Some(pack) = packs().iter().find(|pack| names(pack).any(|known| *known == wanted)) {
        return Ok(Arc::clone(pack));
    }
    let known: Vec<String> = packs().iter().flat_map(names).cloned().collect();
    let nearest = nearest(&wanted, known.iter().map(String::as_str)).map(str::to_owned);
    Err(UnknownTarget { name: name.to_owned(), nearest, known })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_a_pack() {
        for text in TEXTS {
            if let Err(error) = Pack::parse(text) {
                panic!("{}: {error}", &text[..60]);
            }
        }
        assert_eq!(packs().len(), TEXTS.len() + 1);
    }

    #[test]
    fn names_are_found_and_suggested() {
        assert_eq!(pack("Claude").unwrap().target, "anthropic-strict");
        let error = pack("openai-strct").unwrap_err();
        assert_eq!(error.nearest.as_deref(), Some("openai-strict"));
        assert!(error.to_string().contains("did you mean `openai-strict`?"));
    }
}
