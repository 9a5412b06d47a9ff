//! `setupWallet` and `saveWallet`.

use domain::{
    Code, Fault, Faults,
    bounded::{TEXT_MAX, bounded},
};
use engine::{SetupWallet, Url, Validation, Wallet};
use serde_json::{Map, Value};

/// Longest validation address, as it is bounded before it is read. Unit: characters.
const URL_MAX: usize = 2_048;

/// Errors: `error.wallet.unsupported-type`, `error.validation` with a path into `payload`.
pub(crate) fn parse(mut arguments: Map<String, Value>) -> Result<SetupWallet, Fault> {
    let wallet = wallet_type(&arguments)?;
    let payload = match arguments.remove("payload") {
        Some(Value::Object(fields)) => Payload(fields),
        _ => return Err(Fault::invalid("payload", "must be a JSON object")),
    };
    Ok(match wallet {
        Wallet::A => SetupWallet::A {
            merchant: payload.text("merchantGatewayId", TEXT_MAX)?,
        },
        Wallet::B => {
            let mut faults = Faults::default();
            let merchant_identifier =
                faults.or_default(payload.text("merchantIdentifier", TEXT_MAX));
            let display_name = faults.or_default(payload.text("displayName", TEXT_MAX));
            let url = payload.text("validationUrl", URL_MAX).and_then(|url| {
                Url::https(&url)
                    .map_err(|error| Fault::invalid("payload.validationUrl", error.to_string()))
            });
            let url = faults.good(url);
            let initiative_context = faults.or_default(payload.text("initiativeContext", TEXT_MAX));
            SetupWallet::B(faults.end(url.map(|url| Validation {
                merchant_identifier,
                display_name,
                url,
                initiative_context,
            }))?)
        }
    })
}

/// The wallet and its settings. Errors: `error.wallet.unsupported-type`, `error.validation`.
pub(crate) fn parse_save(mut arguments: Map<String, Value>) -> Result<(Wallet, Value), Fault> {
    let wallet = wallet_type(&arguments)?;
    let settings = arguments.remove("settings").filter(Value::is_object);
    Ok((
        wallet,
        settings.ok_or_else(|| Fault::invalid("settings", "must be a JSON object"))?,
    ))
}

fn wallet_type(arguments: &Map<String, Value>) -> Result<Wallet, Fault> {
    let name = arguments.get("walletType").and_then(Value::as_str);
    name.and_then(Wallet::parse).ok_or_else(|| {
        let message = "There is no such wallet: walletType is WALLETA_PAY (GOOGLE_PAY) or WALLETB_PAY (APPLE_PAY).";
        let mut fault = Fault::new(Code::WalletType, message);
        fault.field = Some("walletType".to_owned());
        fault
    })
}

struct Payload(Map<String, Value>);

impl Payload {
    /// A text of one line that must be there.
    fn text(&self, name: &str, max: usize) -> Result<String, Fault> {
        let field = format!("payload.{name}");
        match self.0.get(name) {
            Some(Value::String(text)) if !text.is_empty() => bounded(text.clone(), &field, max),
            None | Some(Value::Null | Value::String(_)) => {
                Err(Fault::invalid(field, "is required"))
            }
            Some(_) => Err(Fault::invalid(field, "must be a text")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shared::sample::arguments;

    fn setup(wallet: &str, payload: &Value) -> Result<SetupWallet, Fault> {
        parse(arguments(json!({"walletType": wallet, "payload": payload})))
    }

    fn refused(wallet: &str, payload: &Value) -> String {
        setup(wallet, payload)
            .map(|_| ())
            .unwrap_err()
            .field
            .unwrap()
    }

    #[test]
    fn wallets_have_two_names_and_there_are_no_others() {
        for name in ["WALLETA_PAY", "GOOGLE_PAY"] {
            let request = setup(name, &json!({"merchantGatewayId": "m"}));
            assert!(matches!(request, Ok(SetupWallet::A { merchant }) if merchant == "m"));
        }
        for name in ["", "walleta_pay", "VISA", "PAYPAL", "WALLETC"] {
            assert_eq!(
                setup(name, &json!({})).map(|_| ()).unwrap_err().code,
                Code::WalletType
            );
        }
    }

    #[test]
    fn what_is_missing_or_wrong_in_the_payload_is_named_by_its_path() {
        let full = json!({
            "merchantIdentifier": "m", "displayName": "Shop", "initiativeContext": "shop.example",
            "validationUrl": "https://apple-pay-gateway.apple.com/paymentservices/startSession",
        });
        for name in ["WALLETB_PAY", "APPLE_PAY"] {
            assert!(setup(name, &full).is_ok());
        }
        for (name, _) in full.as_object().unwrap() {
            for wrong in [json!(""), json!(5), json!(null), json!("x".repeat(3_000))] {
                let mut payload = full.clone();
                payload[name] = wrong;
                assert_eq!(refused("WALLETB_PAY", &payload), format!("payload.{name}"));
            }
        }
        for url in [
            "http://apple-pay-gateway.apple.com/",
            "apple.com",
            "https://a@apple.com/",
            "file:///etc/passwd",
        ] {
            let mut payload = full.clone();
            payload["validationUrl"] = json!(url);
            assert_eq!(refused("WALLETB_PAY", &payload), "payload.validationUrl");
        }
        assert_eq!(
            refused("WALLETA_PAY", &json!({})),
            "payload.merchantGatewayId"
        );
        assert_eq!(refused("WALLETA_PAY", &json!([])), "payload");
    }
}
