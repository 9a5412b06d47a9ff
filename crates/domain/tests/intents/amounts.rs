//! Who sets the amount, the currency and the country.

use domain::{
    intent::{Changes, Intent},
    money::Money,
};

use super::{PATIENCE, at, country, currency, started, started_with};

#[test]
fn an_amount_is_trusted_when_a_secret_key_set_it_last() {
    /// Who tells which amount in which currency.
    type StatedAmount = (bool, Option<i64>, Option<&'static str>);
    let (server, browser) = (true, false);
    let cases: &[(&[StatedAmount], Option<i64>)] = &[
        (&[(server, Some(5), Some("EUR"))], Some(5)),
        (&[(browser, Some(5), Some("EUR"))], None),
        (
            &[(server, Some(5), Some("EUR")), (browser, Some(1), None)],
            None,
        ),
        (
            &[(server, Some(5), Some("EUR")), (browser, None, Some("JPY"))],
            None,
        ),
        (
            &[(server, Some(5), Some("EUR")), (browser, None, None)],
            Some(5),
        ),
        (
            &[
                (browser, Some(5), Some("EUR")),
                (server, Some(7), Some("EUR")),
            ],
            Some(7),
        ),
        (
            &[(server, None, Some("EUR")), (server, Some(7), None)],
            Some(7),
        ),
        // The amount would count in a currency that the browser chose.
        (
            &[(browser, None, Some("JPY")), (server, Some(7), None)],
            None,
        ),
        (
            &[(browser, Some(5), Some("EUR")), (server, None, Some("EUR"))],
            None,
        ),
        (&[(server, Some(0), Some("EUR"))], Some(0)),
        (&[(server, None, Some("EUR"))], None),
    ];
    for (reported, trusted) in cases {
        let mut all = reported.iter().map(|(is_trusted, amount, code)| Changes {
            is_trusted: *is_trusted,
            amount: *amount,
            currency: code.map(currency),
            ..Changes::default()
        });
        let mut intent = started_with(all.next().unwrap());
        for changes in all {
            intent.update(changes, at(1), PATIENCE).unwrap();
        }
        let amount = intent
            .money
            .filter(|_| intent.money_is_trusted)
            .map(Money::minor);
        assert_eq!(amount, *trusted, "{reported:?}");
    }
}

#[test]
fn amount_and_currency_are_set_one_by_one() {
    let changes = Changes {
        amount: Some(500),
        is_trusted: true,
        ..Changes::default()
    };
    let mut intent = started_with(changes);
    assert_eq!(intent.money, Some(Money::new(500, currency("EUR"))));
    let changes = Changes {
        currency: Some(currency("USD")),
        is_trusted: true,
        ..Changes::default()
    };
    intent.update(changes, at(1), PATIENCE).unwrap();
    assert_eq!(
        (intent.money, intent.currency),
        (Some(Money::new(500, currency("USD"))), currency("USD"))
    );
    let changes = Changes {
        amount: Some(0),
        is_trusted: true,
        ..Changes::default()
    };
    intent.update(changes, at(2), PATIENCE).unwrap();
    assert_eq!(intent.money, Some(Money::zero(currency("USD"))));
}

#[test]
fn where_somebody_says_to_be_counts_more_than_where_a_request_came_from() {
    let held = |intent: &Intent| intent.location.map(|location| location.country.alpha3());
    let mut intent = started();
    assert_eq!(held(&intent), None);
    let seen = |code| Changes {
        seen_in: Some(country(code)),
        ..Changes::default()
    };
    intent.update(seen("FR"), at(1), PATIENCE).unwrap();
    assert_eq!(held(&intent), Some("FRA"));
    intent.update(seen("DE"), at(2), PATIENCE).unwrap();
    assert_eq!(held(&intent), Some("DEU"), "the customer has moved");
    intent.update(Changes::default(), at(2), PATIENCE).unwrap();
    assert_eq!(held(&intent), Some("DEU"));
    intent
        .update(
            Changes {
                country: Some(country("IRL")),
                ..seen("DE")
            },
            at(3),
            PATIENCE,
        )
        .unwrap();
    assert_eq!(held(&intent), Some("IRL"));
    intent.update(seen("DE"), at(4), PATIENCE).unwrap();
    assert_eq!(
        held(&intent),
        Some("IRL"),
        "a given location is not overwritten by a guess"
    );
    intent
        .update(
            Changes {
                country: Some(country("FR")),
                ..Changes::default()
            },
            at(5),
            PATIENCE,
        )
        .unwrap();
    assert_eq!(held(&intent), Some("FRA"), "one that is given is used");
}
