//! Flows: versions, publishing, the default, trials.

use std::time::Duration;

use domain::{
    Code, Fault,
    caller::{Caller, Mode},
    id::{ConnectionId, FlowId},
};
use engine::{FlowFormat, FlowView, SaveConnection, SaveFlow, WrittenFlow};
use serde_json::{Value, json};

use crate::{
    connections::connection,
    shop::{Shop, beginnings},
};

const PLAIN: &str = "name: Plain one\ntrigger: payment\nsteps:\n- authorise:\n    connection: approves-a\n- capture: api\n";
const AFTERWARDS: &str =
    "name: Afterwards\ntrigger:\n  outcome: [declined]\nsteps:\n- note: it was declined\n";

fn flow(id: &str) -> FlowId {
    FlowId::parse(id).unwrap()
}

fn save(shop: &Shop, id: Option<&str>, text: &str) -> Result<FlowView, Fault> {
    let command = SaveFlow {
        id: id.map(flow),
        document: WrittenFlow::Text(text.to_owned()),
    };
    shop.run(shop.engine.save_flow(&shop.server, command))
}

pub(crate) fn published(shop: &Shop, id: &str, text: &str) -> FlowView {
    let saved = save(shop, Some(id), text).unwrap();
    shop.run(
        shop.engine
            .publish_flow(&shop.server, &saved.id, saved.version),
    )
    .unwrap()
}

fn listed(shop: &Shop, caller: &Caller) -> Vec<(String, u32, bool, bool)> {
    let flows = shop.run(shop.engine.list_flows(caller)).unwrap();
    let row = |flow: FlowView| {
        (
            flow.id.as_str().to_owned(),
            flow.version,
            flow.is_published,
            flow.is_default,
        )
    };
    flows.into_iter().map(row).collect()
}

/// A secret key of another team that has the same connection and flow.
fn stranger(shop: &Shop) -> Caller {
    let team = shop
        .run(shop.engine.create_team_with(&beginnings(None)))
        .unwrap();
    Caller::operator(team, Mode::Test)
}

#[test]
fn a_save_is_a_draft_a_repetition_is_none_and_ids_are_made_of_names() {
    let shop = Shop::open(1);
    let first = save(&shop, None, PLAIN).unwrap();
    assert_eq!(
        (first.id.as_str(), first.version, first.is_published),
        ("plain-one", 1, false)
    );
    assert_eq!(save(&shop, None, PLAIN).unwrap().id.as_str(), "plain-one-2");
    assert_eq!(
        save(&shop, Some("plain-one"), PLAIN).unwrap().version,
        1,
        "it says the same"
    );
    let second = save(&shop, Some("plain-one"), &PLAIN.replace("api", "now")).unwrap();
    assert_eq!(
        (
            second.version,
            second.latest_version,
            second.published_version
        ),
        (2, 2, None)
    );
    assert_eq!(
        save(&shop, Some("mine"), PLAIN).unwrap().id.as_str(),
        "mine",
        "an unknown id becomes the flow's"
    );
    let ids: Vec<String> = listed(&shop, &shop.server)
        .into_iter()
        .map(|row| row.0)
        .collect();
    assert_eq!(ids, ["default", "mine", "plain-one", "plain-one-2"]);
}

#[test]
fn saves_at_the_same_moment_are_versions_one_after_the_other() {
    let shop = Shop::open(2);
    let save = |n: u64| {
        let (engine, server) = (shop.engine.clone(), shop.server.clone());
        let document = WrittenFlow::Text(PLAIN.replace("Plain one", &format!("Plain {n}")));
        Box::pin(async move {
            let command = SaveFlow {
                id: Some(flow("raced")),
                document,
            };
            engine.save_flow(&server, command).await.unwrap().version
        }) as futures_util::future::BoxFuture<'static, u32>
    };
    let mut versions = shop.at_once((0..8).map(save).collect());
    versions.sort_unstable();
    assert_eq!(versions, (1..=8).collect::<Vec<u32>>());
}

