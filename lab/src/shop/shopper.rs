//! Shoppers: each makes one order, in one of the ways in which people order.

use futures_util::future::{OptionFuture, join};
use serde_json::{Value, json};

use super::{
    About, Shop, Wish,
    orders::{Order, order},
    visits::{OPEN, Visitor},
    words,
};
use crate::{chance::Chance, house::Got};

/// One shopper, from the first click to the refund.
pub(crate) async fn shopper(shop: Shop, chance: Chance, name: String) {
    let mut visitor = Visitor { shop, chance };
    let open = i64::try_from(OPEN.as_millis()).unwrap_or(0);
    visitor.pause(0, open).await;
    let order = order(&mut visitor.chance, &visitor.shop, &name);
    match visitor.chance.below(10) {
        0 => Box::pin(visitor.clicks_twice(&order, &name)).await,
        1 => Box::pin(visitor.checks_out(&order, &name)).await,
        2 => Box::pin(visitor.has_a_token(&order, &name)).await,
        3 => Box::pin(visitor.uses_a_key_again(&order, &name)).await,
        _ => Box::pin(visitor.orders(&order, &name)).await,
    }
}

impl Visitor {
    /// One order, perhaps with a lost answer.
    async fn orders(&mut self, order: &Order, name: &str) {
        let key = self.key();
        let wish = wish_of(&order.input).once(key);
        let got = self.insist(&wish).await;
        self.go_on(order, name, got.as_ref()).await;
    }

    /// The button is pressed twice; both requests have one key and reach different nodes.
    async fn clicks_twice(&mut self, order: &Order, name: &str) {
        let key = format!("click-{:016x}", self.chance.next());
        let wish = wish_of(&order.input).once(Some(key));
        let (one, two, cut) = (self.node(), self.node(), self.cut());
        let (first, second) = join(
            self.shop.ask(one, &wish, cut),
            self.shop.ask(two, &wish, None),
        )
        .await;
        let mut got = second.or(first);
        if got
            .as_ref()
            .is_none_or(|got| got.code() == Some("error.idempotency.in-progress"))
        {
            got = self.insist(&wish).await;
        }
        self.go_on(order, name, got.as_ref()).await;
    }

    /// A checkout of which two tabs are open.
    async fn checks_out(&mut self, order: &Order, name: &str) {
        let flow = order
            .input
            .get("flowId")
            .and_then(Value::as_str)
            .unwrap_or("default")
            .to_owned();
        let Some(intent) = self.start_intent(order, name, &flow).await else {
            return;
        };
        let tabs =
            [0, 1].map(|tab| self.order_in_tab(order, &intent, &flow, format!("{name}-tab-{tab}")));
        let answers = self.pay_in_tabs(&tabs).await;
        for got in answers.into_iter().flatten() {
            self.go_on(order, "", Some(&got)).await;
        }
        if self.chance.one_in(2) {
            let node = self.node();
            let wish = Wish::new(
                "completeIntent",
                words::COMPLETE_INTENT,
                json!({ "id": intent }),
            );
            self.shop.ask(node, &wish, None).await;
        }
    }

    /// Starts an intent for the order; its id.
    async fn start_intent(&mut self, order: &Order, name: &str, flow: &str) -> Option<String> {
        let (amount, currency) = (order.amount, order.input.get("currencyCode").cloned());
        let variables = json!({ "tracking": name, "flow": flow, "amount": { "amount": amount, "currency": currency } });
        let node = self.node();
        let wish = Wish::new("startIntent", words::START_INTENT, variables);
        let started = self.shop.ask(node, &wish, None).await?;
        let id = started.body.pointer("/data/startIntent/id")?.as_str()?;
        Some(id.to_owned())
    }

    /// The request of one tab.
    fn order_in_tab(&mut self, order: &Order, intent: &str, flow: &str, order_id: String) -> Wish {
        let mut input = order.input.clone();
        if let Some(fields) = input.as_object_mut() {
            fields.insert("intentId".to_owned(), intent.into());
            fields.insert("orderId".to_owned(), order_id.into());
            fields.shift_remove("paymentProcessorConnectionId");
            fields.insert("flowId".to_owned(), flow.into());
        }
        Wish {
            about: About {
                checkout: Some(intent.to_owned()),
            },
            ..wish_of(&input).once(self.key())
        }
    }

    /// Orders in both tabs, at once or one after the other.
    async fn pay_in_tabs(&mut self, [first, second]: &[Wish; 2]) -> [Option<Got>; 2] {
        let (one, two) = (self.node(), self.node());
        let (shop, both) = (self.shop.clone(), self.chance.one_in(2));
        if both {
            return join(shop.ask(one, first, None), shop.ask(two, second, None))
                .await
                .into();
        }
        let got = shop.ask(one, first, None).await;
        if let Some(url) = got
            .as_ref()
            .and_then(Got::url)
            .filter(|_| self.chance.one_in(2))
        {
            // In the first tab the customer goes on while the second one orders.
            let (mut other, url) = (self.twin(), url.to_owned());
            shop.house
                .world
                .spawn(async move { other.detour(&url).await });
        }
        self.pause(0, 20_000).await;
        [got, shop.ask(two, second, None).await]
    }

