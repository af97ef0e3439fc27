//! Single flight: of the threads that need one key at once, the first works and the others wait for its result.
//!
//! A key has a *flight* from the moment a thread takes it until that thread lands it with an answer or gives it up.
//! Reasons to give up are a spent budget and a panic. All threads that wait for an abandoned flight ask again, and
//! one of them takes the key with its own budget. A thread waits no longer than its own budget lasts.
//!
//! Cost: a lock for each boarding and each end. A thread whose budget has a flag wakes up every few milliseconds.

use std::collections::hash_map::Entry;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::digest::Digest;
use crate::budget::{Budget, Phase};

/// The flights in progress, with answers of type `T`.
#[derive(Debug)]
pub(super) struct Flights<T> {
    /// Maps each key that some thread works on to its flight.
    open: Mutex<FxHashMap<Digest, Arc<Flight<T>>>>,
}

/// The work of one thread on one key, which other threads may wait for.
#[derive(Debug)]
pub(super) struct Flight<T> {
    /// The state of the work.
    state: Mutex<State<T>>,
    /// Notified when the flight ends.
    ended: Condvar,
}

/// The state of a flight.
#[derive(Debug)]
enum State<T> {
    /// A thread works on the key.
    UnderWay,
    /// The work ended with an answer.
    Landed(T),
    /// The work ended without an answer.
    GivenUp,
}

/// The role of a thread in a flight.
#[derive(Debug)]
pub(super) enum Seat<'f, T> {
    /// This thread does the work.
    Lead(Lead<'f, T>),
    /// Another thread does the work.
    Wait(Arc<Flight<T>>),
}

/// The exclusive right to work on a key. Dropping the value without an answer gives the key up.
#[derive(Debug)]
pub(super) struct Lead<'f, T> {
    /// The flights in progress.
    flights: &'f Flights<T>,
    /// The key that the thread works on.
    key: Digest,
    /// The flight of the key.
    flight: Arc<Flight<T>>,
}

/// The result of waiting for a flight.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Waited<T> {
    /// The flight ended with this answer.
    Landed(T),
    /// The flight ended without an answer.
    GivenUp,
    /// The waiting thread's own budget is spent.
    Spent,
}

/// Locks a mutex. No thread panics with one of these locks held, and the guarded data is consistent at every moment.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T> Default for Flights<T> {
    fn default() -> Self {
        Self { open: Mutex::default() }
    }
}

impl<T> Flights<T> {
    /// Takes a key for this thread to work on. If another thread works on it already, returns the flight to wait for.
    pub(super) fn board(&self, key: Digest) -> Seat<'_, T> {
        match lock(&self.open).entry(key) {
            Entry::Occupied(entry) => Seat::Wait(entry.get().clone()),
            Entry::Vacant(entry) => {
                let flight =
                    Arc::new(Flight { state: Mutex::new(State::UnderWay), ended: Condvar::new() });
                entry.insert(flight.clone());
                Seat::Lead(Lead { flights: self, key, flight })
            }
        }
    }
}

impl<T> Lead<'_, T> {
    /// Ends the flight with an answer for the waiting threads. Later requests for the key begin another flight.
    pub(super) fn land(self, answer: T) {
        *lock(&self.flight.state) = State::Landed(answer);
    }
}

impl<T> Drop for Lead<'_, T> {
    fn drop(&mut self) {
        lock(&self.flights.open).remove(&self.key);
        let mut state = lock(&self.flight.state);
        if matches!(*state, State::UnderWay) {
            *state = State::GivenUp;
        }
        drop(state);
        self.flight.ended.notify_all();
    }
}

impl<T: Clone> Flight<T> {
    /// Waits until the flight ends or the budget is spent.
    pub(super) fn wait(&self, budget: &Budget) -> Waited<T> {
        budget.begin(Phase::Waiting);
        let mut state = lock(&self.state);
        loop {
            match &*state {
                State::Landed(answer) => return Waited::Landed(answer.clone()),
                State::GivenUp => return Waited::GivenUp,
                State::UnderWay => {}
            }
            if budget.check().is_err() {
                return Waited::Spent;
            }
            state = match budget.nap() {
                Some(nap) => {
                    let woken = self.ended.wait_timeout(state, nap);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.ended.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::Duration;

    use super::*;

    const KEY: Digest = Digest([7; 32]);

    fn lead(flights: &Flights<u32>) -> Lead<'_, u32> {
        match flights.board(KEY) {
            Seat::Lead(lead) => lead,
            Seat::Wait(_) => panic!("nobody else has boarded"),
        }
    }

    fn flight(flights: &Flights<u32>) -> Arc<Flight<u32>> {
        match flights.board(KEY) {
            Seat::Wait(flight) => flight,
            Seat::Lead(_) => panic!("the flight is under way"),
        }
    }

    #[test]
    fn those_who_wait_get_the_answer_and_those_who_come_later_work() {
        let flights = Flights::default();
        let first = lead(&flights);
        thread::scope(|scope| {
            let waiting: Vec<_> = (0..8)
                .map(|_| {
                    let flight = flight(&flights);
                    scope.spawn(move || flight.wait(&Budget::unlimited()))
                })
                .collect();
            first.land(5);
            for waiting in waiting {
                assert_eq!(waiting.join().expect("no panic"), Waited::Landed(5));
            }
        });
        drop(lead(&flights));
        assert!(lock(&flights.open).is_empty());
    }

    #[test]
    fn a_flight_that_is_given_up_is_taken_up_by_one_of_those_who_wait() {
        let flights = Flights::default();
        let first = lead(&flights);
        let works = AtomicBool::new(false);
        thread::scope(|scope| {
            let waiting: Vec<_> = (0..8)
                .map(|_| {
                    let mut flight = flight(&flights);
                    let (flights, works) = (&flights, &works);
                    scope.spawn(move || {
                        loop {
                            match flight.wait(&Budget::unlimited()) {
                                Waited::Landed(answer) => return answer,
                                Waited::Spent => panic!("the budget is unlimited"),
                                Waited::GivenUp => {}
                            }
                            match flights.board(KEY) {
                                Seat::Wait(other) => flight = other,
                                Seat::Lead(lead) => {
                                    assert!(!works.swap(true, Ordering::Relaxed), "two at once");
                                    thread::sleep(Duration::from_millis(20));
                                    works.store(false, Ordering::Relaxed);
                                    lead.land(9);
                                    return 9;
                                }
                            }
                        }
                    })
                })
                .collect();
            let panics = scope.spawn(move || {
                let _lead = first;
                panic!("as a compiler must not");
            });
            assert!(panics.join().is_err());
            waiting.into_iter().for_each(|one| assert_eq!(one.join().expect("no panic"), 9));
        });
    }

    #[test]
    fn nobody_waits_longer_than_his_budget() {
        let flights = Flights::default();
        let _first = lead(&flights);
        let flight = flight(&flights);
        let late = Budget::unlimited().time_limit(Duration::from_millis(20));
        assert_eq!(flight.wait(&late), Waited::Spent);
        let flag = Arc::new(AtomicBool::new(false));
        let budget = Budget::unlimited().cancel_flag(flag.clone());
        let waited = thread::scope(|scope| {
            let waits = scope.spawn(|| flight.wait(&budget));
            thread::sleep(Duration::from_millis(30));
            flag.store(true, Ordering::Relaxed);
            waits.join().expect("no panic")
        });
        assert_eq!(waited, Waited::Spent);
        assert!(budget.error().is_some_and(|error| error.to_string().contains("another")));
    }
}
