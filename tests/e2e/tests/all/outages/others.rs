//! What moves no money, or moves it by a person's word: nothing is doubled, and the answer names what may have been made.

use std::time::Duration;

use rusqlite::Connection;
use serde_json::{Value, json};
use testkit::{Answer, Backend, Order, PATIENCE, Payment, Server, Setup, Shop, cards, until};

use super::{Outage, cut_off_when, on_a_database_of_its_own, server};

const AWAY: Duration = Duration::from_secs(12);

/// Sends a request while the database is away already; the database is back afterwards.
fn while_away(server: &Server, ask: impl FnOnce(&Shop) -> Answer) -> Answer {
    let outage = Outage::begin(server);
    let answer = ask(&server.shop());
    outage.end();
    until(PATIENCE, "the service is back", || {
        let asked = server.shop().gql("{ initializeSDK }", json!({}));
        asked.errors().is_empty().then_some(())
    });
    answer
}

/// Nothing was done as far as is known: either that is said, or the thing is named and has to be read.
#[track_caller]
fn is_away(answer: &Answer) {
    assert_eq!(
        answer.error_code(),
        Some("error.unavailable"),
        "{}",
        answer.json()
    );
    let named = answer.extension("id").is_string();
    assert!(
        !(named && answer.message().contains("try again")),
        "{}",
        answer.json()
    );
}

/// Whether a request for a processor's token is in the database.
fn has_begun(server: &Server) -> bool {
    let count = "select count(*) from";
    match server.setup().backend() {
        Backend::Embedded => {
            let store = Connection::open(server.data_dir().join("store.db")).unwrap();
            let sql = format!("{count} token_request");
            store
                .query_row(&sql, [], |row| row.get::<_, i64>(0))
                .is_ok_and(|found| found > 0)
        }
        Backend::Postgres => {
            let schema = Setup::schema(&server.root());
            let sql = format!("{count} {schema}.token_request");
            server.setup().postgres().sql(&sql) != ["0"]
        }
    }
}

#[test]
fn a_processors_token_is_asked_for_under_one_reference() {
    let server = server();
    let vault = server.shop().tokenise(cards::VISA);
    let wanted = json!({
        "vaultToken": vault, "paymentProcessorConnectionId": "slow", "currencyCode": "EUR", "threeDSecureRedirectUrl": "",
    });
    let (answer, _) = cut_off_when(
        &server,
        AWAY,
        || has_begun(&server),
        |shop| shop.try_processor_token(wanted.clone()),
    );
    is_away(&answer);
    assert!(answer.extension("id").is_string(), "{}", answer.json());
    assert!(
        !answer.message().contains("try again"),
        "{}",
        answer.message()
    );
    let shop = server.shop();
    let token = until(PATIENCE, "the token is there", || {
        let asked = shop.try_processor_token(wanted.clone());
        asked
            .errors()
            .is_empty()
            .then(|| asked.root()["token"].clone())
    });
    assert_eq!(
        shop.try_processor_token(wanted.clone()).root()["token"],
        token
    );
    let linked = shop.method(&vault)["linkedPaymentGateways"].clone();
    assert_eq!(linked.as_array().map(Vec::len), Some(1), "{linked}");
    assert_eq!(linked[0]["token"], token);
}

#[test]
fn an_intent_is_completed_once() {
    let server = server();
    let shop = server.shop();
    let id = shop.start_intent(json!({}))["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let paid = shop
        .order(&Order::card(cards::VISA).with("intentId", json!(id)))
        .id();
    let answer = while_away(&server, |shop| shop.try_complete_intent(&id, json!(paid)));
    is_away(&answer);
    // A request whose time ends while the writer has its change gets the answer that this is not confirmed, and the change may be made.
    if answer.message().contains("try again shortly") {
        let before = shop.intent(&id);
        assert_ne!(before["status"], "COMPLETE", "nothing was written");
    } else {
        let message = answer.message();
        assert!(message.contains("not confirmed"), "{message}");
    }
    for _ in 0..2 {
        let complete = shop.try_complete_intent(&id, json!(paid));
        assert_eq!(complete.root()["status"], "COMPLETE");
        assert_eq!(
            complete.root()["linkedPayments"].as_array().map(Vec::len),
            Some(1)
        );
    }
    assert_eq!(shop.books().charges(), 1);
}

fn resolve(shop: &Shop, id: &str, outcome: &str) -> Answer {
    let query = format!(
        "mutation($id: ID!, $outcome: ResolvedOutcome!) {{ \
         resolvePayment(id: $id, outcome: $outcome, evidence: \"a letter\") {{ {} }} }}",
        testkit::PAYMENT_FIELDS
    );
    shop.gql(&query, json!({"id": id, "outcome": outcome}))
}

#[test]
fn a_persons_word_counts_once_the_database_has_it() {
    let server = on_a_database_of_its_own(
        Setup::new()
            .setting("server.request_timeout", "10s")
            .config("[recovery]\nschedule = [\"1h\"]\n"),
    )
    .start();
    let shop = server.shop();
    let id = shop.authorise(cards::UNKNOWN_CHARGED).id();
    is_away(&while_away(&server, |shop| resolve(shop, &id, "CAPTURED")));
    // Said again, whatever the processor has reported meanwhile; then it is settled for good.
    let again = resolve(&shop, &id, "CAPTURED");
    if again.error_code().is_some() {
        again.assert_error("error.resolve.invalid-status");
    } else {
        Payment(again.root().clone()).assert_says("a letter");
    }
    shop.payment(&id).assert_status("SUCCEEDED");
    resolve(&shop, &id, "CAPTURED").assert_error("error.resolve.invalid-status");
    assert_eq!(shop.books().charges(), 1);
    shop.assert_books_equal_payments();
}

#[test]
fn a_method_is_stored_once_under_its_key() {
    let server = server();
    let shop = server.shop();
    let customer = shop.create_customer("Ada");
    let data: Value =
        json!({"paymentMethod": {"card": Shop::card(cards::VISA)}, "customer": {"id": customer}});
    let key = Shop::fresh_key();
    is_away(&while_away(&server, |shop| {
        shop.try_tokenise(data.clone(), Some(&key))
    }));
    let made = shop.try_tokenise(data.clone(), Some(&key));
    let again = shop.try_tokenise(data, Some(&key));
    assert_eq!(made.root()["token"], again.root()["token"]);
    assert_eq!(shop.methods(&customer).len(), 1);
    let paid = shop.order(&Order::token(
        made.root()["token"].as_str().expect("a token"),
    ));
    paid.assert_status("SUCCEEDED");
}
