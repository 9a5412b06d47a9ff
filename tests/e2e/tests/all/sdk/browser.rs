//! What the customer's browser says of itself reaches the processor.

use serde_json::{Value, json};
use testkit::{Order, Setup, Shop, cards};

use crate::three_d_secure::BACK;

fn browser() -> Value {
    json!({
        "language": "en-IE", "colorDepth": 24, "screenHeight": 1080, "screenWidth": 1920, "timeZoneOffset": -60,
        "userAgent": "Mozilla/5.0 (X11; Linux x86_64)", "acceptHeader": "text/html", "windowSize": "03", "javaEnabled": false,
    })
}

fn order(browser: Value) -> Order {
    let wish = json!({"redirectUrl": BACK, "browser": browser});
    Order::card(cards::CHALLENGE).with("perform3DSecure", wish)
}

fn recorded(shop: &Shop, id: &str) -> Value {
    let books: Value = serde_json::from_str(&shop.get("/sandbox/books").text()).unwrap();
    let entries = books["entries"].as_array().unwrap();
    let id = id.trim_start_matches("payments:").replace('-', "");
    let entry = entries.iter().find(|entry| {
        entry["reference"]
            .as_str()
            .unwrap()
            .replace('-', "")
            .contains(&id)
    });
    entry.unwrap()["browser"].clone()
}

#[test]
fn what_a_browser_says_of_itself_is_sent_with_the_authorisation() {
    let server = Setup::new().start();
    let shop = server.shop();
    let detour = shop.challenged(&order(browser()));
    assert_eq!(
        recorded(&shop, &detour.id),
        json!({
            "language": "en-IE", "color_depth": 24, "screen_height": 1080, "screen_width": 1920, "time_zone_offset": -60,
            "user_agent": "Mozilla/5.0 (X11; Linux x86_64)", "accept_header": "text/html", "java_enabled": false,
            "window_size": "03",
        })
    );
    let without = shop.challenged(&Order::card(cards::CHALLENGE).three_ds(BACK));
    assert_eq!(recorded(&shop, &without.id), Value::Null);
}

#[test]
fn what_no_browser_says_is_refused_by_its_name() {
    let server = Setup::new().start();
    let shop = server.shop();
    for (name, wrong) in [
        ("language", json!("en_IE")),
        ("colorDepth", json!(0)),
        ("screenHeight", json!(-1)),
        ("screenWidth", json!(1_000_000)),
        ("timeZoneOffset", json!(2_000)),
        ("userAgent", json!("a\nb")),
        ("windowSize", json!("06")),
    ] {
        let mut bad = browser();
        bad[name] = wrong;
        let answer = shop.try_authorise(&order(bad), None);
        answer.assert_invalid(&format!("authorisePayment.perform3DSecure.browser.{name}"));
    }
    let mut long = browser();
    long["userAgent"] = json!("x".repeat(5_000));
    let id = shop.challenged(&order(long)).id;
    assert_eq!(
        recorded(&shop, &id)["user_agent"].as_str().unwrap().len(),
        2_048
    );
    assert_eq!(shop.every_payment().len(), 1);
}
