//! The objects that a payment consists of.

use domain::{
    Fault, Timestamp,
    answer::Answer,
    money::Money,
    payment::{
        self, FlowRun, Operation, OperationKind, OperationState, PaidWith, Payment, TimelineEntry,
    },
};
use serde_json::{Map, Value};

use super::{
    outcome::{Outcome, Said},
    payment::AmountObject,
};
use crate::{
    executor::{FieldOf, Object, Out, object, optional, unknown_field},
    shared::{
        Sight,
        address::{AddressObject, CompanyObject, ShippingObject},
        zoned,
    },
};

/// `PaymentGateway`.
pub(crate) struct Gateway<'a>(pub(crate) &'a payment::Gateway);

impl Object for Gateway<'_> {
    fn type_name(&self) -> &'static str {
        "PaymentGateway"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "id" => (&self.0.processor).into(),
            "name" => (&self.0.name).into(),
            "logo" => self.0.logo.as_ref().into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `PaymentCore`.
pub(crate) struct Core<'a>(pub(crate) &'a Payment);

impl Object for Core<'_> {
    fn type_name(&self) -> &'static str {
        "PaymentCore"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "processorStatus" => self
                .0
                .approval()
                .and_then(|approval| approval.processor_status.as_deref())
                .into(),
            "paymentMethod" => self.0.method().method.code().into(),
            "outcome" => {
                let answer = self.0.attempt().and_then(|attempt| attempt.answer.as_ref());
                // What the flow declined has no answer of a processor.
                let said = self
                    .0
                    .rule()
                    .map(Said::Rule)
                    .or(answer.map(Said::Answer))
                    .or(self.0.failure().map(Said::Nothing));
                optional(said.map(|said| Outcome {
                    payment: self.0,
                    said,
                }))
            }
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `PaymentDetails`. Local is what the processor settles in; until it says so, what the customer was charged in.
pub(crate) struct Details<'a>(pub(crate) &'a Payment);

impl Object for Details<'_> {
    fn type_name(&self) -> &'static str {
        "PaymentDetails"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let approval = self.0.approval();
        let costs = approval.and_then(|approval| approval.costs.as_ref());
        let local = costs.map_or(self.0.money(), |costs| costs.gross);
        let amount = |money: Option<Money>| optional(money.map(AmountObject));
        Ok(match name {
            "statementDescriptor" => approval
                .and_then(|approval| approval.statement_descriptor.as_deref())
                .or(self.0.statement_descriptor())
                .into(),
            "description" => self.0.description().into(),
            "localCurrency" => local.currency().code().into(),
            "localAmount" => object(AmountObject(local)),
            "exchangeRate" => costs
                .and_then(|costs| costs.exchange_rate.as_deref())
                .into(),
            "fee" | "processingFee" => amount(costs.map(|costs| costs.fee)),
            "net" => amount(costs.map(|costs| costs.net)),
            "tax" => Out::Null,
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// The only part of a payment that costs a read of its own.
pub(crate) const OVERVIEW: FieldOf = FieldOf::new("PaymentTimeline", "overview");

/// `PaymentTimeline`.
pub(crate) struct Timeline<'a> {
    pub(crate) payment: &'a Payment,
    pub(crate) lines: &'a Result<Vec<TimelineEntry>, Fault>,
}

impl Object for Timeline<'_> {
    fn type_name(&self) -> &'static str {
        "PaymentTimeline"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "overview" => Out::List(
                self.lines
                    .as_ref()
                    .map_err(Fault::clone)?
                    .iter()
                    .map(|line| object(TimelineEvent(line)))
                    .collect(),
            ),
            "flows" => Out::List(
                self.payment
                    .runs()
                    .map(|(_, run)| object(FlowSummary(run)))
                    .collect(),
            ),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `PaymentTimelineEvent`.
struct TimelineEvent<'a>(&'a TimelineEntry);

impl Object for TimelineEvent<'_> {
    fn type_name(&self) -> &'static str {
        "PaymentTimelineEvent"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "title" => (&self.0.title).into(),
            "time" => self.0.at.rfc3339_millis().into(),
            "message" => self.0.message.as_ref().into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `FlowSummary`.
struct FlowSummary<'a>(&'a FlowRun);

impl Object for FlowSummary<'_> {
    fn type_name(&self) -> &'static str {
        "FlowSummary"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "id" | "flowInstanceId" => self.0.instance.to_string().into(),
            "name" => (&self.0.name).into(),
            "date" => self.0.started_at.rfc3339_millis().into(),
            "flowId" => self.0.id.as_str().into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `PaymentConnections`.
pub(crate) struct Connections<'a>(pub(crate) &'a Payment);

impl Object for Connections<'_> {
    fn type_name(&self) -> &'static str {
        "PaymentConnections"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "latestCharge" => charged_at(self.0).map(Timestamp::rfc3339_millis).into(),
            "invoice" | "payout" => Out::Null,
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// When money was last taken: by a capture, or by an authorisation that captured at once.
fn charged_at(payment: &Payment) -> Option<Timestamp> {
    let mut charges = payment
        .operations()
        .iter()
        .rev()
        .filter(|operation| match operation.kind {
            OperationKind::Capture => true,
            OperationKind::Authorise { .. } => matches!(
                operation.answer,
                Some(Answer::Approved { captured: true, .. })
            ),
            OperationKind::Cancel { .. }
            | OperationKind::Refund { .. }
            | OperationKind::Reverse { .. }
            | OperationKind::Abandon { .. } => false,
        });
    charges.find_map(|operation| done_at(&operation.state))
}

