//! Pure values and rules of Pointsman: no I/O, clock, randomness, SQL or GraphQL.

pub mod answer;
pub mod automation;
pub mod bank_account;
pub mod bounded;
pub mod brand;
pub mod caller;
pub mod card_number;
pub mod country;
pub mod cursor;
pub mod customer;
pub mod dated;
pub mod decline;
pub mod expiry;
pub mod fault;
pub mod filter;
pub mod id;
pub mod intent;
pub mod long;
pub mod method;
pub mod money;
mod money_display;
pub mod network;
pub mod number_quota;
pub mod page;
pub mod payment;
pub mod person;
pub mod processor_token;
pub mod redirect;
pub mod spelling;
pub mod team;
pub mod test_numbers;
mod text_enum;
pub mod time;
pub mod wipe;

pub use fault::{Code, Fault, Hint};
pub use time::Timestamp;
