//! How many distinct card and account numbers are brought, so that the service is no oracle of numbers.
//!
//! # What is promised
//! - A client token brings at most as many distinct numbers as it was made for. The count is exact, on any number of
//!   nodes: it is in the token's row, and the update that counts is what decides.
//! - A team brings at most [`domain::number_quota::NUMBERS`] numbers of one first six and last four within an hour; of bank
//!   accounts, of one bank and last four.
//!   Nodes that don't know of each other let [`UNSHARED`] more through each.
//! - It is counted before anything of the request is answered, also from an idempotency key.
//!
//! # How it works
//! Hardly a shop sees three cards within an hour that share first six and last four. So a node counts the first
//! [`UNSHARED`] in memory, and from the next one on all nodes count together, in one row for each first six and last four.
//! A request with a usual card therefore costs neither a read nor a commit.

use std::{collections::BTreeMap, time::Duration};

use db::Change;
use domain::{
    Code, Fault, Timestamp,
    bank_account::AccountKind,
    caller::{Caller, ClientGrant, Credential},
    card_number::{AccountNumber, CardNumber},
    id::TeamId,
    number_quota::{Judged, NumberQuota, WINDOW},
    rights,
};
use parking_lot::Mutex;
use vault::NumberMark;

use crate::{
    Engine, Once,
    faults::{EngineError, only_fault},
};

/// So many numbers of one first six and last four a node counts by itself.
const UNSHARED: usize = 2;

/// So many kinds of numbers are counted in memory; when there are more the oldest half is forgotten.
const KEPT: usize = 100_000;

/// From so many numbers of a team within an hour on an alarm is raised, and again each time there are twice as many.
const ALARM: u64 = 1_000;

/// How often a count is tried again that somebody else changed meanwhile.
const TRIES: u32 = 16;

/// The number of a card or an account in a request, good or bad otherwise.
pub enum SentNumber {
    /// Of a card.
    Card(CardNumber),
    /// Of a bank account.
    Account(AccountKind, AccountNumber),
}

/// A number that a request brings.
#[derive(Clone, Copy)]
pub(crate) enum Number<'a> {
    /// A card's.
    Card(&'a CardNumber),
    /// A bank account's.
    Account(&'a AccountKind, &'a AccountNumber),
}

/// What this node has counted.
#[derive(Default)]
pub(crate) struct Numbers(Mutex<Counted>);

#[derive(Default)]
struct Counted {
    young: Buckets,
    old: Buckets,
    teams: BTreeMap<TeamId, Total>,
}

type Buckets = BTreeMap<(TeamId, String), Bucket>;

/// Numbers of one kind.
#[derive(Default)]
struct Bucket {
    /// Those that this node has let through by itself.
    own: NumberQuota,
    /// When all nodes began to count together.
    shared_at: Option<Timestamp>,
}

/// The numbers of a team within an hour.
struct Total {
    since: Timestamp,
    count: u64,
    alarm_at: u64,
}

/// What the node itself says of a number.
enum Own {
    /// It passes.
    Passes,
    /// All nodes count it together, with what this one has counted.
    Shared(NumberQuota),
}

impl Numbers {
    fn judge(&self, team: TeamId, mark: &NumberMark, now: Timestamp) -> Own {
        let mut counted = self.0.lock();
        let bucket = counted.bucket(team, &mark.bucket);
        let known = bucket.own.knows(&mark.number, now);
        let shared = bucket
            .shared_at
            .is_some_and(|since| now < since.after(WINDOW));
        let own = if shared || (!known && bucket.own.len(now) >= UNSHARED) {
            bucket.shared_at = Some(now);
            Own::Shared(bucket.own.clone())
        } else {
            bucket.own.judge(&mark.number, now);
            Own::Passes
        };
        if !known {
            counted.total(team, now);
        }
        own
    }
}

impl Counted {
    fn bucket(&mut self, team: TeamId, bucket: &str) -> &mut Bucket {
        if self.young.len() >= KEPT / 2 {
            self.old = std::mem::take(&mut self.young);
        }
        let key = (team, bucket.to_owned());
        let known = self.old.remove(&key);
        self.young
            .entry(key)
            .or_insert_with(|| known.unwrap_or_default())
    }

    fn total(&mut self, team: TeamId, now: Timestamp) {
        let begun = Total {
            since: now,
            count: 0,
            alarm_at: ALARM,
        };
        let total = self.teams.entry(team).or_insert(begun);
        if now >= total.since.after(WINDOW) {
            (total.since, total.count, total.alarm_at) = (now, 0, ALARM);
        }
        total.count = total.count.saturating_add(1);
        if total.count >= total.alarm_at {
            total.alarm_at = total.alarm_at.saturating_mul(2);
            alarm("many");
            tracing::warn!(team = %team, numbers = total.count, "a team has brought many card or account numbers within an hour");
        }
    }
}

/// Shows the alarms' counters from the start on.
pub(crate) fn begin_counting() {
    for kind in ["many", "alike", "client_token"] {
        metrics::counter!("pointsman_number_alarms_total", "kind" => kind).increment(0);
    }
}

fn alarm(kind: &'static str) {
    metrics::counter!("pointsman_number_alarms_total", "kind" => kind).increment(1);
}

impl Engine {
    /// Judges whether the caller may send numbers, and counts the one that the request brings. Every number passes here before
    /// anything is answered. Errors: `api.key.forbidden`; `error.rate-limited` when there were too many.
    pub(crate) async fn count_number(
        &self,
        caller: &Caller,
        number: Number<'_>,
    ) -> Result<(), Fault> {
        rights::require(caller, rights::Scope::Tokenise)?;
        let vault = &self.inner.vault;
        let mark = match number {
            Number::Card(number) => vault.card_mark(caller.team, number),
            Number::Account(kind, number) => vault.account_mark(caller.team, kind, number),
        };
        if let Credential::Client(grant) = &caller.credential {
            self.count_for_client(caller, grant, &mark)
                .await
                .map_err(only_fault)?;
        }
        self.count_for_team(caller.team, &mark)
            .await
            .map_err(only_fault)
    }

