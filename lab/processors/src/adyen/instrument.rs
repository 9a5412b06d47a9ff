//! What is paid with.

use base64::{Engine, engine::general_purpose::STANDARD};

use super::{
    books::Books,
    cards::{self, Card, Challenge},
    plans::Plan,
    refusal::Refusal,
    rules::Body,
};

/// How a payment goes on after the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    AtOnce,
    /// The bank asks; the authorisation follows with `/payments/details`.
    Challenge(Challenge),
    /// The shopper pays on a page of the method; the outcome stands when he has pressed its button.
    Page,
    /// A bank account is debited later.
    Debit,
}

/// Methods with a page of their own. Source of the words: `CheckoutService-v72.json`.
const PAGES: &[&str] = &["ideal", "klarna", "klarna_account", "klarna_paynow"];

/// What is paid with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Instrument {
    /// `paymentMethod.type` of answers.
    pub(super) class: String,
    /// `paymentMethod` of notifications: a card's brand.
    pub(super) brand: String,
    pub(super) card: Option<Card>,
    /// The account of a debit.
    pub(super) iban: Option<String>,
    pub(super) holder: String,
    pub(super) flow: Flow,
}

impl Instrument {
    /// What becomes of a payment with it.
    pub(super) fn plan(&self) -> Plan {
        let alias = self
            .card
            .as_ref()
            .and_then(|card| cards::alias(&card.number));
        Plan::of_name(alias.unwrap_or(&self.holder))
    }

    fn of_card(class: &str, card: Card, holder: &str) -> Self {
        let brand = if class == "bcmc" {
            "bcmc"
        } else {
            cards::brand(&card.number)
        };
        Self {
            class: class.to_owned(),
            brand: brand.to_owned(),
            card: Some(card),
            iban: None,
            holder: holder.to_owned(),
            flow: Flow::AtOnce,
        }
    }

    fn of_other(class: &str, holder: &str, flow: Flow) -> Self {
        Self {
            class: class.to_owned(),
            brand: class.to_owned(),
            card: None,
            iban: None,
            holder: holder.to_owned(),
            flow,
        }
    }
}

impl Books {
    /// The instrument of `paymentMethod`, by the details or the token that it names.
    pub(super) fn instrument(&self, body: &Body) -> Result<Instrument, Refusal> {
        let class = body.text("paymentMethod/type").unwrap_or_default();
        let holder = body.text("paymentMethod/holderName").unwrap_or_default();
        if let Some(id) = body.text("paymentMethod/storedPaymentMethodId") {
            return self.stored_instrument(id, body);
        }
        match class {
            "scheme" | "card" | "bcmc" => {
                let mut instrument = Instrument::of_card(class, Card::of(body)?, holder);
                instrument.flow = challenge(&instrument, body);
                Ok(instrument)
            }
            "networkToken" => {
                check_cryptogram(body)?;
                Ok(Instrument::of_card(class, Card::of(body)?, holder))
            }
            "sepadirectdebit" => {
                let owner = body.text("paymentMethod/ownerName").unwrap_or_default();
                let iban = body.text("paymentMethod/iban").unwrap_or_default();
                if owner.is_empty() || !is_iban(iban) {
                    return Err(Refusal::field(
                        "paymentMethod",
                        "has no owner or no valid IBAN",
                    ));
                }
                let mut instrument = Instrument::of_other(class, owner, Flow::Debit);
                instrument.iban = Some(iban.to_owned());
                Ok(instrument)
            }
            page if PAGES.contains(&page) => Ok(Instrument::of_other(page, holder, Flow::Page)),
            other => Err(Refusal::field(
                "paymentMethod.type",
                &format!("names no method that the simulator has: {other}"),
            )),
        }
    }

    /// What a token stands for. A later payment by the merchant asks nobody.
    fn stored_instrument(&self, id: &str, body: &Body) -> Result<Instrument, Refusal> {
        let shopper = body.text("shopperReference").unwrap_or_default();
        let stored = self
            .stored
            .get(id)
            .filter(|stored| stored.shopper == shopper);
        let Some(stored) = stored else {
            return Err(self.not_stored(shopper));
        };
        if body.text("recurringProcessingModel").is_none()
            || body.text("shopperInteraction").is_none()
        {
            return Err(Refusal::field(
                "recurringProcessingModel",
                "and shopperInteraction must come with a stored method",
            ));
        }
        let mut instrument = stored.instrument.clone();
        instrument.flow = match instrument.flow {
            Flow::Debit => Flow::Debit,
            _ => challenge(&instrument, body),
        };
        Ok(instrument)
    }
}

/// Whether the card's bank asks: never without the shopper, nor when he was asked already.
fn challenge(instrument: &Instrument, body: &Body) -> Flow {
    let interaction = body.text("shopperInteraction").unwrap_or("Ecommerce");
    let wish = body.text("authenticationData/attemptAuthentication");
    let has_proof = body.members("mpiData").next().is_some();
    let Some(card) = &instrument.card else {
        return Flow::AtOnce;
    };
    if interaction != "Ecommerce" || has_proof || wish == Some("never") {
        return Flow::AtOnce;
    }
    let always =
        instrument.class == "bcmc" || (wish == Some("always") && cards::is_enrolled(&card.number));
    let asked = cards::challenge(&card.number).or(always.then_some(Challenge::Get));
    asked.map_or(Flow::AtOnce, Flow::Challenge)
}

/// A network token with its shopper needs a cryptogram.
fn check_cryptogram(body: &Body) -> Result<(), Refusal> {
    let interaction = body.text("shopperInteraction").unwrap_or("Ecommerce");
    let field = "mpiData/tokenAuthenticationVerificationValue";
    match body.text(field) {
        Some(cryptogram)
            if STANDARD
                .decode(cryptogram)
                .is_ok_and(|bytes| !bytes.is_empty()) =>
        {
            Ok(())
        }
        Some(_) => Err(Refusal::field(&field.replace('/', "."), "is not base64")),
        None if interaction == "ContAuth" => Ok(()),
        None => Err(Refusal::field(
            &field.replace('/', "."),
            "is needed for a network token",
        )),
    }
}

/// Whether the check digits are right. Source: ISO 13616-1.
fn is_iban(iban: &str) -> bool {
    if !(15..=34).contains(&iban.len())
        || !iban
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    {
        return false;
    }
    let (head, tail) = iban.split_at(4);
    let value = |byte: u8| {
        if byte.is_ascii_digit() {
            (u32::from(byte - b'0'), 10)
        } else {
            (u32::from(byte - b'A') + 10, 100)
        }
    };
    let rest = tail.bytes().chain(head.bytes()).map(value);
    rest.fold(0, |rest: u32, (value, shift)| (rest * shift + value) % 97) == 1
}

#[cfg(test)]
mod tests {
    use super::is_iban;

    #[test]
    fn ibans_are_checked() {
        assert!(is_iban("NL13TEST0123456789"));
        assert!(is_iban("DE87123456781234567890"));
        assert!(!is_iban("NL13TEST0123456788"));
        assert!(!is_iban("NL13"));
        assert!(!is_iban("nl13test0123456789"));
    }
}
