//! Compiles what `grammarc.toml` lists into Cargo's output, and again where one of its inputs has changed.

fn main() -> Result<(), grammarc_build::BuildError> {
    grammarc_build::Build::new().cargo()?;
    Ok(())
}
