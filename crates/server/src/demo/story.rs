//! The story: a card is kept, payments are made, changed, refused, lost and found.

mod changes;

use serde_json::{Value, json};

use changes::moved;

use super::{
    Evidence,
    client::{Client, Reply},
    narrator::Narrator,
};

pub(super) const GOOD_CARD: &str = "4242424242424242";
const MISTYPED_CARD: &str = "4242424242424241";
const POOR_CARD: &str = "4000000000009995";
/// Its processor charges and then does not answer.
const SILENT_CARD: &str = "4000000000000903";
/// How often a payment whose outcome is unknown is asked for. Each time the processor is asked too.
const PATIENCE: u32 = 40;
/// Between two such questions.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(250);

pub(super) const PAYMENT: &str = "id status amount { formattedAmount } capturedAmount refundedAmount connectionId \
    paymentCore { paymentMethod outcome { declineCode declineType } } paymentMethodDetails { number brand }";

/// What the story remembers from step to step.
pub(super) struct Story<'a> {
    pub(super) client: &'a Client,
    token: String,
    /// The payment that is captured and refunded.
    paid_in_parts: String,
    pub(super) evidence: Evidence,
}

pub(super) type Step = Result<(), String>;

/// Tells every step, also after one that went wrong.
pub(super) async fn play(client: &Client, narrator: &mut Narrator, evidence: Evidence) {
    let mut story = Story {
        client,
        token: String::new(),
        paid_in_parts: String::new(),
        evidence,
    };
    story.keep_a_card(narrator).await;
    story.pay_with_the_token(narrator).await;
    story.authorise_for_later(narrator).await;
    story.capture_a_part(narrator).await;
    story.refund_a_part(narrator).await;
    story.refund_the_rest(narrator).await;
    story.refund_too_much(narrator).await;
    story.cancel(narrator).await;
    story.be_declined(narrator).await;
    story.prove_who_pays(narrator).await;
    story.pay_later(narrator).await;
    story.pay_by_wallet(narrator).await;
    story.go_on_elsewhere(narrator).await;
    story.capture_after_a_delay(narrator).await;
    story.ask_twice(narrator).await;
    story.lose_and_find(narrator).await;
    story.check_out(narrator).await;
    story.mistype(narrator).await;
    story.list(narrator).await;
    if let Some(hooks) = story.get_events(narrator).await {
        story.refund_in_vain(narrator, &hooks).await;
        story.be_disputed(narrator, &hooks).await;
        story.close_shop(hooks).await;
    }
}

