//! Disputes.

use domain::{
    Fault, Timestamp,
    dispute::{DisputeResponse, DisputedFunds, ResponseState},
    payment::TimelineEntry,
};
use engine::DisputeView;
use serde_json::{Map, Value};

use crate::{
    attachments::views::AttachmentObject,
    executor::{FieldOf, Object, Out, object, optional, unknown_field},
    payments::views::AmountObject,
    shared::Node,
};

/// The field for which a dispute's timeline is read.
pub(crate) const TIMELINE: FieldOf = FieldOf::new("PaymentDispute", "disputeTimeline");

/// `PaymentDispute`.
pub(crate) struct DisputeObject(pub(crate) DisputeView);

impl Object for DisputeObject {
    fn type_name(&self) -> &'static str {
        "PaymentDispute"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let dispute = &self.0.dispute;
        Ok(match name {
            "id" => dispute.id().to_string().into(),
            "paymentId" => dispute.payment().to_string().into(),
            "connectionId" => dispute.connection().as_str().into(),
            "sourceId" => dispute.source_payment().into(),
            "sourceDisputeId" => dispute.source_id().into(),
            "disputeDate" => day(dispute.disputed_at()).into(),
            "responseDate" => dispute.respond_by().map(day).into(),
            "currency" => dispute.money().currency().code().into(),
            "amount" => object(AmountObject(dispute.money())),
            "status" => dispute.status().code().into(),
            "processorStatus" => dispute.processor_status().into(),
            "reason" => dispute.reason().code().into(),
            "processorReason" => dispute.processor_reason().into(),
            "lifecycleStage" => dispute.stage().code().into(),
            "funds" => dispute.funds().map(DisputedFunds::code).into(),
            "response" => optional(dispute.responses().last().map(ResponseObject)),
            "attachments" => {
                let files = self.0.attachments.iter().cloned().map(AttachmentObject);
                Out::List(files.map(object).collect())
            }
            "disputeTimeline" => object(Timeline(self.0.timeline.as_deref().unwrap_or_default())),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `DisputeResponse`.
pub(super) struct ResponseObject<'a>(pub(super) &'a DisputeResponse);

impl Object for ResponseObject<'_> {
    fn type_name(&self) -> &'static str {
        "DisputeResponse"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let response = self.0;
        Ok(match name {
            "kind" => response.kind.code().into(),
            "state" => response.state_word().into(),
            "date" => response.at.rfc3339_millis().into(),
            "reason" => match &response.state {
                ResponseState::Refused { reason } | ResponseState::Unconfirmed { reason } => {
                    reason.as_str().into()
                }
                _ => Out::Null,
            },
            "attachmentIds" => {
                let ids = response.attachments.iter();
                Out::List(ids.map(|id| id.to_string().into()).collect())
            }
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

impl Node for DisputeObject {
    const PAGE: &'static str = "DisputesWithFilter";
    const EDGE: &'static str = "DisputeEdge";
}

/// The day in UTC.
fn day(at: Timestamp) -> String {
    let mut text = at.rfc3339_millis();
    text.truncate("2026-01-31".len());
    text
}

/// `DisputeTimeline`.
struct Timeline<'a>(&'a [TimelineEntry]);

impl Object for Timeline<'_> {
    fn type_name(&self) -> &'static str {
        "DisputeTimeline"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        match name {
            "events" => Ok(Out::List(
                self.0.iter().map(|entry| object(Entry(entry))).collect(),
            )),
            _ => Err(unknown_field(self.type_name(), name)),
        }
    }
}

/// `DisputeTimelineEvent`.
struct Entry<'a>(&'a TimelineEntry);

impl Object for Entry<'_> {
    fn type_name(&self) -> &'static str {
        "DisputeTimelineEvent"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "title" => self.0.title.as_str().into(),
            "time" => self.0.at.rfc3339_millis().into(),
            "message" => self.0.message.as_deref().into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}
