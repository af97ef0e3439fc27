//! Grammars whose masks are computed behind them: a few at once, and given to all who ask for them meanwhile.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use grammarc_compiler::cache::Key;
use grammarc_compiler::diagnostics::report::Report;
use grammarc_runtime::Grammar as Compiled;

/// Most threads that compute masks behind grammars of one compiler: more would take processors from generations.
const MOST: usize = 2;

/// The grammars of one compiler that are without masks yet.
#[derive(Default)]
pub(crate) struct Behind {
    begun: Mutex<Vec<(Key, Begun)>>,
}

/// A grammar that was begun, with the report on its source.
#[derive(Clone)]
pub(crate) struct Begun {
    pub(crate) grammar: Compiled,
    pub(crate) report: Report,
}

/// A place among the grammars, for as long as masks are computed.
pub(crate) struct Place {
    behind: Arc<Behind>,
    key: Key,
}

impl Behind {
    /// The grammar of a key, if its masks are being computed.
    pub(crate) fn get(&self, key: &Key) -> Option<Begun> {
        let begun = self.lock();
        begun.iter().find(|(other, _)| other == key).map(|(_, begun)| begun.clone())
    }

    /// A place for a grammar. `None` if as many are computed as may be, or this one is already.
    pub(crate) fn place(self: &Arc<Self>, key: Key, grammar: Begun) -> Option<Place> {
        let mut begun = self.lock();
        if begun.len() >= MOST || begun.iter().any(|(other, _)| *other == key) {
            return None;
        }
        begun.push((key, grammar));
        Some(Place { behind: Arc::clone(self), key })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(Key, Begun)>> {
        // Nothing panics with it locked.
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.behind.lock().retain(|(key, _)| *key != self.key);
    }
}
