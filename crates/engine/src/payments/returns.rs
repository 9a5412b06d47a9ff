//! The customer's way back from a processor's page: the address that we give out, and what happens when it is opened.

use crate::boxed;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use std::time::Duration;

use domain::{
    Timestamp,
    decline::DeclineCode,
    id::{PaymentId, TeamId},
    network::Network,
    payment::{AbandonCause, Initiator, Operation, OperationKind, OperationState, Payment, Status},
    redirect::RedirectUrl,
    returned::{self, Parameter},
};
use subtle::ConstantTimeEq;
use uuid::Uuid;

use super::effects::{Effects, ended_without_money, key_of};
use crate::{Engine, change::Decision, commit::note_payment, faults::EngineError};

/// How often, and after what pause, a return looks whether another tab's completion has ended.
const TURNS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(100);

/// How long after its end a page sends the customer on to the merchant's address.
const REDIRECTS_FOR: Duration = Duration::from_hours(1);

/// In these statuses the customer's part has not ended.
const WAITING: [Status; 5] = [
    Status::Active,
    Status::Needs3dSecure,
    Status::NeedsApmAuthorization,
    Status::GatewayHold,
    Status::NoAnswerFromPsp,
];

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

/// The team whose payment an address of a return is about; nothing says yet that the address was given out.
pub fn team_of_return(token: &str) -> Option<TeamId> {
    ReturnToken::parse(token).map(|token| token.team)
}

impl Engine {
    /// Where the processor sends the customer back to. `None` when nobody is there who could be sent.
    pub(crate) fn return_address(
        &self,
        payment: &Payment,
        operation: &Operation,
    ) -> Option<String> {
        if payment.initiator() == Initiator::Merchant {
            return None;
        }
        let secret = hex::decode(operation.return_key.as_deref()?)
            .ok()?
            .try_into()
            .ok()?;
        let token = ReturnToken {
            team: payment.team(),
            payment: payment.id(),
            n: operation.n,
            secret,
        };
        let page = if payment.method().blob.is_some() {
            "3ds"
        } else {
            "return"
        };
        Some(format!("{}/{page}/{}", self.public_url(), token.text()))
    }
}

/// What the customer who comes back is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Returned {
    /// Sent on to the merchant's address, with the outcome.
    Redirect(String),
    /// The merchant gave no address: a page says how it went and that it may be closed.
    Closed {
        /// Whether the payment was made.
        paid: bool,
    },
    /// What was asked of the customer is not done: a page leads back to the processor's.
    Unfinished {
        /// The processor's page.
        url: String,
    },
    /// The outcome is not known yet: a page says so.
    Undecided,
    /// There is no such page.
    Unknown,
}

impl Engine {
    /// The customer has opened the address of a return, with these parameters: completes what waits, on the processor's evidence alone,
    /// and tells where the customer goes on. May be opened as often as one likes.
    #[boxed]
    pub async fn returned(
        &self,
        token: &str,
        parameters: Vec<Parameter>,
        network: Option<Network>,
    ) -> Returned {
        let Some(token) = ReturnToken::parse(token) else {
            return Returned::Unknown;
        };
        let engine = self.clone();
        let (asked, deadline) = (token.clone(), self.deadline());
        let begun_at = self.inner.world.now();
        let work = self.own(Box::pin(async move {
            engine.come_back(&asked, &parameters, network).await
        }));
        let world = &self.inner.world;
        match world.timeout(deadline.left(world.now()), work).await {
            Ok(Some(Ok(Some(payment)))) => {
                let destination = destination(&payment, token.n);
                self.without_old_redirect(&payment, destination, begun_at)
                    .await
            }
            Ok(Some(Ok(None))) => Returned::Unknown,
            Ok(Some(Err(_)) | None) | Err(world::Elapsed) => Returned::Undecided,
        }
    }

