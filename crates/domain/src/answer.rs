//! What a processor can answer. The port (`connector`) tells it, [`crate::payment::Payment::settle`] takes it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    Timestamp,
    decline::Decline,
    method::CardFunding,
    money::Money,
    processor_text::{OwnCard, ProcessorText, clean_address},
    processor_token::OwnToken,
    returned::Returned,
};

/// The facts that come with an approval.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Approval {
    /// The processor's own id of the authorisation.
    pub processor_id: Option<String>,
    /// The processor's own word for the status.
    pub processor_status: Option<ProcessorText>,
    /// The network's word for it, such as `approved_by_network`.
    pub network_status: Option<ProcessorText>,
    /// The processor's estimate of risk, a word.
    pub risk_level: Option<ProcessorText>,
    /// The processor's estimate of risk in hundredths of a point, as the processor scales it.
    pub risk_score_hundredths: Option<i64>,
    /// What the processor knows of the card: credit, debit or prepaid.
    pub funding: Option<CardFunding>,
    /// The card's issuing bank.
    pub issuing_bank: Option<ProcessorText>,
    /// The card's country, ISO 3166-1 alpha-2.
    pub card_country: Option<ProcessorText>,
    /// Where the processor shows a receipt.
    pub receipt_url: Option<String>,
    /// The scheme's id of the transaction, for later merchant-initiated payments.
    pub scheme_transaction_id: Option<String>,
    /// Whether this authorisation can be captured several times, where the processor says so of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub several_captures: Option<bool>,
    /// What 3D Secure brought, when it took place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub three_ds: Option<ThreeDs>,
    /// What the issuer found when it compared what the customer typed.
    #[serde(default, skip_serializing_if = "Checks::is_empty")]
    pub checks: Checks,
    /// What the processor puts on the customer's statement, where it is another text than was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement_descriptor: Option<ProcessorText>,
    /// What the charge costs and brings, where the processor says so at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub costs: Option<Costs>,
    /// Until when the authorisation can be captured, where the processor says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<Timestamp>,
    /// How much the processor has authorised, where it tells. Compared with what was asked for, and not kept.
    #[serde(skip)]
    pub booked: Option<Money>,
    /// The processor's own token for the card, where the payment stored it there ([`crate::payment::Recurring::first`]). It is kept with the
    /// vault's token, and not with the payment.
    #[serde(skip)]
    pub stored_card: Option<OwnToken>,
}

impl Approval {
    fn clean(&mut self, card: OwnCard<'_>) {
        card.clean_id(&mut self.processor_id);
        card.clean_id(&mut self.scheme_transaction_id);
        // It is kept with the vault's token, and not with the payment.
        self.stored_card = None;
        clean_address(&mut self.receipt_url);
    }
}

/// How something that the customer typed compares with what the issuer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// It is the same.
    Passed,
    /// It is another.
    Failed,
    /// The issuer did not compare it.
    Unchecked,
}

/// What the issuer compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Checks {
    /// The security code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub security_code: Option<Check>,
    /// Street and number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub street: Option<Check>,
    /// The postal code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub postal_code: Option<Check>,
}

impl Checks {
    /// Whether nothing is known.
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde passes a reference"
    )]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What a processor puts to the merchant's account for a charge, in the currency in which it settles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Costs {
    /// The charge.
    pub gross: Money,
    /// What the processor keeps.
    pub fee: Money,
    /// What is left.
    pub net: Money,
    /// How the charge's currency was changed into this one, a decimal number as the processor writes it. `None`: it is the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange_rate: Option<ProcessorText>,
}

/// What the customer's authentication by 3D Secure brought. Source: EMV 3-D Secure.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ThreeDs {
    /// The Electronic Commerce Indicator, two digits such as `05`.
    pub eci: Option<ProcessorText>,
    /// The protocol's version, such as `2.2.0`.
    pub version: Option<ProcessorText>,
    /// Whether the check succeeded, a word such as `AUTHENTICATED`.
    pub result: Option<ProcessorText>,
}

/// What the customer must do before the processor can decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ActionKind {
    /// Be authenticated by the card's issuer.
    ThreeDSecure,
    /// Approve the payment at the alternative method's own page.
    Apm,
}

