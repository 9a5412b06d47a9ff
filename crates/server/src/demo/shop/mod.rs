//! The demo's shop: the page of `examples/shop` on an origin of its own, with a small server that has the secret key, as a
//! merchant's does. It uses the service through its public API alone.

mod answers;
mod live;
mod orders;

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::{net::TcpListener, task::AbortHandle};
use world::World;

use self::orders::{CURRENCY, Order, Orders, amount_of, number_after};
use super::{Client, receiver::Message};

/// What the shop is called, also on the service's pages.
const NAME: &str = "Harbour Coffee";
/// Every payment of the shop runs along this flow: captured at once.
const FLOW: &str = "default";
/// The length of an order's id, which only its buyer knows.
const ORDER_ID: usize = 22;
/// What is read of a payment.
const PAYMENT: &str = "id status amount { rawAmount formattedAmount currency } paymentCore { outcome { declineCode } } \
    paymentTimeline { overview { title message time } }";

/// A shop that is open; it closes when this is dropped.
pub struct OpenShop {
    /// Where it is.
    pub origin: String,
    task: AbortHandle,
}

impl Drop for OpenShop {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The shop's server.
struct Shop {
    client: Client,
    world: World,
    /// Where the service is, as browsers reach it.
    service: String,
    /// Where the shop is.
    origin: String,
    /// Signs the service's webhooks.
    secret: String,
    orders: Mutex<Orders>,
    /// How many orders there were.
    count: AtomicUsize,
}

/// Opens the shop beside the service: at the next port of `localhost` if it is free. Another name is another origin and another
/// site to a browser, as a merchant's page is.
///
/// # Errors
/// Why it can't be opened, for people.
pub async fn open(client: Client, service: String, near: SocketAddr) -> Result<OpenShop, String> {
    let listener = listen(near).await.map_err(|error| error.to_string())?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let origin = format!("http://localhost:{}", address.port());
    let shop = Shop {
        secret: registered(&client, &origin).await?,
        client,
        world: World::real(),
        service,
        origin: origin.clone(),
        orders: Mutex::default(),
        count: AtomicUsize::new(0),
    };
    let app = answers::router(Arc::new(shop));
    #[expect(
        clippy::disallowed_methods,
        reason = "the shop is a program of its own, in the time of the real world"
    )]
    let task = tokio::spawn(async move {
        // It ends with the demo.
        let _ = axum::serve(listener, app).await;
    });
    Ok(OpenShop {
        origin,
        task: task.abort_handle(),
    })
}

async fn listen(near: SocketAddr) -> std::io::Result<TcpListener> {
    let next = near.port().checked_add(1).unwrap_or_default();
    match TcpListener::bind(("127.0.0.1", next)).await {
        Ok(listener) => Ok(listener),
        Err(_taken) => TcpListener::bind("127.0.0.1:0").await,
    }
}

/// Names the shop, and saves the address of its webhooks. Returns the secret of their signatures.
async fn registered(client: &Client, origin: &str) -> Result<String, String> {
    let query = "mutation($name: String!, $url: String!) { updateTeam(settings: { name: $name }) { name } \
        saveWebhookEndpoint(url: $url, kinds: [\"payment.*\"]) { secret } }";
    let variables = json!({"name": NAME, "url": format!("{origin}/hooks")});
    let reply = client.run(query, variables, None).await?;
    let secret = reply.text("/data/saveWebhookEndpoint/secret");
    if secret.is_empty() {
        return Err(reply.text("/errors/0/message"));
    }
    Ok(secret)
}

/// Why the shop does not do what the page asks.
enum Refusal {
    /// The shopper, or the page, did something wrong.
    Wrong(String),
    /// The service does not answer.
    Away,
}

impl From<String> for Refusal {
    fn from(why: String) -> Self {
        Self::Wrong(why)
    }
}

impl Shop {
    /// Runs an operation of the service. An error of the API is a refusal here.
    async fn ask(&self, query: &str, variables: Value) -> Result<Value, Refusal> {
        let asked = self.client.run(query, variables, None).await;
        let reply = asked.map_err(|_| Refusal::Away)?;
        if reply.error().is_empty() {
            Ok(reply.json)
        } else {
            Err(Refusal::Wrong(reply.text("/errors/0/message")))
        }
    }

    /// A cart becomes an order, an intent of the service, and a token for the browser, which pays this intent and nothing else.
    async fn check_out(&self, items: &Value) -> Result<Value, Refusal> {
        let amount = amount_of(items)?;
        let id = self.world.token(ORDER_ID);
        let query = "mutation($id: ID!, $flow: ID!, $amount: IntentAmountInput!) { \
            startIntent(trackingId: $id, paymentFlowId: $flow, amount: $amount) { id } }";
        let cost = json!({"amount": amount, "currency": CURRENCY});
        let number = number_after(self.count.fetch_add(1, Ordering::Relaxed));
        let variables = json!({"id": number, "flow": FLOW, "amount": cost});
        let intent = text(&self.ask(query, variables).await?, "/data/startIntent/id");
        let query = "mutation($intent: String, $flow: String) { generateClientToken(intentId: $intent, flowId: $flow) { token } }";
        let variables = json!({"intent": intent, "flow": FLOW});
        let token = text(
            &self.ask(query, variables).await?,
            "/data/generateClientToken/token",
        );
        let order = Order::open(number.clone(), amount, intent.clone());
        self.orders.lock().insert(id.clone(), order);
        Ok(json!({
            "order": id, "number": number, "intent": intent, "clientToken": token, "amount": amount, "currencyCode": CURRENCY, "flowId": FLOW
        }))
    }

