//! Options of the front end: the text form of accepted documents, and budgets.
//!
//! The text form determines which texts of an instance are accepted, never which instances. All pieces of the prelude
//! depend only on [`TextForm`]. So one vocabulary build serves every schema compiled with equal options.
//!
//! Tests: `tests/forms.rs` of this front end, `tests/tests/schemas/forms.rs`, `tests/tests/suite/options.rs`.

pub(crate) mod whitespace;

use serde::Deserialize;

use super::source::resources::Resources;
use grammarc_grammar::ir::MOST_REQUIRED_KEYS;

pub use super::source::dialect::SchemaDialect;
pub use whitespace::{Indentation, Separator, SeparatorError, Whitespace, WhitespaceError};

/// The texts of a number that are accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NumberForm {
    /// If all members are integers, digits with an optional sign. Otherwise every text, like [`Any`](Self::Any).
    #[default]
    Natural,
    /// One text for each member: no exponent, no zero at the end of a fraction, no `-0`.
    Canonical,
    /// Every text of a member: zeros at the end of a fraction, `-0`, exponents.
    Any,
}

/// The accepted texts of a character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Escapes {
    /// One text: the character itself, or its shortest escape if it needs one.
    #[default]
    Shortest,
    /// Every text that JSON allows.
    Any,
}

/// Limits on the digits of a number that no keyword bounds. Without a limit a model can write digits for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DigitLimits {
    /// Before the decimal point; at least one is always allowed.
    pub integer: u32,
    /// After the decimal point; with 0 no number has a decimal point.
    pub fraction: u32,
    /// In the exponent, after at most as many leading zeros; with 0 no number has an exponent.
    pub exponent: u32,
}

impl DigitLimits {
    /// 64 digits hold every 128-bit integer and every shortest decimal of a binary64 number; four digits of exponent
    /// exceed the range of binary64.
    pub const DEFAULT: Self = Self { integer: 64, fraction: 64, exponent: 4 };
}

impl Default for DigitLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The texts of an instance that are accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TextForm {
    /// Whitespace between tokens.
    pub whitespace: Whitespace,
    /// Longest run of space, tab, line feed and carriage return before the document, and after it.
    pub surround: u32,
    /// Digits of numbers.
    pub digits: DigitLimits,
    /// Forms of numbers.
    pub numbers: NumberForm,
    /// Escapes in strings.
    pub escapes: Escapes,
}

impl TextForm {
    /// The form that models write: at most one space after separators, numbers in natural form, and only necessary
    /// escapes. The default.
    pub const NATURAL: Self = Self {
        whitespace: Whitespace::Natural,
        surround: 0,
        digits: DigitLimits::DEFAULT,
        numbers: NumberForm::Natural,
        escapes: Escapes::Shortest,
    };

    /// Short documents, with one text for each instance.
    pub const SHORT: Self =
        Self { whitespace: Whitespace::Compact, numbers: NumberForm::Canonical, ..Self::NATURAL };

    /// The form that Python's `json.dumps(value, ensure_ascii=False)` writes, and any other form of numbers.
    pub const DUMPS: Self =
        Self { whitespace: Whitespace::Spaced, numbers: NumberForm::Any, ..Self::SHORT };

    /// All numbers and strings in every form that JSON allows, without whitespace.
    pub const WIDE: Self = Self { numbers: NumberForm::Any, escapes: Escapes::Any, ..Self::SHORT };

    /// The forms whose shared rules a vocabulary artifact holds. Others are compiled with each schema.
    pub const COMMON: [Self; 4] = [Self::NATURAL, Self::SHORT, Self::DUMPS, Self::WIDE];
}

/// The order in which the keys of an object are accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyOrder {
    /// The declared keys in the schema's order, then others.
    #[default]
    Schema,
    /// Any order. A key may be repeated, with a value that satisfies the same schema. So the object is valid
    /// whichever value a parser keeps.
    Any,
    /// Any order, and each declared key at most once. Sets of keys are states. If there are too many (with more than
    /// about eight keys), keys may be repeated, and the report says so.
    AnyOnce,
}

/// The effect of `format`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Formats {
    /// The strings of a known format are enforced.
    #[default]
    Asserted,
    /// No effect: `format` is an annotation, the default of the specification.
    Annotated,
}

/// Options of [`lower`](fn@super::lower).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct JsonSchemaOptions {
    /// The texts of an instance that are accepted.
    pub text: TextForm,
    /// The order in which keys are accepted.
    pub key_order: KeyOrder,
    /// Whether objects accept no other keys if their schema has `properties` and no keyword for other keys. Unlike
    /// JSON Schema, by which such objects accept any key.
    pub closed: bool,
    /// The dialect of the schema, if it does not name it.
    pub dialect: SchemaDialect,
    /// The effect of `format`.
    pub formats: Formats,
    /// Schemas that references may lead to, besides the document itself and the published meta-schemas.
    pub resources: Resources,
    /// Most required keys of an object that may come in any order, if the key order allows this. With more, all
    /// others keep their order. At most 32, which is the default.
    pub max_unordered: u8,
    /// Most states of one automaton over characters or digits.
    pub max_states: usize,
    /// Most states of all automata over members and items, besides some for each value in the schema's text.
    pub max_shapes: usize,
    /// Most rules the grammar may have.
    pub max_rules: usize,
}

impl Default for JsonSchemaOptions {
    fn default() -> Self {
        Self {
            text: TextForm::default(),
            key_order: KeyOrder::default(),
            closed: false,
            dialect: SchemaDialect::default(),
            formats: Formats::default(),
            resources: Resources::default(),
            max_unordered: MOST_REQUIRED_KEYS,
            max_states: 50_000,
            max_shapes: 20_000,
            max_rules: 100_000,
        }
    }
}
