//! Every operation of which the table of rights says that it leaves an entry leaves exactly one, and nothing that is refused does.

use std::{collections::BTreeSet, fs};

use serde_json::{Value, json};
use testkit::{KeyKind, ObjectStore, PATIENCE, Processor, Server, Setup, Shop, cards, until};

use super::{
    connected::{acts_on_connections, connected},
    list, of_act,
};

/// An operation of the API, and the entry that it leaves.
pub(super) struct Tried {
    operation: &'static str,
    query: &'static str,
    variables: Value,
    act: &'static str,
    subject: String,
}

pub(super) fn act(
    operation: &'static str,
    query: &'static str,
    variables: Value,
    act: &'static str,
    subject: &str,
) -> Tried {
    Tried {
        operation,
        query,
        variables,
        act,
        subject: subject.to_owned(),
    }
}

/// What there is to do something to.
struct Things {
    customer: String,
    method: String,
    payment: String,
    client_token: String,
    attachment: String,
    endpoint: String,
    page: String,
    dispute: String,
    link: String,
}

impl Things {
    fn of(shop: &Shop) -> Self {
        let steps = json!([{"authorise": {"connection": "simulator-a"}}, {"capture": "now"}]);
        shop.publish("doomed", steps);
        let customer = shop.create_customer("Ada");
        let payment = shop.authorise(cards::UNKNOWN_NOT_CHARGED);
        payment.assert_status("NO_ANSWER_FROM_PSP");
        let token = shop.gql("mutation { generateClientToken { id } }", json!({}));
        let endpoint = "mutation { saveWebhookEndpoint(url: \"http://127.0.0.1:1/\", kinds: [\"endpoint.*\"]) { id } }";
        let endpoint = shop.gql(endpoint, json!({}));
        let link = "mutation { createPaymentLink(amount: 1000, currencyCode: \"EUR\") { id } }";
        let link = shop.gql(link, json!({}));
        Self {
            link: link.root()["id"].as_str().unwrap().to_owned(),
            dispute: disputed(shop),
            page: shop
                .gql("mutation { saveGuardedPage(name: \"A\", url: \"https://shop.example/\") { id } }", json!({}))
                .root()["id"].as_str().unwrap().to_owned(),
            endpoint: endpoint.root()["id"].as_str().unwrap().to_owned(),
            method: shop.tokenise_for(&customer, cards::VISA),
            customer,
            attachment: shop.attach(&payment.id(), b"%PDF-1.7\n%%EOF"),
            payment: payment.id(),
            client_token: token.root()["id"].as_str().unwrap().to_owned(),
        }
    }
}

/// A dispute that waits for a response.
fn disputed(shop: &Shop) -> String {
    let payment = shop.authorise(cards::DISPUTED).id();
    let read = "query($id: ID!) { getPayment(id: $id) { disputes { id } } }";
    until(PATIENCE, "the dispute", || {
        let found = shop.gql(read, json!({ "id": payment }));
        let first = found.root()["disputes"][0]["id"].as_str();
        first.map(str::to_owned)
    })
}

/// One of each, in an order in which all succeed.
fn acts(things: &Things) -> Vec<Tried> {
    let mut acts = acts_on_connections();
    acts.extend(acts_on_flows());
    acts.extend(acts_on_the_team());
    acts.extend(acts_on(things));
    acts.extend(acts_on_webhooks(&things.endpoint));
    acts.extend(acts_on_pages(&things.page));
    acts.extend(acts_on_links(&things.link));
    acts
}

pub(super) fn id(id: &str) -> Value {
    json!({ "id": id })
}

fn acts_on_pages(page: &str) -> Vec<Tried> {
    vec![
        act(
            "saveGuardedPage",
            "mutation($id: ID!) { saveGuardedPage(id: $id, name: \"B\", url: \"https://shop.example/b\") { id } }",
            id(page),
            "page.saved",
            page,
        ),
        act(
            "authorisePageScript",
            "mutation($id: ID!) { authorisePageScript(pageId: $id, script: {address: \"https://cdn.example/a.js\", \
             purpose: \"counts\", authorisedBy: \"Ada\"}) { id } }",
            id(page),
            "page_script.authorised",
            page,
        ),
        act(
            "withdrawPageScript",
            "mutation($id: ID!) { withdrawPageScript(pageId: $id, source: \"https://cdn.example/a.js\") { id } }",
            id(page),
            "page_script.withdrawn",
            page,
        ),
        act(
            "deleteGuardedPage",
            "mutation($id: ID!) { deleteGuardedPage(id: $id) }",
            id(page),
            "page.deleted",
            page,
        ),
    ]
}

