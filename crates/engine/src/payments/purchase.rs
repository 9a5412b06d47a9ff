//! What a page for the customer says of the purchase that it is about.

use crate::boxed;
use domain::{id::TeamId, method::Method, money::Money};

use super::returns::{ReturnToken, is_for};
use crate::Engine;

/// What the customer bought, and how it is paid. Holds nothing that the customer did not type or see before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Purchase {
    /// The name of the team.
    pub shop: Option<String>,
    /// How much.
    pub money: Money,
    /// What is paid with.
    pub method: Method,
    /// The last four digits of the card.
    pub last4: Option<String>,
    /// What will stand on the customer's statement.
    pub statement: Option<String>,
}

impl Engine {
    /// The purchase that the address of a return is about. `None` when the address was not given out, and when the
    /// database is away: a page says less then.
    #[boxed]
    pub async fn purchase_of_return(&self, token: &str) -> Option<Purchase> {
        let token = ReturnToken::parse(token)?;
        let store = &self.inner.store;
        let found = store::payment::of_team(store, token.team, token.payment).await;
        let payment = found.ok().flatten()?;
        payment
            .operation(token.n)
            .filter(|operation| is_for(operation, &token))?;
        let method = payment.method();
        let masked = method.masked.as_deref().filter(|_| method.blob.is_some());
        Some(Purchase {
            shop: self.shop_name(token.team).await,
            money: payment.money(),
            method: method.method,
            last4: masked.map(|masked| masked.trim_start_matches('*').to_owned()),
            statement: payment.statement_descriptor().map(str::to_owned),
        })
    }

    /// What customers know a team by. `None` when there is no such team, or the database is away.
    pub(crate) async fn shop_name(&self, team: TeamId) -> Option<String> {
        let found = store::team::of_id(&self.inner.store, team).await;
        Some(found.ok().flatten()?.name)
    }
}
