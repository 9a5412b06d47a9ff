//! Tokenising: storing a payment method.

use crate::boxed;
use std::sync::Arc;

use domain::{
    Fault,
    caller::Caller,
    customer::{Customer, CustomerDraft, NewMethod, StoredMethod},
    id::{CustomerId, VaultToken},
    rights,
};
use serde::{Deserialize, Serialize};

use store::browser_made::Made;

use super::{Making, seal::Sealed};
use crate::{
    Engine,
    change::Round,
    faults::{EngineError, customer_not_found},
    idempotency::{Kept, Once, Response, Snapshot},
    numbers::Number,
    payments::of_fields,
    request::Request,
};

/// Where the card begins in a fault's `field`.
const CARD: &str = "data.paymentMethod.card";

/// A request for a token.
pub struct Tokenise {
    /// What to store.
    pub method: NewMethod,
    /// The merchant's own id of it.
    pub external_id: Option<String>,
    /// The merchant's own data.
    pub metadata: Option<serde_json::Value>,
    /// Whose it is to be.
    pub owner: Owner,
}

/// Whose a new method is to be.
#[expect(
    clippy::large_enum_variant,
    reason = "lives for one call and is never collected"
)]
pub enum Owner {
    /// Nobody's.
    Nobody,
    /// A customer's; the id as sent.
    Existing(String),
    /// A customer's who is to be made.
    New(CustomerDraft),
}

/// A token as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenView {
    /// What was stored.
    pub method: StoredMethod,
    /// Whose it is, as of the same commit. What a browser may see of it is for the API to say.
    pub customer: Option<Customer>,
}

/// What is stored of an answer that is a token.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredToken {
    pub(super) method: StoredMethod,
    is_default: bool,
    pub(super) customer: Option<Customer>,
}

impl Kept for TokenView {
    type Stored = StoredToken;

    fn stored(&self) -> StoredToken {
        let method = self.method.clone();
        StoredToken {
            is_default: method.is_default,
            method,
            customer: self.customer.clone(),
        }
    }

    async fn restored(_engine: &Engine, stored: StoredToken) -> Result<Self, Fault> {
        let mut method = stored.method;
        method.is_default = stored.is_default;
        Ok(Self {
            method,
            customer: stored.customer,
        })
    }

    fn id(stored: &StoredToken) -> Option<String> {
        // The id that the interface reads it by.
        Some(VaultToken::as_str(&stored.method.token).to_owned())
    }

    fn ended(_stored: &StoredToken) -> String {
        "stored a payment method".to_owned()
    }
}

impl TokenView {
    /// Under what the answer is found when the customer is erased.
    fn stream(&self) -> String {
        let token = VaultToken::as_str(&self.method.token);
        self.customer
            .as_ref()
            .map_or_else(|| token.to_owned(), |customer| customer.id.key())
    }
}

/// An owner that was found, or is ready to be made.
#[expect(
    clippy::large_enum_variant,
    reason = "lives for one call and is never collected"
)]
enum Found {
    Nobody,
    Existing(CustomerId),
    New(CustomerDraft),
}

impl Engine {
    /// Stores a payment method. Source: specification 4.2; behaviour contract, section 6.
    #[boxed]
    pub async fn tokenise(
        &self,
        caller: &Caller,
        once: Option<Once>,
        parsed: Result<Tokenise, Fault>,
    ) -> Response<TokenView> {
        let counted = match (&parsed, &once) {
            (Ok(command), _) => {
                match &command.method {
                    NewMethod::Card(card) => {
                        let number = Number::Card(&card.number);
                        self.count_number(caller, number).await
                    }
                    NewMethod::Account(account) => {
                        let number = Number::Account(&account.kind, &account.number);
                        self.count_number(caller, number).await
                    }
                    // There is no number.
                    NewMethod::OfFields(_) => rights::require(caller, rights::Scope::Tokenise),
                }
            }
            (Err(_), Some(once)) => self.count_sent(caller, once).await,
            (Err(_), None) => Ok(()),
        };
        if let Err(fault) = counted {
            return Response {
                result: Err(fault),
                replayed: false,
            };
        }
        let parsed = parsed.and_then(|command| {
            let card = match &command.method {
                NewMethod::Card(card) => Some(&card.number),
                NewMethod::Account(_) | NewMethod::OfFields(_) => None,
            };
            self.refuse_numbers(&[("data.externalId", command.external_id.as_deref())], card)?;
            Ok(command)
        });
        let run = |command, request| self.tokenised(command, request);
        self.once(caller, once, parsed, run).await
    }

