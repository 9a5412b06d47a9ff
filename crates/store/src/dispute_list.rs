//! Lists of disputes: any filter, any order, page by page.
//!
//! A team has few disputes for its payments, so that only the list by date has an index. A page begins at the values that its cursor
//! holds, so that rows which are added move nothing.

use db::{Db, DbError, Row, Value};
use domain::{
    cursor::{Cursor, CursorShape, KeyKind, KeyValue},
    dispute::{Dispute, DisputeField, DisputeSort, DisputeSortField},
    filter::{Condition, FieldKind, FilterField, Predicate, SortOrder, Span},
    id::TeamId,
    page::Direction,
};

use crate::{
    part::{Listed, Part, bound},
    query::Conditions,
};

/// The time to respond as a key of the order: what has none comes last.
const RESPONSE_DATE: &str = "coalesce(response_at, 9223372036854775807)";

/// Which disputes, in which order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// What must hold for each of them.
    pub conditions: Vec<Condition<DisputeField>>,
    /// The order.
    pub sort: DisputeSort,
}

/// The shape of the list's cursors in this order.
pub fn shape(sort: &DisputeSort) -> CursorShape {
    let keys = sort.keys().iter();
    let order: Vec<String> = keys
        .clone()
        .map(|key| format!("{} {}", key.field, key.order))
        .collect();
    let kinds = keys.map(|key| match key.field {
        DisputeSortField::Date | DisputeSortField::ResponseDate | DisputeSortField::Amount => {
            KeyKind::Int
        }
        DisputeSortField::Status | DisputeSortField::Currency => KeyKind::Text,
    });
    CursorShape::new("disputes", &order.join(","), kinds.collect())
}

/// A part of a team's list.
pub async fn page(
    db: &Db,
    team: TeamId,
    wanted: &Wanted,
    part: &Part,
) -> Result<Listed<Dispute>, DbError> {
    let query = Query { team, wanted };
    let (sql, params) = query.rows(part);
    let rows = db.scan(sql, params).await?;
    let rows = rows
        .iter()
        .map(|row| query.read(row))
        .collect::<Result<_, _>>()?;
    let behind = match &part.cursor {
        None => false,
        Some(cursor) => {
            let (sql, params) = query.behind(cursor, part.direction);
            !db.scan(sql, params).await?.is_empty()
        }
    };
    Ok(Listed::of_read(rows, part, behind))
}

/// How many disputes a team's list has.
pub async fn count(db: &Db, team: TeamId, wanted: &Wanted) -> Result<i64, DbError> {
    let conditions = Query { team, wanted }.conditions();
    let sql = format!(
        "select count(*) from dispute where team_id = $1{}",
        conditions.text()
    );
    db.scan(sql, conditions.into_params())
        .await?
        .first()
        .map_or(Ok(0), |row| row.int(0))
}

/// A list whose queries are written here.
struct Query<'a> {
    team: TeamId,
    wanted: &'a Wanted,
}

impl Query<'_> {
    /// The rows of a part, and one more.
    fn rows(&self, part: &Part) -> (String, Vec<Value>) {
        let mut conditions = self.conditions();
        if let Some(cursor) = &part.cursor {
            let beyond = self.beyond(cursor, part.direction, &mut conditions);
            conditions.and(&beyond);
        }
        let limit = conditions.bind(i64::from(part.size) + 1);
        let by = self.order_text(part.direction);
        let held = conditions.text();
        let sql = format!(
            "select dispute_id, body, disputed_at, amount, status, currency, {RESPONSE_DATE} from dispute \
             where team_id = $1{held} order by {by} limit {limit}"
        );
        (sql, conditions.into_params())
    }

    /// Whether there is a row on the cursor's other side, itself included.
    fn behind(&self, cursor: &Cursor, direction: Direction) -> (String, Vec<Value>) {
        let mut conditions = self.conditions();
        let beyond = self.beyond(cursor, direction, &mut conditions);
        conditions.and(&format!("not ({beyond})"));
        let held = conditions.text();
        let sql = format!("select dispute_id from dispute where team_id = $1{held} limit 1");
        (sql, conditions.into_params())
    }

    fn conditions(&self) -> Conditions {
        let mut conditions = Conditions::of_team(self.team);
        for condition in &self.wanted.conditions {
            let field = condition.field();
            let text = written(field, &condition.predicate(), &mut conditions);
            conditions.and(&text);
        }
        conditions
    }

    /// The condition that a row lies beyond the cursor in the direction of reading.
    fn beyond(&self, cursor: &Cursor, direction: Direction, conditions: &mut Conditions) -> String {
        let comparison = |order| match ahead(order, direction) {
            SortOrder::Ascending => ">",
            SortOrder::Descending => "<",
        };
        let id = conditions.bind(cursor.id.hyphenated().to_string());
        let last = format!(
            "dispute_id {} {id}",
            comparison(self.wanted.sort.id_order())
        );
        let keys: Vec<_> = self.wanted.sort.keys().iter().zip(&cursor.keys).collect();
        keys.into_iter().rev().fold(last, |rest, (key, value)| {
            let column = column_of(key.field);
            let value = conditions.bind(bound(value));
            let sign = comparison(key.order);
            format!("{column} {sign}= {value} and ({column} {sign} {value} or {rest})")
        })
    }

    /// What follows `order by`.
    fn order_text(&self, direction: Direction) -> String {
        let sort = &self.wanted.sort;
        let keys = sort
            .keys()
            .iter()
            .map(|key| (column_of(key.field), key.order));
        let each: Vec<String> = keys
            .chain([("dispute_id", sort.id_order())])
            .map(|(column, order)| match ahead(order, direction) {
                SortOrder::Ascending => column.to_owned(),
                SortOrder::Descending => format!("{column} desc"),
            })
            .collect();
        each.join(", ")
    }

    fn read(&self, row: &Row) -> Result<(Cursor, Dispute), DbError> {
        let dispute = crate::dispute::read(row)?;
        let keys = self.wanted.sort.keys().iter().map(|key| {
            Ok(match key.field {
                DisputeSortField::Date => KeyValue::Int(row.int(2)?),
                DisputeSortField::ResponseDate => KeyValue::Int(row.int(6)?),
                DisputeSortField::Amount => KeyValue::Int(row.int(3)?),
                DisputeSortField::Status => KeyValue::Text(row.text(4)?.to_owned()),
                DisputeSortField::Currency => KeyValue::Text(row.text(5)?.to_owned()),
            })
        });
        let keys = keys.collect::<Result<_, DbError>>()?;
        let id = dispute.id().uuid();
        Ok((Cursor { keys, id }, dispute))
    }
}

