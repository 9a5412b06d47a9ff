//! The simulator's own addresses, below `/_sim/`: what no client of the original can ask for.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Stripe, books::Row, refusal::Refusal, rules, rules::Rule};
use crate::{Armed, form::Form};

const CLOCK: &[Rule] = &[Rule::integer("advance").required()];
const FAULT: &[Rule] = &[
    Rule::text("fault").required(),
    Rule::integer("times"),
    Rule::text("path"),
];
const DECISION: &[Rule] = &[Rule::one_of("outcome", &["won", "lost"]).required()];
const NOTHING: &[Rule] = &[];

impl Stripe {
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
                rules::check(form, &[CLOCK])?;
                let seconds = form
                    .integer("advance")
                    .and_then(|seconds| u64::try_from(seconds).ok())
                    .unwrap_or(0);
                self.ahead = self.ahead.saturating_add(Duration::from_secs(seconds));
                self.books
                    .catch_up(self.books.now.saturating_add(Duration::from_secs(seconds)));
                Ok(json!({"now": self.books.seconds()}))
            }
            ("POST", ["faults"]) => {
                rules::check(form, &[FAULT])?;
                let armed =
                    Armed::of_form(form).map_err(|error| Refusal::invalid(&error.to_string()))?;
                self.faults.arm(armed);
                Ok(json!({"armed": form.text("fault")}))
            }
            ("DELETE", ["faults"]) => {
                self.faults.clear();
                Ok(json!({"armed": null}))
            }
            ("POST", ["disputes", id]) => {
                rules::check(form, &[DECISION])?;
                self.books.decide(id, form.text("outcome") == Some("won"))?;
                Ok(json!({"id": id}))
            }
            ("POST", ["charges", id, "dispute"]) => {
                rules::check(form, &[NOTHING])?;
                self.books.open_dispute(id, false)?;
                Ok(json!({"charge": id}))
            }
            ("POST", ["webhook_endpoints", id, "roll"]) => self.books.roll_secret(id),
            ("GET", ["books"]) => Ok(self.sums()),
            _ => Err(Refusal::no_address(method, path)),
        }
    }

    /// All intents and movements, and the balance: what a test compares its own books with.
    fn sums(&self) -> Value {
        fn all<'a, T: Row + 'a>(stripe: &Stripe, rows: impl Iterator<Item = &'a T>) -> Vec<Value> {
            rows.map(|row| row.view(&stripe.books)).collect()
        }
        let disputes = self.books.disputes.iter();
        let disputes: Vec<Value> = disputes.map(|one| one.shown(&self.books)).collect();
        json!({
            "payment_intents": all(self, self.books.intents.iter()),
            "charges": all(self, self.books.charges.iter()),
            "refunds": all(self, self.books.refunds.iter()),
            "disputes": disputes,
            "balance_transactions": all(self, self.books.movements.iter()),
            "balance": self.books.balance(),
        })
    }
}
