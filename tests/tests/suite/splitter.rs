//! Splitting inverts the grammar: an output that is put together from known parts is split into these, however it is cut
//! into tokens.

use grammarc_runtime::{Grammar, Piece, RegionKind, Splitter};
use grammarc_tests::random::Rng;
use serde_json::{Value, json};

use super::calls::{SPECIAL, WORDS, grammar, tokens, transcripts_with_grammars};

/// Pieces in a row as parts: what each is, the call that it is in, and its bytes.
type Part = (Option<RegionKind>, Option<u32>, String);

/// The parts of an output. Markup of several tags in a row is one.
fn parts(pieces: &[Piece]) -> Vec<Part> {
    let mut parts: Vec<(Option<RegionKind>, Option<u32>, Vec<u8>)> = Vec::new();
    for piece in pieces {
        match parts.last_mut() {
            Some((kind, call, bytes))
                if !piece.begins || (kind.is_none() && piece.kind.is_none()) =>
            {
                assert_eq!(*kind, piece.kind, "a piece that goes on is of the same part");
                *call = piece.call.or(*call);
                bytes.extend_from_slice(&piece.bytes);
            }
            _ => {
                assert!(piece.begins || parts.last().is_some(), "the first piece begins");
                parts.push((piece.kind, piece.call, piece.bytes.clone()));
            }
        }
    }
    let text = |bytes| String::from_utf8(bytes).expect("parts are whole characters");
    parts.into_iter().map(|(kind, call, bytes)| (kind, call, text(bytes))).collect()
}

/// The kinds and texts of parts.
fn texts(parts: &[Part]) -> Vec<(Option<RegionKind>, &str)> {
    parts.iter().map(|(kind, _, text)| (*kind, text.as_str())).collect()
}

/// The parts and names of calls of an output that is read token by token.
fn split(grammar: &Grammar, tokens: &[u32]) -> (Vec<Part>, Vec<String>) {
    let mut splitter = Splitter::new(grammar);
    let mut pieces = Vec::new();
    for (at, &token) in tokens.iter().enumerate() {
        let new = splitter.push(token);
        pieces.extend(new.unwrap_or_else(|error| panic!("token {at} of {tokens:?}: {error}")));
    }
    assert!(splitter.is_accepting(), "the output may end: {tokens:?}");
    pieces.extend(splitter.finish());
    assert!(splitter.push(tokens[0]).is_err(), "it has ended");
    let calls = splitter.calls().map(str::to_owned).collect();
    (parts(&pieces), calls)
}

/// The parts and names of calls of an output that is read as text, cut into pieces at random.
fn split_text(rng: &mut Rng, grammar: &Grammar, text: &str) -> (Vec<Part>, Vec<String>) {
    let mut splitter = Splitter::new(grammar);
    let (mut pieces, mut rest) = (Vec::new(), text.as_bytes());
    while !rest.is_empty() {
        let (part, more) = rest.split_at(1 + rng.below(rest.len().min(9)));
        pieces.extend(splitter.push_text(part).unwrap_or_else(|error| panic!("{text:?}: {error}")));
        rest = more;
    }
    assert!(splitter.is_accepting(), "the output may end: {text:?}");
    pieces.extend(splitter.finish());
    assert!(splitter.push_text(b"x").is_err(), "it has ended");
    let calls = splitter.calls().map(str::to_owned).collect();
    (parts(&pieces), calls)
}

/// A text as tokens, special ones as such and the rest at random.
fn cut(rng: &mut Rng, text: &str) -> Vec<u32> {
    let first_special = 256 + WORDS.len() as u32;
    let (whole, _) = tokens(text, false);
    let spell = |token: u32| match token {
        0..256 => vec![token as u8],
        _ => WORDS[token as usize - 256].as_bytes().to_vec(),
    };
    let runs = whole.chunk_by(|&one, &other| (one >= first_special) == (other >= first_special));
    let mut cut = Vec::new();
    for run in runs {
        if run[0] >= first_special {
            cut.extend_from_slice(run);
            continue;
        }
        let bytes: Vec<u8> = run.iter().flat_map(|&token| spell(token)).collect();
        let mut at = 0;
        while at < bytes.len() {
            let word = WORDS.iter().position(|word| bytes[at..].starts_with(word.as_bytes()));
            match word.filter(|_| rng.one_in(2)) {
                Some(word) => {
                    cut.push(256 + word as u32);
                    at += WORDS[word].len();
                }
                None => {
                    cut.push(u32::from(bytes[at]));
                    at += 1;
                }
            }
        }
    }
    cut
}

const FRAGMENTS: [&str; 14] = [
    "<",
    "<c",
    "<call",
    "</",
    "</call",
    "é",
    "日",
    " ",
    "name",
    "\n",
    "{\"name\": ",
    ">",
    "<tool_",
    "a",
];

