//! The clocks of compilation benchmarks.
//!
//! CPU time is that of the process, never of a thread: an engine that works on a thread pool uses next to none on the
//! calling thread. So nothing else may run in the process meanwhile, not even a pool that winds down after a
//! measurement on several threads.

use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};

/// A clock.
#[derive(Clone, Copy, Debug)]
pub enum Clock {
    /// The CPU time of all threads of the process, which the load of the machine disturbs less than wall time.
    Cpu,
    /// Wall time since some moment.
    Wall(Instant),
}

impl Clock {
    /// Wall time from now on.
    pub fn wall() -> Self {
        Self::Wall(Instant::now())
    }

    /// Microseconds since some time before.
    pub fn now(self) -> f64 {
        match self {
            Self::Wall(start) => start.elapsed().as_secs_f64() * 1e6,
            Self::Cpu => {
                let time = clock_gettime(ClockId::ProcessCPUTime);
                time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
            }
        }
    }
}
