//! Payments that somebody else made at a processor, as its news tells of them.
//!
//! An import is made of captured money alone: an authorisation belongs to the system that asked for it, and nothing here may
//! capture or release it by itself.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{
    CaptureRule, Gateway, Initiator, NewPayment, Occurrence, Operation, OperationFacts,
    OperationKind, OperationState, Origin, PaidWith, Payment, PaymentEvent, Status,
};
use crate::{
    Timestamp,
    id::{ConnectionId, MethodId, PaymentId, RefundId, TeamId},
    method::{CardFunding, Method},
    money::Money,
    processor_text::{one_line, processor_text},
    text_enum::text_enum,
};

/// The longest id of a processor's that is taken, and the longest order. Unit: bytes.
const ID_MAX: usize = 255;

/// So far may the clock of a processor be ahead of ours.
const AHEAD: Duration = Duration::from_mins(5);

text_enum!(
    /// What becomes of payments that a processor reports and that were not made here.
    ImportMode {
        /// Nothing: the notification is kept.
        Off = "OFF",
        /// They are kept as payments. They start no flow, and merchants get no event of them.
        Quiet = "QUIET",
        /// They are kept as payments, with events and flows as if they had been made here.
        Announced = "ANNOUNCED",
    }
);

/// A payment that somebody else made, as its processor reports it. Holds no number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeElsewhere {
    /// The processor's id of it.
    pub processor_id: String,
    /// When it was made.
    pub made_at: Timestamp,
    /// What was asked for.
    pub money: Money,
    /// What was captured, in minor units.
    pub captured: i64,
    /// What was given back of it by others than this service, in minor units.
    pub refunded: i64,
    /// What it was paid with.
    pub method: Method,
    /// The last four digits of the card or account.
    pub last_four: Option<String>,
    /// The order, or whatever the other system calls it.
    pub order_id: Option<String>,
}

/// A refund that somebody else made at the processor of a payment that was made here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefundElsewhere {
    /// The processor's id of the refund.
    pub processor_id: String,
    /// What was given back.
    pub money: Money,
    /// The connection whose processor reports it.
    pub connection: ConnectionId,
}

/// What an import remembers of where it came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    /// The processor's id of it.
    pub processor_id: String,
    /// What others gave back of it, in minor units.
    #[serde(default)]
    pub refunded: i64,
}

/// What an import needs besides the report.
#[derive(Debug, Clone)]
pub struct NewImport {
    /// Whose it is.
    pub team: TeamId,
    /// Its id, of the report's date.
    pub id: PaymentId,
    /// The connection whose processor reported it.
    pub connection: ConnectionId,
    /// The connection's name and logo.
    pub gateway: Gateway,
    /// The id of what it was paid with.
    pub method: MethodId,
    /// The id of what was given back, where something was.
    pub refund: RefundId,
    /// Whether merchants get events of it.
    pub is_announced: bool,
    /// Now.
    pub at: Timestamp,
}

/// The event that a payment was imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportFacts {
    /// The connection whose processor reported it.
    pub connection: ConnectionId,
    /// What was captured.
    pub amount: Money,
    /// When it was made there.
    pub made_at: Timestamp,
    /// Whether merchants get events of it.
    pub announced: bool,
}

