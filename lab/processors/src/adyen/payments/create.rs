//! `POST /payments`

use std::{collections::BTreeMap, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::{Consent, Payment, Proof, Status, Taking, details::SECRET, facts};
use crate::adyen::{
    Capture,
    amount::Amount,
    books::Books,
    cards::Challenge,
    instrument::{Flow, Instrument},
    later::Change,
    plans::Plan,
    refusal::Refusal,
    rules::Body,
};

/// The longest delay of a capture. Unit: hours. Source: `CheckoutService-v72.json`, `captureDelayHours`.
const LONGEST_DELAY: i64 = 672;
/// Source: the same, `metadata`.
const MOST_METADATA: usize = 20;
const LONGEST_NAME: usize = 20;
/// How long the shopper has for a card. Source: `Webhooks-v1.json`, `OFFER_CLOSED`: "For cards, offers expire after 12 hours by default".
const CARD_OPEN_FOR: Duration = Duration::from_hours(12);
/// How long the shopper has for another method. No figure is published.
const PAGE_OPEN_FOR: Duration = Duration::from_hours(1);

impl Books {
    /// Pays, or sends the shopper to a page.
    pub(in crate::adyen) fn pay(&mut self, body: &Body) -> Result<Value, Refusal> {
        let amount = Amount::of(body)?;
        let instrument = self.instrument(body)?;
        let consent = consent(body)?;
        let taking = self.taking(body)?;
        check_metadata(body)?;
        let has_proof = check_proof(body)?;
        if amount.value == 0 && instrument.card.is_none() {
            return Err(Refusal::invalid("137", "Invalid amount specified"));
        }
        let return_url = body.text("returnUrl").unwrap_or_default();
        if !return_url.contains("://") {
            return Err(Refusal::field("returnUrl", "is no address"));
        }
        let plan = plan(body, &instrument);
        let payment = Payment {
            psp: self.psp(),
            number: self.number(),
            account: body.text("merchantAccount").unwrap_or_default().to_owned(),
            reference: body.text("reference").unwrap_or_default().to_owned(),
            amount,
            plan,
            consent,
            proof: if has_proof {
                Proof::Brought
            } else {
                Proof::None
            },
            address_check: facts::address_check(
                body.text("billingAddress/houseNumberOrName"),
                body.text("billingAddress/postalCode"),
            ),
            taking,
            return_url: return_url.to_owned(),
            secret: self.draw.id("", SECRET),
            is_completed: false,
            status: Status::Open,
            open: 0,
            captured: 0,
            captures: 0,
            refunded: 0,
            metadata: texts(body, "metadata"),
            facts: BTreeMap::new(),
            instrument,
        };
        let (psp, flow) = (payment.psp.clone(), payment.instrument.flow);
        let view = match flow {
            Flow::Challenge(_) | Flow::Page => self.ask(payment, flow),
            Flow::AtOnce | Flow::Debit => {
                self.payments.insert(psp.clone(), payment);
                self.authorise(&psp);
                self.payment_answer(&psp)
            }
        };
        Ok(view)
    }

    /// The answer that shows a payment.
    pub(in crate::adyen) fn payment_answer(&self, psp: &str) -> Value {
        self.payments.get(psp).map_or(Value::Null, Payment::answer)
    }

    /// Sends the shopper to a page. `pspReference` comes with the details.
    fn ask(&mut self, payment: Payment, flow: Flow) -> Value {
        let url = format!("{}/checkoutshopper/{}", self.public, payment.secret);
        let mut action = json!({
            "type": "redirect",
            "paymentMethodType": payment.instrument.class,
            "method": "GET",
            "url": url,
        });
        if let (Flow::Challenge(Challenge::Post), Value::Object(members)) = (flow, &mut action) {
            let data = json!({
                "MD": payment.secret,
                "PaReq": STANDARD.encode(payment.secret.as_bytes()),
                "TermUrl": payment.return_url,
            });
            members.insert("method".to_owned(), json!("POST"));
            members.insert("data".to_owned(), data);
        }
        let open_for = if flow == Flow::Page {
            PAGE_OPEN_FOR
        } else {
            CARD_OPEN_FOR
        };
        self.do_later(open_for, Change::Close(payment.psp.clone()));
        self.payments.insert(payment.psp.clone(), payment);
        json!({"resultCode": "RedirectShopper", "action": action})
    }

    /// When the money is taken: as the request says, else as the account does it.
    fn taking(&self, body: &Body) -> Result<Taking, Refusal> {
        if body.text("additionalData/manualCapture") == Some("true") {
            return Ok(Taking::Asked);
        }
        match body.integer("captureDelayHours") {
            Some(hours) if (0..=LONGEST_DELAY).contains(&hours) => {
                let hours = u64::try_from(hours).unwrap_or(0);
                Ok(Taking::After(Duration::from_hours(hours)))
            }
            Some(_) => Err(Refusal::field("captureDelayHours", "is not 0 to 672")),
            None if self.account.capture == Capture::Manual => Ok(Taking::Asked),
            None => Ok(Taking::After(Duration::ZERO)),
        }
    }
}

/// What becomes of the payment: as the request asks for, else as the instrument does.
fn plan(body: &Body, instrument: &Instrument) -> Plan {
    match body.text("additionalData/RequestedTestAcquirerResponseCode") {
        Some(code) => Plan::of_code(code),
        None => instrument.plan(),
    }
}

fn consent(body: &Body) -> Result<Consent, Refusal> {
    let text = |field: &str| body.text(field).map(str::to_owned);
    let consent = Consent {
        shopper: text("shopperReference"),
        model: text("recurringProcessingModel"),
        interaction: text("shopperInteraction").unwrap_or_else(|| "Ecommerce".to_owned()),
        stores: body.flag("storePaymentMethod") == Some(true),
        network_reference: text("paymentMethod/networkPaymentReference"),
    };
    if consent
        .shopper
        .as_ref()
        .is_some_and(|shopper| shopper.chars().count() < 3)
    {
        return Err(Refusal::field(
            "shopperReference",
            "has fewer than 3 characters",
        ));
    }
    if consent.stores && (consent.shopper.is_none() || consent.model.is_none()) {
        let rule = "needs shopperReference and recurringProcessingModel";
        return Err(Refusal::field("storePaymentMethod", rule));
    }
    if let Some(reference) = &consent.network_reference {
        let is_one = (9..=36).contains(&reference.len())
            && reference.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !is_one || consent.interaction != "ContAuth" {
            let rule = "is no reference of a scheme, or comes without ContAuth";
            return Err(Refusal::field(
                "paymentMethod.networkPaymentReference",
                rule,
            ));
        }
    }
    Ok(consent)
}

fn check_metadata(body: &Body) -> Result<(), Refusal> {
    let mut names = body.members("metadata").map(|(name, _)| name);
    let is_long = names.any(|name| name.chars().count() > LONGEST_NAME);
    if is_long || body.members("metadata").count() > MOST_METADATA {
        let message = "Metadata size exceeds limit";
        return Err(Refusal::invalid("177", message));
    }
    Ok(())
}

/// Whether the request brings the bank's answer; it must be whole.
fn check_proof(body: &Body) -> Result<bool, Refusal> {
    let Some(cavv) = body.text("mpiData/cavv") else {
        return Ok(body.members("mpiData").next().is_some());
    };
    if STANDARD.decode(cavv).is_ok_and(|bytes| bytes.len() == 20) {
        Ok(true)
    } else {
        Err(Refusal::field("mpiData.cavv", "is not 20 bytes in base64"))
    }
}

fn texts(body: &Body, path: &str) -> BTreeMap<String, String> {
    let members = body.members(path);
    members
        .filter_map(|(name, value)| Some((name.to_owned(), value.as_str()?.to_owned())))
        .collect()
}
