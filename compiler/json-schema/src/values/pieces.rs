//! Names of the rules that every grammar from a JSON Schema shares. The rules are in `text_form/prelude.rs`.

/// A rule of the prelude.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A run of whitespace. Only flexible form calls it.
    Whitespace,
    /// The rest of a string after its opening quote: any characters and the closing quote.
    StringTail,
    /// The same, with at least one character.
    NonEmptyStringTail,
    /// The same, but the first character is escaped or outside ASCII. After it a key no longer matches a declared
    /// key.
    SpecialStringTail,
    /// An integer.
    Integer,
    /// A number.
    Number,
    /// Any array.
    Array,
    /// Any object.
    Object,
    /// Any value.
    Value,
}

impl Piece {
    /// All of them, in the order of the grammar.
    pub const ALL: [Self; 9] = [
        Self::Whitespace,
        Self::StringTail,
        Self::NonEmptyStringTail,
        Self::SpecialStringTail,
        Self::Integer,
        Self::Number,
        Self::Array,
        Self::Object,
        Self::Value,
    ];

    /// The name of the rule.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Whitespace => "whitespace",
            Self::StringTail => "string-tail",
            Self::NonEmptyStringTail => "non-empty-string-tail",
            Self::SpecialStringTail => "special-string-tail",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Array => "array",
            Self::Object => "object",
            Self::Value => "value",
        }
    }
}
