//! Options of the front end: the text form of accepted documents, and limits.
//!
//! The text form determines which texts of an instance are accepted, never which instances. The shared rules of a
//! vocabulary depend only on [`TextForm`]. So one vocabulary build serves every schema compiled with an equal text
//! form.
//!
//! Tests: `tests/forms.rs` of this front end, `tests/tests/schemas/forms.rs`, `tests/tests/suite/options.rs`.

pub(crate) mod whitespace;

use serde::Deserialize;

use super::source::resources::Resources;
use grammarc_grammar::ir::MOST_REQUIRED_KEYS;

pub use super::source::dialect::SchemaDialect;
pub use whitespace::{Indentation, Separator, SeparatorError, Whitespace, WhitespaceError};

/// Which texts of a number are accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NumberForm {
    /// Where the schema allows only integers, a number is digits with an optional sign. Elsewhere every text of a
    /// number is accepted, as with [`Any`](Self::Any).
    #[default]
    Natural,
    /// Only one text is accepted for each number: no exponent, no zero at the end of a fraction, no `-0`.
    Canonical,
    /// Every text of a number is accepted: zeros at the end of a fraction, `-0`, exponents.
    Any,
}

/// Which texts of a character in a string are accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Escapes {
    /// One text for each character: the character itself, or its shortest escape if JSON requires an escape.
    #[default]
    Shortest,
    /// Every text that JSON allows, such as `\u0041` for `A`.
    Any,
}

/// Limits on the number of digits of a number that no keyword bounds. Without a limit a model can write digits forever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DigitLimits {
    /// Most digits before the decimal point; at least one is always allowed.
    pub integer: u32,
    /// Most digits after the decimal point; with 0 no number has a decimal point.
    pub fraction: u32,
    /// Most digits of the exponent, after at most as many leading zeros; with 0 no number has an exponent.
    pub exponent: u32,
}

impl DigitLimits {
    /// The default limits. 64 digits suffice for every 128-bit integer and every shortest decimal of a binary64 number.
    /// Four digits of exponent exceed the range of binary64.
    pub const DEFAULT: Self = Self { integer: 64, fraction: 64, exponent: 4 };
}

impl Default for DigitLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Which texts of an instance are accepted: whitespace, numbers and escapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TextForm {
    /// The whitespace that is accepted between the tokens (brackets, commas, colons and values) of a document.
    pub whitespace: Whitespace,
    /// Most characters of space, tab, line feed and carriage return before the document, and after it.
    pub surround: u32,
    /// The limits on the number of digits of a number that no keyword bounds.
    pub digits: DigitLimits,
    /// Which texts of a number are accepted.
    pub numbers: NumberForm,
    /// Which texts of a character in a string are accepted.
    pub escapes: Escapes,
}

impl TextForm {
    /// The default text form, which language models tend to write: at most one space after separators, integers without
    /// exponents, and only necessary escapes.
    pub const NATURAL: Self = Self {
        whitespace: Whitespace::Natural,
        surround: 0,
        digits: DigitLimits::DEFAULT,
        numbers: NumberForm::Natural,
        escapes: Escapes::Shortest,
    };

    /// The text form of the shortest documents, with one text for each instance.
    pub const SHORT: Self =
        Self { whitespace: Whitespace::Compact, numbers: NumberForm::Canonical, ..Self::NATURAL };

    /// The text form of Python's `json.dumps(value, ensure_ascii=False)`, with every text of a number.
    pub const DUMPS: Self =
        Self { whitespace: Whitespace::Spaced, numbers: NumberForm::Any, ..Self::SHORT };

    /// The text form with every text of numbers and strings that JSON allows, without whitespace.
    pub const WIDE: Self = Self { numbers: NumberForm::Any, escapes: Escapes::Any, ..Self::SHORT };

    /// The text forms whose shared rules a vocabulary artifact has. The rules of other forms are compiled with each
    /// schema.
    pub const COMMON: [Self; 4] = [Self::NATURAL, Self::SHORT, Self::DUMPS, Self::WIDE];
}

/// The order in which the keys of an object are accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyOrder {
    /// The keys that the schema declares come in the schema's order, then other keys.
    #[default]
    Schema,
    /// The keys come in any order. A key may be repeated, with a value that satisfies the same schema. So the object is
    /// valid whichever value a parser keeps.
    Any,
    /// The keys come in any order, and each declared key at most once. Each set of written keys is a state of the
    /// grammar. If there are too many sets (with more than about eight keys), keys may be repeated, and the report says
    /// so.
    AnyOnce,
    /// The keys that the schema declares come by name, without regard to case, then other keys. Some chat templates write
    /// arguments in this order.
    Sorted,
}

/// Whether the keyword `format` constrains strings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Formats {
    /// The strings of a known format are enforced.
    #[default]
    Asserted,
    /// `format` is an annotation without effect, the default of the specification.
    Annotated,
}

/// Options of [`lower`](fn@super::lower).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct JsonSchemaOptions {
    /// Which texts of an instance are accepted.
    pub text: TextForm,
    /// The order in which keys are accepted.
    pub key_order: KeyOrder,
    /// Whether an object accepts only declared keys if its schema has `properties` and no keyword for other keys. By
    /// JSON Schema such an object accepts any key.
    pub closed: bool,
    /// The dialect of a schema without `$schema`.
    pub dialect: SchemaDialect,
    /// Whether the keyword `format` constrains strings.
    pub formats: Formats,
    /// Schemas that references may lead to, besides the document itself and the published meta-schemas.
    pub resources: Resources,
    /// Most required keys of an object that may come in any order, if the key order allows this. Further required keys
    /// keep the schema's order. At most 32, which is the default.
    pub max_unordered: u8,
    /// Most states of one automaton, for the strings or numbers that a schema allows. Beyond, compilation fails.
    pub max_states: usize,
    /// Most states of all automata over members and items together, in addition to a few for each JSON value in the
    /// schema's text. Beyond, the grammar is approximated or compilation fails.
    pub max_shapes: usize,
    /// Most rules of the grammar. Beyond, compilation fails.
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
