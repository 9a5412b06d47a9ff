//! The documents against the reference of their markup, and against texts that try to leave their place.

use std::collections::BTreeSet;

use super::*;

const REFERENCE: &str = include_str!("../../../../sdk/src/frame/form.html");
/// Elements without a closing tag.
const VOID: [&str; 4] = ["input", "link", "meta", "img"];

fn assets() -> Assets {
    Assets {
        script: "/sdk/v1/f/checkout.1.js".to_owned(),
        style: "/sdk/v1/f/frame.1.css".to_owned(),
        nonce: String::new(),
    }
}

fn page() -> Hosted {
    Hosted {
        asks_first: false,
        shop_name: "The shop".to_owned(),
        logo: None,
        back: Some("https://shop.example/".to_owned()),
        amount: "€50.99".to_owned(),
        description: None,
        cart: vec![CartLine {
            quantity: "2".to_owned(),
            item: "Tea".to_owned(),
            amount: "€50.99".to_owned(),
        }],
        options: "{}".to_owned(),
        host: "pay.example".to_owned(),
        words: Words::of(Language::English),
        first: FirstOptions::default(),
    }
}

/// The attributes by which the scripts and styles know elements.
fn is_marker(name: &str) -> bool {
    matches!(
        name,
        "id" | "name"
            | "for"
            | "data-part"
            | "data-field"
            | "data-error-for"
            | "aria-describedby"
            | "class"
    ) || name.starts_with("data-text")
}

/// The markers of all elements of a document, each with its element; those of subtrees that `surface` has not are left out.
fn markers(html: &str, surface: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    // The elements that are open, and the depth at which one began that the surface has not.
    let (mut depth, mut left_out) = (0_usize, None);
    let mut rest = html;
    while let Some((_, after)) = rest.split_once('<') {
        if let Some(comment) = after.strip_prefix("!--") {
            rest = comment.split_once("-->").unwrap().1;
            continue;
        }
        let (tag, behind) = after.split_once('>').unwrap();
        rest = behind;
        if tag.starts_with('/') {
            depth -= 1;
            left_out = left_out.filter(|began| *began < depth);
            continue;
        }
        let element = tag.split_whitespace().next().unwrap();
        let attributes = attributes(tag);
        let is_elsewhere = attributes
            .iter()
            .any(|(name, value)| name == "data-on" && !value.split(' ').any(|on| on == surface));
        if left_out.is_none() && is_elsewhere {
            left_out = Some(depth);
        }
        if left_out.is_none() {
            let markers = attributes.iter().filter(|(name, _)| is_marker(name));
            found.extend(markers.map(|(name, value)| format!("{element} {name}={value}")));
        }
        let has_no_end = VOID.contains(&element) || element.starts_with('!') || tag.ends_with('/');
        if has_no_end {
            left_out = left_out.filter(|began| *began != depth);
        } else {
            depth += 1;
        }
    }
    found
}

fn attributes(tag: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = tag;
    while let Some((before, after)) = rest.split_once("=\"") {
        let name = before.split_whitespace().last().unwrap();
        let (value, behind) = after.split_once('"').unwrap();
        found.push((name.to_owned(), value.to_owned()));
        rest = behind;
    }
    found
}

#[test]
fn the_documents_have_the_names_parts_and_text_keys_of_the_reference() {
    for (surface, text) in [
        (
            Surface::Card,
            frame(
                Surface::Card,
                &assets(),
                Mode::Test,
                "https://shop.example",
                true,
            ),
        ),
        (
            Surface::Checkout,
            frame(
                Surface::Checkout,
                &assets(),
                Mode::Test,
                "https://shop.example",
                false,
            ),
        ),
        (Surface::Hosted, hosted(&assets(), Mode::Test, &page())),
    ] {
        let mut expected = markers(REFERENCE, surface.name());
        if surface == Surface::Hosted {
            // Its title says what is to be paid.
            expected.remove("title data-text=card-information.header.label");
        }
        let written = markers(&text, surface.name());
        let missing: Vec<_> = expected.difference(&written).collect();
        let more: Vec<_> = written.difference(&expected).collect();
        assert!(
            missing.is_empty() && more.is_empty(),
            "{surface:?} lacks {missing:?} and has {more:?}"
        );
        assert!(expected.len() > 60, "{}", expected.len());
        assert!(!text.contains("{{") && !text.contains("data-on"), "{text}");
    }
}

