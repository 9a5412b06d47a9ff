//! The verbs of those who decide where payments go: connections, flows, and payments without a flow.

use serde_json::{Value, json};

use crate::http::Request;
use crate::{Answer, Order, PAYMENT_FIELDS, Payment, Shop};

impl Shop {
    /// Makes or changes a connection to the simulator, with settings such as `{"fault": "down"}`; switches it on. The
    /// simulator is not asked about the account: a slow one takes its time.
    #[track_caller]
    pub fn connection(&self, id: &str, settings: Value) {
        let query = "mutation($id: ID, $settings: JSON!) { \
            saveConnection(id: $id, processor: \"simulator\", name: \"A connection\", settings: $settings, skipProbe: true) { id } }";
        self.gql(query, json!({"id": id, "settings": settings}))
            .root();
    }

    /// Switches a connection off.
    #[track_caller]
    pub fn disable_connection(&self, id: &str) {
        self.gql(
            "mutation($id: ID!) { disableConnection(id: $id) }",
            json!({"id": id}),
        )
        .root();
    }

    /// Saves a flow's next version with these steps, and publishes it.
    #[track_caller]
    pub fn publish(&self, id: &str, steps: Value) {
        let document = json!({"name": id, "trigger": "payment", "steps": steps});
        let saved = self.gql(
            "mutation($id: ID, $document: JSON!) { saveFlow(id: $id, document: $document) { version } }",
            json!({"id": id, "document": document}),
        );
        self.gql(
            "mutation($id: ID!, $version: Int!) { publishFlow(id: $id, version: $version) { id } }",
            json!({"id": id, "version": saved.root()["version"]}),
        )
        .root();
    }

    /// The request of headlessAuthorizePayment; the order names the connection.
    pub fn headless_request(&self, order: &Order, key: Option<&str>) -> Request {
        let query = format!(
            "mutation($order: HeadlessAuthorisedPaymentInput!) {{ \
             headlessAuthorizePayment(headlessAuthorisePayment: $order) {{ {PAYMENT_FIELDS} }} }}"
        );
        self.request(&query, json!({"order": order.json()}), key)
    }

    /// Asks for a payment at a connection without a flow; whatever comes.
    #[track_caller]
    pub fn try_headless(&self, order: &Order, key: Option<&str>) -> Answer {
        Answer::of(self.headless_request(order, key).send(self.address()))
    }
}

impl Order {
    /// Names the connection: no flow.
    #[must_use]
    pub fn at(self, connection: &str) -> Self {
        self.with("paymentProcessorConnectionId", json!(connection))
    }
}

impl Payment {
    /// The lines of its timeline, `title: message`, in order.
    #[track_caller]
    pub fn lines(&self) -> Vec<String> {
        let lines = self
            .at("/paymentTimeline/overview")
            .as_array()
            .expect("a timeline");
        let text = |line: &Value, name: &str| line[name].as_str().unwrap_or_default().to_owned();
        lines
            .iter()
            .map(|line| format!("{}: {}", text(line, "title"), text(line, "message")))
            .collect()
    }

    /// Whether a line of its timeline holds these words.
    #[track_caller]
    pub fn says(&self, words: &str) -> bool {
        self.lines().iter().any(|line| line.contains(words))
    }

    /// Fails the test when no line of its timeline holds these words.
    #[track_caller]
    pub fn assert_says(&self, words: &str) -> &Self {
        assert!(
            self.says(words),
            "nothing about {words:?}: {:#?}",
            self.lines()
        );
        self
    }
}
