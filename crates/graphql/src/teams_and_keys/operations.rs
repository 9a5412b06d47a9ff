//! The caller's team, and credentials for browsers.

use domain::Fault;

use super::{
    inputs::{client_token, team},
    views::{ClientTokenObject, IssuedClientToken, SdkConfigurationObject, TeamObject},
};
use crate::{
    executor::{Arguments, Out, object},
    operations::{Call, Operation, done, plain, ready},
    shared::{Connection, PageFacts, ids},
};

/// The operations.
pub(crate) const OPERATIONS: &[Operation] = &[
    Operation::plain("getTeam", |call, _| plain(get(call))),
    Operation::plain("updateTeam", |call, given| plain(update(call, given))),
    Operation::plain("generateClientToken", |call, given| {
        plain(generate_token(call, given))
    }),
    Operation::plain("listClientTokens", |call, given| {
        plain(list_tokens(call, given))
    }),
    Operation::plain("revokeClientToken", |call, given| {
        plain(revoke_token(call, given))
    }),
    Operation::plain("sdkConfiguration", |call, given| {
        plain(sdk_configuration(call, given))
    }),
    // A credential that came this far is good.
    Operation::plain("initializeSDK", |_, _| ready(Ok(true.into()))),
];

async fn get(call: Call<'_>) -> Result<Out<'static>, Fault> {
    Ok(object(TeamObject(call.engine.team(call.caller).await?)))
}

async fn update(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let update = arguments.coerced.and_then(team::update)?;
    let team = call.engine.update_team(call.caller, update).await?;
    Ok(object(TeamObject(team)))
}

async fn sdk_configuration(
    call: Call<'_>,
    arguments: Arguments<'_>,
) -> Result<Out<'static>, Fault> {
    let arguments = arguments.coerced?;
    let origin = arguments.get("origin").and_then(serde_json::Value::as_str);
    let flow = arguments.get("flowId").and_then(serde_json::Value::as_str);
    let flow = flow.filter(|flow| !flow.is_empty());
    let configuration = call
        .engine
        .sdk_configuration(call.caller, origin, flow)
        .await?;
    Ok(object(SdkConfigurationObject(configuration)))
}

async fn generate_token(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let grant = arguments.coerced.and_then(client_token::parse)?;
    let made = call.engine.client_token(call.caller, grant).await?;
    Ok(object(ClientTokenObject {
        id: made.id.to_string(),
        token: made.token,
        ttl_seconds: made.ttl_seconds,
    }))
}

async fn list_tokens(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let page = arguments.coerced.and_then(team::tokens)?;
    let found = call.engine.client_tokens(call.caller, &page).await?;
    let rows = found.views.into_iter();
    Ok(object(Connection {
        rows: rows
            .map(|(cursor, token)| (cursor, IssuedClientToken(token)))
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

async fn revoke_token(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let arguments = arguments.coerced?;
    let id = ids::argument(&arguments, "id");
    done(call.engine.revoke_client_token(call.caller, id).await)
}
