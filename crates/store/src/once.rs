//! Idempotency records.

use std::time::Duration;

use db::{Db, DbError, Insert, Select, Statement, Update};
use domain::{
    Timestamp,
    id::{CustomerId, KeyId, TeamId, VaultToken},
    payment::OnceRef,
};

/// An idempotency record as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The keyed hash of the request.
    pub fingerprint: String,
    /// What the request made or touched: a payment; for a token its customer, or itself when it is nobody's.
    pub stream: Option<String>,
    /// The response.
    pub answer: Option<Answer>,
    /// The client token that took the key; none for a secret key.
    pub taken_by: Option<KeyId>,
}

/// The response under a key, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A document of the engine's.
    Document(String),
    /// The payment of the record as it was at this version: what is stored of it, until somebody changes it, who writes the
    /// document here in the same commit.
    Version(u64),
}

/// Stands before the number of a version, and before no document.
const VERSION: &str = "version ";

impl Answer {
    fn read(text: String) -> Self {
        let version = text.strip_prefix(VERSION).and_then(|n| n.parse().ok());
        version.map_or(Self::Document(text), Self::Version)
    }

    fn of_version(version: u64) -> String {
        format!("{VERSION}{version}")
    }
}

/// A key that is taken.
#[derive(Debug, Clone)]
pub struct Claim {
    /// The team.
    pub team: TeamId,
    /// Scope and hash of the key.
    pub once: OnceRef,
    /// The keyed hash of the request.
    pub fingerprint: String,
    /// The client token that takes it; none for a secret key.
    pub taken_by: Option<KeyId>,
}

/// Takes a key, or one whose retention is over.
static TAKE: Insert = Insert::or(
    "once",
    &[
        "team_id",
        "scope",
        "key_hash",
        "fingerprint",
        "stream",
        "answer",
        "created_at",
        "taken_by",
    ],
    &[
        "on conflict (team_id, scope, key_hash) do update set fingerprint = excluded.fingerprint, stream = excluded.stream, \
         answer = excluded.answer, created_at = excluded.created_at, taken_by = excluded.taken_by \
         where once.created_at <= excluded.created_at - ",
        " and once.answer is not null",
    ],
);

/// What a key answers.
static ANSWER: Update =
    Update::new("once", &["team_id", "scope", "key_hash"], &["answer"]).expecting(&["stream"]);

/// What a key answers, when it answers nothing yet.
static FIRST_ANSWER: Update = Update::new("once", &["team_id", "scope", "key_hash"], &["answer"])
    .expecting(&["stream"])
    .only_if("answer is null");

/// What a key answers, when it names something else.
static KEPT: Update = Update::new("once", &["team_id", "scope", "key_hash"], &["answer"])
    .expecting(&["stream", "answer"]);

/// A key's record.
static BY_KEY: Select = Select::new(
    "once",
    &["fingerprint", "stream", "answer", "created_at", "taken_by"],
    &["team_id", "scope", "key_hash"],
);

/// Takes a key, unless it was taken within the `retention`, or who took it has no answer yet. The retention is the same for all
/// claims, so that those that wait together are one statement.
pub fn claim(
    claim: &Claim,
    stream: Option<&str>,
    answer: Option<&str>,
    now: Timestamp,
    retention: Duration,
) -> Statement {
    TAKE.with(vec![
        claim.team.key().into(),
        claim.once.scope.as_str().into(),
        claim.once.key.as_str().into(),
        claim.fingerprint.as_str().into(),
        stream.into(),
        answer.into(),
        now.micros().into(),
        claim.taken_by.map(KeyId::key).into(),
        i64::try_from(retention.as_micros())
            .unwrap_or(i64::MAX)
            .into(),
    ])
}

/// Writes the response from now on. A record that is forgotten by now is left so.
pub fn answer(team: TeamId, once: &OnceRef, stream: &str, answer: &str) -> Statement {
    ANSWER
        .with(vec![
            team.key().into(),
            once.scope.as_str().into(),
            once.key.as_str().into(),
            answer.into(),
            stream.into(),
        ])
        .or_none()
}

/// The response from now on is the payment as it is at this version, which is committed with this.
pub fn answer_by_version(team: TeamId, once: &OnceRef, stream: &str, version: u64) -> Statement {
    answer(team, once, stream, &Answer::of_version(version))
}

/// Writes the document of a version into a record that names it; for the commit that changes the payment.
pub fn keep_version(
    team: TeamId,
    once: &OnceRef,
    stream: &str,
    version: u64,
    document: &str,
) -> Statement {
    KEPT.with(vec![
        team.key().into(),
        once.scope.as_str().into(),
        once.key.as_str().into(),
        document.into(),
        stream.into(),
        Answer::of_version(version).into(),
    ])
    .or_none()
}

