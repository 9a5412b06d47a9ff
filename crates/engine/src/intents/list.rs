//! Lists of intents.

use crate::boxed;
use domain::{Fault, Timestamp, caller::Caller, filter::SortOrder, intent::Status, page::Page};
use store::{
    Part,
    intent_list::{self, Wanted},
};

use super::IntentView;
use crate::{Engine, faults::database, settled::Reading};

/// A request for a list of intents.
#[derive(Debug, Clone)]
pub struct ListIntents {
    /// Which part of the list.
    pub page: Page,
    /// The order of dates.
    pub order: SortOrder,
    /// Only those with one of these statuses; none: with any.
    pub statuses: Vec<Status>,
    /// Only those with this tracking id.
    pub tracking_id: Option<String>,
    /// Count all intents of the list.
    pub want_total: bool,
    /// Tell up to when nothing is added any more, in any order.
    pub want_settled: bool,
    /// Fill the payments of each intent.
    pub want_payments: bool,
}

/// A part of a list of intents.
#[derive(Debug, Clone, PartialEq)]
pub struct IntentPage {
    /// Each intent with its cursor.
    pub views: Vec<(String, IntentView)>,
    /// Whether more follow.
    pub has_next: bool,
    /// Whether there are any before.
    pub has_previous: bool,
    /// How many there are in all, when that was wanted.
    pub total: Option<i64>,
    /// Nothing dated before this is added any more; `None` when it is not known or was not wanted.
    pub settled_until: Option<Timestamp>,
}

impl Engine {
    /// A team's intents. The oldest first, it stops at what is settled: who goes on behind its last row misses nothing.
    ///
    /// # Errors
    /// `error.validation` for a cursor that is none of this list; `error.unavailable`,
    /// `error.unknown`.
    #[boxed]
    pub async fn intents(&self, caller: &Caller, list: ListIntents) -> Result<IntentPage, Fault> {
        let shape = intent_list::shape(list.order);
        let mut part = Part::of(&list.page, &shape)?;
        let wanted = Wanted {
            order: list.order,
            statuses: list.statuses,
            tracking_id: list.tracking_id,
        };
        let reading = match list.order {
            SortOrder::Ascending => Reading::Followed(None),
            SortOrder::Descending => Reading::Whole(list.want_settled),
        };
        let settled_until = self.settled(&mut part, reading).await?;
        let store = &self.inner.store;
        let listed = intent_list::page(store, caller.team, &wanted, &part)
            .await
            .map_err(|error| database(&error))?;
        let total = if list.want_total {
            Some(
                intent_list::count(store, caller.team, &wanted)
                    .await
                    .map_err(|error| database(&error))?,
            )
        } else {
            None
        };
        let mut views = Vec::with_capacity(listed.rows.len());
        for (cursor, intent) in listed.rows {
            let view = IntentView::of(intent);
            let view = if list.want_payments {
                self.with_payments(view).await?
            } else {
                view
            };
            views.push((cursor.encode(&shape), view));
        }
        Ok(IntentPage {
            views,
            has_next: listed.has_next,
            has_previous: listed.has_previous,
            total,
            settled_until,
        })
    }
}
