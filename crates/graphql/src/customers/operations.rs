//! Customers, one by one and in lists.

use domain::Fault;
use engine::{ListCustomers, Scope};

use super::{
    inputs::{create, list, update},
    views::CustomerObject,
};
use crate::{
    executor::{Answer, Arguments, Out, object},
    operations::{Call, Operation, done, plain},
    shared::{Connection, PageFacts, Wanted, ids, note_number},
};

/// The operations.
pub(crate) const OPERATIONS: &[Operation] = &[
    Operation::keyed("createCustomer", |call, given| {
        Box::pin(create(call, given))
    })
    .storing(),
    Operation::plain("updateCustomer", |call, given| plain(update(call, given))),
    Operation::plain("deleteCustomer", |call, given| plain(delete(call, given))),
    Operation::plain("getCustomer", |call, given| plain(get(call, given))),
    Operation::plain("listCustomers", |call, given| plain(list(call, given))),
];

async fn create(call: Call<'_>, arguments: Arguments<'_>) -> Answer {
    let mut once = call.once(|_| Scope::CreateCustomer, &arguments);
    let parsed = arguments
        .coerced
        .and_then(|given| create::parse(given, call.caller.mode));
    note_number(&mut once, &parsed, "/data");
    let response = call.engine.create_customer(call.caller, once, parsed).await;
    Answer {
        result: response.result.map(|id| id.to_string().into()),
        replayed: response.replayed,
    }
}

async fn update(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let (id, patch) = arguments.coerced.and_then(update::parse)?;
    done(call.engine.update_customer(call.caller, id, patch).await)
}

async fn delete(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let id = ids::customer(ids::argument(&arguments.coerced?, "id"))?;
    done(call.engine.delete_customer(call.caller, id).await)
}

async fn get(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let id = ids::customer(ids::argument(&arguments.coerced?, "id"))?;
    let customer = call.engine.customer(call.caller, id).await?;
    Ok(object(CustomerObject(customer)))
}

async fn list(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let list::Wanted {
        page,
        order,
        email,
        name,
    } = arguments.coerced.and_then(list::parse)?;
    let after = page.after().map(str::to_owned);
    let facts = Wanted::of(call.look);
    let list = ListCustomers {
        page,
        order,
        email,
        name,
        want_total: facts.total,
        want_settled: facts.settled,
    };
    let found = call.engine.customers(call.caller, list).await?;
    let rows = found.customers.into_iter();
    Ok(object(Connection {
        rows: rows
            .map(|(cursor, customer)| (cursor, CustomerObject(customer)))
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
