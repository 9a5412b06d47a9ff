//! `pointsman listen`: prints events as they happen, and forwards them to a program on this machine.

use std::{process::ExitCode, time::Duration};

use anyhow::{anyhow, bail};
use engine::SigningSecret;
use http_client::{
    Body, Client, Http as _, HttpError, Method, Private, Recipient, Reply, Request, Url,
};
use serde_json::{Value, json};
use world::{Stopwatch, World};

use super::{
    api::{Answer, Api},
    arguments::Listen,
    runtime,
    serve::EndSignals,
};

/// Between two looks for new events.
const PAUSE: Duration = Duration::from_millis(500);

/// After a server that does not answer.
const PAUSE_AWAY: Duration = Duration::from_secs(2);

/// The local program answers within this time.
const FORWARD_WITHIN: Duration = Duration::from_secs(30);

/// More of the local program's answer is not read. Unit: bytes.
const ANSWER_MAX: usize = 64 * 1024;

const EVENTS: &str = "query($after: String, $kinds: [String!]) { listEvents(after: $after, first: 100, kinds: $kinds) { \
    pageInfo { hasNextPage endCursor } edges { cursor node { id kind date data payload } } } }";

pub(super) fn run(flags: &Listen) -> anyhow::Result<ExitCode> {
    runtime()?.block_on(async {
        let world = World::real();
        let api = Api::of(&flags.access, &world)?;
        let forward = match &flags.forward_to {
            Some(address) => Some(Forward::to(address, flags.secret.as_deref(), &world)?),
            None => None,
        };
        let mut signals = EndSignals::listen()?;
        let mut follower = Follower::of(flags);
        let until_wrong = follower.follow(&api, forward.as_ref(), &world);
        let ended = tokio::select! {
            biased;
            () = signals.next() => Ok(()),
            failed = until_wrong => failed,
        };
        if let Some(cursor) = follower.place() {
            output::error(&format!("To go on from here: --after {cursor}"));
        }
        ended.map(|()| ExitCode::SUCCESS)
    })
}

/// One who follows the events.
struct Follower<'a> {
    kinds: &'a [String],
    json: bool,
    /// Behind which cursor it goes on; `None`: the first event that there is.
    after: Option<String>,
    /// Whether the server has named the cursor.
    is_placed: bool,
}

impl<'a> Follower<'a> {
    fn of(flags: &'a Listen) -> Self {
        let start = || (!flags.from_start).then(|| "now".to_owned());
        Self {
            kinds: &flags.kind,
            json: flags.json,
            after: flags.after.clone().or_else(start),
            is_placed: false,
        }
    }

    /// The cursor from which to go on, once the server has named one.
    fn place(&self) -> Option<&str> {
        self.after.as_deref().filter(|_| self.is_placed)
    }

    /// Goes on until something is wrong that another try would not change.
    async fn follow(
        &mut self,
        api: &Api,
        forward: Option<&Forward>,
        world: &World,
    ) -> anyhow::Result<()> {
        let mut is_away = false;
        loop {
            let variables = json!({"after": self.after, "kinds": self.kinds});
            let page = match api.run(EVENTS, variables).await {
                Ok(page) => page,
                Err(error) if error.is::<super::api::Away>() => {
                    if !std::mem::replace(&mut is_away, true) {
                        output::error(&format!("{error}; trying again"));
                    }
                    world.sleep(PAUSE_AWAY).await;
                    continue;
                }
                Err(error) => return Err(error),
            };
            if let Some(error) = page.error() {
                bail!("{error}");
            }
            if std::mem::take(&mut is_away) {
                output::error("it answers again");
            }
            self.take(&page, forward).await;
            if page.at("/data/listEvents/pageInfo/hasNextPage") != &Value::Bool(true) {
                world.sleep(PAUSE).await;
            }
        }
    }

