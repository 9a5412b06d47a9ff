//! Lists of disputes.

use crate::boxed;
use domain::{
    Fault,
    caller::Caller,
    dispute::{DisputeField, DisputeSort},
    filter::Condition,
    page::Page,
};
use store::{Listed, Part, dispute_list};

use super::DisputeView;
use crate::{Engine, faults::database};

/// A request for a list of disputes.
#[derive(Debug, Clone)]
pub struct ListDisputes {
    /// Which part of the list.
    pub page: Page,
    /// What must hold for each dispute.
    pub conditions: Vec<Condition<DisputeField>>,
    /// The order.
    pub sort: DisputeSort,
    /// Count all disputes of the list.
    pub want_total: bool,
    /// Fill the timeline of each dispute.
    pub want_timeline: bool,
}

/// A part of a list of disputes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisputePage {
    /// Each with its cursor.
    pub views: Vec<(String, DisputeView)>,
    /// Whether more follow.
    pub has_next: bool,
    /// Whether there are any before.
    pub has_previous: bool,
    /// How many there are in all, when that was wanted.
    pub total: Option<i64>,
}

impl Engine {
    /// A team's disputes.
    ///
    /// # Errors
    /// `error.validation` for a cursor that is none of this list; `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn disputes(
        &self,
        caller: &Caller,
        wanted: ListDisputes,
    ) -> Result<DisputePage, Fault> {
        let shape = dispute_list::shape(&wanted.sort);
        let part = Part::of(&wanted.page, &shape)?;
        let list = dispute_list::Wanted {
            conditions: wanted.conditions,
            sort: wanted.sort,
        };
        let (store, team) = (&self.inner.store, caller.team);
        let found = dispute_list::page(store, team, &list, &part).await;
        let Listed {
            rows,
            has_next,
            has_previous,
        } = found.map_err(|error| database(&error))?;
        let total = if wanted.want_total {
            let counted = dispute_list::count(store, team, &list).await;
            Some(counted.map_err(|error| database(&error))?)
        } else {
            None
        };
        let mut views = Vec::with_capacity(rows.len());
        for (cursor, dispute) in rows {
            let view = DisputeView::of(dispute);
            let view = if wanted.want_timeline {
                self.with_dispute_timeline(view).await?
            } else {
                view
            };
            views.push((cursor.encode(&shape), view));
        }
        Ok(DisputePage {
            views,
            has_next,
            has_previous,
            total,
        })
    }
}
