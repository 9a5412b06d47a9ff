//! Connections.

use domain::Fault;

use super::{
    inputs,
    views::{ConnectionObject, ProcessorObject, TestObject},
};
use crate::{
    executor::{Arguments, Out, object},
    operations::{Call, Operation, done, plain, ready},
    shared::ids,
};

/// The operations.
pub(crate) const OPERATIONS: &[Operation] = &[
    Operation::plain("listConnections", |call, _| plain(list(call))),
    Operation::plain("listProcessors", |call, _| ready(Ok(processors(&call)))),
    Operation::plain("testConnection", |call, given| plain(test(call, given))),
    Operation::plain("rotateConnection", |call, given| plain(rotate(call, given))),
    Operation::plain("registerNotifications", |call, given| {
        plain(register(call, given))
    }),
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

fn processors(call: &Call<'_>) -> Out<'static> {
    let processors = call.engine.processors().into_iter();
    Out::List(processors.map(|one| object(ProcessorObject(one))).collect())
}

async fn test(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let id = ids::connection(ids::argument(&arguments.coerced?, "id"))?;
    let test = call.engine.test_connection(call.caller, &id).await?;
    Ok(object(TestObject(test)))
}

async fn rotate(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let command = arguments.coerced.and_then(inputs::rotation)?;
    let rotated = call.engine.rotate_connection(call.caller, command).await?;
    Ok(object(ConnectionObject(rotated)))
}

async fn register(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let id = ids::connection(ids::argument(&arguments.coerced?, "id"))?;
    let registered = call.engine.register_notifications(call.caller, &id).await?;
    Ok(object(ConnectionObject(registered)))
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
