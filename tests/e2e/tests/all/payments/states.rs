//! Every state that can be reached from outside × every action.

use serde_json::Value;
use testkit::{Answer, Setup, Shop, cards};

#[derive(Clone, Copy, Debug)]
enum Action {
    Capture,
    Cancel,
    Refund,
}

impl Action {
    fn take(self, shop: &Shop, id: &str) -> Answer {
        match self {
            Self::Capture => shop.try_capture(id, Value::Null),
            Self::Cancel => shop.try_cancel(id),
            Self::Refund => shop.try_refund(id, Value::Null),
        }
    }

    fn refusal(self) -> &'static str {
        match self {
            Self::Capture => "error.capture.invalid-status",
            Self::Cancel => "error.cancel.invalid-status",
            Self::Refund => "error.refund.invalid-status",
        }
    }
}

/// Makes a payment that rests in a state; its id.
type Make = fn(&Shop) -> String;

fn settled(shop: &Shop, card: &str) -> String {
    let id = shop.authorise(card).id();
    shop.try_refund(&id, Value::Null).data();
    id
}

#[test]
fn every_state_takes_its_own_actions_and_refuses_every_other() {
    use Action::{Cancel, Capture, Refund};
    let table: [(&str, Make, &[Action]); 8] = [
        (
            "AUTHORISED",
            |shop| shop.authorise_later(cards::VISA).id(),
            &[Capture, Cancel],
        ),
        (
            "SUCCEEDED",
            |shop| shop.authorise(cards::VISA).id(),
            &[Refund],
        ),
        (
            "PARTIAL_REFUNDED",
            |shop| shop.refund(&shop.authorise(cards::VISA).id(), 1).id(),
            &[Refund],
        ),
        ("REFUNDED", |shop| settled(shop, cards::VISA), &[]),
        (
            "CANCELLED",
            |shop| shop.cancel(&shop.authorise_later(cards::VISA).id()).id(),
            &[],
        ),
        (
            "DECLINED",
            |shop| shop.authorise(cards::GENERAL_DECLINE).id(),
            &[],
        ),
        ("FAILED", |shop| shop.authorise(cards::FAILED).id(), &[]),
        (
            "REFUND_FAILED",
            |shop| {
                let id = settled(shop, cards::FAILING_REFUND);
                shop.wait_for_status(&id, "REFUND_FAILED").id()
            },
            &[Refund],
        ),
    ];
    let server = Setup::new().start();
    let shop = server.shop();
    for (status, make, allowed) in table {
        for action in [Capture, Cancel, Refund] {
            let id = make(&shop);
            shop.payment(&id).assert_status(status);
            let answer = action.take(&shop, &id);
            if allowed
                .iter()
                .any(|one| std::mem::discriminant(one) == std::mem::discriminant(&action))
            {
                assert!(
                    answer.errors().is_empty(),
                    "{action:?} of {status}: {}",
                    answer.json()
                );
            } else {
                answer.assert_error(action.refusal());
                assert_eq!(answer.extension("status"), status, "{action:?}");
                assert_eq!(
                    answer.extension("id"),
                    &Value::String(id.clone()),
                    "{action:?}"
                );
                shop.payment(&id).assert_status(status);
            }
        }
    }
    shop.assert_books_equal_payments();
}

#[test]
fn while_a_payment_is_held_nothing_can_be_done_with_it_and_then_it_is_accepted() {
    let server = Setup::new().start();
    let shop = server.shop();
    for later in [false, true] {
        let payment = if later {
            shop.authorise_later(cards::HELD)
        } else {
            shop.authorise(cards::HELD)
        };
        payment.assert_status("GATEWAY_HOLD");
        for action in [Action::Capture, Action::Cancel, Action::Refund] {
            let answer = action.take(&shop, &payment.id());
            answer.assert_error(action.refusal());
            assert_eq!(answer.extension("status"), "GATEWAY_HOLD");
        }
        shop.wait_for_status(
            &payment.id(),
            if later { "AUTHORISED" } else { "SUCCEEDED" },
        );
    }
    shop.assert_books_equal_payments();
}
