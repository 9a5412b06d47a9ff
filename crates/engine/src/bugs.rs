//! Planted bugs: each stands in for the function whose attribute names it, on a thread that was given it. The function as it is bears the
//! prefix `unplanted_`.
#![allow(
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    clippy::unused_async,
    reason = "each has the shape of what it stands in for"
)]

use connector::Reference;
use db::{Change, Committed, Statement};
use domain::{
    Fault, Timestamp,
    dispute::{Absence, Dispute, ResponseNews},
    id::TeamId,
    payment::{ImportMode, Occurrence, OperationState, Payment},
    webhook::Attempt,
};
use store::{Part, feed::FeedPosition};

use crate::{
    Engine,
    commit::{CommitParts, Ended, Failed},
    events::EventCursor,
    faults::EngineError,
    idempotency::{NamedVersion, payment_response},
    payments::Connected,
    settled::Reading,
    webhooks::Letter,
};

/// For `EventCursor::has_read`.
pub(crate) fn read_whole_commit(cursor: &EventCursor, place: &FeedPosition, _: usize) -> bool {
    *place == cursor.place
}

/// For `Engine::settled`.
pub(crate) async fn show_unsettled(
    engine: &Engine,
    part: &mut Part,
    reading: Reading,
) -> Result<Option<Timestamp>, Fault> {
    let until = part.until;
    let settled = engine.unplanted_settled(part, reading).await?;
    part.until = until;
    Ok(settled)
}

/// For `Engine::commit_payment`.
pub(crate) async fn take_key_after_payment(
    engine: &Engine,
    payment: &Payment,
    lines: &[Occurrence],
    mut parts: CommitParts,
) -> Result<Ended, EngineError> {
    let claim = parts.claim.take();
    let ended = engine
        .unplanted_commit_payment(payment, lines, parts)
        .await?;
    let Some(claim) = claim.filter(|_| ended == Ended::Done) else {
        return Ok(ended);
    };
    let change = Change::new(engine.change_id(), &payment.id().key()).with(claim);
    let refused = engine.commit_plain(change).await?;
    Ok(refused.map_or(Ended::Done, |_| Ended::Taken))
}

/// For `Engine::commit_payment`.
pub(crate) async fn send_before_commit(
    engine: &Engine,
    payment: &Payment,
    lines: &[Occurrence],
    parts: CommitParts,
) -> Result<Ended, EngineError> {
    let first = payment
        .attempt()
        .filter(|attempt| payment.version() == 1 && attempt.state == OperationState::Sent);
    if let Some(attempt) = first {
        drop(Box::pin(engine.call(payment, attempt.n)).await);
    }
    engine.unplanted_commit_payment(payment, lines, parts).await
}

/// For `Engine::committed`.
pub(crate) async fn take_unknown_for_done(
    engine: &Engine,
    change: Change,
    team: TeamId,
    stream: &str,
    seq: u64,
) -> Result<Option<usize>, Failed> {
    Ok(commit_once(engine, change, team, stream, seq)
        .await?
        .unwrap_or(None))
}

/// For `Engine::committed`: as if the payment's statement had been refused.
pub(crate) async fn take_unknown_for_refused(
    engine: &Engine,
    change: Change,
    team: TeamId,
    stream: &str,
    seq: u64,
) -> Result<Option<usize>, Failed> {
    Ok(commit_once(engine, change, team, stream, seq)
        .await?
        .unwrap_or(Some(1)))
}

/// The statement that was refused, if one was; `None` when the commit had no answer.
async fn commit_once(
    engine: &Engine,
    change: Change,
    team: TeamId,
    stream: &str,
    seq: u64,
) -> Result<Option<Option<usize>>, Failed> {
    let id = change.id;
    let store = &engine.inner.store;
    match store.commit(change).await? {
        Committed::Done => Ok(Some(None)),
        Committed::Unknown => Ok(None),
        Committed::Conflict { statement } => {
            let ours = store::event::was_written_by(store, team, stream, seq, id).await?;
            Ok(Some((!ours).then_some(statement)))
        }
    }
}

/// For `equality::is_same_request`.
pub(crate) const fn any_request(_: &str, _: &str) -> bool {
    true
}

/// For `Engine::respond_operation`.
pub(crate) const fn store_no_answer(_: &Engine, _: &mut Payment, _: u32, _: &mut CommitParts) {}

/// For `Engine::post`: every attempt has an id of its own.
pub(crate) async fn rename_message(engine: &Engine, letter: &Letter<'_>) -> Attempt {
    let id = format!("{}:{:016x}", letter.id, engine.inner.world.random());
    let renamed = Letter { id: &id, ..*letter };
    engine.unplanted_post(&renamed).await
}

/// For `Engine::look_for_response`: nobody is asked.
pub(crate) async fn look_for_no_response(
    engine: &Engine,
    _: &Dispute,
    _: &Connected,
    _: u32,
) -> Result<ResponseNews, EngineError> {
    Ok(ResponseNews::Absent(Absence {
        report: None,
        asked: engine.inner.world.now(),
        final_after: None,
    }))
}

/// For `disputes::respond::reference`: another one whenever it is sent.
pub(crate) fn reference_of_version(dispute: &Dispute, n: u32) -> Option<Reference> {
    let (key, version) = (dispute.id().key(), dispute.version());
    Reference::other(&format!("dispute-{key}-{n}-{version}"))
}

/// For `NamedVersion::kept`.
pub(crate) const fn keep_no_version(_: &NamedVersion, _: &Payment) -> Vec<Statement> {
    Vec::new()
}

/// For `NamedVersion::kept`.
pub(crate) fn keep_later_version(named: &NamedVersion, payment: &Payment) -> Vec<Statement> {
    named
        .with(payment_response(payment))
        .unplanted_kept(payment)
}

/// For `notifications::import::announces`.
pub(crate) const fn announce_any(_: ImportMode) -> bool {
    true
}
