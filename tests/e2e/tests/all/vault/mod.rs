//! Customers, stored cards and bank accounts.

mod accounts;
mod cards_in;
mod customers;
mod defaults;
mod erasure;
mod memory;
mod methods;
mod no_oracle;
mod old_names;
mod rotation;
mod security_code;
mod tokens;
