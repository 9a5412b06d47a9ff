//! Making, listing and ending payment links.

use domain::{Fault, id::LinkId};
use engine::Scope;

use super::{
    inputs,
    views::{PAYMENTS, PaymentLinkObject},
};
use crate::{
    executor::{Answer, Arguments, Out, object},
    operations::{Call, Operation, done, plain},
    shared::{Connection, PageFacts, ids},
};

/// The operations.
pub(crate) const OPERATIONS: &[Operation] = &[
    Operation::keyed("createPaymentLink", |call, given| {
        Box::pin(create(call, given))
    }),
    Operation::plain("endPaymentLink", |call, given| plain(end(call, given))),
    Operation::plain("getPaymentLink", |call, given| plain(get(call, given))),
    Operation::plain("listPaymentLinks", |call, given| plain(list(call, given))),
];

async fn create(call: Call<'_>, arguments: Arguments<'_>) -> Answer {
    let once = call.once(|_| Scope::CreateLink, &arguments);
    let parsed = arguments.coerced.and_then(inputs::create);
    let response = call
        .engine
        .create_payment_link(call.caller, once, parsed)
        .await;
    // Nobody has paid by it yet.
    let shown = |link| {
        object(PaymentLinkObject(engine::PaymentLinkView {
            payments: Some(Vec::new()),
            ..link
        }))
    };
    Answer {
        result: response.result.map(shown),
        replayed: response.replayed,
    }
}

async fn end(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let id = id(&arguments)?;
    done(call.engine.end_payment_link(call.caller, id).await)
}

async fn get(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let id = id(&arguments)?;
    let mut link = call.engine.payment_link(call.caller, id).await?;
    if call.look.selects(PAYMENTS) {
        link = call.engine.with_payments_by_link(link).await?;
    }
    Ok(object(PaymentLinkObject(link)))
}

async fn list(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let page = arguments.coerced.and_then(inputs::list)?;
    let found = call.engine.payment_links(call.caller, &page).await?;
    let rows = found.views.into_iter();
    Ok(object(Connection {
        rows: rows
            .map(|(cursor, link)| (cursor, PaymentLinkObject(link)))
            .collect(),
        facts: PageFacts {
            has_next: found.has_next,
            has_previous: found.has_previous,
            total: None,
            settled_until: None,
            after: None,
        },
    }))
}

/// The link's id. A text that can't be one names no link.
fn id(arguments: &Arguments<'_>) -> Result<LinkId, Fault> {
    let given = arguments.coerced.clone()?;
    LinkId::parse(ids::argument(&given, "id")).ok_or_else(engine::no_such_link)
}
