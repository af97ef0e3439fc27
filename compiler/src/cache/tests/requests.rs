//! Tests of requests one after the other and at the same time: the contents of memory, the compiling thread, and the
//! counts.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use super::*;
use crate::diagnostics::report::Verdict;

fn in_memory() -> Cache {
    Cache::open(CacheOptions::new()).unwrap()
}

fn ask(cache: &Cache, compiler: &Compiler, text: &str) -> Result<Cached, CacheError> {
    ask_within(cache, compiler, text, &Budget::new())
}

fn ask_within(
    cache: &Cache,
    compiler: &Compiler,
    text: &str,
    budget: &Budget,
) -> Result<Cached, CacheError> {
    let options = CompileOptions::default();
    cache.get_or_compile(compiler, &json_schema(), &schema(text), &options, budget)
}

/// Returns a schema that differs for each number, with an artifact of nearly the same size.
fn constant(number: usize) -> String {
    format!(r#"{{"const": "number {number:03}"}}"#)
}

/// Returns a schema that takes long to compile: strings of which every other character is of one kind for many
/// characters.
fn slow() -> String {
    let branches =
        (2..60).map(|n| format!(r#"{{"pattern": "^(([ab]{{{n}}})*c|.{{{n},{}}}d)$"}}"#, 9 * n));
    format!(r#"{{"type": "string", "allOf": [{}]}}"#, branches.collect::<Vec<_>>().join(","))
}

#[test]
fn threads_that_ask_at_once_have_each_key_compiled_once() {
    const THREADS: usize = 64;
    const KEYS: usize = 5;
    const ROUNDS: usize = 20;
    let (compiler, folder) = (bytes(), tempfile::tempdir().unwrap());
    let cache = Cache::new(folder.path()).unwrap();
    let barrier = Barrier::new(THREADS);
    let artifacts: Vec<Vec<[u8; 32]>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let (cache, compiler, barrier) = (&cache, &compiler, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    let mut seen = vec![[0; 32]; KEYS];
                    for round in 0..ROUNDS {
                        let at = (round + thread) % KEYS;
                        let cached = ask(cache, compiler, &constant(at)).unwrap();
                        seen[at] = cached.artifact.checksum();
                    }
                    seen
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(artifacts.iter().all(|seen| *seen == artifacts[0]));
    let stats = cache.stats();
    assert_eq!(stats.compiled, KEYS as u64, "{stats:?}");
    assert_eq!(stats.requests(), (THREADS * ROUNDS) as u64, "{stats:?}");
    assert_eq!(stats.memory_hits + stats.shared, stats.requests() - stats.compiled);
    assert_eq!(entries(&cache).len(), KEYS);
    assert_eq!(
        stats.bytes_written,
        entries(&cache).iter().map(|path| fs::metadata(path).unwrap().len()).sum::<u64>()
    );
    assert_eq!(stats.compile_times.count(), stats.compiled);
    assert_eq!(stats.request_times.count(), stats.requests());
}

#[test]
fn a_hit_in_memory_is_the_same_handle() {
    let (compiler, cache) = (bytes(), in_memory());
    let made = ask(&cache, &compiler, POINT).unwrap();
    let found = ask(&cache, &compiler, POINT).unwrap();
    assert!(matches!((made.origin, found.origin), (Origin::Made, Origin::Memory)));
    let number = made.artifact.attachment(|| AtomicUsize::new(7)).unwrap();
    number.store(8, Ordering::Relaxed);
    let other = found.artifact.attachment(|| AtomicUsize::new(7)).unwrap();
    assert_eq!(other.load(Ordering::Relaxed), 8);
}

#[test]
fn memory_is_bounded_and_what_was_not_asked_for_leaves() {
    let compiler = bytes();
    let cache = Cache::open(CacheOptions::new().memory_entries(3)).unwrap();
    let is_hit = |number| {
        matches!(ask(&cache, &compiler, &constant(number)).unwrap().origin, Origin::Memory)
    };
    assert_eq!([0, 1, 2, 0, 3, 0, 1].map(is_hit), [false, false, false, true, false, true, false]);
    assert_eq!(cache.stats().evicted_from_memory, 2);
    let length = ask(&cache, &compiler, &constant(0)).unwrap().artifact.byte_length();
    let cache = Cache::open(CacheOptions::new().memory_bytes(2 * length + length / 2)).unwrap();
    let is_hit = |number| {
        matches!(ask(&cache, &compiler, &constant(number)).unwrap().origin, Origin::Memory)
    };
    assert_eq!([0, 1, 2, 2, 1, 0].map(is_hit), [false, false, false, true, true, false]);
}

#[test]
fn refusals_are_remembered_with_their_diagnostics() {
    let (compiler, cache) = (bytes(), in_memory());
    let unspellable = compiler_without_an_x();
    let few = CompileOptions::default()
        .network_limits(NetworkLimits { states: 1, ..NetworkLimits::default() });
    let refused = |compiler: &Compiler, text: &str, options: &CompileOptions| {
        let (source, budget) = (schema(text), Budget::new());
        let result = cache.get_or_compile(compiler, &json_schema(), &source, options, &budget);
        match result {
            Err(CacheError::Refused(diagnostics)) => diagnostics,
            other => panic!("{other:?}"),
        }
    };
    let plain = CompileOptions::default();
    for (compiler, text, options, code) in [
        (&compiler, r#"{"type": "objekt"}"#, &plain, None),
        (&compiler, r#"{"const": "abcdefghi"}"#, &few, Some("compile::limit")),
        (&unspellable, r#"{"const": "x"}"#, &plain, Some("compile::unspellable")),
    ] {
        let before = cache.stats();
        let first = refused(compiler, text, options);
        let second = refused(compiler, text, options);
        assert_eq!(first, second);
        assert!(Arc::ptr_eq(&first, &second));
        if let Some(code) = code {
            assert_eq!(first[0].code, code);
        }
        let stats = cache.stats();
        assert_eq!(stats.refused - before.refused, 1);
        assert_eq!(stats.refused_from_memory - before.refused_from_memory, 1);
    }
    // They do not grow without end either.
    let cache = Cache::open(CacheOptions::new().refusals(2)).unwrap();
    for _ in 0..2 {
        for number in 0..3 {
            ask(&cache, &compiler, &format!("no JSON {number}")).unwrap_err();
        }
    }
    assert_eq!((cache.stats().refused, cache.stats().refused_from_memory), (6, 0));
}

fn compiler_without_an_x() -> Compiler {
    compiler((0..=255).filter(|&byte| byte != b'x').map(|byte| vec![byte]))
}

#[test]
fn keys_keep_their_order_where_a_vocabulary_makes_sets_of_them_states() {
    // Strings have a byte that is no token, so that no register can count what is to come.
    let lacks_a_byte = compiler((0..=255).filter(|&byte| byte != 0xF1).map(|byte| vec![byte]));
    let object = |keys: usize| {
        let members: Vec<String> =
            (0..keys).map(|key| format!(r#""key{key}": {{"type": "string"}}"#)).collect();
        let required: Vec<String> = (0..keys).map(|key| format!(r#""key{key}""#)).collect();
        format!(
            r#"{{"type": "object", "properties": {{{}}}, "required": [{}], "additionalProperties": false}}"#,
            members.join(","),
            required.join(",")
        )
    };
    let any = |options: JsonSchemaOptions| {
        FrontEnd::JsonSchema(JsonSchemaOptions { key_order: KeyOrder::Any, ..options })
    };
    let front_end = any(JsonSchemaOptions::default());
    let cache = in_memory();
    let narrower = |compiler: &Compiler, text: &str| {
        let options = CompileOptions::default();
        let found = cache
            .get_or_compile(compiler, &front_end, &schema(text), &options, &Budget::new())
            .unwrap_or_else(|error| panic!("{error}"));
        found.artifact.meta().report.count(Verdict::Narrower)
    };
    let (four, twenty) = (object(4), object(20));
    assert_eq!(narrower(&lacks_a_byte, &twenty), 2, "`properties` and `required`");
    assert_eq!(narrower(&lacks_a_byte, &four), 0, "few sets are unrolled");
    assert_eq!(narrower(&bytes(), &twenty), 0, "a register counts");
    // An object beside it that has few required keys has them in any order all the same.
    let both = format!(r#"{{"prefixItems": [{four}, {twenty}], "minItems": 2, "items": false}}"#);
    assert_eq!(narrower(&lacks_a_byte, &both), 2);
}

#[test]
fn spent_budgets_are_not_remembered() {
    let (compiler, cache) = (bytes(), in_memory());
    let flag = Arc::new(AtomicBool::new(true));
    let none = || Budget::new().time_limit(Duration::ZERO);
    for (budget, code) in [
        (none(), "budget::time"),
        (Budget::new().cancel_flag(flag), "budget::cancelled"),
        (Budget::new().memory_limit(1), "budget::memory"),
    ] {
        let error = ask_within(&cache, &compiler, POINT, &budget).unwrap_err();
        assert!(matches!(error, CacheError::Spent { .. }), "{error:?}");
        assert_eq!(error.diagnostics()[0].code, code);
    }
    assert!(matches!(ask(&cache, &compiler, POINT).unwrap().origin, Origin::Made));
    // An artifact that is there needs no budget.
    assert!(ask_within(&cache, &compiler, POINT, &none()).is_ok());
    let stats = cache.stats();
    assert_eq!((stats.timeouts, stats.cancelled, stats.out_of_memory), (1, 1, 1));
    assert_eq!((stats.compiled, stats.memory_hits, stats.requests()), (1, 1, 5));
}

/// Waits until a request with this budget waits for another request. Returns at once if it does already.
fn until_somebody_waits(budget: &Budget) {
    while !budget.waits() {
        thread::yield_now();
    }
}

#[test]
fn a_request_that_waits_ends_by_its_own_flag_and_takes_over_by_its_own_budget() {
    let (compiler, cache, slow) = (bytes(), in_memory(), slow());
    let flags: [Arc<AtomicBool>; 3] = Default::default();
    let budgets = flags.each_ref().map(|flag| Budget::new().cancel_flag(flag.clone()));
    let cancelled = |number: usize| flags[number].store(true, Ordering::Relaxed);
    thread::scope(|scope| {
        let first = scope.spawn(|| ask_within(&cache, &compiler, &slow, &budgets[0]));
        while budgets[0].bytes() == 0 && !first.is_finished() {
            thread::yield_now();
        }
        assert!(!first.is_finished(), "it takes a while");
        let second = scope.spawn(|| ask_within(&cache, &compiler, &slow, &budgets[1]));
        let third = scope.spawn(|| ask_within(&cache, &compiler, &slow, &budgets[2]));
        until_somebody_waits(&budgets[1]);
        until_somebody_waits(&budgets[2]);
        cancelled(1);
        let error = second.join().unwrap().unwrap_err();
        assert!(error.to_string().contains("waited for"), "{error}");
        assert!(!first.is_finished(), "the others go on");
        // The first gives up; the third goes on where it waited before, and is ended in its turn.
        cancelled(0);
        assert!(matches!(first.join().unwrap(), Err(CacheError::Spent { .. })));
        while budgets[2].waits() && !third.is_finished() {
            thread::yield_now();
        }
        assert!(!third.is_finished(), "it compiles");
        cancelled(2);
        let error = third.join().unwrap().unwrap_err();
        assert!(!error.to_string().contains("waited for"), "{error}");
    });
    let stats = cache.stats();
    assert_eq!((stats.cancelled, stats.requests()), (3, 3), "{stats:?}");
}

#[test]
fn a_file_in_use_by_way_of_memory_does_not_age() {
    let (compiler, folder) = (bytes(), tempfile::tempdir().unwrap());
    let cache = Cache::new(folder.path()).unwrap();
    ask(&cache, &compiler, POINT).unwrap();
    let path = entries(&cache).remove(0);
    let old = std::time::SystemTime::now() - 2 * memory::TOUCH_AFTER;
    fs::File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();
    let used = || fs::metadata(&path).unwrap().modified().unwrap();
    ask(&cache, &compiler, POINT).unwrap();
    assert_eq!(used(), old, "it was used less than an hour ago, as far as this process knows");
    cache.inner.shared.get(|_| unreachable!("nothing was forked")).memory().age();
    assert!(matches!(ask(&cache, &compiler, POINT).unwrap().origin, Origin::Memory));
    assert!(used() > old);
}

#[test]
fn a_forked_process_has_what_is_in_memory_and_waits_for_nobody() {
    let (compiler, mut cache) = (bytes(), in_memory());
    let made = ask(&cache, &compiler, POINT).unwrap();
    made.artifact.attachment(|| 7_u8);
    let (other, key) = (r#"{"type": "boolean"}"#, |text: &str| {
        let options = CompileOptions::default();
        Key::new(compiler.vocabulary(), &json_schema(), &schema(text), &options)
    });
    let inner = Arc::get_mut(&mut cache.inner).unwrap();
    let shared = inner.shared.get(|_| unreachable!("nothing was forked"));
    // A thread that compiles when the process is forked is not there afterwards.
    let Seat::Lead(lead) = shared.flights.board(key(other).0) else { panic!("nobody else asks") };
    std::mem::forget(lead);
    inner.shared.fork();
    let found = ask(&cache, &compiler, POINT).unwrap();
    assert!(matches!(found.origin, Origin::Memory));
    assert_eq!(found.artifact.attachment(|| 9_u8), Some(&7));
    assert!(matches!(ask(&cache, &compiler, other).unwrap().origin, Origin::Made));
    // Nor is one that is at the memory.
    let (compiler, mut cache) = (bytes(), in_memory());
    ask(&cache, &compiler, POINT).unwrap();
    let inner = Arc::get_mut(&mut cache.inner).unwrap();
    std::mem::forget(inner.shared.get(|_| unreachable!("nothing was forked")).memory());
    inner.shared.fork();
    assert!(matches!(ask(&cache, &compiler, POINT).unwrap().origin, Origin::Made));
}
