//! The codes of Lark diagnostics. Stable: tools may match on them.

/// A character that no part of the syntax starts with.
pub const UNEXPECTED_CHARACTER: &str = "lark::unexpected-character";
/// A well-formed piece of syntax in a place where it cannot stand.
pub const UNEXPECTED: &str = "lark::unexpected";
/// A string, regular expression or token without its end.
pub const UNTERMINATED: &str = "lark::unterminated";
/// A string with something that JSON strings have not.
pub const BAD_STRING: &str = "lark::bad-string";
/// A directive with something else than the JSON that it takes.
pub const BAD_JSON: &str = "lark::bad-json";
/// A range of characters that is none.
pub const BAD_RANGE: &str = "lark::bad-range";
/// Bounds of a repetition that are none.
pub const BAD_BOUNDS: &str = "lark::bad-bounds";
/// Tokens by id that are none.
pub const BAD_TOKENS: &str = "lark::bad-tokens";
/// An unknown attribute of a rule, or one with a value of another kind.
pub const BAD_ATTRIBUTE: &str = "lark::bad-attribute";
/// A directive that there is not.
pub const UNKNOWN_DIRECTIVE: &str = "lark::unknown-directive";
/// A name that is not defined.
pub const UNKNOWN_NAME: &str = "lark::unknown-name";
/// A name that is defined twice.
pub const DUPLICATE_NAME: &str = "lark::duplicate-name";
/// A grammar without its start rule.
pub const MISSING_START: &str = "lark::missing-start";
/// A terminal that leads to itself.
pub const CIRCULAR_TERMINAL: &str = "lark::circular-terminal";
/// Something in a terminal that only rules can have.
pub const NOT_IN_TERMINALS: &str = "lark::not-in-terminals";
/// Something in a rule that only terminals can have.
pub const NOT_IN_RULES: &str = "lark::not-in-rules";
/// Part of Lark or of a dialect of it that cannot be said.
pub const UNSUPPORTED: &str = "lark::unsupported";
/// Lookahead or lookbehind in a regular expression.
pub const LOOKAROUND: &str = "lark::lookaround";
/// Groups, references and nested grammars deeper than the limit.
pub const NESTED_TOO_DEEP: &str = "lark::nested-too-deep";
/// A terminal, or the terminals at one place, whose automaton is too large.
pub const TOO_LARGE: &str = "lark::too-large";
/// A terminal whose end the lexer would see elsewhere.
pub const LEXING: &str = "lark::lexing";
/// An attribute that changes no text and is the host's to act on.
pub const FOR_THE_HOST: &str = "lark::for-the-host";
/// A source of another language.
pub const OTHER_LANGUAGE: &str = "lark::other-language";
/// A terminal whose successor can never follow: the lexer continues there with a longer terminal.
pub const OVERRUN: &str = "lark::overrun";
/// A lazy repetition in a terminal.
pub const LAZY_REPETITION: &str = "lark::lazy-repetition";
/// A terminal of `%declare`, which only a lexer in code produces.
pub const DECLARED: &str = "lark::declared";
