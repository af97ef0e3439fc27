//! The codes of Lark diagnostics. They are stable: tools may match on them.

/// Error: a character that no lexeme of the syntax starts with.
pub const UNEXPECTED_CHARACTER: &str = "lark::unexpected-character";
/// Error: a well-formed lexeme in a place where the syntax does not allow it.
pub const UNEXPECTED: &str = "lark::unexpected";
/// Error: a string, regular expression or token whose closing character is missing.
pub const UNTERMINATED: &str = "lark::unterminated";
/// Error: a string with an unknown escape or a control character. Escapes are those of JSON, and
/// `\xXX`.
pub const BAD_STRING: &str = "lark::bad-string";
/// Error: a directive that takes JSON, followed by other text or by JSON of the wrong form.
pub const BAD_JSON: &str = "lark::bad-json";
/// Error: a range of characters whose ends are not single characters, or whose first exceeds its
/// last.
pub const BAD_RANGE: &str = "lark::bad-range";
/// Error: bounds of a repetition that are not whole numbers below 4294967295, or a minimum above
/// the maximum.
pub const BAD_BOUNDS: &str = "lark::bad-bounds";
/// Error: a set of token ids that is malformed, empty or larger than a million.
pub const BAD_TOKENS: &str = "lark::bad-tokens";
/// Error: an unknown or repeated attribute of a rule, or an attribute with a bad value.
pub const BAD_ATTRIBUTE: &str = "lark::bad-attribute";
/// Error: an unknown directive, `%name`.
pub const UNKNOWN_DIRECTIVE: &str = "lark::unknown-directive";
/// Error: a use of an undefined name, or an import of an unknown one.
pub const UNKNOWN_NAME: &str = "lark::unknown-name";
/// Error: a name that is defined twice.
pub const DUPLICATE_NAME: &str = "lark::duplicate-name";
/// Error: a grammar without its start rule.
pub const MISSING_START: &str = "lark::missing-start";
/// Error: a terminal whose definition uses itself, directly or through others.
pub const CIRCULAR_TERMINAL: &str = "lark::circular-terminal";
/// Error: a rule, token or inner source (of another language) within a terminal.
pub const NOT_IN_TERMINALS: &str = "lark::not-in-terminals";
/// Error: a construct within a rule that only terminals allow, such as `&`.
pub const NOT_IN_RULES: &str = "lark::not-in-rules";
/// Error: a feature of Lark or of one of its dialects that is not supported.
pub const UNSUPPORTED: &str = "lark::unsupported";
/// Error: lookahead or lookbehind in a regular expression.
pub const LOOKAROUND: &str = "lark::lookaround";
/// Error: groups, terminals or nested grammars nested more than 200 levels deep.
pub const NESTED_TOO_DEEP: &str = "lark::nested-too-deep";
/// Error: a terminal whose expression or automaton exceeds its limit.
pub const TOO_LARGE: &str = "lark::too-large";
/// Warning: a terminal that llguidance may end at another place. The grammar allows both readings.
pub const LEXING: &str = "lark::lexing";
/// Note: an attribute that changes no accepted text; the host has to act on it.
pub const FOR_THE_HOST: &str = "lark::for-the-host";
/// Error: the source seems to be of another language than Lark.
pub const OTHER_LANGUAGE: &str = "lark::other-language";
/// Warning: a terminal after which the next one cannot begin, because the lexer continues with a
/// longer terminal.
pub const OVERRUN: &str = "lark::overrun";
/// Warning: a lazy repetition in a terminal, where it has no effect.
pub const LAZY_REPETITION: &str = "lark::lazy-repetition";
/// Error: `%declare`, which names terminals that only code of the host could produce.
pub const DECLARED: &str = "lark::declared";