impl Story<'_> {
    async fn keep_a_card(&mut self, narrator: &mut Narrator) {
        narrator.step("A card goes into the vault");
        narrator.asked(
            "tokenisePaymentMethod",
            &format!("{}, 11/2033", ending(GOOD_CARD)),
        );
        let query = "mutation($data: TokenInput!) { tokenisePaymentMethod(data: $data) { token card { number brand } } }";
        let card = json!({"number": GOOD_CARD, "expMonth": 11, "expYear": 2033, "cvc": "737", "name": "Ada Byron"});
        let reply = self
            .client
            .run(
                query,
                json!({"data": {"paymentMethod": {"card": card}}}),
                None,
            )
            .await;
        let outcome = reply.and_then(|reply| {
            let root = "/data/tokenisePaymentMethod";
            self.token = reply.text(&format!("{root}/token"));
            let number = reply.text(&format!("{root}/card/number"));
            let brand = reply.text(&format!("{root}/card/brand"));
            narrator.answered(&format!("token {}  {number}  {brand}", self.token));
            check("the masked number", &number, "************4242")?;
            check("the brand", &brand, "VISA")
        });
        narrator.shown(
            "The number is sealed on disk. The shop holds a token, which is worthless elsewhere.",
            outcome,
        );
    }

    async fn pay_with_the_token(&mut self, narrator: &mut Narrator) {
        narrator.step("A payment with the token, captured at once");
        narrator.asked(
            "authorizePayment",
            "50.99 EUR with the token, flow `default`",
        );
        let order = self.by_token(5099, "default");
        let outcome = self
            .authorise(narrator, &order, None)
            .await
            .and_then(|reply| {
                check(
                    "the status",
                    &reply.text("/data/authorizePayment/status"),
                    "SUCCEEDED",
                )?;
                check(
                    "the amount",
                    &reply.text("/data/authorizePayment/amount/formattedAmount"),
                    "€50.99",
                )
            });
        narrator.shown("One call: authorised and captured.", outcome);
    }

    async fn authorise_for_later(&mut self, narrator: &mut Narrator) {
        narrator.step("A payment to be captured later");
        narrator.asked(
            "authorizePayment",
            "120.00 EUR with the token, flow `capture-by-api`",
        );
        let order = self.by_token(12_000, "capture-by-api");
        let outcome = self
            .authorise(narrator, &order, None)
            .await
            .and_then(|reply| {
                self.paid_in_parts = reply.text("/data/authorizePayment/id");
                check(
                    "the status",
                    &reply.text("/data/authorizePayment/status"),
                    "AUTHORISED",
                )
            });
        narrator.shown(
            "The money is reserved, not taken, as shops do that ship later.",
            outcome,
        );
    }

    async fn be_declined(&self, narrator: &mut Narrator) {
        narrator.step("A card without money");
        narrator.asked(
            "authorizePayment",
            &format!("50.99 EUR with {}", ending(POOR_CARD)),
        );
        let outcome = self
            .authorise(narrator, &by_card(5099, POOR_CARD), None)
            .await
            .and_then(|reply| {
                check(
                    "the status",
                    &reply.text("/data/authorizePayment/status"),
                    "DECLINED",
                )?;
                let reported = |name: &str| {
                    reply.text(&format!(
                        "/data/authorizePayment/paymentCore/outcome/{name}"
                    ))
                };
                check(
                    "the decline's code",
                    &reported("declineCode"),
                    "INSUFFICIENT_FUNDS",
                )?;
                check("the decline's type", &reported("declineType"), "SOFT")
            });
        narrator.shown(
            "A decline is an answer, not an error. SOFT: worth another try, or another card.",
            outcome,
        );
    }

    async fn ask_twice(&self, narrator: &mut Narrator) {
        narrator.step("The same request twice");
        let key = "order-1042";
        narrator.asked(
            "authorizePayment",
            &format!("19.00 EUR, X-Idempotency-Key: {key}"),
        );
        let order = self.by_token(1_900, "default");
        let outcome = match self.authorise(narrator, &order, Some(key)).await {
            Ok(first) => self.ask_again(narrator, &order, key, &first).await,
            Err(why) => Err(why),
        };
        narrator.shown(
            "A retry after a lost answer gets the first result, byte for byte. The processor's books have one charge.",
            outcome,
        );
    }

    async fn ask_again(
        &self,
        narrator: &mut Narrator,
        order: &Value,
        key: &str,
        first: &Reply,
    ) -> Step {
        narrator.asked("authorizePayment", "the very same again");
        let second = self.authorise(narrator, order, Some(key)).await?;
        let id = first.text("/data/authorizePayment/id");
        check(
            "the second payment",
            &second.text("/data/authorizePayment/id"),
            &id,
        )?;
        if !second.replayed {
            return Err("the header Idempotency-Replayed is missing".to_owned());
        }
        if second.body != first.body {
            return Err("the second answer is not byte for byte the first".to_owned());
        }
        let uuid = id.trim_start_matches("payments:").to_owned();
        narrator.asked("GET /sandbox/books", "what the simulated processor charged");
        let books = self.client.get("/sandbox/books").await?;
        let entries = books
            .json
            .pointer("/entries")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        let references = entries
            .iter()
            .filter_map(|entry| entry.get("reference").and_then(Value::as_str));
        let charges = references
            .filter(|reference| reference.starts_with(&uuid))
            .count();
        narrator.answered(&format!("{charges} charge for this payment"));
        check("the number of charges", &charges.to_string(), "1")
    }

    async fn lose_and_find(&self, narrator: &mut Narrator) {
        narrator.step("The processor falls silent");
        narrator.asked(
            "authorizePayment",
            &format!("75.00 EUR with {}", ending(SILENT_CARD)),
        );
        let outcome = match self
            .authorise(narrator, &by_card(7_500, SILENT_CARD), None)
            .await
        {
            Ok(reply) => self.find(narrator, &reply).await,
            Err(why) => Err(why),
        };
        narrator.shown(
            "Unknown is a state. It is looked up under our reference, never sent again, never called failed.",
            outcome,
        );
    }

    async fn find(&self, narrator: &mut Narrator, lost: &Reply) -> Step {
        check(
            "the status",
            &lost.text("/data/authorizePayment/status"),
            "NO_ANSWER_FROM_PSP",
        )?;
        let id = lost.text("/data/authorizePayment/id");
        narrator.asked("getPayment", "that payment, until its outcome is known");
        let reply = self.wait(&id, "NO_ANSWER_FROM_PSP").await?;
        narrator.answered(&in_short(&reply, "getPayment"));
        let titles: Vec<_> = timeline(&reply)
            .into_iter()
            .map(|(title, _)| title)
            .collect();
        narrator.answered(&format!("timeline: {}", titles.join(" · ")));
        check(
            "the status",
            &reply.text("/data/getPayment/status"),
            "SUCCEEDED",
        )
    }

    /// Reads a payment until it leaves a status.
    pub(super) async fn wait(&self, id: &str, status: &str) -> Result<Reply, String> {
        for _ in 0..PATIENCE {
            let reply = self.read(id).await?;
            if reply.text("/data/getPayment/status") != status {
                return Ok(reply);
            }
            pause().await;
        }
        Err(format!("the payment stayed {status}"))
    }

    /// Reads a payment with its timeline.
    pub(super) async fn read(&self, id: &str) -> Result<Reply, String> {
        let query = format!(
            "query($id: ID!) {{ getPayment(id: $id) {{ {PAYMENT} eci threeDSecureVersion threeDSecureAuthenticationResult \
             paymentTimeline {{ overview {{ title message }} }} }} }}"
        );
        self.client.run(&query, json!({"id": id}), None).await
    }

    async fn mistype(&self, narrator: &mut Narrator) {
        narrator.step("A mistyped number");
        narrator.asked(
            "authorizePayment",
            &format!("10.00 EUR with {}", ending(MISTYPED_CARD)),
        );
        let outcome = self
            .authorise(narrator, &by_card(1_000, MISTYPED_CARD), None)
            .await
            .and_then(|reply| {
                let field = reply.text("/errors/0/extensions/field");
                narrator.answered(&format!("field {field}"));
                check("the error", &reply.error(), "error.validation")
            });
        narrator.shown("Refused before anyone is asked. The error names the field and never repeats the value.", outcome);
    }

    async fn list(&self, narrator: &mut Narrator) {
        narrator.step("All of it, listed");
        narrator.asked("listPayments", "first: 20");
        let query = format!(
            "{{ listPayments(first: 20) {{ pageInfo {{ totalSize }} edges {{ node {{ {PAYMENT} }} }} }} }}"
        );
        let outcome = self
            .client
            .run(&query, json!({}), None)
            .await
            .and_then(|reply| {
                let total = reply.text("/data/listPayments/pageInfo/totalSize");
                let edges = reply
                    .json
                    .pointer("/data/listPayments/edges")
                    .and_then(Value::as_array);
                for edge in edges.into_iter().flatten() {
                    let text = |pointer: &str| {
                        edge.pointer(pointer)
                            .and_then(Value::as_str)
                            .unwrap_or_default()
                    };
                    let (amount, status) =
                        (text("/node/amount/formattedAmount"), text("/node/status"));
                    narrator.answered(&format!(
                        "{amount:>9}  {status:<9}  {}",
                        text("/node/paymentCore/paymentMethod")
                    ));
                }
                check("the number of payments", &total, "12")
            });
        narrator.shown(
            "Twelve payments: the repeated request made none, nor did the mistyped one.",
            outcome,
        );
    }

    pub(super) fn by_token(&self, amount: i64, flow: &str) -> Value {
        json!({"amount": amount, "currencyCode": "EUR", "flowId": flow, "paymentMethod": {"type": "CARD", "token": self.token}})
    }

    pub(super) async fn authorise(
        &self,
        narrator: &mut Narrator,
        order: &Value,
        key: Option<&str>,
    ) -> Result<Reply, String> {
        let query = format!(
            "mutation($order: AuthorisedPaymentInput!) {{ authorizePayment(authorisePayment: $order) {{ {PAYMENT} }} }}"
        );
        let reply = self
            .client
            .run(&query, json!({"order": order}), key)
            .await?;
        let note = if reply.replayed {
            "  (Idempotency-Replayed: true)"
        } else {
            ""
        };
        narrator.answered(&format!("{}{note}", in_short(&reply, "authorizePayment")));
        Ok(reply)
    }
}

