//! For every argument of the schema that names a thing, another team's thing is one that is not there.
//!
//! The stories are made from the schema: an argument that looks like an id and stands in neither of the two tables fails
//! the test.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use testkit::{Answer, ObjectStore, Order, PATIENCE, Setup, Shop, cards, until};

use crate::operations::{Operation, operations, put, schema};

/// A thing of a team.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Thing {
    Payment,
    Customer,
    Method,
    Intent,
    Flow,
    Instance,
    Connection,
    ClientToken,
    Attachment,
    Dispute,
    Endpoint,
    Event,
    Page,
    Link,
}

use Thing::{
    Attachment, ClientToken, Connection, Customer, Dispute, Endpoint, Event, Flow, Instance,
    Intent, Link, Method, Page, Payment,
};

const FIELDS_OF_STORED: &str = "data.paymentMethod.processorToken.connectionId";
const FIELDS_OF_PAYMENT: &str = "authorisePayment.paymentMethod.processorToken.connectionId";
const FIELDS_OF_HEADLESS: &str =
    "headlessAuthorisePayment.paymentMethod.processorToken.connectionId";

/// The arguments that name a thing.
const NAMED: &[(&str, &str, Thing)] = &[
    ("acceptDispute", "id", Dispute),
    ("abandonPayment", "id", Payment),
    ("attachPaymentMethod", "customerId", Customer),
    ("attachPaymentMethod", "token", Method),
    ("attachSecurityCode", "token", Method),
    ("authorizePayment", "authorisePayment.customer.id", Customer),
    ("authorizePayment", "authorisePayment.flowId", Flow),
    ("authorizePayment", "authorisePayment.intentId", Intent),
    ("authorizePayment", FIELDS_OF_PAYMENT, Connection),
    (
        "authorizePayment",
        "authorisePayment.paymentMethod.token",
        Method,
    ),
    (
        "authorizePayment",
        "authorisePayment.paymentProcessorConnectionId",
        Connection,
    ),
    ("authorisePageScript", "pageId", Page),
    ("cancelPayment", "id", Payment),
    ("capturePayment", "id", Payment),
    ("completeIntent", "id", Intent),
    ("completeIntent", "paymentReference", Payment),
    ("createAttachment", "disputeId", Dispute),
    ("createAttachment", "paymentId", Payment),
    ("createPaymentLink", "flowId", Flow),
    ("createPaymentLink", "intentId", Intent),
    ("decideApproval", "instanceId", Instance),
    ("deleteAttachment", "id", Attachment),
    ("deleteConnection", "id", Connection),
    ("deleteCustomer", "id", Customer),
    ("deleteFlow", "id", Flow),
    ("deleteGuardedPage", "id", Page),
    ("deletePaymentMethod", "token", Method),
    ("deleteWebhookEndpoint", "id", Endpoint),
    ("disableConnection", "id", Connection),
    ("enableConnection", "id", Connection),
    ("endPaymentLink", "id", Link),
    ("exportFlow", "id", Flow),
    ("generateClientToken", "customerId", Customer),
    ("generateClientToken", "flowId", Flow),
    ("generateClientToken", "intentId", Intent),
    ("getCustomer", "id", Customer),
    ("disputeEvidence", "id", Dispute),
    ("getDispute", "id", Dispute),
    ("getFlow", "id", Flow),
    ("getIntent", "id", Intent),
    ("getPayment", "id", Payment),
    ("getPaymentLink", "id", Link),
    ("getPaymentMethod", "token", Method),
    ("getPaymentMethods", "customerId", Customer),
    (
        "headlessAuthorizePayment",
        "headlessAuthorisePayment.customer.id",
        Customer,
    ),
    (
        "headlessAuthorizePayment",
        "headlessAuthorisePayment.intentId",
        Intent,
    ),
    ("headlessAuthorizePayment", FIELDS_OF_HEADLESS, Connection),
    (
        "headlessAuthorizePayment",
        "headlessAuthorisePayment.paymentMethod.token",
        Method,
    ),
    (
        "headlessAuthorizePayment",
        "headlessAuthorisePayment.paymentProcessorConnectionId",
        Connection,
    ),
    (
        "headlessRequestPaymentProcessorToken",
        "tokenRequest.paymentProcessorConnectionId",
        Connection,
    ),
    (
        "headlessRequestPaymentProcessorToken",
        "tokenRequest.vaultToken",
        Method,
    ),
    ("listAttachments", "disputeId", Dispute),
    ("listAttachments", "paymentId", Payment),
    ("listCustomerCards", "vaultCustomerId", Customer),
    ("listPageViolations", "pageId", Page),
    ("listPayments", "data.customerId", Customer),
    ("listPayments", "data.id", Payment),
    ("listWebhookDeliveries", "endpointId", Endpoint),
    ("node", "id", Payment),
    ("optimise", "intentId", Intent),
    ("publishFlow", "id", Flow),
    ("refundPayment", "id", Payment),
    ("registerNotifications", "id", Connection),
    ("resendEvents", "endpointId", Endpoint),
    ("resendEvents", "eventIds", Event),
    ("resolvePayment", "id", Payment),
    ("revokeClientToken", "id", ClientToken),
    ("rotateConnection", "id", Connection),
    ("rotateWebhookSecret", "id", Endpoint),
    ("saveGuardedPage", "id", Page),
    ("saveWebhookEndpoint", "id", Endpoint),
    ("sendTestEvent", "endpointId", Endpoint),
    ("setDefaultFlow", "id", Flow),
    ("startIntent", "paymentFlowId", Flow),
    ("submitDisputeEvidence", "id", Dispute),
    ("tokeniseCard", "data.customer.id", Customer),
    ("tokeniseCard", FIELDS_OF_STORED, Connection),
    ("tokenisePaymentMethod", "data.customer.id", Customer),
    ("tokenisePaymentMethod", FIELDS_OF_STORED, Connection),
    ("testConnection", "id", Connection),
    ("tryFlow", "id", Flow),
    ("updateCustomer", "id", Customer),
    ("updateDefaultPaymentMethod", "token", Method),
    ("updateIntent", "id", Intent),
    ("withdrawPageScript", "pageId", Page),
];

