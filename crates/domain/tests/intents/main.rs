//! Every transition of an intent and every rule of its timeline.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod amounts;

use std::time::Duration;

use domain::{
    Code, Timestamp,
    country::Country,
    id::{FlowId, IntentId, KeyId, PaymentId, TeamId},
    intent::{
        CartItem, CartPatch, Changes, Completion, Customer, Intent, Start, Status, Step,
        StepStatus, attempt_status, may_complete,
    },
    money::Currency,
    payment,
};
use uuid::Uuid;

const PATIENCE: Duration = Duration::from_mins(5);

fn at(second: i64) -> Timestamp {
    Timestamp::from_micros(second * 1_000_000)
}

fn currency(code: &str) -> Currency {
    Currency::parse(code).unwrap()
}

fn country(code: &str) -> Country {
    Country::parse(code).unwrap()
}

fn started_with(changes: Changes) -> Intent {
    let start = Start {
        id: IntentId::new(Uuid::from_u128(1)),
        team: TeamId::new(Uuid::from_u128(2)),
        tracking_id: "order-1".to_owned(),
        currency: currency("EUR"),
        flow: (FlowId::parse("default").unwrap(), 3),
        instance: Uuid::from_u128(4),
        started_by: Some(KeyId::new(Uuid::from_u128(5))),
    };
    Intent::start(start, changes, at(0), PATIENCE)
}

fn started() -> Intent {
    started_with(Changes::default())
}

fn payment(n: u128) -> PaymentId {
    PaymentId::new(Uuid::from_u128(n))
}

fn step(status: StepStatus, second: i64) -> Step {
    Step {
        status,
        at: Some(at(second)),
    }
}

/// The intent in each of its states, reached the ordinary way.
fn in_state(status: Status) -> Intent {
    let mut intent = started();
    match status {
        Status::Active => {}
        Status::Inactive => assert!(intent.expire(at(300))),
        Status::Complete => assert_eq!(
            intent.complete(Some(payment(7)), at(10)),
            Ok(Completion::Done)
        ),
    }
    assert_eq!(intent.status, status);
    intent
}

#[test]
fn a_new_intent_is_active_and_only_its_start_is_dated() {
    let intent = started();
    assert_eq!(
        (intent.status, intent.status_at, intent.version),
        (Status::Active, at(0), 1)
    );
    assert_eq!(intent.steps.started, step(StepStatus::InProgress, 0));
    for other in [
        intent.steps.shipping,
        intent.steps.delivery,
        intent.steps.billing,
        intent.steps.completed,
    ] {
        assert_eq!(other, Step::NOT_STARTED);
        assert_eq!(other.at, None);
    }
    assert_eq!(intent.due_at(), Some(at(300)));
    assert_eq!((intent.money, intent.currency), (None, currency("EUR")));
}

#[test]
fn every_operation_in_every_state() {
    let reported = |result: Result<(), domain::Fault>| result.err().map(|fault| fault.code);
    for status in Status::ALL {
        let complete = *status == Status::Complete;
        let mut intent = in_state(*status);
        let refused = reported(intent.update(Changes::default(), at(400), PATIENCE));
        assert_eq!(
            refused,
            complete.then_some(Code::IntentStatus),
            "update of {status}"
        );
        let after = if complete {
            Status::Complete
        } else {
            Status::Active
        };
        assert_eq!(intent.status, after);

        let mut intent = in_state(*status);
        let refused = reported(intent.pay(at(400), PATIENCE));
        assert_eq!(
            refused,
            complete.then_some(Code::AlreadyAuthorised),
            "payment of {status}"
        );
        assert_eq!(intent.status, after);

        let mut intent = in_state(*status);
        assert_eq!(
            intent.expire(at(1_000_000)),
            *status == Status::Active,
            "expiry of {status}"
        );

        let mut intent = in_state(*status);
        let completed = intent.complete(Some(payment(7)), at(400)).unwrap();
        assert_eq!(
            completed,
            if complete {
                Completion::Before
            } else {
                Completion::Done
            },
            "completion of {status}"
        );
        assert_eq!(
            (intent.status, intent.reference),
            (Status::Complete, Some(payment(7)))
        );
    }
}

#[test]
fn it_is_inactive_when_its_time_has_come_and_not_before() {
    let mut intent = started();
    assert!(!intent.expire(at(299)));
    assert_eq!(intent.status, Status::Active);
    assert!(intent.expire(at(300)));
    assert_eq!(
        (intent.status, intent.status_at, intent.due_at()),
        (Status::Inactive, at(300), None)
    );
    assert!(!intent.expire(at(301)), "once");
}

#[test]
fn an_update_and_a_payment_are_activity() {
    let mut intent = started();
    intent
        .update(Changes::default(), at(200), PATIENCE)
        .unwrap();
    assert_eq!(
        (intent.due_at(), intent.status_at),
        (Some(at(500)), at(0)),
        "it is active all the time"
    );
    intent.pay(at(400), PATIENCE).unwrap();
    assert_eq!(intent.due_at(), Some(at(700)));
    assert!(intent.expire(at(700)));
    intent
        .update(Changes::default(), at(800), PATIENCE)
        .unwrap();
    assert_eq!(
        (intent.status, intent.status_at, intent.due_at()),
        (Status::Active, at(800), Some(at(1100)))
    );
    assert!(intent.expire(at(1100)));
    intent.pay(at(1200), PATIENCE).unwrap();
    assert_eq!(
        (intent.status, intent.status_at),
        (Status::Active, at(1200))
    );
}

