//! The steps of a build and of a check, over all sources and vocabularies.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use grammarc_artifacts::write;
use grammarc_compiler::cache::{INDEX, Index, IndexedVocabulary, file_of};
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::error::BuildError;
use crate::look::{self, Artifact, Looked};
use crate::make::{self, Made};
use crate::manifest::Manifest;
use crate::outcome::{BuiltVocabulary, Outcome, Refused, Stale, Why};
use crate::plan::{self, Item, Plan};
use crate::vocabularies::{self, Found, Ready};

/// A report of how far a build has come.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'p> {
    /// The vocabulary with this name is being opened, or built if needed.
    Vocabulary(&'p str),
    /// The sources are being compared with the artifacts of the previous build.
    Looking {
        /// Number of sources.
        sources: usize,
    },
    /// A source was compiled or refused.
    Compiled {
        /// Name of the source.
        source: &'p str,
        /// Number of sources that are done, this one included.
        done: usize,
        /// Number of sources to compile.
        sources: usize,
    },
}

/// The state that the steps of one build share.
pub(crate) struct Steps<'b> {
    manifest: &'b Manifest,
    output: &'b Path,
    before: Option<&'b Index>,
    plan: Plan,
    /// Every file and folder whose change may change the outcome.
    inputs: Vec<PathBuf>,
    threads: NonZero<usize>,
    pool: ThreadPool,
    progress: &'b (dyn Fn(Progress<'_>) + Sync),
}

/// The sources in the order of the plan: each with the state of its artifacts, or the reason why it
/// cannot be read as text.
type AllLooked = Vec<Result<Looked, Refused>>;

