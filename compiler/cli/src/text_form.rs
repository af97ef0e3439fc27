//! The arguments that decide which texts of a JSON instance are accepted.

use clap::{Args, ValueEnum};
use grammarc_compiler::frontend::json_schema::{
    Escapes, JsonSchemaOptions, KeyOrder, NumberForm, Separator, SeparatorError, Whitespace,
};

use crate::failure::Problem;

/// Longest run of whitespace around a document where no bound is given: some line ends, or the space that begins the first
/// piece of SentencePiece vocabularies.
const SURROUND: &str = "4";

/// Which texts of a JSON instance are accepted.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Text of JSON documents")]
pub(crate) struct TextFormArgs {
    /// Places of whitespace [default: natural]
    ///
    /// `natural`: at most one space after each `,` and `:`. `compact`: nowhere. `spaced`: one space after each `,` and `:`.
    /// `indented:N`: each item and member on a line of its own with N spaces for each level [2], `": "` after keys, and
    /// empty containers closed at once, as pretty printers write. `styled:N`: compact, spaced or indented, and the first
    /// place where these differ tells which. `flexible:N`: runs of up to N characters [19] wherever JSON allows whitespace
    /// inside a document.
    #[arg(
        long,
        value_name = "natural|compact|spaced|indented[:N]|styled[:N]|flexible[:N]",
        value_parser = clap::value_parser!(Whitespace)
    )]
    whitespace: Option<Whitespace>,

    /// Deepest level of indented text: containers inside so many others are empty. Rules are made for each level
    /// [default: 32]
    #[arg(long, value_name = "N")]
    levels: Option<u8>,

    /// Fixed separators in place of `--whitespace`: a `,` and a `:`, each with whitespace around it, of 32 bytes at most
    #[arg(long, num_args = 2, value_names = ["ITEM", "KEY"], conflicts_with = "whitespace")]
    separators: Option<Vec<String>>,

    /// Runs of up to N characters of whitespace before the document, and behind it [default: 0; without N: 4]
    ///
    /// Nothing else stands outside the document, and without this nothing at all, a line feed included. The first piece of
    /// SentencePiece vocabularies, which is decoded without its space, needs one.
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = SURROUND)]
    surround: Option<u32>,

    /// How numbers are written [default: natural]
    ///
    /// If no keyword bounds them, numbers have up to 64 digits before the point, 64 behind it, and 4 in the exponent,
    /// behind up to 4 zeros.
    #[arg(long, value_enum)]
    numbers: Option<Numbers>,

    /// How characters of strings are escaped [default: shortest]
    #[arg(long, value_enum)]
    escapes: Option<EscapeForm>,

    /// In which order the keys of objects come [default: schema]
    #[arg(long, value_enum)]
    key_order: Option<Order>,
}

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Numbers {
    /// Integers in digits alone where nothing else is allowed, and otherwise as `any`
    Natural,
    /// Each in one way: no exponent, no zero at the end of a fraction, no -0
    Canonical,
    /// In every way that JSON allows, within the limits on digits
    Any,
}

/// How characters of strings are escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EscapeForm {
    /// Only where they must be, and by the shortest escape
    Shortest,
    /// In every way that JSON allows
    Any,
}

/// In which order the keys of objects come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Order {
    /// The keys that the schema names in its order, then others
    Schema,
    /// Any; a key may be written again, with a value of the same kind
    Any,
    /// Any, and each key that the schema names once at most, where these are eight or so
    AnyOnce,
}

impl TextFormArgs {
    /// One of the options that were given, where any was.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let given = [
            (self.whitespace.is_some(), "--whitespace"),
            (self.levels.is_some(), "--levels"),
            (self.separators.is_some(), "--separators"),
            (self.surround.is_some(), "--surround"),
            (self.numbers.is_some(), "--numbers"),
            (self.escapes.is_some(), "--escapes"),
            (self.key_order.is_some(), "--key-order"),
        ];
        given.into_iter().find_map(|(given, name)| given.then_some(name))
    }

    /// Replaces what was given.
    ///
    /// # Errors
    ///
    /// The option that makes no sense, and why.
    pub(crate) fn apply(&self, options: &mut JsonSchemaOptions) -> Result<(), Problem> {
        let text = &mut options.text;
        if let Some(whitespace) = self.whitespace {
            text.whitespace = whitespace;
        }
        if let Some([item, key]) = self.separators.as_deref() {
            let wrong = |problem: SeparatorError| Problem::Option {
                option: "--separators",
                problem: problem.to_string(),
            };
            let item = Separator::item(item).map_err(wrong)?;
            let key = Separator::key(key).map_err(wrong)?;
            text.whitespace = Whitespace::Fixed { item, key };
        }
        if let Some(levels) = self.levels
            && !text.whitespace.set_levels(levels)
        {
            let problem = "is for indented and styled text".to_owned();
            return Err(Problem::Option { option: "--levels", problem });
        }
        if let Some(surround) = self.surround {
            text.surround = surround;
        }
        match self.numbers {
            Some(Numbers::Natural) => text.numbers = NumberForm::Natural,
            Some(Numbers::Canonical) => text.numbers = NumberForm::Canonical,
            Some(Numbers::Any) => text.numbers = NumberForm::Any,
            None => {}
        }
        match self.escapes {
            Some(EscapeForm::Shortest) => text.escapes = Escapes::Shortest,
            Some(EscapeForm::Any) => text.escapes = Escapes::Any,
            None => {}
        }
        match self.key_order {
            Some(Order::Schema) => options.key_order = KeyOrder::Schema,
            Some(Order::Any) => options.key_order = KeyOrder::Any,
            Some(Order::AnyOnce) => options.key_order = KeyOrder::AnyOnce,
            None => {}
        }
        Ok(())
    }
}
