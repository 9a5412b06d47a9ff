//! Payment links.

use serde_json::{Value, json};
use testkit::{
    Order, PATIENCE, Server, Setup, Shop, at_once, cards,
    http::{Reply, Request},
    path_of, until,
};

const LINK: &str = "{ id url status amount currencyCode flowId orderId description intentId singleUse returnUrl paymentId expires ended }";

pub(super) fn create(shop: &Shop, more: Value) -> Value {
    let mut given = json!({"amount": 5099, "currencyCode": "EUR", "orderId": "o-1", "description": "Two boxes of tea"});
    for (name, value) in more.as_object().unwrap() {
        given[name] = value.clone();
    }
    let query = format!(
        "mutation($amount: Long!, $currencyCode: String!, $orderId: String, $description: String, $expiresAt: DateTime, $singleUse: Boolean, \
         $returnUrl: String, $intentId: ID, $flowId: ID) {{ createPaymentLink(amount: $amount, currencyCode: $currencyCode, orderId: $orderId, \
         description: $description, expiresAt: $expiresAt, singleUse: $singleUse, returnUrl: $returnUrl, intentId: $intentId, flowId: $flowId) {LINK} }}"
    );
    shop.gql(&query, given).json()["data"]["createPaymentLink"].clone()
}

pub(super) fn read(shop: &Shop, link: &Value) -> Value {
    let query = format!("query($id: ID!) {{ getPaymentLink(id: $id) {LINK} }}");
    shop.gql(&query, json!({"id": link["id"]})).root().clone()
}

pub(super) fn open(server: &Server, link: &Value) -> Reply {
    let path = path_of(link["url"].as_str().unwrap());
    Request::new("GET", path).send(server.address())
}

/// The browser of somebody who has the page open: its client token.
pub(super) fn browser(server: &Server, page: &Reply) -> Shop {
    let text = page.text();
    let at = text
        .find("ct_test_")
        .unwrap_or_else(|| panic!("no form: {text}"));
    let token = text[at..].split("&#34;").next().unwrap();
    server.shop_with(token)
}

/// What the page's script sends.
pub(super) fn order(card: &str, link: &Value) -> Order {
    let order = Order::card(card)
        .amount(5099)
        .flow(link["flowId"].as_str().unwrap());
    match link["intentId"].as_str() {
        Some(intent) => order.with("intentId", json!(intent)),
        None => order,
    }
}

