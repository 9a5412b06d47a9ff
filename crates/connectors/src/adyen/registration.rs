//! Standard webhooks, made by API. Source: docs/processors/adyen.md, "Notifications and signatures".

use connector::{CallError, Called, Link, Registered, Registers};
use http_client::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Adyen,
    address::{Address, Service},
    api::{Api, Refusal, checked},
    descriptor::{HMAC_KEY, NOTIFICATION_PASSWORD, NOTIFICATION_USER},
};

/// The events that are read. Adyen sends its own choice where none are named.
pub(super) const EVENTS: [&str; 31] = [
    "AUTHORISATION",
    "AUTHORISATION_ADJUSTMENT",
    "CANCELLATION",
    "CANCEL_OR_REFUND",
    "CAPTURE",
    "CAPTURE_FAILED",
    "CHARGEBACK",
    "CHARGEBACK_REVERSED",
    "DISPUTE_DEFENSE_PERIOD_ENDED",
    "EXPIRE",
    "INFORMATION_SUPPLIED",
    "ISSUER_RESPONSE_TIMEFRAME_EXPIRED",
    "MANUAL_REVIEW_REJECT",
    "NOTIFICATION_OF_CHARGEBACK",
    "NOTIFICATION_OF_FRAUD",
    "OFFER_CLOSED",
    "PREARBITRATION_ACCEPTED",
    "PREARBITRATION_DECLINED",
    "PREARBITRATION_ISSUER_WITHDRAWN",
    "PREARBITRATION_LOST",
    "PREARBITRATION_OPEN",
    "PREARBITRATION_WON",
    "REFUND",
    "REFUNDED_REVERSED",
    "REFUND_FAILED",
    "REQUEST_FOR_INFORMATION",
    "SCHEME_ARBITRATION",
    "SCHEME_ARBITRATION_LOST",
    "SCHEME_ARBITRATION_WON",
    "SECOND_CHARGEBACK",
    "TECHNICAL_CANCEL",
];

/// The most webhooks of an account that are looked at.
const MOST: usize = 100;

/// `Webhook`, as far as it is read.
#[derive(Deserialize)]
struct Webhook {
    id: String,
    url: String,
}

/// `ListWebhooksResponse`.
#[derive(Deserialize)]
struct List {
    #[serde(default)]
    data: Vec<Webhook>,
}

/// `GenerateHmacKeyResponse`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Key {
    hmac_key: String,
}

impl Registers for Adyen {
    fn register<'a>(&'a self, link: &'a Link<'a>) -> Called<'a, Registered> {
        Box::pin(register(Api::of(link), link))
    }

    fn retire<'a>(&'a self, link: &'a Link<'a>, ids: &'a [String]) -> Called<'a, ()> {
        Box::pin(retire(Api::of(link), ids))
    }
}

/// Makes a webhook with a key.
async fn register(api: Api<'_>, link: &Link<'_>) -> Result<Registered, CallError> {
    let address = link.notified_at()?;
    let webhooks = webhooks(api)?;
    let path = format!("{webhooks}?pageSize={MOST}");
    let listed = api.ask::<List>(Method::GET, at(&path)).await?;
    let listed = listed.map_err(Refusal::rejected)?.data.into_iter();
    let earlier = listed.filter(|one| one.url == address).map(|one| one.id);
    let wanted = wanted(link, address);
    let made = api
        .post::<Webhook>(Service::Management, &webhooks, None, &wanted)
        .await?
        .map_err(Refusal::rejected)?;
    let path = format!("{webhooks}/{}/generateHmac", checked(&made.id)?);
    let key = api.ask::<Key>(Method::POST, at(&path)).await?;
    let key = key.map_err(Refusal::rejected)?.hmac_key;
    Ok(Registered::new(made.id, earlier.collect()).with(HMAC_KEY, key))
}

async fn retire(api: Api<'_>, ids: &[String]) -> Result<(), CallError> {
    let webhooks = webhooks(api)?;
    for id in ids {
        let path = format!("{webhooks}/{}", checked(id)?);
        api.remove(at(&path)).await?;
    }
    Ok(())
}

/// The path of the account's webhooks.
fn webhooks(api: Api<'_>) -> Result<String, CallError> {
    Ok(format!("merchants/{}/webhooks", checked(api.account())?))
}

const fn at(path: &str) -> Address<'_> {
    Address {
        service: Service::Management,
        path,
    }
}

/// `CreateMerchantWebhookRequest`.
fn wanted(link: &Link<'_>, address: &str) -> Value {
    let mut wanted = json!({
        "type": "standard",
        "url": address,
        "active": true,
        "communicationFormat": "json",
        "description": "Pointsman",
        "additionalSettings": {"includeEventCodes": EVENTS},
    });
    let given = |name| link.credential(name).filter(|text| !text.is_empty());
    let login = given(NOTIFICATION_USER).zip(given(NOTIFICATION_PASSWORD));
    if let (Some(members), Some((user, password))) = (wanted.as_object_mut(), login) {
        members.insert("username".to_owned(), user.into());
        members.insert("password".to_owned(), password.into());
    }
    wanted
}
