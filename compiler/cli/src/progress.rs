//! A spinner on standard error for long work.
//!
//! The spinner appears after half a second, so that quick work stays quiet, and only if standard
//! error is a terminal.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::Output;

/// Time from the start of the work to the appearance of the spinner.
const PATIENCE: Duration = Duration::from_millis(500);
/// Time between two frames of the spinner.
const TICK: Duration = Duration::from_millis(100);

/// A spinner that shows the current phase of the work. The spinner disappears when this value is
/// dropped.
pub(crate) struct Progress {
    spinner: ProgressBar,
    /// Sender whose drop tells the starter thread that the work has ended.
    done: Option<Sender<()>>,
    starter: Option<JoinHandle<()>>,
}

impl Progress {
    /// Creates a spinner. It stays hidden if the output is for programs or standard error is no
    /// terminal.
    pub(crate) fn new(output: &Output) -> Self {
        let spinner = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
            spinner.set_style(style);
        }
        let (mut done, mut starter) = (None, None);
        if output.is_for_people() {
            let (sender, receiver) = channel::<()>();
            let spinner = spinner.clone();
            done = Some(sender);
            starter = Some(std::thread::spawn(move || {
                if receiver.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                    spinner.set_draw_target(ProgressDrawTarget::stderr());
                    spinner.enable_steady_tick(TICK);
                }
            }));
        }
        Self { spinner, done, starter }
    }

    /// Sets the text beside the spinner to the phase `what`.
    pub(crate) fn phase(&self, what: impl Into<String>) {
        self.spinner.set_message(what.into());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.done.take();
        if let Some(starter) = self.starter.take() {
            // The thread does nothing that panics, and a spinner is not worth one here.
            let _ = starter.join();
        }
        self.spinner.finish_and_clear();
    }
}
