//! Unmasked grammars whose masks are computed in the background, a few at a time. All requests for such a grammar
//! share it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use grammarc_compiler::cache::Key;
use grammarc_compiler::diagnostics::report::Report;
use grammarc_runtime::Grammar as Compiled;

/// Maximum number of background threads of one compiler. More would take processors from generations; beyond it,
/// masks are computed before the grammar is returned.
const MOST: usize = 2;

/// The unmasked grammars of one compiler whose masks are being computed.
#[derive(Default)]
pub(crate) struct Background {
    begun: Mutex<Vec<(Key, Begun)>>,
}

/// An unmasked grammar, with the report on its source.
#[derive(Clone)]
pub(crate) struct Begun {
    pub(crate) grammar: Compiled,
    pub(crate) report: Report,
}

/// The place of a grammar in the table. Dropping it frees the place.
pub(crate) struct Place {
    background: Arc<Background>,
    key: Key,
}

impl Background {
    /// Returns the unmasked grammar with this key, if its masks are being computed.
    pub(crate) fn get(&self, key: &Key) -> Option<Begun> {
        let begun = self.lock();
        begun.iter().find(|(other, _)| other == key).map(|(_, begun)| begun.clone())
    }

    /// Reserves a place for a grammar. `None` if all places are in use, or if the grammar has one already.
    pub(crate) fn place(self: &Arc<Self>, key: Key, grammar: Begun) -> Option<Place> {
        let mut begun = self.lock();
        if begun.len() >= MOST || begun.iter().any(|(other, _)| *other == key) {
            return None;
        }
        begun.push((key, grammar));
        Some(Place { background: Arc::clone(self), key })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(Key, Begun)>> {
        // Nothing panics with it locked.
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.background.lock().retain(|(key, _)| *key != self.key);
    }
}
