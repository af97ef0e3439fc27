//! Turns to compile: a few compilations run at the same time. Waiting requests are served fairly by
//! client, and their number is limited.
//!
//! ```text
//! request ─► free turn? ─► thread of low priority ─► result; the turn goes to the next client
//!                └► fair queue, up to its bound ─► 429 with `Retry-After`
//! ```
//!
//! A client is charged the time that its compilations take. If a client disconnects, its request
//! leaves the queue, or its compilation is stopped.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use grammarc_generate::fair::{Client, FairQueue};
use tokio::sync::oneshot;

use crate::error::ApiError;
use crate::priority;

/// Divisor of the waiting places that gives the share of one client: a quarter.
const SHARE: usize = 4;

/// The turns to compile of one server.
#[derive(Debug)]
pub(crate) struct Turns {
    state: Mutex<State>,
    /// Maximum number of requests that wait for a turn. Beyond it, requests are refused.
    places: usize,
}

#[derive(Debug)]
struct State {
    free: usize,
    waiting: FairQueue<oneshot::Sender<Turn>>,
}

/// The permission to run one compilation. Dropping it passes the permission to the next client in
/// the queue.
#[derive(Debug)]
pub(crate) struct Turn {
    turns: Arc<Turns>,
    client: Client,
    since: Instant,
}

/// On drop, sets its flag if the request's future was dropped before its work was done. After the
/// work, the flag stays clear, because background threads that still compute masks also stop at
/// this flag.
struct Abandoned(Option<Arc<AtomicBool>>);

impl Drop for Abandoned {
    fn drop(&mut self) {
        if let Some(flag) = &self.0 {
            flag.store(true, Ordering::Relaxed);
        }
    }
}

impl Turns {
    /// Creates the turns. At most `at_once` compilations run at the same time, and at most `places`
    /// requests wait.
    pub(crate) fn new(at_once: usize, places: usize) -> Arc<Self> {
        let state = State { free: at_once.max(1), waiting: FairQueue::default() };
        Arc::new(Self { state: Mutex::new(state), places: places.max(1) })
    }

    /// Waits for a turn to compile.
    ///
    /// # Errors
    ///
    /// All waiting places are in use, or a quarter of them by this client.
    pub(crate) async fn next(self: &Arc<Self>, client: Client) -> Result<Turn, ApiError> {
        let turn = {
            let mut state = self.lock();
            if state.free > 0 {
                state.free -= 1;
                return Ok(self.turn(client));
            }
            if state.waiting.len() >= self.places {
                state.waiting.retain(|turn| !turn.is_closed());
            }
            let (all, own) = (state.waiting.len(), state.waiting.len_of(client));
            if all >= self.places || own >= (self.places / SHARE).max(1) {
                let message = format!(
                    "{all} grammars wait to be compiled, {own} of them yours; ask again in a while"
                );
                return Err(ApiError::busy(message));
            }
            let (sender, turn) = oneshot::channel();
            state.waiting.push(client, 0, sender);
            turn
        };
        turn.await.map_err(|_| ApiError::busy("the server is ending"))
    }

