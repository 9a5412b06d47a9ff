//! Flows, and the approvals that they wait for.

use domain::Fault;

use super::{
    inputs::{decide, save, try_out, version},
    views::{FlowObject, FlowTrialObject},
};
use crate::{
    executor::{Arguments, Out, object},
    operations::{Call, Operation, done, plain},
    shared::ids,
};

/// The operations.
pub(crate) const OPERATIONS: &[Operation] = &[
    Operation::plain("listFlows", |call, _| plain(list(call))),
    Operation::plain("getFlow", |call, given| plain(get(call, given))),
    Operation::plain("exportFlow", |call, given| plain(export(call, given))),
    Operation::plain("tryFlow", |call, given| plain(try_out(call, given))),
    Operation::plain("saveFlow", |call, given| plain(save(call, given))),
    Operation::plain("publishFlow", |call, given| plain(publish(call, given))),
    Operation::plain("setDefaultFlow", |call, given| {
        plain(set_default(call, given))
    }),
    Operation::plain("deleteFlow", |call, given| plain(delete(call, given))),
    Operation::plain("decideApproval", |call, given| plain(decide(call, given))),
];

async fn list(call: Call<'_>) -> Result<Out<'static>, Fault> {
    let flows = call.engine.list_flows(call.caller).await?;
    Ok(Out::List(
        flows
            .into_iter()
            .map(|flow| object(FlowObject(flow)))
            .collect(),
    ))
}

async fn get(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let wanted = arguments.coerced.and_then(version::parse)?;
    let flow = call
        .engine
        .get_flow(call.caller, &wanted.id, wanted.version);
    Ok(object(FlowObject(flow.await?)))
}

async fn export(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let wanted = arguments.coerced.and_then(version::parse)?;
    call.engine
        .export_flow(call.caller, &wanted.id, wanted.version, wanted.format)
        .await
        .map(Out::from)
}

async fn try_out(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let (wanted, facts) = arguments.coerced.and_then(try_out::parse)?;
    let trial = call
        .engine
        .try_flow(call.caller, &wanted.id, wanted.version, &facts);
    Ok(object(FlowTrialObject(trial.await?)))
}

async fn save(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let command = arguments.coerced.and_then(save::parse)?;
    let saved = call.engine.save_flow(call.caller, command).await?;
    Ok(object(FlowObject(saved)))
}

async fn publish(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let wanted = arguments.coerced.and_then(version::parse)?;
    // The schema requires it.
    let version = wanted.version.unwrap_or_default();
    let flow = call.engine.publish_flow(call.caller, &wanted.id, version);
    Ok(object(FlowObject(flow.await?)))
}

async fn set_default(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let id = ids::flow(ids::argument(&arguments.coerced?, "id"))?;
    done(call.engine.set_default_flow(call.caller, &id).await)
}

async fn delete(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let id = ids::flow(ids::argument(&arguments.coerced?, "id"))?;
    done(call.engine.delete_flow(call.caller, &id).await)
}

async fn decide(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let decision = arguments.coerced.and_then(decide::parse)?;
    done(call.engine.decide_approval(call.caller, decision).await)
}
