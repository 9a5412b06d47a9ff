//! Lists of payments.

use crate::boxed;
use std::{collections::BTreeSet, time::Duration};

use db::DbError;
use domain::{
    Fault, Timestamp,
    caller::Caller,
    cursor::CursorShape,
    filter::{Condition, Sort},
    id::{PaymentId, TeamId},
    page::Page,
};
use parking_lot::Mutex;
use store::{
    Listed, Part,
    payment_list::{Reach, Wanted},
};

use super::PaymentView;
use crate::{Engine, faults::database, settled::Reading};

/// A team with more payments than this has no filter or sort without an index run over all of them. Source: behaviour
/// contract, section 7 "Lists".
const MANY: i64 = 100_000;

/// How far back such a filter or sort looks then, when no date is given from which on.
const LOOK_BACK: Duration = Duration::from_hours(90 * 24);

/// A look back begins at the start of a day (UTC), so that the pages of one list have one beginning. Unit: microseconds.
const DAY: i64 = 24 * 60 * 60 * 1_000_000;

/// Teams that are remembered to have many payments.
const TEAMS_KEPT: usize = 10_000;

/// Teams that are known to have many payments. A team's payments never become fewer.
#[derive(Default)]
pub(crate) struct Large(Mutex<BTreeSet<TeamId>>);

/// A request for a list of payments.
#[derive(Debug, Clone)]
pub struct ListPayments {
    /// Which part of the list.
    pub page: Page,
    /// What must hold for each payment: the filter's conditions and those of the plain arguments.
    pub conditions: Vec<Condition>,
    /// The order.
    pub sort: Sort,
    /// Only the payment with this id, as sent. One that can't be an id is nobody's.
    pub id: Option<String>,
    /// Only this team's payments, as sent. Another team's are never shown.
    pub team: Option<String>,
    /// Count all payments of the list.
    pub want_total: bool,
    /// Fill the timeline of each payment.
    pub want_timeline: bool,
    /// Tell up to when nothing is added any more, in any order.
    pub want_settled: bool,
}

/// A part of a list of payments.
#[derive(Debug, Clone, PartialEq)]
pub struct PaymentPage {
    /// Each payment with its cursor.
    pub views: Vec<(String, PaymentView)>,
    /// Whether more follow.
    pub has_next: bool,
    /// Whether there are any before.
    pub has_previous: bool,
    /// How many there are in all, when that was wanted.
    pub total: Option<i64>,
    /// The conditions as they were applied, to be echoed. A bound that was added comes first.
    pub conditions: Vec<Condition>,
    /// Nothing dated before this is added any more; `None` when it is not known or was not wanted.
    pub settled_until: Option<Timestamp>,
}

impl Engine {
    /// A team's payments.
    ///
    /// A filter or sort that no index holds looks at the payments of the dates given. When no date is given from which on
    /// and the team has more than 100,000 payments, it looks at those of the 90 days before the last date given, or before
    /// today.
    ///
    /// By date, the oldest first, it stops at what is settled: who goes on behind its last row misses nothing.
    ///
    /// # Errors
    /// `error.validation` for a cursor that is none of this list; `error.unavailable`,
    /// `error.unknown`.
    #[boxed]
    pub async fn payments(
        &self,
        caller: &Caller,
        wanted: ListPayments,
    ) -> Result<PaymentPage, Fault> {
        let shape = CursorShape::of_payments(&wanted.sort);
        let mut part = Part::of(&wanted.page, &shape)?;
        let Some(list) = own_list(caller.team, &wanted) else {
            return Ok(nothing(wanted));
        };
        let reading = if list.is_followed() {
            // A window's last moment is in it; what the list ends before comes behind it.
            let end = list.window().end;
            Reading::Followed(end.map(|end| end.after(Duration::from_micros(1))))
        } else {
            Reading::Whole(wanted.want_settled)
        };
        let settled_until = self.settled(&mut part, reading).await?;
        let found = self
            .bounded(caller.team, list, &part, wanted.want_total)
            .await;
        let (list, listed, total) = found.map_err(|error| database(&error))?;
        let mut views = Vec::with_capacity(listed.rows.len());
        for (cursor, payment) in listed.rows {
            let view = PaymentView::of(payment);
            let view = if wanted.want_timeline {
                self.with_timeline(view).await?
            } else {
                view
            };
            views.push((cursor.encode(&shape), view));
        }
        let Listed {
            has_next,
            has_previous,
            ..
        } = listed;
        Ok(PaymentPage {
            views,
            has_next,
            has_previous,
            total,
            conditions: list.conditions,
            settled_until,
        })
    }

