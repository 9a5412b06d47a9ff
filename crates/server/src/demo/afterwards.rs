//! What happens after a payment: the shop gets events, a refund fails days later, a customer disputes.

use serde_json::{Value, json};

use super::{
    Evidence,
    narrator::Narrator,
    receiver::{Message, Receiver},
    story::{Step, Story, by_card, check, ending, pause},
};

/// A refund to it fails later.
const CLOSED_ACCOUNT_CARD: &str = "4000000000005126";
/// Its holder disputes the payment.
const DISPUTED_CARD: &str = "4000000000000259";

/// How often the shop looks whether a message has come.
const PATIENCE: u32 = 80;

/// The shop's server, with the secret of its endpoint.
pub(super) struct Hooks {
    receiver: Receiver,
    endpoint: String,
    secret: String,
}

impl Story<'_> {
    /// An endpoint is saved, and the events of a payment come to it.
    pub(super) async fn get_events(&self, narrator: &mut Narrator) -> Option<Hooks> {
        narrator.step("Events reach the shop");
        let mut hooks = None;
        let outcome = match self.save_endpoint(narrator).await {
            Ok(saved) => {
                let seen = self.see_a_payment(narrator, &saved).await;
                hooks = Some(saved);
                seen
            }
            Err(why) => Err(why),
        };
        narrator.shown(
            "Each event is signed, in its payment's sequence, and sent again for three days until it is taken.",
            outcome,
        );
        hooks
    }

    async fn save_endpoint(&self, narrator: &mut Narrator) -> Result<Hooks, String> {
        let receiver = Receiver::start().await?;
        narrator.asked("saveWebhookEndpoint", &receiver.url);
        let query = "mutation($url: String!) { saveWebhookEndpoint(url: $url, kinds: [\"payment.*\", \"dispute.*\"]) { id secret } }";
        let reply = self
            .client
            .run(query, json!({"url": receiver.url}), None)
            .await?;
        let secret = reply.text("/data/saveWebhookEndpoint/secret");
        if secret.is_empty() {
            return Err(reply.text("/errors/0/message"));
        }
        narrator.answered("its secret is shown this once");
        Ok(Hooks {
            endpoint: reply.text("/data/saveWebhookEndpoint/id"),
            receiver,
            secret,
        })
    }

    /// The shop of the story ends: the service that goes on must not send to it in vain.
    pub(super) async fn close_shop(&self, hooks: Hooks) {
        let query = "mutation($id: ID!) { deleteWebhookEndpoint(id: $id) }";
        let endpoint = json!({"id": hooks.endpoint});
        // What is left of it would be sent again and again, and harms nobody.
        let _ = self.client.run(query, endpoint, None).await;
        drop(hooks);
    }

    async fn see_a_payment(&self, narrator: &mut Narrator, hooks: &Hooks) -> Step {
        narrator.asked("authorizePayment", "18.50 EUR with the token");
        let order = self.by_token(1_850, "default");
        let paid = self.authorise(narrator, &order, None).await?;
        let id = paid.text("/data/authorizePayment/id");
        let created = hooks.wait(narrator, "payment.created", &id).await?;
        let captured = hooks.wait(narrator, "payment.captured", &id).await?;
        check("its first number", &number(&created), "1")?;
        check("its last number", &number(&captured), "3")
    }

    /// A refund is accepted, and fails later.
    pub(super) async fn refund_in_vain(&self, narrator: &mut Narrator, hooks: &Hooks) {
        narrator.step("A refund that fails days later");
        narrator.asked(
            "refundPayment",
            &format!("25.00 EUR, to {}", ending(CLOSED_ACCOUNT_CARD)),
        );
        let outcome = self.refund_to_nobody(narrator, hooks).await;
        narrator.shown(
            "The bank took days to find the account closed (here a moment). Nothing is lost: it can be refunded again, another way.",
            outcome,
        );
    }

    async fn refund_to_nobody(&self, narrator: &mut Narrator, hooks: &Hooks) -> Step {
        let order = by_card(2_500, CLOSED_ACCOUNT_CARD);
        let paid = self.authorise(narrator, &order, None).await?;
        let id = paid.text("/data/authorizePayment/id");
        let query = "mutation($id: ID!) { refundPayment(id: $id) { status } }";
        let refunded = self.client.run(query, json!({"id": id}), None).await?;
        let status = refunded.text("/data/refundPayment/status");
        narrator.answered(&status);
        check("the status", &status, "REFUND_PENDING")?;
        hooks.wait(narrator, "payment.refund_failed", &id).await?;
        let now = self.read(&id).await?;
        check(
            "the status",
            &now.text("/data/getPayment/status"),
            "REFUND_FAILED",
        )?;
        check(
            "the refunded amount",
            &now.text("/data/getPayment/refundedAmount"),
            "",
        )
    }

    /// A customer disputes a payment, and the shop wins.
    pub(super) async fn be_disputed(&self, narrator: &mut Narrator, hooks: &Hooks) {
        narrator.step("A dispute, from opening to won");
        narrator.asked(
            "authorizePayment",
            &format!("60.00 EUR with {}", ending(DISPUTED_CARD)),
        );
        let outcome = self.win_a_dispute(narrator, hooks).await;
        narrator.shown(
            "While a chargeback is open the payment is DISPUTED; won, it is what it was. The shop answers, the processor decides.",
            outcome,
        );
    }

    async fn win_a_dispute(&self, narrator: &mut Narrator, hooks: &Hooks) -> Step {
        let order = by_card(6_000, DISPUTED_CARD);
        let paid = self.authorise(narrator, &order, None).await?;
        let id = paid.text("/data/authorizePayment/id");
        let opened = hooks.wait(narrator, "dispute.opened", &id).await?;
        check(
            "the status",
            &self.read(&id).await?.text("/data/getPayment/status"),
            "DISPUTED",
        )?;
        let dispute = opened.text("/data/disputeId");
        let query = "query($id: ID!) { getDispute(id: $id) { status reason lifecycleStage amount { formattedAmount } } }";
        let reply = self.client.run(query, json!({"id": dispute}), None).await?;
        let text = |name: &str| reply.text(&format!("/data/getDispute/{name}"));
        narrator.asked("getDispute", dispute);
        narrator.answered(&format!(
            "{}  {}  {}  {}",
            text("lifecycleStage"),
            text("status"),
            text("reason"),
            text("amount/formattedAmount")
        ));
        check("the dispute's status", &text("status"), "NEEDS_RESPONSE")?;
        let query = "mutation($id: ID!, $evidence: DisputeEvidenceInput!) { \
            submitDisputeEvidence(id: $id, evidence: $evidence, submit: true) { status response { state } } }";
        let words =
            json!({"kind": "DELIVERY", "text": "Handed over on 3 March, signed by the customer."});
        let document = self.evidence == Evidence::WithDocument;
        let given = json!({"id": dispute, "evidence": {"texts": [words], "document": document}});
        let sent_with = if document {
            "a text, and all that is known as a PDF"
        } else {
            "a text (files need an object store where the database is on a server)"
        };
        narrator.asked("submitDisputeEvidence", sent_with);
        let sent = self.client.run(query, given, None).await?;
        let state = sent.text("/data/submitDisputeEvidence/response/state");
        if state.is_empty() {
            return Err(sent.text("/errors/0/message"));
        }
        narrator.answered(&state);
        check("the response", &state, "TAKEN")?;
        hooks.wait(narrator, "dispute.won", &id).await?;
        check(
            "the status",
            &self.read(&id).await?.text("/data/getPayment/status"),
            "SUCCEEDED",
        )
    }
}

impl Hooks {
    /// Waits for a message about a payment, and verifies it.
    async fn wait(
        &self,
        narrator: &mut Narrator,
        kind: &str,
        payment: &str,
    ) -> Result<Message, String> {
        for _ in 0..PATIENCE {
            if let Some(message) = self.receiver.message(kind, payment) {
                let verified = message.is_signed_with(&self.secret);
                narrator.answered(&format!(
                    "webhook  {kind}, number {}{}",
                    number(&message),
                    if verified {
                        ", its signature is right"
                    } else {
                        ""
                    }
                ));
                return if verified {
                    Ok(message)
                } else {
                    Err(format!("the signature of {kind} is wrong"))
                };
            }
            pause().await;
        }
        Err(format!("{kind} did not come"))
    }
}

/// The number of a message's event in its stream.
fn number(message: &Message) -> String {
    let number = message.event.pointer("/sequence").and_then(Value::as_i64);
    number.map_or_else(String::new, |number| number.to_string())
}
