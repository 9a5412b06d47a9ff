//! The story of a payment in plain words.

use domain::payment::{Payment, Status, StorySources};

use crate::bench::{apply_news, at, done, in_status, refund};

fn story(payment: &Payment) -> String {
    let sources = StorySources {
        timeline: &[],
        disputes: &[],
        at: at(100),
    };
    payment.explain(sources).join("\n")
}

#[test]
fn a_story_is_written_of_a_payment_in_every_status() {
    let mut written = 0;
    for status in Status::ALL {
        let Some(payment) = in_status(*status) else {
            continue;
        };
        let story = story(&payment);
        assert!(story.contains(&format!("is {status}")), "{story}");
        let (_, next) = story.split_once("What comes next\n").unwrap();
        assert!(!next.is_empty(), "{story}");
        written += 1;
    }
    assert!(written > 8, "{written}");
}

#[test]
fn what_is_open_is_never_called_ended() {
    for status in Status::ALL {
        let Some(payment) = in_status(*status) else {
            continue;
        };
        let is_open = payment.operations().iter().any(|one| one.state.is_open());
        let story = story(&payment);
        assert!(
            !is_open || !story.contains("It has ended"),
            "{status}: {story}"
        );
    }
}

#[test]
fn amounts_are_those_of_the_payment() {
    let mut one = in_status(Status::Succeeded).unwrap();
    let n = refund(&mut one, 300, 2);
    apply_news(&mut one, n, done(), 3);
    let story = story(&one);
    assert!(
        story.contains("€10.00, €10.00 captured, €3.00 refunded."),
        "{story}"
    );
    assert!(story.contains("Up to €7.00 can be refunded."), "{story}");
}
