//! Disputes, one by one and in lists.

use domain::Fault;
use engine::{DisputeView, ListDisputes, Response, Scope};

use super::{
    evidence::EvidenceObject,
    inputs, respond,
    views::{DisputeObject, TIMELINE},
};
use crate::{
    attachments::views::OF_DISPUTE,
    executor::{Answer, Arguments, Out, object},
    operations::{Call, Operation, plain},
    shared::{Connection, PageFacts, Wanted, ids},
};

/// The operations.
pub(crate) const OPERATIONS: &[Operation] = &[
    Operation::plain("getDispute", |call, given| plain(get(call, given))),
    Operation::plain("listDisputes", |call, given| plain(list(call, given))),
    Operation::plain("disputeEvidence", |call, given| {
        plain(evidence(call, given))
    }),
    Operation::keyed("submitDisputeEvidence", |call, given| {
        Box::pin(submit(call, given))
    }),
    Operation::keyed("acceptDispute", |call, given| Box::pin(accept(call, given))),
];

async fn get(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let id = ids::dispute(ids::argument(&arguments.coerced?, "id"))?;
    let view = call.engine.dispute(call.caller, id).await?;
    shown(call, view).await
}

/// The dispute as an object.
pub(crate) async fn shown(call: Call<'_>, view: DisputeView) -> Result<Out<'static>, Fault> {
    let mut view = if call.look.selects(TIMELINE) {
        call.engine.with_dispute_timeline(view).await?
    } else {
        view
    };
    with_attachments(call, std::slice::from_mut(&mut view)).await?;
    Ok(object(DisputeObject(view)))
}

/// Adds the files of disputes, where they are selected.
pub(crate) async fn with_attachments(
    call: Call<'_>,
    views: &mut [DisputeView],
) -> Result<(), Fault> {
    if !call.look.selects(OF_DISPUTE) {
        return Ok(());
    }
    let team = call.caller.team;
    call.engine.with_dispute_attachments(team, views).await
}

/// The answer to a response. What was done stays done when the rest of it can't be read.
async fn answered(call: Call<'_>, response: Response<DisputeView>) -> Answer {
    let result = match response.result {
        Ok(view) => {
            let id = view.dispute.id();
            let shown = shown(call, view).await;
            shown.map_err(|_| Fault::unconfirmed(id))
        }
        Err(fault) => Err(fault),
    };
    Answer {
        result,
        replayed: response.replayed,
    }
}

async fn submit(call: Call<'_>, arguments: Arguments<'_>) -> Answer {
    let once = call.once(Scope::SubmitEvidence, &arguments);
    let parsed = arguments.coerced.and_then(respond::parse_evidence);
    let response = call.engine.submit_evidence(call.caller, once, parsed).await;
    answered(call, response).await
}

async fn accept(call: Call<'_>, arguments: Arguments<'_>) -> Answer {
    let once = call.once(Scope::AcceptDispute, &arguments);
    let parsed = arguments
        .coerced
        .and_then(|given| respond::parse_acceptance(&given));
    let response = call.engine.accept_dispute(call.caller, once, parsed).await;
    answered(call, response).await
}

async fn list(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let inputs::Wanted {
        page,
        conditions,
        sort,
    } = arguments.coerced.and_then(inputs::parse)?;
    let after = page.after().map(str::to_owned);
    let facts = Wanted::of(call.look);
    let list = ListDisputes {
        page,
        conditions,
        sort,
        want_total: facts.total,
        want_timeline: call.look.selects(TIMELINE),
    };
    let found = call.engine.disputes(call.caller, list).await?;
    let (cursors, mut views): (Vec<String>, Vec<DisputeView>) = found.views.into_iter().unzip();
    with_attachments(call, &mut views).await?;
    let rows = cursors.into_iter().zip(views);
    Ok(object(Connection {
        rows: rows
            .map(|(cursor, view)| (cursor, DisputeObject(view)))
            .collect(),
        facts: PageFacts {
            has_next: found.has_next,
            has_previous: found.has_previous,
            total: found.total,
            settled_until: None,
            after,
        },
    }))
}

async fn evidence(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let id = ids::dispute(ids::argument(&arguments.coerced?, "id"))?;
    let found = call.engine.dispute_evidence(call.caller, id).await?;
    Ok(object(EvidenceObject(found)))
}
