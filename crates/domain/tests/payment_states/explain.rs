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

#[test]
fn an_open_dispute_is_named_with_what_is_to_be_done() {
    let mut one = in_status(Status::Succeeded).unwrap();
    let dispute = crate::disputed::dated_chargeback(&one, at(50));
    one.note_dispute(&dispute, at(2));
    let at_time = |now| {
        let sources = StorySources {
            timeline: &[],
            disputes: std::slice::from_ref(&dispute),
            at: now,
        };
        one.explain(sources).join("\n")
    };
    let before = at_time(at(40));
    assert!(
        before.contains("Until 2026-01-01T00:00:50Z: respond to"),
        "{before}"
    );
    assert!(before.contains("A response is due by"), "{before}");
    let after = at_time(at(60));
    assert!(after.contains("A response was due by"), "{after}");
    assert!(after.contains("is over; the processor decides"), "{after}");
    for story in [before, after] {
        assert!(!story.contains("It has ended"), "{story}");
    }
}
