//! Intents, one by one and in lists.

use domain::Fault;
use engine::{IntentView, ListIntents};

use super::{
    inputs::{complete, list, start, update},
    views::{IntentObject, OF_PAYMENTS},
};
use crate::{
    executor::{Arguments, Out, object},
    operations::{Call, Operation, plain},
    shared::{Connection, PageFacts, Wanted, ids},
};

/// The operations.
pub(crate) const OPERATIONS: &[Operation] = &[
    Operation::plain("startIntent", |call, given| plain(start(call, given))).storing(),
    Operation::plain("updateIntent", |call, given| plain(update(call, given))).storing(),
    Operation::plain("completeIntent", |call, given| plain(complete(call, given))),
    Operation::plain("getIntent", |call, given| plain(get(call, given))),
    Operation::plain("optimise", |call, given| plain(optimise(call, given))),
    Operation::plain("listIntents", |call, given| plain(list(call, given))),
];

async fn start(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let command = arguments.coerced.and_then(start::parse)?;
    shown(call, call.engine.start_intent(call.caller, command).await?).await
}

async fn update(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let command = arguments.coerced.and_then(update::parse)?;
    shown(call, call.engine.update_intent(call.caller, command).await?).await
}

async fn complete(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let (id, reference) = arguments.coerced.and_then(complete::parse)?;
    let view = call
        .engine
        .complete_intent(call.caller, id, reference)
        .await?;
    shown(call, view).await
}

async fn get(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let id = ids::intent(ids::argument(&arguments.coerced?, "id"))?;
    shown(call, call.engine.intent(call.caller, id).await?).await
}

async fn optimise(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let id = ids::intent(ids::argument(&arguments.coerced?, "intentId"))?;
    let methods = call.engine.optimise(call.caller, id).await?;
    Ok(methods
        .into_iter()
        .map(domain::method::Method::code)
        .collect::<Vec<_>>()
        .into())
}

async fn list(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let list::Wanted {
        page,
        order,
        statuses,
        tracking_id,
    } = arguments.coerced.and_then(list::parse)?;
    let after = page.after().map(str::to_owned);
    let facts = Wanted::of(call.look);
    let list = ListIntents {
        page,
        order,
        statuses,
        tracking_id,
        want_total: facts.total,
        want_settled: facts.settled,
        want_payments: wants_payments(call),
    };
    let found = call.engine.intents(call.caller, list).await?;
    let rows = found.views.into_iter();
    Ok(object(Connection {
        rows: rows
            .map(|(cursor, view)| (cursor, of_view(call, view)))
            .collect(),
        facts: PageFacts {
            has_next: found.has_next,
            has_previous: found.has_previous,
            total: found.total,
            settled_until: found.settled_until,
            after,
        },
    }))
}

/// The intent as an object.
pub(crate) async fn shown(call: Call<'_>, view: IntentView) -> Result<Out<'static>, Fault> {
    let view = if wants_payments(call) {
        call.engine.with_payments(view).await?
    } else {
        view
    };
    Ok(object(of_view(call, view)))
}

fn wants_payments(call: Call<'_>) -> bool {
    OF_PAYMENTS
        .into_iter()
        .any(|field| call.look.selects(field))
}

fn of_view(call: Call<'_>, view: IntentView) -> IntentObject {
    IntentObject {
        intent: view.intent,
        payments: view.payments.unwrap_or_default(),
        sight: call.sight(),
    }
}
