//! Webhook endpoints: where events are sent, and how far each endpoint is in the feed.

use db::{Db, DbError, Row, Statement, Value};
use domain::{
    Timestamp,
    event::KindFilter,
    id::{BlobId, EndpointId, TeamId},
    webhook::Health,
};

use crate::feed::FeedPosition;

/// An endpoint as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Whose it is.
    pub team: TeamId,
    /// Its id.
    pub id: EndpointId,
    /// Its address.
    pub url: String,
    /// Which events it gets.
    pub kinds: KindFilter,
    /// Whether events are sent to it.
    pub enabled: bool,
    /// The vault's record with its signing secrets.
    pub secret: BlobId,
    /// When it was made.
    pub created_at: Timestamp,
    /// Up to where its events were sent, or have a row of their own.
    pub place: FeedPosition,
    /// How it does.
    pub health: Health,
    /// How many events it has had itself.
    pub events: u64,
    /// What is to become of its pending deliveries before it goes on.
    pub turn: Option<Turn>,
}

/// What is to become of deliveries that were pending at a time: it is done in parts, before anything is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// They are tried at once, from their first attempt on.
    Revive(Timestamp),
    /// They are not sent any more.
    Skip(Timestamp),
}

/// The right of one task to work on an endpoint. Only its holder moves the endpoint's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// Whose endpoint.
    pub team: TeamId,
    /// Which one.
    pub endpoint: EndpointId,
    /// What only the holder knows.
    pub token: String,
}

const COLUMNS: &str = "endpoint_id, url, kinds, enabled, secret_id, created_at, place_stamp, place_stream, place_seq, \
    failures, failing_since, retry_at, events, turn, turned_at";

/// A new endpoint.
pub fn insert(endpoint: &Endpoint) -> Statement {
    Statement::one(
        "insert into webhook_endpoint (team_id, endpoint_id, url, kinds, enabled, secret_id, created_at, place_stamp, \
         place_stream, place_seq, failures, retry_at, lease, lease_until, events) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, 0, '', 0, 0)",
        vec![
            endpoint.team.key().into(),
            endpoint.id.key().into(),
            endpoint.url.as_str().into(),
            endpoint.kinds.entries().join(",").into(),
            i64::from(endpoint.enabled).into(),
            endpoint.secret.key().into(),
            endpoint.created_at.micros().into(),
            endpoint.place.stamp().into(),
            endpoint.place.stream().into(),
            endpoint.place.seq().into(),
        ],
    )
}

/// Changes what people set, unless the secrets have changed since the endpoint was read. A round that is under way ends without being noted:
/// it had the address and the kinds from before.
pub fn update(endpoint: &Endpoint, secret_before: BlobId) -> Statement {
    Statement::one(
        "update webhook_endpoint set url = $3, kinds = $4, secret_id = $5, lease = '', lease_until = 0 \
         where team_id = $1 and endpoint_id = $2 and secret_id = $6",
        vec![
            endpoint.team.key().into(),
            endpoint.id.key().into(),
            endpoint.url.as_str().into(),
            endpoint.kinds.entries().join(",").into(),
            endpoint.secret.key().into(),
            secret_before.key().into(),
        ],
    )
}

/// Has an endpoint tried as if it were healthy, with all that is pending since then. What is to be skipped stays so.
pub fn renew(team: TeamId, id: EndpointId, now: Timestamp) -> Statement {
    Statement::one(
        "update webhook_endpoint set failures = 0, failing_since = null, retry_at = 0, \
         turned_at = case when turn = 'SKIP' then turned_at else $3 end, \
         turn = case when turn = 'SKIP' then turn else 'REVIVE' end \
         where team_id = $1 and endpoint_id = $2",
        vec![team.key().into(), id.key().into(), now.micros().into()],
    )
}

/// Enables an endpoint that is disabled.
pub fn enable(team: TeamId, id: EndpointId) -> Statement {
    Statement::one(
        "update webhook_endpoint set enabled = 1, lease = '', lease_until = 0 \
         where team_id = $1 and endpoint_id = $2 and enabled = 0",
        vec![team.key().into(), id.key().into()],
    )
}

/// Has an endpoint go on from `place`, as healthy. What was pending at `now` is not sent any more.
pub fn go_on_from(team: TeamId, id: EndpointId, place: &FeedPosition, now: Timestamp) -> Statement {
    Statement::one(
        "update webhook_endpoint set failures = 0, failing_since = null, retry_at = 0, turn = 'SKIP', turned_at = $6, \
         place_stamp = $3, place_stream = $4, place_seq = $5 where team_id = $1 and endpoint_id = $2",
        vec![
            team.key().into(),
            id.key().into(),
            place.stamp().into(),
            place.stream().into(),
            place.seq().into(),
            now.micros().into(),
        ],
    )
}

