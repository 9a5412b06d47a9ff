//! Connections.

use domain::Fault;
use engine::ConnectionView;
use serde_json::{Map, Value};

use crate::executor::{Object, Out, unknown_field};

/// `Connection`.
pub(crate) struct ConnectionObject(pub(crate) ConnectionView);

impl Object for ConnectionObject {
    fn type_name(&self) -> &'static str {
        "Connection"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let connection = &self.0;
        Ok(match name {
            "id" => connection.id.as_str().into(),
            "processor" => (&connection.processor).into(),
            "name" => (&connection.name).into(),
            "enabled" => connection.is_enabled.into(),
            "methods" => Out::List(
                connection
                    .methods
                    .iter()
                    .map(|method| method.code().into())
                    .collect(),
            ),
            "notificationUrl" => connection.notification_url.as_deref().into(),
            "imports" => connection.imports.code().into(),
            "settings" => connection.settings.clone().into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}
