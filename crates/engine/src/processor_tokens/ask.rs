//! Asking the processor, and what its answer makes of the request.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use connector::{CallError, OwnToken, Tokenise, Tokenised};
use db::Change;
use domain::{
    customer::{Instrument, StoredMethod},
    processor_text::{OwnCard, is_address},
    processor_token::{ProcessorToken, TokenRequest, TokenState},
    redirect::RedirectUrl,
};

use crate::{
    Engine,
    deadline::Deadline,
    faults::EngineError,
    payments::{refusal, token_holder},
};

/// Why there is no token.
const NO_TOKENS: &str = "the connection's processor has no tokens";

/// Who sets off that the processor is asked.
#[derive(Debug, Clone, Copy)]
pub(super) enum Asker<'a> {
    /// The merchant's call, with where it wants the customer from now on.
    Merchant(Option<&'a RedirectUrl>),
    /// The customer who has come back.
    Customer,
}

/// What an answer brought.
struct TokenAnswer {
    state: TokenState,
    /// The token.
    token: Option<OwnToken>,
}

impl TokenAnswer {
    fn of(state: TokenState) -> Self {
        Self { state, token: None }
    }

    fn refusal(reason: &str) -> Self {
        Self::of(TokenState::Refused {
            reason: reason.to_owned(),
        })
    }
}

impl Engine {
    /// Asks the processor about an open request, under its reference, and commits what came of it. `None` when somebody else
    /// changed the request first.
    pub(super) async fn asked_again(
        &self,
        request: TokenRequest,
        asker: Asker<'_>,
        method: &StoredMethod,
        deadline: Deadline,
    ) -> Result<Option<TokenRequest>, EngineError> {
        let answered = self.answered(&request, method, deadline).await?;
        let now = self.inner.world.now();
        let mut next = request.clone();
        next.state = match answered.state {
            // A challenge without any answer stays where the customer was sent.
            TokenState::Asked => request.state.clone(),
            state => state,
        };
        if let (Asker::Customer, TokenState::Declined { .. }) = (asker, &next.state) {
            // The merchant is answered first: the request stays open until the next call asks and gets the same.
            return Ok(Some(next));
        }
        if let Asker::Merchant(Some(address)) = asker {
            next.redirect = Some(address.clone());
        }
        if next.state.is_open()
            && request
                .created_at
                .after(self.inner.settings.customer_lifetime)
                <= now
        {
            next.state = TokenState::Ended;
        }
        if next == request {
            return Ok(Some(request));
        }
        next.version += 1;
        let mut change = Change::new(self.change_id(), request.token.as_str());
        if let Some(own) = answered.token {
            let token = ProcessorToken {
                team: next.team,
                token: next.token.clone(),
                connection: next.connection.clone(),
                own,
                created_at: now,
                updated_at: now,
            };
            change.push(store::method::hold(next.team, &next.token));
            change.push(store::processor_token::put(&token));
        }
        change.push(store::token_request::update(&next));
        if self.commit_plain(change).await?.is_some() {
            return Ok(None);
        }
        if !next.state.is_open() {
            // The verification that could use the security code is over.
            self.inner
                .vault
                .erase_cvc(&token_holder(next.team, &next.token))
                .await;
        }
        Ok(Some(next))
    }