    /// A browser with a token that is good for one payment, which orders twice.
    async fn has_a_token(&mut self, order: &Order, name: &str) {
        let currency = order.input.get("currencyCode").cloned();
        let variables = json!({ "amount": order.amount, "currency": currency });
        let node = self.node();
        let made = self
            .shop
            .ask(
                node,
                &Wish::new("generateClientToken", words::CLIENT_TOKEN, variables),
                None,
            )
            .await;
        let path = "/data/generateClientToken/token";
        let Some(token) = made
            .as_ref()
            .and_then(|got| got.body.pointer(path)?.as_str())
        else {
            return;
        };
        let tab = |visitor: &mut Self, tab: u32| {
            let mut input = order.input.clone();
            if let Some(fields) = input.as_object_mut() {
                fields.insert("orderId".to_owned(), format!("{name}-token-{tab}").into());
                fields.shift_remove("paymentProcessorConnectionId");
                fields.shift_remove("initiator");
            }
            let about = About {
                checkout: Some(token.to_owned()),
            };
            Wish {
                bearer: Some(token.to_owned()),
                about,
                ..wish_of(&input).once(visitor.key())
            }
        };
        let (first, second) = (tab(self, 0), tab(self, 1));
        let (one, two) = (self.node(), self.node());
        // The merchant's server may send the page's request too, under its key: at the same moment, or when it was answered.
        let server = Wish {
            bearer: None,
            about: About::default(),
            variables: first.variables.clone(),
            key: first.key.clone(),
            ..first
        };
        let sends = first.key.is_some() && !name.ends_with(['0', '1', '2', '3']);
        let at_once = sends && name.ends_with(['7', '8', '9']);
        let shop = self.shop.clone();
        // What the server pays is no payment of the token's, which could pay by its second tab as well.
        let alongside = match (sends, at_once) {
            (false, _) => Some(&second),
            (true, true) => Some(&server),
            (true, false) => None,
        };
        let answers = join(
            shop.ask(one, &first, None),
            OptionFuture::from(alongside.map(|wish| shop.ask(two, wish, None))),
        )
        .await;
        let later = if sends && !at_once {
            shop.ask(two, &server, None).await
        } else {
            None
        };
        let answer = [answers.0, answers.1.flatten(), later];
        for got in answer.into_iter().flatten() {
            self.go_on(order, "", Some(&got)).await;
        }
    }

    /// The same key for another request.
    async fn uses_a_key_again(&mut self, order: &Order, name: &str) {
        let key = format!("again-{:016x}", self.chance.next());
        let wish = wish_of(&order.input).once(Some(key.clone()));
        let got = self.insist(&wish).await;
        let mut other = order.input.clone();
        if let Some(fields) = other.as_object_mut() {
            fields.insert("amount".to_owned(), order.amount.saturating_add(1).into());
            fields.insert("orderId".to_owned(), format!("{name}-other").into());
        }
        let other = wish_of(&other).once(Some(key));
        let node = self.node();
        self.shop.ask(node, &other, None).await;
        self.go_on(order, name, got.as_ref()).await;
        // Long afterwards it still gets the same answer.
        self.pause(0, 100_000).await;
        self.insist(&wish).await;
    }

    /// Goes on with what came of an order. `name`: under which it is found when its answer was lost.
    async fn go_on(&mut self, order: &Order, name: &str, got: Option<&Got>) {
        let id = match got.and_then(Got::id) {
            Some(id) => id,
            None if name.is_empty() => return,
            None => match self.find(name).await {
                Some(id) => id,
                None => return,
            },
        };
        if let Some(url) = got.and_then(Got::url) {
            if self.chance.one_in(6) {
                let wish = Wish::new("abandonPayment", words::ABANDON, json!({ "id": id }));
                let (node, shop, mut other) = (self.node(), self.shop.clone(), self.twin());
                join(shop.ask(node, &wish, None), other.detour(url)).await;
            } else {
                self.detour(url).await;
            }
        }
        let flow = order
            .input
            .get("flowId")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if flow.starts_with("approved")
            && let Some(instance) = got.and_then(|got| got.text("flowInstanceId"))
        {
            self.approve(instance).await;
        }
        if flow == "shipped" && !self.chance.one_in(4) {
            self.ship(&id).await;
        }
        Box::pin(self.look_after(&id, order.amount)).await;
    }

    /// Another visitor of the same shop.
    fn twin(&mut self) -> Self {
        let seed = self.chance.next();
        Self {
            shop: self.shop.clone(),
            chance: Chance::of(seed, 0),
        }
    }
}

fn wish_of(input: &Value) -> Wish {
    Wish::new(
        "authorizePayment",
        words::AUTHORISE,
        json!({ "order": input }),
    )
}
