//! Stored payment methods.

use serde_json::{Value, json};

use super::{
    books::Books, calendar, instrument::Instrument, payments::Payment, refusal::Refusal,
    rules::Body,
};
use crate::form::Form;

/// A token.
#[derive(Debug, Clone)]
pub(super) struct Stored {
    id: String,
    pub(super) shopper: String,
    account: String,
    model: String,
    created_at: String,
    pub(super) instrument: Instrument,
}

impl Stored {
    pub(super) fn view(&self) -> Value {
        let mut view = json!({
            "id": self.id,
            "shopperReference": self.shopper,
            "type": self.instrument.class,
            "brand": self.instrument.brand,
            "createdAt": self.created_at,
            "holderName": self.instrument.holder,
            "supportedRecurringProcessingModels": [self.model],
        });
        if let (Some(card), Value::Object(members)) = (&self.instrument.card, &mut view) {
            members.insert("lastFour".to_owned(), json!(card.last4()));
            members.insert(
                "expiryMonth".to_owned(),
                json!(format!("{:02}", card.month)),
            );
            members.insert("expiryYear".to_owned(), json!(card.year.to_string()));
        }
        if let (Some(iban), Value::Object(members)) = (&self.instrument.iban, &mut view) {
            members.insert("iban".to_owned(), json!(iban));
        }
        view
    }
}

impl Books {
    /// Stores what a payment was made with, where that was asked for. The code of a card is never stored.
    pub(super) fn store_instrument(&mut self, psp: &str) {
        let Some(payment) = self
            .payments
            .get(psp)
            .filter(|payment| payment.consent.stores)
        else {
            return;
        };
        if self.token_of(payment).is_some() {
            return;
        }
        let stored = Stored {
            id: String::new(),
            shopper: payment.consent.shopper.clone().unwrap_or_default(),
            account: payment.account.clone(),
            model: payment.consent.model.clone().unwrap_or_default(),
            created_at: calendar::written(self.now),
            instrument: payment.instrument.clone(),
        };
        self.keep_token(stored);
    }

    fn keep_token(&mut self, mut stored: Stored) -> Value {
        if let Some(card) = &mut stored.instrument.card {
            card.cvc = None;
        }
        stored.id = self.psp();
        let view = stored.view();
        self.stored.insert(stored.id.clone(), stored);
        view
    }

    /// The token of what a payment was made with, if it was stored.
    pub(super) fn token_of(&self, payment: &Payment) -> Option<String> {
        let shopper = payment.consent.shopper.as_deref()?;
        let same = |stored: &&Stored| {
            let number =
                |instrument: &Instrument| instrument.card.as_ref().map(|card| card.number.clone());
            stored.shopper == shopper
                && stored.account == payment.account
                && stored.instrument.class == payment.instrument.class
                && number(&stored.instrument) == number(&payment.instrument)
                && stored.instrument.iban == payment.instrument.iban
        };
        payment
            .consent
            .stores
            .then(|| {
                self.stored
                    .values()
                    .find(same)
                    .map(|stored| stored.id.clone())
            })
            .flatten()
    }

    /// `POST /storedPaymentMethods`
    pub(super) fn store(&mut self, body: &Body) -> Result<Value, Refusal> {
        let instrument = self.instrument(body)?;
        let text = |field: &str| body.text(field).unwrap_or_default().to_owned();
        let stored = Stored {
            id: String::new(),
            shopper: text("shopperReference"),
            account: text("merchantAccount"),
            model: text("recurringProcessingModel"),
            created_at: calendar::written(self.now),
            instrument,
        };
        Ok(self.keep_token(stored))
    }

    /// `GET /storedPaymentMethods`
    pub(super) fn list_stored(&self, query: &Form) -> Value {
        let account = query.text("merchantAccount").unwrap_or_default();
        let shopper = query.text("shopperReference").unwrap_or_default();
        let rows: Vec<Value> = self
            .stored
            .values()
            .filter(|stored| stored.account == account && stored.shopper == shopper)
            .map(Stored::view)
            .collect();
        json!({"merchantAccount": account, "shopperReference": shopper, "storedPaymentMethods": rows})
    }

    /// What is said of a token that the shopper doesn't have. Source: `help.adyen.com`, the pages of errors 800 and 803.
    pub(super) fn not_stored(&self, shopper: &str) -> Refusal {
        let has_others = self.stored.values().any(|stored| stored.shopper == shopper);
        if has_others {
            Refusal::invalid("803", "PaymentDetail not found")
        } else {
            Refusal::invalid("800", "Contract not found")
        }
    }

    /// `DELETE /storedPaymentMethods/{id}`
    pub(super) fn forget_stored(&mut self, id: &str, query: &Form) -> Result<Value, Refusal> {
        let account = query.text("merchantAccount").unwrap_or_default();
        let shopper = query.text("shopperReference").unwrap_or_default();
        let is_theirs = |stored: &Stored| stored.account == account && stored.shopper == shopper;
        if !self.stored.get(id).is_some_and(is_theirs) {
            return Err(self.not_stored(shopper));
        }
        self.stored.remove(id);
        Ok(Value::Null)
    }
}