    async fn bounded(
        &self,
        team: TeamId,
        mut list: Wanted,
        part: &Part,
        count: bool,
    ) -> Result<(Wanted, Listed<domain::payment::Payment>, Option<i64>), DbError> {
        let store = &self.inner.store;
        if list.reach() == Reach::Scanned
            && list.window().start.is_none()
            && self.is_large(team).await?
        {
            let start = look_back(list.window().end, self.inner.world.now());
            list.conditions.insert(0, Condition::since(start));
        }
        let listed = store::payment_list::page(store, team, &list, part).await?;
        let total = if count {
            Some(store::payment_list::count(store, team, &list).await?)
        } else {
            None
        };
        Ok((list, listed, total))
    }

    async fn is_large(&self, team: TeamId) -> Result<bool, DbError> {
        let known = &self.inner.large.0;
        if known.lock().contains(&team) {
            return Ok(true);
        }
        let large = store::payment_list::are_more_than(&self.inner.store, team, MANY).await?;
        if large {
            let mut known = known.lock();
            if known.len() >= TEAMS_KEPT {
                known.clear();
            }
            known.insert(team);
        }
        Ok(large)
    }
}

/// The list within the team; `None` when it can have no payments.
fn own_list(team: TeamId, wanted: &ListPayments) -> Option<Wanted> {
    if wanted
        .team
        .as_deref()
        .is_some_and(|asked| TeamId::parse(asked) != Some(team))
    {
        return None;
    }
    let id = match wanted.id.as_deref() {
        None => None,
        Some(text) => Some(PaymentId::parse(text)?),
    };
    Some(Wanted {
        conditions: wanted.conditions.clone(),
        id,
        sort: wanted.sort.clone(),
    })
}

fn nothing(wanted: ListPayments) -> PaymentPage {
    PaymentPage {
        views: Vec::new(),
        has_next: false,
        has_previous: false,
        total: wanted.want_total.then_some(0),
        conditions: wanted.conditions,
        settled_until: None,
    }
}

/// The start of the day that lies the look-back before the last date asked for, or before now.
fn look_back(end: Option<Timestamp>, now: Timestamp) -> Timestamp {
    let start = end
        .map_or(now, |end| end.min(now))
        .before(LOOK_BACK)
        .micros();
    Timestamp::from_micros(start.saturating_sub(start.rem_euclid(DAY)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    #[test]
    fn a_look_back_begins_ninety_days_before_the_last_date_at_the_start_of_a_day() {
        let now = at("2026-06-30T15:00:00.5Z");
        assert_eq!(look_back(None, now), at("2026-04-01T00:00:00Z"));
        assert_eq!(
            look_back(Some(at("2100-01-01T00:00:00Z")), now),
            at("2026-04-01T00:00:00Z")
        );
        assert_eq!(
            look_back(Some(at("2026-03-31T23:59:59Z")), now),
            at("2025-12-31T00:00:00Z")
        );
    }

    fn list(team: Option<&str>, id: Option<&str>) -> ListPayments {
        ListPayments {
            page: Page::parse(None, None, None, None).unwrap(),
            conditions: Vec::new(),
            sort: Sort::default(),
            id: id.map(str::to_owned),
            team: team.map(str::to_owned),
            want_total: false,
            want_timeline: false,
            want_settled: false,
        }
    }

    #[test]
    fn another_team_and_what_can_be_no_id_match_nothing() {
        let team = TeamId::new(uuid::Uuid::from_u128(1));
        let (own, other) = (team.key(), TeamId::new(uuid::Uuid::from_u128(2)).key());
        assert!(own_list(team, &list(Some(&own), None)).is_some());
        assert!(
            own_list(team, &list(None, Some(&other))).is_some(),
            "that may be the id of a payment"
        );
        for (team_id, id) in [
            (Some(other.as_str()), None),
            (Some("x"), None),
            (Some(""), None),
            (None, Some("x")),
        ] {
            assert!(
                own_list(team, &list(team_id, id)).is_none(),
                "{team_id:?} {id:?}"
            );
        }
    }
}