    fn turn(self: &Arc<Self>, client: Client) -> Turn {
        Turn { turns: Arc::clone(self), client, since: Instant::now() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock, so a poisoned lock is still valid.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn {
    /// Runs work on a thread of its own. The flag that `work` gets is set if the request is
    /// dropped.
    pub(crate) async fn work<T: Send + 'static>(
        self,
        work: impl FnOnce(&Arc<AtomicBool>) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let flag = Arc::<AtomicBool>::default();
        let mut abandoned = Abandoned(Some(Arc::clone(&flag)));
        let (sender, receiver) = oneshot::channel();
        let thread = std::thread::Builder::new().name("grammarc compile".to_owned());
        let started = thread.spawn(move || {
            priority::lower();
            let done = work(&flag);
            drop(self);
            // If the request was dropped, nobody receives the result.
            _ = sender.send(done);
        });
        started.map_err(|error| ApiError::busy(format!("no thread could be started: {error}")))?;
        let done = receiver.await;
        abandoned.0 = None;
        done.unwrap_or_else(|_| Err(ApiError::failed("the grammar could not be compiled")))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let took = self.since.elapsed().as_millis() as u64 + 1;
        let next = {
            let mut state = self.turns.lock();
            state.waiting.charge(self.client, took);
            let next = state.waiting.pop();
            state.free += usize::from(next.is_none());
            next
        };
        if let Some((client, waiting)) = next {
            // If the request has left, sending fails, and the dropped turn passes to the next
            // client.
            _ = waiting.send(self.turns.turn(client));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(name: &str) -> Client {
        Client::named(&name)
    }

    #[tokio::test]
    async fn clients_take_turns_and_those_that_left_are_passed_over() {
        let turns = Turns::new(1, 16);
        let first = turns.next(client("greedy")).await.expect("a turn is free");
        let (sender, mut order) = tokio::sync::mpsc::unbounded_channel();
        let mut asked = Vec::new();
        for name in ["greedy", "greedy", "leaves", "modest", "greedy"] {
            let (turns, sender) = (Arc::clone(&turns), sender.clone());
            asked.push(tokio::spawn(async move {
                let turn = turns.next(client(name)).await.expect("there is room");
                sender.send(name).expect("it is read");
                drop(turn);
            }));
            // Each request is in the queue before the next one.
            tokio::task::yield_now().await;
        }
        asked[2].abort();
        tokio::task::yield_now().await;
        drop(first);
        let mut found = Vec::new();
        for _ in 0..4 {
            found.push(order.recv().await.expect("a turn"));
        }
        // The greedy client had a turn before.
        assert_eq!(found[0], "modest");
        assert_eq!(turns.lock().free, 1);
        assert!(turns.lock().waiting.is_empty());
    }

    #[tokio::test]
    async fn places_are_bounded_for_all_and_for_one_client() {
        let turns = Turns::new(1, 8);
        let _first = turns.next(client("a")).await.expect("a turn is free");
        let ask = |name: &'static str| {
            let turns = Arc::clone(&turns);
            tokio::spawn(async move { turns.next(client(name)).await.map(drop) })
        };
        let held: Vec<_> = ["a", "a", "b", "b", "c", "c", "d", "d"].map(ask).into();
        tokio::task::yield_now().await;
        assert_eq!(turns.lock().waiting.len(), 8);
        assert!(turns.next(client("e")).await.is_err(), "all places are taken");
        held[0].abort();
        held[7].abort();
        tokio::task::yield_now().await;
        assert!(turns.next(client("b")).await.is_err(), "b has a fourth of the places");
        let waits = ask("e");
        tokio::task::yield_now().await;
        assert!(!waits.is_finished(), "a place of those that left is free");
    }

    #[tokio::test]
    async fn work_learns_that_its_request_has_left_and_a_panic_frees_the_turn() {
        let turns = Turns::new(1, 8);
        let (sender, receiver) = std::sync::mpsc::channel();
        let turn = turns.next(client("a")).await.expect("a turn is free");
        let work = tokio::spawn(turn.work(move |flag| {
            while !flag.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            sender.send(()).expect("it is read");
            Ok(())
        }));
        tokio::task::yield_now().await;
        work.abort();
        assert!(work.await.is_err_and(|error| error.is_cancelled()));
        receiver.recv().expect("the work has ended");
        let turn = turns.next(client("a")).await.expect("the turn was handed on");
        let flag = turn.work(|flag| Ok(Arc::clone(flag))).await.expect("it is done");
        assert!(!flag.load(Ordering::Relaxed), "what continues after the work is not cancelled");
        let turn = turns.next(client("b")).await.expect("the turn was handed on");
        let failed = turn.work(|_| -> Result<(), ApiError> { panic!("as intended") }).await;
        assert!(failed.is_err());
        turns.next(client("c")).await.expect("the turn was handed on");
    }
}