/// Arguments that look like ids and name no thing of a team, by their ends.
const NOT_NAMED: &[(&str, &str)] = &[
    ("cart.id", "the merchant's own"),
    ("cart.items.id", "the merchant's own"),
    ("company.taxId", "an office's"),
    ("company.vatId", "an office's"),
    ("createCustomer.data.customer.id", "must be absent"),
    ("data.externalId", "the merchant's own"),
    ("data.teamId", "has a story of its own in other_team.rs"),
    ("data.userId", "is echoed and chooses nothing"),
    (
        "listNotifications.connectionId",
        "chooses among the team's own; notifications/refused.rs has its story",
    ),
    ("orderId", "the merchant's own"),
    ("processorToken.token", "the processor's"),
    ("saveConnection.id", "each team has its own of this id"),
    (
        "sdkConfiguration.flowId",
        "chooses among the team's own; an unknown one changes nothing",
    ),
    ("saveFlow.id", "each team has its own of this id"),
    ("startIntent.customer.id", "the merchant's own"),
    (
        "submitDisputeEvidence.evidence.attachments",
        "must be of the dispute; disputes/respond/refused.rs has its story",
    ),
    ("trackingId", "the merchant's own"),
    ("transactionId", "the processor's"),
    ("updateCustomer.customer.id", "must be the argument `id`"),
    ("updateIntent.customer.id", "the merchant's own"),
];

/// Whether a leaf's name is that of an id.
fn looks_like_an_id(name: &str, ty: &str) -> bool {
    let ends = ["Id", "Reference", "Token"];
    ty == "ID"
        || (ty == "String"
            && (matches!(name, "id" | "token") || ends.iter().any(|end| name.ends_with(end))))
}