fn free_text(rng: &mut Rng, without: &[&str]) -> String {
    loop {
        let text: String = (0..rng.below(6)).map(|_| *rng.pick(&FRAGMENTS)).collect();
        let special = SPECIAL.iter().any(|special| text.contains(special));
        if !special && !without.iter().any(|text_not_there| text.contains(text_not_there)) {
            return text;
        }
    }
}

/// An output with what it is made of: kinds and texts, those that are empty left out.
#[derive(Default)]
struct Made {
    parts: Vec<(Option<RegionKind>, String)>,
    calls: Vec<String>,
}

impl Made {
    fn add(&mut self, kind: Option<RegionKind>, text: &str) {
        match self.parts.last_mut() {
            Some((None, markup)) if kind.is_none() => markup.push_str(text),
            _ if text.is_empty() => {}
            _ => self.parts.push((kind, text.to_owned())),
        }
    }

    fn text(&self) -> String {
        self.parts.iter().map(|(_, text)| text.as_str()).collect()
    }

    fn check(&self, rng: &mut Rng, grammar: &Grammar, tag: &Value) {
        let text = self.text();
        if text.is_empty() {
            return;
        }
        let expected: Vec<_> = self.parts.iter().map(|(kind, text)| (*kind, &**text)).collect();
        for _ in 0..3 {
            let (found, calls) = split(grammar, &cut(rng, &text));
            assert_eq!(texts(&found), expected, "{tag}");
            assert_eq!(calls, self.calls, "{tag}");
        }
        // Cuts of their own, so that the cases are the same with and without them.
        let (found, calls) = split_text(&mut Rng::new(text.len() as u64), grammar, &text);
        assert_eq!(texts(&found), expected, "{tag}");
        assert_eq!(calls, self.calls, "{tag}");
        if !SPECIAL.iter().any(|special| text.contains(special)) {
            let mut splitter = Splitter::new(grammar);
            let mut pieces = splitter.push_bytes(text.as_bytes()).expect("it is allowed");
            pieces.extend(splitter.finish());
            assert_eq!(texts(&parts(&pieces)), expected, "{tag}");
        }
    }
}

fn arguments(rng: &mut Rng) -> String {
    let city = *rng.pick(&["Oslo", "</tool_call", "<", "}\\n</", "é"]);
    json!({"city": city, "days": rng.below(100)}).to_string().replace("\\\\n", "\\n")
}

fn tools(rng: &mut Rng) -> Vec<(String, Value)> {
    let count = 1 + rng.below(4);
    let name = |at: usize| ["get", "get_weather", "plan", "get_w"][at].to_owned();
    let tool = |at| {
        let schema = json!({
            "type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city", "days"], "additionalProperties": false,
        });
        let function = json!({"name": name(at), "parameters": schema});
        (name(at), json!({"type": "function", "function": function}))
    };
    (0..count).map(tool).collect()
}

#[test]
fn outputs_with_calls_are_split_into_what_they_were_made_of() {
    let mut compared = 0;
    for seed in 0..24 {
        let mut rng = Rng::new(seed);
        let tools = tools(&mut rng);
        let listed: Vec<&Value> = tools.iter().map(|(_, tool)| tool).collect();
        let style = *rng.pick(&["qwen_3", "plain"]);
        let open = *rng.pick(&["prefilled", "written"]);
        let mut tag = json!({"type": "tools", "style": style, "tools": listed});
        if style == "qwen_3" {
            tag["reasoning"] = json!({"open": open});
        }
        let grammar = grammar(&tag);
        for _ in 0..6 {
            let mut made = Made::default();
            let (begin, end) = match style {
                "qwen_3" => {
                    if open == "written" {
                        made.add(None, "<think>");
                    }
                    let reasoning = free_text(&mut rng, &[]);
                    made.add(Some(RegionKind::Reasoning), &reasoning);
                    made.add(None, "</think>\n\n");
                    ("<tool_call>\n", "\n</tool_call>")
                }
                _ => ("", ""),
            };
            let trigger = if style == "plain" { "{\"name\": " } else { "<tool_call>" };
            made.add(Some(RegionKind::Text), &free_text(&mut rng, &[trigger]));
            for _ in 0..rng.below(3) {
                let (name, _) = rng.pick(&tools);
                made.calls.push(name.clone());
                made.add(None, &format!("{begin}{{\"name\": \"{name}\", \"arguments\": "));
                made.add(Some(RegionKind::Json), &arguments(&mut rng));
                made.add(None, &format!("}}{end}"));
                made.add(Some(RegionKind::Text), &free_text(&mut rng, &[trigger]));
            }
            made.check(&mut rng, &grammar, &tag);
            compared += 1;
        }
    }
    eprintln!("{compared} outputs with calls are split into what they were made of");
}

