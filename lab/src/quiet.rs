//! The hours after the shop has closed: what is waited for before everything is judged.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    Broke,
    bank::PostOffice,
    checker::{self, Deliveries, Disputes, Rows},
    house::{AT_ADYEN, House},
    play::Clients,
    shop::{Shop, Wish, words},
};

/// How often, and at what interval, it is looked whether everything is settled, once the shop has closed.
const ROUNDS: u32 = 24;
const ROUND: Duration = Duration::from_mins(10);

/// How often a process is asked for the payments until one answers.
const TRIES: usize = 60;

/// The longest that a process is stopped or dead, and more.
const WHOLE_WITHIN: Duration = Duration::from_mins(30);

/// How long a look-up is not yet final, whatever the processor.
const CERTAIN: Duration = Duration::from_mins(5);

/// So many minutes without a delivery are the end: longer than the longest pause before one is tried again.
const QUIET: u32 = 30;
/// Within so many minutes every response is looked for that got no answer: longer than the pause after several look-ups that failed.
const LOOKED_FOR: u32 = 100;
const A_MINUTE: Duration = Duration::from_mins(1);
const A_MOMENT: Duration = Duration::from_secs(7);

/// Waits until every process runs again.
pub(crate) async fn until_whole(house: &House) -> Result<(), Broke> {
    let begun = house.world.now();
    while !house.is_whole() {
        if house.world.now().since(begun) > WHOLE_WITHIN {
            return Err(Broke("a process does not start again".to_owned()));
        }
        house.world.sleep(Duration::from_secs(1)).await;
    }
    Ok(())
}

/// Waits until look-ups are final. Then every customer opens the page of the return once more.
pub(crate) async fn certain(shop: &Shop) {
    shop.house.world.sleep(CERTAIN).await;
    for url in shop.returns() {
        shop.house.come_back(0, &url).await;
    }
    shop.house.bank.only_recovery_looks();
}

/// Waits until every server of a merchant's is back and has what is owed to it. What never comes the checker finds.
///
/// # Errors
/// The events can't be read.
pub(crate) async fn delivered(house: &House, clients: &Clients) -> Result<(), Broke> {
    if clients.wants_nothing() {
        return Ok(());
    }
    if let Some(back_at) = house.servers.all_back_at() {
        house.world.sleep(back_at.since(house.world.now())).await;
    }
    let (mut quiet, mut count) = (0, 0);
    while quiet < QUIET {
        let (own, neighbours) = house.all_events()?;
        let rows = Rows {
            own: &own,
            neighbours: &neighbours,
        };
        if checker::lacking(&clients.deliveries(house), rows).is_empty() {
            return Ok(());
        }
        house.world.sleep(A_MINUTE).await;
        let now = house.servers.count();
        quiet = if now == count { quiet + 1 } else { 0 };
        count = now;
    }
    Ok(())
}

/// Waits until every notification was taken, and every dispute is known as it is booked, with what was responded, and so is
/// what another system sold. What never becomes so the checker finds.
///
/// # Errors
/// The payments, or the disputes, can't be read.
pub(crate) async fn reported(shop: &Shop) -> Result<(), Broke> {
    for _ in 0..LOOKED_FOR {
        let is_quiet = !shop.house.hurry_notifications();
        let is_quiet = is_quiet && shop.house.post().is_none_or(PostOffice::is_quiet);
        let known = disputes(shop).await?;
        let is_quiet = is_quiet && !known.listed.iter().any(checker::is_responding);
        let payments = listed(shop).await?;
        let books = shop.house.bank.ledger().entries();
        let is_quiet = is_quiet && checker::unimported(&books, &payments).is_empty();
        if is_quiet && checker::unreported(&known, &payments).is_empty() {
            return Ok(());
        }
        shop.house.world.sleep(A_MINUTE).await;
    }
    Ok(())
}

/// Everything at one moment: how payments and disputes are listed, their events, and what has come to servers.
pub(crate) struct Rest {
    pub(crate) payments: Vec<Value>,
    pub(crate) entries: Vec<Value>,
    pub(crate) events: Vec<Value>,
    pub(crate) neighbours: Vec<Value>,
    pub(crate) deliveries: Deliveries,
    pub(crate) disputes: Disputes,
}

