//! Results of the model verbs, for people: the model's file, an output, the server's address.

use std::io::{self, Write};

use crate::cmd::models::fetch::Fetched;
use crate::cmd::models::generate::Generated;
use crate::cmd::models::serve::Listening;
use crate::render::Answer;

impl Answer for Fetched {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let how = if self.fetched { "fetched" } else { "was there already" };
        writeln!(out, "{} {how}", self.path.display())
    }
}

/// The generated text was already written while it arrived, so only the rest follows.
impl Answer for Generated {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out)?;
        if self.repaired {
            writeln!(out, "repaired: {}", self.text)?;
        }
        for token in &self.tokens {
            let mass = token.mass.map_or_else(String::new, |mass| format!(", mass {mass:.4}"));
            writeln!(out, "{:.4}{mass} {:?}", token.probability, token.token)?;
        }
        for call in &self.calls {
            writeln!(out, "call {call}")?;
        }
        write!(
            out,
            "{} tokens, {} of them forced, {} calls of the model, seed {}, ended by: {}",
            self.completion_tokens, self.forced_tokens, self.model_calls, self.seed, self.finish
        )?;
        writeln!(out, "{}", if self.truncated { " (cut)" } else { "" })?;
        self.warnings.iter().try_for_each(|warning| writeln!(out, "warning: {warning}"))
    }
}

impl Answer for Listening {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{} at http://{}/", self.model, self.address)
    }
}
