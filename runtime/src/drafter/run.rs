//! The draft of one position: forced tokens, and forced bytes as the model's tokenizer encodes them.
//!
//! Forced bytes are encoded together with the last tokens of the output, since a tokenizer may spell a text otherwise
//! behind another one. The last tokens have to be the tokenizer's own spelling of their text. If the tokenizer would
//! join them with the forced bytes, there is no draft: the output has these tokens already.
//!
//! Cost: the encodings, and a step for each token.

use grammarc_artifacts::TokenKind;

use crate::matcher::Matcher;
use crate::vocabulary::Vocabulary;

/// Most tokens of a draft. Hosts verify from 3 to 16 at once.
pub const MAX_DRAFT: usize = 64;

/// Most forced bytes that are encoded at once. A draft has room for them in most tokenizers.
const MOST_BYTES: usize = 256;

/// How many of the last tokens are encoded together with forced bytes, in the order of the attempts. With 0, the bytes
/// are encoded alone.
const CONTEXTS: [usize; 3] = [6, 1, 0];

/// Returns the draft after the tokens `last` at a matcher's position, at most `most` tokens. Each token of it is allowed
/// after those before.
pub(super) fn of(
    matcher: &Matcher,
    last: &[u32],
    most: usize,
    encode: &dyn Fn(&str) -> Option<Vec<u32>>,
) -> Vec<u32> {
    let mut ahead = matcher.fork();
    let known = last.len().min(CONTEXTS[0]);
    // The last tokens, and the draft after them.
    let mut tokens = last[last.len() - known..].to_vec();
    let (mut run, mut bytes) = (Vec::new(), Vec::new());
    while tokens.len() - known < most {
        let room = most - (tokens.len() - known);
        ahead.forced_tokens_within(room, &mut run);
        if run.is_empty() {
            // One byte more tells whether the run goes on behind the cut.
            ahead.forced_bytes_within(MOST_BYTES + 1, &mut bytes);
            let vocabulary = ahead.grammar().vocabulary();
            run = text_of(&bytes)
                .and_then(|text| encoded(text, &tokens, vocabulary, encode))
                .unwrap_or_default();
            if bytes.len() > MOST_BYTES {
                // Behind the cut, the tokenizer may go on with the last token.
                run.pop();
            }
        }
        run.truncate(room);
        let accepted = match ahead.accept_many(&run) {
            Ok(()) => run.len(),
            Err(error) => error.accepted,
        };
        tokens.extend_from_slice(&run[..accepted]);
        if accepted == 0 || accepted < run.len() {
            break;
        }
    }
    tokens.split_off(known)
}

/// Returns the text of forced bytes: whole characters, at most [`MOST_BYTES`]. `None` if there is none, or if the bytes
/// begin within a character.
fn text_of(bytes: &[u8]) -> Option<&str> {
    let bytes = &bytes[..bytes.len().min(MOST_BYTES)];
    let text = bytes.utf8_chunks().next().map(|chunk| chunk.valid())?;
    (!text.is_empty()).then_some(text)
}

/// Returns the tokens of `text` behind the tokens `before`. `None` if the tokenizer cannot encode the text byte for
/// byte, or would join it with the tokens before.
fn encoded(
    text: &str,
    before: &[u32],
    vocabulary: &Vocabulary,
    encode: &dyn Fn(&str) -> Option<Vec<u32>>,
) -> Option<Vec<u32>> {
    let artifact = vocabulary.artifact();
    let is_text = |token: &&u32| artifact.token_kind(**token) == TokenKind::Text;
    let usable = before.iter().rev().take_while(is_text).count();
    let spell = |tokens: &[u32]| -> Vec<u8> {
        tokens.iter().flat_map(|&token| vocabulary.token_bytes(token)).copied().collect()
    };
    CONTEXTS.into_iter().filter(|&count| count <= usable).find_map(|count| {
        let context = &before[before.len() - count..];
        let mut all = String::from_utf8(spell(context)).ok()?;
        // Without tokens before, there is nothing to spell.
        if count > 0 && encode(&all)? != context {
            return None;
        }
        all.push_str(text);
        let tokens = encode(&all)?;
        let rest = tokens.strip_prefix(context).filter(|rest| spell(rest) == text.as_bytes());
        Some(rest.map(<[u32]>::to_vec))
    })?
}
