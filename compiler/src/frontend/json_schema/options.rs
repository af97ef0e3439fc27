//! Options of the front end: the text form of accepted documents, and budgets.
//!
//! The text form decides which texts of an instance are accepted, never which instances. All pieces of the prelude
//! depend on [`TextForm`] alone, so that one vocabulary build serves every schema compiled with equal options.

use super::resources::Resources;

pub use super::numbers::NumberForm;
pub use super::strings::Escapes;

/// Where whitespace may stand between the tokens of a document. None may stand before or after the document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Whitespace {
    /// Nowhere.
    #[default]
    Compact,
    /// One space after each `,` and `:` between tokens, and nowhere else: what Python's `json.dumps` writes.
    Spaced,
    /// Runs of up to `max` of space, tab, line feed and carriage return wherever JSON allows whitespace.
    Flexible {
        /// Longest run.
        max: u32,
    },
}

/// How many digits a number may have that no keyword bounds. Without a limit a model can write digits for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DigitLimits {
    /// Before the decimal point; at least one is always allowed.
    pub integer: u32,
    /// After the decimal point; with 0 no number has a decimal point.
    pub fraction: u32,
    /// In the exponent; with 0 no number has an exponent.
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

/// Which texts of an instance are accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TextForm {
    /// Whitespace between tokens.
    pub whitespace: Whitespace,
    /// Digits of numbers.
    pub digits: DigitLimits,
    /// Forms of numbers.
    pub numbers: NumberForm,
    /// Escapes in strings.
    pub escapes: Escapes,
}

impl TextForm {
    /// Short documents in one text each: the default.
    pub const SHORT: Self = Self {
        whitespace: Whitespace::Compact,
        digits: DigitLimits::DEFAULT,
        numbers: NumberForm::Canonical,
        escapes: Escapes::Shortest,
    };

    /// What Python's `json.dumps(value, ensure_ascii=False)` writes, and any other form of numbers.
    pub const DUMPS: Self =
        Self { whitespace: Whitespace::Spaced, numbers: NumberForm::Any, ..Self::SHORT };

    /// Every number and every string in any way that JSON allows, without whitespace.
    pub const WIDE: Self = Self { numbers: NumberForm::Any, escapes: Escapes::Any, ..Self::SHORT };

    /// The forms that a vocabulary artifact holds the shared rules of. Others are compiled with each schema.
    pub const COMMON: [Self; 3] = [Self::SHORT, Self::DUMPS, Self::WIDE];
}

/// In which order the keys of an object are accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeyOrder {
    /// Those that the schema names in its order, then others.
    #[default]
    Schema,
    /// Any.
    Any,
}

/// What `format` does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Formats {
    /// Strings are of the format that it names, where that is a known one.
    #[default]
    Asserted,
    /// Nothing: it is an annotation, as the specification has it by default.
    Annotated,
}

/// Options of [`lower`](fn@super::lower).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct JsonSchemaOptions {
    /// Which texts of an instance are accepted.
    pub text: TextForm,
    /// In which order keys are accepted.
    pub key_order: KeyOrder,
    /// What `format` does.
    pub formats: Formats,
    /// Schemas that references may lead to beside the document itself and the published meta-schemas.
    pub resources: Resources,
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
            formats: Formats::default(),
            resources: Resources::default(),
            max_states: 50_000,
            max_shapes: 20_000,
            max_rules: 100_000,
        }
    }
}