const fn done_at(state: &OperationState) -> Option<Timestamp> {
    match state {
        OperationState::Done { at } => Some(*at),
        OperationState::Sent
        | OperationState::Unknown { .. }
        | OperationState::Waiting { .. }
        | OperationState::Pending { .. }
        | OperationState::Refused { .. }
        | OperationState::Failed { .. } => None,
    }
}

/// `PaymentCustomer`.
pub(crate) struct Payer<'a>(pub(crate) &'a payment::Payer, pub(crate) Sight);

impl Object for Payer<'_> {
    fn type_name(&self) -> &'static str {
        "PaymentCustomer"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let &Self(payer, sight) = self;
        Ok(match name {
            "id" => payer.id.map(|id| id.to_string()).into(),
            "email" => sight.personal(payer.email.as_ref()).into(),
            "name" => sight.personal(payer.name.as_ref()).into(),
            "phone" => sight.personal(payer.phone.as_ref()).into(),
            "description" => sight.personal(payer.description.as_ref()).into(),
            "billingAddress" => optional(sight.personal(payer.billing.as_ref()).map(AddressObject)),
            "shippingAddress" => {
                optional(sight.personal(payer.shipping.as_ref()).map(ShippingObject))
            }
            "company" => optional(sight.personal(payer.company.as_ref()).map(CompanyObject)),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `PaymentMethodDetails`: what the request or the vault knew, and what the processor said about the card.
pub(crate) struct MethodDetails<'a>(pub(crate) &'a Payment, pub(crate) Sight);

impl Object for MethodDetails<'_> {
    fn type_name(&self) -> &'static str {
        "PaymentMethodDetails"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let (method, approval) = (self.0.method(), self.0.approval());
        Ok(match name {
            "id" => method.id.to_string().into(),
            "number" => method.masked.as_ref().into(),
            "expires" => method.expiry.map(domain::expiry::Expiry::display).into(),
            "fingerprint" => self.1.fingerprint(method.fingerprint.as_ref()).into(),
            "paymentMethod" => method.method.code().into(),
            "type" => approval
                .and_then(|approval| approval.funding)
                .unwrap_or(method.funding)
                .code()
                .into(),
            "product" => method.product.as_ref().into(),
            "issuingBank" => approval
                .and_then(|approval| approval.issuing_bank.as_deref())
                .into(),
            "category" => Out::Null,
            "country" => approval
                .and_then(|approval| approval.card_country.as_deref())
                .or(method.card_country.as_deref())
                .into(),
            "brand" => method.brand.as_ref().into(),
            "name" => self.1.personal(method.holder.as_ref()).into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `PaymentReceipt`: what was paid, and the processor's own receipt where it made one.
pub(crate) struct Receipt<'a> {
    payment: &'a Payment,
    address: Option<&'a str>,
    at: Timestamp,
}

impl<'a> Receipt<'a> {
    /// The receipt of a payment whose money was captured.
    pub(crate) fn of(payment: &'a Payment) -> Option<Self> {
        if payment.captured() == 0 {
            return None;
        }
        let takes = |operation: &&Operation| {
            matches!(
                operation.kind,
                OperationKind::Authorise { .. } | OperationKind::Capture
            )
        };
        let at = payment
            .operations()
            .iter()
            .rev()
            .filter(takes)
            .find_map(|operation| done_at(&operation.state))?;
        let address = payment
            .approval()
            .and_then(|approval| approval.receipt_url.as_deref());
        Some(Self {
            payment,
            address,
            at,
        })
    }

    fn words(&self) -> String {
        let sum = Money::new(self.payment.captured(), self.payment.money().currency()).formatted();
        let PaidWith {
            brand,
            masked,
            method,
            ..
        } = self.payment.method();
        let brand = brand.as_deref().unwrap_or(method.code());
        match masked
            .as_deref()
            .map(|masked| masked.trim_start_matches('*'))
        {
            Some(last) => format!("{sum} paid with {brand} ending in {last}."),
            None => format!("{sum} paid with {brand}."),
        }
    }
}

impl Object for Receipt<'_> {
    fn type_name(&self) -> &'static str {
        "PaymentReceipt"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "type" => if self.address.is_some() {
                "URL"
            } else {
                "TEXT"
            }
            .into(),
            "message" => self.words().into(),
            "date" => self.at.rfc3339_millis().into(),
            "receiptUrl" => self.address.into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `PaymentFraud`: of the merchant's own data, the fields that the interface names; anything else in it stays unseen here.
pub(crate) struct Fraud<'a>(pub(crate) &'a Value);

impl Object for Fraud<'_> {
    fn type_name(&self) -> &'static str {
        "PaymentFraud"
    }

    fn field<'s>(&'s self, name: &str, arguments: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let given = |name: &str| self.0.get(name);
        match name {
            "fraudProvider" => Ok(given("fraudProvider").and_then(Value::as_str).into()),
            "score" => Ok(match given("score") {
                Some(Value::String(text)) => text.into(),
                Some(Value::Number(number)) => number.to_string().into(),
                _ => Out::Null,
            }),
            "date" => match given("date")
                .and_then(Value::as_str)
                .and_then(Timestamp::parse)
            {
                Some(time) => zoned(time, arguments),
                None => Ok(Out::Null),
            },
            _ => Err(unknown_field(self.type_name(), name)),
        }
    }
}
