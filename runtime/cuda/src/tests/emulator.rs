//! The emulated driver, built from the kernels as they are or with a fault in them.

use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use grammarc_artifacts::write;
use tempfile::TempDir;

use crate::{Device, DeviceOptions};

/// The library's file.
const LIBRARY: &str = "libemulated.so";

/// Environment variable that chooses the sanitizer.
pub(super) const SANITIZER: &str = "GRAMMARC_EMULATOR_SANITIZER";

/// Rounds of a check: all of them in the long form (`GRAMMARC_FULL=1`), a few where a sanitizer slows each down.
pub(super) fn rounds(all: usize) -> usize {
    let part = match std::env::var(SANITIZER) {
        Ok(_) => 40,
        Err(_) if grammarc_tests::vocabularies::full() => 1,
        Err(_) => 12,
    };
    all.div_ceil(part)
}

/// A device of the emulator. One at a time: the emulator is for one thread.
pub(super) struct Emulated {
    pub(super) device: Device,
    _turn: MutexGuard<'static, ()>,
}

/// A text of a kernel's file and what stands in its place.
pub(super) struct Fault {
    pub(super) file: &'static str,
    pub(super) text: &'static str,
    pub(super) instead: &'static str,
}

/// The emulated device, with the kernels as they are.
pub(super) fn device() -> Emulated {
    build(None, DeviceOptions::default())
}

/// The emulated device with options, or with a fault in the kernels.
pub(super) fn build(fault: Option<&Fault>, options: DeviceOptions) -> Emulated {
    static TURN: Mutex<()> = Mutex::new(());
    static WHOLE: OnceLock<TempDir> = OnceLock::new();
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    // A library stays mapped after its file is gone.
    let faulty = fault.map(|fault| library(Some(fault)));
    let folder = faulty.as_ref().unwrap_or_else(|| WHOLE.get_or_init(|| library(None)));
    let options = DeviceOptions { driver: Some(folder.path().join(LIBRARY)), ..options };
    let device = Device::open(&options).expect("the emulated device opens");
    Emulated { device, _turn: turn }
}

/// A folder with the library.
fn library(fault: Option<&Fault>) -> TempDir {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let kernels = folder.path().join("kernels");
    std::fs::create_dir(&kernels).expect("a folder");
    for entry in std::fs::read_dir(here.join("kernels")).expect("the kernels") {
        let path = entry.expect("a file").path();
        let name = path.file_name().unwrap_or_default();
        if !matches!(path.extension().and_then(|end| end.to_str()), Some("cu" | "cuh")) {
            continue;
        }
        let mut text = std::fs::read_to_string(&path).expect("a kernel's text");
        if let Some(fault) = fault.filter(|fault| name == fault.file) {
            assert_eq!(text.matches(fault.text).count(), 1, "the place of the fault");
            text = text.replace(fault.text, fault.instead);
        }
        write::replace(&kernels.join(name), text.as_bytes()).expect("a copy");
    }
    let sanitizer = std::env::var(SANITIZER).unwrap_or_else(|_| "undefined".to_owned());
    let output = Command::new(here.join("emulator/build"))
        .args([folder.path().join(LIBRARY), kernels])
        .args([&format!("-fsanitize={sanitizer}"), "-fno-sanitize-recover=all"])
        .output()
        .expect("bash and a C++ compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder
}
