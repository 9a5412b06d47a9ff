//! An intent without activity.

use serde_json::json;
use testkit::Setup;

use super::id;

#[test]
fn it_becomes_inactive_and_an_update_makes_it_active_again() {
    let server = Setup::new()
        .setting("limits.intent_inactivity", "400ms")
        .start();
    let shop = server.shop();
    let intent = shop.start_intent(json!({}));
    let inactive = shop.wait_for_intent(&id(&intent), "INACTIVE");
    assert!(inactive["statusDate"].as_str() > intent["statusDate"].as_str());
    assert_eq!(
        inactive["timeline"], intent["timeline"],
        "the steps stay as they were"
    );
    let active = shop.update_intent(&id(&intent), json!({}));
    assert_eq!(active["status"], "ACTIVE");
    assert!(active["statusDate"].as_str() > inactive["statusDate"].as_str());
    shop.wait_for_intent(&id(&intent), "INACTIVE");
    let complete = shop
        .try_complete_intent(&id(&intent), json!(null))
        .root()
        .clone();
    assert_eq!(complete["status"], "COMPLETE");
    let metrics = shop.get("/metrics").text();
    assert!(
        metrics.contains(r#"pointsman_job_items_total{job="deactivate_intents"}"#),
        "{metrics}"
    );
}

#[test]
fn it_becomes_inactive_also_when_the_service_was_stopped_meanwhile() {
    let setup = Setup::new().setting("limits.intent_inactivity", "600ms");
    let mut server = setup.start();
    let intent = id(&server.shop().start_intent(json!({})));
    let complete = id(&server.shop().start_intent(json!({})));
    server
        .shop()
        .try_complete_intent(&complete, json!(null))
        .data();
    server.kill();
    server.restart();
    server.shop().wait_for_intent(&intent, "INACTIVE");
    assert_eq!(server.shop().intent(&complete)["status"], "COMPLETE");
}

#[test]
fn with_activity_it_stays_active() {
    let server = Setup::new()
        .setting("limits.intent_inactivity", "5s")
        .start();
    let shop = server.shop();
    let intent = id(&shop.start_intent(json!({})));
    let other = id(&shop.start_intent(json!({})));
    testkit::until(testkit::PATIENCE, "the other one becomes inactive", || {
        assert_eq!(shop.update_intent(&intent, json!({}))["status"], "ACTIVE");
        (shop.intent(&other)["status"] == "INACTIVE").then_some(())
    });
    assert_eq!(shop.intent(&intent)["status"], "ACTIVE");
}
