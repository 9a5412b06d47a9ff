//! Opening a token, and sealing what was in it.

use std::time::Duration;

use domain::{
    Fault,
    caller::{Caller, Mode},
    id::{MethodId, TeamId},
    payment::{PaidWith, WalletNumber},
};
use serde_json::Value;
use vault::Holder;
use wallet::{TokenKind, WalletError};

use super::{Opened, Wallet, WalletA, WalletB, WalletInput, bad_token, opened::OneUse, unsigned};
use crate::{Engine, faults::EngineError, payments::blob_holder};

/// Wallet A's tokens expire within days; so long after its use a token is certain not to open any more.
const TOKEN_A_LIVES: Duration = Duration::from_hours(366 * 24);
const DAY: Duration = Duration::from_hours(24);

impl Engine {
    /// Verifies and opens a token. Nothing is kept yet. Errors: `error.wallet.invalid-token` with a reason.
    pub(crate) async fn open_wallet(
        &self,
        caller: &Caller,
        input: &WalletInput,
    ) -> Result<Opened, EngineError> {
        if self.inner.settings.mode == Mode::Test && wallet::form(&input.token).is_none() {
            return unsigned::read(input.wallet, &input.token)
                .map_err(|error| refused(error).into());
        }
        let keys = self.wallet_keys(caller.team).await?;
        match input.wallet {
            Wallet::A => {
                self.open_a(caller.team, keys.a.as_deref(), &input.token)
                    .await
            }
            Wallet::B => self.open_b(keys.b.as_deref(), &input.token),
        }
    }

    async fn open_a(
        &self,
        team: TeamId,
        keys: Option<&WalletA>,
        token: &Value,
    ) -> Result<Opened, EngineError> {
        let keys = keys.ok_or_else(not_set_up)?;
        let merchants = store::wallet_merchant::of_team(&self.inner.store, team).await?;
        let now = self.inner.world.now();
        let open = keys
            .recipient
            .open(token, &merchants, now)
            .map_err(refused)?;
        // A token that names its merchant is good for a merchant that the team has registered, and for no other.
        if open
            .gateway_merchant_id
            .as_ref()
            .is_some_and(|merchant| !merchants.contains(merchant))
        {
            return Err(refused(WalletError::Merchant).into());
        }
        // Tokens of the first protocol have no id of their own: what is signed identifies them.
        let identity = match &open.message_id {
            Some(id) => format!("wallet a message {id}"),
            None => {
                format!(
                    "wallet a signed {}",
                    signed_message(token).ok_or_else(|| refused(WalletError::NotAToken))?
                )
            }
        };
        let forget_at = Some(now.after(TOKEN_A_LIVES));
        let once = OneUse {
            hash: self.inner.vault.request_hash(identity.as_bytes()),
            forget_at,
            ends: None,
        };
        Ok(Opened::verified(Wallet::A, open, once))
    }

    fn open_b(&self, keys: Option<&WalletB>, token: &Value) -> Result<Opened, EngineError> {
        let merchant = keys
            .and_then(|keys| keys.merchant.as_ref())
            .ok_or_else(not_set_up)?;
        let now = self.inner.world.now();
        let open = merchant.keys.open(token, now).map_err(refused)?;
        let id = open
            .transaction_id
            .as_deref()
            .ok_or_else(|| refused(WalletError::Field("transactionId")))?;
        let hash = self
            .inner
            .vault
            .request_hash(format!("wallet b transaction {id}").as_bytes());
        // A signature counts for its age before and after now.
        let forget_at = merchant
            .max_age
            .map(|age| now.after(age.saturating_mul(2).saturating_add(DAY)));
        Ok(Opened::verified(
            Wallet::B,
            open,
            OneUse {
                hash,
                forget_at,
                ends: None,
            },
        ))
    }

    /// What a payment keeps of an open token: its number goes into the vault for the authorisation alone, its cryptogram
    /// is kept like a security code.
    pub(crate) async fn wallet_card(
        &self,
        team: TeamId,
        opened: Opened,
    ) -> Result<PaidWith, EngineError> {
        let known = self.card_known(&opened.number, None, "paymentMethod")?;
        let id = MethodId::new(self.inner.world.uuid_v7());
        let holder = Holder::hidden(id);
        let blob = self
            .inner
            .vault
            .seal_card(team, &holder, &opened.number)
            .await?;
        if let Some(cryptogram) = &opened.cryptogram {
            let eci = opened.eci.as_deref();
            self.inner
                .vault
                .keep_cryptogram(&blob_holder(blob), cryptogram.expose(), eci)
                .await?;
        }
        Ok(PaidWith {
            method: opened.wallet.method(),
            token: None,
            id,
            blob: Some(blob),
            hidden: true,
            masked: Some(opened.number.masked()),
            bin: Some(opened.number.bin()),
            expiry: Some(opened.expiry),
            brand: Some(known.brand),
            account: None,
            wallet: Some(match opened.kind {
                TokenKind::PanOnly => WalletNumber::Card,
                TokenKind::Cryptogram => WalletNumber::Device,
            }),
            holder: None,
            address: None,
            fingerprint: Some(self.inner.vault.fingerprint(team, &opened.number)),
            funding: known.funding,
            card_country: known.country,
            fields_token: None,
            product: None,
            network: None,
            network_weight: None,
        })
    }
}

/// A token is used once, whatever came of the payment.
pub(crate) fn used_before() -> Fault {
    bad_token("was used before: each token pays once")
}

fn refused(error: WalletError) -> Fault {
    bad_token(error.to_string())
}

fn not_set_up() -> Fault {
    bad_token("can't be opened here: this wallet is not set up for your team")
}

/// What wallet A has signed, of a token that is an object or its text.
fn signed_message(token: &Value) -> Option<String> {
    let of = |token: &Value| {
        token
            .get("signedMessage")
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    match token {
        Value::String(text) => of(&serde_json::from_str(text).ok()?),
        token => of(token),
    }
}