#[test]
fn the_form_without_a_script_sends_nothing_by_itself() {
    let text = hosted(&assets(), Mode::Live, &page());
    assert!(text.contains("method=\"post\" novalidate"), "{text}");
    assert!(
        text.contains("<fieldset id=\"pm-fields\" disabled>"),
        "{text}"
    );
    assert!(text.contains("<noscript>"), "{text}");
    for inline in [" style=", "<style", " onclick", "<script>", "javascript:"] {
        assert!(!text.contains(inline), "{inline}");
    }
}

#[test]
fn texts_of_others_are_escaped_wherever_they_stand() {
    const EVIL: &str = "\"'><script>alert(1)</script>\u{0}";
    let evil = || EVIL.to_owned();
    let page = Hosted {
        asks_first: true,
        shop_name: evil(),
        logo: Some(evil()),
        back: Some(evil()),
        amount: evil(),
        description: Some(evil()),
        cart: vec![CartLine {
            quantity: evil(),
            item: evil(),
            amount: evil(),
        }],
        options: evil(),
        host: evil(),
        words: Words::chosen(
            Some(
                &serde_json::json!({"language": evil(), "pay-button.label": evil(), "card.number.placeholder": evil()}),
            ),
            Language::English,
        ),
        first: FirstOptions {
            methods: vec![evil()],
            pay_button: Some(evil()),
            saved: Some(SavedChoice {
                cards: vec![saved(EVIL, EVIL, 5, true)],
                asks_code: false,
            }),
            ..FirstOptions::default()
        },
    };
    for text in [
        hosted(&assets(), Mode::Live, &page),
        frame(Surface::Checkout, &assets(), Mode::Live, EVIL, true),
        challenge(&assets(), Mode::Live, EVIL),
        back(&assets(), Mode::Live, EVIL),
        refused(Refused::NotAllowed { origin: EVIL }, "/style"),
    ] {
        assert!(
            !text.contains("<script>") && !text.contains('\u{0}'),
            "{text}"
        );
        assert!(text.contains("&#34;&#39;&#62;&#60;script&#62;"), "{text}");
    }
}

#[test]
fn a_page_that_is_refused_names_the_setting() {
    let text = refused(
        Refused::NotAllowed {
            origin: "https://shop.example",
        },
        "/style",
    );
    for word in [
        "https://shop.example",
        "allowedOrigins",
        "server.allowed_origins",
    ] {
        assert!(text.contains(word), "{text}");
    }
    assert!(!text.contains("<script"), "{text}");
}