#[test]
fn bad_documents_are_refused_with_the_place() {
    let shop = Shop::open(3);
    let reason = |text: &str| {
        let fault = save(&shop, Some("bad"), text).unwrap_err();
        assert_eq!(
            (fault.code, fault.field.as_deref()),
            (Code::Validation, Some("document"))
        );
        fault.reason.unwrap()
    };
    let foreign = reason(&PLAIN.replace("approves-a", "elsewhere"));
    assert!(
        foreign.contains("connection") && foreign.contains("approves-a"),
        "{foreign}"
    );
    let step = reason(&PLAIN.replace("capture: api", "captur: api"));
    assert!(step.contains("steps[1]"), "{step}");
    let condition = PLAIN.replace(
        "- capture: api",
        "- if: payment.curency == \"EUR\"\n  then: [{capture: api}]",
    );
    assert!(
        reason(&condition).contains("steps[1].if"),
        "{}",
        reason(&condition)
    );
    assert!(!reason("").is_empty());
    assert_eq!(
        listed(&shop, &shop.server).len(),
        1,
        "nothing of it was kept"
    );
}

#[test]
fn publishing_changes_what_is_current_and_an_earlier_version_may_come_back() {
    let shop = Shop::open(4);
    published(&shop, "mine", PLAIN);
    let second = save(&shop, Some("mine"), &PLAIN.replace("api", "now")).unwrap();
    assert_eq!(
        (second.published_version, second.is_published),
        (Some(1), false)
    );
    let publish = |version| {
        shop.run(
            shop.engine
                .publish_flow(&shop.server, &flow("mine"), version),
        )
    };
    assert_eq!(publish(2).unwrap().published_version, Some(2));
    assert_eq!(publish(1).unwrap().published_version, Some(1));
    assert_eq!(publish(3).unwrap_err().code, Code::FlowNotFound);
    let read = |version| {
        shop.run(shop.engine.get_flow(&shop.server, &flow("mine"), version))
            .unwrap()
    };
    assert_eq!((read(None).version, read(Some(1)).is_published), (2, true));
}

#[test]
fn the_default_is_one_flow_that_is_published_and_for_payments() {
    let shop = Shop::open(5);
    let make_default = |id| shop.run(shop.engine.set_default_flow(&shop.server, &flow(id)));
    save(&shop, Some("draft"), PLAIN).unwrap();
    assert_eq!(
        make_default("draft").unwrap_err().field.as_deref(),
        Some("id")
    );
    published(&shop, "afterwards", AFTERWARDS);
    assert_eq!(
        make_default("afterwards").unwrap_err().field.as_deref(),
        Some("id")
    );
    assert_eq!(
        make_default("nowhere").unwrap_err().code,
        Code::FlowNotFound
    );
    published(&shop, "mine", PLAIN);
    make_default("mine").unwrap();
    make_default("mine").unwrap();
    let defaults: Vec<String> = listed(&shop, &shop.server)
        .into_iter()
        .filter_map(|row| row.3.then_some(row.0))
        .collect();
    assert_eq!(defaults, ["mine"]);
    let other = save(&shop, Some("mine"), AFTERWARDS).unwrap();
    let refused = shop
        .run(
            shop.engine
                .publish_flow(&shop.server, &other.id, other.version),
        )
        .unwrap_err();
    assert_eq!(
        refused.field.as_deref(),
        Some("version"),
        "the default stays for payments"
    );
}

