//! Who may do what.

mod client_tokens;
mod keys;
mod other_team;
mod team;