    async fn tokenised(
        &self,
        command: Tokenise,
        request: Arc<Request>,
    ) -> Result<TokenView, EngineError> {
        let caller = &request.caller;
        let owner = self.find_owner(caller, command.owner).await?;
        if matches!(command.method, NewMethod::OfFields(_)) && !matches!(owner, Found::Nobody) {
            let reason = "must be absent: the token of a processor's fields pays once, and is stored for no customer";
            return Err(Fault::invalid("data.customer", reason).into());
        }
        let mut sealed = self.seal(caller.team, command.method, CARD).await?;
        sealed.method.external_id = command.external_id;
        sealed.method.metadata = command.metadata;
        let made = match owner {
            Found::Nobody => self.token_of_nobody(&sealed, &request).await,
            Found::Existing(id) => self.token_of(id, &sealed, &request).await,
            Found::New(draft) => self.token_of_new(&draft, &sealed, &request).await,
        };
        self.keep_or_discard(sealed, made).await
    }

    async fn find_owner(&self, caller: &Caller, owner: Owner) -> Result<Found, EngineError> {
        Ok(match owner {
            Owner::Nobody => Found::Nobody,
            Owner::Existing(id) => {
                let id = CustomerId::parse(&id).ok_or_else(customer_not_found)?;
                Found::Existing(self.nameable_customer(caller, id).await?.id)
            }
            Owner::New(draft) => Found::New(draft),
        })
    }

    async fn token_of_nobody(
        &self,
        sealed: &Sealed,
        request: &Request,
    ) -> Result<TokenView, EngineError> {
        let view = TokenView {
            method: sealed.method.clone(),
            customer: None,
        };
        let mut statements = vec![store::method::insert(&view.method)];
        if let Some(facts) = of_fields(&view.method) {
            let made = Made::Token(view.method.token.clone());
            let due_at = facts.expires_at;
            statements.push(store::browser_made::insert(view.method.team, &made, due_at));
        }
        self.commit_token(request, &view, statements, None)
            .await?
            .then_some(view)
            .ok_or_else(defect)
    }

    async fn token_of(
        &self,
        id: CustomerId,
        sealed: &Sealed,
        request: &Request,
    ) -> Result<TokenView, EngineError> {
        let add = || async move {
            let mut customer = self.nameable_customer(&request.caller, id).await?;
            customer.version += 1;
            customer.updated_at = self.inner.world.now();
            let method = sealed.given_to(&mut customer);
            let statements = vec![
                store::customer::update(&customer),
                store::method::insert(&method),
            ];
            let view = TokenView {
                method,
                customer: Some(customer),
            };
            let is_done = self.commit_token(request, &view, statements, None).await?;
            Ok(if is_done {
                Round::Done(view)
            } else {
                Round::Conflict
            })
        };
        self.rounds(Some(id.uuid()), request.deadline, add).await
    }

    /// Commits the customer with the token, under a date of its own.
    async fn token_of_new(
        &self,
        draft: &CustomerDraft,
        sealed: &Sealed,
        request: &Request,
    ) -> Result<TokenView, EngineError> {
        self.dated(|date| async move {
            let mut customer = self.new_customer(&request.caller, draft.clone(), &date);
            let method = sealed.given_to(&mut customer);
            let statements = vec![
                store::customer::insert(&customer),
                store::method::insert(&method),
            ];
            let view = TokenView {
                method,
                customer: Some(customer),
            };
            self.commit_token(request, &view, statements, Some(&date))
                .await?
                .then_some(view)
                .ok_or_else(defect)
        })
        .await
    }

    async fn commit_token(
        &self,
        request: &Request,
        view: &TokenView,
        statements: Vec<db::Statement>,
        date: Option<&db::Date>,
    ) -> Result<bool, EngineError> {
        let answer = Snapshot::Result(view.stored()).text();
        let made = Making {
            id: view.method.id.to_string(),
            stream: &view.stream(),
            answer: &answer,
        };
        self.commit_request(request, made, statements, date).await
    }
}

/// New random ids were taken already: that is no chance any more.
fn defect() -> EngineError {
    tracing::error!("a new random id is taken");
    EngineError::Fault(Fault::unknown())
}
