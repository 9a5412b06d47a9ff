//! Credentials for browsers.

use domain::Fault;
use serde_json::{Map, Value};

use crate::execute::{Object, Out, unknown_field};

/// `ClientToken`. It is shown once, here, and kept as a hash.
pub(crate) struct ClientTokenObject {
    /// The token itself.
    pub(crate) token: String,
    /// How long it lives, in seconds.
    pub(crate) ttl_seconds: i64,
}

impl Object for ClientTokenObject {
    fn type_name(&self) -> &'static str {
        "ClientToken"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "token" => (&self.token).into(),
            "ttl" => self.ttl_seconds.into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}
