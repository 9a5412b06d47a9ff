//! The story of a payment in plain words.

use domain::{
    answer::LaterAnswer,
    payment::{News, Payment, Status, StorySources, TimelineEntry},
};

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

#[test]
fn words_of_a_processor_stay_words() {
    let forged = "\u{1b}]0;PWN\u{7}\u{1b}[2J\nFake line: REFUNDED 4242424242424242\0";
    let mut one = in_status(Status::Succeeded).unwrap();
    let (first, second) = (refund(&mut one, 300, 2), refund(&mut one, 300, 2));
    let refused = LaterAnswer::Refused {
        reason: forged.into(),
        booked: None,
    };
    let done = LaterAnswer::Done {
        processor_id: Some(format!("re\u{1b}[2J{}", "x".repeat(10_000))),
        booked: None,
    };
    apply_news(&mut one, first, News::Later(refused), 3);
    apply_news(&mut one, second, News::Later(done), 3);
    let stored = serde_json::to_string(&one).unwrap();
    for bad in ["\\u001b", "\\u{1b}", "\\0", "\\n", "4242424242424242"] {
        assert!(!stored.contains(bad), "{bad}: {stored}");
    }
    assert!(
        stored.contains("Fake line: REFUNDED ************4242"),
        "{stored}"
    );
    assert!(stored.len() < 20_000);
    // Whatever is stored, a story commands no terminal.
    let sources = StorySources {
        timeline: &[TimelineEntry::new(at(1), "A title").saying(forged)],
        disputes: &[],
        at: at(100),
    };
    for line in one.explain(sources) {
        assert!(!line.chars().any(char::is_control), "{line:?}");
        assert!(!line.contains("4242424242424242"), "{line}");
    }
}
