//! What an approval leaves for later payments with a stored card.

use domain::{
    answer::{Answer, Approval},
    id::{PaymentId, VaultToken},
    payment::{
        CaptureRule, ConsentWeight, Initiator, NetworkReference, NewPayment, News, Payment,
        Recurring, RecurringReason, Source,
    },
    processor_token::OwnToken,
};
use uuid::Uuid;

use crate::bench::{asked, at, begin, connection, declined, policy};

/// A payment with a stored card, sent to its processor.
fn sent(change: impl FnOnce(&mut NewPayment)) -> Payment {
    let mut asked = asked();
    asked.method.token = VaultToken::parse("token0000000000000001");
    asked.method.hidden = false;
    change(&mut asked);
    let mut payment = Payment::new(asked, PaymentId::new(Uuid::from_u128(1)), at(0), None);
    payment.plan_attempt(None, CaptureRule::Immediate, 0);
    payment.begin_authorise(connection(), true, begin(1));
    payment
}

fn approval(id: &str) -> Approval {
    Approval {
        scheme_transaction_id: Some(id.to_owned()),
        stored_card: Some(OwnToken {
            value: "pm_1".to_owned(),
            customer: Some("cus_1".to_owned()),
            reusable: true,
        }),
        ..Approval::default()
    }
}

fn settle(payment: &mut Payment, news: News) {
    payment.settle(1, news, Source::Call.at(at(2)), &policy());
}

/// What an approval with this id leaves.
fn left(mut payment: Payment, id: &str) -> Option<NetworkReference> {
    let approval = approval(id);
    let news = News::Answer(Answer::Approved {
        captured: true,
        approval: approval.clone(),
    });
    settle(&mut payment, news);
    payment.network_reference(1, &approval, at(3))
}

const fn recurring(first: bool) -> Recurring {
    Recurring {
        reason: RecurringReason::Subscription,
        first,
    }
}

#[test]
fn an_approval_leaves_the_transaction_with_where_it_comes_from() {
    let left = left(
        sent(|asked| asked.recurring = Some(recurring(true))),
        "NET1",
    );
    let reference = left.unwrap();
    assert_eq!(reference.id, "NET1");
    assert_eq!(reference.connection, connection());
    assert_eq!(reference.payment, PaymentId::new(Uuid::from_u128(1)));
    assert_eq!(reference.weight, ConsentWeight::Consent);
}

#[test]
fn only_what_says_more_of_the_consent_is_left() {
    use ConsentWeight::{Consent, Customer, Merchant};
    for (known, initiator, said, leaves) in [
        (None, Initiator::Customer, None, Some(Customer)),
        (Some(Merchant), Initiator::Customer, None, Some(Customer)),
        (Some(Customer), Initiator::Customer, None, None),
        (Some(Consent), Initiator::Customer, None, None),
        (Some(Customer), Initiator::Customer, Some(false), None),
        (
            Some(Customer),
            Initiator::Customer,
            Some(true),
            Some(Consent),
        ),
        (
            Some(Consent),
            Initiator::Customer,
            Some(true),
            Some(Consent),
        ),
        (None, Initiator::Merchant, Some(false), Some(Merchant)),
        (Some(Merchant), Initiator::Merchant, Some(false), None),
    ] {
        let payment = sent(|asked| {
            asked.initiator = initiator;
            asked.recurring = said.map(recurring);
            asked.method.network_weight = known;
        });
        let weight = left(payment, "NET1").map(|reference| reference.weight);
        assert_eq!(weight, leaves, "{known:?} {initiator:?} {said:?}");
    }
}

#[test]
fn what_is_no_stored_card_or_no_approval_leaves_nothing() {
    assert_eq!(left(sent(|asked| asked.method.token = None), "NET1"), None);
    assert_eq!(left(sent(|_| {}), "no id"), None);
    let mut refused = sent(|_| {});
    settle(&mut refused, declined());
    assert_eq!(refused.network_reference(1, &approval("NET1"), at(3)), None);
    // A charge that comes to light after the end is given back.
    let news = News::Answer(Answer::Approved {
        captured: true,
        approval: approval("NET1"),
    });
    settle(&mut refused, news);
    assert_eq!(refused.network_reference(1, &approval("NET1"), at(3)), None);
}

#[test]
fn a_processors_own_token_is_never_kept_with_the_payment() {
    let mut payment = sent(|_| {});
    let news = News::Answer(Answer::Approved {
        captured: true,
        approval: approval("NET1"),
    });
    assert!(!format!("{news:?}").contains("pm_1"));
    settle(&mut payment, news);
    assert!(
        payment
            .approval()
            .is_some_and(|kept| kept.stored_card.is_none())
    );
}