const fn column_of(field: DisputeSortField) -> &'static str {
    match field {
        DisputeSortField::Date => "disputed_at",
        DisputeSortField::ResponseDate => RESPONSE_DATE,
        DisputeSortField::Amount => "amount",
        DisputeSortField::Status => "status",
        DisputeSortField::Currency => "currency",
    }
}

/// In which order a key runs when the list is read in the direction.
const fn ahead(order: SortOrder, direction: Direction) -> SortOrder {
    match (order, direction) {
        (SortOrder::Ascending, Direction::Forward)
        | (SortOrder::Descending, Direction::Backward) => SortOrder::Ascending,
        (SortOrder::Descending, Direction::Forward)
        | (SortOrder::Ascending, Direction::Backward) => SortOrder::Descending,
    }
}

/// What a filter of a field selects, in SQL.
fn written(field: DisputeField, predicate: &Predicate, conditions: &mut Conditions) -> String {
    let column = match field {
        DisputeField::Status => "status",
        DisputeField::LifecycleStage => "stage",
        DisputeField::Reason => "reason",
        DisputeField::DisputeDate => "disputed_at",
        DisputeField::ResponseDate => "response_at",
        DisputeField::Currency => "currency",
        DisputeField::Amount => "amount",
        DisputeField::PaymentId => "payment_id",
        DisputeField::SourceDisputeId => "source_id",
    };
    match predicate {
        Predicate::Within(spans) => {
            let each: Vec<String> = spans
                .iter()
                .map(|span| within(column, *span, conditions))
                .collect();
            any_of(&each)
        }
        Predicate::Outside(span) => {
            let inside = within(column, *span, conditions);
            format!("({column} is null or not {inside})")
        }
        Predicate::OneOf(texts) if texts.is_empty() => any_of(&[]),
        Predicate::OneOf(texts) => {
            let places = conditions.bind_all(texts.iter().map(String::as_str));
            format!("{column} in ({places})")
        }
        Predicate::Not(text) => {
            let place = conditions.bind(text.as_str());
            format!("({column} is null or {column} <> {place})")
        }
        Predicate::Contains(part) if part.is_empty() => format!("{column} is not null"),
        Predicate::Contains(part) => {
            let place = conditions.bind(part.as_str());
            format!("replace({column}, {place}, '') <> {column}")
        }
        Predicate::Empty if field.kind() == FieldKind::Text => {
            format!("coalesce({column}, '') = ''")
        }
        Predicate::NotEmpty if field.kind() == FieldKind::Text => {
            format!("coalesce({column}, '') <> ''")
        }
        Predicate::Empty => format!("{column} is null"),
        Predicate::NotEmpty => format!("{column} is not null"),
    }
}

fn within(column: &str, span: Span, conditions: &mut Conditions) -> String {
    let from = span
        .min
        .map(|min| format!("{column} >= {}", conditions.bind(min)));
    let to = span
        .max
        .map(|max| format!("{column} <= {}", conditions.bind(max)));
    let ends: Vec<String> = from.into_iter().chain(to).collect();
    if ends.is_empty() {
        format!("({column} is not null)")
    } else {
        format!("({})", ends.join(" and "))
    }
}

/// One of these holds; none of none does.
fn any_of(each: &[String]) -> String {
    if each.is_empty() {
        "1 = 0".to_owned()
    } else {
        format!("({})", each.join(" or "))
    }
}
