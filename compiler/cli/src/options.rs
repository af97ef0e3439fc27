//! Command-line flags for the options of source languages. The flags are generated from the table
//! [`OPTIONS`].

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::deny::Deny;
use grammarc_compiler::frontend::settings::{
    Language, OPTIONS, OptionRow, OptionValue, Section, Settings, SettingsError,
};
use serde_json::{Map, Value};

use crate::failure::{Failure, Problem};
use crate::input::read_source;

/// The options of source languages that were given as flags.
#[derive(Clone, Debug, Default)]
pub(crate) struct OptionArgs {
    given: Vec<(&'static OptionRow, Given)>,
}

/// The value of a flag.
#[derive(Clone, Debug)]
enum Given {
    Value(Value),
    /// Path of a file that contains a schema.
    File(PathBuf),
}

/// Returns the rows of the option table that become flags. Leaves out named sources, which are
/// files here, and lists of choices (`deny`), which apply to every language.
fn rows() -> impl Iterator<Item = &'static OptionRow> {
    let by_itself =
        |row: &&OptionRow| !matches!(row.value, OptionValue::ByName | OptionValue::Several(_));
    OPTIONS.iter().filter(by_itself)
}

/// Returns the argument parser for `--deny`: the names of the keyword classes that can be denied.
pub(crate) fn deny_names() -> impl TypedValueParser<Value = Deny> {
    let row = OptionRow::named("deny").expect("it is in the table");
    let OptionValue::Several(names) = row.value else { unreachable!("it is a list of names") };
    PossibleValuesParser::new(choices(names))
        .map(|name| name.parse().expect("the values are names of what is denied"))
}

/// Converts pairs of a name and its help to the possible values of an argument.
fn choices(names: &'static [(&'static str, &'static str)]) -> Vec<PossibleValue> {
    names.iter().map(|(name, help)| PossibleValue::new(*name).help(*help)).collect()
}

fn arg(row: &'static OptionRow) -> Arg {
    let (line, more) = row.help.split_once("\n\n").unwrap_or((row.help, ""));
    let default = match row.default {
        "" => String::new(),
        default => format!(" [default: {default}]"),
    };
    let arg = Arg::new(row.flag).long(row.flag).help(format!("{line}{default}"));
    let arg = match more {
        "" => arg,
        more => arg.long_help(format!("{line}{default}\n\n{more}")),
    };
    let arg = match row.section {
        Section::Sources => arg,
        section => arg.help_heading(section.heading()),
    };
    match row.value {
        OptionValue::Flag => arg.action(ArgAction::SetTrue),
        OptionValue::Number(alone) => {
            let arg = arg.value_name("N").value_parser(value_parser!(u32));
            match alone {
                Some(alone) => {
                    arg.num_args(0..=1).require_equals(true).default_missing_value(alone)
                }
                None => arg,
            }
        }
        OptionValue::Choice(names) | OptionValue::Several(names) => {
            arg.value_parser(choices(names))
        }
        OptionValue::Text(form) => arg.value_name(form),
        OptionValue::Pair(names) => arg.num_args(2).value_names(names).conflicts_with("whitespace"),
        OptionValue::Names => arg.value_name("NAMES").value_delimiter(','),
        OptionValue::NumberOrNames => arg.value_name("N|NAMES"),
        OptionValue::Schema => arg.value_name("SCHEMA").value_parser(value_parser!(PathBuf)),
        OptionValue::ByName => arg,
    }
}

/// Returns the value of a flag. `None` if the flag was not given.
fn given(row: &OptionRow, matches: &ArgMatches) -> Option<Given> {
    let texts = |matches: &ArgMatches| -> Option<Vec<String>> {
        Some(matches.get_many::<String>(row.flag)?.cloned().collect())
    };
    let value = match row.value {
        OptionValue::Flag => Value::from(matches.get_flag(row.flag).then_some(true)?),
        OptionValue::Number(_) => Value::from(*matches.get_one::<u32>(row.flag)?),
        OptionValue::Pair(_) | OptionValue::Names | OptionValue::Several(_) => {
            Value::from(texts(matches)?)
        }
        OptionValue::NumberOrNames => {
            let text = matches.get_one::<String>(row.flag)?;
            match text.parse::<u32>() {
                Ok(number) => Value::from(number),
                Err(_) => Value::from_iter(text.split(',')),
            }
        }
        OptionValue::Schema => {
            return Some(Given::File(matches.get_one::<PathBuf>(row.flag)?.clone()));
        }
        OptionValue::Choice(_) | OptionValue::Text(_) | OptionValue::ByName => {
            Value::from(matches.get_one::<String>(row.flag)?.as_str())
        }
    };
    Some(Given::Value(value))
}

impl Args for OptionArgs {
    fn augment_args(command: Command) -> Command {
        command.args(rows().map(arg))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for OptionArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = rows().filter_map(|row| Some((row, given(row, matches)?)));
        Ok(Self { given: given.collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl OptionArgs {
    /// Whether the option `name` was given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(row, _)| row.name == name)
    }

    /// Returns the settings of `language` with the options that were given. `name` is the name of
    /// the source, for messages.
    ///
    /// # Errors
    ///
    /// An option that belongs to another language, an invalid value, or a file that cannot be read.
    pub(crate) fn settings(&self, language: Language, name: &str) -> Result<Settings, Failure> {
        let mut options = Map::new();
        let mut line = None;
        for (row, given) in &self.given {
            if !row.languages.contains(&language) {
                let problem = not_for(&row.owners(), name, language);
                return Err(Problem::Flag { flag: row.flag, problem }.into());
            }
            match given {
                Given::Value(value) => {
                    options.insert(row.name.to_owned(), value.clone());
                }
                Given::File(path) => line = Some(read_source(path)?),
            }
        }
        let settings = Settings::of(language, options).map_err(problem)?;
        Ok(with_line(settings, line))
    }
}

/// Adds the schema of single lines (of the built-in grammar `jsonl`) to the settings. The schema
/// was read from a file, so that its errors have a position there.
fn with_line(mut settings: Settings, line: Option<Source>) -> Settings {
    if let FrontEnd::BuiltIn(options) = &mut settings.front_end
        && line.is_some()
    {
        options.line = line;
    }
    settings
}

/// Returns the message that an option of the languages `owners` does not apply to the source
/// `name`.
pub(crate) fn not_for(owners: &str, name: &str, language: Language) -> String {
    format!("is for {owners} sources, and {name} is {}", language.name())
}

/// Converts an error of the settings to one about the flag that sets the wrong option.
fn problem(error: SettingsError) -> Failure {
    match error.fault() {
        (Some(name), problem) => {
            let flag = OptionRow::named(name).map_or(name, |row| row.flag);
            Problem::Flag { flag, problem }.into()
        }
        (None, _) => Problem::Option { option: "an option:", problem: error.to_string() }.into(),
    }
}
