//! Checkout intents.

mod browsers;
mod complete;
mod inactivity;
mod life;
mod listed;
mod methods;
mod paying;
mod seen;

use serde_json::Value;

/// The id of an intent.
fn id(intent: &Value) -> String {
    intent["id"].as_str().expect("an id").to_owned()
}

/// The status of a step and whether it is dated.
fn step<'a>(intent: &'a Value, name: &str) -> (&'a str, bool) {
    let step = &intent["timeline"][name];
    (
        step["status"].as_str().expect("a status"),
        step["date"].is_string(),
    )
}
