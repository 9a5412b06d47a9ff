//! The desk of the sandbox: opens disputes at the simulator and moves them on, as customers, issuers and networks do elsewhere.

pub(super) mod members;
mod wish;

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{Path, Request, State, rejection::PathRejection},
    response::Response,
};
use connector::Reference;
use connectors::simulator::{DisputeState, Entry};
use domain::{
    Code, Fault, Timestamp,
    dispute::{DisputeReason, DisputeStage, DisputeStatus},
    id::PaymentId,
    money::{Currency, Money},
    rights,
};
use futures_util::FutureExt;
use http::StatusCode;
use serde_json::json;

use super::{
    body,
    edge::source_of,
    envelope::{Envelope, Media, json_answer},
    graphql::caller_of,
    web::Web,
};
use wish::Wish;

/// The largest body. Unit: bytes.
const BODY: usize = 16 * 1024;
/// How long a merchant has to respond when the desk does not say.
const RESPOND_WITHIN: Duration = Duration::from_hours(7 * 24);

/// `POST /sandbox/disputes`: opens a dispute.
pub(super) async fn open(State(web): State<Arc<Web>>, request: Request) -> Response {
    let done = opened(&web, request).boxed().await;
    answer(done)
}

/// `POST /sandbox/disputes/{id}`: moves the dispute with this id of the simulator's on.
pub(super) async fn move_on(
    State(web): State<Arc<Web>>,
    id: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let Ok(Path(id)) = id else {
        return Envelope::malformed(Code::Validation, "The address has a broken escape.")
            .answer(Media::Json);
    };
    let done = moved(&web, &id, request).boxed().await;
    answer(done)
}

fn answer(done: Result<String, Envelope>) -> Response {
    match done {
        Ok(id) => {
            let answer = json!({"sourceDisputeId": id}).to_string();
            json_answer(StatusCode::OK, "desk", answer)
        }
        Err(envelope) => envelope.answer(Media::Json),
    }
}

async fn opened(web: &Arc<Web>, request: Request) -> Result<String, Envelope> {
    let (wish, team) = wish(web, request).await?;
    let id = wish.payment_id.as_deref().and_then(PaymentId::parse);
    let id = id.ok_or_else(|| refused("paymentId", "must be a payment's id"))?;
    let payment = web.service.engine.sandbox_payment(team, id).await;
    let payment =
        payment.map_err(|fault| Envelope::of(fault).with_status(StatusCode::NOT_FOUND))?;
    let attempt = payment
        .authorisation()
        .ok_or_else(|| refused("paymentId", "must be of a payment that is authorised"))?;
    let reference = match payment.imported() {
        Some(imported) => connectors::simulator::reference_of(&imported.processor_id),
        None => Some(Reference::new(id, attempt.n)),
    };
    let reference =
        reference.ok_or_else(|| refused("paymentId", "must be of a payment at the simulator"))?;
    let now = web.world.now();
    let stage = wish.lifecycle_stage.unwrap_or(DisputeStage::Chargeback);
    let first = DisputeState {
        from: now,
        status: wish.status.unwrap_or(DisputeStatus::NeedsResponse),
        stage,
        reason: wish.reason.unwrap_or(DisputeReason::Fraud),
        money: money(&wish, payment.money())?,
        respond_by: Some(respond_by(&wish)?.unwrap_or(now.after(RESPOND_WITHIN))),
    };
    let open = |entry: &mut Entry| Some(entry.open_dispute(first.clone()));
    changed(web, &reference, open).await
}

async fn moved(web: &Arc<Web>, id: &str, request: Request) -> Result<String, Envelope> {
    let (wish, team) = wish(web, request).await?;
    let reference = connectors::simulator::reference_of_dispute(id);
    let reference = reference.and_then(Reference::parse);
    let Some((payment, n)) = reference else {
        return Err(Envelope::of(not_found()).with_status(StatusCode::NOT_FOUND));
    };
    let payment = web.service.engine.sandbox_payment(team, payment).await;
    let payment =
        payment.map_err(|_| Envelope::of(not_found()).with_status(StatusCode::NOT_FOUND))?;
    let reference = Reference::new(payment.id(), n);
    let (now, respond_by) = (web.world.now(), respond_by(&wish)?);
    let amount = money(&wish, payment.money())?;
    let has_amount = wish.amount.is_some() || wish.currency_code.is_some();
    let next = |entry: &mut Entry| {
        let dispute = entry.disputes.iter().find(|one| one.id == id)?;
        let last = dispute.last()?.clone();
        let state = DisputeState {
            from: now,
            status: wish.status.unwrap_or(last.status),
            stage: wish.lifecycle_stage.unwrap_or(last.stage),
            reason: wish.reason.unwrap_or(last.reason),
            money: if has_amount { amount } else { last.money },
            respond_by: respond_by.or(last.respond_by),
        };
        entry.move_dispute(id, state).then(|| id.to_owned())
    };
    changed(web, &reference, next).await
}

/// Changes an entry of the books. `change` returns the dispute's id.
async fn changed(
    web: &Web,
    reference: &Reference,
    change: impl Fn(&mut Entry) -> Option<String>,
) -> Result<String, Envelope> {
    let Some(sandbox) = &web.service.sandbox else {
        return Err(Envelope::of(Fault::unavailable()));
    };
    let changed = sandbox.simulator.change_entry(reference, change).await;
    match changed {
        Ok(Some(id)) => Ok(id),
        Ok(None) => Err(Envelope::of(not_found()).with_status(StatusCode::NOT_FOUND)),
        Err(error) => {
            tracing::warn!(%error, "the simulator's books can't be changed");
            Err(Envelope::of(Fault::unavailable()))
        }
    }
}

/// What is wanted, and by which team.
async fn wish(web: &Arc<Web>, request: Request) -> Result<(Wish, domain::id::TeamId), Envelope> {
    let source = source_of(&request, &web.rules.trusted_proxies);
    let caller = caller_of(web, request.headers(), source, None).await?;
    let permitted = web.service.engine.permit(&caller, rights::DESK.name);
    permitted.map_err(|fault| Envelope::of(fault).with_status(StatusCode::FORBIDDEN))?;
    let bytes = body::read(request.into_body(), BODY).await?;
    Ok((Wish::read(&bytes)?, caller.team))
}

fn money(wish: &Wish, whole: Money) -> Result<Money, Envelope> {
    let currency = match wish.currency_code.as_deref() {
        None => whole.currency(),
        Some(code) => Currency::parse(code)
            .ok_or_else(|| refused("currencyCode", "must be a currency of ISO 4217 in capitals"))?,
    };
    match wish.amount.unwrap_or(whole.minor()) {
        minor if minor > 0 => Ok(Money::new(minor, currency)),
        _ => Err(refused("amount", "must be greater than zero")),
    }
}

fn respond_by(wish: &Wish) -> Result<Option<Timestamp>, Envelope> {
    let text = wish.response_date.as_deref();
    text.map(|text| date(text, "responseDate")).transpose()
}

/// A time as the desk is given it.
pub(super) fn date(text: &str, field: &str) -> Result<Timestamp, Envelope> {
    let read = Timestamp::parse(text);
    read.ok_or_else(|| refused(field, "must be a time such as 2026-01-31T09:30:00Z"))
}

pub(super) fn refused(field: &str, rule: &str) -> Envelope {
    Envelope::of(Fault::invalid(field, rule)).with_status(StatusCode::BAD_REQUEST)
}

fn not_found() -> Fault {
    engine::faults::dispute_not_found()
}
