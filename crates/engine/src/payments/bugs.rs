//! Planted bugs: each stands in for the function whose attribute names it, on a thread that was given it. The function as it is bears the
//! prefix `unplanted_`.
#![allow(
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    clippy::unused_async,
    reason = "each has the shape of what it stands in for"
)]

use std::time::Duration;

use connector::Reference;
use db::{Change, Statement};
use domain::{
    Fault,
    answer::LaterAnswer,
    caller::Caller,
    id::PaymentId,
    money::Money,
    payment::{CancelCause, News, Operation, OperationKind, Payment, Source, Status},
};

use super::{
    PaymentView,
    checkout::{self, Blocked, Guard},
    effects,
    settle::Report,
};
use crate::{Engine, commit::CommitParts, faults::EngineError, request::Request};

/// Added to the number of an operation: a reference that was never committed.
const OTHER: u32 = 100;

/// For `Engine::known_or`.
pub(super) async fn name_no_payment(
    _: &Engine,
    _: &Request,
    _: Fault,
) -> Result<PaymentView, EngineError> {
    Err(Fault::unavailable().into())
}

/// For `Engine::settle_kept`: the last operation, whichever was called.
pub(super) async fn settle_last(
    engine: &Engine,
    payment: Payment,
    mut report: Report,
) -> Result<Payment, EngineError> {
    if report.source != Source::Call {
        return engine.unplanted_settle_kept(payment, report).await;
    }
    let payment = engine.load(payment.team(), payment.id()).await?;
    report.n = payment
        .operations()
        .last()
        .map_or(report.n, |operation| operation.n);
    engine.unplanted_settle_kept(payment, report).await
}

/// For `effects::frees_checkout`.
pub(super) fn frees_while_unknown(payment: &Payment) -> bool {
    payment.status() == Status::NoAnswerFromPsp || effects::unplanted_frees_checkout(payment)
}

/// For `effects::frees_checkout`.
pub(super) const fn frees_never(_: &Payment) -> bool {
    false
}

/// For `Engine::call`.
pub(super) async fn let_the_timer_cancel(
    engine: &Engine,
    payment: &Payment,
    n: u32,
) -> Result<News, EngineError> {
    let lifetime = OperationKind::Cancel {
        cause: CancelCause::Lifetime,
    };
    if payment
        .operation(n)
        .is_some_and(|operation| operation.kind == lifetime)
    {
        return Ok(News::Later(LaterAnswer::Done {
            processor_id: None,
            booked: None,
        }));
    }
    engine.unplanted_call(payment, n).await
}

/// For `Engine::call`.
pub(super) async fn take_silence_for_failure(
    engine: &Engine,
    payment: &Payment,
    n: u32,
) -> Result<News, EngineError> {
    Ok(match engine.unplanted_call(payment, n).await? {
        News::NoAnswer(_) => News::Nothing("the processor gave no answer".to_owned()),
        news => news,
    })
}

/// For `Engine::call`.
pub(super) async fn send_again_under_new_reference(
    engine: &Engine,
    payment: &Payment,
    n: u32,
) -> Result<News, EngineError> {
    let news = engine.unplanted_call(payment, n).await?;
    let is_unanswered = matches!(news, News::NoAnswer(_));
    if !is_unanswered {
        return Ok(news);
    }
    let again = n.saturating_add(OTHER);
    let send_by = engine.inner.world.now().after(Duration::from_mins(1));
    let other = payment.with_copy_of(n, again, send_by);
    engine.unplanted_call(&other, again).await
}

/// For `Engine::is_past_sending`.
pub(super) const fn never_too_late(_: &Engine, _: &Operation) -> bool {
    false
}

/// For `call::money_of`.
pub(super) fn whole_money(payment: &Payment, operation: &Operation) -> Money {
    if operation.kind == OperationKind::Capture {
        payment.money()
    } else {
        super::send::unplanted_money_of(payment, operation)
    }
}

/// For `checkout::first_statements`.
pub(super) fn claim_no_token(
    caller: &Caller,
    payment: &Payment,
    single_use: Vec<Statement>,
    live: bool,
) -> Vec<(Guard, Statement)> {
    let mut statements = checkout::unplanted_first_statements(caller, payment, single_use, live);
    statements.retain(|(guard, _)| *guard != Guard::Client);
    statements
}

/// For `checkout::first_statements`.
pub(super) fn claim_no_intent(
    caller: &Caller,
    payment: &Payment,
    single_use: Vec<Statement>,
    live: bool,
) -> Vec<(Guard, Statement)> {
    let mut statements = checkout::unplanted_first_statements(caller, payment, single_use, live);
    statements.retain(|(guard, _)| *guard != Guard::Intent);
    statements
}

/// For `Engine::make_way`: what waits is not given up.
pub(super) async fn free_at_once(
    engine: &Engine,
    caller: &Caller,
    holder: PaymentId,
) -> Result<Blocked, EngineError> {
    let waits = store::payment::of_team(&engine.inner.store, caller.team, holder)
        .await?
        .filter(|older| older.waiting_attempt().is_some());
    let Some(older) = waits else {
        return engine.unplanted_make_way(caller, holder).await;
    };
    let mut freed = CommitParts::default();
    effects::free_checkout(&older, &mut freed);
    let change = Change::new(engine.change_id(), &holder.key());
    let change = freed.statements.into_iter().fold(change, Change::with);
    engine.commit_plain(change).await?;
    Ok(Blocked::Freed)
}

/// For `Engine::is_paid_otherwise`.
pub(super) async fn never_paid_otherwise(_: &Engine, _: &Payment) -> Result<bool, EngineError> {
    Ok(false)
}

/// For `look_up::reference_of`.
pub(super) fn unsent_reference(payment: &Payment, n: u32) -> Reference {
    Reference::new(payment.id(), n.saturating_add(OTHER))
}
