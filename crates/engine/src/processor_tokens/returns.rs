//! The customer's way back from the authentication for a processor's token.

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
    deadline::Deadline,
    faults::{Stop, only_fault},
};

/// How often a request is read anew after another node was faster.
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
    /// That the processor has not told yet what came of it.
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
    pub async fn token_return(&self, address: &str) -> Result<Option<TokenReturn>, Fault> {
        let Some((team, id, secret)) = parse(address) else {
            return Ok(None);
        };
        let deadline = self.deadline();
        let engine = self.clone();
        let work =
            Box::pin(async move { engine.token_returned((team, id), secret, deadline).await });
        self.own(work)
            .await
            .unwrap_or_else(|| Err(Fault::unknown().into()))
            .map_err(only_fault)
    }

    async fn token_returned(
        &self,
        (team, id): (TeamId, TokenRequestId),
        secret: [u8; 16],
        deadline: Deadline,
    ) -> Result<Option<TokenReturn>, Stop> {
        let store = &self.inner.store;
        for _ in 0..TRIES {
            let Some(request) = store::token_request::of_team(store, team, id).await? else {
                return Ok(None);
            };
            let known = hex::decode(&request.return_key).unwrap_or_default();
            if !bool::from(known.as_slice().ct_eq(&secret)) {
                return Ok(None);
            }
            if !request.state.is_open() {
                return Ok(Some(seen(&request)));
            }
            let Some(method) = store::method::of_team(store, team, &request.token).await? else {
                return Ok(None);
            };
            let _turn = self.inner.turns.take(method.id.uuid()).await;
            if let Some(request) = self
                .asked_again(request, Asker::Customer, &method, deadline)
                .await?
            {
                return Ok(Some(seen(&request)));
            }
        }
        Ok(Some(TokenReturn::Later))
    }
}

/// Reads what the last part of the address holds: team, request and secret.
fn parse(text: &str) -> Option<(TeamId, TokenRequestId, [u8; 16])> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let (team, rest) = bytes.split_first_chunk::<16>()?;
    let (request, secret) = rest.split_first_chunk::<16>()?;
    let ids = (
        TeamId::new(Uuid::from_bytes(*team)),
        TokenRequestId::new(Uuid::from_bytes(*request)),
    );
    Some((ids.0, ids.1, secret.try_into().ok()?))
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