/// Something that the customer must do at a page of the processor's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    /// What it is.
    pub kind: ActionKind,
    /// The page, an absolute address.
    pub url: String,
    /// The customer has done it, and the processor waits for us to complete the authorisation.
    #[serde(default)]
    pub ready: bool,
    /// What the customer came back with, where the connector needs it to complete ([`crate::returned`]). Connectors leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<Returned>,
}

impl Action {
    /// What the customer is asked to do at a page; `ready`: has done.
    pub const fn new(kind: ActionKind, url: String, ready: bool) -> Self {
        Self {
            kind,
            url,
            ready,
            returned: None,
        }
    }
}

/// How a processor answered a request for an authorisation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// Authorised; `captured` when it was a sale.
    Approved {
        /// Whether the money is captured already.
        captured: bool,
        /// The facts that came with it.
        approval: Approval,
    },
    /// Refused by the issuer or the processor.
    Declined {
        /// Why.
        decline: Decline,
        /// The facts that came with it.
        approval: Approval,
    },
    /// The processor reviews it and will tell later.
    Held {
        /// The facts that came with it.
        approval: Approval,
    },
    /// The customer must do something first; nothing is authorised until then.
    ActionRequired {
        /// What it is.
        action: Action,
        /// The facts that came with it.
        approval: Approval,
    },
    /// The processor failed, and says that nothing was authorised.
    Failed {
        /// The processor's reason, for people.
        reason: ProcessorText,
    },
}

impl Answer {
    /// Brings the processor's ids and addresses into the form in which they are kept. Its texts are by their type.
    pub(crate) fn clean(&mut self, card: OwnCard<'_>) {
        match self {
            // The address of a page that asks stays as it is: a browser reads it.
            Self::Approved { approval, .. }
            | Self::Held { approval }
            | Self::ActionRequired { approval, .. }
            | Self::Declined { approval, .. } => approval.clean(card),
            Self::Failed { .. } => {}
        }
    }

    /// The facts that came with it.
    pub fn approval_mut(&mut self) -> Option<&mut Approval> {
        match self {
            Self::Approved { approval, .. }
            | Self::Declined { approval, .. }
            | Self::ActionRequired { approval, .. }
            | Self::Held { approval } => Some(approval),
            Self::Failed { .. } => None,
        }
    }
}

/// What kind of thing stands at a processor under one of our references.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Booking {
    /// An authorisation.
    Authorisation,
    /// A capture.
    Capture,
    /// A cancellation.
    Cancellation,
    /// A refund.
    Refund,
}

/// What stands at a processor under one of our references.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Booked {
    /// What it is.
    pub what: Booking,
    /// How much. Counts for nothing in a cancellation, which releases an authorisation as a whole.
    pub money: Money,
}

/// How a processor answered a capture, a cancellation or a refund. `booked` says what it has under the reference, where it
/// tells: that is compared with what was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LaterAnswer {
    /// It took effect.
    Done {
        /// The processor's own id of it.
        processor_id: Option<String>,
        /// What it is.
        booked: Option<Booked>,
    },
    /// Accepted; it will take effect, or fail, later.
    Pending {
        /// The processor's own id of it.
        processor_id: Option<String>,
        /// What it is.
        booked: Option<Booked>,
    },
    /// Refused; nothing happened.
    Refused {
        /// The processor's reason, for people.
        reason: ProcessorText,
        /// What was refused.
        booked: Option<Booked>,
    },
    /// It took effect, and was undone later: a refund that the customer's bank returned, a capture that failed. It may follow
    /// [`LaterAnswer::Done`].
    Reversed {
        /// The processor's reason, for people.
        reason: ProcessorText,
        /// What was undone.
        booked: Option<Booked>,
    },
}

impl LaterAnswer {
    /// Brings the processor's ids and addresses into the form in which they are kept. Its texts are by their type.
    pub(crate) fn clean(&mut self, card: OwnCard<'_>) {
        match self {
            Self::Done { processor_id, .. } | Self::Pending { processor_id, .. } => {
                card.clean_id(processor_id);
            }
            Self::Refused { .. } | Self::Reversed { .. } => {}
        }
    }
}

/// What is known of a call that got no answer that can be used.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Known {
    /// The processor's own id of what was asked for, when it gave one before the connection broke.
    pub processor_id: Option<String>,
    /// The connector's own word for the step of the call that got no answer, where a call has several.
    pub phase: Option<String>,
    /// How long the processor asks to be left alone, where it says so.
    pub again_after: Option<Duration>,
}
