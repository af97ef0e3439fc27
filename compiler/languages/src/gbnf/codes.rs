//! The codes of GBNF diagnostics. Stable: tools may match on them.

/// A character that no part of the syntax starts with.
pub const UNEXPECTED_CHARACTER: &str = "gbnf::unexpected-character";
/// A well-formed piece of syntax in a place where it cannot stand.
pub const UNEXPECTED: &str = "gbnf::unexpected";
/// A string without its closing quote.
pub const UNTERMINATED_STRING: &str = "gbnf::unterminated-string";
/// A character class without its closing bracket.
pub const UNTERMINATED_CLASS: &str = "gbnf::unterminated-class";
/// A token reference without its closing `>`.
pub const UNTERMINATED_TOKEN: &str = "gbnf::unterminated-token";
/// A parenthesis without its partner.
pub const UNCLOSED_GROUP: &str = "gbnf::unclosed-group";
/// A backslash with something after it that is no escape.
pub const BAD_ESCAPE: &str = "gbnf::bad-escape";
/// An escape that names a surrogate.
pub const SURROGATE: &str = "gbnf::surrogate";
/// A class without characters.
pub const EMPTY_CLASS: &str = "gbnf::empty-class";
/// A range whose first character comes after its last.
pub const REVERSED_RANGE: &str = "gbnf::reversed-range";
/// Braces that do not hold one or two numbers.
pub const BAD_BOUNDS: &str = "gbnf::bad-bounds";
/// Bounds of a repetition whose minimum exceeds the maximum.
pub const REVERSED_BOUNDS: &str = "gbnf::reversed-bounds";
/// A token id that is not a number of 32 bits.
pub const BAD_TOKEN_ID: &str = "gbnf::bad-token-id";
/// A repetition operator with nothing before it.
pub const NOTHING_TO_REPEAT: &str = "gbnf::nothing-to-repeat";
/// Groups and repetitions nested deeper than the limit.
pub const NESTED_TOO_DEEP: &str = "gbnf::nested-too-deep";
/// A rule that is called and not defined.
pub const UNKNOWN_RULE: &str = "gbnf::unknown-rule";
/// A rule that is defined more than once.
pub const DUPLICATE_RULE: &str = "gbnf::duplicate-rule";
/// The start rule is not defined.
pub const MISSING_ROOT: &str = "gbnf::missing-root";
/// A rule that the start rule does not reach.
pub const UNUSED_RULE: &str = "gbnf::unused-rule";
/// A rule with nothing after `::=`.
pub const EMPTY_RULE: &str = "gbnf::empty-rule";
/// There are more errors than are shown.
pub const TOO_MANY: &str = "gbnf::too-many-errors";
/// A rule without a finite derivation: every alternative calls the rule again.
pub const ENDLESS_RULE: &str = "gbnf::endless-rule";
/// A lookahead assertion, which XGrammar's notation has.
pub const LOOKAHEAD: &str = "gbnf::lookahead";
/// A macro such as `Regex("a+")`, which XGrammar's notation has.
pub const MACRO: &str = "gbnf::macro";
/// Attributes in brackets behind a rule's name, which XGrammar's notation has.
pub const RULE_ATTRIBUTES: &str = "gbnf::rule-attributes";
/// A character class that reads like a reference to a rule.
pub const CLASS_NAMES_RULE: &str = "gbnf::class-names-rule";
/// A source of another language that is not written as one.
pub const BAD_INNER_SOURCE: &str = "gbnf::bad-inner-source";
/// A reference to a source that was not handed over.
pub const UNKNOWN_SOURCE: &str = "gbnf::unknown-source";
/// JSON where a grammar was expected.
pub const IS_JSON: &str = "gbnf::is-json";
/// A source of another language.
pub const OTHER_LANGUAGE: &str = "gbnf::other-language";
