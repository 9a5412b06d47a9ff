//! The customer's part of the story: proving who pays, paying later, paying by wallet, and a checkout as a whole.

use serde_json::{Value, json};

use super::{
    client::Reply,
    narrator::Narrator,
    story::{GOOD_CARD, Step, Story, by_card, check, ending, in_short},
};

/// Its issuer wants to know who pays.
const CAUTIOUS_CARD: &str = "4000002760003184";
const WALLET_CARD: &str = "5555555555554444";
/// Where the shop's customers come back to.
const SHOP: &str = "https://shop.example/thanks";
/// The longest chain of redirects that is followed.
const HOPS: u32 = 5;
/// So many of a checkout's methods are shown by name.
const NAMED: usize = 3;

impl Story<'_> {
    pub(super) async fn prove_who_pays(&self, narrator: &mut Narrator) {
        narrator.step("A bank that wants to know who pays (3D Secure)");
        narrator.asked(
            "authorizePayment",
            &format!("89.00 EUR with {}, back to {SHOP}", ending(CAUTIOUS_CARD)),
        );
        let mut order = by_card(8_900, CAUTIOUS_CARD);
        add(
            &mut order,
            "perform3DSecure",
            json!({ "redirectUrl": SHOP }),
        );
        let outcome = match self.authorise(narrator, &order, None).await {
            Ok(reply) => self.be_authenticated(narrator, &reply).await,
            Err(why) => Err(why),
        };
        narrator.shown(
            "Nothing is charged before the customer has finished there, and only on what the processor says.",
            outcome,
        );
    }

    async fn be_authenticated(&self, narrator: &mut Narrator, sent_away: &Reply) -> Step {
        check(
            "the error",
            &sent_away.error(),
            "error.authorize.requires3DSecure",
        )?;
        let id = sent_away.text("/errors/0/extensions/id");
        narrator.asked("getPayment", "while the customer is away");
        let waiting = self.read(&id).await?;
        narrator.answered(&in_short(&waiting, "getPayment"));
        check(
            "the status",
            &waiting.text("/data/getPayment/status"),
            "NEEDS_3D_SECURE",
        )?;
        let back = self.visit(narrator, sent_away).await?;
        parameter_of(&back, "3ds_status=COMPLETED")?;
        let paid = self.settled(narrator, &id).await?;
        let text = |name: &str| paid.text(&format!("/data/getPayment/{name}"));
        let (version, result) = (
            text("threeDSecureVersion"),
            text("threeDSecureAuthenticationResult"),
        );
        narrator.answered(&format!(
            "3D Secure {version}: {result}, ECI {}",
            text("eci")
        ));
        check("the result of 3D Secure", &result, "AUTHENTICATED")
    }

    pub(super) async fn pay_later(&self, narrator: &mut Narrator) {
        narrator.step("Buy now, pay later");
        narrator.asked(
            "authorizePayment",
            &format!("149.00 EUR by BNPLA, back to {SHOP}"),
        );
        let order = json!({
            "amount": 14_900, "currencyCode": "EUR", "paymentMethod": {"type": "BNPLA"}, "apmRedirectUrl": SHOP
        });
        let outcome = match self.authorise(narrator, &order, None).await {
            Ok(reply) => self.approve(narrator, &reply).await,
            Err(why) => Err(why),
        };
        narrator.shown(
            "Other methods than cards go the same way: an address, a visit, the way back.",
            outcome,
        );
    }

    async fn approve(&self, narrator: &mut Narrator, sent_away: &Reply) -> Step {
        check(
            "the error",
            &sent_away.error(),
            "error.authorize.requiresApmAuthorization",
        )?;
        let back = self.visit(narrator, sent_away).await?;
        parameter_of(&back, "apm_status=COMPLETED")?;
        self.settled(narrator, &sent_away.text("/errors/0/extensions/id"))
            .await
            .map(|_| ())
    }

    pub(super) async fn pay_by_wallet(&self, narrator: &mut Narrator) {
        narrator.step("A wallet on a phone");
        narrator.asked(
            "authorizePayment",
            "a wallet's token, which itself says 24.90 EUR",
        );
        let content = json!({
            "number": WALLET_CARD, "expMonth": 11, "expYear": 2033, "amount": 2_490, "currencyCode": "EUR"
        });
        let order = json!({"paymentMethod": {
            "type": "WALLETA_PAY", "walletToken": { "sandbox": content }, "walletAPay": {"transactionId": "phone-1"}
        }});
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
                    "€24.90",
                )
            });
        narrator.shown(
            "Real tokens are verified and decrypted by the service; this one is the sandbox's own.",
            outcome,
        );
    }

    pub(super) async fn check_out(&self, narrator: &mut Narrator) {
        narrator.step("A checkout from start to completion");
        let outcome = self.walk_through(narrator).await;
        narrator.shown(
            "One checkout, one payment: two tabs or a double click can't pay it twice.",
            outcome,
        );
    }

    async fn walk_through(&self, narrator: &mut Narrator) -> Step {
        narrator.asked("startIntent", "order 1044, 64.00 EUR, flow `default`");
        let query = "mutation { startIntent(trackingId: \"order-1044\", paymentFlowId: \"default\", \
            amount: {amount: 6400, currency: \"EUR\"}, customer: {email: \"ada@example.com\", isGuest: true}) \
            { id status amount { formattedAmount } } }";
        let started = self.client.run(query, json!({}), None).await?;
        let id = started.text("/data/startIntent/id");
        narrator.answered(&in_short(&started, "startIntent"));
        check(
            "the intent's status",
            &started.text("/data/startIntent/status"),
            "ACTIVE",
        )?;

        narrator.asked("optimise", "which methods to show");
        let query = "query($id: String!) { optimise(intentId: $id) }";
        let offered = self.client.run(query, json!({ "id": id }), None).await?;
        narrator.answered(&methods(&offered)?);

        narrator.asked(
            "authorizePayment",
            &format!("its intentId and {}", ending(GOOD_CARD)),
        );
        let card = json!({"number": GOOD_CARD, "expMonth": 11, "expYear": 2033, "cvc": "737"});
        let order = json!({"intentId": id, "paymentMethod": {"type": "CARD", "card": card}});
        let paid = self.authorise(narrator, &order, None).await?;
        check(
            "the status",
            &paid.text("/data/authorizePayment/status"),
            "SUCCEEDED",
        )?;
        check(
            "the amount",
            &paid.text("/data/authorizePayment/amount/formattedAmount"),
            "€64.00",
        )?;

        narrator.asked("authorizePayment", "the same again, from another tab");
        let again = self.authorise(narrator, &order, None).await?;
        check(
            "the error",
            &again.error(),
            "error.authorize.payment-already-authorized",
        )?;

        narrator.asked("completeIntent", "that checkout");
        let query = "mutation($id: ID!) { completeIntent(id: $id) { id status amount { formattedAmount } \
            linkedPayments { paymentId status } } }";
        let complete = self.client.run(query, json!({ "id": id }), None).await?;
        narrator.answered(&in_short(&complete, "completeIntent"));
        check(
            "the intent's status",
            &complete.text("/data/completeIntent/status"),
            "COMPLETE",
        )?;
        let linked = complete.text("/data/completeIntent/linkedPayments/0/paymentId");
        check(
            "the linked payment",
            &linked,
            &paid.text("/data/authorizePayment/id"),
        )
    }

    /// Goes where the customer is sent, says yes there, and follows the way back. Returns the shop's address as it is called.
    async fn visit(&self, narrator: &mut Narrator, sent_away: &Reply) -> Result<String, String> {
        let url = sent_away.text("/errors/0/extensions/url");
        narrator.asked("GET", "that page, as the customer's browser");
        let page = self.client.open(&url).await?;
        check("the page's status", &page.status.to_string(), "200")?;
        let heading = page
            .text
            .split_once("<h1>")
            .and_then(|(_, rest)| rest.split_once("</h1>"));
        narrator.answered(&format!(
            "a page: {}",
            heading.map_or("", |(heading, _)| heading)
        ));
        narrator.asked("POST", "outcome=complete, as its first button does");
        let mut page = self.client.press(&url, "complete").await?;
        for _ in 0..HOPS {
            let Some(location) = page.location else { break };
            if location.starts_with(SHOP) {
                narrator.answered(&format!("and on to {location}"));
                return Ok(location);
            }
            page = self.client.open(&location).await?;
        }
        Err("the customer does not come back to the shop".to_owned())
    }

    async fn settled(&self, narrator: &mut Narrator, id: &str) -> Result<Reply, String> {
        narrator.asked("getPayment", "now that the customer is back");
        let paid = self.read(id).await?;
        narrator.answered(&in_short(&paid, "getPayment"));
        check(
            "the status",
            &paid.text("/data/getPayment/status"),
            "SUCCEEDED",
        )?;
        Ok(paid)
    }
}

fn add(order: &mut Value, name: &str, value: Value) {
    if let Some(fields) = order.as_object_mut() {
        fields.insert(name.to_owned(), value);
    }
}

/// Does the address tell the shop what it should?
fn parameter_of(address: &str, parameter: &str) -> Step {
    let query = address.split_once('?').map_or("", |(_, query)| query);
    if query.split('&').any(|given| given == parameter) {
        Ok(())
    } else {
        Err(format!("the address lacks `{parameter}`"))
    }
}

/// The methods of a checkout in one line.
fn methods(offered: &Reply) -> Result<String, String> {
    let methods = offered
        .json
        .pointer("/data/optimise")
        .and_then(Value::as_array);
    let names: Vec<&str> = methods
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    if !names.contains(&"CARD") {
        return Err("the checkout offers no cards".to_owned());
    }
    let more = names.len().saturating_sub(NAMED);
    let first = names.into_iter().take(NAMED).collect::<Vec<_>>().join(", ");
    Ok(if more == 0 {
        first
    } else {
        format!("{first} and {more} more")
    })
}