/// Makes a thing; its id, and one that nothing has.
fn made(shop: &Shop, thing: Thing) -> (String, &'static str) {
    let unknown = "0192a000-0000-7000-8000-000000000000";
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    match thing {
        Payment => (
            shop.authorise_later(cards::VISA).id(),
            "payments:0192a000-0000-7000-8000-000000000000",
        ),
        Customer => {
            let customer = shop.create_customer("Ada");
            shop.tokenise_for(&customer, cards::VISA);
            shop.order(&Order::customer(&customer));
            (customer, unknown)
        }
        Method => (shop.tokenise(cards::VISA), unknown),
        Intent => (text(&shop.start_intent(json!({}))["id"]), unknown),
        Flow => {
            shop.publish(
                "theirs",
                json!([{"authorise": {"connection": "simulator-a"}}]),
            );
            ("theirs".to_owned(), "nobodys")
        }
        Instance => {
            shop.publish(
                "approved",
                json!([{"approval": {"title": "?"}}, {"authorise": {"connection": "simulator-a"}}]),
            );
            let waiting = shop.order(&Order::card(cards::VISA).flow("approved"));
            (waiting.text("/flowInstanceId").to_owned(), unknown)
        }
        Connection => {
            shop.connection("their-own", json!({}));
            ("their-own".to_owned(), "nobodys")
        }
        Dispute => {
            let payment = shop.authorise(cards::DISPUTED).id();
            let read = "query($id: ID!) { getPayment(id: $id) { disputes { id } } }";
            let id = until(PATIENCE, "the dispute", || {
                let found = shop.gql(read, json!({ "id": payment }));
                let first = found.root()["disputes"][0]["id"].as_str();
                first.map(str::to_owned)
            });
            (id, unknown)
        }
        Endpoint => (endpoint_of(shop), unknown),
        Page => (page_of(shop), unknown),
        Link => {
            let create =
                "mutation { createPaymentLink(amount: 1000, currencyCode: \"EUR\") { id } }";
            (text(&shop.gql(create, json!({})).root()["id"]), unknown)
        }
        Event => (event_of(shop), "0192a000-0000-7000-8000-000000000000:1:0"),
        ClientToken => {
            let _made = shop.client(json!({}));
            let newest = shop.gql("{ listClientTokens { edges { node { id } } } }", json!({}));
            (text(&newest.root()["edges"][0]["node"]["id"]), unknown)
        }
        Attachment => {
            let payment = shop.authorise(cards::VISA);
            (shop.attach(&payment.id(), b"%PDF-1.7\n%%EOF"), unknown)
        }
    }
}

