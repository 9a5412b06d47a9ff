//! A customer opens a link.

use crate::boxed;
use std::time::Duration;

use domain::{
    Fault, Timestamp,
    caller::{Caller, ClientGrant, Credential},
    id::KeyId,
    network::Network,
    payment::Payment,
    payment_link::{LinkStatus, PaymentLink, is_in_doubt, is_paid},
};
use store::{
    credential::{self, CredentialKind},
    payment_link::{self as table},
};

use super::make::team_of;
use crate::{
    Act, Engine,
    faults::{EngineError, database, only_fault},
};

/// What a new client token takes in the store, about. Unit: bytes.
const TOKEN_BYTES: u64 = 2_048;

/// Who has the form open when the link's time ends may still pay for so long.
const GRACE: Duration = Duration::from_mins(15);

/// What a customer sees of the shop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkShop {
    /// Its name.
    pub name: String,
    /// Where its logo is.
    pub logo: Option<String>,
}

/// A link that a customer has opened.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkPage {
    /// The shop.
    pub shop: LinkShop,
    /// The link.
    pub link: PaymentLink,
    /// How it stands.
    pub visit: LinkVisit,
}

/// How a link stands when a customer opens it.
#[derive(Debug, Clone, PartialEq)]
pub enum LinkVisit {
    /// It can be paid, with a client token of this visit.
    Open {
        /// The token.
        client_token: String,
    },
    /// It is paid.
    Paid(Box<PaidReceipt>),
    /// A payment is under way of which nobody knows yet how it ends.
    InDoubt,
    /// It can't be paid any more.
    Over(LinkStatus),
}

/// What was paid.
#[derive(Debug, Clone, PartialEq)]
pub struct PaidReceipt {
    /// The payment.
    pub payment: Payment,
    /// When it was made.
    pub at: Timestamp,
}

impl Engine {
    /// What a customer finds at a link's address. `None`: there is no such link. Nothing of a customer's is in it: who has the
    /// address need not be the one whom the merchant meant.
    ///
    /// # Errors
    /// `error.rate-limited` when one visitor opens it too often; `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn visit_link(
        &self,
        token: &str,
        network: Option<Network>,
    ) -> Result<Option<LinkPage>, Fault> {
        let Some(team) = team_of(token) else {
            return Ok(None);
        };
        let found = table::by_token(&self.inner.store, team, token).await;
        let Some(row) = found.map_err(|error| database(&error))? else {
            return Ok(None);
        };
        let known = store::team::of_id(&self.inner.store, team).await;
        let known = known.map_err(|error| database(&error))?;
        let Some(known) = known.filter(|team| team.closed_at.is_none()) else {
            return Ok(None);
        };
        let settings = self.team_settings(team).await?;
        let shop = LinkShop {
            name: known.name,
            logo: settings.logo.clone(),
        };
        let operator = Caller::operator(team, self.inner.settings.mode);
        let payment = match row.payment {
            // Read as a merchant reads it: an open outcome is looked up.
            Some((id, _)) => Some(self.payment(&operator, id).await?.payment),
            None => None,
        };
        let visit = match payment {
            Some(payment) if is_paid(payment.status()) => LinkVisit::Paid(Box::new(PaidReceipt {
                at: payment.created_at(),
                payment,
            })),
            Some(payment) if is_in_doubt(payment.status()) => LinkVisit::InDoubt,
            Some(_) | None => self.visit_unpaid(&row.link, network).await?,
        };
        Ok(Some(LinkPage {
            shop,
            link: row.link,
            visit,
        }))
    }

    async fn visit_unpaid(
        &self,
        link: &PaymentLink,
        network: Option<Network>,
    ) -> Result<LinkVisit, Fault> {
        match link.status(None, self.inner.world.now()) {
            LinkStatus::Open => {}
            over => return Ok(LinkVisit::Over(over)),
        }
        if self.is_complete_otherwise(link).await.map_err(only_fault)? {
            return Ok(LinkVisit::Over(LinkStatus::Ended));
        }
        let visitor = Caller {
            key: KeyId::new(link.id.uuid()),
            credential: Credential::Public,
            network,
            ..Caller::operator(link.team, self.inner.settings.mode)
        };
        self.admit(
            &visitor,
            Act {
                stores: TOKEN_BYTES,
                pays: false,
            },
        )?;
        let client_token = self.link_token(link).await.map_err(only_fault)?;
        Ok(LinkVisit::Open { client_token })
    }

    /// Whether the merchant has completed the intent by other means.
    async fn is_complete_otherwise(&self, link: &PaymentLink) -> Result<bool, EngineError> {
        let Some(intent) = link.intent else {
            return Ok(false);
        };
        let found = store::intent::of_team(&self.inner.store, link.team, intent).await?;
        Ok(found.is_none_or(|intent| intent.status == domain::intent::Status::Complete))
    }

    /// A client token for one visit, bound to what the link is for. It ends soon after the link.
    async fn link_token(&self, link: &PaymentLink) -> Result<String, EngineError> {
        let token = self.new_credential_text(CredentialKind::Client);
        let mut row = self.credential_row(link.team, CredentialKind::Client, &token);
        let lifetime = self.inner.settings.client_token_lifetime;
        let end = row.created_at.after(lifetime);
        let with_link = link.expires_at.map(|at| at.after(GRACE));
        row.expires_at = Some(with_link.map_or(end, |at| end.min(at)));
        row.name = link.id.key();
        row.grant = Some(ClientGrant {
            amount: Some(link.money.minor()),
            currency: Some(link.money.currency().code().to_owned()),
            customer: None,
            flow: Some(link.flow.clone()),
            intent: link.intent,
            max_cards: None,
            link: Some(link.id),
        });
        let change =
            db::Change::new(self.change_id(), &row.id.key()).with(credential::insert(&row));
        match self.commit_plain(change).await? {
            None => Ok(token),
            Some(_) => Err(Fault::unknown().into()),
        }
    }
}