#[test]
fn another_team_finds_and_changes_nothing() {
    let shop = Shop::open(6);
    published(&shop, "mine", PLAIN);
    let other = stranger(&shop);
    assert_eq!(listed(&shop, &other).len(), 1);
    let engine = &shop.engine;
    let mine = flow("mine");
    let reported = [
        shop.run(engine.get_flow(&other, &mine, None)).map(|_| ()),
        shop.run(engine.export_flow(&other, &mine, None, FlowFormat::Yaml))
            .map(|_| ()),
        shop.run(engine.try_flow(&other, &mine, None, &json!({})))
            .map(|_| ()),
        shop.run(engine.publish_flow(&other, &mine, 1)).map(|_| ()),
        shop.run(engine.set_default_flow(&other, &mine)),
    ];
    for result in reported {
        assert_eq!(result.unwrap_err().code, Code::FlowNotFound);
    }
    let own = SaveConnection {
        name: "Mine".to_owned(),
        ..connection("only-mine")
    };
    shop.run(engine.save_connection(&shop.server, own)).unwrap();
    let only = ConnectionId::parse("only-mine").unwrap();
    let refused = shop
        .run(engine.disable_connection(&other, &only))
        .unwrap_err();
    assert_eq!(refused.code, Code::ConnectionNotFound);
    let foreign = SaveFlow {
        id: None,
        document: WrittenFlow::Text(PLAIN.replace("approves-a", "only-mine")),
    };
    let refused = shop.run(engine.save_flow(&other, foreign)).unwrap_err();
    let nobodys = SaveFlow {
        id: None,
        document: WrittenFlow::Text(PLAIN.replace("approves-a", "only-yours")),
    };
    let of_nobody = shop.run(engine.save_flow(&other, nobodys)).unwrap_err();
    assert_eq!(
        refused.reason.unwrap().replace("only-mine", "only-yours"),
        of_nobody.reason.unwrap(),
        "it learns nothing of the other team's connections"
    );
}

#[test]
fn an_export_is_the_same_flow_again_in_both_formats() {
    let shop = Shop::open(7);
    let saved = save(&shop, Some("mine"), PLAIN).unwrap();
    for format in [FlowFormat::Yaml, FlowFormat::Json] {
        let text = shop
            .run(
                shop.engine
                    .export_flow(&shop.server, &saved.id, None, format),
            )
            .unwrap();
        assert!(text.ends_with('\n'));
        let again = save(&shop, Some("mine"), &text).unwrap();
        assert_eq!((again.version, &again.document), (1, &saved.document));
        let copy = save(&shop, Some("copy"), &text).unwrap();
        assert_eq!(copy.document, saved.document);
    }
}

#[test]
fn a_trial_tells_what_would_happen_and_does_nothing() {
    let shop = Shop::open(8);
    let text = "name: By amount\ntrigger: payment\nsteps:\n- if: payment.amount > 1000\n  then:\n  - authorise:\n      \
                connection: approves-a\n  else:\n  - decline: {code: CUSTOM_RULE}\n- capture: {after: 2d}\n";
    save(&shop, Some("mine"), text).unwrap();
    let tried = |facts: Value| {
        shop.run(
            shop.engine
                .try_flow(&shop.server, &flow("mine"), None, &facts),
        )
    };
    let large = tried(json!({ "payment": { "amount": 1200 } })).unwrap();
    assert_eq!(
        large.outcome,
        "authorise at approves-a, then capture 2 days later"
    );
    assert!(
        large
            .steps
            .iter()
            .any(|step| step.step == "steps[0].then[0]" && step.taken),
        "{:?}",
        large.steps
    );
    let small = tried(json!({ "payment": { "amount": 10 } })).unwrap();
    assert_eq!(small.outcome, "decline with CUSTOM_RULE");
    let fault = tried(json!({ "payment": { "amout": 10 } })).unwrap_err();
    assert_eq!(fault.field.as_deref(), Some("facts"));
    assert!(fault.reason.unwrap().contains("payment.amout"));
}

#[test]
fn a_change_is_seen_by_another_node_within_a_second() {
    let shop = Shop::open(13);
    let node = shop.another_node();
    published(&shop, "mine", PLAIN);
    shop.pass(Duration::from_secs(1));
    let flows = shop.run(node.list_flows(&shop.server)).unwrap();
    assert!(
        flows
            .iter()
            .any(|flow| flow.id.as_str() == "mine" && flow.is_published)
    );
}