/// An endpoint that gets nothing: no address of its kind answers.
fn endpoint_of(shop: &Shop) -> String {
    let query = "mutation($url: String!) { saveWebhookEndpoint(url: $url, kinds: [\"endpoint.*\"]) { id } }";
    let url = format!("http://127.0.0.1:1/{}", Shop::fresh_key());
    shop.gql(query, json!({ "url": url })).root()["id"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// A guarded page with a script.
fn page_of(shop: &Shop) -> String {
    let url = format!("https://shop.example/{}", Shop::fresh_key());
    let save = "mutation($url: String!) { saveGuardedPage(name: \"Theirs\", url: $url) { id } }";
    let saved = shop.gql(save, json!({ "url": url }));
    let id = saved.root()["id"].as_str().unwrap().to_owned();
    let script = json!({"address": PAGE_SCRIPT, "purpose": "counts", "authorisedBy": "Ada"});
    let authorise = "mutation($id: ID!, $s: PageScriptInput!) { authorisePageScript(pageId: $id, script: $s) { id } }";
    shop.gql(authorise, json!({ "id": id, "s": script })).data();
    id
}

/// The script of such a page.
const PAGE_SCRIPT: &str = "https://cdn.example/a.js";

/// An event of the team.
fn event_of(shop: &Shop) -> String {
    shop.order(&Order::card(cards::VISA));
    until(PATIENCE, "an event", || {
        let events = shop.gql(
            "{ listEvents(first: 1) { edges { node { id } } } }",
            json!({}),
        );
        events.root()["edges"][0]["node"]["id"]
            .as_str()
            .map(str::to_owned)
    })
}

/// Everything of a team that the stories could change.
fn state(shop: &Shop) -> Value {
    let all = "{ listPayments(first: 100) { edges { node { id status refundedAmount capturedAmount } } } \
               listCustomers(first: 100) { edges { node { id name email } } } \
               listIntents(first: 100) { edges { node { id status amount { rawAmount } trackingId } } } \
               listFlows { id name version isDefault publishedVersion } listConnections { id name enabled } \
               listClientTokens(first: 100) { edges { node { id revoked } } } \
               listPaymentLinks(first: 100) { edges { node { id status } } } \
               listWebhookEndpoints { id url enabled } listGuardedPages { id name scripts { address } } }";
    shop.gql(all, json!({})).data().clone()
}

/// The other arguments that an operation needs, with the asker's own things.
fn arguments(operation: &str, path: &str, asker: &Shop) -> Value {
    let card = json!({"type": "CARD", "card": Shop::card(cards::VISA)});
    match operation {
        "attachPaymentMethod" if path == "token" => {
            json!({"customerId": asker.create_customer("Eve")})
        }
        "attachPaymentMethod" => json!({"token": asker.tokenise(cards::VISA)}),
        "attachSecurityCode" => json!({"cvc": "123"}),
        "authorizePayment" | "headlessAuthorizePayment" => {
            let mut input = json!({"amount": 1000, "currencyCode": "EUR"});
            if path.ends_with("connectionId") {
                input["paymentMethod"] =
                    json!({"type": "CARD", "processorToken": {"token": "simfld_x"}});
            } else if path.ends_with("token") || path.ends_with("customer.id") {
                input["paymentMethod"] = json!({"type": "CARD"});
            } else {
                input["paymentMethod"] = card;
            }
            if operation == "authorizePayment" {
                json!({"authorisePayment": input})
            } else {
                input["paymentProcessorConnectionId"] = json!("simulator-a");
                json!({"headlessAuthorisePayment": input})
            }
        }
        "createPaymentLink" => json!({"amount": 1000, "currencyCode": "EUR"}),
        "createAttachment" => json!({"name": "receipt.pdf", "type": "application/pdf"}),
        "completeIntent" if path == "paymentReference" => {
            json!({"id": asker.start_intent(json!({}))["id"]})
        }
        "decideApproval" => json!({"approve": true}),
        "generateClientToken" if path == "intentId" => json!({}),
        "headlessRequestPaymentProcessorToken" => json!({"tokenRequest": {
            "vaultToken": asker.tokenise(cards::VISA),
            "paymentProcessorConnectionId": "simulator-a", "currencyCode": "EUR"}}),
        "publishFlow" => json!({"version": 1}),
        "resendEvents" if path == "eventIds" => json!({"endpointId": endpoint_of(asker)}),
        "resendEvents" => json!({"eventIds": [event_of(asker)]}),
        "authorisePageScript" => {
            json!({"script": {"address": PAGE_SCRIPT, "purpose": "steals", "authorisedBy": "Eve"}})
        }
        "saveGuardedPage" => json!({"name": "Eve's", "url": "https://evil.example/"}),
        "withdrawPageScript" => json!({ "source": PAGE_SCRIPT }),
        "saveWebhookEndpoint" => json!({"url": "http://127.0.0.1:1/"}),
        "rotateConnection" => json!({"credentials": {"apiKey": "simulator-key"}}),
        "resolvePayment" => json!({"outcome": "CAPTURED", "evidence": "a letter"}),
        "submitDisputeEvidence" => {
            json!({"evidence": {"texts": [{"kind": "OTHER", "text": "a letter"}]}})
        }
        "startIntent" => json!({"trackingId": "t", "amount": {"amount": 1000, "currency": "EUR"}}),
        "tokeniseCard" | "tokenisePaymentMethod" if path.ends_with("connectionId") => {
            json!({"data": {"paymentMethod": {"processorToken": {"token": "simfld_x"}}}})
        }
        "tokeniseCard" | "tokenisePaymentMethod" => {
            json!({"data": {"paymentMethod": {"card": Shop::card(cards::VISA)}}})
        }
        "tryFlow" => json!({"facts": {}}),
        "updateCustomer" => json!({"customer": {"name": "Eve"}}),
        "updateIntent" => json!({"trackingId": "eve"}),
        _ => json!({}),
    }
}

struct Story<'a> {
    operation: &'a Operation<'a>,
    path: &'a str,
}

impl Story<'_> {
    fn ask(&self, asker: &Shop, owner: &Shop, id: &str) -> Answer {
        let mut given = arguments(self.operation.name, self.path, owner);
        let at: Vec<String> = self.path.split('.').map(str::to_owned).collect();
        put(&mut given, &at, json!(id));
        let selection = match self.operation.name {
            "listPayments" => "{ edges { node { id } } }",
            _ => "{ __typename }",
        };
        self.operation.ask_for(asker, &given, selection)
    }

    /// Whether the answer says that there is no such thing.
    fn finds_nothing(&self, answer: &Answer) -> bool {
        if self.operation.name == "listPayments" {
            return answer.root()["edges"] == json!([]);
        }
        if self.operation.name == "node" && answer.errors().is_empty() {
            return answer.json()["data"]["node"].is_null();
        }
        if self.operation.name == "revokeClientToken"
            || self.operation.name.contains("Webhook")
            || self.operation.name.contains("Page")
            || (self.operation.name.ends_with("PaymentLink") && self.path == "id")
            || self.path.starts_with("event")
            || self.path == "endpointId"
        {
            return answer.error_code() == Some("error.validation");
        }
        answer
            .error_code()
            .is_some_and(|code| code.ends_with(".not-found"))
    }
}

