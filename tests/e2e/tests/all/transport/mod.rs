//! How requests and answers travel: envelopes, status codes, media types, limits.

mod accept;
mod connections;
mod cors;
mod envelope;
mod get;
mod limits;
mod quotas;
