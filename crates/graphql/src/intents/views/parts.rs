//! What an intent is made of.

use domain::{
    Fault, Timestamp,
    intent::{Cart, CartItem, Customer, Location, Step, StepStatus, Steps, attempt_status},
    payment::{Operation, OperationState, Payment},
};
use serde_json::{Map, Value};

use crate::{
    executor::{FieldOf, Object, Out, object, unknown_field},
    shared::Sight,
};

/// `IntentLocation`.
pub(crate) struct LocationObject(pub(crate) Location);

impl Object for LocationObject {
    fn type_name(&self) -> &'static str {
        "IntentLocation"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        match name {
            "country" => Ok(self.0.country.alpha3().into()),
            _ => Err(unknown_field(self.type_name(), name)),
        }
    }
}

/// `IntentCustomer`.
pub(crate) struct CustomerOfIntent<'a>(pub(crate) &'a Customer, pub(crate) Sight);

impl Object for CustomerOfIntent<'_> {
    fn type_name(&self) -> &'static str {
        "IntentCustomer"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let &Self(customer, sight) = self;
        Ok(match name {
            "id" => customer.id.as_ref().into(),
            "isGuest" => customer.is_guest.into(),
            "email" => sight.personal(customer.email.as_ref()).into(),
            "name" => sight.personal(customer.name.as_ref()).into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// The steps that are payments: they are read.
pub(super) const ATTEMPTS: FieldOf = FieldOf::new("IntentTimeline", "paymentAttempts");

/// `IntentTimeline`.
pub(crate) struct TimelineOfIntent<'a> {
    pub(crate) steps: &'a Steps,
    pub(crate) payments: &'a [Payment],
}

impl Object for TimelineOfIntent<'_> {
    fn type_name(&self) -> &'static str {
        "IntentTimeline"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let step = match name {
            "intentStarted" => self.steps.started,
            "shipping" => self.steps.shipping,
            "delivery" => self.steps.delivery,
            "billing" => self.steps.billing,
            "completeIntent" | "completeCheckout" => self.steps.completed,
            "paymentAttempts" => {
                return Ok(Out::List(
                    self.payments
                        .iter()
                        .map(|payment| object(StepObject(attempt(payment))))
                        .collect(),
                ));
            }
            _ => return Err(unknown_field(self.type_name(), name)),
        };
        Ok(object(StepObject(step)))
    }
}

/// A payment as a step: its date is that of its authorisation's outcome, of its beginning while it has none.
fn attempt(payment: &Payment) -> Step {
    let status = attempt_status(payment.status());
    let ended = payment
        .attempt()
        .and_then(ended_at)
        .filter(|_| status != StepStatus::InProgress);
    Step {
        status,
        at: Some(ended.unwrap_or(payment.created_at())),
    }
}

fn ended_at(attempt: &Operation) -> Option<Timestamp> {
    match &attempt.state {
        OperationState::Done { at }
        | OperationState::Refused { at, .. }
        | OperationState::Failed { at, .. } => Some(*at),
        _ => None,
    }
}

/// `IntentTimelineStep`.
struct StepObject(Step);

impl Object for StepObject {
    fn type_name(&self) -> &'static str {
        "IntentTimelineStep"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "status" => self.0.status.code().into(),
            "date" => self.0.at.map(Timestamp::rfc3339_millis).into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `LinkedPayment`.
pub(crate) struct Linked<'a>(pub(crate) &'a Payment);

impl Object for Linked<'_> {
    fn type_name(&self) -> &'static str {
        "LinkedPayment"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "paymentId" => self.0.id().to_string().into(),
            "status" => self.0.status().text().into(),
            "time" => self.0.created_at().rfc3339_millis().into(),
            "title" => format!("Payment of {}", self.0.money().formatted()).into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `IntentCart`.
pub(crate) struct CartObject<'a>(pub(crate) &'a Cart);

impl Object for CartObject<'_> {
    fn type_name(&self) -> &'static str {
        "IntentCart"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "id" => (&self.0.id).into(),
            "weight" => self.0.weight.into(),
            "itemCount" => self.0.item_count.into(),
            "items" => Out::List(
                self.0
                    .items
                    .iter()
                    .map(|item| object(ItemObject(item)))
                    .collect(),
            ),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `IntentCartItemType`.
struct ItemObject<'a>(&'a CartItem);

impl Object for ItemObject<'_> {
    fn type_name(&self) -> &'static str {
        "IntentCartItemType"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let item = self.0;
        Ok(match name {
            "id" => item.id.as_ref().into(),
            "quantity" => item.quantity.into(),
            "title" => (&item.title).into(),
            "variantTitle" => item.variant_title.as_ref().into(),
            "weight" => item.weight.into(),
            "taxable" => item.taxable.into(),
            "requiresShipping" => item.requires_shipping.into(),
            "price" => item.price.into(),
            "sku" => (&item.sku).into(),
            "lineTotal" => item.line_total.into(),
            "image" => (&item.image).into(),
            "discountedPrice" => item.discounted_price.into(),
            "totalDiscount" => item.total_discount.into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}
