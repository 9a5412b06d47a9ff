//! A table of card ranges: what is known of a card before anybody is asked, and the choice among its brands.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};
use testkit::{Order, Server, Setup, Shop, cards};

/// Ranges of published test numbers.
const TABLE: &str = "# test cards\n424242,CARTES_BANCAIRES VISA,FRA,debit,Example Bank\n5555,MASTERCARD,IRL,credit\n40000027,VISA,,\n";

/// A file with a table, and the configuration that names it.
fn configured(dir: &tempfile::TempDir, table: &str) -> (PathBuf, String) {
    let file = dir.path().join("card-ranges.csv");
    fs::write(&file, table).unwrap();
    let config = format!("[cards]\nranges = {:?}\n", file.to_str().unwrap());
    (file, config)
}

fn server(dir: &tempfile::TempDir) -> Server {
    let (_, config) = configured(dir, TABLE);
    Setup::new().config(&config).start()
}

fn brands(shop: &Shop, iin: &str) -> testkit::Answer {
    shop.gql(
        "query($iin: String!) { cardBrands(iin: $iin) }",
        json!({ "iin": iin }),
    )
}

fn tokenise(shop: &Shop, number: &str, preferred: Value) -> testkit::Answer {
    let query = "mutation($data: TokenInput!) { tokenisePaymentMethod(data: $data) { token card { brand type } } }";
    let mut card = Shop::card(number);
    card["preferredBrand"] = preferred;
    shop.gql(query, json!({"data": {"paymentMethod": {"card": card}}}))
}

#[test]
fn the_first_eight_digits_tell_the_brands_and_nothing_is_kept_of_them() {
    let dir = tempfile::tempdir().unwrap();
    let server = server(&dir);
    let (shop, browser) = (server.shop(), server.shop().client(json!({})));
    for (iin, expected) in [
        ("42424242", json!(["CARTES_BANCAIRES", "VISA"])),
        ("55555555", json!(["MASTERCARD"])),
        ("37828224", json!([])),
    ] {
        for asker in [&shop, &browser] {
            assert_eq!(brands(asker, iin).root(), &expected, "{iin}");
        }
    }
    for wrong in [
        "",
        "4242424",
        "424242424",
        "4242 4242",
        "4242424242424242",
        "４２４２４２４２",
    ] {
        let refused = brands(&browser, wrong);
        refused.assert_invalid("iin");
        assert!(
            wrong.is_empty() || !refused.json().to_string().contains(wrong),
            "{wrong}"
        );
    }
    assert!(!server.log().contains("42424242"));
    let none = Setup::new().start_shared().shop();
    assert_eq!(brands(&none, "42424242").root(), &json!([]));
}

#[test]
fn the_chosen_brand_reaches_the_processor() {
    let dir = tempfile::tempdir().unwrap();
    let server = server(&dir);
    let shop = server.shop();
    let stored = tokenise(&shop, cards::VISA, json!("CARTES_BANCAIRES"));
    assert_eq!(
        stored.root()["card"],
        json!({"brand": "CARTES_BANCAIRES", "type": "DEBIT"})
    );
    let token = stored.root()["token"].as_str().unwrap();
    let paid = shop.order(&Order::token(token));
    paid.assert_status("SUCCEEDED");
    let chosen = json!("CARTES_BANCAIRES");
    let raw = Order::card(cards::VISA).with("paymentMethod/card/preferredBrand", chosen);
    shop.order(&raw).assert_status("SUCCEEDED");
    let usual = tokenise(&shop, cards::VISA, json!("VISA"));
    assert_eq!(usual.root()["card"]["brand"], "VISA");
    shop.order(&Order::token(usual.root()["token"].as_str().unwrap()))
        .assert_status("SUCCEEDED");
    let books: Value = serde_json::from_slice(&shop.get("/sandbox/books").body).unwrap();
    let entries = books["entries"].as_array().unwrap();
    let chosen = entries
        .iter()
        .filter(|entry| entry["brand"] == "CARTES_BANCAIRES")
        .count();
    let silent = entries
        .iter()
        .filter(|entry| entry.get("brand").is_none())
        .count();
    assert_eq!((chosen, silent), (2, 1), "{books}");

    for wrong in ["MASTERCARD", "cartes_bancaires", "PAYPAL", "x"] {
        tokenise(&shop, cards::VISA, json!(wrong))
            .assert_invalid("data.paymentMethod.card.preferredBrand");
    }
    tokenise(&shop, cards::MASTERCARD, json!("CARTES_BANCAIRES"))
        .assert_invalid("data.paymentMethod.card.preferredBrand");
    shop.assert_books_equal_payments();
}

#[test]
fn conditions_know_country_and_funding_before_the_authorisation() {
    let dir = tempfile::tempdir().unwrap();
    let server = server(&dir);
    let shop = server.shop();
    shop.publish(
        "by-card",
        json!([
            {"if": "card.country == 'FR' && card.funding == 'DEBIT'",
             "then": [{"authorise": {"connection": "simulator-b"}}],
             "else": [{"authorise": {"connection": "simulator-a"}}]},
        ]),
    );
    let connection = |order: Order| {
        let payment = shop.order(&order.flow("by-card"));
        let read = "query($id: ID!) { getPayment(id: $id) { connectionId } }";
        shop.gql(read, json!({ "id": payment.id() })).root()["connectionId"].clone()
    };
    assert_eq!(connection(Order::card(cards::VISA)), "simulator-b");
    assert_eq!(
        connection(Order::token(&shop.tokenise(cards::VISA))),
        "simulator-b"
    );
    assert_eq!(connection(Order::card(cards::MASTERCARD)), "simulator-a");
    assert_eq!(connection(Order::card("378282246310005")), "simulator-a");
}

#[test]
fn a_table_that_cant_be_read_stops_the_start() {
    for (table, why) in [
        (
            "424242,VISA,FRA,debit\n4242,,FRA,debit\n",
            "line 2: must have 1 to 4 brands",
        ),
        (
            "424242,VISA,FRA,debit\n42424242,VISA,FRA,debit\n",
            "overlap",
        ),
        ("", "it has no range"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let (_, config) = configured(&dir, table);
        let said = Setup::new().config(&config).start_refused();
        assert!(
            said.contains(why) && said.contains("cards.ranges"),
            "{said}"
        );
    }
    let said = Setup::new()
        .config("[cards]\nranges = \"/nowhere/at-all.csv\"\n")
        .start_refused();
    assert!(said.contains("cards.ranges: /nowhere/at-all.csv"), "{said}");
}

#[test]
fn a_check_of_flows_warns_only_where_there_is_no_table() {
    let dir = tempfile::tempdir().unwrap();
    let (_, config) = configured(&dir, TABLE);
    let (with, flow) = (dir.path().join("pointsman.toml"), dir.path().join("f.yaml"));
    fs::write(&with, config).unwrap();
    fs::write(&flow, "name: N\ntrigger: payment\nsteps:\n- if: card.country == 'FR'\n  then:\n  - note: French\n- authorise:\n    connection: a\n").unwrap();
    let check = |more: &[&str]| {
        let arguments: Vec<&str> = ["flow", "check", flow.to_str().unwrap()]
            .into_iter()
            .chain(more.iter().copied())
            .collect();
        let output = Setup::new()
            .command(dir.path(), &arguments)
            .output()
            .unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(check(&[]).contains("cards.ranges"));
    assert_eq!(check(&["--config", with.to_str().unwrap()]), "");
}
