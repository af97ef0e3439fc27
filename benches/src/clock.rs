//! What times are measured with.

use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};

/// A clock.
#[derive(Clone, Copy, Debug)]
pub enum Clock {
    /// The CPU time of the thread that asks, which the load of the machine disturbs less.
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
                let time = clock_gettime(ClockId::ThreadCPUTime);
                time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
            }
        }
    }
}
