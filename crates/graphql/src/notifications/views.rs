//! Notifications.

use domain::Fault;
use engine::NotificationView;
use serde_json::{Map, Value};

use crate::{
    executor::{Object, Out, unknown_field},
    shared::Node,
};

/// `Notification`.
pub(crate) struct NotificationObject(pub(crate) NotificationView);

impl Object for NotificationObject {
    fn type_name(&self) -> &'static str {
        "Notification"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let one = &self.0;
        Ok(match name {
            "id" => one.id.hyphenated().to_string().into(),
            "connectionId" => one.connection.as_str().into(),
            "date" => one.received_at.rfc3339_millis().into(),
            "type" => one.word.as_str().into(),
            "status" => one.status.code().into(),
            "message" => one.message.as_deref().into(),
            "paymentId" => one.payment.map(|id| id.to_string()).into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

impl Node for NotificationObject {
    const PAGE: &'static str = "NotificationsPage";
    const EDGE: &'static str = "NotificationEdge";
}