pub(super) fn by_card(amount: i64, number: &str) -> Value {
    let card = json!({"number": number, "expMonth": 11, "expYear": 2033, "cvc": "737"});
    json!({"amount": amount, "currencyCode": "EUR", "flowId": "default", "paymentMethod": {"type": "CARD", "card": card}})
}

/// A card as people may see it.
pub(super) fn ending(number: &str) -> String {
    format!(
        "the card that ends in {}",
        number.get(12..).unwrap_or_default()
    )
}

/// A payment, or an error, in one line.
pub(super) fn in_short(reply: &Reply, operation: &str) -> String {
    let text = |name: &str| reply.text(&format!("/data/{operation}/{name}"));
    let error = reply.error();
    if !error.is_empty() {
        return format!("{error}: {}", reply.text("/errors/0/message"));
    }
    let decline = text("paymentCore/outcome/declineCode");
    let kind = text("paymentCore/outcome/declineType");
    let decline = if decline.is_empty() {
        String::new()
    } else {
        format!("  {decline}, {kind}")
    };
    let moved = moved(&text("capturedAmount"), &text("refundedAmount"));
    format!(
        "{}  {}{moved}{decline}  {}",
        text("status"),
        text("amount/formattedAmount"),
        text("id")
    )
}

/// The title and the message of each line of a payment's timeline.
pub(super) fn timeline(reply: &Reply) -> Vec<(String, String)> {
    let events = reply
        .json
        .pointer("/data/getPayment/paymentTimeline/overview")
        .and_then(Value::as_array);
    let text = |event: &Value, name: &str| {
        event
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    events
        .into_iter()
        .flatten()
        .map(|event| (text(event, "title"), text(event, "message")))
        .collect()
}

pub(super) fn check(what: &str, found: &str, expected: &str) -> Step {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{what} is `{found}` and should be `{expected}`"))
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the story is played from outside, by the clock on the wall"
)]
pub(super) async fn pause() {
    tokio::time::sleep(PAUSE).await;
}
