//! Webhook endpoints and what is sent to them.

use domain::{Fault, webhook::Attempt};
use engine::{DeliveryView, EndpointView};
use serde_json::{Map, Value};

use crate::{
    executor::{Object, Out, object, unknown_field},
    shared::{Node, zoned},
};

/// `WebhookEndpoint`.
pub(crate) struct EndpointObject(pub(crate) EndpointView);

impl Object for EndpointObject {
    fn type_name(&self) -> &'static str {
        "WebhookEndpoint"
    }

    fn field<'s>(&'s self, name: &str, arguments: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let endpoint = &self.0;
        Ok(match name {
            "id" => endpoint.id.to_string().into(),
            "url" => (&endpoint.url).into(),
            "kinds" => Out::List(endpoint.kinds.iter().map(Into::into).collect()),
            "enabled" => endpoint.is_enabled.into(),
            "date" => zoned(endpoint.created_at, arguments)?,
            "failingSince" => match endpoint.failing_since {
                Some(at) => zoned(at, arguments)?,
                None => Out::Null,
            },
            "secret" => endpoint.secret.as_ref().into(),
            "incomingUrl" => (&endpoint.incoming_url).into(),
            "incomingSecret" => endpoint.incoming_secret.as_ref().into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `WebhookDelivery`.
pub(crate) struct DeliveryObject(pub(crate) DeliveryView);

impl Node for DeliveryObject {
    const PAGE: &'static str = "WebhookDeliveriesPage";
    const EDGE: &'static str = "WebhookDeliveryEdge";
}

impl Object for DeliveryObject {
    fn type_name(&self) -> &'static str {
        "WebhookDelivery"
    }

    fn field<'s>(&'s self, name: &str, arguments: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let delivery = &self.0;
        Ok(match name {
            "id" => delivery.id.to_string().into(),
            "endpointId" => delivery.endpoint.to_string().into(),
            "eventId" => (&delivery.event_id).into(),
            "kind" => (&delivery.kind).into(),
            "state" => delivery.state.code().into(),
            "date" => zoned(delivery.created_at, arguments)?,
            "nextAttempt" => match delivery.next_at {
                Some(at) => zoned(at, arguments)?,
                None => Out::Null,
            },
            // The schedule begins again when an endpoint is enabled; what was tried before counts here.
            "attemptCount" => i64::from(delivery.tries)
                .max(i64::try_from(delivery.log.attempts.len()).unwrap_or(i64::MAX))
                .into(),
            "attempts" => {
                let attempts = delivery.log.attempts.iter();
                Out::List(attempts.map(|one| object(AttemptObject(one))).collect())
            }
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `WebhookAttempt`.
struct AttemptObject<'a>(&'a Attempt);

impl Object for AttemptObject<'_> {
    fn type_name(&self) -> &'static str {
        "WebhookAttempt"
    }

    fn field<'s>(&'s self, name: &str, arguments: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let attempt = self.0;
        Ok(match name {
            "date" => zoned(attempt.at, arguments)?,
            "durationMs" => i64::try_from(attempt.duration_ms)
                .unwrap_or(i64::MAX)
                .into(),
            "status" => attempt.status.map(i64::from).into(),
            "answer" => attempt.answer.as_ref().into(),
            "error" => attempt.error.as_ref().into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}
