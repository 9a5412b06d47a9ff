//! What the browser SDK may know of a team.

use crate::boxed;
use domain::{
    Code, Fault, Timestamp,
    caller::{Caller, Credential, Mode},
    money::{Currency, Money},
};

use crate::{
    Engine,
    faults::{EngineError, only_fault},
    payments::{HostedFieldsView, trusts_intent},
    wallets::{GATEWAY_ID, SANDBOX_MERCHANT},
};

/// What a browser's credential may know of its team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SdkConfiguration {
    /// Whether money is real.
    pub mode: Mode,
    /// The team's name.
    pub shop_name: String,
    /// Where the team's logo is.
    pub shop_logo: Option<String>,
    /// What the credential is bound to: by itself, or by its intent.
    pub money: Option<Money>,
    /// Wallet A, where the team has set it up.
    pub wallet_a: Option<WalletAConfiguration>,
    /// The merchant's identifier at wallet B, where the team has set it up.
    pub wallet_b: Option<String>,
    /// When the credential ends.
    pub expires_at: Option<Timestamp>,
    /// Whether a table of card ranges is there.
    pub card_ranges: bool,
    /// The processor's own card fields that a payment needs; `None`: the service's are used.
    pub hosted_fields: Option<HostedFieldsView>,
}

/// What wallet A's button needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalletAConfiguration {
    /// The gateway's id at the wallet.
    pub gateway: String,
    /// The merchant's id, as it was registered with `setupWallet`.
    pub gateway_merchant_id: String,
}

impl Engine {
    /// What the SDK may know of the caller's team. `origin` is the page that shows the form in a frame: the team must allow it.
    /// A frame's document is served for what any team allows, so this is where another team's page is refused. `flow` is the one that
    /// the payment will run under; the team's default where it is absent.
    ///
    /// # Errors
    /// `api.key.forbidden` for an origin that the team does not allow; `error.unavailable`.
    #[boxed]
    pub async fn sdk_configuration(
        &self,
        caller: &Caller,
        origin: Option<&str>,
        flow: Option<&str>,
    ) -> Result<SdkConfiguration, Fault> {
        if let Some(origin) = origin.filter(|_| !caller.is_server()) {
            self.check_embedder(caller, origin).await?;
        }
        self.configuration_of(caller, flow)
            .await
            .map_err(only_fault)
    }

    /// What a team has set counts more than the service's own setting. Pages of the service itself may always show the form.
    async fn check_embedder(&self, caller: &Caller, origin: &str) -> Result<(), Fault> {
        let team = self.team_settings(caller.team).await?;
        let service = self.inner.settings.allowed_origins.as_ref();
        let is_allowed = match (team.allowed_origins.as_ref().or(service), caller.mode) {
            (Some(listed), _) => listed.iter().any(|one| one == origin),
            (None, mode) => mode == Mode::Test,
        };
        if is_allowed || origin == self.own_origin() {
            return Ok(());
        }
        Err(Fault::new(
            Code::Forbidden,
            "Pages of this origin may not show the payment form: add it to the team's allowedOrigins with updateTeam or \
             `pointsman team set`.",
        ))
    }

    /// The origin at which browsers reach the service: its public address without a path.
    pub fn own_origin(&self) -> &str {
        let url = self.public_url();
        let host = url.find("://").map_or(0, |at| at + "://".len());
        let path = url.get(host..).and_then(|rest| rest.find('/'));
        path.and_then(|path| url.get(..host + path)).unwrap_or(url)
    }

    async fn configuration_of(
        &self,
        caller: &Caller,
        flow: Option<&str>,
    ) -> Result<SdkConfiguration, EngineError> {
        let team = self.team(caller).await?;
        let row = store::credential::of_team(&self.inner.store, caller.team, caller.key).await?;
        Ok(SdkConfiguration {
            mode: caller.mode,
            shop_name: team.name,
            shop_logo: team.settings.logo.clone(),
            money: self.bound_money(caller).await?,
            wallet_a: self.wallet_a_of(caller).await?,
            wallet_b: self.wallet_b_of(caller).await?,
            expires_at: row.and_then(|row| row.expires_at),
            card_ranges: self.has_card_ranges(),
            hosted_fields: self.fields_needed(caller, flow).await?,
        })
    }

    /// What a client token may pay, and nothing else.
    async fn bound_money(&self, caller: &Caller) -> Result<Option<Money>, EngineError> {
        let Credential::Client(grant) = &caller.credential else {
            return Ok(None);
        };
        let currency = grant.currency.as_deref().and_then(Currency::parse);
        if let Some((amount, currency)) = grant.amount.zip(currency) {
            return Ok(Some(Money::new(amount, currency)));
        }
        let Some(intent) = grant.intent else {
            return Ok(None);
        };
        let intent = store::intent::of_team(&self.inner.store, caller.team, intent).await?;
        let is_bound = trusts_intent(caller, intent.as_ref()).is_ok();
        Ok(intent.filter(|_| is_bound).and_then(|intent| intent.money))
    }

    /// In test mode a team that has registered no merchant gets the sandbox's: unsigned tokens are taken then.
    async fn wallet_a_of(
        &self,
        caller: &Caller,
    ) -> Result<Option<WalletAConfiguration>, EngineError> {
        let keys = self.wallet_keys(caller.team).await?.a;
        let merchants = store::wallet_merchant::of_team(&self.inner.store, caller.team).await?;
        let merchant = match (merchants.into_iter().next(), &keys, caller.mode) {
            (Some(merchant), Some(_), _) | (Some(merchant), None, Mode::Test) => merchant,
            (None, None, Mode::Test) => SANDBOX_MERCHANT.to_owned(),
            (None, _, _) | (Some(_), None, Mode::Live) => return Ok(None),
        };
        let gateway = keys.map_or(GATEWAY_ID.to_owned(), |keys| keys.gateway_id.clone());
        Ok(Some(WalletAConfiguration {
            gateway,
            gateway_merchant_id: merchant,
        }))
    }

    async fn wallet_b_of(&self, caller: &Caller) -> Result<Option<String>, EngineError> {
        let keys = self.wallet_keys(caller.team).await?.b;
        Ok(match (keys, caller.mode) {
            (Some(keys), _) => keys.merchant_identifier.clone(),
            (None, Mode::Test) => Some(format!("merchant.{SANDBOX_MERCHANT}")),
            (None, Mode::Live) => None,
        })
    }
}
