//! What waits goes on: after a kill, and when the processor falls silent.

mod restarts;
mod silence;
