//! Payments.

use domain::{
    Fault,
    answer::ThreeDs,
    money::Money,
    payment::{Operation, OperationKind, OperationState, Origin, Payment, TimelineEntry},
};
use engine::{AttachmentView, DisputeView};
use serde_json::{Map, Value};

use super::parts::{
    Connections, Core, Details, Fraud, Gateway, MethodDetails, Payer, Receipt, Timeline,
};
use crate::{
    attachments::views::AttachmentObject,
    disputes::views::DisputeObject,
    executor::{FieldOf, Object, Out, object, optional, unknown_field},
    shared::{Sight, zoned},
};

/// `Payment`, owning what it shows.
pub(crate) struct PaymentObject {
    /// The payment.
    pub(crate) payment: Payment,
    /// Its timeline, or why it can't be read; empty when it was not asked for.
    pub(crate) timeline: Result<Vec<TimelineEntry>, Fault>,
    /// Its attachments, or why they can't be read; empty when they were not asked for, and for browsers.
    pub(crate) attachments: Result<Vec<AttachmentView>, Fault>,
    /// Its disputes, or why they can't be read; none when they were not asked for, or are not for the credential.
    pub(crate) disputes: Result<Option<Vec<DisputeView>>, Fault>,
    /// What the credential may see.
    pub(crate) sight: Sight,
}

/// The field for which a payment's disputes are read.
pub(crate) const DISPUTES: FieldOf = FieldOf::new("Payment", "disputes");

impl Object for PaymentObject {
    fn type_name(&self) -> &'static str {
        "Payment"
    }

    fn field<'s>(&'s self, name: &str, arguments: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        if name == "date" {
            return zoned(self.payment.created_at(), arguments);
        }
        if name == "attachments" {
            let views = self.attachments.as_ref().map_err(Fault::clone)?;
            let shown = views.iter().cloned().map(AttachmentObject);
            return Ok(Out::List(shown.map(object).collect()));
        }
        if name == "disputes" {
            return self.disputes();
        }
        plain(&self.payment, name)
            .or_else(|| self.part(name))
            .ok_or_else(|| unknown_field(self.type_name(), name))
    }
}

impl PaymentObject {
    fn disputes(&self) -> Result<Out<'_>, Fault> {
        let Some(disputes) = self.disputes.as_ref().map_err(Clone::clone)? else {
            return Ok(Out::Null);
        };
        let shown = disputes
            .iter()
            .map(|dispute| object(DisputeObject(dispute.clone())));
        Ok(Out::List(shown.collect()))
    }

    fn part(&self, name: &str) -> Option<Out<'_>> {
        let (payment, sight) = (&self.payment, self.sight);
        Some(match name {
            "amount" => object(AmountObject(payment.money())),
            "refunds" => Out::List(
                payment
                    .refunds()
                    .map(|refund| object(RefundObject(refund)))
                    .collect(),
            ),
            "paymentGateway" => optional(payment.gateway().map(Gateway)),
            "paymentCore" => object(Core(payment)),
            "paymentDetails" => object(Details(payment)),
            "paymentTimeline" => object(Timeline {
                payment,
                lines: &self.timeline,
            }),
            "paymentConnections" => object(Connections(payment)),
            "paymentCustomer" => optional(payment.customer().map(|payer| Payer(payer, sight))),
            "paymentMethodDetails" => object(MethodDetails(payment, sight)),
            "paymentReceipt" => optional(Receipt::of(payment)),
            "fraud" => optional(payment.fraud().map(Fraud)),
            _ => return None,
        })
    }
}

fn plain<'a>(payment: &'a Payment, name: &str) -> Option<Out<'a>> {
    Some(match name {
        "id" => payment.id().to_string().into(),
        "sourceId" => payment
            .approval()
            .and_then(|approval| approval.processor_id.as_ref())
            .into(),
        "orderId" => payment.order_id().into(),
        "connectionId" => payment
            .attempt()
            .map(|attempt| attempt.connection.as_str())
            .into(),
        "status" => payment.status().text().into(),
        "type" => "PAYMENT".into(),
        "refundedAmount" => Some(payment.refunded()).filter(|amount| *amount > 0).into(),
        "capturedAmount" => Some(payment.captured()).filter(|amount| *amount > 0).into(),
        "currency" => payment.money().currency().code().into(),
        "country" => payment
            .approval()
            .and_then(|approval| approval.card_country.as_deref())
            .into(),
        "paymentProcessingOrigin" => origin(payment.origin()).into(),
        "flowId" => payment.flow().map(|run| run.id.as_str()).into(),
        "flowInstanceId" => payment.flow().map(|run| run.instance.to_string()).into(),
        "teamId" => payment.team().to_string().into(),
        "metadata" => payment.metadata().cloned().into(),
        "eci" => three_ds(payment)
            .and_then(|found| found.eci.as_deref())
            .into(),
        "threeDSecureVersion" => three_ds(payment)
            .and_then(|found| found.version.as_deref())
            .into(),
        "threeDSecureAuthenticationResult" => three_ds(payment)
            .and_then(|found| found.result.as_deref())
            .into(),
        _ => return None,
    })
}

fn three_ds(payment: &Payment) -> Option<&ThreeDs> {
    payment.approval()?.three_ds.as_ref()
}

const fn origin(origin: Origin) -> &'static str {
    match origin {
        Origin::Automation => "AUTOMATION",
        Origin::Headless => "HEADLESS",
        Origin::Import => "IMPORT",
    }
}

/// `Amount`.
pub(crate) struct AmountObject(pub(crate) Money);

impl Object for AmountObject {
    fn type_name(&self) -> &'static str {
        "Amount"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "rawAmount" => self.0.minor().into(),
            "currency" => self.0.currency().code().into(),
            "formattedAmount" => self.0.formatted().into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `Refund`.
struct RefundObject<'a>(&'a Operation);

impl Object for RefundObject<'_> {
    fn type_name(&self) -> &'static str {
        "Refund"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "id" => match self.0.kind {
                OperationKind::Refund { id, .. } => id.to_string().into(),
                OperationKind::Authorise { .. }
                | OperationKind::Capture
                | OperationKind::Cancel { .. }
                | OperationKind::Reverse { .. }
                | OperationKind::Abandon { .. } => Out::Null,
            },
            "amount" => self.0.amount.into(),
            "status" => refund_status(&self.0.state).into(),
            "reason" => self.0.reason.as_ref().into(),
            "date" => self.0.started_at.rfc3339_millis().into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

const fn refund_status(state: &OperationState) -> &'static str {
    match state {
        OperationState::Sent
        | OperationState::Unknown { .. }
        | OperationState::Waiting { .. }
        | OperationState::Pending { .. } => "PENDING",
        OperationState::Done { .. } => "SUCCEEDED",
        OperationState::Refused { .. } | OperationState::Failed { .. } => "FAILED",
    }
}
