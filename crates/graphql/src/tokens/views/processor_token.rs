//! Processors' own tokens.

use domain::Fault;
use serde_json::{Map, Value};

use crate::executor::{Object, Out, unknown_field};

/// `PaymentProcessorToken`. Can't be printed.
pub(crate) struct ProcessorTokenObject {
    /// The token itself.
    pub(crate) token: String,
}

impl Object for ProcessorTokenObject {
    fn type_name(&self) -> &'static str {
        "PaymentProcessorToken"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "token" => (&self.token).into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}
