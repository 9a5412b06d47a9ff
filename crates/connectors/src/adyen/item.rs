//! The items of a notification, and their signatures. Source: docs/processors/adyen.md, "Notifications and signatures".
//!
//! Eight members of an item are signed; nothing else is. They are joined by colons without any escaping, so that what stands between two
//! colons must be certain: ids, the account, the amount, the event and its outcome have no colon, and our reference has none.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use connector::{Delivery, NotGenuine, Unreadable};
use hmac::{Hmac, Mac};
use serde::Deserialize;
use sha2::Sha256;
use subtle::ConstantTimeEq;

use super::wire::{Additional, Amount};

/// The most items of a delivery that are looked at. Adyen sends one.
const ITEMS_MAX: usize = 100;

/// The longest id, account or event. Unit: bytes.
const NAME_MAX: usize = 100;

/// The member with the signature.
const SIGNATURE: &str = "hmacSignature";

/// What is sent.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    live: String,
    notification_items: Vec<Wrapped>,
}

#[derive(Debug, Deserialize)]
struct Wrapped {
    #[serde(rename = "NotificationRequestItem")]
    item: Item,
}

/// One piece of news. A signed member that is `null` is refused, but for `originalReference`; one that is missing is empty.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Item {
    /// Adyen's id of what the news is about: a payment, a capture, a dispute.
    #[serde(default)]
    pub(super) psp_reference: String,
    /// Adyen's id of the payment, where the news is about something else.
    #[serde(default)]
    pub(super) original_reference: Option<String>,
    #[serde(default)]
    pub(super) merchant_account_code: String,
    /// Our reference for the payment or for the change.
    #[serde(default)]
    pub(super) merchant_reference: String,
    pub(super) amount: Option<Amount>,
    #[serde(default)]
    pub(super) event_code: String,
    #[serde(default)]
    success: String,
    /// Not signed.
    #[serde(default)]
    pub(super) event_date: Option<String>,
    /// Not signed.
    #[serde(default)]
    pub(super) reason: Option<String>,
    /// Not signed, but for what it says of the other members.
    #[serde(default)]
    pub(super) additional_data: Option<Additional>,
}

impl Item {
    /// Whether the event succeeded.
    pub(super) fn is_success(&self) -> bool {
        self.success == "true"
    }

    /// Adyen's id of the payment; `None`: the news is about the payment itself.
    pub(super) fn original(&self) -> Option<&str> {
        let original = self.original_reference.as_deref();
        original.filter(|original| !original.is_empty())
    }

    /// What tells copies from other news: signed members alone.
    pub(super) fn id(&self) -> String {
        format!(
            "{}:{}:{}:{}",
            self.psp_reference,
            self.event_code,
            self.success,
            self.original().unwrap_or_default()
        )
    }

    /// A member of what is not signed.
    pub(super) fn hint(&self, name: &str) -> Option<&str> {
        self.additional_data.as_ref()?.text(name)
    }

    /// Whether what stands between the colons is certain.
    fn is_plain(&self) -> bool {
        let name = |text: &str| {
            text.len() <= NAME_MAX
                && text
                    .bytes()
                    .all(|byte| byte.is_ascii_graphic() && !matches!(byte, b':' | b'\\'))
        };
        let is_currency = |code: &str| code.bytes().all(|byte| byte.is_ascii_uppercase());
        let is_event = |code: &str| {
            !code.is_empty()
                && code
                    .bytes()
                    .all(|byte| byte.is_ascii_uppercase() || byte == b'_')
        };
        !self.psp_reference.is_empty()
            && name(&self.psp_reference)
            && self.original().is_none_or(name)
            && name(&self.merchant_account_code)
            && self
                .amount
                .as_ref()
                .is_none_or(|amount| is_currency(&amount.currency))
            && is_event(&self.event_code)
            && matches!(self.success.as_str(), "true" | "false")
    }

    /// What is signed.
    fn signed(&self) -> String {
        let (value, currency) = match &self.amount {
            Some(amount) => (amount.value.to_string(), amount.currency.as_str()),
            None => (String::new(), ""),
        };
        [
            &self.psp_reference,
            self.original().unwrap_or_default(),
            &self.merchant_account_code,
            &self.merchant_reference,
            &value,
            currency,
            &self.event_code,
            &self.success,
        ]
        .join(":")
    }

    /// Whether its signature is made with this key. In constant time.
    ///
    /// # Errors
    /// It has no signature of the right form, or another.
    pub(super) fn prove(&self, key: &[u8]) -> Result<(), NotGenuine> {
        let signature = self.hint(SIGNATURE).ok_or(NotGenuine::Unsigned)?;
        let signature = STANDARD
            .decode(signature)
            .map_err(|_| NotGenuine::Unsigned)?;
        let mut mac =
            <Hmac<Sha256> as Mac>::new_from_slice(key).map_err(|_| NotGenuine::NoSecret)?;
        mac.update(self.signed().as_bytes());
        let expected = mac.finalize().into_bytes();
        if bool::from(expected.as_slice().ct_eq(&signature)) {
            Ok(())
        } else {
            Err(NotGenuine::Forged)
        }
    }
}

/// A delivery as it was sent.
pub(super) struct Sent {
    pub(super) is_live: bool,
    pub(super) items: Vec<Item>,
}

