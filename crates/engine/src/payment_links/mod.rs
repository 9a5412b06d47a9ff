//! Payment links: addresses that merchants send to customers, who pay there.
//!
//! A link for one payment has an intent, which holds its one live or paid payment, however many people or windows have the
//! address open. A link for many gives each visit a client token of its own, with which one payment can be made.

mod make;
mod visit;

use crate::boxed;
use domain::{
    Fault,
    caller::Caller,
    cursor::{Cursor, CursorShape},
    id::{LinkId, PaymentId},
    page::Page,
    payment::Payment,
    payment_link::{LinkStatus, PaymentLink},
};
use store::payment_link::{self as table, LinkRow};

use crate::{
    Engine,
    faults::{database, only_fault},
};

pub use make::CreatePaymentLink;
pub use visit::{LinkPage, LinkShop, LinkVisit, PaidReceipt};

/// Payments that are shown with a link.
const PAYMENTS_SHOWN: i64 = 100;

/// A link as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct PaymentLinkView {
    /// The link.
    pub link: PaymentLink,
    /// Its address.
    pub url: String,
    /// How it stands.
    pub status: LinkStatus,
    /// The live or paid payment of a link for one payment.
    pub payment: Option<PaymentId>,
    /// The payments that were made by it, oldest first; absent when they were not asked for.
    pub payments: Option<Vec<Payment>>,
}

/// A part of the list of links.
#[derive(Debug, Clone, PartialEq)]
pub struct PaymentLinkPage {
    /// Each link with its cursor.
    pub views: Vec<(String, PaymentLinkView)>,
    /// Whether more follow.
    pub has_next: bool,
    /// Whether there are any before.
    pub has_previous: bool,
}

impl Engine {
    /// A team's link.
    ///
    /// # Errors
    /// `error.validation` when the team has no such link; `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn payment_link(
        &self,
        caller: &Caller,
        id: LinkId,
    ) -> Result<PaymentLinkView, Fault> {
        let found = table::of_team(&self.inner.store, caller.team, id).await;
        let row = found.map_err(|error| database(&error))?;
        row.map(|row| self.link_view(row)).ok_or_else(no_such_link)
    }

    /// The link with the payments that were made by it: the newest hundred, oldest first.
    ///
    /// # Errors
    /// `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn with_payments_by_link(
        &self,
        view: PaymentLinkView,
    ) -> Result<PaymentLinkView, Fault> {
        let (store, link) = (&self.inner.store, &view.link);
        let found = match link.intent {
            Some(intent) => store::intent::payments(store, link.team, intent, PAYMENTS_SHOWN).await,
            None => table::payments(store, link.team, link.id, PAYMENTS_SHOWN).await,
        };
        let payments = found.map_err(|error| database(&error))?;
        Ok(PaymentLinkView {
            payments: Some(payments),
            ..view
        })
    }

    /// A team's links, newest first.
    ///
    /// # Errors
    /// `error.validation` for a bad page; `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn payment_links(
        &self,
        caller: &Caller,
        page: &Page,
    ) -> Result<PaymentLinkPage, Fault> {
        let shape = CursorShape::new("payment links", "newest", Vec::new());
        let after = page.cursor(&shape)?.map(|cursor| LinkId::new(cursor.id));
        let size = usize::from(page.size());
        let limit = i64::from(page.size()) + 1;
        let rows = table::page(&self.inner.store, caller.team, after, limit).await;
        let rows = rows.map_err(|error| database(&error))?;
        let has_next = rows.len() > size;
        let views = rows.into_iter().take(size).map(|row| {
            let cursor = Cursor {
                keys: Vec::new(),
                id: row.link.id.uuid(),
            };
            (cursor.encode(&shape), self.link_view(row))
        });
        Ok(PaymentLinkPage {
            views: views.collect(),
            has_next,
            has_previous: after.is_some(),
        })
    }

    /// Ends a link: nobody can begin to pay by it, also on a page that is open, within a second. A payment that is under way is carried on.
    /// Doing it again is harmless.
    ///
    /// # Errors
    /// `error.validation` when the team has no such link; `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn end_payment_link(&self, caller: &Caller, id: LinkId) -> Result<(), Fault> {
        let end = || self.link_ended(caller, id);
        self.rounds(Some(id.uuid()), self.deadline(), end)
            .await
            .map_err(only_fault)
    }

    fn link_view(&self, row: LinkRow) -> PaymentLinkView {
        let LinkRow { link, payment } = row;
        let status = payment.map(|(_, status)| status);
        PaymentLinkView {
            url: self.link_url(&link),
            status: link.status(status, self.inner.world.now()),
            payment: payment.map(|(id, _)| id),
            payments: None,
            link,
        }
    }

    /// A link as it is when it is made.
    fn new_link_view(&self, link: PaymentLink) -> PaymentLinkView {
        PaymentLinkView {
            url: self.link_url(&link),
            status: LinkStatus::Open,
            payment: None,
            payments: None,
            link,
        }
    }

    fn link_url(&self, link: &PaymentLink) -> String {
        format!("{}/pay/{}", self.public_url(), link.token)
    }
}

/// The team has no link of this id.
pub fn no_such_link() -> Fault {
    Fault::invalid("id", "must be the id of a payment link that is listed")
}