/// Lists everything while nothing changes, and after each event has come to where it is wanted. What never comes the checker finds.
///
/// # Errors
/// The payments, the disputes or the events can't be read.
pub(crate) async fn at_rest(shop: &Shop, clients: &Clients) -> Result<Rest, Broke> {
    let house = &shop.house;
    for round in 0.. {
        let before = house.events()?.len();
        let disputes = disputes(shop).await?;
        let payments = settled(shop).await?;
        let (events, neighbours) = house.all_events()?;
        let deliveries = clients.deliveries(house);
        let rows = Rows {
            own: &events,
            neighbours: &neighbours,
        };
        let is_still = before == events.len().saturating_add(neighbours.len());
        if round == QUIET || is_still && checker::lacking(&deliveries, rows).is_empty() {
            return Ok(Rest {
                payments,
                entries: house.entries(),
                events,
                neighbours,
                deliveries,
                disputes,
            });
        }
        house.world.sleep(A_MOMENT).await;
    }
    Err(Broke("it never comes to rest".to_owned()))
}

/// The disputes, as they are listed and as they are booked.
pub(crate) async fn disputes(shop: &Shop) -> Result<Disputes, Broke> {
    let house = &shop.house;
    for attempt in 0..TRIES {
        if let Some(listed) = shop.disputes(attempt % house.nodes().max(1)).await {
            return Ok(Disputes {
                listed,
                booked: house.booked_disputes(),
                asked: house.bank.responses(),
                wrong: house.post().map(PostOffice::wrong).unwrap_or_default(),
            });
        }
        house.world.sleep(Duration::from_secs(5)).await;
    }
    Err(Broke("the disputes can't be listed".to_owned()))
}

/// Waits until nothing is open any more; people settle what only people can. Returns every payment.
///
/// # Errors
/// The payments, or their events, can't be read.
pub(crate) async fn settled(shop: &Shop) -> Result<Vec<Value>, Broke> {
    let world = &shop.house.world;
    for round in 0..ROUNDS {
        let payments = listed(shop).await?;
        let rows = shop.house.events()?;
        let open = payments
            .iter()
            .filter(|payment| {
                checker::is_unsettled(payment)
                    || checker::waits_for_its_flow(payment, &rows)
                    || checker::awaits_an_answer(payment, &rows)
            })
            .count();
        if open == 0 || round + 1 == ROUNDS {
            return Ok(payments);
        }
        for payment in &payments {
            resolve(shop, payment).await;
        }
        world.sleep(ROUND).await;
    }
    listed(shop).await
}

async fn listed(shop: &Shop) -> Result<Vec<Value>, Broke> {
    for attempt in 0..TRIES {
        if let Some(payments) = shop.payments(attempt % shop.house.nodes().max(1)).await {
            return Ok(payments);
        }
        shop.house.world.sleep(Duration::from_secs(5)).await;
    }
    Err(Broke("the payments can't be listed".to_owned()))
}

/// A person reads the statements of a processor that can't prove anything, and settles what is unknown.
async fn resolve(shop: &Shop, payment: &Value) {
    let text = |name: &str| {
        payment
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let connection = text("connectionId");
    let is_mute = matches!(connection, "mute-a" | AT_ADYEN);
    if !is_mute || !checker::is_unsettled(payment) {
        return;
    }
    let uuid = text("id").trim_start_matches("payments:");
    let entries = shop.house.entries();
    let own = entries.iter().find(|entry| {
        let reference = entry
            .get("reference")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let at = entry.get("connection").and_then(Value::as_str);
        reference.starts_with(uuid) && at == Some(connection)
    });
    let amount = |name: &str| own.and_then(|entry| entry.get(name)?.as_i64()).unwrap_or(0);
    let answer = payment
        .get("refundedAmount")
        .and_then(Value::as_i64)
        .unwrap_or(0);
    // Also of a payment that is DISPUTED meanwhile.
    let refunds = checker::has_pending_refund(payment);
    let outcome = match (refunds, amount("authorised"), amount("captured")) {
        (true, ..) if amount("refunded") > answer => "REFUNDED",
        (true, ..) => "NOT_REFUNDED",
        (_, 0, _) => "NOT_CHARGED",
        (_, _, 0) => "AUTHORISED",
        _ => "CAPTURED",
    };
    let asked =
        json!({ "id": text("id"), "outcome": outcome, "evidence": "the processor's statement" });
    shop.ask(0, &Wish::new("resolvePayment", words::RESOLVE, asked), None)
        .await;
}
