//! Interprets the text of a manifest.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Component, Path};
use std::time::Duration;

use glob::Pattern;
use grammarc_compiler::compile::CompileOptions;
use grammarc_compiler::diagnostics::{Diagnostic, Source};
use grammarc_compiler::frontend::deny::{Deny, UnknownDeny};
use grammarc_compiler::frontend::settings::{OPTIONS, OptionValue};
use grammarc_compiler::masks::MaskLimits;
use grammarc_compiler::network::NetworkLimits;
use grammarc_compiler::vocabulary::{EndToken, Tokens, VocabularyOptions, built_in_names};
use toml::Spanned;

use super::fault::wrong;
use super::model::{Group, Limits, Manifest, VocabularyFrom, VocabularySpec};
use super::options::GroupOptions;
use super::raw;

/// Reads a manifest. `root` is the folder of the manifest.
///
/// # Errors
///
/// The first syntax error of TOML, or all errors in values.
pub(crate) fn read(source: Source, root: &Path) -> Result<Manifest, Vec<Diagnostic>> {
    let raw: raw::Manifest = toml::from_str(&source.text).map_err(|error| {
        let span = error.span().unwrap_or_default();
        let message = error.message();
        let message = match key_at(&source.text, &span) {
            Some(key) if !message.contains(key) => format!("{key}: {message}"),
            _ => message.to_owned(),
        };
        vec![Diagnostic::error("manifest::syntax", message).with_label(span, "")]
    })?;
    let mut errors = Vec::new();
    let limits = kept(&mut errors, limits(&raw.limits)).unwrap_or_default();
    let mut names = BTreeMap::new();
    let mut vocabularies = Vec::new();
    for (number, given) in raw.vocabularies.iter().enumerate() {
        vocabularies.extend(kept(&mut errors, vocabulary(root, given)));
        let name = &given.get_ref().name;
        if names.insert(name.get_ref().as_str(), number).is_some() {
            errors.push(wrong("name", name.span(), "another vocabulary has this name"));
        }
    }
    let read = |given| group(root, given, &names);
    let groups: Vec<Group> =
        raw.sources.iter().filter_map(|given| kept(&mut errors, read(given))).collect();
    let end = source.text.len();
    for (is_empty, table) in
        [(raw.vocabularies.is_empty(), "vocabulary"), (raw.sources.is_empty(), "source")]
    {
        if is_empty {
            let message = format!("there is no [[{table}]], so that there is nothing to build");
            let error = Diagnostic::error("manifest::empty", message).with_label(end..end, "");
            errors.push(error);
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let output = raw.output.map(|output| root.join(output.into_inner()));
    let root = root.to_owned();
    Ok(Manifest { source, root, output, limits, vocabularies, groups })
}

/// Returns the value, or pushes its error to `errors` and returns `None`.
fn kept<T>(errors: &mut Vec<Diagnostic>, result: Result<T, Diagnostic>) -> Option<T> {
    result.map_err(|error| errors.push(error)).ok()
}

/// Returns the key of a value, if both are on one line. `span` is the byte range of the value.
fn key_at<'t>(text: &'t str, span: &Range<usize>) -> Option<&'t str> {
    let before = text.get(..span.start)?;
    let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
    let (key, _) = line.split_once('=')?;
    Some(key.trim())
}

fn limits(raw: &raw::Limits) -> Result<Limits, Diagnostic> {
    let (network, masks) = (NetworkLimits::default(), MaskLimits::default());
    let mut limits = Limits::default();
    if let Some(given) = &raw.time_limit {
        let time = Duration::try_from_secs_f64(*given.get_ref());
        limits.time = time.map_err(|error| wrong("time-limit", given.span(), error))?;
    }
    if let Some(mib) = raw.memory_limit {
        limits.memory = mib.saturating_mul(1 << 20);
    }
    limits.options = CompileOptions::default()
        .network_limits(NetworkLimits {
            rule_states: raw.max_rule_states.unwrap_or(network.rule_states),
            states: raw.max_states.unwrap_or(network.states),
            rules: raw.max_rules.unwrap_or(network.rules),
            ..network
        })
        .mask_limits(MaskLimits {
            pairs: raw.max_pairs.unwrap_or(masks.pairs),
            rows: raw.max_rows.unwrap_or(masks.rows),
        });
    Ok(limits)
}

fn vocabulary(root: &Path, given: &Spanned<raw::Vocabulary>) -> Result<VocabularySpec, Diagnostic> {
    let raw = given.get_ref();
    let name = raw.name.get_ref();
    let tame = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if name.is_empty() || name.starts_with('.') || !name.chars().all(tame) {
        let problem = "a name has letters, digits, `.`, `_` and `-`, and does not begin with a `.`";
        return Err(wrong("name", raw.name.span(), problem));
    }
    let from = match (&raw.tokenizer, &raw.file) {
        (Some(tokenizer), None) => tokenizer_of(root, raw, tokenizer.get_ref()),
        (None, Some(file)) => {
            let option = [
                ("end-tokens", !raw.end_tokens.is_empty()),
                ("logit-width", raw.logit_width.is_some()),
                ("text-ids", !raw.text_ids.is_empty()),
                ("special-ids", !raw.special_ids.is_empty()),
                ("unused-ids", !raw.unused_ids.is_empty()),
                ("special-tokens", !raw.special_tokens.is_empty()),
            ];
            if let Some((key, _)) = option.into_iter().find(|(_, given)| *given) {
                let problem = "it is for a tokenizer, and a vocabulary artifact cannot be changed";
                return Err(wrong(key, given.span(), problem));
            }
            VocabularyFrom::File(root.join(file.get_ref()))
        }
        _ => {
            let problem = "it has either a `tokenizer` or a `file`, which is a vocabulary artifact";
            return Err(wrong("vocabulary", given.span(), problem));
        }
    };
    let span = [&raw.tokenizer, &raw.file].into_iter().flatten().next().map(Spanned::span);
    Ok(VocabularySpec { name: name.clone(), from, span: span.unwrap_or_default() })
}

