//! Events for merchants.

use domain::{
    Fault,
    event::{Event, PAYLOAD_VERSION},
};
use serde_json::{Map, Value};

use crate::{
    executor::{Object, Out, unknown_field},
    shared::{Node, zoned},
};

/// `Event`.
pub(crate) struct EventObject(pub(crate) Event);

impl Node for EventObject {
    const PAGE: &'static str = "EventsPage";
    const EDGE: &'static str = "EventEdge";
}

impl Object for EventObject {
    fn type_name(&self) -> &'static str {
        "Event"
    }

    fn field<'s>(&'s self, name: &str, arguments: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let event = &self.0;
        Ok(match name {
            "id" => (&event.id).into(),
            "kind" => event.kind.code().into(),
            "version" => i64::from(PAYLOAD_VERSION).into(),
            "date" => zoned(event.at, arguments)?,
            "sequence" => i64::try_from(event.sequence).unwrap_or(i64::MAX).into(),
            "data" => Value::Object(event.data.clone()).into(),
            "payload" => event.payload().into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}
