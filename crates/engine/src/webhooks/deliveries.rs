//! The list of an endpoint's deliveries.

use crate::boxed;
use domain::{
    Fault,
    caller::Caller,
    cursor::{Cursor, CursorShape},
    id::{DeliveryId, EndpointId},
    page::Page,
    webhook::DeliveryState,
};
use store::webhook_delivery::{self, EndpointKey, Wanted};

use super::DeliveryView;
use crate::{
    Engine,
    faults::{database, only_fault},
};

/// A request for deliveries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListDeliveries {
    /// To which endpoint.
    pub endpoint: EndpointId,
    /// Only in this state.
    pub state: Option<DeliveryState>,
    /// Which part of the list.
    pub page: Page,
}

/// A part of a list of deliveries, the newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryPage {
    /// Each with its cursor.
    pub deliveries: Vec<(String, DeliveryView)>,
    /// Whether more follow.
    pub has_next: bool,
}

impl Engine {
    /// An endpoint's deliveries: those that were tried, and those that wait behind one. They are kept for some time after their end.
    ///
    /// # Errors
    /// `error.validation` for an endpoint that is none of the team's, and for a bad page; `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn deliveries(
        &self,
        caller: &Caller,
        list: ListDeliveries,
    ) -> Result<DeliveryPage, Fault> {
        let shape = CursorShape::new("webhook deliveries", "newest", Vec::new());
        let after = list.page.cursor(&shape)?;
        let endpoint = self
            .endpoint(caller.team, list.endpoint, "endpointId")
            .await;
        let endpoint = endpoint.map_err(only_fault)?;
        let key = EndpointKey {
            team: caller.team,
            endpoint: endpoint.id,
        };
        let wanted = Wanted {
            state: list.state,
            after: after.map(|cursor| DeliveryId::new(cursor.id)),
            limit: u32::from(list.page.size()) + 1,
        };
        let found = webhook_delivery::list(&self.inner.store, key, &wanted).await;
        let mut found = found.map_err(|error| database(&error))?;
        let size = usize::from(list.page.size());
        let has_next = found.len() > size;
        found.truncate(size);
        let deliveries = found.into_iter().map(|mut delivery| {
            // Nothing is tried while the endpoint is disabled.
            delivery.next_at = delivery.next_at.filter(|_| endpoint.enabled);
            let cursor = Cursor {
                keys: Vec::new(),
                id: delivery.id.uuid(),
            };
            (cursor.encode(&shape), delivery)
        });
        Ok(DeliveryPage {
            deliveries: deliveries.collect(),
            has_next,
        })
    }
}