/// A content of a tag with a text of it.
fn content(rng: &mut Rng, end: &str) -> (Value, Vec<(Option<RegionKind>, String)>) {
    let (format, kind, text) = match rng.below(5) {
        0 => (json!({"type": "any_text"}), Some(RegionKind::Text), free_text(rng, &[end])),
        1 => {
            let format = json!({"type": "json_schema", "json_schema": {"type": "integer"}});
            (format, Some(RegionKind::Json), rng.below(1000).to_string())
        }
        2 => {
            let format = json!({"type": "regex", "pattern": "[<a]{1,5}"});
            let text: String = (0..1 + rng.below(4)).map(|_| *rng.pick(&["<", "a"])).collect();
            (format, Some(RegionKind::Pattern), text)
        }
        3 => {
            let format = json!({"type": "grammar", "grammar": "root ::= \"x\" | \"(\" root \")\""});
            (format, Some(RegionKind::Grammar), "((x))".to_owned())
        }
        _ => (json!({"type": "const_string", "value": "<call"}), None, "<call".to_owned()),
    };
    if rng.one_in(3) {
        let parts = json!([{"type": "const_string", "value": "id:"}, format]);
        let format = json!({"type": "sequence", "elements": parts});
        return (format, vec![(None, "id:".to_owned()), (kind, text)]);
    }
    (format, vec![(kind, text)])
}

#[test]
fn outputs_of_tags_are_split_into_what_they_were_made_of() {
    let mut compared = 0;
    for seed in 0..60 {
        let mut rng = Rng::new(seed);
        let mut tags = Vec::new();
        let mut texts = Vec::new();
        for at in 0..1 + rng.below(3) {
            let begin = format!("<call {}", ["", "n=a", "n="][at]);
            let begin = format!("{begin}{}", if rng.one_in(3) { "<think>" } else { ">" });
            let end = *rng.pick(&["</call>", "</think>", ">>"]);
            let (format, content) = content(&mut rng, end);
            tags.push(json!({"type": "tag", "begin": begin, "content": format, "end": end}));
            texts.push((begin, content, end));
        }
        let tag = json!({"type": "structural_tag", "format":
            {"type": "triggered_tags", "triggers": ["<call "], "tags": tags}});
        let grammar = grammar(&tag);
        for _ in 0..4 {
            let mut made = Made::default();
            made.add(Some(RegionKind::Text), &free_text(&mut rng, &["<call "]));
            for _ in 0..rng.below(4) {
                let (begin, content, end) = rng.pick(&texts);
                made.add(None, begin);
                content.iter().for_each(|(kind, text)| made.add(*kind, text));
                made.add(None, end);
                made.add(Some(RegionKind::Text), &free_text(&mut rng, &["<call "]));
            }
            made.check(&mut rng, &grammar, &tag);
            compared += 1;
        }
    }
    eprintln!("{compared} outputs of tags are split into what they were made of");
}

/// Transcripts of models' templates, in all styles: the parts are the output, whatever the cut, and the calls are those of
/// the tools, with arguments.
#[test]
fn transcripts_are_split() {
    let mut rng = Rng::new(1);
    let (mut outputs, mut with_calls) = (0, 0);
    for (case, grammar) in &transcripts_with_grammars() {
        let text = case["text"].as_str().expect("a text");
        let (found, calls) = split(grammar, &tokens(text, false).0);
        let joined: String = found.iter().map(|(_, _, text)| text.as_str()).collect();
        assert_eq!(joined, text);
        assert_eq!(split(grammar, &cut(&mut rng, text)), (found.clone(), calls.clone()));
        let mut cuts = Rng::new(text.len() as u64);
        assert_eq!(split_text(&mut cuts, grammar, text), (found.clone(), calls.clone()));
        assert_eq!(calls.is_empty(), case["scenario"] == "text", "{} {text:?}", case["template"]);
        for (index, name) in calls.iter().enumerate() {
            let of_call = |part: &&Part| part.1 == Some(index as u32) && part.0.is_some();
            let arguments: Vec<&Part> = found.iter().filter(of_call).collect();
            assert!(arguments.len() <= 1, "{text:?} {found:?}");
            for (kind, _, arguments) in &arguments {
                match kind {
                    Some(RegionKind::Json) => {
                        let value: Value = serde_json::from_str(arguments).expect("it is JSON");
                        assert!(value.is_object(), "{arguments}");
                    }
                    kind => assert_eq!(*kind, Some(RegionKind::Xml), "{text:?}"),
                }
            }
            assert!(text.contains(name.as_str()));
        }
        outputs += 1;
        with_calls += usize::from(!calls.is_empty());
    }
    assert!(outputs >= 100 && with_calls >= 60, "{outputs} outputs, {with_calls} with calls");
    eprintln!("{outputs} transcripts are split, {with_calls} of them have calls");
}

