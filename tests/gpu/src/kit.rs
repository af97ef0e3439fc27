//! The input of a run: a vocabulary and grammars from the kit's folder, and a device.

use std::path::Path;

use grammarc_cuda::{Device, DeviceOptions};
use grammarc_runtime::{Grammar, Matcher, Vocabulary};
use grammarc_test_data::Rng;

use crate::driver::Driver;

pub(crate) struct Kit {
    pub(crate) driver: Driver,
    pub(crate) device: Device,
    pub(crate) vocabulary: Vocabulary,
    /// By name of their files.
    pub(crate) grammars: Vec<Grammar>,
    /// Whether this is a run whose times mean nothing: few and small.
    pub(crate) dry: bool,
}

impl Kit {
    pub(crate) fn open(folder: &Path, driver: Option<&Path>) -> Self {
        let path = folder.join("vocabulary.gvocab");
        let vocabulary =
            Vocabulary::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let entries = std::fs::read_dir(folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.retain(|path| path.extension().is_some_and(|end| end == "gmask"));
        paths.sort();
        let open = |path: &std::path::PathBuf| Grammar::open(path, &vocabulary).ok();
        let grammars: Vec<Grammar> = paths.iter().filter_map(open).collect();
        assert!(!grammars.is_empty(), "{}: no grammar for the vocabulary", folder.display());
        let options =
            DeviceOptions { driver: driver.map(Path::to_path_buf), ..DeviceOptions::default() };
        let device = Device::open(&options).done();
        let driver = Driver::open(driver);
        let dry = device.name().contains("emulator");
        Self { driver, device, vocabulary, grammars, dry }
    }

    /// As many as there are times for, or a few.
    pub(crate) fn scaled(&self, wet: usize, dry: usize) -> usize {
        if self.dry { dry } else { wet }
    }
}

/// Results whose errors end the program: there is nobody to whom they could be reported better.
pub(crate) trait Done<T> {
    /// The value.
    fn done(self) -> T;
}

impl<T, E: std::fmt::Display> Done<T> for Result<T, E> {
    fn done(self) -> T {
        self.unwrap_or_else(|error| panic!("{error}"))
    }
}

/// A token that a matcher allows, 0 where it allows none.
pub(crate) fn allowed(matcher: &mut Matcher, rng: &mut Rng) -> u32 {
    let mask = matcher.mask();
    let count = mask.len();
    mask.iter().nth(rng.below(count.clamp(1, 400))).unwrap_or_default()
}
