//! API keys and client tokens.

use db::{Db, DbError, Row, Statement};
use domain::{
    Timestamp,
    caller::{ClientGrant, Mode},
    id::{KeyId, PaymentId, TeamId},
    rights::Scopes,
};

/// What kind of credential a row holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CredentialKind {
    /// `sk_…`
    Secret,
    /// `pk_…`
    Public,
    /// `ct_…`
    Client,
}

impl CredentialKind {
    /// The kind as it is stored.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Secret => "secret",
            Self::Public => "public",
            Self::Client => "client",
        }
    }

    /// Reads the kind.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Secret, Self::Public, Self::Client]
            .into_iter()
            .find(|kind| kind.text() == text)
    }
}

/// A credential as it is stored: its hash, never itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// Its id.
    pub id: KeyId,
    /// Whose it is.
    pub team: TeamId,
    /// Its kind.
    pub kind: CredentialKind,
    /// Test or live.
    pub mode: Mode,
    /// The keyed hash of it.
    pub hash: String,
    /// What people call it.
    pub name: String,
    /// Its prefix and last four characters, for people.
    pub hint: String,
    /// What a client token was made for.
    pub grant: Option<ClientGrant>,
    /// Attempts that a client token has made.
    pub attempts: i64,
    /// The live or paid payment that a client token has made.
    pub live_payment: Option<PaymentId>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
    /// When a key was made to end, whatever was decided since.
    pub made_to_end_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// The secret key that made a client token.
    pub parent: Option<KeyId>,
    /// When a key was last used, to within some minutes.
    pub last_used_at: Option<Timestamp>,
    /// What a secret key may do.
    pub scopes: Scopes,
}

/// A credential as a request presents it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Presented {
    /// The credential.
    pub credential: Credential,
    /// Since when its team is closed.
    pub team_closed_at: Option<Timestamp>,
}

const COLUMNS: &str = "key_id, team_id, kind, mode, hash, name, hint, rights, attempts, live_payment, created_at, \
                       expires_at, revoked_at, parent_id, last_used_at, scopes, made_to_end_at";

/// A new credential.
pub fn insert(credential: &Credential) -> Statement {
    Statement::one(
        "insert into credential (key_id, team_id, kind, mode, hash, name, hint, rights, attempts, live_payment, created_at, \
         expires_at, revoked_at, parent_id, scopes, made_to_end_at) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, 0, null, $9, $10, null, $11, $12, $13)",
        vec![
            credential.id.key().into(),
            credential.team.key().into(),
            credential.kind.text().into(),
            mode_text(credential.mode).into(),
            credential.hash.as_str().into(),
            credential.name.as_str().into(),
            credential.hint.as_str().into(),
            credential.grant.as_ref().map(crate::text).into(),
            credential.created_at.micros().into(),
            credential.expires_at.map(Timestamp::micros).into(),
            credential.parent.map(KeyId::key).into(),
            Some(credential.scopes)
                .filter(|scopes| *scopes != Scopes::ALL)
                .map(Scopes::text)
                .into(),
            credential.made_to_end_at.map(Timestamp::micros).into(),
        ],
    )
}

/// Ends a credential from now on.
pub fn revoke(team: TeamId, id: KeyId, at: Timestamp) -> Statement {
    Statement::one(
        "update credential set revoked_at = $3 where team_id = $1 and key_id = $2 and revoked_at is null",
        vec![team.key().into(), id.key().into(), at.micros().into()],
    )
}

/// Ends a team's client tokens that were made under this name.
pub fn revoke_named(team: TeamId, name: &str, at: Timestamp) -> Statement {
    Statement::any(
        "update credential set revoked_at = $3 where team_id = $1 and name = $2 and kind = 'client' and revoked_at is null",
        vec![team.key().into(), name.into(), at.micros().into()],
    )
}