/// Reads a delivery.
pub(super) fn read(delivery: &Delivery<'_>) -> Result<Sent, Unreadable> {
    let body: Body = serde_json::from_slice(delivery.body)
        .map_err(|_| Unreadable("it is no standard webhook of Adyen's in JSON"))?;
    let is_live = match body.live.as_str() {
        "true" => true,
        "false" => false,
        _ => return Err(Unreadable("it does not say whether it is live")),
    };
    let items: Vec<Item> = body
        .notification_items
        .into_iter()
        .map(|wrapped| wrapped.item)
        .collect();
    if items.is_empty() || items.len() > ITEMS_MAX {
        return Err(Unreadable("it has no items, or too many"));
    }
    if items.iter().all(Item::is_plain) {
        Ok(Sent { is_live, items })
    } else {
        Err(Unreadable("an item has members that Adyen would not send"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Of the tests of Adyen's own libraries; computed once more with `hmacValidator.js` of npm `@adyen/api-library` 32.1.0.
    const KEY: &str = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056";
    const SIGNATURE_OF_VECTOR: &str = "coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0=";

    fn vector() -> Value {
        json!({
            "pspReference": "7914073381342284",
            "originalReference": "",
            "merchantAccountCode": "TestMerchant",
            "merchantReference": "TestPayment-1407325143704",
            "amount": {"value": 1130, "currency": "EUR"},
            "eventCode": "AUTHORISATION",
            "success": "true",
            "eventDate": "2019-05-06T17:15:34.121+02:00",
            "paymentMethod": "visa",
            "additionalData": {"hmacSignature": SIGNATURE_OF_VECTOR},
        })
    }

    fn item(value: Value) -> Item {
        serde_json::from_value(value).unwrap()
    }

    fn with(name: &str, value: Value) -> Value {
        let mut item = vector();
        item[name] = value;
        item
    }

    fn proven(value: Value) -> Result<(), NotGenuine> {
        item(value).prove(&hex::decode(KEY).unwrap())
    }

    #[test]
    fn the_vector_of_adyens_libraries_is_genuine() {
        assert_eq!(proven(vector()), Ok(()));
        // Nothing of this is signed.
        for name in ["eventDate", "paymentMethod", "reason", "operations"] {
            assert_eq!(proven(with(name, json!(null))), Ok(()), "{name}");
        }
        let absent = {
            let mut item = vector();
            item.as_object_mut().unwrap().remove("originalReference");
            item
        };
        assert_eq!(proven(absent), Ok(()));
        assert_eq!(proven(with("originalReference", json!(null))), Ok(()));
    }

    #[test]
    fn every_signed_member_is_held() {
        for (name, value) in [
            ("pspReference", json!("7914073381342285")),
            ("originalReference", json!("7914073381342284")),
            ("merchantAccountCode", json!("TestMerchant2")),
            ("merchantReference", json!("TestPayment-1407325143705")),
            ("amount", json!({"value": 1131, "currency": "EUR"})),
            ("amount", json!({"value": 1130, "currency": "USD"})),
            ("eventCode", json!("CAPTURE")),
            ("success", json!("false")),
        ] {
            let proven = proven(with(name, value.clone()));
            assert_eq!(proven, Err(NotGenuine::Forged), "{name} {value}");
        }
        let other = hex::decode(KEY.replace('4', "5")).unwrap();
        assert_eq!(item(vector()).prove(&other), Err(NotGenuine::Forged));
    }

    #[test]
    fn a_signature_is_strict_base64_of_its_bytes() {
        let unpadded = SIGNATURE_OF_VECTOR.trim_end_matches('=');
        for signature in [
            json!(null),
            json!(""),
            json!("%%%"),
            json!(unpadded),
            json!(7),
        ] {
            let signed = with("additionalData", json!({ "hmacSignature": signature }));
            assert_eq!(proven(signed), Err(NotGenuine::Unsigned), "{signature}");
        }
        assert_eq!(
            proven(with("additionalData", json!({}))),
            Err(NotGenuine::Unsigned)
        );
        assert_eq!(
            proven(with("additionalData", json!(null))),
            Err(NotGenuine::Unsigned)
        );
        let short = json!({"hmacSignature": "AAAA"});
        assert_eq!(
            proven(with("additionalData", short)),
            Err(NotGenuine::Forged)
        );
    }

    fn sent(items: &Value, live: &Value) -> Result<Sent, Unreadable> {
        let body = json!({"live": live, "notificationItems": items}).to_string();
        read(&Delivery {
            body: body.as_bytes(),
            headers: &[],
        })
    }

    #[test]
    fn what_adyen_would_not_send_is_not_read() {
        let wrapped = |item: Value| json!([{ "NotificationRequestItem": item }]);
        assert!(sent(&wrapped(vector()), &json!("false")).is_ok());
        for live in [json!(false), json!("no"), json!(null)] {
            assert!(sent(&wrapped(vector()), &live).is_err(), "{live}");
        }
        assert!(sent(&json!([]), &json!("false")).is_err());
        for (name, value) in [
            // The colons would stand elsewhere.
            ("pspReference", json!("a:b")),
            ("originalReference", json!("a:b")),
            ("merchantAccountCode", json!("a:b")),
            ("eventCode", json!("A:B")),
            ("amount", json!({"value": 1, "currency": "E:R"})),
            ("success", json!(true)),
            ("success", json!("True")),
            ("pspReference", json!(null)),
            ("pspReference", json!("")),
            ("merchantReference", json!(null)),
            ("amount", json!({"value": "1130", "currency": "EUR"})),
            ("amount", json!({"value": 11.3, "currency": "EUR"})),
        ] {
            let item = with(name, value.clone());
            assert!(
                sent(&wrapped(item), &json!("false")).is_err(),
                "{name} {value}"
            );
        }
    }

    #[test]
    fn a_member_that_stands_twice_is_not_read() {
        let body = br#"{"live":"false","notificationItems":[{"NotificationRequestItem":{"pspReference":"1","eventCode":"CAPTURE","success":"false","success":"true"}}]}"#;
        let delivery = Delivery { body, headers: &[] };
        assert!(read(&delivery).is_err());
    }
}