fn acts_on_webhooks(endpoint: &str) -> Vec<Tried> {
    vec![
        act(
            "saveWebhookEndpoint",
            "mutation($id: ID!) { saveWebhookEndpoint(id: $id, url: \"http://127.0.0.1:2/\") { id } }",
            id(endpoint),
            "webhook_endpoint.saved",
            endpoint,
        ),
        act(
            "rotateWebhookSecret",
            "mutation($id: ID!) { rotateWebhookSecret(id: $id) { id } }",
            id(endpoint),
            "webhook_secret.rotated",
            endpoint,
        ),
        act(
            "deleteWebhookEndpoint",
            "mutation($id: ID!) { deleteWebhookEndpoint(id: $id) }",
            id(endpoint),
            "webhook_endpoint.deleted",
            endpoint,
        ),
    ]
}

fn acts_on_links(link: &str) -> Vec<Tried> {
    vec![
        act(
            "createPaymentLink",
            "mutation { createPaymentLink(amount: 700, currencyCode: \"EUR\") { id } }",
            json!({}),
            "payment_link.created",
            "",
        ),
        act(
            "endPaymentLink",
            "mutation($id: ID!) { endPaymentLink(id: $id) }",
            id(link),
            "payment_link.ended",
            link,
        ),
    ]
}

fn acts_on_flows() -> Vec<Tried> {
    let document = json!({"name": "Audited", "trigger": "payment", "steps": [
        {"authorise": {"connection": "simulator-a"}}, {"capture": "now"}]});
    vec![
        act(
            "saveFlow",
            "mutation($document: JSON!) { saveFlow(id: \"audited\", document: $document) { version } }",
            json!({ "document": document }),
            "flow.saved",
            "audited",
        ),
        act(
            "publishFlow",
            "mutation($id: ID!) { publishFlow(id: $id, version: 1) { id } }",
            id("audited"),
            "flow.published",
            "audited",
        ),
        act(
            "setDefaultFlow",
            "mutation($id: ID!) { setDefaultFlow(id: $id) }",
            id("audited"),
            "flow.default_set",
            "audited",
        ),
        act(
            "deleteFlow",
            "mutation($id: ID!) { deleteFlow(id: $id) }",
            id("doomed"),
            "flow.deleted",
            "doomed",
        ),
    ]
}

fn acts_on_the_team() -> Vec<Tried> {
    vec![
        act(
            "saveWallet",
            "mutation { saveWallet(walletType: \"APPLE_PAY\", settings: {merchant_identifier: \"m\"}) }",
            json!({}),
            "wallet.saved",
            "WALLETB_PAY",
        ),
        act(
            "updateTeam",
            "mutation { updateTeam(settings: {logo: \"https://shop.example/logo.png\"}) { id } }",
            json!({}),
            "team.changed",
            "",
        ),
        act(
            "generateClientToken",
            "mutation { generateClientToken { id } }",
            json!({}),
            "client_token.created",
            "",
        ),
    ]
}

fn acts_on(things: &Things) -> Vec<Tried> {
    vec![
        act(
            "revokeClientToken",
            "mutation($id: ID!) { revokeClientToken(id: $id) }",
            id(&things.client_token),
            "client_token.revoked",
            &things.client_token,
        ),
        act(
            "resolvePayment",
            "mutation($id: ID!) { resolvePayment(id: $id, outcome: NOT_CHARGED, evidence: \"a letter\") { id } }",
            id(&things.payment),
            "payment.resolved",
            &things.payment,
        ),
        act(
            "createAttachment",
            "mutation($id: ID!) { createAttachment(paymentId: $id, name: \"a.pdf\", type: \"application/pdf\") { id } }",
            id(&things.payment),
            "attachment.requested",
            "",
        ),
        act(
            "deleteAttachment",
            "mutation($id: ID!) { deleteAttachment(id: $id) }",
            id(&things.attachment),
            "attachment.deleted",
            &things.attachment,
        ),
        act(
            "submitDisputeEvidence",
            "mutation($id: ID!) { submitDisputeEvidence(id: $id, evidence: {texts: [{kind: OTHER, text: \"a letter\"}]}) { id } }",
            id(&things.dispute),
            "dispute.responded",
            &things.dispute,
        ),
        act(
            "acceptDispute",
            "mutation($id: ID!) { acceptDispute(id: $id) { id } }",
            id(&things.dispute),
            "dispute.accepted",
            &things.dispute,
        ),
        act(
            "deletePaymentMethod",
            "mutation($token: String!) { deletePaymentMethod(token: $token) }",
            json!({ "token": things.method }),
            "payment_method.deleted",
            &things.method,
        ),
        act(
            "deleteCustomer",
            "mutation($id: ID!) { deleteCustomer(id: $id) }",
            id(&things.customer),
            "customer.deleted",
            &things.customer,
        ),
    ]
}

/// The operations of which the table of rights says that they leave an entry.
fn in_the_table() -> BTreeSet<String> {
    let table = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../crates/domain/src/rights/table.rs"
    );
    let table = fs::read_to_string(table).unwrap();
    let rows = table.split_once("pub const OPERATIONS").unwrap().1;
    rows.split("row(")
        .filter(|row| row.contains("Done(Act::"))
        .map(|row| row.split('"').nth(1).unwrap().to_owned())
        .collect()
}

