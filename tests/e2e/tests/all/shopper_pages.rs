//! The pages for shoppers and those of the sandbox, as a browser loads them: languages, escaping, files, the explorer.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use testkit::{
    Order, Setup, Shop, cards,
    http::{Reply, Request},
    path_of,
};

use crate::shared;

fn get(shop: &Shop, path: &str, language: &str) -> Reply {
    Request::new("GET", path)
        .header("Accept-Language", language)
        .send(shop.address())
}

fn challenge(shop: &Shop, order: &Order) -> String {
    let answer = shop.try_authorise(order, None);
    path_of(answer.extension("url").as_str().unwrap())
}

/// What a page links to.
fn links(page: &str) -> Vec<&str> {
    let values = page
        .split(" href=\"")
        .skip(1)
        .chain(page.split(" src=\"").skip(1));
    values.filter_map(|rest| rest.split('"').next()).collect()
}

/// What a page of 3D Secure says in a language.
struct Said {
    asked: &'static str,
    title: &'static str,
    amount: &'static str,
    card: &'static str,
}

const fn said(
    asked: &'static str,
    title: &'static str,
    amount: &'static str,
    card: &'static str,
) -> Said {
    Said {
        asked,
        title,
        amount,
        card,
    }
}

const LANGUAGES: [Said; 7] = [
    said(
        "en",
        "Confirm your payment",
        "€1,234.56",
        "Visa ending in 3184",
    ),
    said(
        "fr-CA, en;q=0.5",
        "Confirmez votre paiement",
        "1\u{202f}234,56\u{a0}€",
        "Visa se terminant par 3184",
    ),
    said(
        "de-DE",
        "Bestätigen Sie Ihre Zahlung",
        "1.234,56\u{a0}€",
        "Visa mit den Endziffern 3184",
    ),
    said(
        "es",
        "Confirme su pago",
        "1234,56\u{a0}€",
        "Visa terminada en 3184",
    ),
    said(
        "nl",
        "Bevestig uw betaling",
        "€\u{a0}1.234,56",
        "Visa eindigend op 3184",
    ),
    said(
        "xx, pt;q=0.1",
        "Confirme o seu pagamento",
        "€\u{a0}1.234,56",
        "Visa terminado em 3184",
    ),
    said(
        "ja",
        "Confirm your payment",
        "€1,234.56",
        "Visa ending in 3184",
    ),
];

#[test]
fn a_page_names_shop_amount_and_card_in_the_shoppers_language() {
    let server = Setup::new().start();
    let shop = server.shop();
    let rename = "mutation($name: String) { updateTeam(settings: { name: $name }) { id } }";
    shop.gql(rename, json!({ "name": "Kaffee <am> \"Hafen\" & Co" }))
        .root();
    let order = Order::card(cards::CHALLENGE)
        .with("amount", json!(123_456))
        .with("statementDescriptor", json!("<b>Hafen</b>"));
    let path = challenge(&shop, &order);
    for Said {
        asked,
        title,
        amount,
        card,
    } in LANGUAGES
    {
        let page = get(&shop, &path, asked);
        let text = page.text();
        for expected in [
            &format!("<h1>{title}</h1>"),
            &format!("<title>TEST · {title}</title>"),
            amount,
            card,
            "Kaffee &#60;am&#62; &#34;Hafen&#34; &#38; Co",
            "&#60;b&#62;Hafen&#60;/b&#62;",
        ] {
            assert!(text.contains(expected), "{asked}: no {expected}: {text}");
        }
        let code = page.header("content-language").unwrap();
        assert!(text.contains(&format!("<html lang=\"{code}\">")), "{text}");
        assert!(
            !text.contains("<b>") && !text.contains(cards::CHALLENGE),
            "{text}"
        );
    }
}

#[test]
fn the_way_back_has_the_same_look_and_says_the_same() {
    let shop = shared::shop();
    let detour = shop.challenged(&Order::card(cards::CHALLENGE));
    let decided = shop.post_outcome(&detour.url, "complete");
    let back = path_of(decided.header("location").unwrap());
    let page = get(&shop, &back, "de");
    let text = page.text();
    for expected in [
        "<h1>Vielen Dank</h1>",
        "Visa mit den Endziffern 3184",
        "pages.css",
        "name=\"theme-color\"",
    ] {
        assert!(text.contains(expected), "no {expected}: {text}");
    }
    let stranger = get(&shop, "/3ds/AAAA", "de").text();
    assert!(
        stranger.contains("<h1>Diese Seite gibt es nicht</h1>"),
        "{stranger}"
    );
    assert!(!stranger.contains("class=\"facts\""), "{stranger}");
}

