//! The problems reported about steps that make no sense together.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use flow::{Document, Program};

/// The problems reported about a flow, a line for each problem.
fn problems(trigger: &str, steps: &str) -> Vec<String> {
    let document =
        Document::parse(&format!("name: n\ntrigger: {trigger}\nsteps:\n{steps}")).unwrap();
    Program::compile(&document)
        .err()
        .unwrap_or_default()
        .iter()
        .map(ToString::to_string)
        .collect()
}

fn payment(steps: &str) -> Vec<String> {
    problems("payment", steps)
}

#[test]
fn every_path_of_a_payment_authorises_or_declines() {
    assert_eq!(
        payment("  - note: a"),
        [
            "steps: a payment comes to the end without `authorise` or `decline`; every path needs one"
        ]
    );
    assert_eq!(
        payment("  - if: \"true\"\n    then: [{authorise: {connection: a}}]"),
        [
            "steps: when the condition of steps[0] does not hold, a payment comes to the end without `authorise` or `decline`; \
          every path needs one"
        ]
    );
    assert_eq!(
        payment(
            "  - if: \"true\"\n    then: [{if: \"true\", then: [{note: a}], else: [{decline: {code: CUSTOM_RULE}}]}]\n    \
             else: [{authorise: {connection: a}}]"
        ),
        [
            "steps: when the condition of steps[0].then[0] holds, a payment comes to the end without `authorise` or `decline`; \
          every path needs one"
        ]
    );
    assert!(
        payment("  - if: \"true\"\n    then: [{decline: {code: CUSTOM_RULE}}]\n  - authorise: {connection: a}")
            .is_empty()
    );
    assert!(payment("  - decline: {code: CUSTOM_RULE}").is_empty());
}

#[test]
fn a_path_authorises_once() {
    let problems = payment(
        "  - if: \"true\"\n    then: [{authorise: {connection: a}}]\n  - authorise: {connection: b}",
    );
    assert_eq!(
        problems,
        [
            "steps[1].authorise (line 6): a payment that comes here may be authorised already; on one path there is one `authorise`"
        ]
    );
    assert!(
        payment("  - if: \"true\"\n    then: [{authorise: {connection: a}}]\n    else: [{authorise: {connection: b}}]")
            .is_empty()
    );
}

#[test]
fn money_moves_only_after_it_was_authorised() {
    for name in ["capture: now", "refund: {amount: all}", "cancel: {}"] {
        let step = name.split(':').next().unwrap();
        assert_eq!(
            payment(&format!("  - {name}\n  - authorise: {{connection: a}}")),
            [format!(
                "steps[0].{step} (line 4): `{step}` comes only after `authorise`, and a payment can come here without"
            )]
        );
    }
    let branch = "  - if: \"true\"\n    then: [{authorise: {connection: a}}]\n  - capture: now\n  - decline: {code: CUSTOM_RULE}";
    assert_eq!(payment(branch).len(), 2);
}

#[test]
fn what_follows_an_authorisation_fits_together() {
    let after = |steps: &str| payment(&format!("  - authorise: {{connection: a}}\n{steps}"));
    assert!(after("  - capture: now\n  - refund: {amount: 5}").is_empty());
    assert!(after("  - capture: api\n  - delay: 7d\n  - cancel: {}").is_empty());
    assert_eq!(
        after("  - capture: now\n  - capture: api"),
        [
            "steps[2].capture (line 6): a `capture` or `cancel` stands before this one on the same path; keep one"
        ]
    );
    assert_eq!(
        after("  - refund: {amount: 5}"),
        [
            "steps[1].refund (line 5): only captured money is refunded: put `capture` before, or use `cancel`"
        ]
    );
    assert_eq!(
        after("  - capture: now\n  - cancel: {}"),
        [
            "steps[2].cancel (line 6): the payment is captured or cancelled before this step; captured money is given back with `refund`"
        ]
    );
    assert_eq!(
        after("  - decline: {code: CUSTOM_RULE}"),
        [
            "steps[1].decline (line 5): a payment that comes here may be authorised already; use `cancel`"
        ]
    );
    assert_eq!(
        after("  - three_d_secure: request"),
        [
            "steps[1].three_d_secure (line 5): `three_d_secure` comes after `authorise`, where it changes nothing; put it before"
        ]
    );
}

#[test]
fn steps_that_are_never_reached_are_reported() {
    assert_eq!(
        payment("  - decline: {code: CUSTOM_RULE}\n  - note: a"),
        [
            "steps[1] (line 5): this step is never reached: the payment is declined before it on every path"
        ]
    );
}

#[test]
fn waiting_before_the_authorisation_is_fine() {
    assert!(
        payment(
            "  - approval: {title: ok}\n  - delay: 2s\n  - await_webhook: {name: a}\n  - authorise: {connection: a}"
        )
        .is_empty()
    );
}

#[test]
fn each_trigger_takes_the_steps_that_fit_it() {
    for trigger in ["{outcome: [failed]}", "{dispute: [lost]}"] {
        assert!(
            problems(
                trigger,
                "  - refund: {amount: all}\n  - capture: now\n  - cancel: {}\n  - note: a"
            )
            .is_empty()
        );
    }
    assert_eq!(
        problems("{outcome: [failed]}", "  - authorise: {connection: a}"),
        [
            "steps[0].authorise (line 4): `authorise` belongs to flows with `trigger: payment`; this one begins with an outcome"
        ]
    );
    for (trigger, name) in [
        ("intent_inactive", "an inactive intent"),
        ("{webhook: {name: a}}", "a webhook"),
    ] {
        assert_eq!(
            problems(trigger, "  - capture: now"),
            [format!(
                "steps[0].capture (line 4): `capture` needs a payment, and a flow that begins with {name} has none"
            )]
        );
        for step in [
            "offer: [CARD]",
            "three_d_secure: avoid",
            "authorise: {connection: a}",
            "decline: {code: FRAUD}",
        ] {
            assert_eq!(problems(trigger, &format!("  - {step}")).len(), 1, "{step}");
        }
        assert!(
            problems(trigger, "  - call_webhook: {url: \"https://example.com\"}\n  - delay: 2s\n  - approval: {title: a}")
                .is_empty()
        );
    }
}

#[test]
fn ids_are_the_steps_own() {
    assert_eq!(
        payment("  - {id: x, note: a}\n  - {id: x, authorise: {connection: a}}"),
        ["steps[1].id (line 5): another step has this id; give each its own"]
    );
}