    /// A page that sends anybody who opens it elsewhere must not do so without end: an hour after the customer's part has ended
    /// it says how it went instead.
    async fn without_old_redirect(
        &self,
        payment: &Payment,
        destination: Returned,
        begun_at: Timestamp,
    ) -> Returned {
        if !matches!(destination, Returned::Redirect(_)) {
            return destination;
        }
        let statuses =
            store::event::statuses(&self.inner.store, payment.team(), &payment.id().key()).await;
        let Ok(statuses) = statuses else {
            return Returned::Undecided;
        };
        let waited = statuses
            .iter()
            .rposition(|(_, status)| WAITING.iter().any(|waiting| waiting.text() == status));
        let ended = waited.map_or(0, |at| at.saturating_add(1));
        let is_old = statuses
            .get(ended)
            .is_some_and(|(at, _)| begun_at.since(*at) > REDIRECTS_FOR);
        if is_old {
            return Returned::Closed {
                paid: !ended_without_money(payment.status()),
            };
        }
        destination
    }

    async fn come_back(
        &self,
        token: &ReturnToken,
        parameters: &[Parameter],
        network: Option<Network>,
    ) -> Result<Option<Payment>, EngineError> {
        let Some(payment) =
            store::payment::of_team(&self.inner.store, token.team, token.payment).await?
        else {
            return Ok(None);
        };
        note_payment(payment.id());
        let Some(operation) = payment
            .operation(token.n)
            .filter(|operation| is_for(operation, token))
        else {
            return Ok(None);
        };
        let is_done = operation.state.is_done();
        let with = self.wanted_of(&payment, operation, parameters).await?;
        self.note_return(&payment, network);
        let mut payment = payment;
        // Also what has ended: the processor may have charged it all the same, and then gives it back.
        if !is_done {
            payment = match with {
                Some(with) => self.complete(payment, token.n, Some(with)).await?,
                None => self.look_up(payment, token.n, true).await?,
            };
        }
        payment = self.settled_by_another(payment, token.n).await?;
        self.onward(payment).await.map(Some)
    }

    /// What the customer came back with, where the attempt waits for that.
    async fn wanted_of(
        &self,
        payment: &Payment,
        operation: &Operation,
        parameters: &[Parameter],
    ) -> Result<Option<returned::Returned>, EngineError> {
        let waits = matches!(operation.state, OperationState::Waiting { .. });
        let asked = operation.action.as_ref().filter(|action| !action.ready);
        if !waits || asked.is_none() || parameters.is_empty() {
            return Ok(None);
        }
        let line = self.line(payment.team(), &operation.connection).await?;
        Ok(line.and_then(|line| {
            let wanted = line.connector.descriptor().returned;
            returned::Returned::among(wanted, parameters)
        }))
    }

    /// Waits a while for another task that completes the attempt at the moment, or gives it up: another tab, the merchant.
    pub(super) async fn settled_by_another(
        &self,
        payment: Payment,
        n: u32,
    ) -> Result<Payment, EngineError> {
        let mut payment = payment;
        for _ in 0..TURNS {
            let given_up = payment.operations().iter().any(|operation| {
                matches!(operation.kind, OperationKind::Abandon { target, .. } if target == n)
                    && operation.state == OperationState::Sent
            });
            let waits = payment
                .operation(n)
                .is_some_and(|operation| match operation.state {
                    OperationState::Sent => operation.action.is_some(),
                    OperationState::Waiting { .. } => {
                        given_up || self.inner.looking.is_under_way(payment.id())
                    }
                    OperationState::Unknown { .. }
                    | OperationState::Pending { .. }
                    | OperationState::Done { .. }
                    | OperationState::Refused { .. }
                    | OperationState::Failed { .. } => false,
                });
            if !waits {
                break;
            }
            self.inner.world.sleep(PAUSE).await;
            payment = self.load(payment.team(), payment.id()).await?;
        }
        Ok(payment)
    }

