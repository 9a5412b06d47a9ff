//! Events for merchants.

use domain::Fault;

use super::{inputs, views::EventObject};
use crate::{
    executor::{Arguments, Out, object},
    operations::{Call, Operation, plain},
    shared::{Connection, PageFacts},
};

/// The operations.
pub(crate) const OPERATIONS: &[Operation] = &[Operation::plain("listEvents", |call, given| {
    plain(list(call, given))
})];

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
