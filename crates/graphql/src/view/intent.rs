//! Intents.

use domain::{Fault, intent::Intent, payment::Payment};
use serde_json::{Map, Value};

use super::{
    Sight,
    intent_parts::{CartObject, CustomerOfIntent, Linked, LocationObject, TimelineOfIntent},
    page::{PageFacts, PageInfo},
    payment::AmountObject,
};
use crate::execute::{Object, Out, object, optional, unknown_field};

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

/// `IntentsPage`.
pub(crate) struct IntentsPageObject {
    pub(crate) facts: PageFacts,
    pub(crate) rows: Vec<(String, IntentObject)>,
}

impl Object for IntentsPageObject {
    fn type_name(&self) -> &'static str {
        "IntentsPage"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "pageInfo" => object(PageInfo::new(
                &self.facts,
                self.rows.iter().map(|(cursor, _)| cursor),
            )),
            "edges" => Out::List(
                self.rows
                    .iter()
                    .map(|(cursor, intent)| object(IntentEdge { cursor, intent }))
                    .collect(),
            ),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `IntentEdge`.
struct IntentEdge<'a> {
    cursor: &'a str,
    intent: &'a IntentObject,
}

impl Object for IntentEdge<'_> {
    fn type_name(&self) -> &'static str {
        "IntentEdge"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "cursor" => self.cursor.into(),
            "node" => object(self.intent),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}
