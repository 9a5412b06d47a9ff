//! Inputs: coerced arguments become commands of the engine, one operation a file. Parse, don't validate: a command that
//! came out of here holds no impossible combination, and every fault names the path of what is wrong.

pub(crate) mod authorise;
pub(crate) mod cancel;
pub(crate) mod capture;
mod card;
pub(crate) mod client_token;
pub(crate) mod complete_intent;
pub(crate) mod create_customer;
pub(crate) mod decide;
pub(crate) mod flow_version;
pub(crate) mod ids;
mod intent;
pub(crate) mod list_customers;
pub(crate) mod list_intents;
pub(crate) mod list_payments;
mod page;
mod person;
pub(crate) mod processor_token;
mod reader;
pub(crate) mod refund;
pub(crate) mod resolve;
pub(crate) mod save_connection;
pub(crate) mod save_flow;
pub(crate) mod security_code;
pub(crate) mod setup_wallet;
pub(crate) mod start_intent;
pub(crate) mod team;
pub(crate) mod tokenise;
pub(crate) mod try_flow;
pub(crate) mod update_customer;
pub(crate) mod update_intent;
mod wallet;

pub(crate) use self::reader::{Blank, Reader};

#[cfg(test)]
mod sample;