/// Notes that what was to become of pending deliveries is done.
pub fn turned(lease: &Lease) -> Statement {
    Statement::any(
        "update webhook_endpoint set turn = '' where team_id = $1 and endpoint_id = $2 and lease = $3",
        vec![
            lease.team.key().into(),
            lease.endpoint.key().into(),
            lease.token.as_str().into(),
        ],
    )
}

/// Disables an endpoint. It keeps its place; what is under way ends without being noted.
pub fn disable(team: TeamId, id: EndpointId) -> Statement {
    Statement::one(
        "update webhook_endpoint set enabled = 0, lease = '', lease_until = 0 \
         where team_id = $1 and endpoint_id = $2 and enabled = 1",
        vec![team.key().into(), id.key().into()],
    )
}

/// Removes an endpoint.
pub fn delete(team: TeamId, id: EndpointId) -> Statement {
    Statement::one(
        "delete from webhook_endpoint where team_id = $1 and endpoint_id = $2",
        vec![team.key().into(), id.key().into()],
    )
}

/// A team's endpoints, the oldest first.
pub async fn of_team(db: &Db, team: TeamId) -> Result<Vec<Endpoint>, DbError> {
    let sql = format!(
        "select {COLUMNS} from webhook_endpoint where team_id = $1 order by created_at, endpoint_id"
    );
    let rows = db.read(sql, vec![team.key().into()]).await?;
    rows.iter().map(|row| read(team, row)).collect()
}

/// A team's endpoint by its id.
pub async fn find(db: &Db, team: TeamId, id: EndpointId) -> Result<Option<Endpoint>, DbError> {
    let sql =
        format!("select {COLUMNS} from webhook_endpoint where team_id = $1 and endpoint_id = $2");
    let rows = db
        .read(sql, vec![team.key().into(), id.key().into()])
        .await?;
    rows.first().map(|row| read(team, row)).transpose()
}

/// The endpoint of a lease, while it is held and the endpoint is enabled.
pub async fn leased(db: &Db, lease: &Lease) -> Result<Option<Endpoint>, DbError> {
    let sql = format!(
        "select {COLUMNS} from webhook_endpoint where team_id = $1 and endpoint_id = $2 and enabled = 1 and lease = $3"
    );
    let params = vec![
        lease.team.key().into(),
        lease.endpoint.key().into(),
        lease.token.as_str().into(),
    ];
    let rows = db.read(sql, params).await?;
    rows.first().map(|row| read(lease.team, row)).transpose()
}

/// Whether an endpoint of the team has its secrets in `secret`.
pub async fn uses_secret(db: &Db, team: TeamId, secret: BlobId) -> Result<bool, DbError> {
    let sql =
        "select endpoint_id from webhook_endpoint where team_id = $1 and secret_id = $2 limit 1";
    let params = vec![team.key().into(), secret.key().into()];
    Ok(!db.read(sql, params).await?.is_empty())
}

/// Endpoints for which there is something to do.
pub struct Wanted {
    /// The time.
    pub now: Timestamp,
    /// Those that take nothing at present; else those that do.
    pub failing: bool,
    /// None of these teams', of whom there may be eight.
    pub without: Vec<TeamId>,
    /// At most so many.
    pub limit: i64,
}

/// Teams that a claim can leave out.
const WITHOUT_MAX: usize = 8;

/// The endpoints for which there is something to do: `$1` is the time, `$2` whether they fail, `$3` to `$10` are the teams that are left
/// out. The feed shows no row that an older commit may still come before.
macro_rules! to_do {
    () => {
        "from webhook_endpoint e where e.enabled = 1 and e.lease_until <= $1 and e.retry_at <= $1 \
        and (case when e.failures > 0 then 1 else 0 end) = $2 and e.team_id not in ($3, $4, $5, $6, $7, $8, $9, $10) \
        and (e.turn <> '' or exists (select 1 from event v where v.team_id = e.team_id and v.stamp >= e.place_stamp and v.stamp < settled_stamp() \
        and (v.stamp > e.place_stamp or v.stream > e.place_stream or (v.stream = e.place_stream and v.seq > e.place_seq))) \
        or exists (select 1 from webhook_delivery d where d.team_id = e.team_id and d.endpoint_id = e.endpoint_id \
        and d.state = 'PENDING' and d.next_at <= $1))"
    };
}

impl Wanted {
    fn params(&self) -> Vec<Value> {
        let without = self.without.iter().map(|team| team.key().into());
        let nobody = std::iter::repeat("".into());
        [self.now.micros().into(), i64::from(self.failing).into()]
            .into_iter()
            .chain(without.chain(nobody).take(WITHOUT_MAX))
            .collect()
    }
}

/// Whether there is something to do for any endpoint. A read, so that the job writes nothing while there is not.
pub async fn any_to_do(db: &Db, wanted: &Wanted) -> Result<bool, DbError> {
    // Jobs serve every team.
    let sql = concat!("select 1 ", to_do!(), " limit 1");
    Ok(!db.read(sql, wanted.params()).await?.is_empty())
}

