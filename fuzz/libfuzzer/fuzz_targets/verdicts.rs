//! [`grammarc_fuzz::verdicts`] under libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| grammarc_fuzz::verdicts::run(data));