#[test]
fn what_the_script_would_write_is_there_from_the_start() {
    let page = Hosted {
        words: Words::of(Language::German),
        first: FirstOptions {
            methods: ["walletc", "made-up", "klarna", "paypal"]
                .map(str::to_owned)
                .to_vec(),
            has_no_address: true,
            offers_saving: true,
            pay_button: None,
            wallets: WalletPlaces {
                is_asked: true,
                a: true,
                b: true,
            },
            ..FirstOptions::default()
        },
        ..page()
    };
    let text = hosted(&assets(), Mode::Live, &page);
    for part in [
        "<html lang=\"de\" dir=\"ltr\">",
        "<option value=\"de\" lang=\"de\" selected>",
        ">Kartennummer<",
        "placeholder=\"MM / JJ\"",
        ">€50.99 bezahlen<",
        "Kartendaten gehen direkt an pay.example",
        "<div data-part=\"Methods\">",
        "class=\"Beside\"",
        "<div data-part=\"Save\">",
        "<div data-part=\"Wallets\" data-a data-b></div>",
        "Sie bestätigen die Zahlung gleich bei PayPal.",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let order: Vec<&str> = text
        .split("data-type=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    assert_eq!(order, ["WALLETC", "WALLETC", "BNPLA", "BNPLA"]);
    for word in [
        "Card number",
        "Back to shop",
        "Powered by",
        "role=\"group\" aria-label",
    ] {
        assert!(!text.contains(word), "{word}: {text}");
    }
}

fn saved(token: &str, brand: &str, months_left: i32, is_default: bool) -> SavedCard {
    SavedCard {
        token: token.to_owned(),
        number: "************4242".to_owned(),
        exp_month: 3,
        exp_year: 2031,
        brand: brand.to_owned(),
        is_default,
        months_left,
    }
}

/// The hosted page of a customer with these cards.
fn with_saved(cards: &[SavedCard], asks_code: bool) -> String {
    let first = FirstOptions {
        saved: Some(SavedChoice {
            cards: cards.to_vec(),
            asks_code,
        }),
        offers_saving: true,
        ..FirstOptions::default()
    };
    hosted(&assets(), Mode::Live, &Hosted { first, ..page() })
}

#[test]
fn saved_cards_are_there_from_the_start_and_one_is_chosen() {
    let cards = [
        saved("tok-over", "VISA", -1, true),
        saved("tok-good", "AMEX", 2, false),
        saved("tok-last", "made-up", 3, false),
    ];
    let text = with_saved(&cards, false);
    for part in [
        "aria-label=\"American Express ending in 4242, expires 03 / 31\" id=\"saved-card-1\" name=\"saved-card\" type=\"radio\" value=\"tok-good\" checked>",
        "value=\"tok-over\" disabled><label for=\"saved-card-0\">",
        "</svg>Visa •••• 4242<small>03 / 31</small><span class=\"Chip\">expired</span></label>",
        "<small>03 / 31</small><span class=\"Chip\">expires soon</span></label>",
        "Card details •••• 4242<small>03 / 31</small></label>",
        "<div data-part=\"Card\" hidden>",
        "data-field=\"cvc\" hidden>",
        "data-part=\"Billing\" role=\"group\" hidden",
        "<div data-part=\"Save\" hidden>",
        "id=\"saved-card-new\" name=\"saved-card\" value=\"\">",
        "data-cards=\"[{&#34;",
        "&#34;brand&#34;:&#34;VISA&#34;",
        "&#34;expMonth&#34;:3",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let text = with_saved(&cards, true);
    assert!(text.contains("<div data-part=\"Card\">"), "{text}");
    assert!(text.contains("data-field=\"cardnumber\" hidden>"), "{text}");
    assert!(text.contains("data-field=\"cvc\">"), "{text}");
    let default = saved("tok-default", "VISA", 9, true);
    let text = with_saved(&[cards[1].clone(), default], false);
    assert!(text.contains("value=\"tok-default\" checked>"), "{text}");
}

#[test]
fn where_every_saved_card_is_over_another_one_is_typed() {
    let text = with_saved(&[saved("tok", "VISA", -1, true)], false);
    assert!(
        text.contains("name=\"saved-card\" value=\"\" checked>"),
        "{text}"
    );
    assert!(text.contains("<div data-part=\"Card\">"), "{text}");
    assert!(text.contains("data-field=\"cardnumber\">"), "{text}");
    let text = with_saved(&[], false);
    assert!(
        text.contains("data-part=\"SavedCards\" hidden data-cards=\"[]\">"),
        "{text}"
    );
    let text = hosted(&assets(), Mode::Live, &page());
    assert!(text.contains("data-part=\"SavedCards\" hidden>"), "{text}");
}
