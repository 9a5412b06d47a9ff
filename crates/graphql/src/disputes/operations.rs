//! Disputes, one by one and in lists.

use domain::Fault;
use engine::{DisputeView, ListDisputes};

use super::{
    evidence::EvidenceObject,
    inputs,
    views::{DisputeObject, TIMELINE},
};
use crate::{
    executor::{Arguments, Out, object},
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
];

async fn get(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let id = ids::dispute(ids::argument(&arguments.coerced?, "id"))?;
    let view = call.engine.dispute(call.caller, id).await?;
    shown(call, view).await
}

/// The dispute as an object.
pub(crate) async fn shown(call: Call<'_>, view: DisputeView) -> Result<Out<'static>, Fault> {
    let view = if call.look.selects(TIMELINE) {
        call.engine.with_dispute_timeline(view).await?
    } else {
        view
    };
    Ok(object(DisputeObject(view)))
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
    let rows = found.views.into_iter();
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