fn without_look_ups(setup: Setup) -> Server {
    setup.config("[recovery]\nschedule = [\"1h\"]\n").start()
}

#[test]
fn each_operation_that_is_to_be_recorded_leaves_one_entry() {
    let files = ObjectStore::start();
    let stripe = Processor::start("stripe", &[]);
    let setup = Setup::new().with_bucket(&files);
    let setup = setup.setting("server.public_url", "https://pay.shop.example");
    let server = without_look_ups(setup);
    let shop = server.shop();
    connected(&shop, &stripe);
    let acts = acts(&Things::of(&shop));
    let tried: BTreeSet<String> = acts.iter().map(|act| act.operation.to_owned()).collect();
    assert_eq!(tried, in_the_table());
    let other = server.other_team();
    for act in acts {
        let before = of_act(&server, act.act).len();
        // Another team's attempt changes nothing, and is not recorded as if it had.
        if !act.subject.is_empty() && !act.operation.starts_with("save") {
            other
                .gql(act.query, act.variables.clone())
                .root_of_failure();
            assert_eq!(of_act(&server, act.act).len(), before, "{}", act.operation);
        }
        let answer = shop.gql(act.query, act.variables.clone());
        assert!(
            answer.errors().is_empty(),
            "{}: {:?}",
            act.operation,
            answer.errors()
        );
        let found = of_act(&server, act.act);
        assert_eq!(found.len(), before + 1, "{}: {found:?}", act.operation);
        let what = &found.last().unwrap()["what"];
        assert_eq!(
            (&what["actor"], &what["outcome"]),
            (&json!("secret"), &json!("done"))
        );
        assert_eq!(what["address"], "127.0.0.1", "{what}");
        assert!(
            what["request_id"]
                .as_str()
                .is_some_and(|id| id.starts_with("req-"))
        );
        assert!(what["actor_id"].is_string());
        if !act.subject.is_empty() {
            assert_eq!(what["subject_id"], json!(act.subject), "{}", act.operation);
        }
    }
    server.run(&["audit", "verify"]);
}

#[test]
fn a_team_s_trail_holds_no_entry_of_another_team() {
    let server = Setup::new().start();
    let other = server.other_team();
    server.shop().connection("mine", json!({}));
    other.connection("theirs", json!({}));
    let subjects = |team: &str| -> Vec<String> {
        list(&server, &["--team", team, "--act", "connection.saved"])
            .iter()
            .map(|entry| entry["what"]["subject_id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(subjects("The other shop"), ["theirs"]);
    let teams = server.run(&["team", "list"]);
    let id = |name: &str| {
        let line = teams.lines().find(|line| line.contains(name)).unwrap();
        let mut words = line.split_whitespace();
        words.find(|word| word.len() == 36).unwrap().to_owned()
    };
    let first = teams
        .lines()
        .find(|line| !line.contains("The other shop") && line.contains('-'));
    let first = first
        .unwrap()
        .split_whitespace()
        .find(|word| word.len() == 36)
        .unwrap();
    assert_eq!(subjects(first), ["mine"]);
    assert_eq!(subjects(&id("The other shop")), ["theirs"]);
}

#[test]
fn what_the_people_do_who_run_the_service_is_recorded_too() {
    let server = Setup::new().start();
    server.other_team();
    server.create_key(KeyKind::Public);
    let keys = of_act(&server, "key.created");
    assert_eq!(keys.len(), 3, "the first one too: {keys:?}");
    let what = &keys.last().unwrap()["what"];
    let kinds: BTreeSet<&str> = keys
        .iter()
        .map(|entry| entry["what"]["actor"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, BTreeSet::from(["operator", "system"]), "{what}");
    let id = keys
        .iter()
        .find(|entry| {
            entry["what"]["details"]
                .as_str()
                .unwrap()
                .contains("public")
        })
        .unwrap()["what"]["subject_id"]
        .as_str()
        .unwrap()
        .to_owned();
    server.run(&["key", "rotate", &id, "--old-ends", "now"]);
    server.run(&["key", "revoke", &id]);
    server.run(&["team", "close", "The other shop"]);
    server.run(&["team", "reopen", "The other shop"]);
    server.run(&["vault", "rotate"]);
    for act in [
        "key.rotated",
        "key.revoked",
        "team.closed",
        "team.reopened",
        "vault.rotation_begun",
        "vault.rotated",
    ] {
        let found = of_act(&server, act);
        assert_eq!(found.len(), 1, "{act}: {found:?}");
        assert_eq!(found[0]["what"]["actor"], "operator");
    }
    let read = of_act(&server, "audit.read");
    assert!(read.len() > 5, "each reading of the trail is in it");
    server.run(&["audit", "verify"]);
}