impl<'b> Steps<'b> {
    pub(crate) fn new(
        file: &Path,
        manifest: &'b Manifest,
        output: &'b Path,
        before: Option<&'b Index>,
        threads: Option<NonZero<usize>>,
        progress: &'b (dyn Fn(Progress<'_>) + Sync),
    ) -> Result<Self, BuildError> {
        let plan = plan::plan(manifest, &manifest.root, output).map_err(|diagnostics| {
            BuildError::Manifest { manifest: manifest.source.clone(), diagnostics }
        })?;
        let mut inputs: BTreeSet<PathBuf> = plan.folders.clone();
        inputs.insert(file.to_owned());
        inputs.extend(plan.items.iter().map(|item| item.path.clone()));
        inputs.extend(manifest.groups.iter().flat_map(|group| group.options.inputs.clone()));
        for spec in &manifest.vocabularies {
            inputs.extend(vocabularies::inputs(manifest, spec)?);
        }
        let all = || std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        let threads = threads.unwrap_or_else(all);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build();
        let pool = pool.map_err(BuildError::Threads)?;
        let inputs = inputs.into_iter().collect();
        Ok(Self { manifest, output, before, plan, inputs, threads, pool, progress })
    }

    /// Builds all artifacts that are not up to date, and writes the index.
    pub(crate) fn make(&self) -> Result<Outcome, BuildError> {
        let mut findings = Vec::new();
        let mut ready = Vec::new();
        for spec in &self.manifest.vocabularies {
            (self.progress)(Progress::Vocabulary(&spec.name));
            ready.push(
                match vocabularies::find(self.manifest, spec, self.output, self.known(&spec.name))?
                {
                    Found::Ready(found) => *found,
                    Found::Stale { inputs, .. } => {
                        let (output, threads) = (self.output, self.threads);
                        vocabularies::build(
                            self.manifest,
                            spec,
                            output,
                            inputs,
                            threads,
                            &mut findings,
                        )?
                    }
                },
            );
        }
        let mut all = Made { findings, ..Made::default() };
        let looked = self.look(&ready.iter().map(Some).collect::<Vec<_>>())?;
        for made in self.compile(looked, &ready)? {
            all.artifacts.extend(made.artifacts);
            all.built.extend(made.built);
            all.refused.extend(made.refused);
            all.findings.extend(made.findings);
        }
        let fresh = all.artifacts.len() - all.built.len();
        let entries = ready.iter().map(|one| one.entry.clone()).collect();
        let index = Index::new(entries, all.artifacts);
        let path = self.output.join(INDEX);
        write::replace(&path, index.text().as_bytes())
            .map_err(|source| BuildError::Artifact { path, source })?;
        let vocabularies = ready.into_iter().map(|one| BuiltVocabulary {
            name: one.entry.name,
            path: one.path,
            built: one.built,
        });
        Ok(Outcome {
            output: self.output.to_owned(),
            vocabularies: vocabularies.collect(),
            built: all.built,
            fresh,
            removed: self.remove(&index)?,
            refused: all.refused,
            findings: all.findings,
            inputs: self.inputs.clone(),
            seconds: 0.0,
        })
    }

    /// Returns the files of the output folder that are not up to date, sorted by path.
    pub(crate) fn check(&self) -> Result<Vec<Stale>, BuildError> {
        let mut stale = Vec::new();
        let mut ready = Vec::new();
        let mut unknown = BTreeSet::new();
        let mut wanted = BTreeSet::new();
        for (number, spec) in self.manifest.vocabularies.iter().enumerate() {
            match vocabularies::find(self.manifest, spec, self.output, self.known(&spec.name))? {
                Found::Ready(found) => {
                    wanted.extend(found.entry.file.clone());
                    ready.push(Some(*found));
                }
                Found::Stale { why, .. } => {
                    let file = vocabularies::file(&spec.name);
                    wanted.insert(file.clone());
                    stale.push(Stale { file, source: None, why });
                    unknown.insert(number);
                    ready.push(None);
                }
            }
        }
        // If a vocabulary is not up to date, its artifacts are not either, whatever they contain.
        for item in &self.plan.items {
            for &number in &self.manifest.groups[item.group].vocabularies {
                let file = item.file(&self.manifest.vocabularies[number].name);
                wanted.insert(file.clone());
                if unknown.contains(&number) {
                    let is_there = self.output.join(&file).exists();
                    let why = if is_there { Why::OutOfDate } else { Why::Missing };
                    stale.push(Stale { file, source: Some(item.name.clone()), why });
                }
            }
        }
        let looked = self.look(&ready.iter().map(Option::as_ref).collect::<Vec<_>>())?;
        for (item, looked) in self.plan.items.iter().zip(looked) {
            let artifacts = match looked {
                Ok(looked) => looked.artifacts,
                // The source cannot be read as text, so an existing artifact was made from an
                // earlier text.
                Err(_) => {
                    let names = self.manifest.groups[item.group].vocabularies.iter();
                    let names = names.map(|&number| &self.manifest.vocabularies[number].name);
                    let source = Some(item.name.clone());
                    let why = Why::OutOfDate;
                    stale.extend(names.map(|name| Stale {
                        file: item.file(name),
                        source: source.clone(),
                        why,
                    }));
                    continue;
                }
            };
            stale.extend(artifacts.into_iter().filter_map(|artifact| match artifact {
                Artifact::Fresh(_) => None,
                Artifact::Stale { entry, why, .. } => {
                    Some(Stale { file: entry.file, source: Some(entry.source), why })
                }
            }));
        }
        let listed = self.before.into_iter().flat_map(Index::files);
        let superfluous = listed.filter(|file| !wanted.contains(*file));
        stale.extend(superfluous.map(|file| Stale {
            file: file.to_owned(),
            source: None,
            why: Why::Superfluous,
        }));
        stale.sort_by(|a, b| a.file.cmp(&b.file));
        stale.dedup_by(|a, b| a.file == b.file);
        Ok(stale)
    }

    fn known(&self, vocabulary: &str) -> Option<&'b IndexedVocabulary> {
        self.before?.vocabularies.iter().find(|known| known.name == vocabulary)
    }

    fn look(&self, ready: &[Option<&Ready>]) -> Result<AllLooked, BuildError> {
        (self.progress)(Progress::Looking { sources: self.plan.items.len() });
        let before = look::before(self.before);
        let look = |item: &Item| {
            let (group, limits) = (&self.manifest.groups[item.group], &self.manifest.limits);
            let looked = look::look(item, group, limits, ready, self.output, &before)?;
            Ok(looked.map_err(|(source, error)| Refused {
                source,
                vocabulary: None,
                diagnostics: vec![error],
            }))
        };
        self.pool.install(|| self.plan.items.par_iter().map(look).collect())
    }

    /// Compiles the sources that have stale artifacts. The results are in the order of the plan.
    fn compile(&self, looked: AllLooked, ready: &[Ready]) -> Result<Vec<Made>, BuildError> {
        let is_stale = |looked: &&Result<Looked, Refused>| {
            let artifacts = looked.as_ref().map_or(&[][..], |looked| &looked.artifacts);
            artifacts.iter().any(|artifact| matches!(artifact, Artifact::Stale { .. }))
        };
        let sources = looked.iter().filter(is_stale).count();
        let each = self.threads.get() / sources.clamp(1, self.threads.get());
        let each = NonZero::new(each).unwrap_or(NonZero::<usize>::MIN);
        let compilers = if sources == 0 { Vec::new() } else { make::compilers(ready, each) };
        let done = AtomicUsize::new(0);
        let make = |(item, looked): (&Item, Result<Looked, Refused>)| {
            let (group, limits) = (&self.manifest.groups[item.group], &self.manifest.limits);
            let is_stale = is_stale(&&looked);
            let made = match looked {
                Ok(looked) => make::make(item, looked, group, limits, &compilers, self.output)?,
                Err(refused) => Made { refused: vec![refused], ..Made::default() },
            };
            if is_stale {
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                (self.progress)(Progress::Compiled { source: &item.name, done, sources });
            }
            Ok(made)
        };
        let items = self.plan.items.par_iter().zip(looked).with_max_len(1);
        self.pool.install(|| items.map(make).collect())
    }

    /// Deletes the files that the previous index lists and the new index does not, and folders that
    /// become empty. Returns the deleted files, sorted.
    fn remove(&self, index: &Index) -> Result<Vec<String>, BuildError> {
        let kept: BTreeSet<&str> = index.files().collect();
        let mut removed = Vec::new();
        let listed = self.before.into_iter().flat_map(Index::files);
        for file in listed.filter(|file| !kept.contains(file)) {
            let Some(path) = file_of(self.output, file) else { continue };
            match fs::remove_file(&path) {
                Ok(()) => removed.push(file.to_owned()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(source) => return Err(BuildError::Delete { path, source }),
            }
            let mut folder = path.parent();
            // The operating system refuses to delete a folder that is not empty, so such a folder
            // stays.
            while let Some(empty) = folder.filter(|folder| *folder != self.output)
                && fs::remove_dir(empty).is_ok()
            {
                folder = empty.parent();
            }
        }
        removed.sort();
        Ok(removed)
    }
}
