//! Security codes that nodes share: erased when their authorisation has ended, no matter which node dies.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use db_model::{Boundary, Mishap, Mishaps, ModelServer};
use domain::{
    Code,
    id::{ConnectionId, VaultToken},
    payment::Status,
};
use engine::{Authorise, Instrument, Owner, SaveConnection, Target};
use serde_json::json;

use crate::{
    cards::{VISA, card_with_code, token},
    flows::published,
    shop::{Shop, order},
};

/// While it is on, nothing of the vault's is erased.
#[derive(Clone, Default)]
struct Stuck(Arc<AtomicBool>);

impl Mishaps for Stuck {
    fn at(&self, boundary: Boundary<'_>) -> Mishap {
        match boundary {
            Boundary::Commit(statements)
                if self.0.load(Ordering::SeqCst)
                    && statements.iter().any(|statement| {
                        statement.sql.starts_with("delete from security_code")
                    }) =>
            {
                Mishap::Unknown
            }
            _ => Mishap::None,
        }
    }
}

fn shop(seed: u64) -> (Shop, ModelServer, Stuck) {
    let (stuck, mut server) = (Stuck::default(), None);
    let shop = Shop::open_over(seed, |world| {
        let made = server.insert(ModelServer::new(vault::MIGRATIONS, world).unwrap());
        made.connect(world, Arc::new(stuck.clone()))
    });
    (shop, server.unwrap(), stuck)
}

fn kept(server: &ModelServer) -> usize {
    server
        .rows("select holder from security_code", vec![])
        .unwrap()
        .len()
}

fn stored(shop: &Shop) -> VaultToken {
    let customer = shop.create_customer("Zebedee");
    let command = token(
        card_with_code(VISA, "739"),
        Owner::Existing(customer.to_string()),
    );
    shop.tokenise(&shop.server, None, command)
        .result
        .unwrap()
        .method
        .token
}

fn by(shop: &Shop, instrument: Instrument) -> Authorise {
    let customer = shop.create_customer("Payer");
    Authorise {
        instrument: Some(instrument),
        ..order(customer)
    }
}

#[test]
fn a_code_that_could_not_be_erased_after_its_authorisation_is_erased_by_a_job() {
    for raw in [false, true] {
        let (shop, server, stuck) = shop(1);
        let instrument = if raw {
            Instrument::Card(Box::new(card_with_code(VISA, "739")))
        } else {
            Instrument::Token(stored(&shop).as_str().to_owned())
        };
        stuck.0.store(true, Ordering::SeqCst);
        let command = Authorise {
            payer: None,
            ..by(&shop, instrument)
        };
        let paid = shop
            .run(shop.engine.authorise(&shop.server, None, Ok(command)))
            .result
            .unwrap();
        assert_eq!(paid.payment.status(), Status::Succeeded);
        shop.pass(Duration::from_secs(10));
        assert_eq!(kept(&server), 1, "as after a crash");
        stuck.0.store(false, Ordering::SeqCst);
        // By another process: this one may be gone.
        shop.another_node().start();
        shop.pass(Duration::from_mins(3));
        assert_eq!(kept(&server), 0, "raw: {raw}");
    }
}

#[test]
fn a_code_stays_while_its_authorisation_waits_for_the_customer_or_has_not_begun() {
    let (shop, server, _) = shop(2);
    let connection = SaveConnection {
        id: ConnectionId::parse("asks"),
        processor: "approves".to_owned(),
        name: "Asks".to_owned(),
        settings: json!({"asks": 1}),
        credentials: None,
        imports: None,
        skips_probe: false,
    };
    shop.run(shop.engine.save_connection(&shop.server, connection))
        .unwrap();
    published(
        &shop,
        "asks",
        "name: Asks\ntrigger: payment\nsteps:\n- authorise:\n    connection: asks\n- capture: now\n",
    );
    let (used, _unused) = (stored(&shop), stored(&shop));
    let instrument = Instrument::Token(used.as_str().to_owned());
    let command = Authorise {
        target: Target::Flow(Some("asks".to_owned())),
        payer: None,
        ..by(&shop, instrument)
    };
    let asked = shop
        .run(shop.engine.authorise(&shop.server, None, Ok(command)))
        .result
        .unwrap_err();
    assert_eq!(asked.code, Code::Requires3dSecure);
    shop.engine.start();
    shop.pass(Duration::from_mins(10));
    assert_eq!(kept(&server), 2);
    shop.run(
        shop.engine
            .returned(&shop.challenge.passed(), Vec::new(), None),
    );
    shop.pass(Duration::from_secs(1));
    assert_eq!(kept(&server), 1);
}
