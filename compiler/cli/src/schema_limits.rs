//! Options for the limits of JSON Schema, by the names that the errors give.

use clap::Args;
use grammarc_compiler::frontend::json_schema::JsonSchemaOptions;

/// Limits on the size of what a schema is compiled to. The defaults are far above what real schemas need.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Limits of JSON schemas")]
pub(crate) struct SchemaLimitArgs {
    /// Most combinations of schemas, beyond a share for each value in the source [default: 20000]
    #[arg(long, value_name = "N")]
    max_shapes: Option<usize>,

    /// Most states of the automaton of a pattern, a length or a set of numbers [default: 50000]
    #[arg(long, value_name = "N")]
    max_automaton_states: Option<usize>,

    /// Most rules that a schema becomes [default: 100000]
    #[arg(long, value_name = "N")]
    max_schema_rules: Option<usize>,
}

impl SchemaLimitArgs {
    /// The name of the first option that was given, `None` if none was.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let given = [
            (self.max_shapes, "--max-shapes"),
            (self.max_automaton_states, "--max-automaton-states"),
            (self.max_schema_rules, "--max-schema-rules"),
        ];
        given.into_iter().find_map(|(given, name)| given.map(|_| name))
    }

    /// Sets the options that were given, and leaves the others.
    pub(crate) fn apply(&self, options: &mut JsonSchemaOptions) {
        options.max_shapes = self.max_shapes.unwrap_or(options.max_shapes);
        options.max_states = self.max_automaton_states.unwrap_or(options.max_states);
        options.max_rules = self.max_schema_rules.unwrap_or(options.max_rules);
    }
}
