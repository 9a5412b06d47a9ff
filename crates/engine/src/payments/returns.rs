//! The customer's way back from a processor's page: the address that we give out, and what happens when it is opened.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::{
    id::{PaymentId, TeamId},
    payment::{Initiator, Operation, Payment},
};
use uuid::Uuid;

use crate::Engine;

/// Length of the secret part of a return's address. Unit: bytes.
const SECRET: usize = 16;

/// What the address of a return leads to: a team's attempt, and the secret that proves that the address was given out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReturnToken {
    pub(crate) team: TeamId,
    pub(crate) payment: PaymentId,
    pub(crate) n: u32,
    pub(crate) secret: [u8; SECRET],
}

impl ReturnToken {
    /// The token as it stands in an address.
    pub(crate) fn text(&self) -> String {
        let mut bytes = Vec::with_capacity(36 + SECRET);
        bytes.extend_from_slice(self.team.uuid().as_bytes());
        bytes.extend_from_slice(self.payment.uuid().as_bytes());
        bytes.extend_from_slice(&self.n.to_be_bytes());
        bytes.extend_from_slice(&self.secret);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Reads a token.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (team, rest) = bytes.split_first_chunk::<16>()?;
        let (payment, rest) = rest.split_first_chunk::<16>()?;
        let (n, secret) = rest.split_first_chunk::<4>()?;
        Some(Self {
            team: TeamId::new(Uuid::from_bytes(*team)),
            payment: PaymentId::new(Uuid::from_bytes(*payment)),
            n: u32::from_be_bytes(*n),
            secret: secret.try_into().ok()?,
        })
    }
}

impl Engine {
    /// Where the processor sends the customer back to. `None` when nobody is there who could be sent.
    pub(crate) fn return_address(&self, payment: &Payment, operation: &Operation) -> Option<String> {
        if payment.initiator == Initiator::Merchant {
            return None;
        }
        let secret = hex::decode(operation.return_key.as_deref()?).ok()?.try_into().ok()?;
        let token = ReturnToken { team: payment.team, payment: payment.id, n: operation.n, secret };
        let page = if payment.method.blob.is_some() { "3ds" } else { "return" };
        Some(format!("{}/{page}/{}", self.public_url(), token.text()))
    }
}
