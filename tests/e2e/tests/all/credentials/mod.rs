//! Who may do what.

mod client_tokens;
mod key_life;
mod isolation;
mod keys;
mod other_team;
mod team;