#[test]
fn pages_link_to_files_of_the_service_that_never_change() {
    let shop = shared::shop();
    let path = challenge(&shop, &Order::card(cards::CHALLENGE));
    for (page, has_script) in [(path.as_str(), false), ("/", false), ("/explorer", true)] {
        let reply = get(&shop, page, "en");
        let policy = reply.header("content-security-policy").unwrap().to_owned();
        assert!(policy.starts_with("default-src 'none'; "), "{policy}");
        assert!(
            !policy.contains("unsafe") && policy.contains("style-src 'self'"),
            "{policy}"
        );
        assert_eq!(policy.contains("script-src 'self'"), has_script, "{policy}");
        assert_eq!(
            policy.contains("frame-ancestors 'none'"),
            page != path,
            "{policy}"
        );
        assert_eq!(reply.header("cache-control"), Some("no-store"));
        let text = reply.text();
        assert!(
            !text.contains("<style") && !text.contains(" style="),
            "{text}"
        );
        let files: Vec<&str> = links(&text)
            .into_iter()
            .filter(|link| link.contains("/pages/"))
            .collect();
        assert!(files.len() >= 2, "{files:?}");
        for file in files {
            let found = get(&shop, file, "en");
            assert_eq!(found.status, 200, "{file}");
            assert_eq!(
                found.header("cache-control"),
                Some("public, max-age=31536000, immutable")
            );
            let other = file.replacen("/pages/v1/", "/pages/v1/0", 1);
            assert_eq!(get(&shop, &other, "en").status, 404, "{other}");
        }
    }
}

/// A text with what is known in the place of `{{name}}`.
fn filled(value: &Value, known: &BTreeMap<String, String>, n: usize) -> Value {
    let mut text = value
        .to_string()
        .replace("{{random}}", &format!("example-{n}"));
    for (name, known) in known {
        text = text.replace(&format!("{{{{{name}}}}}"), known);
    }
    assert!(!text.contains("{{"), "{text}");
    serde_json::from_str(&text).unwrap()
}

#[test]
fn every_example_of_the_explorer_works_in_its_order() {
    let server = Setup::new().start();
    let shop = server.shop();
    let page = get(&shop, "/explorer", "en").text();
    let script = links(&page)
        .into_iter()
        .find(|link| link.ends_with("/main.js"))
        .unwrap();
    let examples = get(&shop, &script.replace("main.js", "examples.json"), "en");
    let examples: Vec<Value> = serde_json::from_slice(&examples.body).unwrap();
    assert!(examples.len() >= 12);
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for (n, example) in examples.iter().enumerate() {
        let id = example["id"].as_str().unwrap();
        let lines = example["document"].as_array().unwrap().iter();
        let document: Vec<&str> = lines.map(|line| line.as_str().unwrap()).collect();
        let document = document.join("\n");
        if document.starts_with("subscription") {
            continue;
        }
        if id == "disputes" {
            // The simulator reports it two seconds after the capture.
            shop.wait_for_status(&known["disputed"], "DISPUTED");
        }
        let variables = filled(example.get("variables").unwrap_or(&json!({})), &known, n);
        let headers = filled(example.get("headers").unwrap_or(&json!({})), &known, n);
        let answer = shop.gql_once(&document, variables, headers["X-Idempotency-Key"].as_str());
        if id == "three-d-secure" {
            answer.assert_error("error.authorize.requires3DSecure");
        } else {
            assert!(answer.errors().is_empty(), "{id}: {}", answer.json());
            assert!(!answer.root().is_null(), "{id}: {}", answer.json());
        }
        for (name, pointer) in example["keeps"].as_object().into_iter().flatten() {
            let value = answer.json().pointer(pointer.as_str().unwrap());
            let value = value
                .and_then(Value::as_str)
                .unwrap_or_else(|| panic!("{id} has no {pointer}"));
            known.insert(name.clone(), value.to_owned());
        }
    }
}