/// Takes endpoints of any team for which there is something to do, those first that nobody has had for the longest time: until
/// `lease_until` nobody else takes them.
pub async fn claim(
    db: &Db,
    wanted: &Wanted,
    token: &str,
    lease_until: Timestamp,
) -> Result<Vec<Lease>, DbError> {
    // Jobs serve every team; the rows taken carry their team with them.
    let sql = concat!(
        "update webhook_endpoint set lease = $12, lease_until = $13 where (team_id, endpoint_id) in \
         (select e.team_id, e.endpoint_id ",
        to_do!(),
        " order by e.lease_until limit $11) and lease_until <= $1 returning team_id, endpoint_id"
    );
    let mut params = wanted.params();
    params.extend([
        wanted.limit.into(),
        token.into(),
        lease_until.micros().into(),
    ]);
    let rows = db.claim_for_sweep(sql, params).await?;
    rows.iter()
        .map(|row| {
            let team = TeamId::parse(row.text(0)?);
            let endpoint = EndpointId::parse(row.text(1)?);
            let keys = team.zip(endpoint);
            let (team, endpoint) = keys.ok_or_else(corrupt)?;
            Ok(Lease {
                team,
                endpoint,
                token: token.to_owned(),
            })
        })
        .collect()
}

/// How far an endpoint has come after a round.
pub struct Progress<'a> {
    /// Who worked on it.
    pub lease: &'a Lease,
    /// Up to where in the feed.
    pub place: &'a FeedPosition,
    /// How it does.
    pub health: Health,
    /// Until when the lease lasts; now to give it back.
    pub lease_until: Timestamp,
}

/// Notes how far an endpoint has come. Refused when the lease was lost.
pub fn advance(progress: &Progress<'_>) -> Statement {
    let health = progress.health;
    Statement::one(
        "update webhook_endpoint set place_stamp = $4, place_stream = $5, place_seq = $6, failures = $7, failing_since = $8, \
         retry_at = $9, lease_until = $10 where team_id = $1 and endpoint_id = $2 and lease = $3 and enabled = 1",
        vec![
            progress.lease.team.key().into(),
            progress.lease.endpoint.key().into(),
            progress.lease.token.as_str().into(),
            progress.place.stamp().into(),
            progress.place.stream().into(),
            progress.place.seq().into(),
            i64::from(health.failures).into(),
            health.failing_since.map(Timestamp::micros).into(),
            health.retry_at.map_or(0, Timestamp::micros).into(),
            progress.lease_until.micros().into(),
        ],
    )
}

/// Gives a lease back. Nobody takes the endpoint before `until`.
pub fn release(lease: &Lease, until: Timestamp) -> Statement {
    Statement::one(
        "update webhook_endpoint set lease_until = $4 where team_id = $1 and endpoint_id = $2 and lease = $3",
        vec![
            lease.team.key().into(),
            lease.endpoint.key().into(),
            lease.token.as_str().into(),
            until.micros().into(),
        ],
    )
}

/// Disables an endpoint that takes nothing, and counts the event of it.
pub fn give_up(lease: &Lease) -> Statement {
    Statement::one(
        "update webhook_endpoint set enabled = 0, lease = '', lease_until = 0, events = events + 1 \
         where team_id = $1 and endpoint_id = $2 and lease = $3 and enabled = 1",
        vec![
            lease.team.key().into(),
            lease.endpoint.key().into(),
            lease.token.as_str().into(),
        ],
    )
}

fn corrupt() -> DbError {
    DbError::Corrupt("webhook_endpoint: its keys".to_owned())
}

fn read(team: TeamId, row: &Row) -> Result<Endpoint, DbError> {
    let kinds = row.text(2)?;
    let entries = kinds.split(',').filter(|entry| !entry.is_empty());
    let retry_at = row.int(11)?;
    Ok(Endpoint {
        team,
        id: EndpointId::parse(row.text(0)?).ok_or_else(corrupt)?,
        url: row.text(1)?.to_owned(),
        kinds: KindFilter::of_stored(entries.map(str::to_owned).collect()),
        enabled: row.flag(3)?,
        secret: BlobId::parse(row.text(4)?).ok_or_else(corrupt)?,
        created_at: row.time(5)?,
        place: FeedPosition::of(row.int(6)?, row.text(7)?, row.int(8)?),
        health: Health {
            failures: u32::try_from(row.int(9)?).unwrap_or(u32::MAX),
            failing_since: row.opt_time(10)?,
            retry_at: (retry_at > 0).then(|| Timestamp::from_micros(retry_at)),
        },
        events: u64::try_from(row.int(12)?).unwrap_or_default(),
        turn: match row.text(13)? {
            "REVIVE" => Some(Turn::Revive(row.time(14)?)),
            "SKIP" => Some(Turn::Skip(row.time(14)?)),
            _ => None,
        },
    })
}
