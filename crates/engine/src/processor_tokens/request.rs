//! `headlessRequestPaymentProcessorToken`.

use crate::boxed;
use db::Change;
use domain::{
    Code, Fault,
    caller::Caller,
    customer::{Instrument, StoredMethod},
    id::{ConnectionId, TeamId, TokenRequestId, VaultToken},
    money::Currency,
    processor_token::{TokenRequest, TokenState},
    redirect::RedirectUrl,
};

use super::ask::Asker;
use crate::{
    Engine,
    change::Round,
    deadline::Deadline,
    faults::{EngineError, method_not_found, only_fault},
};

/// How often a request is read again after another node was faster.
const TRIES: u32 = 4;

/// A request for a processor's token.
#[derive(Clone)]
pub struct ProcessorTokenWanted {
    /// The stored card.
    pub token: VaultToken,
    /// The connection at whose processor the token is to stand for the card.
    pub connection: ConnectionId,
    /// In which currency the card will be charged.
    pub currency: Currency,
    /// Where the customer is sent after an authentication.
    pub redirect: Option<RedirectUrl>,
}

impl Engine {
    /// A processor's token for a stored card: the one that is kept, else one that the processor is asked for. Source:
    /// specification 4.2; behaviour contract, section 7.
    ///
    /// Idempotency: the same call may be repeated at any time; the processor is asked under one reference until it has
    /// answered for good.
    ///
    /// # Errors
    /// `error.payment-method.not-found`, `error.connection.not-found`, `error.validation`;
    /// `error.authorize.requires3DSecure` with the page's address and the request's id; `error.token.declined`,
    /// `error.token.processor`; `error.unavailable` while the processor does not answer.
    #[boxed]
    pub async fn processor_token(
        &self,
        caller: &Caller,
        wanted: ProcessorTokenWanted,
    ) -> Result<String, Fault> {
        let redirect = (
            wanted.redirect.as_ref(),
            "tokenRequest.threeDSecureRedirectUrl",
        );
        self.check_returns(caller, &[redirect]).await?;
        let (deadline, team) = (self.request_deadline(), caller.team);
        let engine = self.clone();
        let work = Box::pin(async move { engine.processor_token_of(team, wanted, deadline).await });
        // A client that goes away doesn't end it: the processor may have answered already.
        self.own(work)
            .await
            .unwrap_or_else(|| Err(Fault::unknown().into()))
            .map_err(only_fault)
    }

    async fn processor_token_of(
        &self,
        team: TeamId,
        wanted: ProcessorTokenWanted,
        deadline: Deadline,
    ) -> Result<String, EngineError> {
        let store = &self.inner.store;
        let found = store::method::of_team(store, team, &wanted.token).await?;
        let method = found.ok_or_else(method_not_found)?;
        if !matches!(method.instrument, Instrument::Card { .. }) {
            let reason = "is a bank account, and processors' tokens are for cards";
            return Err(Fault::invalid("tokenRequest.vaultToken", reason).into());
        }
        self.open_line(team, &wanted.connection).await?;
        let (wanted, method, mut left) = (&wanted, &method, TRIES);
        // The turn is held while the processor is asked: the others at this node find its answer.
        let ask = || {
            left = left.saturating_sub(1);
            let is_last = left == 0;
            async move {
                match self.token_round(wanted, method, deadline).await? {
                    Round::Conflict if is_last => Err(Fault::unavailable().into()),
                    round => Ok(round),
                }
            }
        };
        self.rounds(Some(method.id.uuid()), deadline, ask).await
    }

    /// The token that is kept, or what the processor makes of a request for one. A round is lost when another node was faster, and
    /// when the request ended without a fault: it brought the token, or its time was over and a new one begins.
    async fn token_round(
        &self,
        wanted: &ProcessorTokenWanted,
        method: &StoredMethod,
        deadline: Deadline,
    ) -> Result<Round<String>, EngineError> {
        let (store, team) = (&self.inner.store, method.team);
        if let Some(known) =
            store::processor_token::find(store, team, &wanted.token, &wanted.connection).await?
        {
            return Ok(Round::Done(known.own.value));
        }
        let open =
            store::token_request::open(store, team, &wanted.token, &wanted.connection).await?;
        let request = match open {
            Some(request) => Some(request),
            None => self.begin_token_request(method, wanted).await?,
        };
        let Some(request) = request else {
            return Ok(Round::Conflict);
        };
        let id = request.id;
        // From here on the processor may have been asked: an answer that comes too late names the request.
        let _naming = self.naming(&id);
        let merchant = Asker::Merchant(wanted.redirect.as_ref());
        let asked = self.asked_again(request, merchant, method, deadline).await;
        let asked = asked.map_err(|stop| match stop {
            EngineError::Fault(fault) if fault.is_ours() => EngineError::Fault(goes_on(id)),
            other => other,
        })?;
        match asked.as_ref().and_then(fault_of) {
            Some(fault) => Err(fault.into()),
            None => Ok(Round::Conflict),
        }
    }

    /// Commits a new request. `None` when another node was faster, or the method is deleted by now.
    async fn begin_token_request(
        &self,
        method: &StoredMethod,
        wanted: &ProcessorTokenWanted,
    ) -> Result<Option<TokenRequest>, EngineError> {
        let request = TokenRequest {
            id: TokenRequestId::new(self.inner.world.uuid_v7()),
            team: method.team,
            version: 1,
            token: method.token.clone(),
            connection: wanted.connection.clone(),
            currency: wanted.currency,
            redirect: wanted.redirect.clone(),
            return_key: self.return_key(),
            state: TokenState::Asked,
            created_at: self.inner.world.now(),
        };
        let change = Change::new(self.change_id(), request.token.as_str())
            .with(store::method::hold(request.team, &request.token))
            .with(store::token_request::insert(&request));
        match self.commit_naming(change, request.id).await? {
            None => Ok(Some(request)),
            Some(0) => Err(method_not_found().into()),
            Some(_) => Ok(None),
        }
    }
}

/// The fault that a request's state is; `None` when there is more to be done.
fn fault_of(request: &TokenRequest) -> Option<Fault> {
    Some(match &request.state {
        TokenState::Waiting { url } => {
            let message = format!("3D Secure is needed for the token. Send the customer to {url}");
            Fault::new(Code::Requires3dSecure, message)
                .about(request.id)
                .at_url(url.as_str())
        }
        TokenState::Declined { code } => {
            let message =
                "The card was declined when the processor verified it, so there is no token.";
            Fault::new(Code::TokenDeclined, message)
                .about(request.id)
                .because(code.code())
        }
        TokenState::Refused { reason } => {
            let message = "The processor gives no token for this card.";
            Fault::new(Code::TokenProcessor, message)
                .about(request.id)
                .because(reason.as_str())
        }
        TokenState::Asked => goes_on(request.id),
        TokenState::Obtained | TokenState::Ended => return None,
    })
}

/// The processor may have been asked, and what it answered is not known or not stored.
fn goes_on(id: TokenRequestId) -> Fault {
    let message = "The processor's answer is not known yet. The request named by this id goes on: the same call asks for its \
                   outcome and begins nothing new.";
    Fault::new(Code::Unavailable, message).about(id)
}
