//! What processors sent by themselves.

use domain::{Fault, Faults, page::Page};
use engine::ListNotifications;
use serde_json::{Map, Value};

use super::views::NotificationObject;
use crate::{
    executor::{Arguments, Out, object},
    operations::{Call, Operation, plain},
    shared::{Blank, Connection, PageFacts, Reader, ids},
};

/// The operations.
pub(crate) const OPERATIONS: &[Operation] =
    &[Operation::plain("listNotifications", |call, given| {
        plain(list(call, given))
    })];

async fn list(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let list = arguments.coerced.and_then(parse)?;
    let after = list.page.after().map(str::to_owned);
    let found = call.engine.notifications(call.caller, list).await?;
    let rows = found.rows.into_iter();
    Ok(object(Connection {
        rows: rows
            .map(|(cursor, one)| (cursor, NotificationObject(one)))
            .collect(),
        facts: PageFacts {
            has_next: found.has_next,
            has_previous: found.has_previous,
            total: None,
            settled_until: None,
            after,
        },
    }))
}

/// Errors: `error.validation`; `error.connection.not-found` for what can't be a connection's id.
fn parse(arguments: Map<String, Value>) -> Result<ListNotifications, Fault> {
    let mut reader = Reader::new(arguments, Blank::Absent);
    let mut faults = Faults::default();
    let connection = reader.raw("connectionId");
    let connection = connection.as_deref().map(ids::connection).transpose()?;
    let (first, after) = (reader.int("first"), reader.raw("after"));
    let first = faults.or_default(first);
    let page = faults.good(Page::parse(first, after, None, None));
    faults.end(page.map(|page| ListNotifications { page, connection }))
}
