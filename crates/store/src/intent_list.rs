//! Lists of intents, in the order of dates: an intent's id is a UUID of version 7, so its order is that of time.
//!
//! By tracking id or by one status the list is read from an index; with several statuses the query looks at the team's
//! intents in turn until the page is full.

use db::{Db, DbError, Value};
use domain::{
    cursor::{Cursor, CursorShape},
    dated::id_floor,
    filter::SortOrder,
    id::TeamId,
    intent::{Intent, Status},
};

use crate::{
    part::{Listed, Part, comparisons, name_of},
    query::Conditions,
};

/// Which intents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The order of dates.
    pub order: SortOrder,
    /// With one of these statuses; none: with any.
    pub statuses: Vec<Status>,
    /// With this tracking id.
    pub tracking_id: Option<String>,
}

/// All of them, the newest first.
impl Default for Wanted {
    fn default() -> Self {
        Self {
            order: SortOrder::Descending,
            statuses: Vec::new(),
            tracking_id: None,
        }
    }
}

/// The shape of the list's cursors in this order.
pub fn shape(order: SortOrder) -> CursorShape {
    CursorShape::new("intents", name_of(order), Vec::new())
}

/// A part of a team's list.
pub async fn page(
    db: &Db,
    team: TeamId,
    wanted: &Wanted,
    part: &Part,
) -> Result<Listed<Intent>, DbError> {
    let (sql, params) = rows_query(team, wanted, part);
    let rows = db.scan(sql, params).await?;
    let rows = rows.iter().map(|row| {
        let intent = crate::intent::read(row)?;
        Ok((
            Cursor {
                keys: Vec::new(),
                id: intent.id.uuid(),
            },
            intent,
        ))
    });
    let rows = rows.collect::<Result<_, DbError>>()?;
    let behind = match &part.cursor {
        None => false,
        Some(cursor) => {
            let (sql, params) = behind_query(team, wanted, part, cursor);
            !db.scan(sql, params).await?.is_empty()
        }
    };
    Ok(Listed::of_read(rows, part, behind))
}

/// How many intents a team's list has.
pub async fn count(db: &Db, team: TeamId, wanted: &Wanted) -> Result<i64, DbError> {
    let conditions = conditions(team, wanted);
    let sql = format!(
        "select count(*) from intent where team_id = $1{}",
        conditions.text()
    );
    db.scan(sql, conditions.into_params())
        .await?
        .first()
        .map_or(Ok(0), |row| row.int(0))
}

fn conditions(team: TeamId, wanted: &Wanted) -> Conditions {
    let mut conditions = Conditions::of_team(team);
    if let Some(tracking_id) = &wanted.tracking_id {
        let tracking_id = conditions.bind(tracking_id.as_str());
        conditions.and(&format!("tracking_id = {tracking_id}"));
    }
    if !wanted.statuses.is_empty() {
        let statuses = conditions.bind_all(wanted.statuses.iter().map(|status| status.code()));
        conditions.and(&format!("status in ({statuses})"));
    }
    conditions
}

fn rows_query(team: TeamId, wanted: &Wanted, part: &Part) -> (String, Vec<Value>) {
    let mut conditions = conditions(team, wanted);
    let (beyond, _, by) = comparisons(wanted.order, part.direction);
    if let Some(cursor) = &part.cursor {
        let id = conditions.bind(cursor.id.hyphenated().to_string());
        conditions.and(&format!("intent_id {beyond} {id}"));
    }
    if let Some(until) = part.until {
        let until = conditions.bind(id_floor(until));
        conditions.and(&format!("intent_id < {until}"));
    }
    let limit = conditions.bind(i64::from(part.size) + 1);
    let held = conditions.text();
    let sql = format!(
        "select intent_id, body from intent where team_id = $1{held} order by intent_id{by} limit {limit}"
    );
    (sql, conditions.into_params())
}

/// The query of the cursor's own row, or one on its other side.
fn behind_query(
    team: TeamId,
    wanted: &Wanted,
    part: &Part,
    cursor: &Cursor,
) -> (String, Vec<Value>) {
    let mut conditions = conditions(team, wanted);
    let (_, behind, by) = comparisons(wanted.order, part.direction);
    let id = conditions.bind(cursor.id.hyphenated().to_string());
    conditions.and(&format!("intent_id {behind} {id}"));
    let held = conditions.text();
    // The nearest first: most likely the cursor's own.
    let back = if by.is_empty() { " desc" } else { "" };
    let sql = format!(
        "select intent_id from intent where team_id = $1{held} order by intent_id{back} limit 1"
    );
    (sql, conditions.into_params())
}
