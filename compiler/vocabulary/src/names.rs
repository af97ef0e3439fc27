//! Decides by its name whether a token is a control token.
//!
//! The `special` flag of a tokenizer file says whether a decoder hides the token, not whether it is a control token.
//! Real files leave `<think>`, `<|fim_prefix|>`, `<｜User｜>` and `[multimodal]` unflagged. So the name counts too, in
//! the safe direction only: it can make an added token special, never text. HTML markup is an exception. A model writes
//! `<b>` and `</code>` as text (Gemma's are unflagged added tokens), so they stay text. Elements of media are not
//! treated as markup, because multimodal models mark their inputs by such names.

/// The pairs of opening and closing characters that tokenizers put around control markers.
const BRACKETS: [(char, char); 5] =
    [('<', '>'), ('[', ']'), ('|', '|'), ('｜', '｜'), ('＜', '＞')];

/// The names of SentencePiece's control pieces.
const CONTROL_PIECES: [&str; 7] = ["<unk>", "<s>", "</s>", "<pad>", "<bos>", "<eos>", "<mask>"];

/// Whether an added token with this text looks like a control marker: in brackets, with a letter or digit inside.
pub(super) fn is_marker(text: &str) -> bool {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '▁');
    BRACKETS.iter().any(|&(open, close)| {
        text.strip_prefix(open)
            .and_then(|rest| rest.strip_suffix(close))
            .is_some_and(|inside| inside.chars().any(char::is_alphanumeric))
    })
}

/// The HTML elements that contain or arrange text, sorted. Elements of media are left out, since models name their
/// inputs so (`<img>`, `<video>`). So is `<s>`, which begins a sequence.
const MARKUP: &[&str] = &[
    "a",
    "abbr",
    "address",
    "article",
    "aside",
    "b",
    "blockquote",
    "body",
    "br",
    "button",
    "caption",
    "cite",
    "code",
    "col",
    "colgroup",
    "dd",
    "del",
    "details",
    "dfn",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "i",
    "iframe",
    "input",
    "ins",
    "kbd",
    "label",
    "li",
    "main",
    "mark",
    "nav",
    "ol",
    "option",
    "p",
    "pre",
    "q",
    "samp",
    "section",
    "select",
    "small",
    "span",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "u",
    "ul",
    "var",
];

/// Whether a text is the tag of an HTML element in [`MARKUP`], such as `<b>` or `</code>`.
pub(super) fn is_markup(text: &str) -> bool {
    let inside = text.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    let name = inside.map(|inside| inside.strip_prefix('/').unwrap_or(inside));
    name.is_some_and(|name| MARKUP.binary_search(&name).is_ok())
}

/// Whether a text is the name of a SentencePiece control piece.
///
/// Only for vocabularies of that family: byte-level vocabularies such as Qwen's learn `<s>` from HTML, as text.
pub(super) fn is_control_piece(text: &str) -> bool {
    CONTROL_PIECES.contains(&text)
}

/// Whether a name is that of a padding row, such as `[PAD151646]`. A bare `[PAD]` is a control token.
pub(super) fn is_padding(name: &[u8]) -> bool {
    name.strip_prefix(b"[PAD").and_then(|rest| rest.strip_suffix(b"]")).is_some_and(is_number)
}

/// Whether a name is that of a row reserved for later use, such as `<unused7>` or `<reserved_106>`.
pub(super) fn is_reserved(name: &[u8]) -> bool {
    [&b"<unused"[..], b"<unused_", b"<reserved", b"<reserved_"].iter().any(|prefix| {
        name.strip_prefix(*prefix).and_then(|rest| rest.strip_suffix(b">")).is_some_and(is_number)
    })
}

fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_bracketed_words() {
        let markers = [
            "<think>",
            "</tool_call>",
            "<|fim_prefix|>",
            "<｜User｜>",
            "｜end｜",
            "[INST]",
            "[/INST]",
            "|||EMAIL|||",
            "<table>",
            " <mask> ",
            "＜s＞",
        ];
        for text in markers {
            assert!(is_marker(text), "{text}");
        }
        for text in
            ["\n\n", "▁▁", "<", "<>", "[]", "[", "||", "|", "<=>", "a < b >", "word", "õ", ""]
        {
            assert!(!is_marker(text), "{text}");
        }
    }

    #[test]
    fn markup_is_distinguished_from_markers() {
        assert!(MARKUP.is_sorted());
        for text in ["<b>", "</code>", "<table>", "</h6>"] {
            assert!(is_markup(text), "{text}");
        }
        for text in ["<s>", "<img>", "<think>", "<h7>", "b", "< b>", "<mask>", "<//b>"] {
            assert!(!is_markup(text), "{text}");
        }
    }

    #[test]
    fn padding_and_reserved_rows_are_numbered() {
        assert!(is_padding(b"[PAD0]") && is_padding(b"[PAD151646]"));
        assert!(!is_padding(b"[PAD]") && !is_padding(b"[PADX]") && !is_padding(b"[PAD12"));
        assert!(
            is_reserved(b"<unused12>")
                && is_reserved(b"<reserved_106>")
                && is_reserved(b"<unused_3>")
        );
        assert!(!is_reserved(b"<unused>") && !is_reserved(b"<reserved_x>"));
    }
}