impl MadeElsewhere {
    /// Whether a payment can be made of it: `Err` is a clause for people.
    ///
    /// # Errors
    /// Why none can.
    pub fn check(&self, now: Timestamp) -> Result<(), &'static str> {
        // An id that is not shown as it is could not be looked up by what a person sees of it.
        let is_id = |text: &str| (1..=ID_MAX).contains(&text.len()) && one_line(text) == text;
        if !is_id(&self.processor_id) || !self.order_id.as_deref().is_none_or(is_id) {
            return Err("its ids can't be kept");
        }
        if self.made_at > now.after(AHEAD) || self.made_at.micros() <= 0 {
            return Err("its date can't be right");
        }
        if self.captured == 0 {
            return Err("nothing was captured of it");
        }
        let captured = 1..=self.money.minor();
        if !captured.contains(&self.captured) || !(0..=self.captured).contains(&self.refunded) {
            return Err("its amounts don't fit each other");
        }
        let digits = |text: &str| text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
        if !self.last_four.as_deref().is_none_or(digits) {
            return Err("its last four digits are none");
        }
        Ok(())
    }

    fn paid_with(&self, id: MethodId) -> PaidWith {
        PaidWith {
            method: self.method,
            token: None,
            id,
            blob: None,
            hidden: false,
            masked: self
                .last_four
                .as_ref()
                .map(|four| format!("************{four}")),
            bin: None,
            expiry: None,
            brand: (self.method.is_card() && self.method != Method::Card)
                .then(|| self.method.code().to_owned()),
            account: None,
            wallet: None,
            holder: None,
            address: None,
            fingerprint: None,
            funding: CardFunding::Undefined,
            card_country: None,
            fields_token: None,
            product: None,
            network: None,
            network_weight: None,
        }
    }
}

impl Payment {
    /// A payment that was made elsewhere, with the date that it has there. `made` fits ([`MadeElsewhere::check`]).
    pub fn import(made: &MadeElsewhere, new: NewImport) -> (Self, Vec<Occurrence>) {
        let asked = NewPayment {
            order_id: made
                .order_id
                .as_deref()
                .map(|order| processor_text(order, ID_MAX)),
            initiator: Initiator::Customer,
            ..NewPayment::of(new.team, made.money, made.paid_with(new.method))
        };
        let mut payment = Self::new(asked, new.id, made.made_at, None);
        payment.origin = Origin::Import;
        payment.capture_rule = CaptureRule::Immediate;
        payment.go_through(new.gateway);
        payment.imported = Some(Imported {
            processor_id: made.processor_id.clone(),
            refunded: 0,
        });
        payment.captured = made.captured;
        payment.status = Status::Succeeded;
        let charge = OperationKind::Authorise { capture: true };
        let n = payment.push_done(charge, new.connection.clone(), made.captured, made.made_at);
        if let Some(operation) = payment.operation_mut(n) {
            operation.processor_id = Some(made.processor_id.clone());
        }
        let facts = PaymentEvent::Imported(ImportFacts {
            connection: new.connection,
            amount: Money::new(made.captured, made.money.currency()),
            made_at: made.made_at,
            announced: new.is_announced,
        });
        let created = new.is_announced.then(|| payment.created());
        let events = [PaymentEvent::Authorised, PaymentEvent::Captured]
            .map(|event| payment.event_of(n, event).filter(|_| new.is_announced));
        let words = format!(
            "Its processor reported it: made there {} as {}, {} captured.",
            made.made_at.rfc3339_seconds(),
            made.processor_id,
            Money::new(made.captured, made.money.currency()).formatted(),
        );
        let imported = Occurrence::new(new.at, "Imported")
            .saying(words)
            .events(created)
            .event(facts)
            .events(events.into_iter().flatten());
        let mut lines = vec![imported];
        lines.extend(payment.refunded_elsewhere(made, new.refund, new.is_announced, new.at));
        (payment, lines)
    }

