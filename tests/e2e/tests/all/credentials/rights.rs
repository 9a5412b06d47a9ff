//! What each credential may do: every root field of the schema, tried by a key of each scope and by browsers' credentials.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use testkit::{KeyKind, Order, Server, Setup, Shop, cards, http::Request};

/// What a secret key of each scope may do besides `initializeSDK`.
const SCOPES: [(&str, &[&str]); 5] = [
    (
        "payments",
        &[
            "abandonPayment",
            "attachPaymentMethod",
            "authorizePayment",
            "cancelPayment",
            "capturePayment",
            "completeIntent",
            "createAttachment",
            "createCustomer",
            "createPaymentLink",
            "decideApproval",
            "deleteAttachment",
            "deletePaymentMethod",
            "endPaymentLink",
            "generateClientToken",
            "headlessAuthorizePayment",
            "headlessRequestPaymentProcessorToken",
            "optimise",
            "resolvePayment",
            "setupWallet",
            "startIntent",
            "submitDisputeEvidence",
            "updateCustomer",
            "updateDefaultPaymentMethod",
            "updateIntent",
        ],
    ),
    ("refunds", &["acceptDispute", "refundPayment"]),
    (
        "read",
        &[
            "disputeEvidence",
            "exportFlow",
            "getCustomer",
            "getDispute",
            "getFlow",
            "getIntent",
            "getPayment",
            "getPaymentLink",
            "getPaymentMethod",
            "getPaymentMethods",
            "getTeam",
            "listAttachments",
            "listClientTokens",
            "listConnections",
            "listCustomerCards",
            "listCustomers",
            "listDisputes",
            "listEvents",
            "listFlows",
            "listGuardedPages",
            "listIntents",
            "listNotifications",
            "listPageViolations",
            "listPaymentLinks",
            "listPayments",
            "listProcessors",
            "listWebhookDeliveries",
            "listWebhookEndpoints",
            "node",
            "sdkConfiguration",
            "tryFlow",
        ],
    ),
    (
        "tokenise",
        &[
            "attachSecurityCode",
            "cardBrands",
            "tokeniseCard",
            "tokenisePaymentMethod",
        ],
    ),
    (
        "manage",
        &[
            "authorisePageScript",
            "deleteConnection",
            "deleteCustomer",
            "deleteFlow",
            "deleteGuardedPage",
            "deleteWebhookEndpoint",
            "disableConnection",
            "enableConnection",
            "publishFlow",
            "registerNotifications",
            "resendEvents",
            "revokeClientToken",
            "rotateConnection",
            "rotateWebhookSecret",
            "saveConnection",
            "saveFlow",
            "saveGuardedPage",
            "saveWallet",
            "saveWebhookEndpoint",
            "sendTestEvent",
            "setDefaultFlow",
            "testConnection",
            "updateTeam",
            "withdrawPageScript",
        ],
    ),
];

/// What a public key may do.
const PUBLIC: [&str; 8] = [
    "completeIntent",
    "getIntent",
    "initializeSDK",
    "node",
    "optimise",
    "sdkConfiguration",
    "startIntent",
    "updateIntent",
];

/// What a client token may do besides that.
const CLIENT: [&str; 11] = [
    "abandonPayment",
    "attachSecurityCode",
    "authorizePayment",
    "cardBrands",
    "createCustomer",
    "getPayment",
    "getPaymentMethods",
    "listCustomerCards",
    "setupWallet",
    "tokeniseCard",
    "tokenisePaymentMethod",
];

/// A document for each root field, with the least arguments that the schema takes.
struct Documents {
    types: BTreeMap<String, Value>,
    of_field: BTreeMap<String, String>,
}

impl Documents {
    fn of(shop: &Shop) -> Self {
        const TYPE: &str =
            "kind name ofType { kind name ofType { kind name ofType { kind name } } }";
        let query = format!(
            "{{ __schema {{ types {{ kind name enumValues {{ name }} inputFields {{ name type {{ {TYPE} }} }} \
             fields {{ name type {{ {TYPE} }} args {{ name type {{ {TYPE} }} }} }} }} }} }}"
        );
        let answer = shop.gql(&query, json!({}));
        let types = answer.root()["types"].as_array().unwrap().iter();
        let types = types.map(|one| (text(&one["name"]).to_owned(), one.clone()));
        let mut documents = Self {
            types: types.collect(),
            of_field: BTreeMap::new(),
        };
        for (root, word) in [("Query", "query"), ("Mutation", "mutation")] {
            for field in documents.types[root]["fields"].as_array().unwrap().clone() {
                let (name, arguments) = (text(&field["name"]), documents.given(&field["args"]));
                let arguments = match arguments.as_str() {
                    "" => String::new(),
                    given => format!("({given})"),
                };
                let selected = Self::selected(&field["type"]);
                let document = format!("{word} {{ {name}{arguments}{selected} }}");
                documents.of_field.insert(name.to_owned(), document);
            }
        }
        documents
    }

