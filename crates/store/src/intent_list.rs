//! Lists of intents, in the order of dates: an intent's id is a UUID of version 7, so its order is that of time.
//!
//! By tracking id or by one status the list is read from an index; with several statuses the query looks at the team's
//! intents in turn until the page is full.

use db::{Db, DbError, Row};
use domain::{
    cursor::CursorShape,
    filter::SortOrder,
    id::TeamId,
    intent::{Intent, Status},
};

use uuid::Uuid;

use crate::{
    dated_list::{self, Dated, Texts},
    part::{Listed, Part},
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

impl Dated for Intent {
    const NAME: &'static str = "intents";
    const TEXTS: Texts = Texts {
        rows: "select intent_id, body from intent where team_id = $1",
        ids: "select intent_id from intent where team_id = $1",
        count: "select count(*) from intent where team_id = $1",
        id: "intent_id",
    };

    fn read(row: &Row) -> Result<Self, DbError> {
        crate::intent::read(row)
    }

    fn uuid(&self) -> Uuid {
        self.id.uuid()
    }
}

/// The shape of the list's cursors in this order.
pub fn shape(order: SortOrder) -> CursorShape {
    dated_list::shape::<Intent>(order)
}

/// A part of a team's list.
pub async fn page(
    db: &Db,
    team: TeamId,
    wanted: &Wanted,
    part: &Part,
) -> Result<Listed<Intent>, DbError> {
    dated_list::page(db, conditions(team, wanted), wanted.order, part).await
}

/// How many intents a team's list has.
pub async fn count(db: &Db, team: TeamId, wanted: &Wanted) -> Result<i64, DbError> {
    dated_list::count::<Intent>(db, conditions(team, wanted)).await
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
