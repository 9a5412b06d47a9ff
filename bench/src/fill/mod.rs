//! Fills an installation with many payments, as they would stand there after years of use.
//!
//! The service makes one payment of every kind through its interface; the rows that it wrote for them (payment, events, intent,
//! customer, the simulator's books) are then copied many times, each copy with ids, dates, amounts, orders, customers and a team of
//! its own. So every row is one that the service writes, and a million of them take a minute or two.

mod chance;
mod kinds;
mod postgres;
mod rows;
mod sqlite;

use std::{
    ops::Range,
    time::{SystemTime, UNIX_EPOCH},
};

use anyhow::Context;

use crate::{client::Client, server::KEY};
use chance::Chance;
use kinds::{Example, Made};
pub(crate) use rows::{Cell, Row};
use rows::{Filling, Shape};

/// The payments lie in the days before now.
const DAYS: u64 = 365;
/// Unit: milliseconds.
const DAY: u64 = 24 * 60 * 60 * 1000;
/// A payment that still waits for something is no older than this: it would be dealt with at the start. Unit: milliseconds.
const WAITING: u64 = 20 * 60 * 60 * 1000;
/// The first team has all but so many thousandths of the payments; the others share these.
const OTHERS: u64 = 100;
const OTHER_TEAMS: u64 = 9;
/// Payments for each customer.
const FOR_EACH_CUSTOMER: u64 = 20;
/// Payments of the customer with few, the same in every installation, so that its pages are alike.
const FEW: u64 = 24;
/// Payments that are written in one transaction.
const AT_ONCE: u64 = 20_000;

/// The customer of one payment in a hundred.
pub(crate) const LARGE_CUSTOMER: u64 = 0;
/// The order of one payment in two hundred.
pub(crate) const LARGE_ORDER: &str = "subscription-2026";

/// Where the rows of an installation are.
pub(crate) trait FillTarget {
    /// The rows of a table whose column is in the range of texts, its end excluded.
    async fn find(
        &mut self,
        table: Table,
        column: &str,
        range: Range<&str>,
    ) -> anyhow::Result<Vec<Row>>;
    /// Adds rows, all or none; each comes with its table and the names of its columns.
    async fn add(&mut self, rows: &[(Table, &[String], Vec<Cell>)]) -> anyhow::Result<()>;
    /// After all rows are there.
    async fn finish(self) -> anyhow::Result<()>;
}

/// The tables that are filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Table {
    Team,
    Customer,
    Payment,
    Event,
    Intent,
    /// The simulator's books.
    Entry,
}

impl Table {
    pub(crate) const ALL: [Self; 6] = [
        Self::Team,
        Self::Customer,
        Self::Payment,
        Self::Event,
        Self::Intent,
        Self::Entry,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Team => "team",
            Self::Customer => "customer",
            Self::Payment => "payment",
            Self::Event => "event",
            Self::Intent => "intent",
            Self::Entry => "sim_entry",
        }
    }
}

/// What a fill put there, for those who look for it.
pub(crate) struct Filled {
    /// The customer with one payment in a hundred.
    pub(crate) large_customer: String,
    /// A customer with 24.
    pub(crate) customer: String,
    /// The time in the middle of all payments, in microseconds.
    pub(crate) middle: i64,
    /// The id of the first team's payment in the middle.
    pub(crate) payment: String,
    /// An order that the payment in the middle has.
    pub(crate) order: String,
}

/// Has the running service make one payment of each kind. Gives what [`fill`] copies.
pub(crate) async fn examples(host: &str) -> anyhow::Result<Vec<Made>> {
    kinds::make(&mut Client::open(host, KEY).await?).await
}

/// Fills the installation, which nobody serves, with so many payments.
pub(crate) async fn fill(
    mut place: impl FillTarget,
    made: &[Made],
    count: u64,
) -> anyhow::Result<Filled> {
    let mut examples = Vec::new();
    for made in made {
        examples.push(Example::read(&mut place, made).await?);
    }
    let first = examples.first().context("no example")?;
    let now = u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis())?;
    let teams = Teams {
        own: first.marks().team,
        start: now - DAYS * DAY,
        customers: (count / FOR_EACH_CUSTOMER).max(OTHERS),
    };
    add_teams(&mut place, first, &teams).await?;
    let draw = Draw {
        examples: &examples,
        teams: &teams,
        now,
        count,
        chance: Chance(count),
        order: 0,
    };
    let filled = add_payments(&mut place, draw).await?;
    place.finish().await?;
    Ok(filled)
}

