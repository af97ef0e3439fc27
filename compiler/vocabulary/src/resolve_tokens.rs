//! Resolves a draft to a token table, by the rules that hold for every format.
//!
//! The steps, each of which uses the results before it:
//!
//! - special tokens given as options;
//! - a kind for each id, by the rules of `Role` and `names`;
//! - kinds given as options;
//! - end tokens;
//! - the logit width, which may drop ids;
//! - findings about what the result can and cannot spell.

use grammarc_artifacts::sections::vocabulary::TokenKind;
use rustc_hash::FxHashMap;

use grammarc_grammar::diagnostics::{Diagnostic, Severity};

use super::draft::{Draft, MAX_ID, Role, Slot};
use super::error::VocabularyError;
use super::findings::{families, ranges, readable};
use super::names::{is_marker, is_markup, is_padding, is_reserved};
use super::options::{EndToken, Tokens, VocabularyOptions, like};
use super::table::{TokenEntry, TokenTable};

/// Resolves a draft to a token table: decides the kind of each token, the end tokens and the logit width. Fails if an
/// option contradicts the draft, or if no token is text.
pub(super) fn resolve(
    mut draft: Draft,
    options: &VocabularyOptions,
) -> Result<TokenTable, VocabularyError> {
    if let Some(name) = &options.name {
        draft.name.clone_from(name);
    }
    for (text, id) in &options.special_tokens {
        draft.claim(*id, text.clone().into_bytes(), Role::Control)?;
    }
    let mut kinds: Vec<TokenKind> = draft.slots.iter().map(kind_of).collect();
    override_kinds(&draft, options, &mut kinds)?;
    let end_tokens = end_tokens(&mut draft, options, &kinds)?;
    for &id in &end_tokens {
        make_special(&mut draft, options, &mut kinds, id);
    }
    let logit_width = fit_width(&mut draft, options, &mut kinds, &end_tokens)?;
    report(&mut draft, &kinds, &end_tokens);
    if !kinds.contains(&TokenKind::Text) {
        return Err(VocabularyError::NoText { name: draft.name });
    }
    let tokens = draft
        .slots
        .into_iter()
        .zip(kinds)
        .map(|(slot, kind)| TokenEntry { bytes: slot.bytes, kind });
    Ok(TokenTable {
        name: draft.name,
        tokens: tokens.collect(),
        end_tokens,
        logit_width,
        findings: draft.findings,
    })
}

/// Returns the kind of a token, by what its source says about it and by its name.
fn kind_of(slot: &Slot) -> TokenKind {
    let added_marker = || {
        let is_control = |text| is_marker(text) && !is_markup(text);
        slot.role == Role::Added && str::from_utf8(&slot.bytes).is_ok_and(is_control)
    };
    if slot.bytes.is_empty() || slot.role <= Role::Unused || is_padding(&slot.bytes) {
        TokenKind::Unused
    } else if slot.role == Role::Control || added_marker() || is_reserved(&slot.bytes) {
        TokenKind::Special
    } else {
        TokenKind::Text
    }
}

fn override_kinds(
    draft: &Draft,
    options: &VocabularyOptions,
    kinds: &mut [TokenKind],
) -> Result<(), VocabularyError> {
    let mut given: FxHashMap<u32, TokenKind> = FxHashMap::default();
    for (tokens, kind) in &options.kinds {
        let kind = *kind;
        let (option, word) = match kind {
            TokenKind::Text => ("the list of text ids", "text"),
            TokenKind::Special => ("the list of special ids", "special"),
            TokenKind::Unused => ("the list of unused ids", "unused"),
        };
        for id in chosen(draft, tokens, option)? {
            let slot = known(draft, id, option)?;
            let refuse = |problem| Err(VocabularyError::Kind { id, kind: word, problem });
            if *given.entry(id).or_insert(kind) != kind {
                return refuse("another option gives it another kind");
            }
            if slot.bytes.is_empty() && kind == TokenKind::Text {
                return refuse("it has no bytes to spell");
            }
            kinds[id as usize] = kind;
        }
    }
    Ok(())
}

/// Returns the ids that a selection of tokens names. Fails if the vocabulary lacks an id, or if no token matches the
/// pattern.
fn chosen(
    draft: &Draft,
    tokens: &Tokens,
    option: &'static str,
) -> Result<Vec<u32>, VocabularyError> {
    match tokens {
        Tokens::Id(id) => Ok(vec![*id]),
        Tokens::Range(first, last) => {
            known(draft, *last, option)?;
            Ok((*first..=*last).collect())
        }
        Tokens::Like(pattern) => {
            let slots = (0..)
                .zip(&draft.slots)
                .filter(|(_, slot)| !matches!(slot.role, Role::Hole | Role::Learned));
            let fits =
                |slot: &Slot| str::from_utf8(&slot.bytes).is_ok_and(|text| like(text, pattern));
            let ids: Vec<u32> = slots.filter(|(_, slot)| fits(slot)).map(|(id, _)| id).collect();
            if ids.is_empty() {
                let (pattern, name) = (pattern.clone(), draft.name.clone());
                return Err(VocabularyError::NothingLike { option, pattern, name });
            }
            Ok(ids)
        }
    }
}

