//! A merchant's client: GraphQL over HTTP, with nothing of the service's own code.

use bytes::Bytes;
use http::{Request, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::{
    client::legacy::{Client as HttpClient, connect::HttpConnector},
    rt::TokioExecutor,
};
use serde_json::{Value, json};

/// What a request came back with.
pub(super) struct Reply {
    /// The whole JSON.
    pub(super) json: Value,
    /// Its bytes as they came.
    pub(super) body: Bytes,
    /// Whether the service answered from memory.
    pub(super) replayed: bool,
}

impl Reply {
    /// The value at a JSON pointer, as text; empty when it is not there.
    pub(super) fn text(&self, pointer: &str) -> String {
        match self.json.pointer(pointer) {
            Some(Value::String(text)) => text.clone(),
            None | Some(Value::Null) => String::new(),
            Some(other) => other.to_string(),
        }
    }

    /// The first error's code; empty when there is none.
    pub(super) fn error(&self) -> String {
        self.text("/errors/0/extensions/code")
    }
}

/// What a browser sees of a page.
pub(super) struct Page {
    /// The HTTP status.
    pub(super) status: u16,
    /// Where the browser is sent on to.
    pub(super) location: Option<String>,
    /// The page.
    pub(super) text: String,
}

/// A stream of server-sent events.
pub(super) struct Events {
    body: Incoming,
    /// What has come and is not read.
    rest: Vec<u8>,
}

impl Events {
    /// The data of the next event that has any; `None` at the end.
    pub(super) async fn next(&mut self) -> Option<String> {
        loop {
            while let Some(end) = self.rest.windows(2).position(|pair| pair == b"\n\n") {
                let block: Vec<u8> = self.rest.drain(..end.saturating_add(2)).collect();
                let text = String::from_utf8_lossy(&block);
                let data = text.lines().find_map(|line| line.strip_prefix("data:"));
                if let Some(data) = data {
                    return Some(data.trim_start().to_owned());
                }
            }
            let frame = self.body.frame().await?.ok()?;
            if let Ok(bytes) = frame.into_data() {
                self.rest.extend_from_slice(&bytes);
            }
        }
    }
}

/// A merchant's client, and a customer's browser.
#[derive(Clone)]
pub struct Client {
    http: HttpClient<HttpConnector, Full<Bytes>>,
    base: String,
    key: String,
}

impl Client {
    /// A client of the service at `base` with a secret key.
    pub fn new(base: String, key: String) -> Self {
        Self {
            http: HttpClient::builder(TokioExecutor::new()).build_http(),
            base,
            key,
        }
    }

    /// Runs a GraphQL operation.
    pub(super) async fn run(
        &self,
        query: &str,
        variables: Value,
        once: Option<&str>,
    ) -> Result<Reply, String> {
        let body = json!({"query": query, "variables": variables}).to_string();
        let mut request = Request::post(format!("{}/api/graphql", self.base))
            .header(header::CONTENT_TYPE, "application/json");
        if let Some(key) = once {
            request = request.header("x-idempotency-key", key);
        }
        self.send(request, body).await
    }

    /// Follows a subscription.
    pub(super) async fn follow(&self, query: &str) -> Result<Events, String> {
        let request = Request::post(format!("{}/api/graphql", self.base))
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "text/event-stream")
            .header(header::AUTHORIZATION, format!("Bearer {}", self.key))
            .body(Full::from(json!({"query": query}).to_string()))
            .map_err(|error| error.to_string())?;
        let asked = self.http.request(request).await;
        let response = asked.map_err(|error| format!("no stream: {error}"))?;
        if !response.status().is_success() {
            return Err(format!("no stream: {}", response.status()));
        }
        Ok(Events {
            body: response.into_body(),
            rest: Vec::new(),
        })
    }

    /// Reads an address.
    pub(super) async fn get(&self, path: &str) -> Result<Reply, String> {
        self.send(Request::get(format!("{}{path}", self.base)), String::new())
            .await
    }

    /// Opens an address that was handed out, as a browser does: without a key.
    pub(super) async fn open(&self, url: &str) -> Result<Page, String> {
        self.visit(Request::get(self.here(url)?), String::new())
            .await
    }

    /// Presses the button of a page's form that posts `outcome`.
    pub(super) async fn press(&self, url: &str, outcome: &str) -> Result<Page, String> {
        let request = Request::post(self.here(url)?)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        self.visit(request, format!("outcome={outcome}")).await
    }

    /// The address at this server: outside it may have another name.
    fn here(&self, url: &str) -> Result<String, String> {
        let path = url
            .split_once("://")
            .and_then(|(_, rest)| rest.split_once('/'))
            .map(|(_, path)| path);
        path.map(|path| format!("{}/{path}", self.base))
            .ok_or_else(|| "there is no address to go to".to_owned())
    }

    async fn visit(&self, request: http::request::Builder, body: String) -> Result<Page, String> {
        let request = request
            .body(Full::from(body))
            .map_err(|error| error.to_string())?;
        let response = self
            .http
            .request(request)
            .await
            .map_err(|error| format!("no page: {error}"))?;
        let location = response
            .headers()
            .get(header::LOCATION)
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        let status = response.status().as_u16();
        let body = response
            .into_body()
            .collect()
            .await
            .map_err(|error| format!("no whole page: {error}"))?
            .to_bytes();
        Ok(Page {
            status,
            location,
            text: String::from_utf8_lossy(&body).into_owned(),
        })
    }

    async fn send(&self, request: http::request::Builder, body: String) -> Result<Reply, String> {
        let request = request
            .header(header::AUTHORIZATION, format!("Bearer {}", self.key))
            .body(Full::from(body))
            .map_err(|error| error.to_string())?;
        let response = self
            .http
            .request(request)
            .await
            .map_err(|error| format!("no answer: {error}"))?;
        let replayed = response.headers().contains_key("idempotency-replayed");
        let body = response
            .into_body()
            .collect()
            .await
            .map_err(|error| format!("no whole answer: {error}"))?
            .to_bytes();
        let json =
            serde_json::from_slice(&body).map_err(|_| "the answer is not JSON".to_owned())?;
        Ok(Reply {
            json,
            body,
            replayed,
        })
    }
}
