//! Making a customer.

use domain::{
    Fault,
    caller::{Caller, Credential, forbidden},
    customer::{CardInput, CustomerDraft, NewMethod},
    id::CustomerId,
};
use serde::{Deserialize, Serialize};
use store::browser_made::Made;

use super::{Making, Request, seal::Sealed};
use crate::{
    Engine,
    dated::Draws,
    faults::Stop,
    numbers::Number,
    once::{Kept, Once, Snapshot, Told},
};

/// Where the card begins in a fault's `field`.
const CARD: &str = "data.card";

/// A request for a customer.
pub struct CreateCustomer {
    /// What is told of the customer.
    pub draft: CustomerDraft,
    /// A card to be stored, which becomes the default method.
    pub card: Option<CardInput>,
}

/// What is stored of an answer that is a customer's id.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredId {
    id: CustomerId,
}

impl Kept for CustomerId {
    type Stored = StoredId;

    fn stored(&self) -> StoredId {
        StoredId { id: *self }
    }

    async fn restored(_engine: &Engine, stored: StoredId) -> Result<Self, Fault> {
        Ok(stored.id)
    }

    fn id(stored: &StoredId) -> Option<String> {
        Some(stored.id.to_string())
    }

    fn ended(_stored: &StoredId) -> String {
        "made a customer".to_owned()
    }
}

impl Engine {
    /// Makes a customer. Source: specification 4.2; behaviour contract, section 6.
    pub async fn create_customer(
        &self,
        caller: &Caller,
        once: Option<Once>,
        parsed: Result<CreateCustomer, Fault>,
    ) -> Told<CustomerId> {
        if matches!(caller.credential, Credential::Public) {
            return Told {
                result: Err(forbidden()),
                replayed: false,
            };
        }
        let counted = match (&parsed, &once) {
            (Ok(CreateCustomer { card: None, .. }), _) | (Err(_), None) => Ok(()),
            (
                Ok(CreateCustomer {
                    card: Some(card), ..
                }),
                _,
            ) => self.count_number(caller, Number::Card(&card.number)).await,
            (Err(_), Some(once)) => self.count_named(caller, &once.arguments, "/data").await,
        };
        if let Err(fault) = counted {
            return Told {
                result: Err(fault),
                replayed: false,
            };
        }
        let run =
            |command, claim, deadline| self.created(caller, command, Request { claim, deadline });
        self.once(caller, once, parsed, run).await
    }

    async fn created(
        &self,
        caller: &Caller,
        command: CreateCustomer,
        request: Request,
    ) -> Result<CustomerId, Stop> {
        let mut sealed = match command.card {
            Some(card) => Some(self.seal(caller.team, NewMethod::Card(card), CARD).await?),
            None => None,
        };
        let mut draws = Draws::default();
        let made = loop {
            let made = self
                .created_once(
                    caller,
                    &command.draft,
                    (sealed.as_mut(), &mut draws),
                    &request,
                )
                .await;
            if !matches!(made, Err(Stop::Outdated)) {
                break made;
            }
        };
        match sealed {
            Some(sealed) => self.keep_or_discard(sealed, made).await,
            None => made,
        }
    }

    /// Commits the customer under a date of its own.
    async fn created_once(
        &self,
        caller: &Caller,
        draft: &CustomerDraft,
        (mut sealed, draws): (Option<&mut Sealed>, &mut Draws),
        request: &Request,
    ) -> Result<CustomerId, Stop> {
        let date = self.draw_date(draws).await?;
        let mut customer = self.new_customer(caller, draft.clone(), &date);
        if let Some(sealed) = &mut sealed {
            sealed.give_to(&mut customer);
        }
        let mut statements = vec![store::customer::insert(&customer)];
        statements.extend(
            sealed
                .iter()
                .map(|sealed| store::method::insert(&sealed.method)),
        );
        if !caller.is_server() {
            let lifetime = self.inner.settings.browser_customer_lifetime;
            let due_at = self.inner.world.now().after(lifetime);
            let made = Made::Customer(customer.id);
            statements.push(store::browser_made::insert(caller.team, made, due_at));
        }
        let answer = Snapshot::Result(customer.id.stored()).text();
        let made = Making {
            id: customer.id.to_string(),
            stream: &customer.id.key(),
            answer: &answer,
        };
        let done = self
            .commit_request(request, made, statements, Some(&date))
            .await?;
        if done {
            Ok(customer.id)
        } else {
            Err(Fault::unknown().into())
        }
    }
}
