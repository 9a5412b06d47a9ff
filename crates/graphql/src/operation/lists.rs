//! Lists.

use domain::Fault;
use engine::{ListCustomers, ListPayments, PaymentPage};

use super::{Operations, payments::TIMELINE};
use crate::{
    execute::{Arguments, LookAhead, Out, object},
    input::{list_customers, list_payments},
    view::{CustomersPageObject, FilterFacts, PageFacts, PaymentsPageObject},
};

/// Counting all that match costs a query of its own.
pub(super) const TOTAL: &str = "pageInfo.totalSize";

/// On a server it is asked for by a query of its own.
pub(super) const SETTLED: &str = "pageInfo.settledUntil";

impl Operations<'_> {
    pub(super) async fn payments(
        &self,
        arguments: Arguments<'_>,
        look: LookAhead<'_>,
    ) -> Result<Out<'static>, Fault> {
        let wanted = arguments.coerced.and_then(list_payments::parse)?;
        let list_payments::Wanted {
            page,
            conditions,
            sort,
            nothing,
            echo,
        } = wanted;
        let after = page.after().map(str::to_owned);
        let list = ListPayments {
            page,
            conditions,
            sort: sort.clone(),
            id: echo.id.clone(),
            team: echo.team.clone(),
            want_total: look.selects(TOTAL),
            want_timeline: look.selects(&format!("edges.node.{TIMELINE}")),
            want_settled: look.selects(SETTLED),
        };
        let found = if nothing {
            empty(list)
        } else {
            self.engine.payments(self.caller, list).await?
        };
        let rows = found
            .views
            .into_iter()
            .map(|(cursor, view)| (cursor, self.payment_object(view)))
            .collect();
        Ok(object(PaymentsPageObject {
            facts: PageFacts {
                has_next: found.has_next,
                has_previous: found.has_previous,
                total: found.total,
                settled_until: found.settled_until,
                after,
            },
            filter: FilterFacts {
                id: echo.id,
                team: echo.team,
                customer: echo.customer,
                user: echo.user,
                name: echo.name,
                conditions: found.conditions,
                sort,
            },
            rows,
        }))
    }

    pub(super) async fn customers(
        &self,
        arguments: Arguments<'_>,
        look: LookAhead<'_>,
    ) -> Result<Out<'static>, Fault> {
        let list_customers::Wanted {
            page,
            order,
            email,
            name,
        } = arguments.coerced.and_then(list_customers::parse)?;
        let after = page.after().map(str::to_owned);
        let list = ListCustomers {
            page,
            order,
            email,
            name,
            want_total: look.selects(TOTAL),
            want_settled: look.selects(SETTLED),
        };
        let found = self.engine.customers(self.caller, list).await?;
        Ok(object(CustomersPageObject {
            facts: PageFacts {
                has_next: found.has_next,
                has_previous: found.has_previous,
                total: found.total,
                settled_until: found.settled_until,
                after,
            },
            rows: found.customers,
        }))
    }
}

/// The page of a list that can't match anything.
fn empty(list: ListPayments) -> PaymentPage {
    let total = list.want_total.then_some(0);
    PaymentPage {
        views: Vec::new(),
        has_next: false,
        has_previous: false,
        total,
        conditions: list.conditions,
        settled_until: None,
    }
}
