//! Outcomes that are not known yet, and life times that end.

mod authorisations;
mod explained;
mod later_operations;
mod life_times;
mod resolve;