#[test]
fn the_date_of_a_step_changes_with_its_status() {
    let mut intent = started();
    let mut apply_news = |billing, second| {
        let changes = Changes {
            billing: Some(billing),
            ..Changes::default()
        };
        intent.update(changes, at(second), PATIENCE).unwrap();
        intent.steps.billing
    };
    assert_eq!(
        apply_news(StepStatus::InProgress, 1),
        step(StepStatus::InProgress, 1)
    );
    assert_eq!(
        apply_news(StepStatus::InProgress, 2),
        step(StepStatus::InProgress, 1),
        "the same status"
    );
    assert_eq!(
        apply_news(StepStatus::Complete, 3),
        step(StepStatus::Complete, 3)
    );
    assert_eq!(
        apply_news(StepStatus::Failed, 4),
        step(StepStatus::Failed, 4)
    );
    assert_eq!(apply_news(StepStatus::NotStarted, 5), Step::NOT_STARTED);
    assert_eq!(
        (intent.steps.shipping, intent.steps.delivery),
        (Step::NOT_STARTED, Step::NOT_STARTED)
    );
    let changes = Changes {
        shipping: Some(StepStatus::Complete),
        delivery: Some(StepStatus::InProgress),
        ..Changes::default()
    };
    intent.update(changes, at(6), PATIENCE).unwrap();
    assert_eq!(intent.steps.shipping, step(StepStatus::Complete, 6));
    assert_eq!(intent.steps.delivery, step(StepStatus::InProgress, 6));
}

#[test]
fn completing_completes_the_start_and_itself_once() {
    let mut intent = started();
    assert_eq!(
        intent.complete(Some(payment(7)), at(9)),
        Ok(Completion::Done)
    );
    assert_eq!((intent.status, intent.status_at), (Status::Complete, at(9)));
    assert_eq!(intent.steps.started, step(StepStatus::Complete, 9));
    assert_eq!(intent.steps.completed, step(StepStatus::Complete, 9));
    assert_eq!(intent.due_at(), None);
    let before = intent.clone();
    assert_eq!(
        intent.complete(Some(payment(7)), at(20)),
        Ok(Completion::Before)
    );
    assert_eq!(intent.complete(None, at(20)), Ok(Completion::Before));
    let fault = intent.complete(Some(payment(8)), at(20)).unwrap_err();
    assert_eq!(
        (fault.code, fault.status.as_deref()),
        (Code::IntentStatus, Some("COMPLETE"))
    );
    assert_eq!(intent, before, "nothing changes");
    let fault = intent.pay(at(21), PATIENCE).unwrap_err();
    assert_eq!(fault.id, Some(payment(7).to_string()));
}

#[test]
fn one_that_was_completed_without_a_payment_takes_none_afterwards() {
    let mut intent = started();
    intent.complete(None, at(9)).unwrap();
    assert_eq!(intent.complete(None, at(10)), Ok(Completion::Before));
    assert_eq!(
        intent.complete(Some(payment(7)), at(10)).unwrap_err().code,
        Code::IntentStatus
    );
}

#[test]
fn what_is_not_reported_of_customer_and_cart_stays() {
    let ada = Customer {
        id: Some("c-1".to_owned()),
        email: Some("ada@example.com".to_owned()),
        ..Customer::default()
    };
    let items = vec![CartItem {
        title: "Tea".to_owned(),
        price: 250,
        ..CartItem::default()
    }];
    let cart = CartPatch {
        id: Some("cart".to_owned()),
        items: Some(items),
        ..CartPatch::default()
    };
    let mut intent = started_with(Changes {
        customer: Some(ada),
        cart: Some(cart),
        ..Changes::default()
    });
    let named = Customer {
        name: Some("Ada".to_owned()),
        is_guest: Some(true),
        ..Customer::default()
    };
    let heavy = CartPatch {
        weight: Some(3),
        ..CartPatch::default()
    };
    intent
        .update(
            Changes {
                customer: Some(named),
                cart: Some(heavy),
                ..Changes::default()
            },
            at(1),
            PATIENCE,
        )
        .unwrap();
    let customer = intent.customer.clone().unwrap();
    assert_eq!(
        (customer.id.as_deref(), customer.is_guest),
        (Some("c-1"), Some(true))
    );
    assert_eq!(
        (customer.email.as_deref(), customer.name.as_deref()),
        (Some("ada@example.com"), Some("Ada"))
    );
    let cart = intent.cart.clone().unwrap();
    assert_eq!(
        (
            cart.id.as_str(),
            cart.weight,
            cart.item_count,
            cart.items.len()
        ),
        ("cart", 3, 0, 1)
    );
    assert!(intent.forget_person());
    assert_eq!(
        intent.customer,
        Some(Customer {
            id: Some("c-1".to_owned()),
            ..Customer::default()
        })
    );
    assert!(!intent.forget_person(), "nothing is left");
}

#[test]
fn a_payments_status_makes_its_step_and_may_complete() {
    use payment::Status as S;
    let complete = [
        S::Authorised,
        S::Succeeded,
        S::Refunded,
        S::PartialRefunded,
        S::RefundPending,
        S::RefundFailed,
        S::Disputed,
    ];
    let failed = [
        S::Declined,
        S::Failed,
        S::Cancelled,
        S::Removed,
        S::Inactive,
    ];
    for status in S::ALL {
        let expected = if complete.contains(status) {
            StepStatus::Complete
        } else if failed.contains(status) {
            StepStatus::Failed
        } else {
            StepStatus::InProgress
        };
        assert_eq!(attempt_status(*status), expected, "{status}");
        assert_eq!(
            may_complete(*status),
            complete.contains(status) || *status == S::GatewayHold,
            "{status}"
        );
    }
}

#[test]
fn an_intent_is_kept_as_json() {
    let intent = in_state(Status::Complete);
    let text = serde_json::to_string(&intent).unwrap();
    assert_eq!(serde_json::from_str::<Intent>(&text).unwrap(), intent);
}