#[test]
fn what_another_team_has_is_not_there() {
    let files = ObjectStore::start();
    let server = Setup::new().with_bucket(&files).start();
    let (shop, other) = (server.shop(), server.other_team());
    let browser = other.client(json!({}));
    let schema = schema();
    let (mut wrong, mut reported) = (Vec::new(), BTreeSet::new());
    for operation in operations(&schema) {
        for (at, ty) in operation.leaves() {
            let path: Vec<&str> = at
                .iter()
                .map(String::as_str)
                .filter(|part| *part != "0")
                .collect();
            let path = path.join(".");
            let name = format!("{}.{path}", operation.name);
            let leaf = at.last().unwrap();
            if !looks_like_an_id(leaf, &ty) || NOT_NAMED.iter().any(|(end, _)| name.ends_with(end))
            {
                continue;
            }
            let known = NAMED
                .iter()
                .find(|(root, at, _)| *root == operation.name && *at == path);
            let Some((_, _, thing)) = known else {
                wrong.push(format!("{name} has no story"));
                continue;
            };
            reported.insert(name.clone());
            let story = Story {
                operation: &operation,
                path: &path,
            };
            let (id, unknown) = made(&shop, *thing);
            let before = state(&shop);
            let foreign = story.ask(&other, &other, &id);
            if !story.finds_nothing(&foreign) {
                wrong.push(format!("{name}, another team: {}", foreign.json()));
            }
            let nobodys = story.ask(&other, &other, unknown);
            if nobodys.json() != foreign.json() && operation.name != "listPayments" {
                wrong.push(format!(
                    "{name}: another team's {} and nobody's {} differ",
                    foreign.json(),
                    nobodys.json()
                ));
            }
            let of_browser = story.ask(&browser, &other, &id);
            let forbidden = of_browser.error_code() == Some("api.key.forbidden");
            if !forbidden && !story.finds_nothing(&of_browser) {
                wrong.push(format!("{name}, a browser: {}", of_browser.json()));
            }
            if state(&shop) != before {
                wrong.push(format!("{name} changed another team's things"));
            }
            // The story is played with the right argument: its owner finds the thing.
            let own = story.ask(&shop, &shop, &id);
            if story.finds_nothing(&own) {
                wrong.push(format!("{name}, its owner: {}", own.json()));
            }
        }
    }
    for (root, path, _) in NAMED {
        if !reported.contains(&format!("{root}.{path}")) {
            wrong.push(format!("{root}.{path} is not in the schema"));
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}
