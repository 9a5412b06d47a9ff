use super::*;

const EVIL: &str = "\"><script>alert(1)</script>";
const ESCAPED: &str = "&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;";

fn reader(language: Language) -> Reader {
    Reader {
        language,
        is_test: true,
    }
}

fn purchase(text: &str) -> Purchase {
    Purchase {
        shop: Some(text.to_owned()),
        amount: Some(text.to_owned()),
        method: Some(text.to_owned()),
        last4: Some(text.to_owned()),
        statement: Some(text.to_owned()),
    }
}

fn outcomes(address: &str) -> Vec<Outcome> {
    let address = address.to_owned();
    vec![
        Outcome::Paid,
        Outcome::NotMade,
        Outcome::PaymentUnfinished {
            address: address.clone(),
        },
        Outcome::BeingChecked,
        Outcome::CardConfirmed,
        Outcome::CardNotConfirmed,
        Outcome::CardUnfinished { address },
        Outcome::CardBeingChecked,
        Outcome::NoSuchPage,
        Outcome::Unavailable,
        Outcome::NotUnderstood,
        Outcome::ShopUnreachable,
    ]
}

/// Every page for shoppers there is, in a language, about a purchase.
fn pages(reader: Reader, purchase: &Purchase, address: &str) -> Vec<String> {
    let mut pages: Vec<String> = outcomes(address)
        .iter()
        .map(|how| outcome(reader, purchase, how))
        .collect();
    for asked in [Asked::ConfirmPayment, Asked::ConfirmCard, Asked::Approve] {
        for stage in [Stage::Open, Stage::Approved, Stage::Declined, Stage::Over] {
            pages.push(errand(reader, purchase, asked, stage));
        }
    }
    pages
}

#[test]
fn every_page_escapes_whatever_it_is_given() {
    let address = format!("https://bank.example/{EVIL}");
    for page in pages(reader(Language::English), &purchase(EVIL), &address) {
        assert!(!page.contains("<script"), "{page}");
        assert!(page.contains(ESCAPED), "{page}");
        assert!(!page.contains("style="), "{page}");
    }
    let controlled = purchase("a\u{0}\u{1b}\n\u{85}b");
    for page in pages(reader(Language::English), &controlled, "") {
        assert!(page.contains("<span>ab</span>"), "{page}");
    }
}

#[test]
fn every_page_is_in_the_language_of_its_reader() {
    for language in Language::ALL {
        for page in pages(
            reader(language),
            &Purchase::default(),
            "https://bank.example",
        ) {
            let begins = format!("<!DOCTYPE html>\n<html lang=\"{}\">", language.code());
            assert!(page.starts_with(&begins), "{page}");
            assert_eq!(page.matches("<h1>").count(), 1, "{page}");
            assert!(
                !page.contains('{'),
                "a text has a blank that is not filled: {page}"
            );
        }
    }
    let german = outcome(
        reader(Language::German),
        &Purchase::default(),
        &Outcome::NotMade,
    );
    assert!(
        german.contains("<h1>Die Zahlung wurde nicht ausgeführt</h1>"),
        "{german}"
    );
}

#[test]
fn a_page_of_test_mode_says_so_and_another_does_not() {
    let live = Reader {
        is_test: false,
        ..reader(Language::English)
    };
    for (reader, is_test) in [(reader(Language::English), true), (live, false)] {
        let page = outcome(reader, &Purchase::default(), &Outcome::Paid);
        assert_eq!(page.contains("class=\"hatching\""), is_test, "{page}");
        assert_eq!(
            page.contains("<title>TEST · Thank you</title>"),
            is_test,
            "{page}"
        );
    }
}

#[test]
fn what_is_known_of_the_purchase_stands_on_the_page() {
    let coffee = Purchase {
        shop: Some("Harbour Coffee".to_owned()),
        amount: Some("€50.99".to_owned()),
        method: Some("Visa".to_owned()),
        last4: Some("3184".to_owned()),
        statement: None,
    };
    let page = errand(
        reader(Language::English),
        &coffee,
        Asked::ConfirmPayment,
        Stage::Open,
    );
    for text in [
        "<span>Harbour Coffee</span>",
        "<dt>Amount</dt><dd>€50.99</dd>",
        "<dd>Visa ending in 3184</dd>",
        "name=\"outcome\" value=\"complete\" class=\"primary\">Approve</button>",
        "name=\"outcome\" value=\"fail\">Decline</button>",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    let over = errand(
        reader(Language::English),
        &coffee,
        Asked::Approve,
        Stage::Over,
    );
    assert_eq!(over.matches("<button").count(), 1, "{over}");
    assert!(
        over.contains("Visa asks you to approve") && over.contains("given up"),
        "{over}"
    );
}

#[test]
fn a_link_leads_to_a_page_and_never_runs_anything() {
    for (address, is_link) in [
        ("https://bank.example/?a=1&b=\"", true),
        ("http://127.0.0.1:1/", true),
        ("javascript:alert(1)", false),
        ("", false),
    ] {
        let unfinished = Outcome::PaymentUnfinished {
            address: address.to_owned(),
        };
        let page = outcome(reader(Language::English), &Purchase::default(), &unfinished);
        assert_eq!(page.contains("<a class=\"primary\""), is_link, "{page}");
    }
}