fn tokenizer_of(root: &Path, raw: &raw::Vocabulary, tokenizer: &str) -> VocabularyFrom {
    let is_built_in = built_in_names().any(|name| name == tokenizer);
    let spec = match is_built_in {
        true => tokenizer.to_owned(),
        false => root.join(tokenizer).to_string_lossy().into_owned(),
    };
    let tokens = |given: &[raw::Token]| -> Vec<Tokens> {
        let tokens = given.iter().map(|token| match token {
            raw::Token::Id(id) => Tokens::Id(*id),
            raw::Token::Text(text) => Tokens::from(text.as_str()),
        });
        tokens.collect()
    };
    let ends = raw.end_tokens.iter().map(|token| match token {
        raw::Token::Id(id) => EndToken::Id(*id),
        raw::Token::Text(text) => EndToken::Text(text.clone()),
    });
    let ends: Vec<EndToken> = ends.collect();
    let kinds = [&raw.text_ids, &raw.special_ids, &raw.unused_ids].map(|given| tokens(given));
    let special: Vec<_> = raw.special_tokens.iter().map(|one| (&one.text, one.id)).collect();
    let described = format!("{ends:?} {:?} {kinds:?} {special:?}", raw.logit_width);
    let [text, special_ids, unused] = kinds;
    let mut options = VocabularyOptions::new()
        .name(raw.name.get_ref())
        .text_ids(text)
        .special_ids(special_ids)
        .unused_ids(unused);
    if let Some(width) = raw.logit_width {
        options = options.logit_width(width);
    }
    if !ends.is_empty() {
        options = options.end_tokens(ends);
    }
    for (text, id) in special {
        options = options.special_token(text, id);
    }
    VocabularyFrom::Tokenizer { spec, options: Box::new(options), described }
}

fn group(
    root: &Path,
    given: &Spanned<raw::Group>,
    names: &BTreeMap<&str, usize>,
) -> Result<Group, Diagnostic> {
    let raw = given.get_ref();
    if let Some(key) = raw.unknown.first() {
        let options = OPTIONS.iter().filter(|row| row.value != OptionValue::ByName);
        let known: Vec<&str> = raw::KEYS.into_iter().chain(options.map(|row| row.name)).collect();
        let message = format!("unknown key `{}`", key.get_ref());
        return Err(Diagnostic::error("manifest::syntax", message)
            .with_label(key.span(), "")
            .with_help(format!("the keys are {}", known.join(", "))));
    }
    if raw.files.is_empty() {
        return Err(wrong("files", given.span(), "there is no pattern in it"));
    }
    let pattern = |key: &str, given: &Spanned<String>| {
        Pattern::new(given.get_ref()).map_err(|error| wrong(key, given.span(), error))
    };
    raw.files.iter().try_for_each(|one| pattern("files", one).map(|_| ()))?;
    let exclude: Result<_, _> = raw.exclude.iter().map(|one| pattern("exclude", one)).collect();
    let folder = match &raw.folder {
        None => Path::new(""),
        Some(folder) => {
            let path = Path::new(folder.get_ref());
            let tame = path.components().all(|part| matches!(part, Component::Normal(_)));
            if !tame || folder.get_ref().is_empty() {
                let problem = "it is a folder within that of each vocabulary";
                return Err(wrong("folder", folder.span(), problem));
            }
            path
        }
    };
    let vocabularies = match &raw.vocabularies {
        None => (0..names.len()).collect(),
        Some(wanted) => {
            let find = |one: &Spanned<String>| {
                let unknown = || {
                    let known: Vec<&str> = names.keys().copied().collect();
                    let problem = format!("no vocabulary is called {:?}", one.get_ref());
                    wrong("vocabularies", one.span(), problem)
                        .with_help(format!("there are {}", known.join(", ")))
                };
                names.get(one.get_ref().as_str()).copied().ok_or_else(unknown)
            };
            let mut found = wanted.iter().map(find).collect::<Result<Vec<_>, _>>()?;
            found.sort_unstable();
            found.dedup();
            found
        }
    };
    let deny = |one: &Spanned<String>| {
        one.get_ref().parse().map_err(|error: UnknownDeny| wrong("deny", one.span(), error))
    };
    Ok(Group {
        files: raw.files.iter().map(|one| (one.get_ref().clone(), one.span())).collect(),
        exclude: exclude?,
        folder: folder.to_owned(),
        vocabularies,
        kind: raw.kind.as_ref().map(|kind| *kind.get_ref()),
        options: GroupOptions::read(root, raw)?,
        deny: raw.deny.iter().map(deny).collect::<Result<Vec<Deny>, _>>()?,
        span: given.span(),
    })
}