#[test]
fn a_link_is_paid_once_and_then_shows_its_receipt() {
    let server = Setup::new().start();
    let shop = server.shop();
    let link = create(&shop, json!({"returnUrl": "https://shop.example/thanks"}));
    assert_eq!(
        (&link["status"], &link["singleUse"]),
        (&json!("OPEN"), &json!(true))
    );
    let page = open(&server, &link);
    let text = page.text();
    assert_eq!(page.status, 200, "{text}");
    for part in [
        "€50.99",
        "Two boxes of tea",
        "name=\"cardnumber\"",
        "https://shop.example/thanks",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(page.header("cache-control"), Some("no-store"));
    let browser = browser(&server, &page);
    let declined = browser.order(&order(cards::GENERAL_DECLINE, &link));
    declined.assert_status("DECLINED");
    assert_eq!(read(&shop, &link)["status"], "OPEN");
    let paid = browser.order(&order(cards::VISA, &link));
    paid.assert_status("SUCCEEDED");
    let read_again = read(&shop, &link);
    assert_eq!(read_again["status"], "PAID");
    assert_eq!(read_again["paymentId"], paid.id().as_str());
    for _ in 0..2 {
        let receipt = open(&server, &link);
        assert_eq!(receipt.status, 200);
        let text = receipt.text();
        assert!(
            ["Thank you", "Two boxes of tea", "€50.99", "o-1"]
                .iter()
                .all(|part| text.contains(part)),
            "{text}"
        );
        assert!(
            !text.contains("<form") && !text.contains("ct_test_"),
            "{text}"
        );
    }
    let twice = browser.try_authorise(&order(cards::VISA, &link), None);
    twice.assert_error("error.authorize.payment-already-authorized");
    assert_eq!(shop.books().charges(), 1);
    shop.refund(&paid.id(), 5099);
    let refunded = open(&server, &link).text();
    assert!(refunded.contains("refunded in full"), "{refunded}");
    assert!(refunded.contains(">Refunded<"), "{refunded}");
    assert!(!refunded.contains("Thank you"), "{refunded}");
    shop.assert_books_equal_payments();
}

#[test]
fn two_windows_of_one_link_pay_once() {
    let server = Setup::new().start();
    let shop = server.shop();
    let link = create(&shop, json!({}));
    let windows: Vec<Shop> = (0..4)
        .map(|_| browser(&server, &open(&server, &link)))
        .collect();
    at_once(windows.len(), |window| {
        let answer = windows[window].try_authorise(&order(cards::VISA, &link), None);
        if answer.error_code().is_some() {
            answer.assert_error("error.authorize.payment-already-authorized");
        }
    });
    assert_eq!(shop.books().charges(), 1);
    assert_eq!(read(&shop, &link)["status"], "PAID");
    shop.assert_books_equal_payments();
}

#[test]
fn a_link_for_many_gives_each_visit_a_payment_of_its_own() {
    let server = Setup::new().start();
    let shop = server.shop();
    let link = create(&shop, json!({"singleUse": false}));
    assert_eq!(link["intentId"], Value::Null);
    for _ in 0..2 {
        let visitor = browser(&server, &open(&server, &link));
        let payment = visitor.order(&order(cards::VISA, &link));
        payment.assert_status("SUCCEEDED");
        let other = visitor.try_authorise(&order(cards::VISA, &link), None);
        other.assert_error("error.authorize.payment-already-authorized");
    }
    assert_eq!(shop.books().charges(), 2);
    assert_eq!(read(&shop, &link)["status"], "OPEN");
}

#[test]
fn a_visitors_token_pays_what_the_link_is_for_and_reads_nothing_else() {
    let server = Setup::new().start();
    let shop = server.shop();
    let customer = shop.create_customer("Ada");
    shop.tokenise_for(&customer, cards::VISA);
    let link = create(&shop, json!({}));
    let visitor = browser(&server, &open(&server, &link));
    let dearer = visitor.try_authorise(&order(cards::VISA, &link).amount(1), None);
    dearer.assert_invalid("authorisePayment.amount");
    let other = create(&shop, json!({"orderId": "o-2"}));
    for (name, value) in [
        ("currencyCode", json!("USD")),
        ("currencyCode", json!("JPY")),
        ("intentId", other["intentId"].clone()),
        ("flowId", json!("other")),
    ] {
        let changed = order(cards::VISA, &link).with(name, value.clone());
        let changed = visitor.try_authorise(&changed, None);
        assert!(changed.error_code().is_some(), "{name}: {value}");
    }
    assert_eq!(shop.books().charges(), 0);
    let methods = "query($id: String!) { getPaymentMethods(customerId: $id) { token } }";
    visitor
        .gql(methods, json!({"id": customer}))
        .assert_error("error.customer.not-found");
    visitor
        .gql("{ listPaymentLinks { edges { node { id } } } }", json!({}))
        .assert_error("api.key.forbidden");
    assert!(!open(&server, &link).text().contains("customerId"));
}

#[test]
fn a_link_that_has_ended_says_so_and_open_pages_pay_no_more() {
    let server = Setup::new().start();
    let shop = server.shop();
    let link = create(&shop, json!({"returnUrl": "https://shop.example/"}));
    let open_page = browser(&server, &open(&server, &link));
    let end = "mutation($id: ID!) { endPaymentLink(id: $id) }";
    for _ in 0..2 {
        assert_eq!(shop.gql(end, json!({"id": link["id"]})).root(), true);
    }
    assert_eq!(read(&shop, &link)["status"], "ENDED");
    let page = open(&server, &link);
    let text = page.text();
    assert_eq!(page.status, 410);
    assert!(
        text.contains("This link has ended") && text.contains("https://shop.example/"),
        "{text}"
    );
    assert!(!text.contains("<form"));
    open_page
        .try_authorise(&order(cards::VISA, &link), None)
        .assert_refused(401);

    let soon = jiff::Timestamp::now() + std::time::Duration::from_secs(2);
    let soon = soon.to_string();
    let expiring = create(&shop, json!({"expiresAt": soon}));
    until(PATIENCE, "the link ends", || {
        (read(&shop, &expiring)["status"] == "EXPIRED").then_some(())
    });
    let page = open(&server, &expiring);
    assert_eq!(page.status, 410);
    assert!(
        page.text().contains("The time to pay with it is over"),
        "{}",
        page.text()
    );
    assert_eq!(shop.books().charges(), 0);
}

#[test]
fn while_nobody_knows_the_outcome_the_page_asks_the_customer_to_wait_and_asks_by_itself() {
    let server = Setup::new().start();
    let shop = server.shop();
    let link = create(&shop, json!({}));
    let visitor = browser(&server, &open(&server, &link));
    visitor
        .order(&order(cards::HELD, &link))
        .assert_status("GATEWAY_HOLD");
    let page = open(&server, &link);
    let text = page.text();
    assert_eq!(page.status, 202, "{text}");
    assert!(text.contains("Please don’t pay again"), "{text}");
    assert!(text.contains("http-equiv=\"refresh\""), "{text}");
    assert!(
        !text.contains("<form") && !text.contains("ct_test_"),
        "{text}"
    );
    let receipt = until(PATIENCE, "the review ends", || {
        Some(open(&server, &link)).filter(|page| page.status != 202)
    });
    assert!(receipt.text().contains("Thank you"), "{}", receipt.text());
    shop.assert_books_equal_payments();
}

#[test]
fn an_address_that_nobody_gave_out_leads_nowhere() {
    let server = Setup::new().start();
    let (shop, other) = (server.shop(), server.other_team());
    let link = create(&shop, json!({}));
    let path = path_of(link["url"].as_str().unwrap());
    for wrong in [
        "/pay/x".to_owned(),
        format!("{path}A"),
        format!("{}A", &path[..path.len() - 1]),
        "/pay/%ff".to_owned(),
    ] {
        if wrong == path {
            continue;
        }
        let reply = Request::new("GET", wrong.as_str()).send(server.address());
        assert_eq!(reply.status, 404, "{wrong}");
        assert!(
            reply.text().contains("There is no such page"),
            "{}",
            reply.text()
        );
    }
    let listed = |shop: &Shop| {
        let all = shop.gql("{ listPaymentLinks { edges { node { id } } } }", json!({}));
        all.root()["edges"].as_array().unwrap().len()
    };
    assert_eq!((listed(&shop), listed(&other)), (1, 0));
    let log = server.log();
    assert!(!log.contains(path.trim_start_matches("/pay/")), "{log}");
}

#[test]
fn what_a_link_is_made_of_is_checked() {
    let server = Setup::new().start();
    let shop = server.shop();
    let query = "mutation($amount: Long!, $currency: String!, $expiresAt: DateTime, $intentId: ID, $singleUse: Boolean, $orderId: String) \
        { createPaymentLink(amount: $amount, currencyCode: $currency, expiresAt: $expiresAt, intentId: $intentId, singleUse: $singleUse, orderId: $orderId) { id } }";
    let intent = shop.start_intent(json!({"amount": {"amount": 700, "currency": "EUR"}}));
    let id = &intent["id"];
    for (arguments, field) in [
        (json!({"amount": 0, "currency": "EUR"}), "amount"),
        (json!({"amount": 100, "currency": "XXQ"}), "currencyCode"),
        (
            json!({"amount": 100, "currency": "EUR", "expiresAt": "2001-01-01T00:00:00Z"}),
            "expiresAt",
        ),
        (
            json!({"amount": 100, "currency": "EUR", "expiresAt": "2101-01-01T00:00:00Z"}),
            "expiresAt",
        ),
        (
            json!({"amount": 700, "currency": "EUR", "intentId": id, "singleUse": false}),
            "intentId",
        ),
        (
            json!({"amount": 701, "currency": "EUR", "intentId": id}),
            "amount",
        ),
    ] {
        shop.gql(query, arguments).assert_invalid(field);
    }
    let linked = shop.gql(
        query,
        json!({"amount": 700, "currency": "EUR", "intentId": id}),
    );
    assert!(linked.root()["id"].is_string(), "{}", linked.json());
    let public = shop.client(json!({}));
    public
        .gql(query, json!({"amount": 100, "currency": "EUR"}))
        .assert_error("api.key.forbidden");
}

#[test]
fn a_person_makes_lists_and_ends_links_by_command() {
    let server = Setup::new().start();
    let made = server.run(&[
        "link",
        "create",
        "--amount",
        "1250",
        "--currency",
        "EUR",
        "--description",
        "Tea",
        "--expires",
        "7d",
    ]);
    let url = made.lines().last().unwrap().trim().to_owned();
    let page = Request::new("GET", path_of(&url)).send(server.address());
    assert_eq!(page.status, 200);
    assert!(page.text().contains("€12.50"), "{}", page.text());
    let listed = server.run(&["link", "list"]);
    assert!(
        [&url, "OPEN", "€12.50", "Tea"]
            .iter()
            .all(|part| listed.contains(part)),
        "{listed}"
    );
    let id = listed.split_whitespace().next().unwrap().to_owned();
    server.run(&["link", "end", &id]);
    assert!(server.run(&["link", "list"]).contains("ENDED"));
    assert_eq!(
        Request::new("GET", path_of(&url))
            .send(server.address())
            .status,
        410
    );
}

#[test]
fn pages_in_place_of_the_form_are_in_the_customers_language() {
    let server = Setup::new().start();
    let shop = server.shop();
    let link = create(&shop, json!({}));
    let get = |path: &str, accepts: &str| {
        let request = Request::new("GET", path).header("accept-language", accepts);
        request.send(server.address()).text()
    };
    let path = path_of(link["url"].as_str().unwrap());
    let form = get(&path, "de-AT, en;q=0.5");
    for part in [
        "<html lang=\"de\"",
        "50,99",
        ">Kartennummer<",
        "&#34;language&#34;:&#34;de&#34;",
    ] {
        assert!(form.contains(part), "{part}: {form}");
    }
    // The parameter counts before what the browser asks for.
    let form = get(&format!("{path}?language=pt-BR"), "de");
    assert!(form.contains("<html lang=\"pt\""), "{form}");
    let visitor = browser(&server, &open(&server, &link));
    visitor
        .order(&order(cards::VISA, &link))
        .assert_status("SUCCEEDED");
    let name = shop.gql("{ getTeam { name } }", json!({})).root()["name"].clone();
    let receipt = get(&path, "fr");
    let received = format!("{} a reçu votre paiement de 50,99", name.as_str().unwrap());
    for part in [
        "<html lang=\"fr\"",
        "Merci",
        received.as_str(),
        "Commande",
        "se terminant par 4242",
    ] {
        assert!(receipt.contains(part), "{part}: {receipt}");
    }
    for (query, accepts, title) in [
        ("", "es", "Esta página no existe"),
        ("?language=nl", "es", "Deze pagina bestaat niet"),
        ("?language=xx", "es", "There is no such page"),
        ("?language=%7B%22a%22:1", "es", "Esta página no existe"),
    ] {
        let page = get(&format!("/pay/invented{query}"), accepts);
        assert!(page.contains(title), "{query}: {page}");
    }
}
