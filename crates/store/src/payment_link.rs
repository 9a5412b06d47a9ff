//! Payment links.

use db::{Db, DbError, Row, Statement, Value};
use domain::{
    id::{IntentId, LinkId, PaymentId, TeamId},
    payment::{Payment, Status},
    payment_link::PaymentLink,
};

/// A link with the one payment that holds its intent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkRow {
    /// The link.
    pub link: PaymentLink,
    /// The live or paid payment of a link for one payment.
    pub payment: Option<(PaymentId, Status)>,
}

/// The links of a team, each with its payment where there is one.
const SELECT: &str = "select payment_link.link_id, payment_link.body, payment.payment_id, payment.status from payment_link \
    left join intent on intent.team_id = $1 and intent.intent_id = payment_link.intent_id \
    left join payment on payment.team_id = $1 and payment.payment_id = intent.payment_id \
    where payment_link.team_id = $1";

/// A new link.
pub fn insert(link: &PaymentLink) -> Statement {
    Statement::one(
        "insert into payment_link (team_id, link_id, version, token, intent_id, created_at, body) \
         values ($1, $2, $3, $4, $5, $6, $7)",
        vec![
            link.team.key().into(),
            link.id.key().into(),
            version(link.version),
            link.token.as_str().into(),
            link.intent.map(IntentId::key).into(),
            link.created_at.micros().into(),
            crate::text(link).into(),
        ],
    )
}

/// The next version of a link, guarded by the version before it.
pub fn update(link: &PaymentLink) -> Statement {
    Statement::one(
        "update payment_link set version = $3, body = $4 where team_id = $1 and link_id = $2 and version = $5",
        vec![
            link.team.key().into(),
            link.id.key().into(),
            version(link.version),
            crate::text(link).into(),
            version(link.version.saturating_sub(1)),
        ],
    )
}

/// Notes that a payment was made by a link.
pub fn note_payment(team: TeamId, link: LinkId, payment: PaymentId) -> Statement {
    Statement::one(
        "insert into payment_link_payment (team_id, link_id, payment_id) values ($1, $2, $3)",
        vec![team.key().into(), link.key().into(), payment.key().into()],
    )
}

/// The payments made by a link: the newest `limit` of them, oldest first.
pub async fn payments(
    db: &Db,
    team: TeamId,
    link: LinkId,
    limit: i64,
) -> Result<Vec<Payment>, DbError> {
    let sql = "select payment.payment_id, payment.body from payment_link_payment \
               join payment on payment.team_id = $1 and payment.payment_id = payment_link_payment.payment_id \
               where payment_link_payment.team_id = $1 and payment_link_payment.link_id = $2 \
               order by payment_link_payment.payment_id desc limit $3";
    let params = vec![team.key().into(), link.key().into(), limit.into()];
    let rows = db.scan(sql, params).await?;
    rows.iter().rev().map(crate::payment::read).collect()
}

/// A team's link by its id.
pub async fn of_team(db: &Db, team: TeamId, id: LinkId) -> Result<Option<LinkRow>, DbError> {
    let sql = format!("{SELECT} and payment_link.link_id = $2");
    let rows = db
        .read(sql, vec![team.key().into(), id.key().into()])
        .await?;
    rows.first().map(read).transpose()
}

/// A team's link by what stands in its address.
pub async fn by_token(db: &Db, team: TeamId, token: &str) -> Result<Option<LinkRow>, DbError> {
    let sql = format!("{SELECT} and payment_link.token = $2");
    let rows = db.read(sql, vec![team.key().into(), token.into()]).await?;
    rows.first().map(read).transpose()
}

/// A team's links, newest first: `limit` of them, those made before `after` when that is given.
pub async fn page(
    db: &Db,
    team: TeamId,
    after: Option<LinkId>,
    limit: i64,
) -> Result<Vec<LinkRow>, DbError> {
    // No id follows the highest one.
    let after = after.map_or_else(|| uuid::Uuid::max().hyphenated().to_string(), LinkId::key);
    let sql = format!(
        "{SELECT} and payment_link.link_id < $2 order by payment_link.link_id desc limit $3"
    );
    db.scan(sql, vec![team.key().into(), after.into(), limit.into()])
        .await?
        .iter()
        .map(read)
        .collect()
}

fn read(row: &Row) -> Result<LinkRow, DbError> {
    let link = crate::document(row.text(1)?, "payment link", row.text(0)?)?;
    let corrupt = || DbError::Corrupt("payment link: its payment".to_owned());
    let payment = match (row.opt_text(2)?, row.opt_text(3)?) {
        (Some(id), Some(status)) => {
            let payment = PaymentId::parse(id).zip(Status::parse(status));
            Some(payment.ok_or_else(corrupt)?)
        }
        (_, _) => None,
    };
    Ok(LinkRow { link, payment })
}

fn version(version: u64) -> Value {
    Value::Int(i64::try_from(version).unwrap_or(i64::MAX))
}
