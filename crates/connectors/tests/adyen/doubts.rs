//! What the connector must not believe, and amounts as they arrive.

use connector::{
    Answer, Connector, Credentials, Delivery, Link, NotGenuine, NoticeContent, Notices,
};
use domain::{
    decline::DeclineCode,
    money::{Currency, Money},
};
use serde_json::json;

use super::shop::{HMAC_KEY, Shop, authorisation, card, named};

#[test]
pub(crate) fn each_currency_is_charged_as_it_is() {
    for (minor, code, wire) in [
        (5000, "JPY", 5000),
        (5120, "KWD", 5120),
        (5, "ISK", 500),
        (7, "CLP", 700),
        (5000, "HUF", 5000),
        (500, "IDR", 5),
        (1000, "EUR", 1000),
        (9, "UGX", 9),
        (3000, "TWD", 3000),
    ] {
        let shop = Shop::open();
        let (reference, card) = (shop.reference(), card("4111111111111111"));
        let mut call = authorisation(&reference, &card, minor);
        call.money = Money::new(minor, Currency::parse(code).unwrap());
        let answer = shop.play(shop.connector.authorise(&shop.link(), &call));
        let Ok(Answer::Approved { approval, .. }) = answer else {
            panic!("{code}: {answer:?}");
        };
        assert_eq!(approval.booked, Some(call.money));
        let amount = &shop.books()["payments"][0]["amount"];
        assert_eq!(*amount, json!({"value": wire, "currency": code}));
    }
}

#[test]
pub(crate) fn news_of_another_merchant_account_is_not_believed() {
    let shop = Shop::open();
    let (reference, card) = (shop.reference(), card("4111111111111111"));
    let call = authorisation(&reference, &card, 1000);
    shop.play(shop.connector.authorise(&shop.link(), &call))
        .unwrap();
    shop.play(shop.world.sleep(std::time::Duration::from_secs(5)));
    let post = shop.posts().remove(0);
    let other = json!({
        "apiKey": "AQE-secret-1",
        "merchantAccount": "OtherECOM",
        "hmacKey": HMAC_KEY,
        "notificationUser": "adyen",
        "notificationPassword": "let me in",
    });
    let other = Credentials::read(other.to_string().as_bytes()).unwrap();
    let link = Link {
        credentials: Some(&other),
        ..shop.link()
    };
    let headers: Vec<(String, String)> = post
        .headers
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    let delivery = Delivery {
        body: &post.body,
        headers: &headers,
    };
    assert_eq!(shop.connector.prove(&shop.link(), &delivery), Ok(()));
    assert_eq!(
        shop.connector.prove(&link, &delivery),
        Err(NotGenuine::Forged)
    );
}

#[test]
pub(crate) fn what_nobody_has_signed_decides_nothing() {
    let shop = Shop::open();
    let (reference, card) = (shop.reference(), named("NOT_ENOUGH_BALANCE"));
    let call = authorisation(&reference, &card, 1000);
    let answer = shop.play(shop.connector.authorise(&shop.link(), &call));
    assert!(
        matches!(&answer, Ok(Answer::Declined { decline, .. }) if decline.code == DeclineCode::InsufficientFunds),
        "{answer:?}"
    );
    let notice = shop.reported(5).remove(0);
    let NoticeContent::Authorisation(Answer::Declined { decline, .. }) = notice.content else {
        panic!("{:?}", notice.content);
    };
    assert_eq!(decline.code, DeclineCode::Unknown);
}
