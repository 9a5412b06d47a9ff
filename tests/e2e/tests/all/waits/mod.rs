//! Killed while something waits: what was waited for goes on after the start.

mod restarts;
