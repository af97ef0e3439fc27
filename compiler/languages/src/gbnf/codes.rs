//! The codes of GBNF diagnostics. They are stable: tools may match on them.

/// Error: a character that no lexeme of the syntax starts with.
pub const UNEXPECTED_CHARACTER: &str = "gbnf::unexpected-character";
/// Error: a well-formed lexeme in a place where the syntax does not allow it.
pub const UNEXPECTED: &str = "gbnf::unexpected";
/// Error: a string without its closing quote.
pub const UNTERMINATED_STRING: &str = "gbnf::unterminated-string";
/// Error: a character class without its closing bracket.
pub const UNTERMINATED_CLASS: &str = "gbnf::unterminated-class";
/// Error: a token reference without its closing `>`.
pub const UNTERMINATED_TOKEN: &str = "gbnf::unterminated-token";
/// Error: a parenthesis without its partner.
pub const UNCLOSED_GROUP: &str = "gbnf::unclosed-group";
/// Error: a backslash that starts no valid escape.
pub const BAD_ESCAPE: &str = "gbnf::bad-escape";
/// Error: an escape that denotes a surrogate, U+D800 to U+DFFF, which is no character.
pub const SURROGATE: &str = "gbnf::surrogate";
/// Error: a character class that matches no character.
pub const EMPTY_CLASS: &str = "gbnf::empty-class";
/// Error: a range whose first character comes after its last.
pub const REVERSED_RANGE: &str = "gbnf::reversed-range";
/// Error: braces after an item that do not hold one or two numbers below 4294967295.
pub const BAD_BOUNDS: &str = "gbnf::bad-bounds";
/// Error: a repetition whose minimum exceeds its maximum.
pub const REVERSED_BOUNDS: &str = "gbnf::reversed-bounds";
/// Error: a token id that is no whole number from 0 to 4294967295.
pub const BAD_TOKEN_ID: &str = "gbnf::bad-token-id";
/// Error: a repetition operator with nothing before it.
pub const NOTHING_TO_REPEAT: &str = "gbnf::nothing-to-repeat";
/// Error: groups and repetitions nested more than 200 levels deep.
pub const NESTED_TOO_DEEP: &str = "gbnf::nested-too-deep";
/// Error: a call of a rule that is not defined.
pub const UNKNOWN_RULE: &str = "gbnf::unknown-rule";
/// Error: a rule that is defined more than once.
pub const DUPLICATE_RULE: &str = "gbnf::duplicate-rule";
/// Error: the start rule is not defined.
pub const MISSING_ROOT: &str = "gbnf::missing-root";
/// Warning: a rule that the start rule does not reach.
pub const UNUSED_RULE: &str = "gbnf::unused-rule";
/// Warning: a rule with nothing after `::=`.
pub const EMPTY_RULE: &str = "gbnf::empty-rule";
/// Note: there are more errors than the 50 that are reported.
pub const TOO_MANY: &str = "gbnf::too-many-errors";
/// A rule without a finite text: every alternative leads back to the rule. An error for the start
/// rule, a warning for others.
pub const ENDLESS_RULE: &str = "gbnf::endless-rule";
/// A lookahead assertion `(=...)` of XGrammar's notation, compared with the text that follows its
/// rule. A note, warning or error.
pub const LOOKAHEAD: &str = "gbnf::lookahead";
/// Error: a wrong call of a macro of XGrammar's notation, such as `Regex("a+")`.
pub const MACRO: &str = "gbnf::macro";
/// Attributes in brackets after a rule's name, of XGrammar's notation. A note for an instruction to
/// the host, an error for a bad attribute.
pub const RULE_ATTRIBUTES: &str = "gbnf::rule-attributes";
/// Warning: a character class whose text is the name of a rule, such as `[sign]`.
pub const CLASS_NAMES_RULE: &str = "gbnf::class-names-rule";
/// Error: an inner source (of another language) with wrong syntax after its `@`.
pub const BAD_INNER_SOURCE: &str = "gbnf::bad-inner-source";
/// Error: a reference `@"name"` to a source that was not passed along.
pub const UNKNOWN_SOURCE: &str = "gbnf::unknown-source";
/// Error: the source is JSON and not a grammar.
pub const IS_JSON: &str = "gbnf::is-json";
/// Error: the source seems to be of another language than GBNF.
pub const OTHER_LANGUAGE: &str = "gbnf::other-language";
