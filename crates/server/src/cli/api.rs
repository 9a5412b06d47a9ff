//! A server's public API, as the commands for merchants' engineers use it.

use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use http_client::{Body, Client, HostPattern, Http, Method, Private, Recipient, Request, Url};
use serde_json::{Value, json};
use world::World;

use super::arguments::Access;
use crate::config::Sources;

/// A command waits no longer for an answer.
const PATIENCE: Duration = Duration::from_secs(35);

/// The largest answer that is read. Unit: bytes.
const MOST: usize = 8 * 1024 * 1024;

/// Where operations go to.
const GRAPHQL: &str = "/api/graphql";

/// A server's API with a secret key.
pub(super) struct Api {
    http: Client,
    server: Url,
    hosts: Vec<HostPattern>,
    authorization: String,
}

impl Api {
    /// The API of the server that the flags name.
    pub(super) fn of(access: &Access, world: &World) -> anyhow::Result<Self> {
        let server = Url::http_or_https(&access.server)
            .map_err(|why| anyhow!("--server {}: {why}", access.server))?;
        let key = key(access)?;
        server
            .at(GRAPHQL)
            .map_err(|why| anyhow!("--server {}: {why}", access.server))?;
        Ok(Self {
            http: Client::new(world.clone(), Private::Allowed, None)?,
            hosts: server.own_host().into_iter().collect(),
            server,
            authorization: format!("Bearer {key}"),
        })
    }

    /// Runs an operation. Returns its `data`, and its errors as they are.
    pub(super) async fn run(&self, query: &str, variables: Value) -> anyhow::Result<Answer> {
        let body = json!({"query": query, "variables": variables});
        self.post(GRAPHQL, &body).await
    }

    /// Posts a body to a path. Returns the answer where its status is 200.
    pub(super) async fn post(&self, path: &str, body: &Value) -> anyhow::Result<Answer> {
        let url = self.server.at(path).map_err(|why| anyhow!("{why}"))?;
        let request = Request {
            method: Method::POST,
            url: &url,
            headers: &[("authorization", self.authorization.clone())],
            body: Body::Json(body.to_string().into()),
            timeout: PATIENCE,
            most: MOST,
        };
        let recipient = Recipient::Processor { hosts: &self.hosts };
        let reply = self.http.send(recipient, &request).await.map_err(|error| {
            anyhow!(Away(format!(
                "{} does not answer: {error}",
                url.authority()
            )))
        })?;
        let json: Value = serde_json::from_slice(&reply.body)
            .with_context(|| format!("{} answers no JSON", url.authority()))?;
        if reply.status == 503 {
            bail!(Away(format!("{} is not ready", url.authority())));
        }
        if reply.status != 200 {
            bail!(
                "{}",
                json.pointer("/errors/0/message")
                    .and_then(Value::as_str)
                    .unwrap_or("the server refuses the request")
            );
        }
        Ok(Answer(json))
    }
}

/// Nobody answers now; somebody may later.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Away(String);

/// The answer to an operation.
pub(super) struct Answer(Value);

impl Answer {
    /// The value at a place of the answer; null when it is not there.
    pub(super) fn at(&self, pointer: &str) -> &Value {
        self.0.pointer(pointer).unwrap_or(&Value::Null)
    }

    /// The text at a place of the answer; empty when there is none.
    pub(super) fn text(&self, pointer: &str) -> &str {
        self.at(pointer).as_str().unwrap_or_default()
    }

    /// The first error, unless there is none.
    pub(super) fn error(&self) -> Option<&str> {
        self.at("/errors/0/message").as_str()
    }
}

/// The secret key: from a file, or from the environment.
fn key(access: &Access) -> anyhow::Result<String> {
    let key = match &access.key_file {
        Some(file) => std::fs::read_to_string(file)
            .with_context(|| file.display().to_string())?
            .trim()
            .to_owned(),
        None => Sources::access_token().unwrap_or_default(),
    };
    if key.starts_with("sk_") && key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Ok(key);
    }
    Err(anyhow!(
        "a secret key is needed (sk_…): put it into POINTSMAN_ACCESS_TOKEN, or into a file for --key-file"
    ))
}
