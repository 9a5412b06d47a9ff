//! What a measurement gives: many requests on some connections, for some time.

use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::client::Client;

/// What stands in every answer that is as wanted.
const WANTED: &[u8] = b"\"status\":\"SUCCEEDED\"";

/// What is sent, and for how long.
pub(crate) struct Plan<'a> {
    /// Where to: `127.0.0.1:8080`.
    pub(crate) host: &'a str,
    /// The credential.
    pub(crate) key: &'a str,
    /// The request.
    pub(crate) body: &'a Bytes,
    /// How many connections, each with one request at a time.
    pub(crate) connections: usize,
    /// For how long.
    pub(crate) span: Duration,
    /// Stop after so many requests altogether, whatever the time.
    pub(crate) requests: Option<u64>,
    /// Whether each request has a fresh idempotency key.
    pub(crate) keyed: bool,
}

/// When a connection has sent enough.
#[derive(Debug, Clone, Copy)]
enum Limit {
    Until(Instant),
    Requests(u64),
}

/// How long each request took, and how many went wrong.
#[derive(Default)]
pub(crate) struct Sample {
    times: Vec<Duration>,
    elapsed: Duration,
    /// The processor time of the server's process, where the system tells it.
    pub(crate) spent: Duration,
    /// The same of the database server's processes.
    pub(crate) database: Duration,
    /// Answers that were not as wanted.
    pub(crate) failed: u64,
}

impl Sample {
    /// Carries out a plan.
    pub(crate) async fn take(plan: &Plan<'_>) -> anyhow::Result<Self> {
        let mut clients = Vec::new();
        for _ in 0..plan.connections {
            clients.push(Client::open(plan.host, plan.key).await?);
        }
        let started = Instant::now();
        let limit = match plan.requests {
            Some(all) => Limit::Requests(all / u64::try_from(plan.connections).unwrap_or(1)),
            None => Limit::Until(started + plan.span),
        };
        let workers = clients.into_iter().enumerate().map(|(worker, client)| {
            let keys = plan.keyed.then(|| keys(worker));
            tokio::spawn(work(client, plan.body.clone(), limit, keys))
        });
        let workers: Vec<_> = workers.collect();
        let mut sample = Self::default();
        for worker in workers {
            sample.add(worker.await??);
        }
        sample.elapsed = started.elapsed();
        sample.times.sort_unstable();
        Ok(sample)
    }

    /// Takes in what another measurement of the same thing gave.
    pub(crate) fn add(&mut self, other: Self) {
        self.times.extend(other.times);
        self.elapsed += other.elapsed;
        self.spent += other.spent;
        self.database += other.database;
        self.failed += other.failed;
        self.times.sort_unstable();
    }

    /// How many requests.
    pub(crate) fn count(&self) -> usize {
        self.times.len()
    }

    /// Requests per second.
    pub(crate) fn rate(&self) -> u128 {
        u128::try_from(self.count())
            .unwrap_or(u128::MAX)
            .saturating_mul(1_000_000)
            / self.elapsed.as_micros().max(1)
    }

    /// Processor time for one request: of the server's process, and of the database server's.
    pub(crate) fn costs(&self) -> [Duration; 2] {
        let count = u32::try_from(self.count()).unwrap_or(u32::MAX).max(1);
        [self.spent, self.database].map(|spent| spent / count)
    }

    /// The time within which so many thousandths of the requests were answered.
    pub(crate) fn at(&self, thousandths: usize) -> Duration {
        let last = self.times.len().saturating_sub(1);
        let index = (self.times.len() * thousandths / 1000).min(last);
        self.times.get(index).copied().unwrap_or_default()
    }
}

/// Milliseconds with three decimals.
pub(crate) fn millis(time: Duration) -> String {
    let micros = time.as_micros();
    format!("{}.{:03}", micros / 1000, micros % 1000)
}

/// Whether an answer tells a success.
pub(crate) fn is_success(answer: &[u8]) -> bool {
    answer.windows(WANTED.len()).any(|window| window == WANTED)
}

/// The prefix of a worker's idempotency keys, fresh in each run.
fn keys(worker: usize) -> String {
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    format!("bench-{}-{worker}", now.as_nanos())
}

async fn work(
    mut client: Client,
    body: Bytes,
    limit: Limit,
    keys: Option<String>,
) -> anyhow::Result<Sample> {
    let mut sample = Sample::default();
    for request in 0_u64.. {
        let enough = match limit {
            Limit::Until(end) => Instant::now() >= end,
            Limit::Requests(count) => request >= count,
        };
        if enough {
            break;
        }
        let key = keys.as_ref().map(|prefix| format!("{prefix}-{request}"));
        let started = Instant::now();
        let answer = client.send(body.clone(), key.as_deref()).await?;
        sample.times.push(started.elapsed());
        if !is_success(&answer) {
            sample.failed += 1;
        }
    }
    Ok(sample)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_and_rates_are_those_of_what_was_measured() {
        let times = (1..=1000).map(Duration::from_micros).collect();
        let sample = Sample {
            times,
            elapsed: Duration::from_secs(2),
            spent: Duration::from_secs(1),
            database: Duration::from_secs(3),
            failed: 0,
        };
        assert_eq!(sample.rate(), 500);
        assert_eq!(sample.costs(), [1, 3].map(Duration::from_millis));
        assert_eq!(millis(sample.at(500)), "0.501");
        assert_eq!(millis(sample.at(1000)), "1.000");
        assert_eq!(Sample::default().at(500), Duration::ZERO);
    }

    #[test]
    fn only_an_answer_that_tells_a_success_counts() {
        assert!(is_success(
            br#"{"data":{"authorizePayment":{"id":"1","status":"SUCCEEDED"}}}"#
        ));
        assert!(!is_success(
            br#"{"data":{"authorizePayment":null},"errors":[]}"#
        ));
    }
}