    /// The arguments, or fields of an input object, that must be given.
    fn given(&self, fields: &Value) -> String {
        let needed = fields.as_array().unwrap().iter();
        let needed = needed.filter(|field| field["type"]["kind"] == "NON_NULL");
        let each = needed.map(|field| {
            let value = self.value(&field["type"]["ofType"]);
            format!("{}: {value}", text(&field["name"]))
        });
        each.collect::<Vec<_>>().join(", ")
    }

    fn value(&self, of_type: &Value) -> String {
        let name = of_type["name"].as_str().unwrap_or_default();
        match text(&of_type["kind"]) {
            "NON_NULL" => self.value(&of_type["ofType"]),
            "LIST" => "[]".to_owned(),
            "ENUM" => text(&self.types[name]["enumValues"][0]["name"]).to_owned(),
            "INPUT_OBJECT" => format!("{{{}}}", self.given(&self.types[name]["inputFields"])),
            _ => match name {
                "Int" | "Long" | "Float" => "1".to_owned(),
                "Boolean" => "true".to_owned(),
                _ => "\"x\"".to_owned(),
            },
        }
    }

    fn selected(of_type: &Value) -> &'static str {
        match text(&of_type["kind"]) {
            "NON_NULL" | "LIST" => Self::selected(&of_type["ofType"]),
            "SCALAR" | "ENUM" => "",
            _ => " { __typename }",
        }
    }

    /// Tries each root field; what is refused is exactly what is not in `may`. Returns how the refusals sounded.
    fn try_each(&self, shop: &Shop, may: &BTreeSet<&str>) -> BTreeMap<&str, String> {
        let mut refused = BTreeMap::new();
        for (name, document) in &self.of_field {
            let answer = shop.gql(document, json!({}));
            let code = answer.error_code();
            assert_ne!(code, Some("error.graphql.validation"), "{document}");
            let is_forbidden = code == Some("api.key.forbidden");
            assert_eq!(
                is_forbidden,
                !may.contains(name.as_str()),
                "{document}: {code:?}"
            );
            if is_forbidden {
                refused.insert(name.as_str(), answer.message().to_owned());
            }
        }
        refused
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// A shop with a secret key of these scopes.
fn restricted(server: &Server, scopes: &str) -> Shop {
    let printed = server.run(&["key", "create", "--kind", "secret", "--scope", scopes]);
    server.shop_with(printed.lines().last().unwrap())
}

#[test]
fn every_root_field_needs_its_scope_and_no_other() {
    let server = Setup::new().start();
    let documents = Documents::of(&server.shop());
    let mut all: BTreeSet<&str> = BTreeSet::from(["initializeSDK"]);
    for (_, names) in SCOPES {
        for name in names {
            assert!(all.insert(name), "{name} is there twice");
        }
    }
    let fields: BTreeSet<&str> = documents.of_field.keys().map(String::as_str).collect();
    assert_eq!(fields, all, "each root field has a scope");
    for (scope, names) in SCOPES {
        let mut may: BTreeSet<&str> = names.iter().copied().collect();
        may.insert("initializeSDK");
        for (name, message) in documents.try_each(&restricted(&server, scope), &may) {
            let needed = SCOPES.iter().find(|(_, names)| names.contains(&name));
            let (needed, _) = needed.unwrap();
            assert!(
                message.contains(&format!("`{needed}`")),
                "{name}: {message}"
            );
        }
    }
    documents.try_each(&server.shop(), &all);
}

#[test]
fn every_root_field_is_refused_to_browsers_unless_it_is_theirs() {
    let server = Setup::new().start();
    let documents = Documents::of(&server.shop());
    let public = server.shop_with(&server.create_key(KeyKind::Public));
    documents.try_each(&public, &PUBLIC.into_iter().collect());
    let made = server.shop().gql(
        "mutation { generateClientToken(amount: 1000, currency: \"EUR\") { token } }",
        json!({}),
    );
    let client = server.shop_with(text(&made.root()["token"]));
    let may = PUBLIC.into_iter().chain(CLIENT).collect();
    documents.try_each(&client, &may);
}

#[test]
fn a_key_without_tokenise_takes_no_card_number_anywhere() {
    let server = Setup::new().start();
    let token = server.shop().tokenise(cards::VISA);
    let shop = restricted(&server, "payments,read,refunds,manage");
    let card = json!({"number": cards::VISA, "expMonth": 1, "expYear": 2033});
    let refused = [
        shop.try_authorise(&Order::card(cards::VISA), None),
        shop.try_authorise(&Order::card(cards::VISA), Some("k")),
        shop.try_authorise(&Order::card(cards::VISA).amount(-1), Some("k")),
        shop.try_tokenise(json!({"paymentMethod": {"card": card}}), None),
        shop.try_create_customer(json!({"customer": {"name": "Ada"}, "card": card}), None),
    ];
    for answer in refused {
        answer.assert_error("api.key.forbidden");
        assert!(
            answer.message().contains("`tokenise`"),
            "{}",
            answer.message()
        );
    }
    assert!(shop.books().entries.is_empty());
    assert!(shop.every_payment().is_empty());
    let paid = shop.order(&Order::token(&token));
    paid.assert_status("SUCCEEDED");
    shop.refund(&paid.id(), 1);
    // A checkout that it opens still takes the customer's card in the browser.
    let made = shop.gql(
        "mutation { generateClientToken(amount: 1000, currency: \"EUR\") { token } }",
        json!({}),
    );
    let browser = server.shop_with(text(&made.root()["token"]));
    browser.authorise(cards::VISA).assert_status("SUCCEEDED");
}

#[test]
fn other_addresses_need_scopes_too() {
    let server = Setup::new().start();
    let (read, payments) = (restricted(&server, "read"), restricted(&server, "payments"));
    let books = |shop: &Shop| shop.get("/sandbox/books").status;
    assert_eq!((books(&read), books(&payments)), (200, 403));
    let webhook = |shop: &Shop| {
        let sent = Request::new("POST", "/api/webhooks/nobody-waits")
            .header("Authorization", format!("Bearer {}", shop.credential()))
            .header("Content-Type", "application/json")
            .body("{}");
        sent.send(shop.address()).status
    };
    assert_eq!((webhook(&read), webhook(&payments)), (403, 202));
}

#[test]
fn scopes_are_listed_kept_by_a_rotation_and_for_secret_keys_alone() {
    let server = Setup::new().start();
    let printed = server.run(&[
        "key",
        "create",
        "--kind",
        "secret",
        "--scope",
        "read,refunds",
    ]);
    let id = printed.split(' ').nth(1).unwrap().to_owned();
    assert!(
        server
            .run(&["key", "list"])
            .contains("secret(refunds,read)")
    );
    let printed = server.run(&["key", "rotate", &id]);
    let shop = server.shop_with(printed.lines().last().unwrap());
    shop.every_payment();
    shop.try_cancel("x").assert_error("api.key.forbidden");
    for (arguments, why) in [
        (
            ["secret", "everything"],
            "payments, refunds, read, tokenise, manage",
        ),
        (["public", "read"], "only secret keys"),
    ] {
        let [kind, scope] = arguments;
        let output = server.command(&["key", "create", "--kind", kind, "--scope", scope]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains(why), "{said}");
    }
}

#[test]
fn a_browser_finds_no_customer_by_its_identifier() {
    let server = Setup::new().start();
    let made = server
        .shop()
        .try_create_customer(json!({"customer": {"name": "Ada"}}), None);
    let id = text(made.root()).to_owned();
    let node = |shop: &Shop| {
        let found = shop.gql(
            "query($id: ID!) { node(id: $id) { __typename } }",
            json!({"id": id}),
        );
        found.root().clone()
    };
    assert_eq!(node(&server.shop())["__typename"], "Customer");
    let public = server.shop_with(&server.create_key(KeyKind::Public));
    assert_eq!(node(&public), Value::Null);
}
