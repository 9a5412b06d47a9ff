//! Setting a wallet up for payments: registering the merchant (wallet A), asking for a merchant session (wallet B).

use crate::boxed;
use std::time::Duration;

use db::Change;
use domain::{
    Code, Fault,
    caller::{Caller, Credential, Mode, forbidden},
    id::TeamId,
};
use http_client::{Body, HttpError, Method, Recipient, Reply, Request, Url};
use serde_json::{Value, json};
use store::room::{self, BoundedList};

use super::{GATEWAY_ID, VALIDATION_HOSTS, WalletB};
use crate::{
    Engine,
    change::Round,
    faults::{EngineError, only_fault},
};

/// Where the payload stands in a fault's `field`.
const PAYLOAD: &str = "payload";
/// A team registers no more merchants than this.
const MERCHANTS_MAX: usize = 100;
/// The wallet answers within this time.
const VALIDATE_WITHIN: Duration = Duration::from_secs(10);
/// The largest session that is passed on; real ones have about three thousand bytes. Unit: bytes.
const SESSION_MAX: usize = 64 * 1024;
/// How long a session of the sandbox is good, like a real one.
const SESSION_LIVES: Duration = Duration::from_mins(5);

/// A request to set a wallet up.
pub enum SetupWallet {
    /// Wallet A: the merchant's id in the wallet's console.
    A {
        /// The id.
        merchant: String,
    },
    /// Wallet B: a session for one payment.
    B(Validation),
}

/// What wallet B is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Validation {
    /// The merchant's identifier at the wallet.
    pub merchant_identifier: String,
    /// The name that the customer sees.
    pub display_name: String,
    /// The address that the wallet gave to the page.
    pub url: Url,
    /// The page's domain.
    pub initiative_context: String,
}

impl Engine {
    /// Sets a wallet up. A browser with a client token may ask for wallet B's session, and nothing else.
    ///
    /// # Errors
    /// `api.key.forbidden`, `error.wallet.setup-failed` with a reason, `error.validation`.
    #[boxed]
    pub async fn setup_wallet(
        &self,
        caller: &Caller,
        request: SetupWallet,
    ) -> Result<Value, Fault> {
        match (&caller.credential, request) {
            (Credential::Secret, SetupWallet::A { merchant }) => {
                self.register_merchant(caller, &merchant).await
            }
            (Credential::Secret | Credential::Client(_), SetupWallet::B(wanted)) => {
                self.merchant_session(caller, &wanted).await
            }
            (Credential::Client(_) | Credential::Public, _) => Err(forbidden().into()),
        }
        .map_err(only_fault)
    }

    /// Registers a merchant of wallet A; doing it again is harmless.
    async fn register_merchant(
        &self,
        caller: &Caller,
        merchant: &str,
    ) -> Result<Value, EngineError> {
        let register = || self.register_once(caller.team, merchant);
        self.rounds(None, self.deadline(), register).await?;
        let keys = self.wallet_keys(caller.team).await?;
        let gateway = keys
            .a
            .as_ref()
            .map_or(GATEWAY_ID, |keys| keys.gateway_id.as_str());
        Ok(json!({"merchantGatewayId": merchant, "gateway": gateway}))
    }

    async fn register_once(&self, team: TeamId, merchant: &str) -> Result<Round<()>, EngineError> {
        let store = &self.inner.store;
        let room = room::find(store, team, BoundedList::WalletMerchants).await?;
        let known = store::wallet_merchant::of_team(store, team).await?;
        if known.iter().any(|known| known == merchant) {
            return Ok(Round::Done(()));
        }
        if known.len() >= MERCHANTS_MAX {
            return Err(failed("your team has registered as many merchants as it may").into());
        }
        let insert = store::wallet_merchant::insert(team, merchant, self.inner.world.now());
        let change = Change::new(self.change_id(), &team.key())
            .with(room::take(room))
            .with(insert);
        let refused = self.commit_plain(change).await?;
        Ok(Round::of(refused, ()))
    }

