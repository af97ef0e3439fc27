//! Prints the effect of each step of the JSON Schema simplifier, in Markdown.
//!
//! Every schema of MaskBench is lowered with all steps, and without each of them. Shapes and work are the same on
//! every run; CPU time is not. A schema counts as lost if it is an error without the step, and as weaker if it needs
//! a weaker promise.

use std::io::{self, Write};

use clap::{Parser, ValueEnum};
use grammarc_benches::clock::Clock;
use grammarc_benches::inputs::maskbench;
use grammarc_compiler::budget::Budget;
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::json_schema::{
    Effort, JsonSchemaOptions, KeyOrder, Step, Steps, lower_with_steps,
};

/// Measures what each step of the JSON Schema simplifier saves.
#[derive(Debug, Parser)]
#[command(name = "schema-steps")]
struct Arguments {
    /// Order of keys
    #[arg(long, value_enum, default_value_t = Order::Schema)]
    key_order: Order,

    /// Take every so many of the schemas
    #[arg(long, default_value_t = 1, value_name = "N")]
    step: usize,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Order {
    Schema,
    Any,
}

/// The totals of lowering all schemas.
#[derive(Default)]
struct Total {
    /// CPU time in milliseconds.
    time: f64,
    shapes: usize,
    work: usize,
    /// Schemas that are errors, and schemas with a weaker promise.
    errors: usize,
    weaker: usize,
    /// Number of effects of each step, and number of schemas with an effect.
    effects: [(u64, usize); Step::ALL.len()],
}

impl Total {
    fn of(schemas: &[String], options: &JsonSchemaOptions, steps: Steps) -> Self {
        let mut total = Self::default();
        for schema in schemas {
            let source = Source::new("schema", schema.as_str());
            let start = Clock::Cpu.now();
            let lowered = lower_with_steps(source, options, steps, &Budget::new());
            total.time += (Clock::Cpu.now() - start) / 1e3;
            match lowered {
                Ok((_, effort)) => total.add(&effort),
                Err(_) => total.errors += 1,
            }
        }
        total
    }

    fn add(&mut self, effort: &Effort) {
        self.shapes += effort.shapes;
        self.work += effort.work;
        self.weaker += usize::from(effort.is_weaker);
        for (effects, step) in self.effects.iter_mut().zip(Step::ALL) {
            let times = effort.steps.of(step);
            effects.0 += times;
            effects.1 += usize::from(times > 0);
        }
    }
}

fn main() -> io::Result<()> {
    let arguments = Arguments::parse();
    let mut out = io::stdout().lock();
    let cases = maskbench();
    let cases = cases.iter().step_by(arguments.step.max(1));
    let schemas: Vec<String> = cases.map(|case| case.schema.to_string()).collect();
    if schemas.is_empty() {
        return writeln!(out, "no MaskBench; set GRAMMARC_DATA");
    }
    let key_order = match arguments.key_order {
        Order::Schema => KeyOrder::Schema,
        Order::Any => KeyOrder::Any,
    };
    let options = JsonSchemaOptions { key_order, ..JsonSchemaOptions::default() };
    let all = Total::of(&schemas, &options, Steps::default());
    writeln!(out, "{} schemas, keys in the order `{key_order:?}`\n", schemas.len())?;
    writeln!(out, "| without | effects | in | CPU ms | shapes | work | errors | weaker |")?;
    writeln!(out, "| --- | --: | --: | --: | --: | --: | --: | --: |")?;
    let row = |total: &Total| {
        let Total { time, shapes, work, errors, weaker, .. } = total;
        format!("{time:.0} | {shapes} | {work} | {errors} | {weaker} |")
    };
    writeln!(out, "| nothing | | | {}", row(&all))?;
    for (step, (effects, count)) in Step::ALL.into_iter().zip(all.effects) {
        let without = Total::of(&schemas, &options, Steps::default().without(step));
        writeln!(out, "| {step:?} | {effects} | {count} | {}", row(&without))?;
        out.flush()?;
    }
    Ok(())
}
