//! The steps of an engine: fills slots, feeds tokens to the model, and passes rows of logits to
//! decoders.

use std::num::NonZero;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::options::EngineOptions;
use super::queue::Serving;
use super::slot::{Job, Slot, State};
use super::stats::{Counters, add};
use crate::fair::Client;
use crate::model::{Feed, Logits, Model, Rows, RowsMut, Seq};

/// Pause between steps while the channels to all readers are full.
const PAUSE: Duration = Duration::from_millis(1);

/// The state of the engine's thread.
pub(super) struct Steps {
    model: Box<dyn Model>,
    queue: Serving,
    options: EngineOptions,
    counters: Arc<Counters>,
    slots: Vec<Slot>,
    logits: Logits,
}

/// The tokens that one step feeds to one slot.
struct Part {
    slot: usize,
    seq: Seq,
    tokens: Vec<u32>,
    rows: Rows,
}

impl Part {
    fn feed(&self) -> Feed<'_> {
        Feed { seq: self.seq, tokens: &self.tokens, rows: self.rows }
    }
}

impl Steps {
    pub(super) fn new(
        model: Box<dyn Model>,
        queue: Serving,
        options: EngineOptions,
        counters: Arc<Counters>,
    ) -> Self {
        let (slots, logits) = (Vec::new(), Logits::default());
        Self { model, queue, options, counters, slots, logits }
    }

    /// Runs steps until no output is left and the queue is closed.
    pub(super) fn run(mut self) {
        while self.fill() {
            let ready = self.sort_out();
            if !ready.is_empty() {
                self.step(&ready);
            } else if !self.slots.is_empty() {
                std::thread::sleep(PAUSE);
            }
        }
    }

    /// Moves waiting outputs to free slots. Blocks while no output runs or waits. Returns false if
    /// none runs and the queue is closed and empty.
    fn fill(&mut self) -> bool {
        while self.slots.len() < self.options.parallel {
            self.counters.running.store(self.slots.len() as u64, Ordering::Relaxed);
            let job = match self.slots.is_empty() {
                true => self.queue.wait(),
                false => self.queue.next(),
            };
            let Some((client, job)) = job else { break };
            self.admit(client, job);
        }
        self.counters.running.store(self.slots.len() as u64, Ordering::Relaxed);
        !self.slots.is_empty() || !self.queue.is_over()
    }

    fn admit(&mut self, client: Client, mut job: Job) {
        let charged = job.most_tokens();
        if !job.is_wanted() {
            self.queue.refund(client, charged);
            add(&self.counters.cancelled, 1);
            return;
        }
        if let Err(error) = job.decoder.start() {
            add(&self.counters.failed, 1);
            self.queue.refund(client, charged);
            return job.fail(error);
        }
        match self.model.open() {
            Ok(seq) => self.slots.push(job.into_slot(client, seq)),
            Err(error) => {
                self.queue.refund(client, charged);
                add(&self.counters.failed, 1);
                job.fail(error.into());
            }
        }
    }

    /// Frees the slots whose outputs have ended. Returns the indices of the slots to feed.
    fn sort_out(&mut self) -> Vec<usize> {
        let mut ready = Vec::new();
        let mut at = 0;
        while let Some(slot) = self.slots.get_mut(at) {
            let counter = match slot.state(self.options.slow_reader) {
                State::Ready => {
                    ready.push(at);
                    at += 1;
                    continue;
                }
                State::Stuck => {
                    at += 1;
                    continue;
                }
                State::Done => &self.counters.finished,
                State::Failed => &self.counters.failed,
                State::Dropped => &self.counters.cancelled,
            };
            add(counter, 1);
            self.give_up(at);
        }
        ready
    }

    fn give_up(&mut self, at: usize) {
        // The order of slots is kept, so the indices that were already listed stay valid.
        let slot = self.slots.remove(at);
        let usage = slot.decoder.usage();
        let used = usage.prompt_tokens + usage.completion_tokens;
        self.queue.refund(slot.client, slot.charged.saturating_sub(used));
        add(&self.counters.prompt_tokens, usage.prompt_tokens as u64);
        add(&self.counters.completion_tokens, usage.completion_tokens as u64);
        add(&self.counters.forced_tokens, usage.forced_tokens as u64);
        self.model.close(slot.seq);
    }

