//! [`grammarc_fuzz::tokens`] under libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| grammarc_fuzz::tokens::run(data));
