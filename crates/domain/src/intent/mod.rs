//! The intent: a checkout from its start to its completion.
//!
//! An intent is a value; each operation gives the next version of it. Time comes in as a parameter. The payments made for
//! it point to it; it holds none of them but the one that completed it.

mod cart;
mod event;
mod status;

pub use cart::{Cart, CartItem, CartPatch};
pub use event::IntentEvent;
pub use status::{Status, Step, StepStatus, Steps, attempt_status, may_complete};

use std::time::Duration;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    Code, Fault, Timestamp,
    country::Country,
    id::{FlowId, IntentId, KeyId, PaymentId, TeamId},
    money::{Currency, Money},
};

/// An intent as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    /// Its id.
    pub id: IntentId,
    /// Whose it is.
    pub team: TeamId,
    /// Counts its commits; the number of its last event.
    pub version: u64,
    /// Counts the events of it that merchants get: the sequence of the last one.
    #[serde(default)]
    pub public_events: u64,
    /// When it was started.
    pub created_at: Timestamp,
    /// Its status.
    pub status: Status,
    /// Since when it has it.
    pub status_at: Timestamp,
    /// When it becomes inactive if nothing happens.
    pub active_until: Timestamp,
    /// The merchant's own id: of an order or a checkout.
    pub tracking_id: String,
    /// The flow that its payments run under.
    pub flow: FlowId,
    /// The version of the flow that was current when it started.
    pub flow_version: u32,
    /// The run of the flow that began with it.
    pub instance: Uuid,
    /// The currency, always there.
    pub currency: Currency,
    /// How much, when it is known; may be zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub money: Option<Money>,
    /// Whether a secret key set the amount last, in a currency that a secret key set last.
    #[serde(default)]
    pub money_is_trusted: bool,
    /// Whether a secret key set the currency last.
    #[serde(default)]
    pub currency_is_trusted: bool,
    /// Where the customer is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Who buys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub customer: Option<Customer>,
    /// What is bought.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cart: Option<Cart>,
    /// How far it is.
    pub steps: Steps,
    /// The payment that completed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<PaymentId>,
    /// The browser's credential that started it; none for a merchant's server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_by: Option<KeyId>,
}

/// Where the customer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// The country.
    pub country: Country,
    /// Whether somebody said so; otherwise it was found by the address of a request.
    pub given: bool,
}

/// Who buys, as far as is known.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Customer {
    /// The merchant's id, or that of a customer in the vault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Whether it buys as a guest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_guest: Option<bool>,
    /// E-mail address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// The changes of an intent; what is not given stays.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// The merchant's own id.
    pub tracking_id: Option<String>,
    /// How much, in minor units; not negative.
    pub amount: Option<i64>,
    /// The currency.
    pub currency: Option<Currency>,
    /// Whether a secret key says so.
    pub is_trusted: bool,
    /// Where the customer says to be.
    pub country: Option<Country>,
    /// Where the request came from.
    pub seen_in: Option<Country>,
    /// Who buys.
    pub customer: Option<Customer>,
    /// What is bought.
    pub cart: Option<CartPatch>,
    /// How far the form of the billing address is.
    pub billing: Option<StepStatus>,
    /// How far the form of the shipping address is.
    pub shipping: Option<StepStatus>,
    /// How far the form of the delivery is.
    pub delivery: Option<StepStatus>,
}

/// What an intent starts with besides its details.
#[derive(Debug, Clone)]
pub struct Start {
    /// Its id.
    pub id: IntentId,
    /// Whose it is.
    pub team: TeamId,
    /// The merchant's own id.
    pub tracking_id: String,
    /// The currency.
    pub currency: Currency,
    /// The flow, with the version that is current.
    pub flow: (FlowId, u32),
    /// The run of the flow.
    pub instance: Uuid,
    /// The browser's credential, if it is one.
    pub started_by: Option<KeyId>,
}

/// Whether completing changed anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completion {
    /// It is complete now.
    Done,
    /// It was, in the same way.
    Before,
}

impl Intent {
    /// Starts an intent. `patience` is how long it stays active when nothing happens.
    pub fn start(start: Start, changes: Changes, at: Timestamp, patience: Duration) -> Self {
        let mut intent = Self {
            id: start.id,
            team: start.team,
            version: 1,
            public_events: 0,
            created_at: at,
            status: Status::Active,
            status_at: at,
            active_until: at.after(patience),
            tracking_id: start.tracking_id,
            flow: start.flow.0,
            flow_version: start.flow.1,
            instance: start.instance,
            currency: start.currency,
            money: None,
            money_is_trusted: false,
            currency_is_trusted: changes.is_trusted,
            location: None,
            customer: None,
            cart: None,
            steps: Steps::starting(at),
            reference: None,
            started_by: start.started_by,
        };
        intent.apply(changes, at);
        intent
    }

