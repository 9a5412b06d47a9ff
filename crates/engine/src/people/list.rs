//! Lists of customers.

use crate::boxed;
use domain::{
    Fault, Timestamp,
    bounded::{EMAIL_MAX, NAME_MAX, bounded},
    caller::Caller,
    customer::Customer,
    filter::SortOrder,
    page::Page,
};
use store::{
    Part,
    customer_list::{self, Wanted},
};

use crate::{Engine, faults::database, settled::Reading};

/// A request for a list of customers.
#[derive(Debug, Clone)]
pub struct ListCustomers {
    /// Which part of the list.
    pub page: Page,
    /// The order of dates.
    pub order: SortOrder,
    /// Only those with this e-mail address; capitals and small letters don't matter.
    pub email: Option<String>,
    /// Only those with this text in their name; capitals and small letters don't matter.
    pub name: Option<String>,
    /// Count all customers of the list.
    pub want_total: bool,
    /// Tell up to when nothing is added any more, in any order.
    pub want_settled: bool,
}

/// A part of a list of customers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomerPage {
    /// Each customer with its cursor.
    pub customers: Vec<(String, Customer)>,
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
    /// A team's customers. The oldest first, it stops at what is settled: who goes on behind its last row misses nothing.
    ///
    /// # Errors
    /// `error.validation` for a cursor that is none of this list and for a text that no customer
    /// can have; `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn customers(
        &self,
        caller: &Caller,
        list: ListCustomers,
    ) -> Result<CustomerPage, Fault> {
        let shape = customer_list::shape(list.order);
        let mut part = Part::of(&list.page, &shape)?;
        let wanted = Wanted {
            order: list.order,
            email: list
                .email
                .map(|email| bounded(email, "email", EMAIL_MAX))
                .transpose()?,
            name: list
                .name
                .map(|name| bounded(name, "name", NAME_MAX))
                .transpose()?,
        };
        let reading = match list.order {
            SortOrder::Ascending => Reading::Followed(None),
            SortOrder::Descending => Reading::Whole(list.want_settled),
        };
        let settled_until = self.settled(&mut part, reading).await?;
        let store = &self.inner.store;
        let listed = customer_list::page(store, caller.team, &wanted, &part)
            .await
            .map_err(|error| database(&error))?;
        let total = if list.want_total {
            Some(
                customer_list::count(store, caller.team, &wanted)
                    .await
                    .map_err(|error| database(&error))?,
            )
        } else {
            None
        };
        let rows = listed.rows.into_iter();
        let customers = rows
            .map(|(cursor, customer)| (cursor.encode(&shape), customer))
            .collect();
        Ok(CustomerPage {
            customers,
            has_next: listed.has_next,
            has_previous: listed.has_previous,
            total,
            settled_until,
        })
    }
}