/// Ends a credential at a time, unless it ends earlier. Touches no row when it does, or is revoked.
pub fn end_at(team: TeamId, id: KeyId, at: Timestamp) -> Statement {
    Statement::one(
        "update credential set expires_at = $3 where team_id = $1 and key_id = $2 and revoked_at is null \
         and (expires_at is null or expires_at > $3)",
        vec![team.key().into(), id.key().into(), at.micros().into()],
    )
}

/// Notes that a credential was used at `at`, unless a use after `unless_after` is noted already.
pub fn note_use(team: TeamId, id: KeyId, at: Timestamp, unless_after: Timestamp) -> Statement {
    Statement::any(
        "update credential set last_used_at = $3 where team_id = $1 and key_id = $2 \
         and (last_used_at is null or last_used_at <= $4)",
        vec![
            team.key().into(),
            id.key().into(),
            at.micros().into(),
            unless_after.micros().into(),
        ],
    )
}

/// Counts an attempt of a client token and claims its one live payment. Touches no row when the token has one, or has
/// made `most` attempts.
pub fn claim_payment(team: TeamId, id: KeyId, payment: PaymentId, most: i64) -> Statement {
    Statement::one(
        "update credential set attempts = attempts + 1, live_payment = $3 \
         where team_id = $1 and key_id = $2 and live_payment is null and attempts < $4",
        vec![
            team.key().into(),
            id.key().into(),
            payment.key().into(),
            most.into(),
        ],
    )
}

/// Counts a number that a client token brings by its mark, unless it is counted already. Touches no row when it is another
/// one than the `most` that the token may bring.
pub fn count_number(team: TeamId, id: KeyId, mark: &str, most: i64) -> Statement {
    // A mark is counted when taking it out changes the text.
    Statement::one(
        "update credential set \
         numbers = case when replace(coalesce(number_marks, ''), $3, '') = coalesce(number_marks, '') \
         then coalesce(numbers, 0) + 1 else numbers end, \
         number_marks = case when replace(coalesce(number_marks, ''), $3, '') = coalesce(number_marks, '') \
         then coalesce(number_marks, '') || $3 else number_marks end \
         where team_id = $1 and key_id = $2 \
         and (coalesce(numbers, 0) < $4 or replace(coalesce(number_marks, ''), $3, '') <> coalesce(number_marks, ''))",
        vec![
            team.key().into(),
            id.key().into(),
            format!(".{mark}").into(),
            most.into(),
        ],
    )
}

/// Frees a client token whose payment has ended without money.
pub fn release_payment(team: TeamId, id: KeyId, payment: PaymentId) -> Statement {
    Statement::any(
        "update credential set live_payment = null where team_id = $1 and key_id = $2 and live_payment = $3",
        vec![team.key().into(), id.key().into(), payment.key().into()],
    )
}

/// The credential with this hash, of whatever team: the hash is what leads to the team.
pub async fn by_hash(db: &Db, hash: &str) -> Result<Option<Presented>, DbError> {
    let sql = format!(
        "select {COLUMNS}, (select closed_at from team where team.team_id = credential.team_id) \
         from credential where hash = $1"
    );
    let rows = db.read(sql, vec![hash.into()]).await?;
    rows.first()
        .map(|row| {
            Ok(Presented {
                credential: read(row)?,
                team_closed_at: row.opt_time(17)?,
            })
        })
        .transpose()
}

/// A team's credential by its id.
pub async fn of_team(db: &Db, team: TeamId, id: KeyId) -> Result<Option<Credential>, DbError> {
    let sql = format!("select {COLUMNS} from credential where team_id = $1 and key_id = $2");
    db.read(sql, vec![team.key().into(), id.key().into()])
        .await?
        .first()
        .map(read)
        .transpose()
}

/// A credential by its id, of whatever team. For the people who run the service.
pub async fn by_id(db: &Db, id: KeyId) -> Result<Option<Credential>, DbError> {
    let sql = format!("select {COLUMNS} from credential where key_id = $1");
    db.read(sql, vec![id.key().into()])
        .await?
        .first()
        .map(read)
        .transpose()
}

