//! Who may do what.

mod client_tokens;
mod isolation;
mod key_life;
mod keys;
mod other_team;
mod rights;
mod team;