    /// Changes what is given. That is activity.
    ///
    /// # Errors
    /// `error.intent.invalid-status` when it is complete.
    pub fn update(
        &mut self,
        changes: Changes,
        at: Timestamp,
        patience: Duration,
    ) -> Result<(), Fault> {
        if self.status == Status::Complete {
            return Err(self.is_complete("A complete intent can't be changed. Start another one."));
        }
        self.apply(changes, at);
        self.be_active(at, patience);
        Ok(())
    }

    /// Notes that somebody sets out to pay it. That is activity.
    ///
    /// # Errors
    /// `error.authorize.payment-already-authorized` when it is complete.
    pub fn pay(&mut self, at: Timestamp, patience: Duration) -> Result<(), Fault> {
        if self.status == Status::Complete {
            return Err(self.already_paid());
        }
        self.be_active(at, patience);
        Ok(())
    }

    /// Becomes inactive when its time has come. `false`: it has not, or it is not active.
    pub fn expire(&mut self, at: Timestamp) -> bool {
        let expired = self.due_at().is_some_and(|due_at| due_at <= at);
        if expired {
            self.become_status(Status::Inactive, at);
        }
        expired
    }

    /// Completes it. `reference` is the payment that the customer paid with, of which it is known that it may.
    ///
    /// # Errors
    /// `error.intent.invalid-status` when it is complete with another payment.
    pub fn complete(
        &mut self,
        reference: Option<PaymentId>,
        at: Timestamp,
    ) -> Result<Completion, Fault> {
        if self.status == Status::Complete {
            return if reference.is_none() || reference == self.reference {
                Ok(Completion::Before)
            } else {
                Err(self.is_complete("The intent was completed with another payment."))
            };
        }
        self.become_status(Status::Complete, at);
        self.steps.started.become_status(StepStatus::Complete, at);
        self.steps.completed.become_status(StepStatus::Complete, at);
        self.reference = reference;
        Ok(Completion::Done)
    }

    /// Leaves of the customer the id alone. Returns whether there was more.
    pub fn forget_person(&mut self) -> bool {
        let before = self.customer.take();
        self.customer = before.as_ref().map(|customer| Customer {
            id: customer.id.clone(),
            ..Customer::default()
        });
        before != self.customer
    }

    /// When the job must look at it.
    pub fn due_at(&self) -> Option<Timestamp> {
        (self.status == Status::Active).then_some(self.active_until)
    }

    /// The fault when a complete intent is to be paid.
    pub fn already_paid(&self) -> Fault {
        let fault = Fault::new(
            Code::AlreadyAuthorised,
            "The intent is complete. Start another one.",
        );
        match self.reference {
            Some(payment) => fault.about(payment),
            None => fault.about(self.id),
        }
    }

    fn is_complete(&self, message: &str) -> Fault {
        Fault::new(Code::IntentStatus, message)
            .about(self.id)
            .in_status(self.status)
    }

    fn become_status(&mut self, status: Status, at: Timestamp) {
        if self.status != status {
            self.status = status;
            self.status_at = at;
        }
    }

    fn be_active(&mut self, at: Timestamp, patience: Duration) {
        self.become_status(Status::Active, at);
        self.active_until = at.after(patience);
    }

    fn apply(&mut self, changes: Changes, at: Timestamp) {
        if let Some(tracking_id) = changes.tracking_id {
            self.tracking_id = tracking_id;
        }
        self.set_money(changes.amount, changes.currency, changes.is_trusted);
        if let Some(country) = changes.country {
            self.location = Some(Location {
                country,
                given: true,
            });
        } else if let Some(country) = changes
            .seen_in
            .filter(|_| self.location.is_none_or(|held| !held.given))
        {
            self.location = Some(Location {
                country,
                given: false,
            });
        }
        if let Some(customer) = changes.customer {
            let held = self.customer.get_or_insert_default();
            held.id = customer.id.or(held.id.take());
            held.is_guest = customer.is_guest.or(held.is_guest);
            held.email = customer.email.or(held.email.take());
            held.name = customer.name.or(held.name.take());
        }
        if let Some(cart) = changes.cart {
            cart.apply(self.cart.get_or_insert_default());
        }
        for (step, status) in [
            (&mut self.steps.billing, changes.billing),
            (&mut self.steps.shipping, changes.shipping),
            (&mut self.steps.delivery, changes.delivery),
        ] {
            if let Some(status) = status {
                step.become_status(status, at);
            }
        }
    }

    /// Amount and currency have one meaning together, so that an amount is trusted only in a currency that is.
    fn set_money(&mut self, amount: Option<i64>, currency: Option<Currency>, is_trusted: bool) {
        if let Some(currency) = currency {
            self.currency = currency;
            self.currency_is_trusted = is_trusted;
            self.money = self.money.map(|money| Money::new(money.minor(), currency));
            self.money_is_trusted &= is_trusted;
        }
        if let Some(amount) = amount {
            self.money = Some(Money::new(amount, self.currency));
            self.money_is_trusted = is_trusted && self.currency_is_trusted;
        }
    }
}
