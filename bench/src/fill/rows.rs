//! Rows that are copied with other ids, dates and amounts.

use super::Table;

/// The amount of every example: a number that stands nowhere else.
pub(crate) const AMOUNT: i64 = 7_310_099;
/// The order of every example that has one.
pub(crate) const ORDER: &str = "order-template";

/// A day, and the time for which an example may look ahead. Unit: microseconds.
const DAY: i64 = 24 * 60 * 60 * 1_000_000;
const AHEAD: i64 = 40 * DAY;

/// A value of a column.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cell {
    Null,
    Int(i64),
    Text(String),
}

/// A row as it was read: its columns and their values.
pub(crate) type Row = Vec<(String, Cell)>;

/// What an example's rows hold that is another in each copy.
#[derive(Debug, Clone, Default)]
pub(crate) struct Marks {
    pub(crate) team: String,
    pub(crate) payment: String,
    pub(crate) intent: Option<String>,
    pub(crate) customer: String,
    /// When the example was made, in microseconds.
    pub(crate) micros: i64,
}

/// What a copy holds in their places.
#[derive(Debug, Clone, Default)]
pub(crate) struct Filling {
    pub(crate) team: String,
    pub(crate) payment: String,
    pub(crate) intent: String,
    pub(crate) customer: String,
    pub(crate) order: String,
    pub(crate) amount: i64,
    /// When it is made.
    pub(crate) milli: u64,
    /// Random, 32 hexadecimal digits.
    pub(crate) fresh: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Plain(String),
    Team,
    Payment,
    Intent,
    Customer,
    Order,
    Amount,
    /// So many microseconds after the beginning.
    Time(i64),
    Fresh,
}

#[derive(Debug, Clone)]
enum Column {
    Same(Cell),
    Number(Piece),
    Text(Vec<Piece>),
}

/// A row to be copied.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    pub(crate) table: Table,
    names: Vec<String>,
    columns: Vec<Column>,
}

impl Shape {
    /// The shapes of rows of an example.
    pub(crate) fn of(rows: &[Row], table: Table, marks: &Marks) -> Vec<Self> {
        let shape = |row: &Row| Self {
            table,
            names: row.iter().map(|(name, _)| name.clone()).collect(),
            columns: row
                .iter()
                .map(|(name, cell)| column(name, cell, marks))
                .collect(),
        };
        rows.iter().map(shape).collect()
    }

    /// A copy: its table, its columns, its values.
    pub(crate) fn filled(&self, filling: &Filling) -> (Table, &[String], Vec<Cell>) {
        let cell = |column: &Column| match column {
            Column::Same(cell) => cell.clone(),
            Column::Number(piece) => Cell::Int(number(piece, filling)),
            Column::Text(pieces) => {
                let mut text = String::with_capacity(2600);
                for piece in pieces {
                    write(piece, filling, &mut text);
                }
                text.shrink_to_fit();
                Cell::Text(text)
            }
        };
        (
            self.table,
            &self.names,
            self.columns.iter().map(cell).collect(),
        )
    }
}

/// After every text that begins with this one and goes on with a digit, a letter or a hyphen.
pub(crate) fn after(text: &str) -> String {
    format!("{text}~")
}

fn column(name: &str, cell: &Cell, marks: &Marks) -> Column {
    match cell {
        Cell::Int(value) => match digits(*value, marks) {
            Piece::Plain(_) => Column::Same(cell.clone()),
            piece => Column::Number(piece),
        },
        Cell::Text(_) if name == "change_id" => Column::Text(vec![Piece::Fresh]),
        Cell::Text(text) => Column::Text(pieces(text, marks)),
        Cell::Null => Column::Same(Cell::Null),
    }
}

/// What a number stands for.
fn digits(value: i64, marks: &Marks) -> Piece {
    if value == AMOUNT {
        return Piece::Amount;
    }
    let after = value.saturating_sub(marks.micros);
    if (-DAY..AHEAD).contains(&after) {
        Piece::Time(after)
    } else {
        Piece::Plain(value.to_string())
    }
}