/// A team's keys, oldest first, without client tokens.
pub async fn keys_of_team(db: &Db, team: TeamId) -> Result<Vec<Credential>, DbError> {
    let sql = format!(
        "select {COLUMNS} from credential where team_id = $1 and kind <> 'client' order by created_at, key_id"
    );
    db.scan(sql, vec![team.key().into()])
        .await?
        .iter()
        .map(read)
        .collect()
}

/// A team's client tokens, newest first: `limit` of them, those made before `after` when that is given.
pub async fn client_tokens(
    db: &Db,
    team: TeamId,
    after: Option<KeyId>,
    limit: i64,
) -> Result<Vec<Credential>, DbError> {
    // Ids are UUIDs of version 7, so their order is that of time; no id follows the highest one.
    let after = after.map_or_else(|| uuid::Uuid::max().hyphenated().to_string(), KeyId::key);
    let sql = format!(
        "select {COLUMNS} from credential where team_id = $1 and kind = 'client' and key_id < $2 order by key_id desc limit $3"
    );
    db.scan(sql, vec![team.key().into(), after.into(), limit.into()])
        .await?
        .iter()
        .map(read)
        .collect()
}

/// Removes client tokens of any team that ended before `before`. Only those later than `after` are
/// looked at, see [`crate::overdue`]. Returns their times.
pub async fn sweep(
    db: &Db,
    before: Timestamp,
    after: Timestamp,
    limit: i64,
) -> Result<Vec<Timestamp>, DbError> {
    // Life times are the same for every team; the rows removed carry no data out.
    let sql = "delete from credential where key_id in (select key_id from credential \
               where kind = 'client' and expires_at is not null and expires_at > $3 and expires_at <= $1 order by expires_at limit $2) returning expires_at";
    db.claim_for_sweep(
        sql,
        vec![before.micros().into(), limit.into(), after.micros().into()],
    )
    .await?
    .iter()
    .map(|row| row.int(0).map(Timestamp::from_micros))
    .collect()
}

fn read(row: &Row) -> Result<Credential, DbError> {
    let corrupt = |what: &str| DbError::Corrupt(format!("credential: {what}"));
    let key = row.text(0)?;
    Ok(Credential {
        id: KeyId::parse(key).ok_or_else(|| corrupt("its key"))?,
        team: TeamId::parse(row.text(1)?).ok_or_else(|| corrupt("its team"))?,
        kind: CredentialKind::parse(row.text(2)?).ok_or_else(|| corrupt("its kind"))?,
        mode: parse_mode(row.text(3)?).ok_or_else(|| corrupt("its mode"))?,
        hash: row.text(4)?.to_owned(),
        name: row.text(5)?.to_owned(),
        hint: row.text(6)?.to_owned(),
        grant: row
            .opt_text(7)?
            .map(|text| crate::document(text, "credential", key))
            .transpose()?,
        attempts: row.int(8)?,
        live_payment: row.opt_text(9)?.and_then(PaymentId::parse),
        created_at: row.time(10)?,
        expires_at: row.opt_time(11)?,
        revoked_at: row.opt_time(12)?,
        parent: row.opt_text(13)?.and_then(KeyId::parse),
        last_used_at: row.opt_time(14)?,
        scopes: match row.opt_text(15)? {
            Some(text) => Scopes::parse(text).ok_or_else(|| corrupt("its scopes"))?,
            None => Scopes::ALL,
        },
        made_to_end_at: row.opt_time(16)?,
    })
}

const fn mode_text(mode: Mode) -> &'static str {
    match mode {
        Mode::Test => "test",
        Mode::Live => "live",
    }
}

fn parse_mode(text: &str) -> Option<Mode> {
    [Mode::Test, Mode::Live]
        .into_iter()
        .find(|mode| mode_text(*mode) == text)
}
