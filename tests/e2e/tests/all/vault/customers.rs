//! Customers: create, read, change, list.

use serde_json::{Value, json};
use testkit::{Setup, Shop, cards};

use crate::shared;

#[test]
fn a_customer_comes_back_as_it_was_given() {
    let shop = shared::shop();
    let given = json!({
        "name": "Ada Byron", "email": "ada@example.com", "phone": "+44 20 7946 0018", "description": "likes engines",
        "billingAddress": {"line1": "12 St James's Square", "line2": "Flat 1", "city": "London", "postalCode": "SW1Y 4JH",
            "state": "Greater London", "country": "GB"},
        "shippingAddress": {"name": "Ada", "phone": "1", "address": {"line1": "Ashley Combe", "line2": null, "city": "Porlock",
            "postalCode": "TA24", "state": null, "country": "GB"}},
        "company": {"name": "Analytical Ltd", "number": "7", "taxId": "T1", "vatId": "GB1"},
    });
    let id = shop
        .try_create_customer(json!({"customer": given}), None)
        .root()
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(id.len(), 36, "an id is a UUID");
    let shown = shop.customer(&id);
    for (field, value) in given.as_object().unwrap() {
        assert_eq!(&shown[field], value, "{field}");
    }
    assert_eq!(shown["id"], json!(id));
    assert_eq!(shown["defaultPaymentMethod"], Value::Null);
    for field in ["systemCreated", "systemUpdated"] {
        let time = shown[field].as_str().unwrap();
        assert!(time.len() == 20 && time.ends_with('Z'), "{field}: {time}");
    }
}

#[test]
fn with_a_card_the_customer_has_a_default_method() {
    let shop = shared::shop();
    let data = json!({"customer": {"name": "Ada"}, "card": Shop::card(cards::VISA)});
    let id = shop
        .try_create_customer(data, None)
        .root()
        .as_str()
        .unwrap()
        .to_owned();
    let methods = shop.methods(&id);
    assert_eq!(methods.len(), 1);
    assert_eq!(methods[0]["isDefault"], json!(true));
    assert_eq!(
        shop.customer(&id)["defaultPaymentMethod"],
        methods[0]["token"]
    );
}

#[test]
fn a_bad_card_makes_no_customer() {
    let server = Setup::new().start();
    let shop = server.shop();
    let mut card = Shop::card(cards::VISA);
    card["number"] = json!("4242424242424241");
    shop.try_create_customer(json!({"customer": {"name": "Ada"}, "card": card}), None)
        .assert_invalid("number");
    let listed = shop.gql(
        "{ listCustomers { edges { cursor } pageInfo { totalSize } } }",
        json!({}),
    );
    assert_eq!(listed.root()["edges"], json!([]));
}

#[test]
fn a_name_is_needed_and_an_id_refused() {
    let shop = shared::shop();
    for customer in [
        json!({}),
        json!({"name": ""}),
        json!({"name": null}),
        json!({"email": "a@example.com"}),
    ] {
        shop.try_create_customer(json!({"customer": customer}), None)
            .assert_invalid("name");
    }
    let known = shop.create_customer("Ada");
    for id in [known.as_str(), "0192a000-0000-7000-8000-000000000000"] {
        shop.try_create_customer(json!({"customer": {"name": "Ada", "id": id}}), None)
            .assert_invalid("id");
    }
}

#[test]
fn an_update_changes_what_is_given_clears_nulls_and_leaves_the_rest() {
    let shop = shared::shop();
    let customer = json!({"name": "Ada", "email": "ada@example.com", "phone": "1", "billingAddress": {"city": "London"}});
    let id = shop
        .try_create_customer(json!({"customer": customer}), None)
        .root()
        .as_str()
        .unwrap()
        .to_owned();
    let change = json!({"email": "byron@example.com", "phone": null});
    assert_eq!(shop.try_update_customer(&id, change).root(), &json!(true));
    let shown = shop.customer(&id);
    assert_eq!(shown["name"], "Ada");
    assert_eq!(shown["email"], "byron@example.com");
    assert_eq!(shown["phone"], Value::Null);
    assert_eq!(shown["billingAddress"]["city"], "London");
    shop.try_update_customer(&id, json!({"name": "Ada Byron", "billingAddress": null}))
        .data();
    assert_eq!(shop.customer(&id)["name"], "Ada Byron");
    assert!(shop.customer(&id)["billingAddress"].is_null());
}

#[test]
fn a_name_cannot_be_cleared_and_a_refused_update_changes_nothing() {
    let shop = shared::shop();
    let id = shop.create_customer("Ada");
    for name in [json!(null), json!("")] {
        shop.try_update_customer(&id, json!({"name": name, "email": "new@example.com"}))
            .assert_invalid("name");
    }
    for email in ["nope", "a@b@c.example", &"x".repeat(1000)] {
        shop.try_update_customer(&id, json!({"email": email}))
            .assert_invalid("email");
    }
    assert_eq!(shop.customer(&id)["name"], "Ada");
    assert_eq!(shop.customer(&id)["email"], Value::Null);
}

#[test]
fn an_unknown_customer_is_not_found() {
    let shop = shared::shop();
    for id in [
        "0192a000-0000-7000-8000-000000000000",
        "nobody",
        "",
        "' or 1=1 --",
    ] {
        shop.try_customer(id)
            .assert_error("error.customer.not-found");
        shop.try_update_customer(id, json!({"name": "x"}))
            .assert_error("error.customer.not-found");
        shop.try_methods(id)
            .assert_error("error.customer.not-found");
        shop.try_delete_customer(id)
            .assert_error("error.customer.not-found");
    }
}

#[test]
fn customers_are_listed_newest_first_by_page_and_found_by_email_or_name() {
    let server = Setup::new().start();
    let shop = server.shop();
    let ids: Vec<String> = ["Ada", "Bea", "Cid"]
        .iter()
        .map(|name| {
            let customer =
                json!({"name": name, "email": format!("{}@example.com", name.to_lowercase())});
            shop.try_create_customer(json!({"customer": customer}), None)
                .root()
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    let query = "query($first: Int, $after: String, $email: String, $name: String) { \
        listCustomers(first: $first, after: $after, email: $email, name: $name) { \
        edges { cursor node { id name } } pageInfo { hasNextPage hasPreviousPage endCursor totalSize } } }";
    let page = shop.gql(query, json!({"first": 2}));
    assert_eq!(ids_of(page.root()), [ids[2].as_str(), ids[1].as_str()]);
    assert_eq!(page.root()["pageInfo"]["hasNextPage"], json!(true));
    assert_eq!(page.root()["pageInfo"]["totalSize"], json!(3));
    let rest = shop.gql(
        query,
        json!({"first": 2, "after": page.root()["pageInfo"]["endCursor"]}),
    );
    assert_eq!(ids_of(rest.root()), [ids[0].as_str()]);
    assert_eq!(rest.root()["pageInfo"]["hasNextPage"], json!(false));
    assert_eq!(
        ids_of(shop.gql(query, json!({"email": "bea@example.com"})).root()),
        [ids[1].as_str()]
    );
    assert_eq!(
        ids_of(shop.gql(query, json!({"name": "Cid"})).root()),
        [ids[2].as_str()]
    );
    assert!(
        ids_of(
            shop.gql(query, json!({"email": "nobody@example.com"}))
                .root()
        )
        .is_empty()
    );
}

fn ids_of(page: &Value) -> Vec<&str> {
    page["edges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| edge["node"]["id"].as_str().unwrap())
        .collect()
}
