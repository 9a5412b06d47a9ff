//! Tokenising.

use std::time::Duration;

use domain::{
    Code,
    caller::{ClientGrant, Mode},
    customer::{Instrument, NewMethod},
    expiry::Expiry,
    id::{ConnectionId, VaultToken},
};
use engine::{Authorise, Owner, Response, SaveConnection, Scope, Target, TokenView, Tokenise};
use futures_util::future::BoxFuture;
use serde_json::json;

use crate::{
    cards::{AMEX, MASTERCARD, VISA, account, card, card_with_code, person, token},
    flows::published,
    shop::{Shop, once, order},
};

fn for_customer(id: impl Into<String>) -> Owner {
    Owner::Existing(id.into())
}

#[test]
fn a_token_of_nobody_keeps_what_was_given_and_no_number() {
    let shop = Shop::open(1);
    let command = Tokenise {
        external_id: Some("card-7".to_owned()),
        metadata: Some(json!({"a": [1]})),
        ..token(card(VISA), Owner::Nobody)
    };
    let view = shop.tokenise(&shop.server, None, command).result.unwrap();
    assert_eq!(view.customer, None);
    assert!(view.method.token.as_str().len() >= 16);
    assert_eq!(view.method.masked, "************4242");
    assert_eq!(
        (
            view.method.holder.as_deref(),
            view.method.external_id.as_deref()
        ),
        (Some("Ada Byron"), Some("card-7"))
    );
    assert!(!view.method.is_default);
    assert!(
        matches!(&view.method.instrument, Instrument::Card { brand, bin, .. } if brand == "VISA" && bin == "424242")
    );
    assert_eq!(
        shop.run(shop.engine.method(&shop.server, view.method.token.clone()))
            .unwrap(),
        view.method
    );
    let again = shop
        .tokenise(&shop.server, None, token(card(VISA), Owner::Nobody))
        .result
        .unwrap();
    assert_ne!(again.method.token, view.method.token);
    assert_eq!(again.method.fingerprint, view.method.fingerprint);
    let other = shop
        .tokenise(&shop.server, None, token(card(MASTERCARD), Owner::Nobody))
        .result
        .unwrap();
    assert_ne!(other.method.fingerprint, view.method.fingerprint);
}

#[test]
fn a_bank_account_is_stored_too() {
    let shop = Shop::open(2);
    let method = NewMethod::Account(account("DE89370400440532013000"));
    let command = Tokenise {
        method,
        external_id: None,
        metadata: None,
        owner: Owner::New(person("Ada")),
    };
    let view = shop.tokenise(&shop.server, None, command).result.unwrap();
    assert_eq!(
        view.method.instrument,
        Instrument::BankAccount {
            bank_name: Some("Coutts".to_owned()),
            kind: domain::bank_account::AccountKind::Iban,
            mandate: None,
        }
    );
    assert!(view.method.is_default && view.method.masked.ends_with("3000"));
    assert_eq!(shop.sealed(), 1);
}

#[test]
fn with_customer_data_a_customer_is_made_whose_default_it_is() {
    let shop = Shop::open(3);
    let view = shop
        .tokenise(
            &shop.server,
            None,
            token(card(VISA), Owner::New(person("Bea"))),
        )
        .result
        .unwrap();
    let customer = view.customer.unwrap();
    assert_eq!(view.method.customer, Some(customer.id));
    assert_eq!(shop.default_of(customer.id), Some(view.method.token));
    assert_eq!(
        shop.run(shop.engine.customer(&shop.server, customer.id))
            .unwrap(),
        customer
    );
}

#[test]
fn an_unknown_customer_is_not_found_and_nothing_is_sealed() {
    let shop = Shop::open(4);
    for id in ["0192a000-0000-7000-8000-000000000000", "no uuid at all", ""] {
        let reported = shop.tokenise(&shop.server, None, token(card(VISA), for_customer(id)));
        assert_eq!(reported.result.unwrap_err().code, Code::CustomerNotFound);
    }
    assert_eq!((shop.sealed(), shop.count("method")), (0, 0));
}