fn known<'a>(draft: &'a Draft, id: u32, option: &'static str) -> Result<&'a Slot, VocabularyError> {
    draft.slots.get(id as usize).ok_or_else(|| VocabularyError::UnknownId {
        option,
        id,
        name: draft.name.clone(),
        last: (draft.slots.len() as u32).saturating_sub(1),
    })
}

/// Returns the ids of the end tokens, ascending.
///
/// Fails if an end token of the options does not exist or is unused. One that only a file names is left out with a
/// warning, since such files are often copied from another model.
fn end_tokens(
    draft: &mut Draft,
    options: &VocabularyOptions,
    kinds: &[TokenKind],
) -> Result<Vec<u32>, VocabularyError> {
    let mut ids = Vec::new();
    if let Some(ends) = &options.end_tokens {
        for end in ends {
            let id = match end {
                EndToken::Id(id) => *id,
                EndToken::Text(text) => {
                    draft.find(text.as_bytes()).ok_or_else(|| VocabularyError::UnknownEndToken {
                        text: text.clone(),
                        name: draft.name.clone(),
                    })?
                }
            };
            known(draft, id, "the list of end tokens")?;
            if kinds[id as usize] == TokenKind::Unused {
                return Err(VocabularyError::UnusedEndToken { id, name: draft.name.clone() });
            }
            ids.push(id);
        }
    } else {
        for (end, file) in std::mem::take(&mut draft.end_tokens) {
            let (id, word) = match &end {
                EndToken::Id(id) => (Some(*id), id.to_string()),
                EndToken::Text(text) => (draft.find(text.as_bytes()), readable(text.as_bytes())),
            };
            match id
                .filter(|&id| kinds.get(id as usize).is_some_and(|&kind| kind != TokenKind::Unused))
            {
                Some(id) => ids.push(id),
                None => draft.findings.push(Diagnostic::warning(
                    "vocabulary::unknown-end-token",
                    format!(
                        "{file} names the end token {word}, which the vocabulary does not have"
                    ),
                )),
            }
        }
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// Makes an end token special, unless the options state that it is text. Warns if the token looks like ordinary text.
fn make_special(draft: &mut Draft, options: &VocabularyOptions, kinds: &mut [TokenKind], id: u32) {
    let kind = &mut kinds[id as usize];
    if *kind != TokenKind::Text || options.says_text(id) {
        return;
    }
    *kind = TokenKind::Special;
    let bytes = &draft.slots[id as usize].bytes;
    if !str::from_utf8(bytes).is_ok_and(is_marker) {
        draft.findings.push(
            Diagnostic::warning(
                "vocabulary::text-end-token",
                format!(
                    "the end token {} (id {id}) is ordinary text, and no grammar can spell it now",
                    readable(bytes)
                ),
            )
            .with_help("if it should also match as text, list its id among the text ids"),
        );
    }
}

/// Returns the logit width, and drops the ids that have no logit.
///
/// A model may have fewer logits than its tokenizer has ids: Gemma 3 has no logit for its last id, an image marker.
/// Fails if a text token or an end token would be dropped, since then the width is wrong.
fn fit_width(
    draft: &mut Draft,
    options: &VocabularyOptions,
    kinds: &mut Vec<TokenKind>,
    end_tokens: &[u32],
) -> Result<u32, VocabularyError> {
    let ids = draft.slots.len() as u32;
    let (width, origin) = match (options.logit_width, draft.logit_width.take()) {
        (Some(width), _) => (width, "the options".to_owned()),
        (None, Some(named)) => named,
        (None, None) => return Ok(ids),
    };
    if width > MAX_ID + 1 {
        return Err(VocabularyError::WidthTooLarge { width, origin, limit: MAX_ID + 1 });
    }
    if width >= ids {
        return Ok(width);
    }
    let beyond = width as usize;
    let last_text =
        kinds.iter().rposition(|&kind| kind == TokenKind::Text).filter(|&id| id >= beyond);
    let last_end = end_tokens.last().map(|&id| id as usize).filter(|&id| id >= beyond);
    if let Some((id, what)) =
        last_text.map(|id| (id, "text token")).or(last_end.map(|id| (id, "end token")))
    {
        return Err(VocabularyError::WidthTooSmall { width, origin, what, id: id as u32 });
    }
    let dropped = (width..).zip(&draft.slots[beyond..]).filter(|(_, slot)| slot.role != Role::Hole);
    let names = families(dropped.map(|(id, slot)| (id, slot.bytes.as_slice())));
    draft.findings.push(Diagnostic::warning(
        "vocabulary::beyond-width",
        format!("the logit row from {origin} has {width} logits and none for {names}; these ids are dropped"),
    ));
    draft.slots.truncate(beyond);
    kinds.truncate(beyond);
    Ok(width)
}

/// Adds the findings about the resolved vocabulary: markers, padding, unused rows, ids without tokens, and missing
/// bytes.
fn report(draft: &mut Draft, kinds: &[TokenKind], end_tokens: &[u32]) {
    let ids_where = |test: &dyn Fn(&Slot, TokenKind) -> bool| -> Vec<u32> {
        let rows = (0..).zip(draft.slots.iter().zip(kinds));
        rows.filter(|(_, (slot, kind))| test(slot, **kind)).map(|(id, _)| id).collect()
    };
    let named = |ids: &[u32]| {
        families(ids.iter().map(|&id| (id, draft.slots[id as usize].bytes.as_slice())))
    };
    let mut findings = Vec::new();

    let markers = ids_where(&|slot, kind| kind == TokenKind::Special && slot.role < Role::Control);
    let markers: Vec<u32> =
        markers.into_iter().filter(|id| end_tokens.binary_search(id).is_err()).collect();
    if !markers.is_empty() {
        let text = format!(
            "{} ids not flagged special are kept out of text: {}",
            markers.len(),
            named(&markers)
        );
        let help = "names in brackets that the tokenizer does not flag are taken for control markers, but for tags of \
                    HTML; `--text-id` makes them text, by id (`5`), range (`168-237`) or name (`<h*>`)";
        findings.push(Diagnostic::note("vocabulary::control-markers", text).with_help(help));
    }
    let padding = ids_where(&|slot, kind| kind == TokenKind::Unused && is_padding(&slot.bytes));
    if !padding.is_empty() {
        let text = format!("{} padding rows are never allowed: {}", padding.len(), named(&padding));
        findings.push(Diagnostic::note("vocabulary::padding", text));
    }
    let unused = ids_where(&|slot, kind| {
        let reported = slot.bytes.is_empty() || is_padding(&slot.bytes);
        slot.role == Role::Unused && kind == TokenKind::Unused && !reported
    });
    if !unused.is_empty() {
        let text = format!(
            "{} rows that the tokenizer never uses are never allowed: {}",
            unused.len(),
            named(&unused)
        );
        findings.push(Diagnostic::note("vocabulary::unused-rows", text));
    }
    let holes = ids_where(&|slot, _| slot.role == Role::Hole);
    if !holes.is_empty() {
        let text = format!("{} ids have no token: {}", holes.len(), ranges(&holes));
        findings.push(Diagnostic::note("vocabulary::holes", text));
    }
    let empty = ids_where(&|slot, _| slot.role != Role::Hole && slot.bytes.is_empty());
    if !empty.is_empty() {
        let text = format!(
            "{} tokens have no bytes and are never allowed: {}",
            empty.len(),
            ranges(&empty)
        );
        findings.push(Diagnostic::note("vocabulary::empty-tokens", text));
    }
    findings.extend(missing_bytes(&draft.slots, kinds));
    if end_tokens.is_empty() {
        findings.push(
            Diagnostic::warning("vocabulary::no-end-token", "no file names an end token")
                .with_help("name the end tokens, or let the host pass them with each request"),
        );
    }
    draft.findings.append(&mut findings);
}

/// Returns a finding that lists the bytes that are no text token by themselves. Text with such a byte may have no
/// tokens. `None` if all 256 bytes are tokens.
fn missing_bytes(slots: &[Slot], kinds: &[TokenKind]) -> Option<Diagnostic> {
    let mut spelled = [false; 256];
    for (slot, &kind) in slots.iter().zip(kinds) {
        if let ([byte], TokenKind::Text) = (slot.bytes.as_slice(), kind) {
            spelled[usize::from(*byte)] = true;
        }
    }
    let missing: Vec<u8> = (0..=u8::MAX).filter(|&byte| !spelled[usize::from(byte)]).collect();
    if missing.is_empty() {
        return None;
    }
    let list = missing.iter().map(|byte| format!("0x{byte:02X}")).collect::<Vec<_>>().join(", ");
    let text = format!(
        "no token is exactly the byte {list}; text with such a byte may be impossible to spell"
    );
    let mut finding = Diagnostic::note("vocabulary::missing-bytes", text);
    if missing.iter().any(|byte| !matches!(byte, 0xC0 | 0xC1 | 0xF5..)) {
        finding.severity = Severity::Warning;
    }
    Some(finding)
}
