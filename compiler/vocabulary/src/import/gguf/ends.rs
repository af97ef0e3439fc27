//! Tokens at which llama.cpp ends a generation because of their names, whatever the metadata say.
//!
//! Metadata often name one end token where a model has several, so llama.cpp goes by names as well. For a vocabulary this
//! means two things. Such a token is never text, whatever its type: a text that held one would be cut there (Qwen's `</s>`
//! is typed as normal). And where it is typed as a control token, it is an end token.

/// Names of end tokens.
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

/// Ends a message within a turn where there are [tokens](CALLS) that end turns.
const MESSAGE: &str = "<|end|>";

/// Pairs of tokens one of which a vocabulary with messages within turns has.
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

/// The ids of end tokens by name, among control tokens.
pub(super) fn ids<'t>(
    control: impl Iterator<Item = (u32, &'t [u8])> + Clone,
) -> impl Iterator<Item = u32> {
    let has = |name: &str| control.clone().any(|(_, token)| token == name.as_bytes());
    let messages = CALLS.iter().any(|pair| pair.iter().all(|name| has(name)));
    let ends = control.filter(|(_, name)| ends_by_name(name));
    ends.filter(move |(_, name)| !(messages && *name == MESSAGE.as_bytes())).map(|(id, _)| id)
}
