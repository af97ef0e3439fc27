//! Tokens at which llama.cpp ends a generation because of their names, whatever the metadata say.
//!
//! Metadata often name one end token for a model that has several, so llama.cpp uses names as well. This has two
//! consequences. Such a token is never text, whatever its type: a text that contained it would be cut there (Qwen's
//! `</s>` has the type normal). If its type is control, it is an end token.

/// The names of tokens at which llama.cpp ends a generation.
const NAMES: [&str; 22] = [
    "</s>",
    "<EOT>",
    "<end_of_turn>",
    "<end_of_utterance>",
    "<eos>",
    "<turn|>",
    "<|call|>",
    "<|calls|>",
    "<|end_of_text|>",
    "<|endoftext|>",
    "<|end|>",
    "<|eom_id|>",
    "<|eot_id|>",
    "<|flush|>",
    "<|im_end|>",
    "<|return|>",
    "<|tool_response>",
    "<｜end▁of▁sentence｜>",
    "[EOS]",
    "[EOT]",
    "[e~[",
    "_<EOT>",
];

/// The token that ends a message. It does not end the turn if the vocabulary has one of the pairs in [`CALLS`].
const MESSAGE: &str = "<|end|>";

/// Pairs of tokens that end turns. In a vocabulary with both tokens of a pair, a turn consists of several messages.
const CALLS: [[&str; 2]; 4] = [
    ["<|return|>", "<|call|>"],
    ["<|return|>", "<|calls|>"],
    ["<|flush|>", "<|call|>"],
    ["<|flush|>", "<|calls|>"],
];

/// Whether llama.cpp ends a generation at a token of this name.
pub(super) fn ends_by_name(name: &[u8]) -> bool {
    NAMES.iter().any(|end| end.as_bytes() == name)
}

/// Returns the ids of the end tokens by name, among the given control tokens.
pub(super) fn ids<'t>(
    control: impl Iterator<Item = (u32, &'t [u8])> + Clone,
) -> impl Iterator<Item = u32> {
    let has = |name: &str| control.clone().any(|(_, token)| token == name.as_bytes());
    let messages = CALLS.iter().any(|pair| pair.iter().all(|name| has(name)));
    let ends = control.filter(|(_, name)| ends_by_name(name));
    ends.filter(move |(_, name)| !(messages && *name == MESSAGE.as_bytes())).map(|(id, _)| id)
}
