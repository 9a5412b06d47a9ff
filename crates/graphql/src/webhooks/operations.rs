//! Webhook endpoints and what is sent to them.

use domain::Fault;

use super::{
    inputs,
    views::{DeliveryObject, EndpointObject},
};
use crate::{
    executor::{Arguments, Out, object},
    operations::{Call, Operation, done, plain},
    shared::{Connection, PageFacts, ids},
};

/// The operations.
pub(crate) const OPERATIONS: &[Operation] = &[
    Operation::plain("listWebhookEndpoints", |call, _| plain(list(call))),
    Operation::plain("saveWebhookEndpoint", |call, given| {
        plain(save(call, given))
    }),
    Operation::plain("rotateWebhookSecret", |call, given| {
        plain(rotate(call, given))
    }),
    Operation::plain("deleteWebhookEndpoint", |call, given| {
        plain(delete(call, given))
    }),
    Operation::plain("listWebhookDeliveries", |call, given| {
        plain(list_deliveries(call, given))
    }),
    Operation::plain("sendTestEvent", |call, given| plain(send_test(call, given))),
    Operation::plain("resendEvents", |call, given| plain(resend(call, given))),
];

async fn list(call: Call<'_>) -> Result<Out<'static>, Fault> {
    let endpoints = call.engine.endpoints(call.caller).await?;
    let objects = endpoints.into_iter().map(|one| object(EndpointObject(one)));
    Ok(Out::List(objects.collect()))
}

async fn save(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let command = arguments.coerced.and_then(inputs::save)?;
    let saved = call.engine.save_endpoint(call.caller, command).await?;
    Ok(object(EndpointObject(saved)))
}

async fn rotate(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let id = inputs::endpoint(ids::argument(&arguments.coerced?, "id"), "id")?;
    let rotated = call.engine.rotate_endpoint_secret(call.caller, id).await?;
    Ok(object(EndpointObject(rotated)))
}

async fn delete(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let id = inputs::endpoint(ids::argument(&arguments.coerced?, "id"), "id")?;
    done(call.engine.delete_endpoint(call.caller, id).await)
}

async fn list_deliveries(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let list = arguments.coerced.and_then(inputs::deliveries)?;
    let after = list.page.after().map(str::to_owned);
    let found = call.engine.deliveries(call.caller, list).await?;
    let rows = found.deliveries.into_iter();
    Ok(object(Connection {
        rows: rows
            .map(|(cursor, delivery)| (cursor, DeliveryObject(delivery)))
            .collect(),
        facts: PageFacts {
            has_next: found.has_next,
            has_previous: after.is_some(),
            total: None,
            settled_until: None,
            after,
        },
    }))
}

async fn send_test(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let text = arguments.coerced?;
    let id = inputs::endpoint(ids::argument(&text, "endpointId"), "endpointId")?;
    let delivery = call.engine.send_test_event(call.caller, id).await?;
    Ok(object(DeliveryObject(delivery)))
}

async fn resend(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let resend = arguments.coerced.and_then(inputs::resend)?;
    let sent = call.engine.resend_events(call.caller, resend).await?;
    Ok(i64::try_from(sent).unwrap_or(i64::MAX).into())
}
