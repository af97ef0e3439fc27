//! The arguments of built-in grammars.

use std::path::{Path, PathBuf};

use clap::Args;
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::builtin::{BuiltInOptions, Columns};

use crate::failure::Failure;

/// Options of a built-in grammar.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Built-in grammars")]
pub(crate) struct BuiltInArgs {
    /// Schema of each line of builtin:jsonl [default: any JSON value]
    #[arg(long, value_name = "SCHEMA")]
    line: Option<PathBuf>,

    /// Fewest lines of builtin:jsonl [default: 1], or records of builtin:csv [default: 1, or 0 behind a head]
    #[arg(long, value_name = "N")]
    min_items: Option<u32>,

    /// Most lines of builtin:jsonl, or records of builtin:csv
    #[arg(long, value_name = "N")]
    max_items: Option<u32>,

    /// Columns of builtin:csv: their number, or their names with commas between, which the first record then has
    #[arg(long, value_name = "N|NAMES")]
    columns: Option<String>,

    /// Separator of the fields of builtin:csv [default: ,]
    #[arg(long, value_name = "CHARACTER")]
    separator: Option<char>,

    /// Names of the elements of builtin:xml, with commas between [default: any, which is approximate]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    names: Vec<String>,

    /// Attributes that the elements of builtin:xml may have, in this order, with commas between
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    attributes: Vec<String>,
}

impl BuiltInArgs {
    /// One of the options that were given, where any was.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let given = [
            (self.line.is_some(), "--line"),
            (self.min_items.is_some(), "--min-items"),
            (self.max_items.is_some(), "--max-items"),
            (self.columns.is_some(), "--columns"),
            (self.separator.is_some(), "--separator"),
            (!self.names.is_empty(), "--names"),
            (!self.attributes.is_empty(), "--attributes"),
        ];
        given.into_iter().find_map(|(given, name)| given.then_some(name))
    }

    /// The options, with the schema of lines as `read` reads it.
    pub(crate) fn read(
        &self,
        read: impl Fn(&Path) -> Result<Source, Failure>,
    ) -> Result<BuiltInOptions, Failure> {
        let line = self.line.as_deref().map(read).transpose()?;
        let columns = self.columns.as_ref().map(|columns| match columns.parse() {
            Ok(count) => Columns::Count(count),
            Err(_) => Columns::Named(columns.split(',').map(str::to_owned).collect()),
        });
        Ok(BuiltInOptions {
            line,
            min_items: self.min_items,
            max_items: self.max_items,
            columns,
            separator: self.separator,
            names: self.names.clone(),
            attributes: self.attributes.clone(),
            ..BuiltInOptions::default()
        })
    }
}
