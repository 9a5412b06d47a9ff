//! Lists of customers.

use domain::{
    Fault,
    bounded::{EMAIL_MAX, NAME_MAX, bounded},
    caller::Caller,
    customer::Customer,
    page::Page,
};
use store::{
    Part,
    customer_list::{self, Wanted},
};

use crate::{Engine, faults::database};

/// A request for a list of customers, the newest first.
#[derive(Debug, Clone)]
pub struct ListCustomers {
    /// Which part of the list.
    pub page: Page,
    /// Only those with this e-mail address; capitals and small letters don't matter.
    pub email: Option<String>,
    /// Only those with this text in their name; capitals and small letters don't matter.
    pub name: Option<String>,
    /// Count all customers of the list.
    pub want_total: bool,
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
}

impl Engine {
    /// A team's customers.
    ///
    /// # Errors
    /// `api.key.forbidden`; `error.validation` for a cursor that is none of this list and for a text that no customer
    /// can have; `error.unavailable`, `error.unknown`.
    pub async fn customers(
        &self,
        caller: &Caller,
        list: ListCustomers,
    ) -> Result<CustomerPage, Fault> {
        caller.require_server()?;
        let shape = customer_list::shape();
        let part = Part::of(&list.page, &shape)?;
        let wanted = Wanted {
            email: list
                .email
                .map(|email| bounded(email, "email", EMAIL_MAX))
                .transpose()?,
            name: list
                .name
                .map(|name| bounded(name, "name", NAME_MAX))
                .transpose()?,
        };
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
        })
    }
}
