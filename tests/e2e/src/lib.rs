//! The black-box suite of the service: see `tests/all`, one test binary with a module for each area of behaviour.
