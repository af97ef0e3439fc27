//! Tokenizer files made for tests, by writers that share no code with the readers.

/// A GGUF file that has only metadata.
pub(super) struct Gguf {
    version: u32,
    entries: Vec<Vec<u8>>,
}

impl Gguf {
    /// Returns a file without entries.
    pub(super) fn empty() -> Self {
        Self { version: 3, entries: Vec::new() }
    }

    /// Returns a file with a vocabulary of this model.
    pub(super) fn new(model: &str) -> Self {
        // Entries that no importer wants precede those that it wants.
        Self::empty()
            .value("a.float", 6, &1f32.to_le_bytes())
            .texts("tokenizer.ggml.merges", &["a b", "Ġ t"])
            .value("a.scores", 9, &[&6u32.to_le_bytes()[..], &2u64.to_le_bytes(), &[0; 8]].concat())
            .text("tokenizer.ggml.model", model)
    }

    pub(super) fn version(mut self, version: u32) -> Self {
        self.version = version;
        self
    }

    /// Adds an entry with a value of any type.
    pub(super) fn value(mut self, key: &str, kind: u32, value: &[u8]) -> Self {
        self.entries.push([&string(key)[..], &kind.to_le_bytes(), value].concat());
        self
    }

    pub(super) fn text(self, key: &str, text: &str) -> Self {
        self.value(key, 8, &string(text))
    }

    pub(super) fn number(self, key: &str, number: u32) -> Self {
        self.value(key, 4, &number.to_le_bytes())
    }

    pub(super) fn flag(self, key: &str, flag: bool) -> Self {
        self.value(key, 7, &[u8::from(flag)])
    }

    pub(super) fn texts(self, key: &str, texts: &[&str]) -> Self {
        let strings = texts.iter().flat_map(|text| string(text)).collect::<Vec<_>>();
        self.list(key, 8, texts.len(), &strings)
    }

    pub(super) fn numbers(self, key: &str, numbers: &[i32]) -> Self {
        let values = numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>();
        self.list(key, 5, numbers.len(), &values)
    }

    /// Adds the tokens and their types.
    pub(super) fn tokens(self, tokens: &[(&str, i32)]) -> Self {
        let (texts, types): (Vec<_>, Vec<_>) = tokens.iter().copied().unzip();
        self.texts("tokenizer.ggml.tokens", &texts).numbers("tokenizer.ggml.token_type", &types)
    }

    fn list(self, key: &str, kind: u32, count: usize, values: &[u8]) -> Self {
        let head = [&kind.to_le_bytes()[..], &(count as u64).to_le_bytes()].concat();
        self.value(key, 9, &[&head[..], values].concat())
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = b"GGUF".to_vec();
        bytes.extend(self.version.to_le_bytes());
        bytes.extend(0u64.to_le_bytes());
        bytes.extend((self.entries.len() as u64).to_le_bytes());
        bytes.extend(self.entries.concat());
        bytes
    }
}

fn string(text: &str) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat()
}

/// Returns a SentencePiece model with the given pieces and types, and with further fields.
pub(super) fn sentence_piece_model(pieces: &[(&str, u64)], further: &[Vec<u8>]) -> Vec<u8> {
    let piece = |&(text, kind): &(&str, u64)| {
        // Every piece has a score; as in the library, the type is omitted if it is normal.
        let mut fields = [message(1, text.as_bytes()), vec![0x15, 0, 0, 0x80, 0xBF]].concat();
        if kind != 1 {
            fields.extend(number(3, kind));
        }
        message(1, &fields)
    };
    [pieces.iter().flat_map(piece).collect(), further.concat()].concat()
}

/// Returns a field of bytes, a string or a message.
pub(super) fn message(field: u64, bytes: &[u8]) -> Vec<u8> {
    [varint(field << 3 | 2), varint(bytes.len() as u64), bytes.to_vec()].concat()
}

/// Returns a field of a number or a boolean.
pub(super) fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}