    async fn merchant_session(
        &self,
        caller: &Caller,
        wanted: &Validation,
    ) -> Result<Value, EngineError> {
        let keys = self.wallet_keys(caller.team).await?;
        let keys = keys.b.as_deref();
        let named = keys.and_then(|keys| keys.merchant_identifier.as_deref());
        if named.is_some_and(|named| named != wanted.merchant_identifier) {
            return Err(failed_at(
                "merchantIdentifier",
                "must be the identifier that is set up for your team",
            )
            .into());
        }
        let default_hosts = [VALIDATION_HOSTS.to_owned()];
        let hosts = match keys {
            Some(keys) => keys.validation_hosts.clone(),
            None => WalletB::hosts(&default_hosts).unwrap_or_default(),
        };
        if !hosts.iter().any(|host| host.allows(&wanted.url)) {
            return Err(failed_at(
                "validationUrl",
                "must lead to a host of the wallet's merchant validation",
            )
            .into());
        }
        let Some(identity) = keys.and_then(|keys| keys.identity.as_ref()) else {
            return match self.inner.settings.mode {
                Mode::Test => Ok(self.sandbox_session(wanted)),
                Mode::Live => {
                    Err(failed("your team has no identity certificate for this wallet").into())
                }
            };
        };
        let body = json!({
            "merchantIdentifier": wanted.merchant_identifier,
            "displayName": wanted.display_name,
            "initiative": "web",
            "initiativeContext": wanted.initiative_context,
        });
        let request = Request {
            method: Method::POST,
            url: &wanted.url,
            headers: &[],
            body: Body::Json(body.to_string().into()),
            timeout: VALIDATE_WITHIN,
            most: SESSION_MAX,
        };
        let recipient = Recipient::Stranger {
            hosts: Some(&hosts),
            identity: Some(identity),
        };
        Ok(session(self.inner.http.send(recipient, &request).await)?)
    }

    /// A session of the sandbox's own, with every field of a real one. No wallet takes it.
    fn sandbox_session(&self, wanted: &Validation) -> Value {
        let world = &self.inner.world;
        let now = world.now();
        let millis = |at: domain::Timestamp| at.micros().div_euclid(1_000);
        let random = |bytes: usize| {
            let mut filled = vec![0; bytes];
            world.fill(&mut filled);
            hex::encode(filled)
        };
        let Validation {
            merchant_identifier,
            display_name,
            initiative_context,
            ..
        } = wanted;
        json!({
            "epochTimestamp": millis(now),
            "expiresAt": millis(now.after(SESSION_LIVES)),
            "merchantSessionIdentifier": format!("SSH{}", random(32).to_uppercase()),
            "nonce": random(4),
            "merchantIdentifier": merchant_identifier,
            "domainName": initiative_context,
            "displayName": display_name,
            "signature": random(64),
            "operationalAnalyticsIdentifier": format!("{display_name}:{merchant_identifier}"),
            "retries": 0,
        })
    }
}

/// The session as the wallet gave it. What went wrong on the way is for the log alone: it would show our network.
fn session(answer: Result<Reply, HttpError>) -> Result<Value, Fault> {
    let reply = answer.map_err(|error| {
        tracing::warn!(%error, "a merchant could not be validated at wallet B");
        failed(
            "the wallet could not be reached, or did not answer as it should; try again, then ask who runs the service",
        )
    })?;
    if reply.status != 200 {
        tracing::warn!(
            status = reply.status,
            "wallet B refused to validate a merchant"
        );
        return Err(failed(
            "the wallet refused: merchantIdentifier, initiativeContext (a registered domain) and the identity \
             certificate must belong together, and validationUrl must be fresh",
        ));
    }
    let session: Option<Value> = serde_json::from_slice(&reply.body).ok();
    session
        .filter(Value::is_object)
        .ok_or_else(|| failed("the wallet's answer is no session"))
}

fn failed(reason: &str) -> Fault {
    Fault::new(
        Code::WalletSetup,
        "The wallet could not be set up; the reason says why.",
    )
    .because(reason)
}

fn failed_at(name: &str, reason: &str) -> Fault {
    let mut fault = failed(reason);
    fault.field = Some(format!("{PAYLOAD}.{name}"));
    fault
}

#[cfg(test)]
mod tests {
    use http_client::Reason;

    use super::*;

    fn reason(answer: Result<Reply, HttpError>) -> String {
        let fault = session(answer).unwrap_err();
        assert_eq!(fault.code, Code::WalletSetup);
        fault.reason.unwrap()
    }

    #[test]
    fn a_session_is_passed_on_as_it_came_and_nothing_else_is() {
        let reply = |status: u16, body: &'static [u8]| Ok(Reply::new(status, body));
        assert_eq!(
            session(reply(200, br#"{"z": 1, "a": [2]}"#))
                .unwrap()
                .to_string(),
            r#"{"z":1,"a":[2]}"#
        );
        for body in [&b"[]"[..], b"", b"<html>", b"\"x\"", b"null"] {
            assert_eq!(
                reason(Ok(Reply::new(200, body))),
                "the wallet's answer is no session"
            );
        }
        for status in [201, 302, 400, 417, 500] {
            assert!(reason(reply(status, b"{}")).starts_with("the wallet refused"));
        }
    }

    #[test]
    fn whatever_the_network_did_the_reason_is_the_same() {
        let failures = [
            Reason::Private,
            Reason::Unreachable("10.0.0.1: refused".to_owned()),
            Reason::Elapsed,
            Reason::ReplyTooLarge,
            Reason::Broken("x".to_owned()),
        ];
        let reasons: std::collections::BTreeSet<String> = failures
            .into_iter()
            .map(|why| reason(Err(HttpError::maybe_sent(why))))
            .collect();
        assert_eq!(reasons.len(), 1);
    }
}
