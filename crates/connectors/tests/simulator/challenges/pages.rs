//! Methods with a page of their own.

use crate::shop::{Charge, eur};
use connector::{ActionKind, Answer, Authorise, CallError, Connector, FundingSource, ThreeDsCall};
use connectors::simulator::{BookingKind, Progress, Simulator};
use domain::{method::Method, payment::ThreeDsWish};
use serde_json::json;

use super::{Ask, BACK, CHALLENGE, by, shop, with};

#[test]
fn a_method_with_a_page_is_approved_there_and_then_used_like_a_card() {
    let shop = shop();
    for method in [
        Method::Walletc,
        Method::Bnpla,
        Method::Ideal,
        Method::Sofort,
        Method::BanContact,
        Method::GiroPay,
    ] {
        let reference = shop.reference();
        let (action, token) = shop.waits(
            &reference,
            Ask {
                capture: false,
                ..by(method)
            },
        );
        assert_eq!(action.kind, ActionKind::Apm);
        let page = shop.play(shop.simulator.page(&token)).unwrap().unwrap();
        assert_eq!(
            (page.method, page.money, page.state),
            (Some(method), eur(1000), Progress::Waiting)
        );
        assert_eq!(page.return_url, BACK);
        shop.decide(&token, true);
        let Answer::Approved {
            captured: false,
            approval,
        } = shop
            .complete(&reference, Charge::hold(1000))
            .unwrap()
            .unwrap()
        else {
            panic!("{method} is not approved")
        };
        assert_eq!(
            (
                approval.issuing_bank,
                approval.scheme_transaction_id,
                approval.three_ds
            ),
            (None, None, None)
        );
        shop.later(BookingKind::Capture, &reference, &shop.reference(), 600)
            .unwrap()
            .unwrap();
        shop.later(BookingKind::Refund, &reference, &shop.reference(), 250)
            .unwrap()
            .unwrap();
        assert_eq!(shop.sums(&reference), [1000, 600, 250]);
    }
}

#[test]
fn a_debit_is_held_and_decided_two_seconds_later() {
    let shop = shop();
    for (method, number, charged) in [
        (Method::SepaDirectDebit, "DE89370400440532013000", 1000),
        (Method::SepaDirectDebit, "DE62370400440532013001", 0),
        (Method::Bacs, "00012345", 1000),
        (Method::Bacs, "22222227", 0),
        (Method::Becs, "000123456", 1000),
        (Method::AchDebit, "000111111113", 0),
    ] {
        let reference = shop.reference();
        let answer = shop.ask(
            &reference,
            Ask {
                back: None,
                account: Some(number),
                ..by(method)
            },
        );
        assert!(matches!(answer, Answer::Held { .. }), "{answer:?}");
        assert_eq!(shop.sums(&reference), [0, 0, 0]);
        shop.wait(2000);
        assert_eq!(shop.sums(&reference), [charged, charged, 0], "{number}");
    }
}

#[test]
fn a_card_method_needs_a_card_and_a_debit_an_account() {
    let shop = shop();
    for method in shop.simulator.descriptor().methods {
        let call = Authorise {
            reference: &shop.reference(),
            money: eur(1000),
            capture: true,
            method: *method,
            funding_source: FundingSource::Page,
            three_ds: ThreeDsCall {
                wish: ThreeDsWish::AsIssuer,
                return_url: Some(BACK),
                browser: None,
            },
            merchant_initiated: false,
            stored: None,
            shopper: None,
            payer: None,
            statement_descriptor: None,
            fraud: None,
        };
        let answer = shop
            .in_time(shop.simulator.authorise(&shop.link(), &call))
            .unwrap();
        let is_brand = domain::brand::Brand::ALL
            .iter()
            .any(|brand| brand.method() == *method);
        let needs_number = is_brand
            || method.is_direct_debit()
            || matches!(method, Method::WalletaPay | Method::WalletbPay);
        assert_eq!(
            matches!(answer, Err(CallError::Rejected { .. })),
            needs_number,
            "{method}: {answer:?}"
        );
    }
}

#[test]
fn only_an_address_that_was_given_out_leads_to_a_page() {
    let shop = shop();
    let reference = shop.reference();
    let (_, token) = shop.waits(&reference, with(CHALLENGE));
    let mut wrong = token.clone();
    wrong.replace_range(..1, if token.starts_with('A') { "B" } else { "A" });
    let plain = shop.sold("4242424242424242");
    let others = [
        wrong,
        String::new(),
        "é".repeat(20),
        format!("{}{}", &token[..22], plain.as_str()),
    ];
    for other in others
        .iter()
        .map(String::as_str)
        .chain([&token[..21], &token[..22], &token[1..]])
    {
        assert_eq!(
            shop.play(shop.simulator.page(other)).unwrap(),
            None,
            "{other}"
        );
        assert_eq!(
            shop.play(shop.simulator.decide(other, true)).unwrap(),
            None,
            "{other}"
        );
    }
    assert_eq!(shop.entry(&reference)["challenge"], json!("waiting"));
}

#[test]
fn a_page_outlives_the_simulator() {
    let shop = shop();
    let reference = shop.reference();
    let (_, token) = shop.waits(&reference, with(CHALLENGE));
    let next = Simulator::new(
        shop.world.clone(),
        std::sync::Arc::clone(&shop.books) as std::sync::Arc<_>,
    );
    assert_eq!(
        shop.play(next.decide(&token, true)).unwrap().unwrap().state,
        Progress::Passed
    );
}