/// Writes the response until there is an outcome, unless there is one already.
pub fn answer_meanwhile(team: TeamId, once: &OnceRef, stream: &str, answer: &str) -> Statement {
    FIRST_ANSWER.with(vec![
        team.key().into(),
        once.scope.as_str().into(),
        once.key.as_str().into(),
        answer.into(),
        stream.into(),
    ])
}

/// The record of a key, unless it is forgotten. One whose payment is open is not, however old: its outcome may be unknown for
/// long, and a key that is free again would do the same twice.
pub async fn find(
    db: &Db,
    team: TeamId,
    once: &OnceRef,
    forgotten_before: Timestamp,
) -> Result<Option<Record>, DbError> {
    let params = vec![
        team.key().into(),
        once.scope.as_str().into(),
        once.key.as_str().into(),
    ];
    let mut rows = db.find(&BY_KEY, params).await?;
    let Some(row) = rows.first_mut() else {
        return Ok(None);
    };
    let record = Record {
        fingerprint: row.take_text(0)?,
        stream: row.take_opt_text(1)?,
        answer: row.take_opt_text(2)?.map(Answer::read),
        taken_by: row.take_opt_text(4)?.as_deref().and_then(KeyId::parse),
    };
    let is_old = row.int(3)? <= forgotten_before.micros();
    if is_old && record.answer.is_some() && !is_open(db, team, once).await? {
        return Ok(None);
    }
    Ok(Some(record))
}

/// Whether the payment that a record began, or works on, is still open.
async fn is_open(db: &Db, team: TeamId, once: &OnceRef) -> Result<bool, DbError> {
    let sql = "select 1 from once join payment on payment.team_id = once.team_id and payment.payment_id = once.stream \
               where once.team_id = $1 and once.scope = $2 and once.key_hash = $3 and (payment.status in \
               ('ACTIVE', 'NO_ANSWER_FROM_PSP', 'NEEDS_3D_SECURE', 'NEEDS_APM_AUTHORIZATION', 'GATEWAY_HOLD', 'REFUND_PENDING') \
               or (once.scope <> 'authorise' and payment.due_at is not null))";
    let params = vec![
        team.key().into(),
        once.scope.as_str().into(),
        once.key.as_str().into(),
    ];
    Ok(!db.read(sql, params).await?.is_empty())
}

/// Makes the response that was given when a token was made follow the token to its customer.
pub fn follow_token(team: TeamId, token: &VaultToken, customer: CustomerId) -> Statement {
    Statement::any(
        "update once set stream = $3 where team_id = $1 and scope = 'tokenise' and stream = $2",
        vec![
            team.key().into(),
            token.as_str().into(),
            customer.key().into(),
        ],
    )
}

/// The responses that were given when tokens of a customer were made. The literal scope lets the partial index answer.
pub async fn of_customer(
    db: &Db,
    team: TeamId,
    customer: CustomerId,
) -> Result<Vec<(OnceRef, String)>, DbError> {
    let sql = "select scope, key_hash, answer from once \
               where team_id = $1 and scope = 'tokenise' and stream = $2 and answer is not null order by key_hash";
    let mut rows = db
        .scan(sql, vec![team.key().into(), customer.key().into()])
        .await?;
    rows.iter_mut()
        .map(|row| {
            Ok((
                OnceRef {
                    scope: row.take_text(0)?,
                    key: row.take_text(1)?,
                },
                row.take_text(2)?,
            ))
        })
        .collect()
}

/// Removes records of any team that are forgotten; those of open payments stay. Only those later than `after` are
/// looked at, see [`crate::overdue`]. Returns their times.
pub async fn sweep(
    db: &Db,
    forgotten_before: Timestamp,
    after: Timestamp,
    limit: i64,
) -> Result<Vec<Timestamp>, DbError> {
    // Retention is the same for every team; the rows removed carry no data out.
    let sql = "delete from once where (team_id, scope, key_hash) in \
               (select team_id, scope, key_hash from once where created_at > $3 and created_at <= $1 and answer is not null and not exists \
               (select 1 from payment where payment.team_id = once.team_id and payment.payment_id = once.stream \
               and (payment.status in ('ACTIVE', 'NO_ANSWER_FROM_PSP', 'NEEDS_3D_SECURE', 'NEEDS_APM_AUTHORIZATION', \
               'GATEWAY_HOLD', 'REFUND_PENDING') or (once.scope <> 'authorise' and payment.due_at is not null))) \
               order by created_at limit $2) \
               returning created_at";
    db.claim_for_sweep(
        sql,
        vec![
            forgotten_before.micros().into(),
            limit.into(),
            after.micros().into(),
        ],
    )
    .await?
    .iter()
    .map(|row| row.int(0).map(Timestamp::from_micros))
    .collect()
}
