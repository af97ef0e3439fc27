//! Grammars that are in use while background threads still compute their masks. All requests for
//! such a grammar share it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use grammarc_compiler::cache::Key;
use grammarc_compiler::diagnostics::report::Report;
use grammarc_runtime::Grammar as Compiled;

/// Maximum number of background threads of one compiler. More threads would take processors from
/// generations. For further grammars, the masks are computed before the grammar is returned.
const MOST: usize = 2;

/// The grammars of one compiler whose masks are being computed in the background.
#[derive(Default)]
pub(crate) struct Background {
    begun: Mutex<Vec<(Key, Begun)>>,
}

/// A grammar without complete masks, with the report on its source.
#[derive(Clone)]
pub(crate) struct Begun {
    pub(crate) grammar: Compiled,
    pub(crate) report: Report,
}

/// An entry in the table of background work. Dropping the value removes the entry.
pub(crate) struct Place {
    background: Arc<Background>,
    key: Key,
}

impl Background {
    /// Returns the grammar with this key if its masks are being computed. `None` otherwise.
    pub(crate) fn get(&self, key: &Key) -> Option<Begun> {
        let begun = self.lock();
        begun.iter().find(|(other, _)| other == key).map(|(_, begun)| begun.clone())
    }

    /// Adds an entry for a grammar. `None` if [`MOST`] entries exist, or the grammar already has
    /// one.
    pub(crate) fn place(self: &Arc<Self>, key: Key, grammar: Begun) -> Option<Place> {
        let mut begun = self.lock();
        if begun.len() >= MOST || begun.iter().any(|(other, _)| *other == key) {
            return None;
        }
        begun.push((key, grammar));
        Some(Place { background: Arc::clone(self), key })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(Key, Begun)>> {
        // No code panics while it holds the lock, so a poisoned lock is still valid.
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.background.lock().retain(|(key, _)| *key != self.key);
    }
}
