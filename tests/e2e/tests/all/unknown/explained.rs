//! `pointsman explain`: a payment's story for the people who are asked about it.

use testkit::{Setup, cards};

#[test]
fn the_story_of_an_unknown_charge_says_what_is_proven_and_what_comes_next() {
    let server = Setup::new()
        .config("[recovery]\nschedule = [\"1h\"]\n")
        .start();
    let shop = server.shop();
    let payment = shop.authorise(cards::UNKNOWN_CHARGED);
    let story = server.run(&["explain", &payment.id()]);
    for said in [
        "is NO_ANSWER_FROM_PSP: €10.00.",
        "Until that is proven nothing else is charged for it.",
        "1. Authorisation and capture of €10.00 at simulator-a",
        "It is not sent again, and not sent elsewhere.",
        "the outcome of operation 1 is looked for at the processor.",
    ] {
        assert!(story.contains(said), "{said:?} is not in\n{story}");
    }
    shop.payment(&payment.id()).assert_status("SUCCEEDED");
    let story = server.run(&["explain", &payment.uuid(), "--team", "Sandbox"]);
    for said in [
        "is SUCCEEDED: €10.00, €10.00 captured.",
        "It took effect: proven by the processor",
        "The processor was asked once what became of it.",
        "Up to €10.00 can be refunded.",
    ] {
        assert!(story.contains(said), "{said:?} is not in\n{story}");
    }
}

#[test]
fn a_story_is_printed_of_the_team_that_is_named_and_of_payments_alone() {
    let server = Setup::new().start();
    let payment = server.shop().authorise(cards::VISA);
    server.other_team();
    for (arguments, said) in [
        (vec!["explain", "order-7"], "is no payment's id"),
        (
            vec!["explain", "payments:01a206e1-cb37-767a-93b0-b03517f14ba8"],
            "there is no payment",
        ),
    ] {
        let refused = server.command(&arguments);
        assert!(!refused.status.success());
        let error = String::from_utf8(refused.stderr).unwrap();
        assert!(error.contains(said), "{error}");
    }
    let id = payment.id();
    let foreign = server.command(&["explain", &id, "--team", "The other shop"]);
    assert!(!foreign.status.success());
    assert!(foreign.stdout.is_empty());
    assert!(server.run(&["explain", &id]).contains(&id));
}