    async fn take(&mut self, page: &Answer, forward: Option<&Forward>) {
        let edges = page.at("/data/listEvents/edges").as_array();
        for edge in edges.map_or(&[][..], Vec::as_slice) {
            let event = &edge["node"];
            if self.json {
                let cursor = edge["cursor"].as_str().unwrap_or_default();
                let body = event["payload"].as_str().unwrap_or_default();
                output::line(&with_cursor(body, cursor));
            } else {
                output::line(&line(event));
            }
            if let Some(forward) = forward {
                let outcome = forward.send(event).await;
                if !self.json {
                    output::line(&format!("    {outcome}"));
                }
            }
            self.after = edge["cursor"].as_str().map(str::to_owned);
            self.is_placed = true;
        }
        if let Some(end) = page.at("/data/listEvents/pageInfo/endCursor").as_str() {
            self.after = Some(end.to_owned());
            self.is_placed = true;
        } else if self.after.as_deref() == Some("now") {
            // There is no event yet: the first one is news.
            self.after = None;
        }
    }
}

/// The body of an event with its cursor as its first member.
fn with_cursor(body: &str, cursor: &str) -> String {
    match body.strip_prefix('{') {
        Some(members) => format!("{{\"cursor\":{},{members}", json!(cursor)),
        None => body.to_owned(),
    }
}

/// An event in one line.
fn line(event: &Value) -> String {
    let data = &event["data"];
    let text = |name: &str| data[name].as_str();
    let about = text("disputeId")
        .or_else(|| text("paymentId"))
        .or_else(|| text("intentId"))
        .unwrap_or_default();
    let amount = match (data["amount"].as_i64(), text("currencyCode")) {
        (Some(minor), Some(currency)) => amount(minor, currency),
        _ => String::new(),
    };
    let parts = [
        event["date"].as_str().unwrap_or_default(),
        &format!("{:<24}", event["kind"].as_str().unwrap_or_default()),
        about,
        text("status").unwrap_or_default(),
        &amount,
    ];
    let line = parts.join("  ");
    domain::processor_text::one_line(line.trim_end()).into_owned()
}

fn amount(minor: i64, currency: &str) -> String {
    match domain::money::Currency::parse(currency) {
        Some(currency) => domain::money::Money::new(minor, currency).formatted(),
        None => format!("{minor} {currency}"),
    }
}

/// Where events are forwarded to.
struct Forward {
    http: Client,
    url: Url,
    secret: SigningSecret,
    world: World,
}

impl Forward {
    fn to(address: &str, secret: Option<&str>, world: &World) -> anyhow::Result<Self> {
        let url =
            Url::http_or_https(address).map_err(|why| anyhow!("--forward-to {address}: {why}"))?;
        let secret = if let Some(given) = secret {
            let given = SigningSecret::parse(given)
                .ok_or_else(|| anyhow!("--secret must be whsec_ and 24 to 64 bytes in base64"))?;
            output::error(&format!(
                "Events are forwarded to {address}, signed with the secret that was given"
            ));
            given
        } else {
            let new = SigningSecret::new(world);
            output::error(&format!(
                "Events are forwarded to {address}, signed with a secret that is new at each start (--secret keeps one): {}",
                new.reveal()
            ));
            new
        };
        Ok(Self {
            http: Client::new(world.clone(), Private::Allowed, None)?,
            url,
            secret,
            world: world.clone(),
        })
    }

    /// Sends an event once. Returns what came of it.
    async fn send(&self, event: &Value) -> String {
        let id = event["id"].as_str().unwrap_or_default();
        let body = event["payload"].as_str().unwrap_or_default();
        let headers = self.secret.headers(id, body, self.world.now());
        let request = Request {
            method: Method::POST,
            url: &self.url,
            headers: &headers,
            body: Body::Json(body.to_owned().into()),
            timeout: FORWARD_WITHIN,
            most: ANSWER_MAX,
        };
        let recipient = Recipient::Stranger {
            hosts: None,
            identity: None,
        };
        let watch = Stopwatch::start();
        let sent: Result<Reply, HttpError> = self.http.send(recipient, &request).await;
        let took = watch.elapsed().as_millis();
        match sent {
            Ok(reply) => format!("-> {} in {took} ms", reply.status),
            Err(error) => format!("-> {error}"),
        }
    }
}
