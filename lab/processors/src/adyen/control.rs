//! The simulator's own addresses, below `/_sim/`: what no client of the original can ask for. They take forms.

use serde_json::{Value, json};

use super::{
    Adyen, Capture, books::Books, disputes::Stage, endpoints::NewEndpoint, plans::Course,
    refusal::Refusal,
};
use crate::{Armed, form::Form};

impl Adyen {
    /// The answer of `/_sim/…`.
    pub(super) fn control(
        &mut self,
        method: &str,
        path: &str,
        form: &Form,
    ) -> Result<Value, Refusal> {
        let parts: Vec<&str> = path.trim_start_matches("/_sim/").split('/').collect();
        match (method, parts.as_slice()) {
            ("POST", ["clock"]) => {
                only(form, &["advance"])?;
                let seconds = form
                    .integer("advance")
                    .and_then(|seconds| u64::try_from(seconds).ok());
                let seconds =
                    seconds.ok_or_else(|| Refusal::field("advance", "is no number of seconds"))?;
                self.advance(seconds);
                Ok(json!({"now": self.books.now.as_secs()}))
            }
            ("POST", ["faults"]) => {
                only(form, &["fault", "times", "path"])?;
                let armed =
                    Armed::of_form(form).map_err(|error| Refusal::ours(&error.to_string()))?;
                self.arm(armed);
                Ok(json!({"armed": form.text("fault")}))
            }
            ("DELETE", ["faults"]) => {
                self.faults.clear();
                Ok(json!({"armed": null}))
            }
            ("POST", ["account"]) => self.set_account(form),
            ("POST", ["webhooks"]) => {
                only(form, &["url", "username", "password", "hmac_key"])?;
                let login = form
                    .text("username")
                    .map(|name| format!("{name}:{}", form.text("password").unwrap_or_default()));
                self.books.add_endpoint(NewEndpoint {
                    url: form.text("url").unwrap_or_default(),
                    login: login.as_deref(),
                    key: form.raw("hmac_key"),
                })
            }
            ("POST", ["webhooks", id]) => {
                only(form, &["url"])?;
                self.books
                    .move_endpoint(id, form.text("url").unwrap_or_default())
            }
            ("POST", ["webhooks", id, "roll"]) => self.books.roll_key(id),
            ("DELETE", ["webhooks", id]) => Ok(self.books.remove_endpoint(id)),
            ("POST", ["payments", psp, "dispute"]) => {
                only(form, &["kind", "code"])?;
                self.books.dispute_on_demand(psp, form)
            }
            ("POST", ["disputes", psp]) => {
                only(form, &["outcome"])?;
                self.books
                    .decide_dispute(psp, form.text("outcome").unwrap_or_default())
            }
            ("GET", ["books"]) => Ok(self.books.sums()),
            _ => Err(Refusal::no_address(method, path)),
        }
    }

    fn set_account(&mut self, form: &Form) -> Result<Value, Refusal> {
        only(
            form,
            &[
                "capture",
                "several_captures",
                "additional_data",
                "merchant_account",
            ],
        )?;
        let account = &mut self.books.account;
        match form.text("capture") {
            None => {}
            Some("manual") => account.capture = Capture::Manual,
            Some("immediate") => account.capture = Capture::Immediate,
            Some(_) => return Err(Refusal::field("capture", "is not manual or immediate")),
        }
        if let Some(several) = form.flag("several_captures") {
            account.several_captures = several;
        }
        if let Some(shows) = form.flag("additional_data") {
            account.shows_additional_data = shows;
        }
        if let Some(name) = form.text("merchant_account") {
            account.merchant_accounts.push(name.to_owned());
        }
        Ok(json!({
            "capture": if account.capture == Capture::Manual { "manual" } else { "immediate" },
            "several_captures": account.several_captures,
            "additional_data": account.shows_additional_data,
            "merchant_accounts": account.merchant_accounts,
        }))
    }
}

impl Books {
    fn dispute_on_demand(&mut self, payment: &str, form: &Form) -> Result<Value, Refusal> {
        let code = form.text("code").unwrap_or("10.4");
        let psp = match form.text("kind").unwrap_or("chargeback") {
            "chargeback" => self.open_dispute(payment, Course::Chargeback, code)?,
            "inquiry" => self.open_dispute(payment, Course::Inquiry, code)?,
            "fraud" => self.report_fraud(payment)?,
            _ => {
                return Err(Refusal::field(
                    "kind",
                    "is not chargeback, inquiry or fraud",
                ));
            }
        };
        Ok(json!({"pspReference": psp}))
    }

    /// The issuer decides at once.
    fn decide_dispute(&mut self, psp: &str, outcome: &str) -> Result<Value, Refusal> {
        let dispute = self
            .disputes
            .get(psp)
            .ok_or_else(|| Refusal::ours("There is no such dispute"))?;
        let (stage, is_inquiry) = (dispute.stage, dispute.is_inquiry);
        match outcome {
            "reversed" => self.reverse_chargeback(psp),
            "won" if is_inquiry => self.win(psp),
            "won" => {
                self.reverse_chargeback(psp);
                self.win(psp);
            }
            "lost" if is_inquiry && stage == Stage::Defended => self.become_chargeback(psp),
            "lost" if matches!(stage, Stage::Defended | Stage::Reversed) => {
                self.reverse_chargeback(psp);
                self.charge_back_again(psp);
            }
            "lost" => self.forfeit(psp),
            "prearbitration_won" => self.arbitrate(psp, true),
            "prearbitration_lost" => self.arbitrate(psp, false),
            _ => return Err(Refusal::field("outcome", "is no outcome")),
        }
        Ok(json!({"pspReference": psp}))
    }
}

/// Refuses fields that the address doesn't take.
fn only(form: &Form, names: &[&str]) -> Result<(), Refusal> {
    match form.names().find(|name| !names.contains(name)) {
        Some(name) => Err(Refusal::unknown_field("the form", name)),
        None => Ok(()),
    }
}
