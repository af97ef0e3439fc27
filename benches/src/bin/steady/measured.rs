//! The functions whose instructions are counted. None is inlined, and none calls another.

use std::hint::black_box;

use grammarc_benches::ours::{Ours, Text};
use grammarc_compiler::compile::CompileOptions;
use grammarc_runtime::Matcher;
use grammarc_runtime::error::{AcceptError, BufferError};

#[inline(never)]
pub(crate) fn mask(matcher: &mut Matcher) {
    black_box(matcher.mask().parts());
}

#[inline(never)]
pub(crate) fn fill(matcher: &mut Matcher, words: &mut [u32]) -> Result<(), BufferError> {
    matcher.mask().fill(black_box(words))
}

#[inline(never)]
pub(crate) fn accept(matcher: &mut Matcher, token: u32) -> Result<(), AcceptError> {
    matcher.accept(black_box(token))
}

/// Compiles the schema's text to the artifact's bytes.
#[inline(never)]
pub(crate) fn compile(ours: &Ours, schema: &str) -> Result<(), String> {
    let compiled = ours.compile(Text::JsonSchema(black_box(schema)), &CompileOptions::default())?;
    let buffer = compiled.to_buffer(&ours.compiler).map_err(|error| error.to_string())?;
    black_box(buffer);
    Ok(())
}
