//! The `grammarc` binary.
fn main() {}
