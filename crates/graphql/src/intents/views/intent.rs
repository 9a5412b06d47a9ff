//! Intents.

use domain::{Fault, intent::Intent, payment::Payment};
use serde_json::{Map, Value};

use super::parts::{
    ATTEMPTS, CartObject, CustomerOfIntent, Linked, LocationObject, TimelineOfIntent,
};
use crate::{
    executor::{FieldOf, Object, Out, object, optional, unknown_field},
    payments::views::AmountObject,
    shared::{Node, Sight},
};

/// The fields for which the intent's payments are read.
pub(crate) const OF_PAYMENTS: [FieldOf; 2] = [FieldOf::new("Intent", "linkedPayments"), ATTEMPTS];

/// `Intent`, owning what it shows.
pub(crate) struct IntentObject {
    /// The intent.
    pub(crate) intent: Intent,
    /// Its payments, oldest first; empty when they were not asked for.
    pub(crate) payments: Vec<Payment>,
    /// What the credential may see.
    pub(crate) sight: Sight,
}

impl Object for IntentObject {
    fn type_name(&self) -> &'static str {
        "Intent"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let intent = &self.intent;
        Ok(match name {
            "id" => intent.id.to_string().into(),
            "trackingId" => (&intent.tracking_id).into(),
            "paymentFlowId" => intent.flow.as_str().into(),
            "date" => intent.created_at.rfc3339_millis().into(),
            "status" => intent.status.code().into(),
            "statusDate" => intent.status_at.rfc3339_millis().into(),
            "currency" => intent.currency.code().into(),
            "amount" => optional(intent.money.map(AmountObject)),
            "location" => optional(intent.location.map(LocationObject)),
            "customer" => optional(
                intent
                    .customer
                    .as_ref()
                    .map(|customer| CustomerOfIntent(customer, self.sight)),
            ),
            "timeline" => object(TimelineOfIntent {
                steps: &intent.steps,
                payments: &self.payments,
            }),
            "linkedPayments" => Out::List(
                self.payments
                    .iter()
                    .map(|payment| object(Linked(payment)))
                    .collect(),
            ),
            "cart" => optional(intent.cart.as_ref().map(CartObject)),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

impl Node for IntentObject {
    const PAGE: &'static str = "IntentsPage";
    const EDGE: &'static str = "IntentEdge";
}
