//! Events for merchants.

use domain::Fault;
use engine::{After, Followed};
use futures_util::{FutureExt as _, StreamExt as _, stream};

use super::{inputs, views::EventObject};
use crate::{
    executor::{Arguments, Item, Items, Out, object},
    operations::{Call, Operation, plain},
    shared::{Connection, PageFacts},
};

/// The operations.
pub(crate) const OPERATIONS: &[Operation] = &[
    Operation::plain("listEvents", |call, given| plain(list(call, given))),
    Operation::stream("events", |call, given| follow(call, given).boxed()),
];

async fn list(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let list = arguments.coerced.and_then(inputs::list)?;
    let has_previous = list.after.is_some();
    let found = call.engine.events(call.caller, list).await?;
    let rows = found.events.into_iter();
    Ok(object(Connection {
        rows: rows
            .map(|(cursor, event)| (cursor, EventObject(event)))
            .collect(),
        facts: PageFacts {
            has_next: found.has_next,
            has_previous,
            total: None,
            settled_until: None,
            after: found.end,
        },
    }))
}

/// Events as they come, each with its cursor. The one that the client has had last counts more than the argument: it is where a connection that
/// broke goes on.
async fn follow<'a>(call: Call<'a>, arguments: Arguments<'a>) -> Result<Items<'a>, Fault> {
    let wanted = arguments.coerced.and_then(inputs::follow)?;
    let last = call.last_place.map(|cursor| After {
        cursor,
        field: "Last-Event-ID",
    });
    let given = wanted.after.as_deref().map(|cursor| After {
        cursor,
        field: "after",
    });
    let followed = call
        .engine
        .follow_events(call.caller, last.or(given), wanted.kinds)
        .await?;
    let items = stream::unfold(followed, async |mut followed| {
        let item = match followed.next().await {
            Followed::Event(cursor, event) => Item {
                place: Some(cursor),
                result: Some(Ok(object(EventObject(event)))),
            },
            Followed::Place(cursor) => Item {
                place: Some(cursor),
                result: None,
            },
        };
        Some((item, followed))
    });
    Ok(items.boxed())
}