/// Adds the other teams, and the customers of all.
async fn add_teams(
    place: &mut impl FillTarget,
    first: &Example,
    teams: &Teams,
) -> anyhow::Result<()> {
    let customer = first.customer.first().context("no customer")?;
    let own_row = place
        .find(
            Table::Team,
            "team_id",
            &*teams.own..&rows::after(&teams.own),
        )
        .await?;
    let team_row = Shape::of(&own_row, Table::Team, &first.marks())
        .pop()
        .context("no team")?;
    let mut rows = Vec::new();
    for n in 1..=OTHER_TEAMS {
        rows.push(team_row.filled(&Filling {
            team: teams.id(n),
            milli: teams.start,
            ..Filling::default()
        }));
    }
    for team in 0..=OTHER_TEAMS {
        for n in 0..teams.customers_of(team) {
            rows.push(customer.filled(&Filling {
                team: teams.id(team),
                customer: teams.customer(team, n),
                milli: teams.start,
                ..Filling::default()
            }));
        }
    }
    rows.sort_by(|one, other| (one.0, &one.2).cmp(&(other.0, &other.2)));
    for part in rows.chunks(usize::try_from(AT_ONCE)?) {
        place.add(part).await?;
    }
    Ok(())
}

/// Adds the payments that are drawn, oldest first.
async fn add_payments(place: &mut impl FillTarget, mut draw: Draw<'_>) -> anyhow::Result<Filled> {
    let (count, teams) = (draw.count, draw.teams);
    let mut filled = Filled {
        large_customer: teams.customer(0, LARGE_CUSTOMER),
        customer: teams.customer(0, teams.few()),
        middle: 0,
        payment: String::new(),
        order: String::new(),
    };
    let mut rows: Vec<(Table, &[String], Vec<Cell>)> = Vec::new();
    for n in 0..count {
        let (example, filling) = draw.payment(n)?;
        if filled.payment.is_empty()
            && filling.team == teams.own
            && n >= count / 2
            && example.has_order()
            && filling.order != LARGE_ORDER
        {
            filled.payment.clone_from(&filling.payment);
            filled.order.clone_from(&filling.order);
            filled.middle = i64::try_from(filling.milli * 1000)?;
        }
        rows.extend(example.rows.iter().map(|row| row.filled(&filling)));
        if (n + 1) % AT_ONCE == 0 || n + 1 == count {
            place.add(&rows).await?;
            rows.clear();
        }
    }
    Ok(filled)
}

/// Draws the payments, one after the other.
struct Draw<'a> {
    examples: &'a [Example],
    teams: &'a Teams,
    /// Unit: milliseconds.
    now: u64,
    /// How many payments there are in all.
    count: u64,
    chance: Chance,
    /// The number of the last order.
    order: u64,
}

impl<'a> Draw<'a> {
    /// The payment of this number, and the example of which it is a copy.
    fn payment(&mut self, n: u64) -> anyhow::Result<(&'a Example, Filling)> {
        let Self {
            teams,
            count,
            ref mut chance,
            ..
        } = *self;
        let span = DAYS * DAY - 60_000;
        let milli = teams.start + span * n / count + chance.below(span / count + 1);
        let every = (count / FEW).max(1);
        let of_few = n.is_multiple_of(every) && n / every < FEW;
        let team = if !of_few && chance.below(1000) < OTHERS {
            1 + chance.below(OTHER_TEAMS)
        } else {
            0
        };
        let may_wait = self.now - milli < WAITING;
        let mut example = kinds::pick(self.examples, may_wait, chance)?;
        while of_few && !example.has_customer() {
            example = kinds::pick(self.examples, may_wait, chance)?;
        }
        // Every fifth is a second attempt of the order before.
        self.order += chance.below(5).min(1);
        let whose = match chance.below(teams.customers_of(team)) {
            _ if of_few => teams.few(),
            _ if chance.below(100) == 0 => LARGE_CUSTOMER,
            drawn if drawn == teams.few() => LARGE_CUSTOMER,
            drawn => drawn,
        };
        let filling = Filling {
            team: teams.id(team),
            payment: chance.id(milli),
            intent: chance.id(milli - 30_000),
            customer: teams.customer(team, whose),
            order: if chance.below(200) == 0 {
                LARGE_ORDER.to_owned()
            } else {
                format!("order-{:07}", self.order)
            },
            amount: chance.amount(),
            milli,
            fresh: chance.hex(),
        };
        Ok((example, filling))
    }
}

/// The teams and their customers, by number.
struct Teams {
    own: String,
    /// When the first of all was made, in milliseconds.
    start: u64,
    /// How many customers the first one has.
    customers: u64,
}

impl Teams {
    fn id(&self, n: u64) -> String {
        if n == 0 {
            self.own.clone()
        } else {
            Chance(n).id(self.start + n)
        }
    }

    /// How many customers a team has.
    const fn customers_of(&self, team: u64) -> u64 {
        if team == 0 {
            self.customers
        } else {
            self.customers / OTHERS
        }
    }

    /// The customer of the first team with few payments.
    const fn few(&self) -> u64 {
        self.customers / 2
    }

    fn customer(&self, team: u64, n: u64) -> String {
        Chance(team << 32 | n).id(self.start + n)
    }
}

pub(crate) use postgres::Server as PostgresPlace;
pub(crate) use sqlite::Files as SqlitePlace;
