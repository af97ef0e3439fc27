//! [`grammarc_fuzz::artifacts`] under libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| grammarc_fuzz::artifacts::run(data));