    /// Takes a later report of an import: what was captured and given back of it by now. An empty list: that is known. A report that
    /// says less than is known is an older one.
    ///
    /// # Errors
    /// Why it can't be about this payment, as a clause for people; the payment is as before.
    pub fn take_report(
        &mut self,
        made: &MadeElsewhere,
        refund: RefundId,
        is_announced: bool,
        at: Timestamp,
    ) -> Result<Vec<Occurrence>, &'static str> {
        made.check(at)?;
        if made.money != self.money {
            return Err("its amount is not that of the payment");
        }
        let captured = self.captured_elsewhere(made, is_announced, at);
        let refunded = self.refunded_elsewhere(made, refund, is_announced, at);
        Ok(captured.into_iter().chain(refunded).collect())
    }

    /// Takes what others captured since, of a payment whose amount fits.
    fn captured_elsewhere(
        &mut self,
        made: &MadeElsewhere,
        is_announced: bool,
        at: Timestamp,
    ) -> Option<Occurrence> {
        let connection = self.authorisation()?.connection.clone();
        let more = made.captured.saturating_sub(self.captured);
        if self.imported.is_none() || more <= 0 {
            return None;
        }
        self.captured = made.captured;
        let n = self.push_done(OperationKind::Capture, connection, more, at);
        self.status = self.paid_status();
        let event: fn(OperationFacts) -> PaymentEvent = if is_announced {
            PaymentEvent::Captured
        } else {
            PaymentEvent::CaptureImported
        };
        Some(
            Occurrence::new(at, "Captured elsewhere")
                .saying(self.words(more))
                .events(self.event_of(n, event)),
        )
    }

    /// Takes what others gave back of an import by now; `None` when that is known. It never comes to more than was captured.
    fn refunded_elsewhere(
        &mut self,
        made: &MadeElsewhere,
        refund: RefundId,
        is_announced: bool,
        at: Timestamp,
    ) -> Option<Occurrence> {
        let left = self.captured.saturating_sub(self.refunded());
        let connection = self.authorisation()?.connection.clone();
        let imported = self.imported.as_mut()?;
        let more = made.refunded.saturating_sub(imported.refunded).min(left);
        if more <= 0 {
            return None;
        }
        imported.refunded = imported.refunded.saturating_add(more);
        let kind = OperationKind::whole_refund(refund);
        let n = self.push_done(kind, connection, more, at);
        self.refresh_refund_status(kind);
        let event: fn(OperationFacts) -> PaymentEvent = if is_announced {
            PaymentEvent::Refunded
        } else {
            PaymentEvent::RefundImported
        };
        Some(
            Occurrence::new(at, "Refunded elsewhere")
                .saying(self.words(more))
                .events(self.event_of(n, event)),
        )
    }

    /// Takes a refund that somebody else made of this payment, once: the processor's id tells it. An empty list: it is known.
    ///
    /// # Errors
    /// Why it can't be of this payment, as a clause for people; the payment is as before.
    pub fn take_refund_elsewhere(
        &mut self,
        made: &RefundElsewhere,
        refund: RefundId,
        at: Timestamp,
    ) -> Result<Vec<Occurrence>, &'static str> {
        let is_it = |one: &Operation| {
            one.connection == made.connection
                && one.processor_id.as_deref() == Some(&made.processor_id)
        };
        if self.operations.iter().any(is_it) {
            return Ok(Vec::new());
        }
        if made.money.currency() != self.money.currency() {
            return Err("its currency is not that of the payment");
        }
        let amount = made.money.minor();
        if !(1..=self.refundable()).contains(&amount) {
            return Err("it is more than what can be refunded of the payment");
        }
        let kind = OperationKind::whole_refund(refund);
        let n = self.push_done(kind, made.connection.clone(), amount, at);
        if let Some(operation) = self.operation_mut(n) {
            operation.processor_id = Some(made.processor_id.clone());
        }
        self.refresh_refund_status(kind);
        Ok(vec![
            Occurrence::new(at, "Refunded elsewhere")
                .saying(self.words(amount))
                .events(self.event_of(n, PaymentEvent::Refunded)),
        ])
    }

    /// What an import remembers of where it came from.
    pub fn imported(&self) -> Option<&Imported> {
        self.imported.as_ref()
    }

    /// Adds an operation that somebody else had carried out.
    fn push_done(
        &mut self,
        kind: OperationKind,
        connection: ConnectionId,
        amount: i64,
        at: Timestamp,
    ) -> u32 {
        let n = self.next_number();
        self.operations.push(Operation {
            n,
            kind,
            connection,
            amount,
            keeps_open: false,
            reason: None,
            started_at: at,
            send_by: at,
            state: OperationState::Done { at },
            undone: false,
            next_at: None,
            looks: 0,
            action: None,
            give_up_at: None,
            abandon_at: None,
            return_key: None,
            answer: None,
            processor_id: None,
            phase: None,
            owed: None,
            other: None,
            once: None,
        });
        n
    }
}
