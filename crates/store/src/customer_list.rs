//! Lists of customers, in the order of dates: a customer's id is a UUID of version 7, so its order is that of time.
//!
//! An e-mail address is found as a whole, a name by a part of it; capitals and small letters don't matter, since the table
//! holds both in small letters. By address the list is read from an index; by a part of the name the query looks at the
//! team's customers in turn until the page is full.

use db::{Db, DbError, Value};
use domain::{
    cursor::{Cursor, CursorShape},
    customer::Customer,
    dated::id_floor,
    filter::SortOrder,
    id::TeamId,
};

use crate::{
    part::{Listed, Part, comparisons, name_of},
    query::Conditions,
};

/// Which customers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The order of dates.
    pub order: SortOrder,
    /// With this e-mail address.
    pub email: Option<String>,
    /// With this text in their name.
    pub name: Option<String>,
}

/// All of them, the newest first.
impl Default for Wanted {
    fn default() -> Self {
        Self {
            order: SortOrder::Descending,
            email: None,
            name: None,
        }
    }
}

/// The shape of the list's cursors in this order.
pub fn shape(order: SortOrder) -> CursorShape {
    CursorShape::new("customers", name_of(order), Vec::new())
}

/// A part of a team's list.
pub async fn page(
    db: &Db,
    team: TeamId,
    wanted: &Wanted,
    part: &Part,
) -> Result<Listed<Customer>, DbError> {
    let (sql, params) = rows_query(team, wanted, part);
    let rows = db.scan(sql, params).await?;
    let rows = rows.iter().map(|row| {
        let customer = crate::customer::read(row)?;
        Ok((
            Cursor {
                keys: Vec::new(),
                id: customer.id.uuid(),
            },
            customer,
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

/// How many customers a team's list has.
pub async fn count(db: &Db, team: TeamId, wanted: &Wanted) -> Result<i64, DbError> {
    let conditions = conditions(team, wanted);
    let sql = format!(
        "select count(*) from customer where team_id = $1{}",
        conditions.text()
    );
    db.scan(sql, conditions.into_params())
        .await?
        .first()
        .map_or(Ok(0), |row| row.int(0))
}

fn conditions(team: TeamId, wanted: &Wanted) -> Conditions {
    let mut conditions = Conditions::of_team(team);
    if let Some(email) = &wanted.email {
        let email = conditions.bind(email.to_lowercase());
        conditions.and(&format!("email = {email}"));
    }
    // The empty text is in every name.
    if let Some(name) = wanted.name.as_ref().filter(|name| !name.is_empty()) {
        let part = conditions.bind(name.to_lowercase());
        conditions.and(&format!("replace(name, {part}, '') <> name"));
    }
    conditions
}

fn rows_query(team: TeamId, wanted: &Wanted, part: &Part) -> (String, Vec<Value>) {
    let mut conditions = conditions(team, wanted);
    let (beyond, _, by) = comparisons(wanted.order, part.direction);
    if let Some(cursor) = &part.cursor {
        let id = conditions.bind(cursor.id.hyphenated().to_string());
        conditions.and(&format!("customer_id {beyond} {id}"));
    }
    if let Some(until) = part.until {
        let until = conditions.bind(id_floor(until));
        conditions.and(&format!("customer_id < {until}"));
    }
    let limit = conditions.bind(i64::from(part.size) + 1);
    let held = conditions.text();
    let sql = format!(
        "select customer_id, body from customer where team_id = $1{held} order by customer_id{by} limit {limit}"
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
    conditions.and(&format!("customer_id {behind} {id}"));
    let held = conditions.text();
    // The nearest first: most likely the cursor's own.
    let back = if by.is_empty() { " desc" } else { "" };
    let sql = format!(
        "select customer_id from customer where team_id = $1{held} order by customer_id{back} limit 1"
    );
    (sql, conditions.into_params())
}