#[test]
fn an_expired_card_is_refused_and_nothing_is_sealed() {
    let shop = Shop::open(5);
    let mut expired = card(VISA);
    expired.expiry = Expiry::parse(12, 2024).unwrap();
    let fault = shop
        .tokenise(&shop.server, None, token(expired, Owner::Nobody))
        .result
        .unwrap_err();
    assert_eq!(
        (fault.code, fault.field.as_deref()),
        (Code::Validation, Some("data.paymentMethod.card.expYear"))
    );
    assert_eq!(shop.sealed(), 0);
}

#[test]
fn a_code_of_the_wrong_length_is_refused_in_live_mode_alone() {
    for (mode, refused) in [
        (Mode::Test, None),
        (Mode::Live, Some("data.paymentMethod.card.cvc")),
    ] {
        let shop = Shop::open_in(6, mode);
        let reported = shop.tokenise(
            &shop.server,
            None,
            token(card_with_code(AMEX, "123"), Owner::Nobody),
        );
        assert_eq!(
            reported
                .result
                .err()
                .and_then(|fault| fault.field)
                .as_deref(),
            refused
        );
        assert!(
            shop.tokenise(
                &shop.server,
                None,
                token(card_with_code(AMEX, "1234"), Owner::Nobody)
            )
            .result
            .is_ok()
        );
    }
}

#[test]
fn a_code_is_kept_with_its_token_until_the_token_is_deleted() {
    let shop = Shop::open(7);
    let made = shop
        .tokenise(
            &shop.server,
            None,
            token(card_with_code(VISA, "739"), Owner::Nobody),
        )
        .result
        .unwrap();
    let holder = format!("{}/{}", shop.team, made.method.token);
    assert_eq!(
        shop.run(shop.vault.open_cvc(&holder))
            .unwrap()
            .unwrap()
            .expose(),
        "739"
    );
    shop.run(shop.engine.delete_method(&shop.server, made.method.token))
        .unwrap();
    assert!(shop.run(shop.vault.open_cvc(&holder)).unwrap().is_none());
}

#[test]
fn the_same_key_tells_the_same_token_and_refuses_another_request() {
    let shop = Shop::open(8);
    let customer = shop.create_customer("Ada");
    let first_request = json!({"data": 1});
    let ask = |arguments, number| {
        shop.tokenise(
            &shop.server,
            once(Scope::Tokenise, "k", arguments),
            token(card(number), for_customer(customer.to_string())),
        )
    };
    let first = ask(&first_request, VISA);
    shop.add(customer, MASTERCARD);
    let again = ask(&first_request, VISA);
    assert!(!first.replayed && again.replayed);
    let (first, again) = (first.result.unwrap(), again.result.unwrap());
    assert_eq!(
        first, again,
        "the default mark and the customer of then included"
    );
    assert!(again.method.is_default);
    let fault = ask(&json!({"data": 2}), AMEX).result.unwrap_err();
    let token = first.method.token.as_str().to_owned();
    assert_eq!((fault.code, fault.id), (Code::KeyReused, Some(token)));
    assert_eq!(shop.tokens(customer).len(), 2);
    assert_eq!(shop.sealed(), 2);
}

#[test]
fn a_refusal_is_remembered_under_its_key() {
    let shop = Shop::open(9);
    let arguments = json!({"data": 1});
    let ask = || {
        let command = token(
            card(VISA),
            for_customer("0192a000-0000-7000-8000-000000000000"),
        );
        shop.tokenise(
            &shop.server,
            once(Scope::Tokenise, "k", &arguments),
            command,
        )
    };
    let (first, again) = (ask(), ask());
    assert!(!first.replayed && again.replayed);
    assert_eq!(first.result.unwrap_err(), again.result.unwrap_err());
}

#[test]
fn a_key_is_forgotten_after_its_retention() {
    let shop = Shop::open(9);
    let customer = shop.create_customer("Ada");
    let arguments = json!({"data": 1});
    let ask = || {
        let once = once(Scope::Tokenise, "k", &arguments);
        let command = token(card(VISA), for_customer(customer.to_string()));
        shop.tokenise(&shop.server, once, command)
    };
    assert!(!ask().replayed);
    shop.pass(Duration::from_hours(23));
    assert!(ask().replayed);
    shop.pass(Duration::from_hours(2));
    assert!(!ask().replayed);
    assert_eq!(shop.tokens(customer).len(), 2);
}

