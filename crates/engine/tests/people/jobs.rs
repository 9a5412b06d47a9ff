//! No job holds up another: recovery goes on whatever hangs, fails or can't be read.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use db::Statement;
use db_model::{Boundary, Mishap, Mishaps, ModelServer};
use domain::{
    id::{ConnectionId, CustomerId, PaymentId, VaultToken},
    payment::{Payment, Status},
};
use engine::{Authorise, SaveConnection, Target, Webhook};
use serde_json::{Value, json};

use crate::{
    cards::{self, VISA},
    counted::Counters,
    flows::published,
    shop::{Shop, order},
    sweeps::{commit, remember},
};

const RUNS: &str = "pointsman_job_runs_total";
const ITEMS: &str = "pointsman_job_item_failures_total";

const MINUTE: Duration = Duration::from_mins(1);

/// What is wrong with the vault's database while `on`.
#[derive(Clone)]
struct Vault {
    on: Arc<AtomicBool>,
    mishap: Mishap,
}

impl Mishaps for Vault {
    fn at(&self, boundary: Boundary<'_>) -> Mishap {
        let is_asked = matches!(
            boundary,
            Boundary::Begin(_) | Boundary::Claim(_) | Boundary::Read(_)
        );
        if is_asked && self.on.load(Ordering::SeqCst) {
            self.mishap
        } else {
            Mishap::None
        }
    }
}

/// A shop whose vault's database has this mishap while the switch is on.
fn shop(seed: u64, mishap: Mishap) -> (Shop, Arc<AtomicBool>) {
    let vault = Vault {
        on: Arc::default(),
        mishap,
    };
    let on = Arc::clone(&vault.on);
    let shop = Shop::open_over(seed, |world| {
        let server = ModelServer::new(vault::MIGRATIONS, world).unwrap();
        server.connect(world, Arc::new(vault))
    });
    (shop, on)
}

fn payer(shop: &Shop) -> CustomerId {
    let customer = shop.create_customer("Zebedee");
    shop.add(customer, VISA);
    customer
}

/// Saves a connection, and publishes a flow of its name that authorises there and goes on with `steps`.
fn flow(shop: &Shop, id: &str, settings: Value, steps: &str) {
    connection(shop, id, settings);
    let start = format!("name: {id}\ntrigger: payment\nsteps:\n");
    let authorise = format!("- authorise:\n    connection: {id}\n");
    published(
        shop,
        id,
        &format!("{start}{authorise}{steps}- capture: now\n"),
    );
}

fn connection(shop: &Shop, id: &str, settings: Value) {
    let command = SaveConnection {
        id: ConnectionId::parse(id),
        processor: "approves".to_owned(),
        name: id.to_owned(),
        settings,
        credentials: None,
        imports: None,
        skips_probe: false,
    };
    shop.run(shop.engine.save_connection(&shop.server, command))
        .unwrap();
}

fn pay(shop: &Shop, flow: &str, customer: CustomerId) -> PaymentId {
    let command = Authorise {
        target: Target::Flow(Some(flow.to_owned())),
        ..order(customer)
    };
    let paid = shop.run(shop.engine.authorise(&shop.server, None, Ok(command)));
    paid.result.unwrap().payment.id()
}

fn read(shop: &Shop, id: PaymentId) -> Payment {
    let found = store::payment::of_team(&shop.store, shop.team, id);
    shop.run(found).unwrap().unwrap()
}

/// A payment without an answer, at a processor that can be asked again from now on.
fn unknown(shop: &Shop, customer: CustomerId) -> PaymentId {
    flow(shop, "silent", json!({"silent": 1}), "");
    let id = pay(shop, "silent", customer);
    assert_eq!(read(shop, id).status(), Status::NoAnswerFromPsp);
    connection(shop, "silent", json!({}));
    id
}

/// Writes something into a table as nothing of ours would.
fn spoil(shop: &Shop, sql: &'static str, key: &str) {
    let values = vec![shop.team.key().into(), key.into()];
    commit(shop, 77, vec![Statement::one(sql, values)]);
}

#[test]
fn recovery_goes_on_while_sweeps_hang_and_a_sweep_that_hangs_ends_with_its_time() {
    let (shop, hangs) = shop(1, Mishap::Slow(Duration::from_hours(100)));
    let customer = payer(&shop);
    hangs.store(false, Ordering::SeqCst);
    flow(&shop, "silent", json!({"silent": 1}), "");
    let payment = pay(&shop, "silent", customer);
    hangs.store(true, Ordering::SeqCst);
    shop.engine.start();
    shop.pass(MINUTE);
    // Those of the vault hang in both places of sweeps by now.
    let old = shop.world.now().before(Duration::from_hours(30));
    remember(&shop, 10, old);
    connection(&shop, "silent", json!({}));
    shop.pass(4 * MINUTE);
    assert_eq!(shop.count("once"), 10, "sweeps hang");
    let recovered = read(&shop, payment);
    assert_ne!(recovered.status(), Status::NoAnswerFromPsp);
    shop.pass(Duration::from_mins(30));
    assert_eq!(shop.count("once"), 0, "the others have had their turns");
}

