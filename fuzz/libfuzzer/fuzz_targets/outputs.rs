//! [`grammarc_fuzz::outputs`] under libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| grammarc_fuzz::outputs::run(data));
