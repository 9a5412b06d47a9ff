//! Wallets: tokens that are real in form, the sandbox's own, setting up, names.

mod names;
mod setup;
mod tokens;
mod unsigned;

use serde_json::{Value, json};
use testkit::{Answer, Order, Server, Setup, Shop};

/// An order that is paid with a wallet; without amount and currency.
pub(crate) fn order(kind: &str, token: &Value) -> Order {
    let mut method = json!({"type": kind, "walletToken": token});
    if matches!(kind, "WALLETA_PAY" | "GOOGLE_PAY") {
        method["walletAPay"] = json!({"transactionId": "attempt-1"});
    }
    Order::card("")
        .without("amount")
        .without("currencyCode")
        .with("paymentMethod", method)
}

/// What the wallet's token is refused with.
#[track_caller]
pub(crate) fn assert_bad_token(answer: &Answer, words: &str) {
    answer.assert_error("error.wallet.invalid-token");
    let reason = answer.extension("reason").as_str().unwrap_or_default();
    assert!(reason.contains(words), "{reason}");
}

pub(crate) fn setup(shop: &Shop, wallet: &str, payload: &Value) -> Answer {
    let query = "mutation($type: String!, $payload: JSON!) { setupWallet(walletType: $type, payload: $payload) }";
    shop.gql(query, json!({"type": wallet, "payload": payload}))
}

/// Tokens of both wallets with their keys, made by `vectors/make.py`.
pub(crate) struct Vectors(Value);

impl Vectors {
    pub(crate) fn read() -> Self {
        Self(serde_json::from_str(include_str!("vectors/vectors.json")).unwrap())
    }

    pub(crate) fn at(&self, place: &str) -> &Value {
        self.0
            .pointer(place)
            .unwrap_or_else(|| panic!("no vector {place}"))
    }

    fn text(&self, place: &str) -> String {
        let value = self.at(place);
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    }

    /// A server whose first team has both wallets set up by its configuration.
    pub(crate) fn server(&self) -> Server {
        let dir = tempfile::Builder::new()
            .prefix("pointsman-wallets-")
            .tempdir()
            .unwrap();
        for (name, place) in [
            ("google-1.pem", "/google/keys/first"),
            ("google-2.pem", "/google/keys/second"),
            ("google-roots.json", "/google/roots/all"),
            ("apple.pem", "/apple/certificates/first"),
            ("apple.key", "/apple/keys/first"),
            ("apple-rsa.pem", "/apple/certificates/rsa"),
            ("apple-rsa.key", "/apple/keys/rsa"),
            ("apple-roots.pem", "/apple/roots/right"),
        ] {
            std::fs::write(dir.path().join(name), self.text(place)).unwrap();
        }
        // Files are named relative to the configuration's own place.
        let config = "[wallets.a]\nprivate_keys = [\"google-1.pem\", \"google-2.pem\"]\nroot_keys = \"google-roots.json\"\n\
            [wallets.b]\nmerchant_identifier = \"merchant.example\"\n\
            processing_certificate = \"apple.pem\"\nprocessing_key = \"apple.key\"\n\
            rsa_processing_certificate = \"apple-rsa.pem\"\nrsa_processing_key = \"apple-rsa.key\"\n\
            root_certificates = \"apple-roots.pem\"\nsignature_max_age = \"0s\"\n";
        Setup::new()
            .config(config)
            .start_in(std::sync::Arc::new(dir))
    }

    /// The same settings as the API takes them.
    pub(crate) fn settings_a(&self) -> Value {
        json!({"private_keys": [self.text("/google/keys/first")], "root_keys": self.at("/google/roots/all")})
    }
}
