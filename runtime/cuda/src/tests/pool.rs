//! The pool: grammars come and go, a vocabulary is there once, and what does not fit is refused.

use grammarc_runtime::{Matcher, MatcherOptions};

use super::emulator::{build, device};
use super::{advance, cases};
use crate::{CudaError, DeviceOptions, Stream};

const STREAM: Stream = Stream::DEFAULT;

#[test]
fn a_vocabulary_is_there_once_and_space_comes_back() {
    let emulated = device();
    let device = &emulated.device;
    let empty = device.usage();
    let grammars = cases::grammars();
    let first = device.upload(&Matcher::new(&grammars[0]), STREAM).unwrap();
    let with_vocabulary = device.usage().used;
    assert!(with_vocabulary > first.bytes());
    let others: Vec<_> = grammars[1..]
        .iter()
        .map(|grammar| device.upload(&Matcher::new(grammar), STREAM).unwrap())
        .collect();
    let own: u64 = others.iter().map(|other| other.bytes()).sum();
    assert!(device.usage().used - with_vocabulary < own + 128 * others.len() as u64);
    drop(others);
    assert_eq!(device.usage().used, with_vocabulary);
    let held = device.usage().held;
    for grammar in &grammars {
        device.upload(&Matcher::new(grammar), STREAM).unwrap();
    }
    assert_eq!(device.usage().held, held, "space is used again");
    drop(first);
    assert_eq!(device.usage().used, empty.used);
}

/// Grammars that take the place of others while some are in use walk as ever.
#[test]
fn grammars_come_and_go_while_others_are_used() {
    let emulated = device();
    let device = &emulated.device;
    let grammars = cases::grammars();
    let mut kept = Vec::new();
    for (at, grammar) in grammars.iter().enumerate() {
        kept.push(device.upload(&Matcher::new(grammar), STREAM).unwrap());
        if at % 3 == 2 {
            kept.swap_remove(at % kept.len());
        }
        assert_eq!(advance::walk(device, grammar, at as u64, 40).wrong, 0);
        assert_eq!(advance::walk(device, &grammars[at / 2], at as u64, 40).wrong, 0);
    }
}

#[test]
fn a_slot_keeps_its_grammar() {
    let emulated = device();
    let device = &emulated.device;
    let grammar = cases::wide();
    let mut matcher = Matcher::new(&grammar);
    let mut slots = device.slots(2, 0, STREAM).unwrap();
    let resident = device.upload(&matcher, STREAM).unwrap();
    slots.write(1, &resident, &mut matcher, STREAM).unwrap();
    let used = device.usage().used;
    drop(resident);
    assert_eq!(device.usage().used, used);
    slots.release(1, STREAM).unwrap();
    assert_eq!(device.usage().used, 0);
}

#[test]
fn what_does_not_fit_is_refused() {
    let options = DeviceOptions { pool_bytes: 4 << 20, ..DeviceOptions::default() };
    let emulated = build(None, options);
    let device = &emulated.device;
    let grammar = cases::wide();
    let mut kept = Vec::new();
    let error = loop {
        match device.upload(&Matcher::new(&grammar), STREAM) {
            Ok(resident) => kept.push(resident),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, CudaError::Full { most: 4_194_304, .. }), "{error}");
    kept.pop();
    device.upload(&Matcher::new(&grammar), STREAM).expect("there is room again");
}

#[test]
fn a_matcher_of_another_grammar_or_with_other_ends_is_refused() {
    let emulated = device();
    let device = &emulated.device;
    let grammars = cases::grammars();
    let mut slots = device.slots(1, 0, STREAM).unwrap();
    let resident = device.upload(&Matcher::new(&grammars[0]), STREAM).unwrap();
    let mut other = Matcher::new(&grammars[1]);
    let refused = slots.write(0, &resident, &mut other, STREAM);
    assert!(matches!(refused, Err(CudaError::OtherGrammar)));
    let options = MatcherOptions::new().end_tokens([0]);
    let mut other = Matcher::with_options(&grammars[0], options).unwrap();
    let refused = slots.write(0, &resident, &mut other, STREAM);
    assert!(matches!(refused, Err(CudaError::OtherEnds)));
    let resident = device.upload(&other, STREAM).unwrap();
    slots.write(0, &resident, &mut other, STREAM).unwrap();
    let refused = slots.write(1, &resident, &mut other, STREAM);
    assert!(matches!(refused, Err(CudaError::Slot { slot: 1, slots: 1 })));
}

#[test]
fn rows_by_number_are_few_and_given_up_when_they_are_old() {
    let emulated = device();
    let device = &emulated.device;
    let grammar = cases::wide();
    let resident = device.upload(&Matcher::new(&grammar), STREAM).unwrap();
    let mut table = device.rows(2, STREAM).unwrap();
    let mut start = Matcher::new(&grammar);
    let mut within = Matcher::new(&grammar);
    within.accept(u32::from(b'"')).unwrap();
    let mut number = Matcher::new(&grammar);
    number.accept(u32::from(b'1')).unwrap();
    table.begin();
    let first = table.number(&resident, &mut start, STREAM).unwrap();
    assert_eq!(table.number(&resident, &mut start, STREAM).unwrap(), first);
    let second = table.number(&resident, &mut within, STREAM).unwrap();
    assert_ne!(first, second);
    let refused = table.number(&resident, &mut number, STREAM);
    assert!(matches!(refused, Err(CudaError::Rows { rows: 2 })));
    table.begin();
    assert_eq!(table.number(&resident, &mut within, STREAM).unwrap(), second);
    assert_eq!(table.number(&resident, &mut number, STREAM).unwrap(), first, "the old one's place");
}

#[test]
fn a_driver_that_is_not_there_is_an_error() {
    let driver = Some(std::env::temp_dir().join("no-such-driver.so"));
    let error =
        crate::Device::open(&DeviceOptions { driver, ..DeviceOptions::default() }).unwrap_err();
    assert!(matches!(&error, CudaError::NoDriver { tried } if tried.len() == 1), "{error}");
    let emulated = device();
    drop(emulated);
}