fn pieces(text: &str, marks: &Marks) -> Vec<Piece> {
    let named = [
        (marks.team.as_str(), Piece::Team),
        (marks.payment.as_str(), Piece::Payment),
        (marks.intent.as_deref().unwrap_or_default(), Piece::Intent),
        (marks.customer.as_str(), Piece::Customer),
        (ORDER, Piece::Order),
    ];
    let (mut pieces, mut plain, mut rest) = (Vec::new(), String::new(), text);
    while let Some(first) = rest.chars().next() {
        let found = named
            .iter()
            .find(|(mark, _)| !mark.is_empty() && rest.starts_with(mark));
        let (piece, length) = if let Some((mark, piece)) = found {
            (Some(piece.clone()), mark.len())
        } else {
            let count = rest.bytes().take_while(u8::is_ascii_digit).count();
            let value = rest.get(..count).and_then(|digits| digits.parse().ok());
            // Not digits inside of an id.
            let inside = |next: char| next.is_ascii_alphanumeric() || next == '-';
            let alone = !plain.ends_with(inside)
                && !rest
                    .get(count..)
                    .is_some_and(|after| after.starts_with(inside));
            let piece = value.filter(|_| alone).map(|value| digits(value, marks));
            (
                piece.filter(|piece| !matches!(piece, Piece::Plain(_))),
                count.max(first.len_utf8()),
            )
        };
        let (taken, left) = rest.split_at(length);
        match piece {
            None => plain.push_str(taken),
            Some(piece) => {
                pieces.push(Piece::Plain(std::mem::take(&mut plain)));
                pieces.push(piece);
            }
        }
        rest = left;
    }
    pieces.push(Piece::Plain(plain));
    pieces
}

fn number(piece: &Piece, filling: &Filling) -> i64 {
    match piece {
        Piece::Amount => filling.amount,
        Piece::Time(after) => i64::try_from(filling.milli * 1000)
            .unwrap_or(i64::MAX)
            .saturating_add(*after),
        _ => 0,
    }
}

fn write(piece: &Piece, filling: &Filling, text: &mut String) {
    text.push_str(match piece {
        Piece::Plain(plain) => plain,
        Piece::Team => &filling.team,
        Piece::Payment => &filling.payment,
        Piece::Intent => &filling.intent,
        Piece::Customer => &filling.customer,
        Piece::Order => &filling.order,
        Piece::Fresh => &filling.fresh,
        Piece::Amount | Piece::Time(_) => {
            return text.push_str(&number(piece, filling).to_string());
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_the_row_with_its_own_ids_dates_and_amount() {
        let marks = Marks {
            team: "t-1".into(),
            payment: "01a1-72".into(),
            micros: 1_795_289_716_370_000,
            ..Marks::default()
        };
        let body = r#"{"id":"01a1-72","made":1795289716370826,"minor":7310099,"hash":"1795289716370826ab","order":"order-template"}"#;
        let row = vec![
            ("team_id".to_owned(), Cell::Text("t-1".into())),
            ("due_at".to_owned(), Cell::Null),
            ("amount".to_owned(), Cell::Int(7_310_099)),
            ("created_at".to_owned(), Cell::Int(1_795_289_716_370_000)),
            ("seq".to_owned(), Cell::Int(2)),
            ("body".to_owned(), Cell::Text(body.into())),
        ];
        let filling = Filling {
            team: "t-2".into(),
            payment: "0000-71".into(),
            order: "o-9".into(),
            amount: 5,
            milli: 1_000,
            ..Filling::default()
        };
        let shapes = Shape::of(&[row], Table::Payment, &marks);
        let (table, names, cells) = shapes[0].filled(&filling);
        assert_eq!((table, names.len()), (Table::Payment, 6));
        let body = r#"{"id":"0000-71","made":1000826,"minor":5,"hash":"1795289716370826ab","order":"o-9"}"#;
        let wanted = [
            Cell::Text("t-2".into()),
            Cell::Null,
            Cell::Int(5),
            Cell::Int(1_000_000),
            Cell::Int(2),
            Cell::Text(body.into()),
        ];
        assert_eq!(cells, wanted);
    }
}
