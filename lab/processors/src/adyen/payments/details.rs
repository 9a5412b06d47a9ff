//! `POST /payments/details`, and the page before it.

use serde_json::Value;

use super::Status;
use crate::adyen::{books::Books, instrument::Flow, plans::reason, refusal::Refusal, rules::Body};

/// What the shopper pressed, as `redirectResult` carries it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::adyen) enum Pressed {
    Complete,
    Fail,
    Cancel,
    Pending,
}

impl Pressed {
    pub(in crate::adyen) fn of(word: &str) -> Option<Self> {
        match word {
            "complete" => Some(Self::Complete),
            "fail" => Some(Self::Fail),
            "cancel" => Some(Self::Cancel),
            "pending" => Some(Self::Pending),
            _ => None,
        }
    }

    const fn letter(self) -> char {
        match self {
            Self::Complete => 'c',
            Self::Fail => 'f',
            Self::Cancel => 'x',
            Self::Pending => 'p',
        }
    }
}

/// How every `redirectResult` begins.
const MARK: &str = "X6Xtf!";
/// The length of a payment's secret. Unit: characters.
pub(in crate::adyen) const SECRET: usize = 24;

const ALL: [Pressed; 4] = [
    Pressed::Complete,
    Pressed::Fail,
    Pressed::Cancel,
    Pressed::Pending,
];

/// `redirectResult` for a payment's secret. Its end makes sure that an altered one is none.
pub(in crate::adyen) fn redirect_result(secret: &str, pressed: Pressed) -> String {
    use sha2::{Digest, Sha256};
    let letter = pressed.letter();
    let check = hex::encode(Sha256::digest(format!("{secret}{letter}")));
    format!(
        "X6Xtf!{secret}{letter}{}",
        check.get(..16).unwrap_or_default()
    )
}

impl Books {
    /// Goes on with what came back from the page.
    pub(in crate::adyen) fn complete(&mut self, body: &Body) -> Result<Value, Refusal> {
        let given = body.text("details/redirectResult");
        let given = given.ok_or_else(|| Refusal::field("details.redirectResult", "is missing"))?;
        let secret = given
            .strip_prefix(MARK)
            .and_then(|rest| rest.get(..SECRET))
            .unwrap_or_default();
        let payment = self
            .payments
            .values()
            .find(|payment| payment.secret == secret);
        let pressed = ALL
            .into_iter()
            .find(|pressed| redirect_result(secret, *pressed) == given);
        let (Some(payment), Some(pressed)) = (payment, pressed) else {
            return Err(Refusal::field(
                "details.redirectResult",
                "is not one that was given",
            ));
        };
        let psp = payment.psp.clone();
        if payment.is_completed {
            return Err(Refusal::ours("The redirectResult was used before"));
        }
        if payment.status == Status::Closed {
            return Err(Refusal::ours("The payment session has expired"));
        }
        if payment.instrument.flow != Flow::Page {
            self.press(&psp, pressed);
        }
        self.change(&psp, |payment| payment.is_completed = true);
        Ok(self.payment_answer(&psp))
    }

    /// What the shopper pressed takes effect, once.
    pub(in crate::adyen) fn press(&mut self, psp: &str, pressed: Pressed) {
        let payment = self.payments.get(psp);
        let Some(payment) = payment.filter(|payment| payment.status == Status::Open) else {
            return;
        };
        let is_page = payment.instrument.flow == Flow::Page;
        match pressed {
            Pressed::Complete => {
                self.prove(psp);
                self.authorise(psp);
            }
            Pressed::Fail => {
                self.refuse(psp, reason(if is_page { "2" } else { "11" }));
            }
            Pressed::Cancel => {
                let mut why = reason("16");
                why.result = "Cancelled";
                self.refuse(psp, why);
            }
            Pressed::Pending => self.wait(psp),
        }
    }
}