#[test]
fn instances_that_call_a_silent_server_hold_up_neither_recovery_nor_flows_of_payments() {
    let shop = Shop::open(2);
    let customer = payer(&shop);
    flow(
        &shop,
        "calls",
        json!({}),
        "- call_webhook:\n    url: https://shop.example/\n",
    );
    let call = "- call_webhook:\n    url: https://silent.example/\n";
    let start = "name: Go\ntrigger:\n  webhook:\n    name: go\nsteps:\n";
    published(&shop, "go", &format!("{start}{}", call.repeat(50)));
    for _ in 0..200 {
        let webhook = Webhook {
            name: "go".to_owned(),
            body: Value::Null,
            payment: None,
            instance: None,
        };
        shop.run(shop.engine.receive_webhook(&shop.server, webhook))
            .unwrap();
    }
    let payment = unknown(&shop, customer);
    shop.engine.start();
    shop.pass(Duration::from_secs(5));
    let called = pay(&shop, "calls", customer);
    assert_eq!(
        read(&shop, called).status(),
        Status::Succeeded,
        "its call did not wait for theirs"
    );
    shop.pass(2 * MINUTE);
    assert_ne!(read(&shop, payment).status(), Status::NoAnswerFromPsp);
    assert!(shop.count("flow_instance") > 100, "they still call");
}

#[test]
fn a_job_whose_database_was_away_is_run_again() {
    let counters = Counters::default();
    metrics::with_local_recorder(&counters, || {
        let (shop, away) = shop(3, Mishap::Lost);
        for _ in 0..3 {
            let number = cards::card(VISA).number;
            let holder = vault::Holder::wallet("nobody");
            let sealed = shop.vault.seal_card(shop.team, &holder, &number);
            shop.run(sealed).unwrap();
        }
        shop.pass(Duration::from_hours(25));
        away.store(true, Ordering::SeqCst);
        shop.engine.start();
        shop.pass(5 * MINUTE);
        let failed = counters.of(RUNS, &["erase_orphans", "failed"]);
        assert!(failed > 3, "{failed}");
        assert_eq!(counters.of(RUNS, &["erase_orphans", "given_up"]), 0);
        away.store(false, Ordering::SeqCst);
        shop.pass(MINUTE);
        assert_eq!(shop.sealed(), 0);
    });
}

#[test]
fn a_payment_that_can_not_be_read_is_given_up_and_the_others_are_recovered() {
    let counters = Counters::default();
    metrics::with_local_recorder(&counters, || {
        let shop = Shop::open(4);
        let customer = payer(&shop);
        let payments = [unknown(&shop, customer), unknown(&shop, customer)];
        let spoilt = "update payment set body = '{' where team_id = $1 and payment_id = $2";
        spoil(&shop, spoilt, &payments[0].key());
        shop.engine.start();
        shop.pass(5 * MINUTE);
        assert_ne!(read(&shop, payments[1]).status(), Status::NoAnswerFromPsp);
        let given_up = counters.of(ITEMS, &["recover", "given_up"]);
        assert!((2..=20).contains(&given_up), "once a lease: {given_up}");
        assert_eq!(counters.of(RUNS, &["recover", "given_up"]), 0);
        let due = "select count(*) from payment where due_at is not null and body = '{'";
        let due = shop.run(shop.store.read(due, Vec::new())).unwrap();
        assert_eq!(due[0].int(0).unwrap(), 1, "it is not forgotten");
    });
}

#[test]
fn a_deleted_token_that_can_not_be_read_is_given_up_and_the_others_are_erased() {
    let counters = Counters::default();
    metrics::with_local_recorder(&counters, || {
        let shop = Shop::open(5);
        let customer = shop.create_customer("Zebedee");
        let tokens: Vec<VaultToken> = [VISA, cards::MASTERCARD]
            .iter()
            .map(|number| shop.add(customer, number))
            .collect();
        for token in &tokens {
            shop.run(shop.engine.delete_method(&shop.server, token.clone()))
                .unwrap();
        }
        let spoilt = "update method set body = '{' where team_id = $1 and token = $2";
        spoil(&shop, spoilt, tokens[0].as_str());
        shop.engine.start();
        shop.pass(5 * MINUTE);
        assert_eq!(shop.sealed(), 1, "the number of the other one is gone");
        assert!(counters.of(ITEMS, &["erase_deleted_methods", "given_up"]) > 0);
        assert_eq!(counters.of(RUNS, &["erase_deleted_methods", "given_up"]), 0);
    });
}
