//! Sending: each notification until it is taken, some of them twice.

use std::time::Duration;

use http_client::{Body, HostPattern, Http, Method, ProcessorHttp, Request, Url};

use super::{
    BooksError, Simulator,
    entry::Entry,
    notify::{Notify, Outgoing, derived_secret, sign, whim},
};

/// So long no other node sends a notification that one has taken.
const LEASE: Duration = Duration::from_secs(10);
/// How long a delivery may take.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The longest pause before one is tried again.
const LONGEST_PAUSE: Duration = Duration::from_mins(10);
/// After so many tries one is given up.
const TRIES_MAX: u32 = 50;
/// The largest answer. Unit: bytes.
const ANSWER_MAX: usize = 64 * 1024;

impl Simulator {
    /// Sends what is due, at most of `limit` entries. Returns of how many entries it took one. `local`: the base of the service's
    /// address on this machine, where everything is sent, whatever its public name is.
    ///
    /// # Errors
    /// The books can't be used.
    pub async fn send_due(
        &self,
        http: &dyn Http,
        local: &str,
        limit: u32,
    ) -> Result<usize, BooksError> {
        let due = self.books.due(self.world.now(), limit).await?;
        let mut taken = 0;
        for entry in due {
            if let Some((entry, outgoing)) = self.take(entry).await? {
                taken += 1;
                let is_sent = self.deliver(http, local, &entry, &outgoing).await;
                self.sent(entry, &outgoing, is_sent).await?;
            }
        }
        Ok(taken)
    }

    /// Takes the first notification of an entry that is due. `None`: another node was faster.
    async fn take(&self, mut entry: Entry) -> Result<Option<(Entry, Outgoing)>, BooksError> {
        let now = self.world.now();
        let due = entry.outbox.iter_mut().filter(|one| one.at <= now);
        let Some(outgoing) = due.min_by_key(|one| one.at) else {
            return Ok(None);
        };
        outgoing.tries = outgoing.tries.saturating_add(1);
        let pause = LEASE.saturating_mul(1 << outgoing.tries.min(8));
        outgoing.at = now.after(pause.min(LONGEST_PAUSE));
        let outgoing = outgoing.clone();
        let expected = entry.version;
        entry.version = expected.saturating_add(1);
        let is_ours = self.books.update(&entry, expected).await?;
        Ok(is_ours.then_some((entry, outgoing)))
    }

    /// Forgets a notification that was taken, or that nobody wants.
    async fn sent(
        &self,
        entry: Entry,
        outgoing: &Outgoing,
        is_sent: bool,
    ) -> Result<(), BooksError> {
        if !is_sent && outgoing.tries < TRIES_MAX {
            return Ok(());
        }
        let forget = |entry: &mut Entry| {
            let before = entry.outbox.len();
            entry.outbox.retain(|one| one.id != outgoing.id);
            entry.sent = entry.sent.saturating_add(1);
            entry.outbox.len() < before
        };
        // What can't be noted now is sent once more.
        if self.change(entry, forget).await.is_err() {
            tracing::debug!("a notification that was sent could not be noted");
        }
        Ok(())
    }

    /// Whether a notification was taken, also where it is sent twice.
    async fn deliver(
        &self,
        http: &dyn Http,
        local: &str,
        entry: &Entry,
        outgoing: &Outgoing,
    ) -> bool {
        let now = self.world.now();
        let (Some(notify), Some(body)) = (&entry.notify, entry.posted(outgoing, now, self.base()))
        else {
            return false;
        };
        let Some(post) = Post::of(notify, local, &outgoing.id, body) else {
            return false;
        };
        let is_taken = self.post(http, &post).await;
        if is_taken && outgoing.tries == 1 && whim(&outgoing.id) == 0 {
            return self.post(http, &post).await;
        }
        is_taken
    }

    async fn post(&self, http: &dyn Http, post: &Post<'_>) -> bool {
        let seconds = self.world.now().micros().div_euclid(1_000_000);
        let signature = sign(&post.secret, post.id, seconds, post.body.as_bytes());
        let headers = [
            ("webhook-id", post.id.to_owned()),
            ("webhook-timestamp", seconds.to_string()),
            ("webhook-signature", signature),
        ];
        let request = Request {
            method: Method::POST,
            url: &post.url,
            headers: &headers,
            body: Body::Json(post.body.clone().into()),
            timeout: TIMEOUT,
            most: ANSWER_MAX,
        };
        match ProcessorHttp::new(http, &post.hosts).send(&request).await {
            Ok(reply) => (200..300).contains(&reply.status),
            Err(error) => {
                tracing::debug!(%error, "a notification of the simulator was not taken");
                false
            }
        }
    }
}

/// What is posted, and where.
struct Post<'a> {
    url: Url,
    hosts: [HostPattern; 1],
    secret: String,
    id: &'a str,
    body: String,
}

impl<'a> Post<'a> {
    /// `None` where the address can't be called.
    fn of(notify: &Notify, local: &str, id: &'a str, body: String) -> Option<Self> {
        let token = notify.url.rsplit('/').next().unwrap_or_default();
        let url = Url::http_or_https(&format!("{local}/notifications/{token}")).ok()?;
        let hosts = [url.own_host()?];
        let own = notify.secret.clone();
        Some(Self {
            url,
            hosts,
            secret: own.unwrap_or_else(|| derived_secret(&notify.url)),
            id,
            body,
        })
    }
}