    /// Feeds the slots with the indices `ready` in one batch, and passes the rows of logits to
    /// their decoders.
    fn step(&mut self, ready: &[usize]) {
        let parts = self.parts(ready);
        let feeds: Vec<Feed<'_>> = parts.iter().map(Part::feed).collect();
        add(&self.counters.steps, 1);
        let began = Instant::now();
        let fed = self.model.feed(&feeds, &mut self.logits);
        add(&self.counters.model_nanos, nanos(began));
        let began = Instant::now();
        match fed {
            Ok(()) => {
                let logits = self.logits.len();
                let mut slots = self.slots.iter_mut().enumerate();
                // The parts are in the order of their slots.
                let slots = parts.iter().filter_map(|part| slots.find(|(at, _)| *at == part.slot));
                let fed = slots.zip(&parts).zip(self.logits.feeds());
                choose(fed.map(|(((_, slot), part), rows)| (slot, part, rows)).collect(), logits);
            }
            Err(_) => {
                for part in &parts {
                    let slot = &mut self.slots[part.slot];
                    match self.model.feed(&[part.feed()], &mut self.logits) {
                        Ok(()) => self.logits.feeds().for_each(|rows| read(slot, part, rows)),
                        Err(error) => slot.fail(error.into()),
                    }
                }
            }
        }
        add(&self.counters.decode_nanos, nanos(began));
    }

    /// Returns the tokens that each slot has to read next. All prompts together share a limit of
    /// tokens, but every slot gets at least one.
    fn parts(&mut self, ready: &[usize]) -> Vec<Part> {
        let mut room = self.options.prompt_tokens.max(1);
        let mut parts = Vec::with_capacity(ready.len());
        for &slot in ready {
            let Slot { decoder, seq, read, .. } = &mut self.slots[slot];
            let Some(feed) = decoder.feed() else { continue };
            if feed.kept < *read {
                self.model.truncate(*seq, feed.kept);
                *read = feed.kept;
            }
            let count = feed.tokens.len().min(room.max(1));
            room = room.saturating_sub(count);
            let rows = match feed.rows {
                Rows::Last if count < feed.tokens.len() => Rows::None,
                rows => rows,
            };
            let tokens = feed.tokens[..count].to_vec();
            parts.push(Part { slot, seq: *seq, tokens, rows });
        }
        parts
    }
}

/// Number of logits that justify one more thread. A pass over so many logits takes about ten times
/// as long as starting a thread.
const LOGITS_A_THREAD: usize = 1 << 20;

/// Passes rows of logits to the decoders of their slots, in several threads if there are many
/// `logits`. The draws in one slot do not depend on other slots.
fn choose(fed: Vec<(&mut Slot, &Part, RowsMut<'_>)>, logits: usize) {
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let threads = threads.min(logits / LOGITS_A_THREAD).min(fed.len());
    let fed = Mutex::new(fed.into_iter());
    let work = || {
        loop {
            let next = fed.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((slot, part, rows)) = next else { return };
            read(slot, part, rows);
        }
    };
    std::thread::scope(|scope| {
        (1..threads).for_each(|_| drop(scope.spawn(work)));
        work();
    });
}

/// Passes the rows of one feed to the decoder of its slot. Sends the events at once, because the
/// decoders of other slots take time.
fn read(slot: &mut Slot, part: &Part, rows: RowsMut<'_>) {
    slot.read += part.tokens.len();
    slot.decoder.fed(part.tokens.len());
    if part.rows != Rows::None
        && let Err(error) = slot.decoder.choose(rows)
    {
        slot.fail(error);
    }
    // The state of the reader is checked before the next step.
    slot.send();
}

fn nanos(since: Instant) -> u64 {
    since.elapsed().as_nanos() as u64
}