    /// Elements: the browser has a vault token, and the shop pays with it. The amount is the intent's, which is the shop's own.
    async fn pay(&self, wanted: &Value) -> Result<Value, Refusal> {
        let (id, token) = (text(wanted, "/order"), text(wanted, "/token"));
        let order = self.order(&id)?;
        if token.is_empty() {
            return Err(Refusal::Wrong("There is no card.".to_owned()));
        }
        let query = format!(
            "mutation($payment: AuthorisedPaymentInput!) {{ authorizePayment(authorisePayment: $payment) {{ {PAYMENT} }} }}"
        );
        let payment = json!({
            "intentId": order.intent, "orderId": order.number, "paymentMethod": {"type": "CARD", "token": token},
            "perform3DSecure": {"redirectUrl": format!("{}/?order={id}", self.origin)}
        });
        // A second press with the same card is the same payment; another card is another one.
        let once = format!("{id}-{token}");
        let asked = self
            .client
            .run(&query, json!({"payment": payment}), Some(&once))
            .await;
        let reply = asked.map_err(|_| Refusal::Away)?;
        match reply.error().as_str() {
            "" => {
                let standing = self.settle(&id, reply.json.pointer("/data/authorizePayment"));
                Ok(json!({"status": standing}))
            }
            "error.authorize.requires3DSecure" => {
                Ok(json!({"url": reply.text("/errors/0/extensions/url")}))
            }
            _ => Err(Refusal::Wrong(reply.text("/errors/0/message"))),
        }
    }

    /// How an order stands. Until a webhook has reported it, the service is asked.
    async fn status_of(&self, id: &str) -> Result<Value, Refusal> {
        let order = self.order(id)?;
        let payment = self.newest_payment(&order.intent).await?;
        self.settle(id, Some(&payment));
        let order = self.order(id)?;
        Ok(
            json!({"status": order.standing.word(), "number": order.number, "amount": order.amount, "reason": order.reason}),
        )
    }

    /// A webhook. Only what is signed counts; how the payment stands now is read from the service. False when it is not signed.
    async fn notified(&self, message: &Message) -> bool {
        if !message.is_signed_with(&self.secret) || !message.is_near(self.world.now()) {
            return false;
        }
        let (payment, intent) = (
            message.text("/data/paymentId"),
            message.text("/data/intentId"),
        );
        // The first event of a payment names its intent; the events of one payment come in their order.
        let found = {
            let mut orders = self.orders.lock();
            let is_about = |order: &Order| {
                (!intent.is_empty() && order.intent == intent)
                    || (!payment.is_empty() && order.payment == payment)
            };
            orders
                .iter_mut()
                .find(|(_, order)| is_about(order))
                .map(|(id, order)| {
                    payment.clone_into(&mut order.payment);
                    id.clone()
                })
        };
        if let Some(id) = found {
            // A webhook that can't be used now is no loss: the page asks too.
            let _ = self.status_of(&id).await;
        }
        true
    }

    /// Takes over how a payment of an order stands, and returns the order's word for it.
    fn settle(&self, id: &str, payment: Option<&Value>) -> &'static str {
        let mut orders = self.orders.lock();
        let Some(order) = orders.get_mut(id) else {
            return orders::Standing::Open.word();
        };
        if let Some(payment) = payment.filter(|payment| !payment.is_null()) {
            order.settle(payment);
        }
        order.standing.word()
    }

    /// The newest payment of an intent, with its timeline; null when there is none.
    async fn newest_payment(&self, intent: &str) -> Result<Value, Refusal> {
        let query = "query($id: ID!) { getIntent(id: $id) { linkedPayments { paymentId } } }";
        let found = self.ask(query, json!({"id": intent})).await?;
        let linked = found.pointer("/data/getIntent/linkedPayments");
        let newest = linked.and_then(Value::as_array).and_then(|all| all.last());
        let Some(newest) = newest else {
            return Ok(Value::Null);
        };
        let query = format!("query($id: ID!) {{ getPayment(id: $id) {{ {PAYMENT} }} }}");
        let variables = json!({"id": text(newest, "/paymentId")});
        let found = self.ask(&query, variables).await?;
        Ok(found
            .pointer("/data/getPayment")
            .cloned()
            .unwrap_or_default())
    }

    fn order(&self, id: &str) -> Result<Order, Refusal> {
        let found = self.orders.lock().get(id).cloned();
        found.ok_or_else(|| Refusal::Wrong("There is no such order.".to_owned()))
    }
}

/// The text at a place; empty when there is none.
fn text(json: &Value, pointer: &str) -> String {
    let found = json.pointer(pointer).and_then(Value::as_str);
    found.unwrap_or_default().to_owned()
}