    async fn answered(
        &self,
        request: &TokenRequest,
        method: &StoredMethod,
        deadline: Deadline,
    ) -> Result<TokenAnswer, EngineError> {
        let Some(connected) = self.line(request.team, &request.connection).await? else {
            return Ok(TokenAnswer::refusal(
                "the connection does not exist any more",
            ));
        };
        let Some(card) = self.open_stored(method).await? else {
            return Ok(TokenAnswer::refusal(
                "the card's number is not stored any more",
            ));
        };
        let Some(stored) = connected.connector.stored() else {
            return Ok(TokenAnswer::refusal(NO_TOKENS));
        };
        let connection = match self.open_connection(&connected).await? {
            Ok(connection) => connection,
            Err(why) => {
                tracing::warn!(connection = %request.connection, why, "a connection can't be used");
                return Ok(TokenAnswer::of(TokenState::Asked));
            }
        };
        let link = self.link(&connected, &connection);
        let (reference, return_url) = (request.id.key(), self.token_return_address(request));
        let owner = method.customer;
        let shopper = owner.map_or_else(|| method.id.to_string(), |owner| owner.to_string());
        let call = Tokenise {
            reference: &reference,
            card: &card,
            currency: request.currency,
            shopper: &shopper,
            return_url: return_url.as_deref(),
        };
        let world = &self.inner.world;
        let left = deadline.send_within(world.now(), Duration::ZERO);
        let timeout = connected.connector.descriptor().call_timeout.min(left);
        let watch = world::Stopwatch::start();
        let answered = world.timeout(timeout, stored.tokenise(&link, &call)).await;
        let answered = match answered {
            Ok(Ok(answer)) => of_answer(answer, own_card(method)),
            Ok(Err(error)) => {
                self.note_failure(request.team, &request.connection, &error);
                of_error(&error, request)
            }
            Err(world::Elapsed) => {
                tracing::warn!(connection = %request.connection, verb = "tokenise", "a call was not answered in time: its outcome is unknown");
                TokenAnswer::of(TokenState::Asked)
            }
        };
        let labels = [
            ("processor", connected.connection.processor.clone()),
            (
                "connection",
                self.connection_label(request.team, &request.connection),
            ),
            ("verb", "tokenise".to_owned()),
            ("outcome", outcome(&answered.state).to_owned()),
        ];
        metrics::histogram!("pointsman_attempt_call_duration_seconds", &labels)
            .record(watch.elapsed().as_secs_f64());
        Ok(answered)
    }

    /// Where the processor sends the customer back to.
    fn token_return_address(&self, request: &TokenRequest) -> Option<String> {
        let mut bytes = Vec::with_capacity(48);
        bytes.extend_from_slice(request.team.uuid().as_bytes());
        bytes.extend_from_slice(request.id.uuid().as_bytes());
        bytes.extend(hex::decode(&request.return_key).ok()?);
        Some(format!(
            "{}/token-return/{}",
            self.public_url(),
            URL_SAFE_NO_PAD.encode(bytes)
        ))
    }
}

fn own_card(method: &StoredMethod) -> OwnCard<'_> {
    OwnCard {
        bin: match &method.instrument {
            Instrument::Card { bin, .. } => Some(bin),
            Instrument::BankAccount { .. } | Instrument::OfFields(_) => None,
        },
        masked: Some(&method.masked),
    }
}

/// What is kept of an answer. A token that can't be kept as it is would be of no use.
fn of_answer(answer: Tokenised, card: OwnCard<'_>) -> TokenAnswer {
    match answer {
        Tokenised::Token(own) if !card.keeps_token(&own) => {
            TokenAnswer::refusal("the processor gave a token that can't be kept")
        }
        Tokenised::ActionRequired(action) if !is_address(&action.url) => {
            TokenAnswer::refusal("the processor named a page that no browser can be sent to")
        }
        Tokenised::Token(own) => TokenAnswer {
            state: TokenState::Obtained,
            token: Some(own),
        },
        Tokenised::Declined(decline) => {
            TokenAnswer::of(TokenState::Declined { code: decline.code })
        }
        Tokenised::ActionRequired(action) => {
            TokenAnswer::of(TokenState::Waiting { url: action.url })
        }
    }
}

/// Its words are for the operator: a processor's text may quote what it was sent.
fn of_error(error: &CallError, request: &TokenRequest) -> TokenAnswer {
    tracing::warn!(connection = %request.connection, verb = "tokenise", error = %error, "a call failed");
    match error {
        CallError::NotSent { .. } | CallError::Unknown { .. } => TokenAnswer::of(TokenState::Asked),
        CallError::Rejected { cause, .. } => TokenAnswer::refusal(refusal(*cause)),
        CallError::Unsupported => TokenAnswer::refusal(NO_TOKENS),
    }
}

fn outcome(state: &TokenState) -> &'static str {
    match state {
        TokenState::Asked => "no_answer",
        TokenState::Waiting { .. } => "action_required",
        TokenState::Obtained => "done",
        TokenState::Declined { .. } => "declined",
        TokenState::Refused { .. } | TokenState::Ended => "failed",
    }
}
