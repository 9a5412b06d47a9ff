//! The customer's way back from the authentication for a processor's token.

use crate::boxed;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::{
    Fault,
    id::{TeamId, TokenRequestId},
    processor_token::{TokenRequest, TokenState},
};
use subtle::ConstantTimeEq;
use uuid::Uuid;

use super::ask::Asker;
use crate::{
    Engine,
    change::Round,
    deadline::Deadline,
    faults::{EngineError, only_fault},
};

/// How often a request is read again after another node was faster.
const TRIES: u32 = 4;

/// What a customer who came back is to see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenReturn {
    /// The merchant's page, at this absolute address.
    Merchant(String),
    /// That it is over and the page may be closed, since the merchant gave no address. Whether it brought a token.
    Close {
        /// It did.
        completed: bool,
    },
    /// That there is something left to do, at this page of the processor's.
    Unfinished(String),
    /// That the processor has not said yet what came of it.
    Later,
}

impl Engine {
    /// What a customer is to see who opens the address that the processor was given. The processor is asked: opening the
    /// page proves nothing. `None` when no such address was given out.
    ///
    /// Idempotency: opened again it gives the same, once the processor has answered for good.
    ///
    /// # Errors
    /// `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn token_return(&self, address: &str) -> Result<Option<TokenReturn>, Fault> {
        let Some(address) = parse(address) else {
            return Ok(None);
        };
        let deadline = self.deadline();
        let engine = self.clone();
        let work = Box::pin(async move { engine.token_returned(&address, deadline).await });
        self.own(work)
            .await
            .unwrap_or_else(|| Err(Fault::unknown().into()))
            .map_err(only_fault)
    }

    /// The shop for which a card is authenticated at this address. `None` when the address was not given out, and when the
    /// database is away: a page says less then.
    #[boxed]
    pub async fn shop_of_token_return(&self, address: &str) -> Option<String> {
        let address = parse(address)?;
        let request = self.returning_request(&address).await.ok().flatten()?;
        self.shop_name(request.team).await
    }

    async fn token_returned(
        &self,
        address: &Address,
        deadline: Deadline,
    ) -> Result<Option<TokenReturn>, EngineError> {
        let Some(turn) = self.token_turn(address).await? else {
            return Ok(None);
        };
        let mut left = TRIES;
        let ask = || {
            left = left.saturating_sub(1);
            let is_last = left == 0;
            async move {
                match self.return_round(address, deadline).await? {
                    Round::Conflict if is_last => Ok(Round::Done(Some(TokenReturn::Later))),
                    round => Ok(round),
                }
            }
        };
        self.rounds(Some(turn), deadline, ask).await
    }

    /// Whose turn a return waits for: that of the stored method, as the merchant's call does. `None` when no such address was
    /// given out.
    async fn token_turn(&self, address: &Address) -> Result<Option<Uuid>, EngineError> {
        let store = &self.inner.store;
        let Some(request) = self.returning_request(address).await? else {
            return Ok(None);
        };
        if !request.state.is_open() {
            return Ok(Some(request.id.uuid()));
        }
        let method = store::method::of_team(store, address.team, &request.token).await?;
        Ok(method.map(|method| method.id.uuid()))
    }

    async fn return_round(
        &self,
        address: &Address,
        deadline: Deadline,
    ) -> Result<Round<Option<TokenReturn>>, EngineError> {
        let Some(request) = self.returning_request(address).await? else {
            return Ok(Round::Done(None));
        };
        if !request.state.is_open() {
            return Ok(Round::Done(Some(seen(&request))));
        }
        let store = &self.inner.store;
        let found = store::method::of_team(store, address.team, &request.token).await?;
        let Some(method) = found else {
            return Ok(Round::Done(None));
        };
        let asked = self
            .asked_again(request, Asker::Customer, &method, deadline)
            .await?;
        Ok(asked.map_or(Round::Conflict, |request| Round::Done(Some(seen(&request)))))
    }

    /// The request that the address leads to, if it was given out.
    async fn returning_request(
        &self,
        address: &Address,
    ) -> Result<Option<TokenRequest>, EngineError> {
        let store = &self.inner.store;
        let found = store::token_request::of_team(store, address.team, address.request).await?;
        Ok(found.filter(|request| {
            let known = hex::decode(&request.return_key).unwrap_or_default();
            bool::from(known.as_slice().ct_eq(&address.secret))
        }))
    }
}

/// What the last part of the address holds.
struct Address {
    team: TeamId,
    request: TokenRequestId,
    /// Proves that the address was given out.
    secret: [u8; 16],
}

fn parse(text: &str) -> Option<Address> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let (team, rest) = bytes.split_first_chunk::<16>()?;
    let (request, secret) = rest.split_first_chunk::<16>()?;
    Some(Address {
        team: TeamId::new(Uuid::from_bytes(*team)),
        request: TokenRequestId::new(Uuid::from_bytes(*request)),
        secret: secret.try_into().ok()?,
    })
}

fn seen(request: &TokenRequest) -> TokenReturn {
    let completed = match &request.state {
        TokenState::Asked => return TokenReturn::Later,
        TokenState::Waiting { url } => return TokenReturn::Unfinished(url.clone()),
        TokenState::Obtained => true,
        TokenState::Declined { .. } | TokenState::Refused { .. } | TokenState::Ended => false,
    };
    let Some(redirect) = &request.redirect else {
        return TokenReturn::Close { completed };
    };
    let status = if completed { "COMPLETED" } else { "FAILED" };
    let id = request.id.key();
    TokenReturn::Merchant(redirect.with(&[
        ("id", &id),
        ("3ds_status", status),
        ("vault_token", request.token.as_str()),
    ]))
}
