//! The team of the house: its settings, connections and flows.

use domain::id::{ConnectionId, FlowId};
use domain::{id::TeamId, webhook::RetrySchedule};
use engine::{
    AdminError, Engine, KeyKind, NewKey, Seed, SeedConnection, SeedFlow, Settings, WebhookSettings,
};
use std::time::Duration;

use super::{KEY, NEIGHBOURS_KEY};
use crate::checker::{ANNOUNCED, QUIET};

/// As in production, but with fewer polls, shorter life times and more look-ups, since virtual hours cost real time.
pub(super) fn settings() -> Settings {
    let schedule = [5, 30, 120, 600, 1200, 1800, 2700, 3600, 5400, 7200];
    let minutes = [1, 5, 10, 15, 20, 20, 20, 20, 20, 20, 20];
    let pauses = minutes.map(Duration::from_mins);
    let webhooks = WebhookSettings {
        schedule: RetrySchedule([Duration::from_secs(5)].into_iter().chain(pauses).collect()),
        ..WebhookSettings::default()
    };
    Settings {
        poll_interval: Duration::from_secs(4),
        authorisation_lifetime: Some(Duration::from_mins(50)),
        customer_lifetime: Duration::from_mins(20),
        recovery_schedule: schedule.into_iter().map(Duration::from_secs).collect(),
        // Connections that are rested would be spared what is to be played.
        rest_after: u32::MAX,
        webhooks,
        ..Settings::default()
    }
}

/// The connection that takes no authorisations: it refuses to be connected to for them.
pub(crate) const DOWN: &str = "down";

/// Connections: id, sort of processor, settings.
pub(super) const CONNECTIONS: [(&str, &str, &str); 10] = [
    ("prompt-a", "prompt", "{}"),
    ("prompt-b", "prompt", "{}"),
    ("tardy-a", "tardy", "{}"),
    ("tardy-b", "tardy", "{}"),
    ("mute-a", "mute", "{}"),
    ("slow-a", "slow", "{}"),
    ("failing", "prompt", r#"{"fault": "fails"}"#),
    (DOWN, "tardy", "{}"),
    (QUIET, "prompt", "{}"),
    (ANNOUNCED, "tardy", "{}"),
];

/// Flows that payments name: id and steps. The first is the default.
pub(crate) const FLOWS: [(&str, &str); 15] = [
    (
        "default",
        "[{authorise: {connection: prompt-a}}, {capture: now}]",
    ),
    (
        "by-api",
        "[{authorise: {connection: prompt-b}}, {capture: api}]",
    ),
    (
        "tardy",
        "[{authorise: {connection: tardy-a}}, {capture: now}]",
    ),
    (
        "tardy-by-api",
        "[{authorise: {connection: tardy-b}}, {capture: api}]",
    ),
    (
        "later",
        "[{authorise: {connection: prompt-a}}, {capture: {after: 30s}}]",
    ),
    (
        "fallback",
        "[{authorise: {connection: prompt-a, fallback: {to: [tardy-a, prompt-b]}}}, {capture: now}]",
    ),
    (
        "failing",
        "[{authorise: {connection: failing, fallback: {to: [tardy-b, prompt-a]}}}, {capture: api}]",
    ),
    (
        "down",
        "[{authorise: {connection: down, fallback: {to: [prompt-b, tardy-a]}}}, {capture: now}]",
    ),
    (
        "slow",
        "[{authorise: {connection: slow-a}}, {capture: now}]",
    ),
    (
        "mute",
        "[{authorise: {connection: mute-a}}, {capture: api}]",
    ),
    (
        "approved-first",
        "[{approval: {title: Large, within: 10m}}, {authorise: {connection: tardy-a}}, {capture: now}]",
    ),
    (
        "approved-later",
        "[{authorise: {connection: prompt-b}}, {approval: {title: Ship, within: 10m}}, {capture: now}]",
    ),
    (
        "shipped",
        "[{authorise: {connection: tardy-b}}, {capture: {webhook: shipped}}]",
    ),
    (
        "half-back",
        "[{authorise: {connection: prompt-a}}, {capture: now}, {refund: {amount: {percent: 50}, reason: Half}}]",
    ),
    (
        "cancelled",
        "[{authorise: {connection: tardy-a}}, {cancel: {reason: Trial}}]",
    ),
];

/// Makes the team, and another one that it must never notice. Returns that one.
pub(super) async fn found_teams(engine: &Engine) -> Result<TeamId, AdminError> {
    engine.seed(seed_of_team()).await?;
    let neighbours = Seed {
        team_name: "Neighbours".to_owned(),
        ..seed_of_team()
    };
    let team = engine.create_team_with(&neighbours).await?;
    let key = NewKey::of(team, KeyKind::Secret, "neighbours").given(NEIGHBOURS_KEY.to_owned());
    engine.create_key(key).await?;
    Ok(team)
}

fn seed_of_team() -> Seed {
    let connection = |(id, processor, settings): &(&str, &str, &str)| {
        let (processor, name) = ((*processor).to_owned(), (*id).to_owned());
        let settings = serde_json::from_str(settings).ok()?;
        Some(SeedConnection {
            id: ConnectionId::parse(id)?,
            processor,
            name,
            settings,
        })
    };
    let flow = |(id, steps): &(&str, &str)| {
        let document = format!("name: {id}\ntrigger: payment\nsteps: {steps}\n");
        Some(SeedFlow {
            id: FlowId::parse(id)?,
            document,
            is_default: *id == "default",
        })
    };
    let noting = "name: noting\ntrigger: {outcome: [declined, refunded]}\nsteps: [{note: Noted}]\n";
    let noting = FlowId::parse("noting").map(|id| SeedFlow {
        id,
        document: noting.to_owned(),
        is_default: false,
    });
    Seed {
        team_name: "Simulated".to_owned(),
        connections: CONNECTIONS.iter().filter_map(connection).collect(),
        flows: FLOWS.iter().filter_map(flow).chain(noting).collect(),
        secret_key: Some(KEY.to_owned()),
    }
}
