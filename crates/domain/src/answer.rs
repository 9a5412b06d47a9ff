//! What a processor can answer. The port (`connector`) tells it, [`crate::payment::Payment::settle`] takes it.

use serde::{Deserialize, Serialize};

use crate::{decline::Decline, method::CardFunding};

/// The facts that come with an approval.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Approval {
    /// The processor's own id of the authorisation.
    pub processor_id: Option<String>,
    /// The processor's own word for the status.
    pub processor_status: Option<String>,
    /// The network's word for it, such as `approved_by_network`.
    pub network_status: Option<String>,
    /// The processor's estimate of risk, a word.
    pub risk_level: Option<String>,
    /// The processor's estimate of risk in hundredths of a point, as the processor scales it.
    pub risk_score_hundredths: Option<i64>,
    /// What the processor knows of the card: credit, debit or prepaid.
    pub funding: Option<CardFunding>,
    /// The card's issuing bank.
    pub issuing_bank: Option<String>,
    /// The card's country, ISO 3166-1 alpha-2.
    pub card_country: Option<String>,
    /// Where the processor shows a receipt.
    pub receipt_url: Option<String>,
    /// The scheme's id of the transaction, for later merchant-initiated payments.
    pub scheme_transaction_id: Option<String>,
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
    /// The processor failed, and says that nothing was authorised.
    Failed {
        /// The processor's reason, for people.
        reason: String,
    },
}

/// How a processor answered a capture, a cancellation or a refund.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LaterAnswer {
    /// It took effect.
    Done {
        /// The processor's own id of it.
        processor_id: Option<String>,
    },
    /// Accepted; it will take effect, or fail, later.
    Pending {
        /// The processor's own id of it.
        processor_id: Option<String>,
    },
    /// Refused; nothing happened.
    Refused {
        /// The processor's reason, for people.
        reason: String,
    },
}

/// What a look-up found out about an earlier call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(clippy::large_enum_variant, reason = "it lives for a moment, and most findings are the large one")]
pub enum Finding {
    /// The processor has an authorisation under this reference, and this is how it stands.
    Authorisation(Answer),
    /// The processor has a capture, cancellation or refund under this reference, and this is how it stands.
    Later(LaterAnswer),
    /// The processor knows nothing under this reference. Evidence only after
    /// the time that the connector declares.
    NotFound,
}
