//! Making a customer.

use crate::boxed;
use std::sync::Arc;

use db::Date;
use domain::{
    Fault,
    caller::Caller,
    customer::{CardInput, CustomerDraft, NewMethod},
    id::CustomerId,
};
use serde::{Deserialize, Serialize};
use store::browser_made::Made;

use super::{Making, seal::Sealed};
use crate::{
    Engine,
    faults::EngineError,
    idempotency::{Kept, Once, Response, Snapshot},
    numbers::Number,
    request::Request,
};

/// Where the card begins in a fault's `field`.
const CARD: &str = "data.card";

/// A request for a customer.
pub struct CreateCustomer {
    /// The customer's details.
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
        "created a customer".to_owned()
    }
}

impl Engine {
    /// Makes a customer. Source: specification 4.2; behaviour contract, section 6.
    #[boxed]
    pub async fn create_customer(
        &self,
        caller: &Caller,
        once: Option<Once>,
        parsed: Result<CreateCustomer, Fault>,
    ) -> Response<CustomerId> {
        let counted = match (&parsed, &once) {
            (Ok(CreateCustomer { card: None, .. }), _) | (Err(_), None) => Ok(()),
            (
                Ok(CreateCustomer {
                    card: Some(card), ..
                }),
                _,
            ) => self.count_number(caller, Number::Card(&card.number)).await,
            (Err(_), Some(once)) => self.count_sent(caller, once).await,
        };
        if let Err(fault) = counted {
            return Response {
                result: Err(fault),
                replayed: false,
            };
        }
        let run = |command, request| self.created(command, request);
        self.once(caller, once, parsed, run).await
    }

    async fn created(
        &self,
        command: CreateCustomer,
        request: Arc<Request>,
    ) -> Result<CustomerId, EngineError> {
        let caller = &request.caller;
        let sealed = match command.card {
            Some(card) => Some(self.seal(caller.team, NewMethod::Card(card), CARD).await?),
            None => None,
        };
        let (draft, card, request) = (&command.draft, sealed.as_ref(), request.as_ref());
        let create = |date| self.created_under(date, draft, card, request);
        let made = self.dated(create).await;
        match sealed {
            Some(sealed) => self.keep_or_discard(sealed, made).await,
            None => made,
        }
    }

    /// Commits the customer under this date.
    async fn created_under(
        &self,
        date: Date,
        draft: &CustomerDraft,
        sealed: Option<&Sealed>,
        request: &Request,
    ) -> Result<CustomerId, EngineError> {
        let caller = &request.caller;
        let mut customer = self.new_customer(caller, draft.clone(), &date);
        let method = sealed.map(|sealed| sealed.given_to(&mut customer));
        let mut statements = vec![store::customer::insert(&customer)];
        statements.extend(method.iter().map(store::method::insert));
        if !caller.is_server() {
            let lifetime = self.inner.settings.browser_customer_lifetime;
            let due_at = self.inner.world.now().after(lifetime);
            let made = Made::Customer(customer.id);
            statements.push(store::browser_made::insert(caller.team, &made, due_at));
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
