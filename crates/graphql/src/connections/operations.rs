//! Connections.

use domain::Fault;

use super::{inputs, views::ConnectionObject};
use crate::{
    executor::{Arguments, Out, object},
    operations::{Call, Operation, done, plain},
    shared::ids,
};

/// The operations.
pub(crate) const OPERATIONS: &[Operation] = &[
    Operation::plain("listConnections", |call, _| plain(list(call))),
    Operation::plain("saveConnection", |call, given| plain(save(call, given))),
    Operation::plain("enableConnection", |call, given| plain(enable(call, given))),
    Operation::plain("disableConnection", |call, given| {
        plain(disable(call, given))
    }),
    Operation::plain("deleteConnection", |call, given| plain(delete(call, given))),
];

async fn list(call: Call<'_>) -> Result<Out<'static>, Fault> {
    let connections = call.engine.list_connections(call.caller).await?;
    Ok(Out::List(
        connections
            .into_iter()
            .map(|connection| object(ConnectionObject(connection)))
            .collect(),
    ))
}

async fn save(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let command = arguments.coerced.and_then(inputs::parse)?;
    let saved = call.engine.save_connection(call.caller, command).await?;
    Ok(object(ConnectionObject(saved)))
}

async fn enable(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let id = ids::connection(ids::argument(&arguments.coerced?, "id"))?;
    done(call.engine.enable_connection(call.caller, &id).await)
}

async fn disable(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let id = ids::connection(ids::argument(&arguments.coerced?, "id"))?;
    done(call.engine.disable_connection(call.caller, &id).await)
}

async fn delete(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let id = ids::connection(ids::argument(&arguments.coerced?, "id"))?;
    done(call.engine.delete_connection(call.caller, &id).await)
}
