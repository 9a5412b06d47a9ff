//! Authorised money is captured, refunded or released.

use super::super::{client::Reply, narrator::Narrator};
use serde_json::json;

use super::{PAYMENT, Story, check, in_short};

impl Story<'_> {
    pub(super) async fn capture_a_part(&self, narrator: &mut Narrator) {
        narrator.step("A part of it is captured");
        narrator.asked("capturePayment", "100.00 of the 120.00 EUR");
        let outcome = self
            .change(narrator, "capturePayment", Some(10_000))
            .await
            .and_then(|reply| {
                check(
                    "the status",
                    &reply.text("/data/capturePayment/status"),
                    "SUCCEEDED",
                )?;
                check(
                    "the captured amount",
                    &reply.text("/data/capturePayment/capturedAmount"),
                    "10000",
                )
            });
        narrator.shown(
            "One item was out of stock; the rest of the reservation is let go.",
            outcome,
        );
    }

    pub(super) async fn refund_a_part(&self, narrator: &mut Narrator) {
        narrator.step("A part is refunded");
        narrator.asked("refundPayment", "30.00 EUR");
        let outcome = self
            .change(narrator, "refundPayment", Some(3_000))
            .await
            .and_then(|reply| {
                check(
                    "the status",
                    &reply.text("/data/refundPayment/status"),
                    "PARTIAL_REFUNDED",
                )?;
                check(
                    "the refunded amount",
                    &reply.text("/data/refundPayment/refundedAmount"),
                    "3000",
                )
            });
        narrator.shown(
            "Goods came back. More may be refunded, up to what was captured.",
            outcome,
        );
    }

    pub(super) async fn refund_the_rest(&self, narrator: &mut Narrator) {
        narrator.step("The rest is refunded");
        narrator.asked("refundPayment", "without an amount: what remains");
        let outcome = self
            .change(narrator, "refundPayment", None)
            .await
            .and_then(|reply| {
                check(
                    "the status",
                    &reply.text("/data/refundPayment/status"),
                    "REFUNDED",
                )?;
                check(
                    "the refunded amount",
                    &reply.text("/data/refundPayment/refundedAmount"),
                    "10000",
                )
            });
        narrator.shown("Everything that was captured has gone back.", outcome);
    }

    pub(super) async fn refund_too_much(&self, narrator: &mut Narrator) {
        narrator.step("One refund too many");
        narrator.asked("refundPayment", "0.01 EUR more");
        let outcome = self.change(narrator, "refundPayment", Some(1)).await;
        let outcome = outcome
            .and_then(|reply| check("the error", &reply.error(), "error.refund.invalid-status"));
        narrator.shown(
            "Never more than was captured, whatever races: each refund reserves its amount first.",
            outcome,
        );
    }

    pub(super) async fn cancel(&mut self, narrator: &mut Narrator) {
        narrator.step("A reservation is let go");
        narrator.asked(
            "authorizePayment",
            "80.00 EUR with the token, flow `capture-by-api`",
        );
        let order = self.by_token(8_000, "capture-by-api");
        let outcome = match self.authorise(narrator, &order, None).await {
            Ok(reply) => {
                self.paid_in_parts = reply.text("/data/authorizePayment/id");
                narrator.asked("cancelPayment", "that payment");
                self.change(narrator, "cancelPayment", None).await
            }
            Err(why) => Err(why),
        };
        let outcome = outcome.and_then(|reply| {
            check(
                "the status",
                &reply.text("/data/cancelPayment/status"),
                "CANCELLED",
            )
        });
        narrator.shown("The shop changed its mind: nothing was taken.", outcome);
    }

    /// Captures, cancels or refunds the payment of the story.
    pub(super) async fn change(
        &self,
        narrator: &mut Narrator,
        operation: &str,
        amount: Option<i64>,
    ) -> Result<Reply, String> {
        let (declared, given) = if amount.is_some() {
            (", $amount: Long", ", amount: $amount")
        } else {
            ("", "")
        };
        let query = format!(
            "mutation($id: ID!{declared}) {{ {operation}(id: $id{given}) {{ {PAYMENT} }} }}"
        );
        let variables = json!({"id": self.paid_in_parts, "amount": amount});
        let reply = self.client.run(&query, variables, None).await?;
        narrator.answered(&in_short(&reply, operation));
        Ok(reply)
    }
}

/// What was captured and refunded, in euros, where it says more than the status.
pub(super) fn moved(captured: &str, refunded: &str) -> String {
    let euros = |cents: &str| {
        cents.parse::<i64>().map_or_else(
            |_| cents.to_owned(),
            |all| format!("{}.{:02}", all / 100, all % 100),
        )
    };
    match (captured, refunded) {
        ("", _) => String::new(),
        (captured, "" | "0") => format!("  captured {}", euros(captured)),
        (captured, refunded) => format!(
            "  captured {}, refunded {}",
            euros(captured),
            euros(refunded)
        ),
    }
}
