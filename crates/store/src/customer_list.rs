//! Lists of customers, in the order of dates: a customer's id is a UUID of version 7, so its order is that of time.
//!
//! An e-mail address is found as a whole, a name by a part of it; capitals and small letters don't matter, since the table
//! holds both in small letters. By address the list is read from an index; by a part of the name the query looks at the
//! team's customers in turn until the page is full.

use db::{Db, DbError, Row};
use domain::{cursor::CursorShape, customer::Customer, filter::SortOrder, id::TeamId};

use uuid::Uuid;

use crate::{
    dated_list::{self, Dated, Texts},
    part::{Listed, Part},
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

impl Dated for Customer {
    const NAME: &'static str = "customers";
    const TEXTS: Texts = Texts {
        rows: "select customer_id, body from customer where team_id = $1",
        ids: "select customer_id from customer where team_id = $1",
        count: "select count(*) from customer where team_id = $1",
        id: "customer_id",
    };

    fn read(row: &Row) -> Result<Self, DbError> {
        crate::customer::read(row)
    }

    fn uuid(&self) -> Uuid {
        self.id.uuid()
    }
}

/// The shape of the list's cursors in this order.
pub fn shape(order: SortOrder) -> CursorShape {
    dated_list::shape::<Customer>(order)
}

/// A part of a team's list.
pub async fn page(
    db: &Db,
    team: TeamId,
    wanted: &Wanted,
    part: &Part,
) -> Result<Listed<Customer>, DbError> {
    dated_list::page(db, conditions(team, wanted), wanted.order, part).await
}

/// How many customers a team's list has.
pub async fn count(db: &Db, team: TeamId, wanted: &Wanted) -> Result<i64, DbError> {
    dated_list::count::<Customer>(db, conditions(team, wanted)).await
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
