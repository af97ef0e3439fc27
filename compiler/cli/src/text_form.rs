//! The arguments that decide which texts of a JSON instance are accepted.

use clap::{Args, ValueEnum};
use grammarc_compiler::frontend::json_schema::{
    Escapes, JsonSchemaOptions, KeyOrder, NumberForm, TextForm, Whitespace,
};

/// Longest run of whitespace in flexible form where no bound is given: a line end and nine levels of two spaces.
const FLEXIBLE: u32 = 19;

/// Which texts of a JSON instance are accepted.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Text of JSON documents")]
pub(crate) struct TextFormArgs {
    /// Where there is whitespace: `compact` nowhere, `spaced` one space after each `,` and `:`, `flexible:N` wherever
    /// JSON allows it in runs of up to N [default: compact]
    #[arg(long, value_name = "compact|spaced|flexible[:N]", value_parser = whitespace)]
    whitespace: Option<Whitespace>,

    /// How numbers are written [default: canonical]
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
    /// Those that the schema names in its order, then others
    Schema,
    /// Any
    Any,
}

impl TextFormArgs {
    /// One of the options that were given, where any was.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let given = [
            (self.whitespace.is_some(), "--whitespace"),
            (self.numbers.is_some(), "--numbers"),
            (self.escapes.is_some(), "--escapes"),
            (self.key_order.is_some(), "--key-order"),
        ];
        given.into_iter().find_map(|(given, name)| given.then_some(name))
    }

    /// Replaces what was given.
    pub(crate) fn apply(&self, options: &mut JsonSchemaOptions) {
        if let Some(whitespace) = self.whitespace {
            options.text.whitespace = whitespace;
        }
        match self.numbers {
            Some(Numbers::Canonical) => options.text.numbers = NumberForm::Canonical,
            Some(Numbers::Any) => options.text.numbers = NumberForm::Any,
            None => {}
        }
        match self.escapes {
            Some(EscapeForm::Shortest) => options.text.escapes = Escapes::Shortest,
            Some(EscapeForm::Any) => options.text.escapes = Escapes::Any,
            None => {}
        }
        match self.key_order {
            Some(Order::Schema) => options.key_order = KeyOrder::Schema,
            Some(Order::Any) => options.key_order = KeyOrder::Any,
            None => {}
        }
    }
}

/// The options as artifacts record them.
pub(crate) fn recorded(options: &JsonSchemaOptions) -> Vec<(&'static str, String)> {
    let TextForm { whitespace, numbers, escapes, .. } = options.text;
    let numbers = match numbers {
        NumberForm::Canonical => "canonical",
        NumberForm::Any => "any",
    };
    let escapes = match escapes {
        Escapes::Shortest => "shortest",
        Escapes::Any => "any",
    };
    let order = match options.key_order {
        KeyOrder::Schema => "schema",
        KeyOrder::Any => "any",
    };
    vec![
        ("whitespace", spelled(whitespace)),
        ("numbers", numbers.to_owned()),
        ("escapes", escapes.to_owned()),
        ("key-order", order.to_owned()),
    ]
}

/// `compact`, `spaced`, `flexible` or `flexible:N`.
fn whitespace(text: &str) -> Result<Whitespace, String> {
    let max = match text.strip_prefix("flexible") {
        None if text == "compact" => return Ok(Whitespace::Compact),
        None if text == "spaced" => return Ok(Whitespace::Spaced),
        Some("") => FLEXIBLE,
        Some(bound) => bound
            .strip_prefix(':')
            .and_then(|number| number.parse().ok())
            .ok_or("the bound is a number after a colon, as in flexible:8")?,
        None => return Err("expected compact, spaced, flexible or flexible:N".to_owned()),
    };
    Ok(Whitespace::Flexible { max })
}

fn spelled(whitespace: Whitespace) -> String {
    match whitespace {
        Whitespace::Compact => "compact".to_owned(),
        Whitespace::Spaced => "spaced".to_owned(),
        Whitespace::Flexible { max } => format!("flexible:{max}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whitespace_is_read_and_written() {
        for text in ["compact", "spaced", "flexible:0", "flexible:8"] {
            assert_eq!(whitespace(text).map(spelled).as_deref(), Ok(text));
        }
        assert_eq!(whitespace("flexible"), Ok(Whitespace::Flexible { max: FLEXIBLE }));
        for text in ["", "loose", "flexible:", "flexible8", "flexible:-1", "flexible: 8"] {
            assert!(whitespace(text).is_err(), "{text:?}");
        }
    }
}
