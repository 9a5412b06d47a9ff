//! One HTTP/1.1 connection to the server, kept open.

use anyhow::{Context, bail};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Request, client::conn::http1::SendRequest};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;

/// A connection to the server.
pub(crate) struct Client {
    sender: SendRequest<Full<Bytes>>,
    host: String,
    key: String,
}

impl Client {
    /// Opens a connection to `host` (`127.0.0.1:8080`).
    pub(crate) async fn open(host: &str, key: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(host)
            .await
            .with_context(|| format!("no server at {host}"))?;
        stream.set_nodelay(true)?;
        let (sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Self {
            sender,
            host: host.to_owned(),
            key: key.to_owned(),
        })
    }

    /// Sends a body that is ready, with an idempotency key when given. Returns the answer's bytes.
    pub(crate) async fn send(
        &mut self,
        body: Bytes,
        idempotency_key: Option<&str>,
    ) -> anyhow::Result<Bytes> {
        let mut request = Request::post("/api/graphql")
            .header("host", &self.host)
            .header("authorization", format!("Bearer {}", self.key))
            .header("content-type", "application/json");
        if let Some(key) = idempotency_key {
            request = request.header("x-idempotency-key", key);
        }
        self.sender.ready().await?;
        let response = self
            .sender
            .send_request(request.body(Full::new(body))?)
            .await?;
        Ok(response.into_body().collect().await?.to_bytes())
    }

    /// The status with which an address is answered, without a credential.
    pub(crate) async fn status(&mut self, path: &str) -> anyhow::Result<u16> {
        self.sender.ready().await?;
        let request = Request::get(path)
            .header("host", &self.host)
            .body(Full::default())?;
        let response = self.sender.send_request(request).await?;
        let status = response.status().as_u16();
        response.into_body().collect().await?;
        Ok(status)
    }

    /// Sends a document and returns its data.
    pub(crate) async fn graphql(&mut self, query: &str, variables: Value) -> anyhow::Result<Value> {
        let body = json!({ "query": query, "variables": variables }).to_string();
        let mut answer: Value = serde_json::from_slice(&self.send(body.into(), None).await?)?;
        if answer.get("errors").is_some() {
            bail!("the server answered {answer}");
        }
        answer
            .get_mut("data")
            .map(Value::take)
            .context("the server answered without data")
    }
}