#[test]
fn the_key_of_an_open_payment_is_never_forgotten() {
    let shop = Shop::open(9);
    let customer = shop.create_customer("Ada");
    shop.add(customer, VISA);
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
    let arguments = json!({"order": 1});
    let ask = || {
        let command = Authorise {
            target: Target::Flow(Some("asks".to_owned())),
            ..order(customer)
        };
        let once = once(Scope::Authorise, "k", &arguments);
        shop.run(shop.engine.authorise(&shop.server, once, Ok(command)))
    };
    let first = ask().result.unwrap_err();
    assert_eq!(first.code, Code::Requires3dSecure);
    shop.pass(Duration::from_hours(30));
    let again = ask();
    assert!(again.replayed, "it still waits for the customer");
    assert_eq!(again.result.unwrap_err().id, first.id);
    assert_eq!(shop.count("payment"), 1);
}

#[test]
fn an_amended_request_learns_how_the_first_one_ended() {
    let shop = Shop::open(9);
    let ask = |arguments: &serde_json::Value, owner: Owner| {
        let once = once(Scope::Tokenise, "k", arguments);
        shop.tokenise(&shop.server, once, token(card(VISA), owner))
            .result
            .unwrap_err()
    };
    let nobody = "0192a000-0000-7000-8000-000000000000";
    let first = ask(&json!({"data": 1}), for_customer(nobody));
    let amended = ask(&json!({"data": 2}), Owner::Nobody);
    assert_eq!(amended.code, Code::KeyReused);
    assert_eq!(amended.first.as_deref(), Some(first.code.text()));
    assert!(
        amended
            .message
            .contains("ended with error.customer.not-found"),
        "{}",
        amended.message
    );
}

#[test]
fn twenty_at_once_with_one_key_make_one_token_and_leave_one_number() {
    for seed in 0..10 {
        let shop = Shop::open(seed);
        let customer = shop.create_customer("Ada");
        let arguments = json!({"data": 1});
        let ask = |n: usize| -> BoxFuture<'static, Response<TokenView>> {
            // Half of them reach another node.
            let engine = if n.is_multiple_of(2) {
                shop.engine.clone()
            } else {
                shop.another_node()
            };
            let (server, once) = (shop.server.clone(), once(Scope::Tokenise, "k", &arguments));
            let command = token(card(VISA), for_customer(customer.to_string()));
            Box::pin(async move { engine.tokenise(&server, once, Ok(command)).await })
        };
        let reported = shop.at_once((0..20).map(ask).collect());
        assert_eq!(
            reported
                .iter()
                .filter(|reported| !reported.replayed)
                .count(),
            1
        );
        let first = reported[0].result.clone().unwrap();
        assert!(
            reported
                .iter()
                .all(|reported| reported.result.as_ref().unwrap() == &first)
        );
        assert_eq!(shop.tokens(customer), [first.method.token]);
        assert_eq!(shop.sealed(), 1, "the numbers of the others are erased");
    }
}

#[test]
fn twenty_cards_at_once_for_one_customer_are_all_stored_and_one_is_the_default() {
    let shop = Shop::open(10);
    let customer = shop.create_customer("Ada");
    let ask = |n: usize| -> BoxFuture<'static, Response<TokenView>> {
        let engine = if n.is_multiple_of(2) {
            shop.engine.clone()
        } else {
            shop.another_node()
        };
        let server = shop.server.clone();
        let command = token(card(VISA), for_customer(customer.to_string()));
        Box::pin(async move { engine.tokenise(&server, None, Ok(command)).await })
    };
    let reported = shop.at_once((0..20).map(ask).collect());
    assert!(reported.iter().all(|reported| reported.result.is_ok()));
    assert_eq!(shop.tokens(customer).len(), 20);
    assert!(shop.default_of(customer).is_some());
    let defaults = reported
        .iter()
        .filter(|reported| reported.result.as_ref().unwrap().method.is_default)
        .count();
    assert_eq!(defaults, 1);
}

