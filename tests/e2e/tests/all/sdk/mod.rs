//! What the service does for the browser SDK.

mod browser;
mod configuration;
mod files;
mod hosted;
mod link_payments;
mod links;
