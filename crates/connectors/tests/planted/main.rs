//! The tests of connectors find bugs that were planted on purpose: each of these by the test that stands with it, which passes
//! without. Needs the bugs built in: `cargo test --workspace --features lab/planted --test planted`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

#[path = "../adyen"]
mod adyen {
    pub(crate) mod doubts;
    pub(crate) mod faults;
    mod followed;
    pub(crate) mod news;
    pub(crate) mod scenarios;
    mod shop;
    pub(crate) mod stored;
}
#[path = "../stripe/busy.rs"]
mod busy;
#[path = "../stripe/doubts.rs"]
mod doubts;
#[path = "../stripe/faults.rs"]
mod faults;
#[path = "../stripe/scenarios.rs"]
mod scenarios;
#[path = "../stripe/shop.rs"]
mod shop;

use std::{collections::BTreeSet, panic};

use planted::Bug;

/// A bug with the test that is to find it.
struct Hunt {
    bug: Bug,
    finder: fn(),
}

const fn hunt(bug: Bug, finder: fn()) -> Hunt {
    Hunt { bug, finder }
}

const HUNTS: &[Hunt] = &[
    hunt(Bug::AdyenErrorIsDecline, adyen::faults::an_error_on_the_way_to_the_issuer_is_unknown_since_it_may_be_authorised_after_all),
    hunt(Bug::AdyenFailureAfterSuccessForgotten, adyen::news::a_refund_can_fail_after_it_was_done),
    hunt(Bug::AdyenForgedItemTaken, adyen::news::a_forged_notification_is_not_believed_and_an_altered_one_neither),
    hunt(Bug::AdyenGoneCardIsKept, adyen::stored::a_stored_card_that_is_gone_is_said_to_be_gone),
    hunt(Bug::AdyenKeyChanges, adyen::faults::a_request_that_is_repeated_charges_once_whatever_is_in_it),
    hunt(Bug::AdyenKeyOutlivesItsRetention, adyen::faults::a_request_is_sent_again_only_as_long_as_its_key_is_kept),
    hunt(Bug::AdyenOtherAccountBelieved, adyen::doubts::news_of_another_merchant_account_is_not_believed),
    hunt(Bug::AdyenPaymentNamedForChange, adyen::scenarios::adyen_passes_the_scenarios_of_every_connector),
    hunt(Bug::AdyenRefusedChangeIsDone, adyen::scenarios::adyen_passes_the_scenarios_of_every_connector),
    hunt(Bug::AdyenResultOfAnotherPayment, adyen::news::the_result_of_another_payment_pays_nothing),
    hunt(Bug::AdyenRunningIsRefused, adyen::faults::a_request_under_way_is_never_a_decline),
    hunt(Bug::AdyenServerErrorIsRefusal, adyen::faults::whatever_happens_to_an_answer_the_outcome_is_never_called_another),
    hunt(Bug::AdyenUnsignedReasonBelieved, adyen::doubts::what_nobody_has_signed_decides_nothing),
    hunt(Bug::AdyenWrongExponent, adyen::doubts::each_currency_is_charged_as_it_is),
    hunt(
        Bug::StripeAnswerOfAnotherIntent,
        doubts::an_answer_about_another_intent_proves_nothing,
    ),
    hunt(
        Bug::StripeCaptureUnproven,
        doubts::a_capture_that_its_answer_does_not_show_is_unknown_and_one_without_its_mark_is_not_absent,
    ),
    hunt(
        Bug::StripeChargeNamedForIntent,
        scenarios::stripe_passes_the_scenarios_of_every_connector,
    ),
    hunt(
        Bug::StripeConflictIsDecline,
        faults::a_request_under_way_is_never_a_decline,
    ),
    hunt(
        Bug::StripeCopiedReferenceTaken,
        doubts::of_two_intents_under_one_reference_none_is_taken,
    ),
    hunt(
        Bug::StripeDeclineOfAnotherIntent,
        doubts::a_decline_brings_no_facts_of_another_intent,
    ),
    hunt(
        Bug::StripeForgedEventTaken,
        doubts::an_event_is_believed_by_its_signature_and_about_the_own_account,
    ),
    hunt(
        Bug::StripeKeyChanges,
        faults::a_request_that_is_repeated_charges_once_and_one_of_another_amount_is_an_alarm,
    ),
    hunt(
        Bug::StripeMarksUnbacked,
        doubts::marks_of_more_than_was_captured_prove_nothing,
    ),
    hunt(
        Bug::StripeOtherAccountBelieved,
        doubts::an_event_is_believed_by_its_signature_and_about_the_own_account,
    ),
    hunt(
        Bug::StripePendingRefundIsDone,
        doubts::a_refund_that_is_under_way_is_not_done,
    ),
    hunt(
        Bug::StripeReferenceNotSent,
        busy::a_lost_intent_is_found_however_many_others_there_are,
    ),
    hunt(
        Bug::StripeSearchProvesAbsence,
        busy::what_search_does_not_have_yet_is_found_in_the_list,
    ),
    hunt(
        Bug::StripeServerErrorIsDecline,
        faults::whatever_happens_to_an_answer_the_outcome_is_never_called_another,
    ),
    hunt(
        Bug::StripeSilenceIsNotSent,
        faults::whatever_happens_to_an_answer_the_outcome_is_never_called_another,
    ),
    hunt(
        Bug::StripeUnknownIntentIsAbsent,
        doubts::an_intent_that_the_account_does_not_know_proves_nothing,
    ),
    hunt(
        Bug::StripeWrongExponent,
        doubts::each_currency_is_charged_as_it_is,
    ),
];

#[test]
fn every_bug_of_a_connector_is_found_by_the_test_that_is_made_for_it() {
    let hunted: BTreeSet<Bug> = HUNTS.iter().map(|hunt| hunt.bug).collect();
    let all: BTreeSet<Bug> = Bug::CONNECTORS.iter().copied().collect();
    assert_eq!(hunted, all);
    for Hunt { bug, finder } in HUNTS {
        planted::plant(Some(*bug));
        let played = panic::catch_unwind(*finder);
        planted::plant(None);
        assert!(played.is_err(), "{} was not found", bug.name());
    }
}