/// Text that was cut off, also within the text of a special token: no byte is lost, and the parts are those of the tokens
/// as far as these go.
#[test]
fn text_that_was_cut_off_is_split_as_far_as_it_goes() {
    let mut within_special = 0;
    for (case, grammar) in transcripts_with_grammars().iter().step_by(9) {
        let text = case["text"].as_str().expect("a text");
        for length in (0..=text.len()).filter(|&length| text.is_char_boundary(length)) {
            let mut splitter = Splitter::new(grammar);
            let mut pieces = splitter.push_text(&text.as_bytes()[..length]).expect("it is allowed");
            pieces.extend(splitter.finish());
            let found = parts(&pieces);
            let joined: String = found.iter().map(|(_, _, text)| text.as_str()).collect();
            assert_eq!(joined, text[..length]);
            // Where the special token begins of which only a part is there.
            let bytes = text.as_bytes();
            let begun = SPECIAL.iter().flat_map(|special| {
                let special = special.as_bytes();
                let is_cut = move |&read: &usize| bytes[length - read..].starts_with(special);
                (1..special.len().min(length + 1)).filter(is_cut).map(|read| length - read)
            });
            let begun = begun.min();
            if begun.is_some() {
                within_special += 1;
            } else {
                let mut by_tokens = Splitter::new(grammar);
                let mut pieces = Vec::new();
                for token in tokens(&text[..length], false).0 {
                    pieces.extend(by_tokens.push(token).expect("it is allowed"));
                }
                pieces.extend(by_tokens.finish());
                assert_eq!(found, parts(&pieces), "{length} bytes of {text:?}");
            }
            let mut splitter = Splitter::new(grammar);
            let mut pieces = splitter.push_text(&text.as_bytes()[..length]).expect("it is allowed");
            let (last, call) = splitter.cut();
            pieces.extend(last);
            let kept: Vec<u8> = pieces.iter().flat_map(|piece| &piece.bytes).copied().collect();
            assert!(text.as_bytes().starts_with(&kept), "{length} bytes of {text:?}");
            // As the tokens before the cut are cut off, without a special token that was not read as a whole.
            let mut by_tokens = Splitter::new(grammar);
            for token in tokens(&text[..begun.unwrap_or(length)], false).0 {
                by_tokens.push(token).expect("it is allowed");
            }
            // With several parses, the tokens may leave the call open.
            if let Some(expected) = by_tokens.cut().1 {
                assert_eq!(call, Some(expected), "{length} bytes of {text:?}");
            }
            if let Some(begun) = begun {
                assert!(kept.len() <= begun, "{length} bytes of {text:?}");
            }
        }
    }
    assert!(within_special > 100, "{within_special}");
}

#[test]
fn what_is_refused_changes_nothing() {
    let tool = json!({"type": "function", "function": {"name": "get"}});
    let grammar = grammar(&json!({"type": "tools", "style": "qwen_3", "tools": [tool]}));
    let mut splitter = Splitter::new(&grammar);
    let begin = tokens("Hi <tool_call>\n{\"name\": \"get\", \"arguments\": {", false).0;
    let mut pieces: Vec<Piece> =
        begin.iter().flat_map(|&token| splitter.push(token).expect("allowed")).collect();
    let found = parts(&pieces);
    assert_eq!(found[0], (Some(RegionKind::Text), None, "Hi ".to_owned()));
    assert_eq!(found[1].1, Some(0), "the beginning of a call is known to be its");
    assert_eq!(splitter.calls().collect::<Vec<_>>(), ["get"]);
    assert_eq!(found[2], (Some(RegionKind::Json), Some(0), "{".to_owned()));
    assert!(splitter.push(u32::from(b'x')).is_err());
    assert!(splitter.push(1_000_000).is_err());
    assert_eq!(
        splitter.push_bytes(b"}} "),
        Err(grammarc_runtime::error::BytesError::Refused { at: 2 })
    );
    assert!(!splitter.is_accepting());
    pieces.extend(splitter.push_bytes(b"\n").expect("allowed"));
    pieces.extend(splitter.push(tokens("</tool_call>", false).0[0]).expect("allowed"));
    assert!(splitter.is_accepting());
    let end = 256 + (WORDS.len() + SPECIAL.len()) as u32 - 1;
    pieces.extend(splitter.push(end).expect("an end token ends it"));
    assert!(splitter.is_finished());
    assert_eq!(parts(&pieces)[3].2, "}\n</tool_call>");
}