    /// Completes an authorisation for which the customer has done what was asked, if the checkout has not been paid otherwise.
    /// `with`: what the customer has just come back with, where that makes it ready.
    pub(crate) async fn complete(
        &self,
        payment: Payment,
        n: u32,
        with: Option<returned::Returned>,
    ) -> Result<Payment, EngineError> {
        if self.is_paid_otherwise(&payment).await? {
            return Box::pin(self.give_up(payment, AbandonCause::AlreadyPaid)).await;
        }
        let begin = |payment| self.with_completion_begun(payment, n, with.clone());
        let (payment, has_begun) = self.change(key_of(&payment), begin).await?;
        if !has_begun {
            return Ok(payment);
        }
        let payment = self.carry_out(payment, n, None).await?;
        Box::pin(self.onward(payment)).await
    }

    /// The payment with the completion of attempt `n` begun, if it waits for that.
    async fn with_completion_begun(
        &self,
        mut payment: Payment,
        n: u32,
        with: Option<returned::Returned>,
    ) -> Result<Decision<Payment, bool>, EngineError> {
        let Some(attempt) = payment.operation(n) else {
            return Ok(Decision::Leave(payment, false));
        };
        let line = self.line(payment.team(), &attempt.connection).await?;
        let begin = self.begin(line.as_ref(), None, None);
        if let Some(with) = with {
            payment.note_returned(n, with);
        }
        let Some(entry) = payment.begin_complete(n, begin) else {
            return Ok(Decision::Leave(payment, false));
        };
        Ok(Decision::Write(payment, Effects::of(vec![entry]), true))
    }
}

/// In constant time, so that the secret can't be found out bit by bit.
pub(super) fn is_for(operation: &Operation, token: &ReturnToken) -> bool {
    let Some(key) = operation
        .return_key
        .as_deref()
        .and_then(|key| hex::decode(key).ok())
    else {
        return false;
    };
    key.ct_eq(&token.secret).into()
}

/// Where the customer goes on, as the payment stands.
fn destination(payment: &Payment, n: u32) -> Returned {
    let Some(operation) = payment.operation(n) else {
        return Returned::Unknown;
    };
    if let (OperationState::Waiting { .. }, Some(action)) = (&operation.state, &operation.action)
        && !action.ready
    {
        return Returned::Unfinished {
            url: action.url.clone(),
        };
    }
    if operation.state.is_open() && !matches!(operation.state, OperationState::Pending { .. }) {
        return Returned::Undecided;
    }
    let decline = payment.decline().map(|decline| decline.code);
    let unasked = [
        DeclineCode::ThreeDSecure,
        DeclineCode::PaymentCancelled,
        DeclineCode::AuthorizationRequired,
    ];
    let failed = matches!(operation.state, OperationState::Failed { .. })
        || decline.is_some_and(|decline| unasked.contains(&decline));
    let is_card = payment.method().blob.is_some();
    let (address, name) = if is_card {
        (payment.three_ds_redirect(), "3ds_status")
    } else {
        (payment.apm_redirect(), "apm_status")
    };
    let Some(address) = address.and_then(|address| RedirectUrl::parse(address, "redirectUrl").ok())
    else {
        // A review is no outcome yet, and nobody waits for its end here.
        let held = matches!(operation.state, OperationState::Pending { .. });
        return if held {
            Returned::Undecided
        } else {
            Returned::Closed {
                paid: !failed && !ended_without_money(payment.status()),
            }
        };
    };
    // 3D Secure may have been passed by a payment that the issuer declines; an alternative method knows no such difference.
    let failed = failed
        || (!is_card && decline.is_some())
        || ended_without_money(payment.status()) && decline.is_none();
    let id = payment.id().to_string();
    let mut parameters = vec![
        ("id", id.as_str()),
        (name, if failed { "FAILED" } else { "COMPLETED" }),
    ];
    if let Some(code) = decline {
        parameters.push(("decline_code", code.code()));
    }
    Returned::Redirect(address.with(&parameters))
}
