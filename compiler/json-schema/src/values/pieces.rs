//! Names of the rules that every grammar from a JSON Schema shares. The rules themselves are in `text_form/prelude.rs`.

/// A piece: a shared rule of JSON, from the prelude (the rules that every grammar may call).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A run of whitespace. Only the flexible text form calls this rule.
    Whitespace,
    /// The remainder of any string after its opening quote, with the closing quote.
    StringTail,
    /// The remainder of a string with at least one character, after its opening quote and with the closing quote.
    NonEmptyStringTail,
    /// The remainder of a string after its opening quote, if its first character is escaped or outside ASCII. A key
    /// that continues so can no longer equal a declared key.
    SpecialStringTail,
    /// The rule of any integer.
    Integer,
    /// The rule of any number.
    Number,
    /// The rule of any array.
    Array,
    /// The rule of any object.
    Object,
    /// The rule of any JSON value.
    Value,
}

impl Piece {
    /// All shared rules of JSON, in the order of the prelude's rules.
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

    /// Returns the name of the shared rule.
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