#[test]
fn a_client_token_stores_for_nobody_and_for_the_customers_it_may_name_alone() {
    let shop = Shop::open(11);
    let (ada, eve) = (shop.create_customer("Ada"), shop.create_customer("Eve"));
    let browser = shop.client(ClientGrant {
        customer: Some(ada),
        ..ClientGrant::default()
    });
    let ask = |owner| {
        shop.tokenise(&browser, None, token(card(VISA), owner))
            .result
    };
    assert!(ask(Owner::Nobody).is_ok());
    assert!(ask(for_customer(ada.to_string())).is_ok());
    let bea = ask(Owner::New(person("Bea"))).unwrap().customer.unwrap();
    assert_eq!(bea.made_by, Some(browser.key));
    assert!(ask(for_customer(bea.id.to_string())).is_ok());
    let cid = shop.create_customer_by(&browser, person("Cid")).unwrap();
    assert!(ask(for_customer(cid.to_string())).is_ok());
    assert_eq!(
        ask(for_customer(eve.to_string())).unwrap_err().code,
        Code::CustomerNotFound
    );
    let other = shop.client(ClientGrant::default());
    let foreign = shop
        .tokenise(
            &other,
            None,
            token(card(VISA), for_customer(cid.to_string())),
        )
        .result;
    assert_eq!(foreign.unwrap_err().code, Code::CustomerNotFound);
    assert!(shop.tokens(eve).is_empty());
    assert_eq!(shop.sealed(), 5);
}

#[test]
fn a_key_is_the_teams_and_another_browser_learns_nothing_by_it() {
    let shop = Shop::open(61);
    let browser = shop.client(ClientGrant::default());
    let arguments = serde_json::json!({"data": 1});
    let key = || once(Scope::Tokenise, "order-2", &arguments);
    let wanted = || token(card("4242424242424242"), Owner::Nobody);
    let theirs = shop.tokenise(&browser, key(), wanted());
    let ours = shop.tokenise(&shop.server, key(), wanted());
    assert!(ours.replayed && !theirs.replayed);
    assert_eq!(
        ours.result.unwrap().method.token,
        theirs.result.unwrap().method.token
    );
    assert!(shop.tokenise(&browser, key(), wanted()).replayed);
    // Whether or not it asks for the same.
    for arguments in [arguments.clone(), serde_json::json!({"data": 2})] {
        let another = shop.client(ClientGrant::default());
        let key = once(Scope::Tokenise, "order-2", &arguments);
        let reported = shop.tokenise(&another, key, wanted());
        let fault = reported.result.unwrap_err();
        assert_eq!(fault.code, Code::KeyReused);
        assert!(fault.id.is_none() && fault.first.is_none() && !reported.replayed);
    }
    assert_eq!(shop.sealed(), 1);
}

#[test]
fn a_record_that_names_another_ones_number_pays_with_neither() {
    let shop = Shop::open(31);
    let customer = shop.create_customer("Ada");
    let tokens = [shop.add(customer, VISA), shop.add(customer, MASTERCARD)];
    let method = |token: &VaultToken| {
        let found = store::method::of_team(&shop.store, shop.team, token);
        shop.run(found).unwrap().unwrap()
    };
    let (mut one, other) = (method(&tokens[0]), method(&tokens[1]));
    one.blob = other.blob;
    let body = serde_json::to_string(&one).unwrap();
    let swap = db::Statement::one(
        "update method set body = $3, blob_id = $4 where team_id = $1 and token = $2",
        vec![
            shop.team.key().into(),
            tokens[0].as_str().into(),
            body.into(),
            other.blob.key().into(),
        ],
    );
    let change = db::Change::new(db::ChangeId(7), "swap").with(swap);
    shop.run(shop.store.commit(change)).unwrap();
    let paid = shop.pay(customer, None).result.unwrap();
    assert_eq!(paid.status(), domain::payment::Status::Failed);
    // Nor does a whole record in another one's place.
    let whole = serde_json::to_string(&other).unwrap();
    let swap = db::Statement::one(
        "update method set body = $3 where team_id = $1 and token = $2",
        vec![
            shop.team.key().into(),
            tokens[0].as_str().into(),
            whole.into(),
        ],
    );
    let change = db::Change::new(db::ChangeId(8), "swap").with(swap);
    shop.run(shop.store.commit(change)).unwrap();
    let fault = shop.pay(customer, None).result.unwrap_err();
    assert_eq!(fault.code, Code::Unknown);
}
