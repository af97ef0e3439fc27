//! The targets on their corpora, and on changes of these with fixed seeds.
//!
//! A change cuts, repeats, swaps, splices or flips; so CI sees some thousand inputs that are near what is real. `GRAMMARC_FULL=1`
//! runs a hundred times as many, `GRAMMARC_SEED` begins elsewhere, `GRAMMARC_TARGET` runs one target alone. A run that takes long is libFuzzer's.

use std::fs;
use std::path::Path;

use grammarc_fuzz::TARGETS;
use grammarc_tests::random::Rng;

/// Changed inputs of each target.
const INPUTS: usize = 2_000;

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a file")).collect()
}

fn changed(rng: &mut Rng, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = rng.pick(corpus).clone();
    for _ in 0..1 + rng.below(4) {
        if bytes.is_empty() {
            break;
        }
        let at = rng.below(bytes.len());
        let end = at + rng.below((bytes.len() - at).min(16) + 1);
        match rng.below(6) {
            0 => drop(bytes.drain(at..end)),
            1 => {
                let copy = bytes[at..end].to_vec();
                let to = rng.below(bytes.len());
                bytes.splice(to..to, copy);
            }
            2 => bytes[at] ^= 1 << rng.below(8),
            3 => bytes[at] = *rng.pick(b"{}[]\":,0919az\\.*+?|()-_ \n\xff"),
            4 => {
                let other = rng.pick(corpus);
                let from = rng.below(other.len().max(1)).min(other.len());
                let until = from + rng.below((other.len() - from).min(32) + 1);
                bytes.splice(at..end, other[from..until].iter().copied());
            }
            _ => {
                let other = rng.below(bytes.len());
                bytes.swap(at, other);
            }
        }
    }
    bytes
}

#[test]
fn corpora_and_changes_of_them_break_nothing() {
    let seed = std::env::var("GRAMMARC_SEED").ok().and_then(|seed| seed.parse().ok());
    let factor = if std::env::var_os("GRAMMARC_FULL").is_some() { 100 } else { 1 };
    let only = std::env::var("GRAMMARC_TARGET").ok();
    let targets: Vec<_> = TARGETS
        .into_iter()
        .filter(|(name, _)| only.as_ref().is_none_or(|only| only == name))
        .collect();
    assert!(!targets.is_empty(), "no target {only:?}");
    for (name, run) in targets {
        let corpus = corpus(name);
        assert!(!corpus.is_empty(), "no corpus of {name}");
        corpus.iter().for_each(|input| run(input));
        let mut rng = Rng::new(seed.unwrap_or(0));
        for _ in 0..INPUTS * factor {
            run(&changed(&mut rng, &corpus));
        }
    }
}