    /// Counts the number of a request that can't be carried out, when a key could tell whether it equals another one.
    pub(crate) async fn count_sent(&self, caller: &Caller, once: &Once) -> Result<(), Fault> {
        match once.number.as_ref() {
            Some(SentNumber::Card(number)) => self.count_number(caller, Number::Card(number)).await,
            Some(SentNumber::Account(kind, number)) => {
                self.count_number(caller, Number::Account(kind, number))
                    .await
            }
            None => Ok(()),
        }
    }

    async fn count_for_client(
        &self,
        caller: &Caller,
        grant: &ClientGrant,
        mark: &NumberMark,
    ) -> Result<(), EngineError> {
        let most = grant.distinct_numbers();
        let count = store::credential::count_number(caller.team, caller.key, &mark.number, most);
        let change = Change::new(self.change_id(), &caller.key.key()).with(count);
        if self.commit_plain(change).await?.is_none() {
            return Ok(());
        }
        alarm("client_token");
        let row = store::credential::of_team(&self.inner.store, caller.team, caller.key).await?;
        let ends = row.and_then(|row| row.expires_at);
        let message = format!(
            "This client token has brought {most} distinct card numbers, and no more are allowed. Make a new one, or make it \
             with maxCards."
        );
        let left = ends.map_or(Duration::ZERO, |ends| ends.since(self.inner.world.now()));
        Err(Fault::new(Code::RateLimited, message).after(left).into())
    }

    async fn count_for_team(&self, team: TeamId, mark: &NumberMark) -> Result<(), EngineError> {
        let now = self.inner.world.now();
        let Own::Shared(own) = self.inner.numbers.judge(team, mark, now) else {
            return Ok(());
        };
        for _ in 0..TRIES {
            let now = self.inner.world.now();
            let found = store::number_quota::find(&self.inner.store, team, &mark.bucket).await?;
            let (mut quota, version) = match found {
                Some((quota, version)) => (quota, Some(version)),
                None => (NumberQuota::default(), None),
            };
            let before = quota.clone();
            quota.merge(&own);
            let judged = quota.judge(&mark.number, now);
            let changed = quota != before
                && match judged {
                    Judged::Counted | Judged::Refused { noted: true, .. } => true,
                    // What only this node knew must be known to the others before it is answered.
                    Judged::Known => !before.knows(&mark.number, now),
                    Judged::Refused { noted: false, .. } => false,
                };
            if changed {
                let until = quota.until(now);
                let statement = match version {
                    None => store::number_quota::insert(team, &mark.bucket, &quota, until),
                    Some(version) => {
                        store::number_quota::update(team, &mark.bucket, &quota, version, until)
                    }
                };
                let change = Change::new(self.change_id(), &mark.bucket).with(statement);
                if self.commit_plain(change).await?.is_some() {
                    continue;
                }
            }
            return match judged {
                Judged::Known | Judged::Counted => Ok(()),
                Judged::Refused { retry_at, noted } => {
                    if noted {
                        alarm("alike");
                        tracing::warn!(team = %team, "a team has brought many numbers with the same first six and last four digits, or many accounts of one bank and ending");
                    }
                    Err(too_many(retry_at.since(now)).into())
                }
            };
        }
        // Somebody tries numbers faster than they can be counted.
        Err(too_many(Duration::ZERO).into())
    }

    /// Removes counts of which nothing counts any more.
    pub(crate) async fn forget_number_quotas(&self, limit: i64) -> Result<usize, EngineError> {
        let now = self.inner.world.now();
        Ok(store::number_quota::sweep(&self.inner.store, now, limit).await?)
    }
}

fn too_many(wait: Duration) -> Fault {
    let message = "Too many numbers with the same first six and last four digits (of bank accounts: the same bank and last four) were sent within an hour.";
    Fault::new(Code::RateLimited, message).after(wait)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(bucket: &str, number: u64) -> NumberMark {
        NumberMark {
            number: number.to_string(),
            bucket: bucket.to_owned(),
        }
    }

    #[test]
    fn a_node_counts_two_of_a_kind_by_itself_and_all_others_with_the_rest() {
        let (numbers, team) = (Numbers::default(), TeamId::new(uuid::Uuid::nil()));
        let now = Timestamp::from_micros(0);
        let alone = |bucket: &str, number: u64, at: Timestamp| {
            matches!(numbers.judge(team, &mark(bucket, number), at), Own::Passes)
        };
        for number in [1, 2, 1, 2] {
            assert!(alone("a", number, now));
        }
        assert!(alone("b", 3, now));
        assert!(!alone("a", 3, now));
        assert!(
            !alone("a", 1, now),
            "all are asked, also about what is known here"
        );
        assert!(alone("a", 9, now.after(WINDOW)));
    }

    #[test]
    fn memory_is_bounded() {
        let (numbers, team) = (Numbers::default(), TeamId::new(uuid::Uuid::nil()));
        for n in 0..120_000_u64 {
            numbers.judge(team, &mark(&n.to_string(), n), Timestamp::from_micros(0));
        }
        let counted = numbers.0.lock();
        assert!(counted.young.len() + counted.old.len() <= KEPT);
        let total = counted
            .teams
            .get(&team)
            .map(|total| (total.count, total.alarm_at));
        assert_eq!(total, Some((120_000, 128_000)));
    }
}
